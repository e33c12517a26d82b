"""The channels of local Parquet files, by what the files say of themselves: no job, and one column read.

Only where every record is readable and a channel has one text; for everything else Spark looks.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from spark_bridge.files.columns import Columns
from spark_bridge.files.errors import FilesError
from spark_bridge.files.finding import PARQUET, Found

_ROWS: Final = 1 << 20
_WITHIN: Final = (2**62 - 1) // 1000
"""A time within so many of its unit is readable, whatever the unit."""


def channels_of(found: Found, columns: Columns, most: int) -> set[str] | None:
    """The texts of the channels ("" for none), at least one too many if there are more than ``most``; else None.

    Raises ``FilesError``.
    """
    if found.format != PARQUET or not found.is_here:
        return None
    if columns.channel is None or not all(_is_readable(path, columns) for path in found.paths):
        return None
    texts: set[str] = set()
    with ThreadPoolExecutor() as pool:
        for own in pool.map(lambda path: _channels_in(path, columns.channel or "", most), found.paths):
            texts |= own
    return texts


def _channels_in(path: str, name: str, most: int) -> set[str]:
    texts: set[str] = set()
    try:
        for values in _distinct(path, name):
            texts |= {"" if each is None else each for each in values.cast(pa.string()).to_pylist()}
            if len(texts) > most:
                break
    except (OSError, pa.ArrowException) as error:
        raise FilesError("broken", path=path, reason=str(error).split("\n")[0]) from error
    return texts


def _distinct(path: str, name: str) -> Iterator[pa.Array]:
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS, columns=[name]):
            yield pc.unique(batch.column(0))


def _is_readable(path: str, columns: Columns) -> bool:
    metadata = pq.read_metadata(path)
    schema = metadata.schema.to_arrow_schema()
    channel = columns.channel
    if channel not in schema.names or not _has_one_text(schema.field(channel).type):
        return False
    return all(name is None or _are_times(metadata, schema, name) for name in (columns.ts, columns.at))


def _has_one_text(type: pa.DataType) -> bool:
    return bool(pa.types.is_signed_integer(type) or pa.types.is_string(type))


def _are_times(metadata: pq.FileMetaData, schema: pa.Schema, name: str) -> bool:
    """Whether the file says that all of them are there, and no whole number is too large."""
    if name not in schema.names:
        return False
    type = schema.field(name).type
    is_instant = pa.types.is_timestamp(type) and type.unit in ("us", "ns")
    if not is_instant and not pa.types.is_signed_integer(type):
        return False
    place = next((each for each in range(metadata.num_columns) if metadata.schema.column(each).path == name), None)
    if place is None:
        return False
    for group in range(metadata.num_row_groups):
        said = metadata.row_group(group).column(place).statistics
        if said is None or not said.has_null_count or said.null_count:
            return False
        if is_instant:
            continue
        if not said.has_min_max or said.min < -_WITHIN or said.max > _WITHIN:
            return False
    return True
