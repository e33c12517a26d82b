"""Flink and Spark on the same records: which one emitted which result when, which results differ, and why.

Both sides run here: the scenario as it is, and its twin in Spark's dialect. On both sides a moment is an item of the
original stream; the results of a micro-batch come when the last item of the batch has arrived.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import isclose
from typing import Any, Final

from tidemark.simulator.engine.trace.events import RecordFiltered, WindowsAssigned, WindowSkippedLate
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Key, Record, key_of
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.proof.spark_twin import Twin
from tidemark.simulator.scenario.model import Scenario, Session
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.zones import zone_of
from tidemark.simulator.timeline.ids import ResultId, in_instants, result_id
from tidemark.simulator.words import words

from tidemark import simulator

SAME: Final = "same"
OTHER_MOMENT: Final = "other-moment"
OTHER_VALUE: Final = "other-value"
ONLY_FLINK: Final = "only-flink"
ONLY_SPARK: Final = "only-spark"
VERDICTS: Final = (SAME, OTHER_MOMENT, OTHER_VALUE, ONLY_FLINK, ONLY_SPARK)
"""The words are ``side_by_side.verdicts.<name>``."""

TAKEN, LATE, PARTLY_LATE = "taken", "late", "partly-late"
"""The fate of a record: it counts in all of its windows (in a join: it was not refused), in none, or in some."""

Row = Mapping[str, Any]
"""An output row of either engine."""

Window = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Emission:
    """One result: after which ``item``, with which ``value`` (None for a pair), by which ``watermark`` (ms).

    ``timing`` is Flink's (``on-time``, ``late``), None in Spark and for a pair; ``batch`` is Spark's, None in Flink.
    """

    item: int
    value: Any
    watermark: int | None
    timing: str | None = None
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a result differs.

    ``code`` is a name in ``side_by_side.reasons``, ``items`` are the records that caused it, ``numbers`` what the words
    need: times in ms, and batches.
    """

    code: str
    items: tuple[int, ...] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A pane (``start``, ``end``) or a pair (``left``, ``right``: {ts, value}) with the results of each side.

    ``flink`` and ``spark`` are in order of emission; Spark emits a result once. ``reasons`` is empty only where the
    verdict is ``same``.
    """

    row: str
    key: str | int | bool
    start: int | None
    end: int | None
    left: Row | None
    right: Row | None
    flink: tuple[Emission, ...]
    spark: tuple[Emission, ...]
    verdict: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Fate:
    """A record of the stream: its item, the micro-batch that took it, and its fate on each side."""

    item: int
    batch: int
    input: str
    key: str | int | bool
    ts: int
    value: Any
    flink: str
    spark: str


@dataclass(frozen=True, slots=True)
class Batch:
    """A micro-batch. ``item``: the last that had arrived; ``watermark`` evicts, ``late_watermark`` filters (ms)."""

    number: int
    item: int
    watermark: int
    late_watermark: int
    records: int
    results: int
    state_rows: int


@dataclass(frozen=True, slots=True)
class SideBySide:
    """``entries`` in order of their first result; ``flink_watermarks``: (item, watermark in ms) at each move.

    ``lost``: what the twin leaves out (``spark_twin.LOST``).
    """

    entries: tuple[Entry, ...]
    records: tuple[Fate, ...]
    batches: tuple[Batch, ...]
    flink_watermarks: tuple[tuple[int, int], ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sides:
    """What the reasons need of both runs.

    ``skipped`` (Flink) and ``filtered`` (Spark): the items that were too late, by key and window (None: the record as a
    whole). ``windows_of``: the number of windows that a record belongs to. ``common_windows``: those that records have
    on both sides, between instants.
    """

    records: Mapping[int, Record]
    batch_of: Mapping[int, int]
    batches: Sequence[Batch]
    flink_watermarks: Sequence[tuple[int, int]]
    skipped: Mapping[tuple[Key, Window | None], tuple[int, ...]]
    filtered: Mapping[tuple[Key, Window | None], tuple[int, ...]]
    windows_of: Mapping[int, int]
    lost: tuple[str, ...]
    merges: bool
    common_windows: Set[Window]

    @property
    def zoned(self) -> bool:
        """Whether Flink's windows are in local time."""
        return "session_zone" in self.lost


# Why a result of Flink differs from that of Spark: derived from what happened to the records, never guessed.
#
# A code is a name in ``side_by_side.reasons``. Several may hold at once; the most specific one comes first.

COUNTS: Final = ("batch", "batch_of_record")
"""Numbers in a reason that are not times."""


def reason_text(reason: Reason, time: Callable[[int], str]) -> str:
    """The reason in words; ``time`` writes one of its times (ms)."""
    fields = {name: str(value) if name in COUNTS else time(value) for name, value in reason.numbers.items()}
    return words(f"side_by_side.reasons.{reason.code}", **fields)


CODES: Final = (
    "taken_in_batch", "before_epoch", "allowed_lateness", "late_in_spark", "sessions_merge_otherwise", "buffer_cleaned",
    "end_of_input", "watermark_not_reached", "flink_watermark_behind", "fired_again", "next_batch", "end_of_batch",
    "one_millisecond", "when_batch_ends", "session_zone", "arithmetic",
)  # fmt: skip


def reasons_of(
    verdict: str, row: Row, flink: Sequence[Emission], spark: Sequence[Emission], sides: Sides
) -> tuple[Reason, ...]:
    """The reasons for ``verdict`` (any but ``same``) about the result of ``row``; at least one."""
    joins = row["row"] == "joined"
    if (
        verdict in (ONLY_FLINK, ONLY_SPARK)
        and sides.zoned
        and not sides.merges
        and (row["start"], row["end"]) not in sides.common_windows
    ):
        return (Reason("session_zone"),)
    found = list(_of_late_records(row, flink, sides))
    if verdict == ONLY_FLINK:
        found += _without_spark(row, flink, sides) if not found else ()
    elif verdict == ONLY_SPARK:
        found += _without_flink(row, joins=joins, sides=sides) if not found else ()
    elif verdict == OTHER_MOMENT:
        found = list(_of_moments(row, flink, spark, sides, joins=joins))
    if not found:
        # The only causes left: rows that Flink lost in its buffer, or the same records, added up in another order.
        found.append(
            Reason("session_zone" if sides.zoned else "sessions_merge_otherwise" if sides.merges else "arithmetic")
        )
    return tuple(found)


# --- records that one side did not take ----------------------------------------------------------------------------


def _of_late_records(row: Row, flink: Sequence[Emission], sides: Sides) -> Iterator[Reason]:
    skipped, filtered = _late_for(row, sides)
    if taken := sorted(skipped - filtered):
        numbers = {"batch": sides.batch_of[taken[0]], "late_watermark": _batch_with(taken[0], sides).late_watermark}
        yield Reason("taken_in_batch", tuple(taken), numbers)
    by_code: dict[str, list[int]] = {}
    again = {given.item for given in flink if given.timing == "late"}
    for item in sorted(filtered - skipped):
        by_code.setdefault(_why_filtered(item, again, sides), []).append(item)
    for code, late in by_code.items():
        numbers = {"late_watermark": _batch_with(late[0], sides).late_watermark}
        yield Reason(code, tuple(late), numbers | ({} if row.get("end") is None else {"end": row["end"]}))


def _why_filtered(item: int, again: set[int], sides: Sides) -> str:
    if _batch_with(item, sides).late_watermark == 0:
        return "before_epoch"
    if item in again or "allowed_lateness" in sides.lost:
        return "allowed_lateness"
    return "sessions_merge_otherwise" if sides.merges else "late_in_spark"


def _late_for(row: Row, sides: Sides) -> tuple[set[int], set[int]]:
    """The items that Flink, and those that Spark, did not take for the result of ``row``."""
    key = key_of(row["key"])
    if row["row"] == "joined":
        of_pair = {
            item
            for item, record in sides.records.items()
            for side in ("left", "right")
            if (record.input, key_of(record.key), record.ts) == (side, key, row[side]["ts"])
            and repr(record.value) == repr(row[side]["value"])
        }
        late = (set(side.get((key, None), ())) & of_pair for side in (sides.skipped, sides.filtered))
        return next(late), next(late)
    window = (row["start"], row["end"])
    if not sides.merges:
        return set(sides.skipped.get((key, window), ())), set(sides.filtered.get((key, window), ()))
    # A session has different bounds with and without a record: whatever lies in it or touches it is involved.
    return _touching(sides.skipped, key, window, sides), _touching(sides.filtered, key, window, sides)


def _touching(late: Any, key: Key, window: Window, sides: Sides) -> set[int]:
    found: set[int] = set()
    for (other, span), late_items in late.items():
        if other != key:
            continue
        if span is not None:
            found.update(late_items if span[0] <= window[1] and window[0] <= span[1] else ())
        else:
            found.update(item for item in late_items if window[0] <= (sides.records[item].ts or 0) <= window[1])
    return found


# --- results that one side did not emit ----------------------------------------------------------------------------


def _without_spark(row: Row, flink: Sequence[Emission], sides: Sides) -> Iterator[Reason]:
    last = sides.batches[-1].watermark if sides.batches else 0
    if row["row"] == "joined":
        yield Reason("late_in_spark", (), {"watermark": last})
    elif flink[0].watermark == MAX:
        yield Reason("end_of_input", (), {"end": row["end"], "watermark": last})
    elif last < row["end"]:
        yield Reason("watermark_not_reached", (), {"end": row["end"], "watermark": last})
    elif sides.merges:
        yield Reason("sessions_merge_otherwise")


def _without_flink(row: Row, *, joins: bool, sides: Sides) -> Iterator[Reason]:
    if joins:
        yield Reason("buffer_cleaned")
        return
    reached = sides.flink_watermarks[-1][1] if sides.flink_watermarks else None
    if reached is None or reached < row["end"] - 1:
        numbers = {"end": row["end"]} | ({} if reached is None else {"watermark": reached})
        yield Reason("flink_watermark_behind", (), numbers)
    elif sides.merges:
        yield Reason("sessions_merge_otherwise")


# --- results at another moment -------------------------------------------------------------------------------------


def _of_moments(
    row: Row, flink: Sequence[Emission], spark: Sequence[Emission], sides: Sides, *, joins: bool
) -> Iterator[Reason]:
    first, given = flink[0], spark[0]
    assert given.batch is not None
    if again := tuple(each.item for each in flink[1:]):
        yield Reason("fired_again", again)
    if first.item == given.item:
        return
    if joins:
        yield Reason("end_of_batch", (first.item,), {"batch": given.batch, "item": given.item})
        return
    numbers = {"end": row["end"], "batch": given.batch, "watermark": given.watermark or 0, "item": given.item}
    batch = sides.batch_of.get(first.item, len(sides.batches))
    if first.watermark != MAX and batch >= given.batch and first.item < given.item:
        yield Reason("when_batch_ends", (first.item,), numbers)
    elif first.watermark == MAX or batch >= given.batch:
        yield Reason("flink_watermark_behind", (first.item,), numbers)
    elif first.watermark == row["end"] - 1 and "one_millisecond" in sides.lost and batch + 1 < given.batch:
        yield Reason("one_millisecond", (first.item,), numbers)
    else:
        # The watermark made by the records of a batch holds from the next batch on.
        yield Reason("next_batch", (first.item,), numbers | {"batch_of_record": batch})


def _batch_with(item: int, sides: Sides) -> Any:
    return sides.batches[sides.batch_of[item]]


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
        merges=isinstance(scenario.operator.assigner, Session),
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


def _results(rows: Iterable[Row], given: Callable[[Row], Emission]) -> dict[ResultId, list[tuple[Row, Emission]]]:
    """The results of a side by what they are about, in order of emission. Equal pairs of a join count one by one."""
    found: dict[ResultId, list[tuple[Row, Emission]]] = {}
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


def _flink(row: Row) -> Emission:
    return Emission(row["item"], row.get("value"), row["watermark"], row.get("timing"))


def _spark(row: Row, batches: Sequence[Batch]) -> Emission:
    batch = row["batch"]
    return Emission(batches[batch].item, row.get("value"), row["watermark"], batch=batch)


def verdict_of(flink: Sequence[Emission], spark: Sequence[Emission]) -> str:
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
    row: Row, flink: tuple[Emission, ...], spark: tuple[Emission, ...], verdict: str, reasons: tuple[Reason, ...]
) -> Entry:
    bounds = row.get("start"), row.get("end")
    return Entry(row["row"], row["key"], *bounds, row.get("left"), row.get("right"), flink, spark, verdict, reasons)
