"""The rows of each micro-batch: both sides compared, each batch as a multiset; and faults planted in Spark's.

Spark's are made from its reports. A batch is a list of rows as the contract writes them, except for late records. Spark
only counts these, once for each key and window of a batch (in a join each of them), so on both sides one row holds
their number: {row, batch, watermark, counted}.

What the contract calls equal is equal: 3 and 3.0, and a double and another number within a relative 1e-9.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import groupby, zip_longest
from math import isclose
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.scenario.model import InputSpec, Scenario
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.plan.operators import one_more
from tidemark.spark_bridge.results.canonical import key_text, value_of
from tidemark.spark_bridge.results.report import Difference, pair_up

Row = dict[str, Any]

_TIME: Final = re.compile(r"\+?(\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.(\d{3})Z")


@dataclass(frozen=True, slots=True)
class Done:
    """One micro-batch that Spark has done. ``results``: tuples in the columns of the query's results.

    ``watermark`` (ms) is the one that it evicted by, 0 where no input has one. ``dropped`` is Spark's own count;
    ``read`` counts records, ``state_rows`` the entries left in its state.
    """

    number: int
    results: tuple[tuple[Any, ...], ...]
    watermark: int
    read: int
    dropped: int
    state_rows: int


def spark_rows(scenario: Scenario, done: Iterable[Done]) -> Iterator[list[Row]]:
    """The rows of each batch of the query, in order."""
    joins = scenario.operator.is_join
    late_watermark = 0
    for each in done:
        place = {"batch": each.number, "watermark": each.watermark}
        rows = [(_joined if joins else _pane)(result) | place for result in each.results]
        rows += _counted(each.dropped, place)
        figures = {"rows_in": each.read, "rows_out": len(each.results), "state_rows": each.state_rows}
        rows.append({"row": "batch"} | place | {"late_watermark": late_watermark} | figures)
        yield rows
        late_watermark = each.watermark


def simulator_rows(lines: Path) -> Iterator[list[Row]]:
    """The rows of each batch of the simulator, out of the file that it wrote; an error row ends the last list."""
    with lines.open(encoding="utf-8") as file:
        rows = map(json.loads, file)
        for _, group in groupby(rows, key=lambda row: row.get("batch")):
            yield _with_counted(list(group))


def _with_counted(rows: list[Row]) -> list[Row]:
    late = [row for row in rows if row["row"] == "dropped"]
    if not late:
        return rows
    by_window = {(key_text(row["key"]), row["start"], row["end"]) for row in late}
    counted = len(late) if late[0]["start"] is None else len(by_window)
    others = [row for row in rows if row["row"] != "dropped"]
    return others[:-1] + _counted(counted, {name: late[0][name] for name in ("batch", "watermark")}) + others[-1:]


def _counted(number: int, place: Row) -> list[Row]:
    return [{"row": "dropped"} | place | {"counted": number}] if number else []


def _pane(result: tuple[Any, ...]) -> Row:
    key, start, end, value = result
    return {"row": "pane", "key": json.loads(key), "start": start, "end": end, "value": value}


def _joined(result: tuple[Any, ...]) -> Row:
    key, left_ts, left, right_ts, right = result
    sides = {"left": {"ts": left_ts, "value": json.loads(left)}, "right": {"ts": right_ts, "value": json.loads(right)}}
    return {"row": "joined", "key": json.loads(key)} | sides


def milliseconds(time: str | None) -> int:
    """A time as Spark's progress reports write it, in ms since the epoch; none is 0. Years have four digits, or a plus
    sign and more."""
    if time is None:
        return 0
    found = _TIME.fullmatch(time)
    assert found is not None, time
    year, month, day, hour, minute, second, fraction = map(int, found.groups())
    cycles = max(0, (year - 2000) // 400)  # the calendar repeats every 400 years; Python's ends with the year 9999
    days = (date(year - 400 * cycles, month, day) - date(1970, 1, 1)).days + cycles * 146_097
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction


FETCHED: Final = 100
"""The most differences that are reported; all are counted."""
TOLERANCE: Final = 1e-9

_UNTOLD: Final = frozenset({"message"})
"""The members that are free text."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``counts``: the rows of each side by kind (late records as Spark counts them). ``differences``: the first."""

    counts: dict[str, dict[str, int]]
    differing: int
    differences: tuple[Difference, ...]


def compare(simulator: Iterable[list[Row]], spark: Iterable[list[Row]]) -> Outcome:
    """Compare the batches of both sides; a batch that only one side has differs in all its rows."""
    counts: dict[str, Counter[str]] = {"simulator": Counter(), "spark": Counter()}
    found: list[Difference] = []
    differing = 0
    for ours, theirs in zip_longest(simulator, spark, fillvalue=()):
        for side, rows in (("simulator", ours), ("spark", theirs)):
            for row in rows:
                counts[side][row["row"]] += row.get("counted", 1)
        differences = _of_batch(ours, theirs)
        differing += len(differences)
        found += differences[: FETCHED - len(found)]
    return Outcome({side: dict(kinds) for side, kinds in counts.items()}, differing, tuple(found))


def _of_batch(ours: Iterable[Row], theirs: Iterable[Row]) -> list[Difference]:
    left, right = (Counter(map(_canonical, rows)) for rows in (ours, theirs))
    if left == right:
        return []
    return pair_up(*_without_near(_surplus(ours, left - right), _surplus(theirs, right - left)))


def _surplus(rows: Iterable[Row], surplus: Counter[tuple[Any, ...]]) -> list[Row]:
    """The rows that the other side has less often, or not at all."""
    left = surplus.copy()
    found = []
    for row in rows:
        if left[_canonical(row)] > 0:
            left[_canonical(row)] -= 1
            found.append(row)
    return found


def _without_near(ours: list[Row], theirs: list[Row]) -> tuple[list[Row], list[Row]]:
    """Without the pairs that differ only in doubles that are nearly equal."""
    left, right = [], list(theirs)
    for row in ours:
        near = next((other for other in right if _is_near(row, other)), None)
        if near is None:
            left.append(row)
        else:
            right.remove(near)
    return left, right


def _is_near(row: Row, other: Row) -> bool:
    one, two = row.get("value"), other.get("value")
    if not all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, two)):
        return False
    if isinstance(one, int) and isinstance(two, int):
        return False
    alike = _canonical(row | {"value": 0}) == _canonical(other | {"value": 0})
    return alike and isclose(float(one), float(two), rel_tol=TOLERANCE)  # type: ignore[arg-type]


def _canonical(row: Row) -> tuple[Any, ...]:
    """The row as a tuple that is equal where the contract calls rows equal, tolerance aside."""
    return tuple((name, _member(name, value)) for name, value in sorted(row.items()) if name not in _UNTOLD)


def _member(name: str, value: Any) -> Any:
    if name == "key":
        return key_text(value)
    if isinstance(value, Mapping):
        return value["ts"], _text(value["value"])
    return _text(value) if name == "value" else value


def _text(value: Any) -> str:
    text, number = value_of(value)
    return repr(number) if text is None else text


_RESULTS: Final = ("pane", "joined")


def planted(batches: Iterable[list[Row]], fault: Fault | None) -> Iterator[list[Row]]:
    """The batches of Spark's side, with ``fault`` in the first row that can carry it."""
    waiting = fault is not None
    for rows in batches:
        made: list[Row] = []
        for row in rows:
            instead = _instead(row, fault) if waiting and fault is not None else None
            waiting = waiting and instead is None
            made += [row] if instead is None else instead
        yield made


def _instead(row: Row, fault: Fault) -> list[Row] | None:
    """What replaces ``row``; None if it cannot carry the fault."""
    if row["row"] == "dropped" and fault is Fault.UNREPORTED:
        return [row | {"counted": row["counted"] - 1}]
    if row["row"] not in _RESULTS:
        return None
    is_pane = row["row"] == "pane"
    match fault:
        case Fault.LOST | Fault.ON_TIME_LOST:
            return []
        case Fault.TWICE:
            return [row, dict(row)]
        case Fault.KEY:
            return [row | {"key": f"not {row['key']}"}]
        case Fault.WATERMARK:
            return [row | {"watermark": row["watermark"] - 1}]
        case Fault.VALUE if is_pane:
            return [row | {"value": row["value"] * 2 + 1}]
        case Fault.VALUE:
            return [row | {"right": row["right"] | {"value": "planted"}}]
        case Fault.LESS if is_pane:
            return [row | {"value": row["value"] - 1}]
        case Fault.START if is_pane:
            return [row | {"start": row["start"] - 1}]
        case Fault.END if is_pane:
            return [row | {"end": row["end"] + 1}]
        case Fault.END:
            return [row | {"right": row["right"] | {"ts": row["right"]["ts"] + 1}}]
        case Fault.NEXT_WINDOW if is_pane:
            size = row["end"] - row["start"]
            return [row | {"start": row["start"] + size, "end": row["end"] + size}]
        case _:
            return None


def broken(scenario: Scenario, fault: Fault | None) -> Scenario:
    """The scenario that Spark gets: with one wrong number, if ``fault`` is one of the plan and applies to it."""
    match fault:
        case Fault.BOUND:
            return replace(scenario, inputs=tuple(map(_later, scenario.inputs)))
        case Fault.SIZE | Fault.OFFSET:
            return replace(scenario, operator=one_more(scenario.operator, fault.value))
        case _:
            return scenario


def _later(source: InputSpec) -> InputSpec:
    return source if source.delay is None else replace(source, delay=source.delay + 1)
