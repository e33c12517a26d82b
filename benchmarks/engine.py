"""The engine compared with a minimal Python loop that emits the same rows.

The loops come first: a dict and a heap, no abstraction. Each is hard-wired to its case (sizes, bound, whether records
can be late) and can do nothing else; that makes it the yardstick. A test compares its rows with the engine's.
"""

import time
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from heapq import heappop, heappush
from itertools import chain, pairwise
from typing import Any

from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Item, Record
from tidemark.simulator.resting import COLLECTOR_AT_REST
from tidemark.simulator.scenario import builder, model
from tidemark.simulator.scenario.stream import items

Sink = Callable[[dict[str, Any]], None]
Stream = Iterable[Any]

RECORD: Any = Record
"""Untyped: the loops rely on every record having a timestamp and an arrival, which a ``Record`` may lack."""

MAX = 2**63 - 1
NONE_YET = -(2**63)
BOUND = 1_000


def tumbling(stream: Stream, sink: Sink) -> None:
    """Sum per key in windows of 5 s."""
    _time_windows(stream, sink, 5_000, 5_000)


def sliding(stream: Stream, sink: Sink) -> None:
    """Sum per key in windows of 10 s every 2 s."""
    _time_windows(stream, sink, 10_000, 2_000)


def _time_windows(stream: Stream, sink: Sink, size: int, slide: int) -> None:
    sums: dict[tuple[Any, int], int] = {}
    timers: list[tuple[int, int, Any, int]] = []
    newest, watermark, now, registered = NONE_YET, NONE_YET, 0, 0
    for index, item in enumerate(stream):
        if type(item) is RECORD:
            key, ts, value, _, _, at, _op = item
            now = at
            start = ts - ts % slide
            while start > ts - size:
                entry = (key, start)
                if entry in sums:
                    sums[entry] += value
                else:
                    sums[entry] = value
                    registered += 1
                    heappush(timers, (start + size - 1, registered, key, start))
                start -= slide
            if ts <= newest:
                continue
            newest = ts
            watermark = newest - BOUND - 1
        else:
            watermark = MAX
        while timers and timers[0][0] <= watermark:
            timer, _, key, start = heappop(timers)
            sink(_pane(key, start, timer + 1, "on-time", 0, sums.pop((key, start)), watermark, now, index))
        sink({"row": "watermark", "ts": watermark, "at": now, "item": index})


def session(stream: Stream, sink: Sink) -> None:
    """Sum per key in sessions of 500 ms; records come in order, so only the last session of a key can grow."""
    gap = 500
    last_session: dict[Any, list[int]] = {}
    timers: list[tuple[int, int, Any, list[int]]] = []
    watermark, now, registered = NONE_YET, 0, 0
    for index, item in enumerate(stream):
        if type(item) is RECORD:
            key, ts, value, _, _, at, _op = item
            now = at
            registered += 1
            known = last_session.get(key)
            if known is not None and ts <= known[1]:
                known[1] = ts + gap
                known[2] += value
                known[3] = registered
            else:
                known = last_session[key] = [ts, ts + gap, value, registered]
            heappush(timers, (ts + gap - 1, registered, key, known))
            watermark = ts - BOUND - 1
        else:
            watermark = MAX
        while timers and timers[0][0] <= watermark:
            _, number, key, (start, end, total, newest) = heappop(timers)
            if newest == number:
                sink(_pane(key, start, end, "on-time", 0, total, watermark, now, index))
        sink({"row": "watermark", "ts": watermark, "at": now, "item": index})


def count(stream: Stream, sink: Sink) -> None:
    """Sum of every ten records per key."""
    held: dict[Any, tuple[int, int]] = {}
    panes: dict[Any, int] = {}
    watermark, now = NONE_YET, 0
    for index, item in enumerate(stream):
        if type(item) is RECORD:
            key, ts, value, _, _, at, _op = item
            now = at
            total, number = held.get(key, (0, 0))
            if number == 9:
                held[key] = (0, 0)
                pane = panes.get(key, 0)
                panes[key] = pane + 1
                row = _pane(key, None, None, "early", pane, total + value, watermark, now, index)
                row["timestamp"] = MAX
                sink(row)
            else:
                held[key] = (total + value, number + 1)
            watermark = ts - BOUND - 1
        else:
            watermark = MAX
        sink({"row": "watermark", "ts": watermark, "at": now, "item": index})


def sql_late(stream: Stream, sink: Sink) -> None:
    """Sum per key in windows of 5 s that keep their state 2 s for late rows, each of which emits a new result."""
    size, lateness = 5_000, 2_000
    windows: dict[tuple[Any, int], list[Any]] = {}
    timers: list[tuple[int, int, Any, int]] = []
    newest, watermark, now, registered = NONE_YET, NONE_YET, 0, 0
    for index, item in enumerate(stream):
        if type(item) is RECORD:
            key, ts, value, _, _, at, _op = item
            now = at
            start = ts - ts % size
            end = start + size
            if max(0, end - 1 + lateness) <= watermark:
                row = {"row": "dropped", "input": "events", "key": key, "ts": ts, "value": value}
                sink(row | {"watermark": watermark, "at": now, "item": index})
            else:
                window = windows.get((key, start))
                if window is None:
                    window = windows[key, start] = [0, 0]
                    registered += 1
                    if end - 1 > watermark:
                        heappush(timers, (end - 1, registered, key, start))
                    registered += 1
                    heappush(timers, (end - 1 + lateness, registered, key, start))
                window[0] += value
                if end - 1 <= watermark:
                    timing = "late" if window[1] else "on-time"
                    sink(_pane(key, start, end, timing, window[1], window[0], watermark, now, index))
                    window[1] += 1
            if ts <= newest:
                continue
            newest = ts
            watermark = newest - BOUND - 1
        else:
            watermark = MAX
        while timers and timers[0][0] <= watermark:
            timer, _, key, start = heappop(timers)
            window = windows[key, start]
            if timer == start + size - 1:
                sink(_pane(key, start, timer + 1, "on-time", 0, window[0], watermark, now, index))
                window[1] = 1
            else:
                del windows[key, start]
        sink({"row": "watermark", "ts": watermark, "at": now, "item": index})


def interval_join(stream: Stream, sink: Sink) -> None:
    """Pairs of left and right at most 400 ms apart."""
    reach = 400
    buffers: dict[str, dict[Any, list[tuple[int, int, Any]]]] = {"left": {}, "right": {}}
    timers: list[tuple[int, int, str, Any, int]] = []
    newest = {"left": NONE_YET, "right": NONE_YET}
    watermark, now = NONE_YET, 0
    for index, item in enumerate(stream):
        if type(item) is RECORD:
            key, ts, value, side, _, at, _op = item
            now = at
            insort(buffers[side].setdefault(key, []), (ts, index, value))
            others = buffers["right" if side == "left" else "left"].get(key, [])
            own = {"ts": ts, "value": value}
            for other_ts, _, other_value in others[
                bisect_left(others, (ts - reach,)) : bisect_right(others, (ts + reach, MAX))
            ]:
                other = {"ts": other_ts, "value": other_value}
                left, right = (own, other) if side == "left" else (other, own)
                row = {"row": "joined", "key": key, "left": left, "right": right, "timestamp": max(ts, other_ts)}
                row |= {"start": None, "end": None, "at": now, "item": index}
                row["watermark"] = None if watermark == NONE_YET else watermark
                sink(row)
            heappush(timers, (ts + reach, index, side, key, ts))
            newest[side] = ts - BOUND - 1
            lowest = min(newest.values())
            if lowest <= watermark:
                continue
            watermark = lowest
        else:
            lowest = newest["right"]  # the left input ends first
            if lowest > watermark:
                sink({"row": "watermark", "ts": lowest, "at": now, "item": index})
            watermark = MAX
        while timers and timers[0][0] <= watermark:
            _, _, side, key, ts = heappop(timers)
            buffer = buffers[side][key]
            if buffer and buffer[0][0] == ts:
                buffer.pop(0)
        sink({"row": "watermark", "ts": watermark, "at": now, "item": index})


def _pane(
    key: Any,
    start: int | None,
    end: int | None,
    timing: str,
    number: int,
    value: int,
    watermark: int,
    now: int,
    index: int,
) -> dict[str, Any]:
    return {
        "row": "pane",
        "key": key,
        "start": start,
        "end": end,
        "timing": timing,
        "pane": number,
        "value": value,
        "timestamp": MAX if end is None else end - 1,
        "watermark": None if watermark == NONE_YET else watermark,
        "at": now,
        "item": index,
    }


LEAST_LOOPS: dict[str, Callable[[Stream, Sink], None]] = {
    "tumbling": tumbling,
    "sliding": sliding,
    "session": session,
    "count": count,
    "sql-late": sql_late,
    "interval-join": interval_join,
}


EVERY = 2
KEYS = 100
SUM = model.Function("aggregate", "sum")

OPERATORS: dict[str, model.Operator] = {
    "tumbling": model.Window(model.Tumbling(5_000), model.EventTimeTrigger(), SUM),
    "sliding": model.Window(model.Sliding(10_000, 2_000), model.EventTimeTrigger(), SUM),
    "session": model.Window(model.Session(500), model.EventTimeTrigger(), SUM),
    "count": model.Window(model.Global(), model.PurgingTrigger(model.CountTrigger(10)), SUM),
    "sql-late": model.Window(model.Tumbling(5_000), model.AfterEndOfWindow(), SUM, api="sql", allowed_lateness=2_000),
    "interval-join": model.IntervalJoin(-400, 400),
}

TURNS = 5
STRETCH = 20_000
"""Records; what a stretch takes is measured on its own."""

TRACED_RECORDS = 20_000
"""The number of records in a traced run: fewer, because a trace stays in memory."""


def scenario_of(case: str, records: int) -> model.Scenario:
    """The case's scenario: records nearly in order, with a watermark after each."""
    joins = case == "interval-join"
    names = ("left", "right") if joins else ("events",)
    watermark = model.BoundedOutOfOrderness(BOUND)
    disorder = 3_000 if case == "sql-late" else 0
    stream = model.Generated(records, 7, KEYS, EVERY, disorder=disorder, end=True)
    inputs = tuple(model.InputSpec(name, 1, watermark) for name in names)
    return model.Scenario(case, OPERATORS[case], stream, inputs)


def measure(records: int, cases: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """A result for each case, without and with a trace; loop and engine take turns.

    ``of_untraced`` compares a traced run with one of the same records without a trace.
    """
    for case in cases or OPERATORS:
        for traced in (False, True):
            count = min(records, TRACED_RECORDS) if traced else records
            scenario = scenario_of(case, count)
            stream = list(items(scenario))
            untraced = partial(_engine, scenario, False)
            runs = (partial(_engine, scenario, True), untraced) if traced else (untraced,)
            least, engine, *others = _seconds(stream, partial(_least, case), *runs)
            result = {
                "case": case,
                "traced": traced,
                "records_per_s": round(count / engine),
                "least_loop_per_s": round(count / least),
                "ratio": round(least / engine, 3),
            }
            yield result | {"of_untraced": round(others[0] / engine, 3)} if traced else result


def _seconds(stream: list[Item], *runs: Callable[[Iterable[Item]], None]) -> list[float]:
    """Seconds of processor time for each of ``runs``, which take turns.

    A machine is seldom undisturbed for a whole run, and a longer run is disturbed more. So each stretch of the stream
    counts as in the best of its turns.
    """
    best = [[float("inf")] * -(-len(stream) // STRETCH) for _ in runs]
    for _ in range(TURNS):
        for place, run in enumerate(runs):
            best[place] = list(map(min, best[place], _stretches(stream, run)))
    return list(map(sum, best))


def _stretches(stream: list[Item], run: Callable[[Iterable[Item]], None]) -> list[float]:
    """Seconds for each stretch of one run; what comes before the first counts with it, and the end with the last."""
    marks = [time.process_time()]

    def stretches() -> Iterator[list[Item]]:
        for begin in range(0, len(stream), STRETCH):
            if begin:
                marks.append(time.process_time())
            yield stream[begin : begin + STRETCH]

    run(chain.from_iterable(stretches()))
    marks.append(time.process_time())
    return [after - before for before, after in pairwise(marks)]


def _engine(scenario: model.Scenario, traced: bool, stream: Iterable[Item]) -> None:
    with COLLECTOR_AT_REST if traced else nullcontext():  # as ``simulator.run``, which makes the stream as well
        Pipeline(builder.plan(scenario), _ignore, Trace() if traced else None).run(stream)


def _least(case: str, stream: Iterable[Item]) -> None:
    LEAST_LOOPS[case](stream, _ignore)


def _ignore(row: Mapping[str, Any]) -> None:
    """A sink for rows that nobody reads."""
