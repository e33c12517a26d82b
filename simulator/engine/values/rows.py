"""Output rows: every kind of row once, as ``python -m simulator run`` prints it, each with the one constructor for it.

The engine, the Spark dialect and the timeline all make their rows here, so a row of the timeline equals the one that
was printed, member by member and in the same order. The Spark bridge makes its own: it must not copy our mistakes.

A row is a plain ``dict``. Rows of Flink's rules end with the moment at which they were emitted: the operator's
``watermark``, the clock ``at`` and the stream ``item``. Rows of Spark's rules end with their micro-batch.
"""

import json
from math import isfinite
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from tidemark.simulator.engine.values.items import Key, PlainKey, plain_key
from tidemark.simulator.engine.values.part import ItemNumber, Json, Time
from tidemark.simulator.engine.values.window import TimeWindow, Window

Timing = Literal["early", "on-time", "late"]
Change = Literal["+I", "-U", "+U"]


class PairedRecord(TypedDict):
    """One record of a pair."""

    ts: Annotated[Time | None, "its timestamp; null where processing time gives none"]
    value: Json


class Moment(TypedDict):
    """When a row of Flink's rules was emitted."""

    watermark: Annotated[Time | None, "the operator's own watermark, null before the first one"]
    at: Annotated[Time, "the processing-time clock"]
    item: Annotated[ItemNumber, "the stream item that was being worked on"]


class Bounds(TypedDict):
    """Of a window."""

    start: Annotated[Time | None, "the window's first instant; null for the global window, and where there is none"]
    end: Annotated[Time | None, "the first instant after the window; null where `start` is"]


class PaneRow(Bounds, Moment):
    """The result of a window, given when its trigger fires."""

    row: Literal["pane"]
    key: PlainKey
    timing: Annotated[Timing, "before, at or after the end of the window"]
    pane: Annotated[int, "which of the window's firings it is, from 0"]
    value: Annotated[Json, "the result of the function"]
    timestamp: Annotated[Time, "the result record's own: end - 1"]
    change: NotRequired[Annotated[Change, "with `updates: true` alone: a new result, one taken back, or its successor"]]


class JoinedRow(Bounds, Moment):
    """A pair of a window join, an interval join or a temporal join."""

    row: Literal["joined"]
    key: PlainKey
    left: PairedRecord
    right: Annotated[PairedRecord | None, "null in a left temporal join alone: there was no version"]
    timestamp: Annotated[
        Time,
        "end - 1 of the window; in an interval join the larger timestamp of the two, in a temporal join the left one",
    ]


class GroupRow(Bounds, Moment):
    """Both sides of a window, as a coGroup function sees them."""

    row: Literal["group"]
    key: PlainKey
    left: Annotated[list[Json], "the values of the left side, in order of arrival"]
    right: Annotated[list[Json], "the values of the right side, in order of arrival"]
    timestamp: Annotated[Time, "the result record's own: end - 1"]


class EmittedRow(Moment):
    """A record that the event sort or a deduplication let go, or one with the aggregate of its OVER frame."""

    row: Literal["emitted"]
    key: PlainKey
    ts: Annotated[Time, "the record's own timestamp"]
    value: Annotated[Json, "the record's own value; of OVER the aggregate"]
    own: NotRequired[Annotated[Json, "of OVER alone: the record's own value"]]
    change: NotRequired[Annotated[Change, "of a deduplication alone: a row, one taken back, or its successor"]]


class RankedRow(Moment):
    """A row that is among the first of its window, given when the window ends."""

    row: Literal["ranked"]
    key: PlainKey
    start: Annotated[Time, "the window's first instant"]
    end: Annotated[Time, "the first instant after the window"]
    rank: Annotated[int, "its place in the window's order, from 1"]
    ts: Annotated[Time, "the record's own timestamp"]
    value: Json


class LostRow(Moment):
    """A late record: sent to the side output (`late`), or dropped and counted (`dropped`)."""

    row: Literal["late", "dropped"]
    input: Annotated[str, "the name of the input that it came in by"]
    key: PlainKey
    ts: Annotated[Time, "the record's own timestamp"]
    value: Json
    start: NotRequired[Annotated[Time, "with `window-top-n` alone: the window that the record is too late for"]]
    end: NotRequired[Annotated[Time, "with `window-top-n` alone: the first instant after that window"]]


class WatermarkRow(TypedDict):
    """The operator's combined watermark moved and was forwarded, after all rows that it fired."""

    row: Literal["watermark"]
    ts: Annotated[Time, "the new watermark"]
    at: Annotated[Time, "the processing-time clock"]
    item: ItemNumber


class ErrorRow(TypedDict):
    """The operator failed, as the engine would; nothing comes after it."""

    row: Literal["error"]
    type: Annotated[str, "the simple name of the Java exception"]
    message: str
    item: ItemNumber


class BatchMoment(TypedDict):
    """The micro-batch that a row of Spark's rules belongs to."""

    batch: Annotated[int, "the number of the micro-batch, from 0"]
    watermark: Annotated[Time, "the watermark that this batch evicts by, 0 before the first one"]


class BatchPaneRow(BatchMoment):
    """The result of a window, given by a micro-batch."""

    row: Literal["pane"]
    key: PlainKey
    start: Annotated[Time, "the window's first instant"]
    end: Annotated[Time, "the first instant after the window"]
    value: Annotated[Json, "the result of the function"]


class BatchJoinedRow(BatchMoment):
    """A pair of a stream join."""

    row: Literal["joined"]
    key: PlainKey
    left: PairedRecord
    right: PairedRecord


class BatchDroppedRow(Bounds, BatchMoment):
    """A record that the late filter took out of a window, or, in a join, out of the batch."""

    row: Literal["dropped"]
    input: Annotated[str, "the name of the input that it came in by"]
    key: PlainKey
    ts: Annotated[Time, "the record's own timestamp"]
    value: Json


class BatchRow(BatchMoment):
    """The figures of a micro-batch; the last row of its batch."""

    row: Literal["batch"]
    late_watermark: Annotated[Time, "the watermark that this batch filters by: the one of the batch before"]
    rows_in: Annotated[int, "how many records it read"]
    rows_out: Annotated[int, "how many `pane` or `joined` rows it gave"]
    state_rows: Annotated[int, "how many keyed entries it left in state"]


FlinkRow = PaneRow | JoinedRow | GroupRow | EmittedRow | RankedRow | LostRow | WatermarkRow | ErrorRow
SparkRow = BatchPaneRow | BatchJoinedRow | BatchDroppedRow | BatchRow | ErrorRow
Row = FlinkRow | SparkRow


def pane_row(
    key: Key,
    window: Window,
    timing: Timing,
    pane: int,
    value: Json,
    change: Change | None,
    watermark: int | None,
    at: int,
    item: int,
) -> PaneRow:
    """A ``pane`` row; with ``change`` one of a stream of updates."""
    if change is None:
        return {
            "row": "pane",
            "key": plain_key(key),
            "start": window.start,
            "end": window.end,
            "timing": timing,
            "pane": pane,
            "value": value,
            "timestamp": window.row_timestamp,
            "watermark": watermark,
            "at": at,
            "item": item,
        }
    return {
        "row": "pane",
        "key": plain_key(key),
        "start": window.start,
        "end": window.end,
        "timing": timing,
        "pane": pane,
        "value": value,
        "timestamp": window.row_timestamp,
        "change": change,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def paired_record(ts: int | None, value: Json) -> PairedRecord:
    """One record of a pair."""
    return {"ts": ts, "value": value}


def joined_row(
    key: Key,
    left: PairedRecord,
    right: PairedRecord | None,
    timestamp: int,
    window: Window | None,
    watermark: int | None,
    at: int,
    item: int,
) -> JoinedRow:
    """A ``joined`` row; ``window`` is None in an interval and a temporal join, ``right`` where there was no version."""
    return {
        "row": "joined",
        "key": plain_key(key),
        "left": left,
        "right": right,
        "timestamp": timestamp,
        "start": None if window is None else window.start,
        "end": None if window is None else window.end,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def group_row(
    key: Key, left: list[Json], right: list[Json], window: Window, watermark: int | None, at: int, item: int
) -> GroupRow:
    """A ``group`` row."""
    return {
        "row": "group",
        "key": plain_key(key),
        "left": left,
        "right": right,
        "start": window.start,
        "end": window.end,
        "timestamp": window.max_timestamp,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def emitted_row(key: Key, ts: int, value: Json, watermark: int | None, at: int, item: int) -> EmittedRow:
    """An ``emitted`` row."""
    return {
        "row": "emitted",
        "key": plain_key(key),
        "ts": ts,
        "value": value,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def lost_row(
    kind: Literal["late", "dropped"],
    input: str,
    key: Key,
    ts: int,
    value: Json,
    watermark: int | None,
    at: int,
    item: int,
    window: TimeWindow | None = None,
) -> LostRow:
    """A ``late`` or ``dropped`` row; with ``window`` for a record that one window alone refuses."""
    if window is not None:
        return {
            "row": kind,
            "input": input,
            "key": plain_key(key),
            "ts": ts,
            "value": value,
            "start": window.start,
            "end": window.end,
            "watermark": watermark,
            "at": at,
            "item": item,
        }
    return {
        "row": kind,
        "input": input,
        "key": plain_key(key),
        "ts": ts,
        "value": value,
        "watermark": watermark,
        "at": at,
        "item": item,
    }


def watermark_row(ts: int, at: int, item: int) -> WatermarkRow:
    """A ``watermark`` row."""
    return {"row": "watermark", "ts": ts, "at": at, "item": item}


def error_row(type: str, message: str, item: int) -> ErrorRow:
    """An ``error`` row."""
    return {"row": "error", "type": type, "message": message, "item": item}


def batch_pane_row(key: Key, window: TimeWindow, value: Json, batch: int, watermark: int) -> BatchPaneRow:
    """A ``pane`` row of Spark's rules."""
    return {
        "row": "pane",
        "key": plain_key(key),
        "start": window.start,
        "end": window.end,
        "value": value,
        "batch": batch,
        "watermark": watermark,
    }


def batch_joined_row(key: Key, left: PairedRecord, right: PairedRecord, batch: int, watermark: int) -> BatchJoinedRow:
    """A ``joined`` row of Spark's rules."""
    return {
        "row": "joined",
        "key": plain_key(key),
        "left": left,
        "right": right,
        "batch": batch,
        "watermark": watermark,
    }


def batch_dropped_row(
    input: str, key: Key, ts: int, value: Json, window: TimeWindow | None, batch: int, watermark: int
) -> BatchDroppedRow:
    """A ``dropped`` row of Spark's rules; ``window`` is None in a join."""
    return {
        "row": "dropped",
        "input": input,
        "key": plain_key(key),
        "ts": ts,
        "value": value,
        "start": None if window is None else window.start,
        "end": None if window is None else window.end,
        "batch": batch,
        "watermark": watermark,
    }


def batch_row(
    batch: int, watermark: int, late_watermark: int, rows_in: int, rows_out: int, state_rows: int
) -> BatchRow:
    """A ``batch`` row."""
    return {
        "row": "batch",
        "batch": batch,
        "watermark": watermark,
        "late_watermark": late_watermark,
        "rows_in": rows_in,
        "rows_out": rows_out,
        "state_rows": state_rows,
    }


# Output rows of SQL's operators: the constructors for OVER, deduplication and Top-N; the types are in ``rows.py``.


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


# JSON that any reader accepts, also for doubles that JSON has no number for.


def json_text(value: Any, **options: Any) -> str:
    """``value`` as JSON; ``options`` are those of ``json.dumps``.

    Infinite doubles and NaN become the texts "Infinity", "-Infinity" and "NaN", as Jackson writes them.
    """
    try:
        return json.dumps(value, allow_nan=False, **options)
    except ValueError:
        return json.dumps(_as_texts(value), allow_nan=False, **options)


def _as_texts(value: Any) -> Any:
    match value:
        case float() if not isfinite(value):
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        case dict():
            return {name: _as_texts(each) for name, each in value.items()}
        case list() | tuple():
            return [_as_texts(each) for each in value]
        case _:
            return value
