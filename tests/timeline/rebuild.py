"""The engine's visible state at a step, rebuilt from the timeline: proof that the trace leaves nothing out."""

from collections.abc import Iterator
from typing import Any

from tidemark.simulator.engine.operators import temporal_join
from tidemark.simulator.engine.operators.interval_join import BUFFERS
from tidemark.simulator.engine.values.items import Element, Key, key_of
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, Namespace, SideNamespace, TimeWindow, Window
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.ids import holder_id
from tidemark.simulator.timeline.records import DONE
from tidemark.simulator.timeline.rows import BUFFER_KIND, QUEUE_KIND, ROWS_KIND, VERSIONS_KIND
from tidemark.simulator.timeline.schema import (
    ChannelFact,
    ContentFact,
    FrameFact,
    QueueFact,
    StateFact,
    Tables,
    TimerFact,
)
from tidemark.simulator.timeline.state import MERGING_KIND

VisibleState = dict[str, Any]


def visible_state(timeline: Timeline, step: int) -> VisibleState:
    """What the engine's own ``snapshot()`` returns after ``step``, in the same shape.

    Keys are the engine's; contents kept as a list are a list, an accumulator of several numbers a tuple.
    """
    true = timeline.at(step)
    (clock,), (watermark,), (counters,) = true["clock"], true["watermark"], true["counters"]
    return {
        "clock": clock["value"],
        "watermark": watermark["value"],
        "channels": {f"{row['input']}:{row['channel']}": _channel(row) for row in true["channels"]},
        "state": _state(timeline, true),
        "timers": {domain: _timers(timeline, true["timers"], domain) for domain in ("event", "processing")},
        "counters": {name: counters[name] for name in ("records", "panes", "late", "dropped", "skipped")},
    }


def _channel(row: ChannelFact) -> dict[str, Any]:
    return {name: row[name] for name in ("watermark", "status", "aligned", "max_timestamp", "emitted")}


def _timers(timeline: Timeline, rows: list[TimerFact], domain: str) -> list[tuple[int, Key, Namespace]]:
    """In the order in which they fire."""
    waiting = [row for row in rows if row["domain"] == domain]
    waiting.sort(key=lambda row: (row["timestamp"], row["order"]))
    return [(row["timestamp"], key_of(row["key"]), _namespace(timeline, row)) for row in waiting]


def _state(timeline: Timeline, true: Tables) -> dict[str, dict[Any, Any]]:
    """By state name and (key, namespace)."""
    lists: dict[str, list[ContentFact]] = {}
    for content in true["contents"]:
        lists.setdefault(content["holder"], []).append(content)
    state: dict[str, dict[Any, Any]] = {}
    for row in true["state"]:
        key = key_of(row["key"])
        table = state.setdefault(row["state"], {})
        if row["kind"] == MERGING_KIND:
            windows = table.setdefault((key, None), {})
            windows[_namespace(timeline, row)] = TimeWindow(*row["value"])
        elif row["kind"] in (QUEUE_KIND, BUFFER_KIND, ROWS_KIND, VERSIONS_KIND):
            table[key, None] = []
        elif row["value"] is None:
            namespace = _namespace(timeline, row)
            assert isinstance(namespace, Window)
            held = sorted(lists[holder_id(key, namespace)], key=lambda each: each["order"])
            table[key, namespace] = [_kept(timeline, each) for each in held]
        else:
            value = row["value"]
            table[key, _namespace(timeline, row)] = tuple(value) if isinstance(value, list) else value
    for name, rows in _rows_in_order(timeline, true):
        for each in rows:
            state[name][key_of(each["key"]), None].append((each["ts"], each["value"]))
    for version in sorted(true["versions"], key=lambda each: each["ts"]):
        kept = (version["ts"], version["value"], version["op"])
        state[temporal_join.VERSIONS][key_of(version["key"]), None].append(kept)
    for buffered in sorted(true["buffers"], key=lambda each: (each["ts"], each["order"])):
        element = Element(buffered["ts"], buffered["value"], buffered["side"])
        state[BUFFERS[buffered["side"]]][key_of(buffered["key"]), None].append(element)
    return state


def _rows_in_order(timeline: Timeline, true: Tables) -> Iterator[tuple[str, list[QueueFact | FrameFact]]]:
    """The state that holds the rows that wait, and those of a frame, in the order in which it holds them."""
    operator = timeline.scenario.operator
    if operator.rows_state is not None:
        rows: list[QueueFact | FrameFact] = [*true["queue"], *true["frames"]]
        by_time = operator.rows_in_order_of_time
        yield operator.rows_state, sorted(rows, key=lambda row: (row["ts"] if by_time else 0, row["order"]))


def _kept(timeline: Timeline, row: ContentFact) -> Any:
    """What the state keeps of a record in a list."""
    if timeline.scenario.operator.keeps_elements:
        return Element(row["ts"], row["value"], row["input"])
    return row["value"]


def _namespace(timeline: Timeline, row: TimerFact | StateFact) -> Namespace:
    if (side := row.get("side")) is not None:
        return SideNamespace(str(side))
    if row["start"] is None or row["end"] is None:
        return GLOBAL_WINDOW if timeline.scenario.operator.keeps_windows else None
    return TimeWindow(row["start"], row["end"])


def visible_batches(timeline: Timeline, step: int) -> dict[str, Any]:
    """What ``MicroBatches.snapshot()`` returns after ``step``, the last of a batch, in the same shape."""
    true = timeline.at(step)
    (watermark,) = true["watermark"]
    done = [row for row in true["batches"] if row["status"] == DONE]
    last = done[-1] if done else {"watermark": 0, "state_rows": 0}
    state: dict[str, dict[Any, Any]] = {}
    for row in true["state"]:
        table = state.setdefault(row["state"], {})
        if row["kind"] == BUFFER_KIND:
            table[key_of(row["key"]), None] = []
        else:
            value = row["value"]
            assert row["start"] is not None
            assert row["end"] is not None
            window = TimeWindow(row["start"], row["end"])
            table[key_of(row["key"]), window] = tuple(value) if isinstance(value, list) else value
    for buffered in sorted(true["buffers"], key=lambda each: each["order"]):
        state[buffered["side"]][key_of(buffered["key"]), None].append((buffered["ts"], buffered["value"]))
    return {
        "watermark": watermark["value"],
        "late_watermark": last["watermark"],
        "inputs": {
            row["input"]: (row["watermark"], row["max_timestamp"])
            for row in true["channels"]
            if row["watermark"] is not None
        },
        "state": state,
        "state_rows": last["state_rows"],
        "batches": len(done),
    }
