"""The channels of local Parquet files, by what the files say of themselves: no job, and one column read.

Only where every record is readable and a channel has one text; for everything else Spark looks.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.finding import PARQUET, Found
from tidemark.spark_bridge.files.request import Columns

_ROWS: Final = 1 << 16
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
        with pq.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                texts |= _channels_of_a_group(file, group, name, most)
                if len(texts) > most:
                    break
    except (OSError, pa.ArrowException) as error:
        raise FilesError("broken", path=path, reason=str(error).split("\n")[0]) from error
    return texts


def _channels_of_a_group(file: pq.ParquetFile, group: int, name: str, most: int) -> set[str]:
    """Ends as soon as there cannot be any more: numbers are rarely far from one another, and the file says how far."""
    texts: set[str] = set()
    possible = _possible(file.metadata, group, name)
    for batch in file.iter_batches(_ROWS, row_groups=[group], columns=[name]):
        values = pc.unique(batch.column(0)).cast(pa.string()).to_pylist()
        texts |= {"" if each is None else each for each in values}
        if len(texts) > most or len(texts) == possible:
            break
    return texts


def _possible(metadata: pq.FileMetaData, group: int, name: str) -> int | None:
    """How many channels a row group can have at most, where it says so: whole numbers between two, and nothing else."""
    place = next(each for each in range(metadata.num_columns) if metadata.schema.column(each).path == name)
    said = metadata.row_group(group).column(place).statistics
    if said is None or not said.has_min_max or not said.has_null_count or said.null_count:
        return None
    is_whole = isinstance(said.min, int) and isinstance(said.max, int)
    return said.max - said.min + 1 if is_whole else None


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
