"""Flink and Spark on the same records: which one emitted which result when, which results differ, and why.

Both sides run here: the scenario as it is, and its twin in Spark's dialect. On both sides a moment is an item of the
original stream; the results of a micro-batch come when the last item of the batch has arrived.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from math import isclose
from typing import Any

from tidemark.simulator.proof.side_reasons import reasons_of
from tidemark.simulator.proof.sides import (
    LATE,
    ONLY_FLINK,
    ONLY_SPARK,
    OTHER_MOMENT,
    OTHER_VALUE,
    PARTLY_LATE,
    SAME,
    TAKEN,
    Batch,
    Entry,
    Fate,
    Given,
    Reason,
    Row,
    SideBySide,
    Sides,
    Window,
)
from tidemark.simulator.proof.spark_twin import Twin
from tidemark.simulator.scenario.model import Scenario, Session
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.zones import zone_of
from tidemark.simulator.timeline.ids import ResultId, result_id
from tidemark.simulator.timeline.instants import in_instants
from tidemark.simulator.trace.events import RecordFiltered, WindowsAssigned, WindowSkippedLate
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.items import Record
from tidemark.simulator.values.key import Key, key_of
from tidemark.simulator.values.zone import SessionZone

from tidemark import simulator

RESULTS = ("pane", "joined")

Places = Mapping[tuple[Key, Window | None], tuple[int, ...]]


def side_by_side(scenario: Scenario, twin: Twin) -> SideBySide:
    """Run ``scenario`` and its ``twin`` and compare them. Spark knows no local windows: all lie between instants.

    Raises ``ScenarioError`` for a run with too many steps.
    """
    zone = zone_of(scenario.operator)
    local_rows, flink_trace = simulator.run_traced(scenario)
    flink_rows = [in_instants(dict(row), zone) for row in local_rows]
    spark_rows, spark_trace = simulator.run_traced(twin.scenario)
    batches = _batches(twin, spark_rows)
    sides = Sides(
        records={index: item for index, item in enumerate(items(scenario)) if isinstance(item, Record)},
        batch_of=_batch_of(twin),
        batches=batches,
        flink_watermarks=tuple((row["item"], row["ts"]) for row in flink_rows if row["row"] == "watermark"),
        skipped=_skipped(flink_rows, flink_trace, zone),
        filtered=_filtered(twin, spark_trace),
        windows_of=_windows_of(twin, spark_trace),
        lost=twin.lost,
        common_windows=_windows(flink_trace, zone) & _windows(spark_trace, None),
        merges=isinstance(getattr(scenario.operator, "assigner", None), Session),
    )
    flink = _results(flink_rows, _flink)
    spark = _results(spark_rows, lambda row: _spark(row, batches))
    entries = []
    for result in dict.fromkeys([*flink, *spark]):
        row = (flink.get(result) or spark[result])[0][0]
        ours, theirs = (tuple(given for _, given in side.get(result, ())) for side in (flink, spark))
        verdict = verdict_of(ours, theirs)
        reasons = () if verdict == SAME else reasons_of(verdict, row, ours, theirs, sides)
        entries.append(_entry(row, ours, theirs, verdict, reasons))
    entries.sort(key=lambda entry: min(each.item for each in (*entry.flink, *entry.spark)))
    return SideBySide(tuple(entries), tuple(_fates(sides)), batches, tuple(sides.flink_watermarks), twin.lost)


# --- places and batches --------------------------------------------------------------------------------------------


def _batches(twin: Twin, rows: Iterable[Row]) -> tuple[Batch, ...]:
    found = []
    for row in rows:
        if row["row"] == "batch":
            number = row["batch"]
            # The batch without data at the end runs when everything has arrived.
            item = twin.last_items[min(number, len(twin.last_items) - 1)]
            figures = row["watermark"], row["late_watermark"], row["rows_in"], row["rows_out"], row["state_rows"]
            found.append(Batch(number, item, *figures))
    return tuple(found)


def _batch_of(twin: Twin) -> dict[int, int]:
    """The micro-batch of each record, by its item in the original stream."""
    found: dict[int, int] = {}
    batch = 0
    for origin in twin.origin_of:
        if origin is None:
            batch += 1
        else:
            found[origin] = batch
    return found


# --- what was too late ---------------------------------------------------------------------------------------------


def _skipped(rows: Iterable[Row], trace: Trace, zone: SessionZone | None) -> Places:
    """Flink's late records by the window that did not take them; in a join, those that it refused."""
    found: dict[tuple[Key, Window | None], list[int]] = defaultdict(list)
    for step in trace:
        if isinstance(step.event, WindowSkippedLate):
            found[step.event.key, _in_instants(step.event.window, zone)].append(step.item)
    for row in rows:
        if row["row"] in ("dropped", "late"):
            found[key_of(row["key"]), None].append(row["item"])
    return {place: tuple(late) for place, late in found.items()}


def _filtered(twin: Twin, trace: Trace) -> Places:
    """Spark's late records by the window that they were filtered out of; in a join without a window."""
    found: dict[tuple[Key, Window | None], list[int]] = defaultdict(list)
    for step in trace:
        if isinstance(step.event, RecordFiltered):
            origin = twin.origin_of[step.item]
            assert origin is not None, "only records are filtered"
            found[step.event.key, _window(step.event.window)].append(origin)
    return {place: tuple(late) for place, late in found.items()}


def _windows_of(twin: Twin, trace: Trace) -> dict[int, int]:
    """The number of windows that each record belongs to."""
    assigned = ((twin.origin_of[step.item], step.event) for step in trace if isinstance(step.event, WindowsAssigned))
    return {origin: len(event.windows) for origin, event in assigned if origin is not None}


def _windows(trace: Trace, zone: SessionZone | None) -> Set[Window]:
    events = (step.event for step in trace)
    given = (each for event in events if isinstance(event, WindowsAssigned) for each in event.windows)
    return {window for window in (_in_instants(each, zone) for each in given) if window is not None}


def _in_instants(window: Any, zone: SessionZone | None) -> Window | None:
    found = _window(window)
    return found if zone is None or found is None or found[0] is None else zone.span(*found)


def _window(window: Any) -> Window | None:
    return None if window is None else (window.start, window.end)


def _fates(sides: Sides) -> Iterable[Fate]:
    refused = {item for (_, window), late in sides.skipped.items() if window is None for item in late}
    skipped = {item for late in sides.skipped.values() for item in late} - refused
    filtered = Counter(item for late in sides.filtered.values() for item in late)
    for item, record in sides.records.items():
        flink = LATE if item in refused else PARTLY_LATE if item in skipped else TAKEN
        windows = sides.windows_of.get(item, 1)
        spark = LATE if filtered[item] >= windows else PARTLY_LATE if filtered[item] else TAKEN
        assert record.ts is not None
        place = item, sides.batch_of[item], record.input
        yield Fate(*place, record.key, record.ts, record.value, flink, spark)


# --- results -------------------------------------------------------------------------------------------------------


def _results(rows: Iterable[Row], given: Callable[[Row], Given]) -> dict[ResultId, list[tuple[Row, Given]]]:
    """The results of a side by what they are about, in order of emission. Equal pairs of a join count one by one."""
    found: dict[ResultId, list[tuple[Row, Given]]] = {}
    copies: Counter[ResultId] = Counter()
    for row in rows:
        if row["row"] not in RESULTS:
            continue
        result = result_id(row)
        if row["row"] == "joined":
            copies[result] += 1
            result = f"{result}#{copies[result]}"
        found.setdefault(result, []).append((row, given(row)))
    return found


def _flink(row: Row) -> Given:
    return Given(row["item"], row.get("value"), row["watermark"], row.get("timing"))


def _spark(row: Row, batches: Sequence[Batch]) -> Given:
    batch = row["batch"]
    return Given(batches[batch].item, row.get("value"), row["watermark"], batch=batch)


def verdict_of(flink: Sequence[Given], spark: Sequence[Given]) -> str:
    """How the results of one place compare, one of ``VERDICTS``; the last values count, and the first moments."""
    if not flink or not spark:
        return ONLY_FLINK if flink else ONLY_SPARK
    if not _same_value(flink[-1].value, spark[-1].value):
        return OTHER_VALUE
    return SAME if flink[0].item == spark[0].item and len(flink) == 1 else OTHER_MOMENT


def _same_value(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9)
    return bool(one == other)


def _entry(
    row: Row, flink: tuple[Given, ...], spark: tuple[Given, ...], verdict: str, reasons: tuple[Reason, ...]
) -> Entry:
    bounds = row.get("start"), row.get("end")
    return Entry(row["row"], row["key"], *bounds, row.get("left"), row.get("right"), flink, spark, verdict, reasons)
