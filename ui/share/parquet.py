"""Rows as a Parquet file: the one form that needs a library, which a browser does not have.

64-bit integers are ``int64``; a column with values of several types, or of lists and pairs, is JSON text.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyarrow import parquet

Row = Mapping[str, Any]

AS_JSON: Final = {b"tidemark": b"json"}
"""Metadata of a Parquet column whose text is JSON."""


def parquet_file(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    """The content of a file with ``rows``; every member of a row is one of the ``columns``."""
    fields, arrays = [], []
    for name in columns:
        values = [row.get(name) for row in rows]
        kind = _kind(values)
        as_json = kind is None
        if as_json:
            values = [None if each is None else json.dumps(each) for each in values]
        arrays.append(pa.array(values, kind or pa.string()))
        fields.append(pa.field(name, kind or pa.string(), metadata=AS_JSON if as_json else None))
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), out)
    return out.getvalue()


def _kind(values: Iterable[Any]) -> pa.DataType | None:
    """The plain type that all values share; None if there is none."""
    kinds = {type(each) for each in values if each is not None}
    plain = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    return plain.get(kinds.pop()) if len(kinds) == 1 else None
