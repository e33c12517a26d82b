"""A number for each record that is equal where timestamp, key and value are, the same in every task."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.behind import Longs
from tidemark.spark_bridge.profile.findings.copies import mixed
from tidemark.spark_bridge.profile.parts import Piece


def identities(piece: Piece) -> Longs:
    """Numbers that are equal for equal timestamp, key and value; others differ, but for 2^-64."""
    found = mixed(piece.timestamps.view(np.uint64))
    for column in (piece.keys, piece.values):
        if column is not None:
            found = mixed(found ^ _numbers(column))
    return found.view(np.int64)


def _numbers(column: pa.Array | pa.ChunkedArray) -> NDArray[np.uint64]:
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_integer(column.type) and not column.null_count:
        return mixed(column.cast(pa.int64()).to_numpy().view(np.uint64))
    texts = column.cast(pa.string()).fill_null("")
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = np.frombuffer(texts.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]].astype(np.uint64)
    offsets -= offsets[0]
    lengths = np.diff(offsets)
    places = np.arange(len(data)) - np.repeat(offsets[:-1], lengths)
    letters = mixed(data + (places.astype(np.uint64) << np.uint64(8)))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(letters, dtype=np.uint64)])
    return mixed(sums[offsets[1:]] - sums[offsets[:-1]] + lengths.astype(np.uint64))
