"""Output rows of SQL's operators: the constructors for OVER, deduplication and Top-N; the types are in ``rows.py``."""

from tidemark.simulator.values.key import Key, plain_key
from tidemark.simulator.values.meaning import Json
from tidemark.simulator.values.rows import Change, EmittedRow, RankedRow
from tidemark.simulator.values.window import TimeWindow


def over_row(key: Key, ts: int, value: Json, own: Json, watermark: int | None, at: int, item: int) -> EmittedRow:
    """An ``emitted`` row of an OVER aggregation."""
    return {
        "row": "emitted",
        "key": plain_key(key),
        "ts": ts,
        "value": value,
        "own": own,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def deduplicated_row(
    key: Key, ts: int, value: Json, change: Change, watermark: int | None, at: int, item: int
) -> EmittedRow:
    """An ``emitted`` row of a deduplication."""
    return {
        "row": "emitted",
        "key": plain_key(key),
        "ts": ts,
        "value": value,
        "change": change,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def ranked_row(
    key: Key, window: TimeWindow, rank: int, ts: int, value: Json, watermark: int | None, at: int, item: int
) -> RankedRow:
    """A ``ranked`` row."""
    return {
        "row": "ranked",
        "key": plain_key(key),
        "start": window.start,
        "end": window.end,
        "rank": rank,
        "ts": ts,
        "value": value,
        "watermark": watermark,
        "at": at,
        "item": item,
    }
