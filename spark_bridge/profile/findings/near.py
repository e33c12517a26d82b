"""A number for each record that is equal where timestamp, key and value are, the same in every task.

The records that the findings look at: tasks choose them, stretch by stretch, and the driver puts them in order.

Of a stream of moderate length these are all. Of a longer one they are whole stretches, chosen by a hash, and from each
of the others the record with the largest timestamp, which may be one of the future.
"""

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.counts.feed import Feed
from tidemark.spark_bridge.profile.findings.defects import mixed
from tidemark.spark_bridge.profile.findings.records import Records, different
from tidemark.spark_bridge.watermarks.behind import Longs, Name, Parts, Piece


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


STRETCH: Final = 1024
"""So many records that follow one another are looked at or left out together."""

_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)


class Taken(NamedTuple):
    """Records that a task has chosen; ``places`` are their numbers in the part. Columns as in ``Piece``."""

    part: Name
    places: Longs
    timestamps: Longs
    channels: Longs
    ats: Longs | None
    keys: pa.Array | None
    values: pa.Array | None


class Far(NamedTuple):
    """The identities of some records with their ``timestamps``, of which all records with the same ones are among them.

    ``is_crowd``: they were chosen by their identities, because too many records share a timestamp.
    """

    is_crowd: bool
    timestamps: Longs
    identities: Longs


@dataclass(frozen=True)
class Near:
    """Chosen ``records``, in order, with their numbers in the stream.

    ``keys``: the text of each number in the column of keys, by place. ``far``: numbers of ts, key and value of all
    records with some timestamps; None where so few timestamps are in use that some of them do not stand for all.
    ``every``: of so many stretches one was chosen as a whole.
    """

    records: Records
    keys: list[str]
    far: Longs | None
    every: int


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns a stream has beside its timestamps."""

    key: bool
    value: bool
    channel: bool


def sampling(records: int, most: int) -> tuple[int, int]:
    """Of how many stretches one is looked at, so that these are at most ``most`` records, about; and of how many
    timestamps one is for ``Near.far``, 0 for none."""
    every = max(1, -(-records // most))
    return every, every * 2 if every > 1 else 0


def near(feed: Feed, parts: Parts, columns: Columns, most: int) -> Near:
    """One of some stretches whole and the largest timestamp of each of the others; all records if they are ``most``."""
    every, far = sampling(sum(parts.records), most)

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        for taken in chosen(pieces, every, far):
            yield ([pickle.dumps(taken)],)

    rows = feed.mapped(work, {"taken": "binary"}, keys=columns.key, values=columns.value).collect()
    return put_together((pickle.loads(row[0]) for row in rows), parts, columns, every)


def put_together(taken: Iterable[Taken | Far], parts: Parts, columns: Columns, every: int) -> Near:
    """What the tasks have chosen, in any order: one of ``every`` stretches."""
    far, found = list[Far](), list[Taken]()
    for each in taken:
        if isinstance(each, Far):
            far.append(each)
        else:
            found.append(each)
    found.sort(key=lambda each: (each.part, int(each.places[0])))
    key, keys = _coded([each.keys for each in found]) if columns.key else (None, [])
    value = _coded([each.values for each in found])[0] if columns.value else None
    has_arrivals = bool(found) and found[0].ats is not None
    records = Records(
        _joined([each.places + parts.starts[each.part] for each in found]),
        _joined([each.timestamps for each in found]),
        _joined([each.ats for each in found if each.ats is not None]) if has_arrivals else None,
        _joined([each.channels for each in found]) if columns.channel else None,
        key,
        value,
    )
    return Near(records, keys, _identities(far), every)


def _joined(columns: Sequence[Longs]) -> Longs:
    return np.concatenate([*columns, np.zeros(0, np.int64)])


def _identities(far: Sequence[Far]) -> Longs | None:
    crowds = [each for each in far if each.is_crowd]
    if not crowds and different(_joined([each.timestamps for each in far])) < STRETCH:
        return None
    return _joined([each.identities for each in crowds or far])


def _coded(columns: Sequence[pa.Array | None]) -> tuple[Longs, list[str]]:
    """A number for each text, and the texts by number; nothing at all is the empty text."""
    texts = [each for each in columns if each is not None]
    if not texts:
        return np.zeros(0, np.int64), []
    found = pa.concat_arrays(texts).fill_null("").dictionary_encode()
    return found.indices.to_numpy().astype(np.int64), found.dictionary.to_pylist()


def chosen(pieces: Iterable[Piece], every: int, far: int) -> Iterator[Taken | Far]:
    """What a task takes of its pieces, see ``sampling``."""
    places: dict[Name, int] = {}  # how many records of each part came before
    for piece in pieces:
        if not len(piece.timestamps):
            continue
        place = places.get(piece.part, 0)
        places[piece.part] = place + len(piece.timestamps)
        yield _taken(near_rows(piece.timestamps, piece.part, place, every), place, piece)
        if far:
            least = np.uint64(2**64 // far)
            rows = np.flatnonzero(piece.timestamps.view(np.uint64) * _SPREAD < least)
            if is_crowd := len(rows) > STRETCH + 8 * len(piece.timestamps) // far:
                rows = np.flatnonzero(identities(piece).view(np.uint64) < least)
            keys, values = (_at(column, rows) for column in (piece.keys, piece.values))
            own = piece._replace(timestamps=piece.timestamps[rows], keys=keys, values=values)
            yield Far(is_crowd, own.timestamps, identities(own))


def _taken(rows: Longs, place: int, piece: Piece) -> Taken:
    keys, values = (_at(column, rows) for column in (piece.keys, piece.values))
    ats = None if piece.ats is None else piece.ats[rows]
    channels = piece.channels[rows].astype(np.int64)
    return Taken(piece.part, rows + place, piece.timestamps[rows], channels, ats, keys, values)


def _at(column: pa.ChunkedArray | None, rows: Longs) -> pa.Array | None:
    """The texts at these ``rows``."""
    if column is None:
        return None
    found = column.take(pa.array(rows)).cast(pa.string())
    return pa.concat_arrays(found.chunks) if found.chunks else pa.array([], pa.string())


def near_rows(timestamps: Longs, part: Name, place: int, every: int) -> Longs:
    """Which of some records in a row are looked at; the first one is number ``place`` of its part."""
    if every == 1:
        return np.arange(len(timestamps))
    places = np.arange(0, len(timestamps), STRETCH)
    salt = np.uint64(hash(part) % 2**63)
    whole = mixed((places + place).astype(np.uint64) ^ mixed(np.array([salt]))) % np.uint64(every) == 0
    taken = np.repeat(whole, STRETCH)[: len(timestamps)]
    full = len(timestamps) // STRETCH
    highest = places[:full] + timestamps[: full * STRETCH].reshape(full, STRETCH).argmax(axis=1)
    taken[highest] = True
    if full < len(places):
        taken[places[full] + timestamps[places[full] :].argmax()] = True
    return np.flatnonzero(taken)
