"""What the bridge cannot run yet, and why: one table, shown by the command line, the app and the documentation.

A ``Gap`` is a name, which is also that of its reason in the catalogue (``spark.gaps.<name>``), and a test.

What the bridge covers and how, and what it does not cover and why: the table that the app shows.

What is not covered comes from ``coverage``, where it is decided.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import fsum, isfinite
from typing import Final

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.limits import CLOCKED_RECORDS, REPLAYED_ITEMS, SCENARIO_ITEMS
from tidemark.simulator.scenario.lengthened import is_written_out
from tidemark.simulator.scenario.model import (
    Assigner,
    Cumulative,
    Data,
    DynamicSession,
    Generated,
    Scenario,
    Session,
    Sliding,
    Tumbling,
    WatermarkSpec,
)
from tidemark.simulator.scenario.stream import borders_in, span_of
from tidemark.simulator.scenario.versions import differing_rules
from tidemark.simulator.words import words
from tidemark.spark_bridge.plan.batch import NoTwin, plan_of, record_values, replayed, structs_of
from tidemark.spark_bridge.plan.items import ITEM_SUB, clock_of
from tidemark.spark_bridge.plan.operators import WindowPlan, knows_trigger

ENGINES: Final = ("batch", "streaming")
"""The values of ``--engine``."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A kind of scenario that an engine does not cover, with a test whether a scenario is of that kind.

    ``place``: where in the catalogue its reason is, under its name; ``limit``: the number that the reason names;
    ``what``: the function that it names.
    """

    name: str
    found_in: Callable[[Scenario], bool]
    place: str = "spark.gaps"
    limit: int = 0
    what: str = ""

    @property
    def reason(self) -> str:
        """Why it is not covered, in a sentence."""
        return words(f"{self.place}.{self.name}", limit=f"{self.limit:,}", what=self.what)


class NotCovered(Exception):
    """The bridge cannot run the scenario; ``gaps`` says why."""

    def __init__(self, gaps: list[Gap]) -> None:
        super().__init__(words("app.semicolon").join(gap.reason for gap in gaps))
        self.gaps = gaps


COLUMNS_OF_FILE: Final = Gap(
    "columns_of_file", lambda scenario: any(each.columns for each in scenario.inputs), "own_run.gaps"
)
"""Columns of files, which the simulator alone reads by their types."""

GAPS: Final = (
    Gap("spark_rules", lambda scenario: scenario.engine == "spark"),
    Gap("chain", lambda scenario: scenario.chain is not None),
    Gap("columns", lambda scenario: bool(_without_twin(scenario)), what="POWER"),
    Gap("unknown_trigger", lambda scenario: not knows_trigger(scenario.operator)),
    Gap("flink_version", lambda scenario: bool(differing_rules(scenario)), what="…"),
    Gap("state_ttl", lambda scenario: scenario.operator.state_ttl is not None),
    Gap("process_function", lambda scenario: _sees_window(scenario)),
    Gap("null_watermark", lambda scenario: any(each.watermark.is_conditional for each in scenario.inputs)),
    Gap("null_rowtime", lambda scenario: _lacks_timestamp(scenario, lambda spec: spec.in_table_runtime)),
)
"""The kinds that the batch engine does not cover; it covers everything else."""

FILE_GAPS: Final = (
    Gap("spark_rules", lambda scenario: scenario.engine == "spark", "own_run.gaps"),
    *GAPS[1:],
    COLUMNS_OF_FILE,
    Gap("join", lambda scenario: len(scenario.inputs) > 1, "own_run.gaps"),
    Gap("gap_field", lambda scenario: _has_gap_field(scenario), "own_run.gaps"),
)
MANY_CLOCKS: Final = Gap("many_clocks", lambda _: True, "own_run.gaps", CLOCKED_RECORDS)
"""The same where the records come from files; known before these are read."""

SAMPLE: Final = Gap("sample_streams", lambda _: True, "spark")
"""What a sample of the keys meets in the streaming engine, which counts late rows and state over all keys."""

EVENTS_OF_FILE: Final = Gap("events_of_file", lambda scenario: isinstance(scenario.stream, Data), "spark")
EVENTS_WRITTEN_OUT: Final = Gap("events_written_out", is_written_out, "spark", SCENARIO_ITEMS)
"""What another number of records meets: a stream in a file, and one that would be a longer list than there can be."""

STREAMING_GAPS: Final = (Gap("flink_rules", lambda scenario: scenario.engine == "flink"),)
"""The kinds that the streaming engine does not cover."""

LIMITS: Final = (
    Gap("sum_leaves_64_bits", lambda scenario: not _sums_fit(scenario)),
    Gap("replays", lambda scenario: replayed(scenario.stream) > REPLAYED_ITEMS, limit=REPLAYED_ITEMS),
    Gap("times_leave_64_bits", lambda scenario: not _times_fit(scenario)),
)
"""Data that are too much for the batch engine, or on which its 64-bit arithmetic would overflow. Only scenarios without
any other gap are tested, in this order, up to the first that applies."""

STREAMING_LIMITS: Final = (Gap("times_leave_microseconds", lambda scenario: not _microseconds_fit(scenario)),)
"""The same for the streaming engine."""


def engine_of(scenario: Scenario) -> str:
    """The default engine of a check: the one whose rules the scenario follows."""
    return "streaming" if scenario.engine == "spark" else "batch"


def gaps_of(scenario: Scenario, engine: str | None = None) -> list[Gap]:
    """All gaps of ``engine`` (by default the scenario's own) for ``scenario``; empty if it is covered."""
    streams = (engine or engine_of(scenario)) == "streaming"
    gaps, limits = (STREAMING_GAPS, STREAMING_LIMITS) if streams else (GAPS, LIMITS)
    found = [_named(gap, scenario) for gap in gaps if gap.found_in(scenario)]
    if not streams and isinstance(scenario.stream, Data) and COLUMNS_OF_FILE.found_in(scenario):
        found.append(COLUMNS_OF_FILE)
    return found or next(([limit] for limit in limits if limit.found_in(scenario)), [])


def gaps_of_events(scenario: Scenario, events: int) -> list[Gap]:
    """What keeps the scenario from having that many records; empty if nothing does."""
    gaps = (EVENTS_OF_FILE, EVENTS_WRITTEN_OUT) if events > SCENARIO_ITEMS else (EVENTS_OF_FILE,)
    return [gap for gap in gaps if gap.found_in(scenario)]


def _named(gap: Gap, scenario: Scenario) -> Gap:
    match gap.name:
        case "columns":
            return replace(gap, what=_without_twin(scenario))
        case "flink_version":
            return replace(gap, what=words("app.semicolon").join(differing_rules(scenario)))
        case _:
            return gap


def _without_twin(scenario: Scenario) -> str:
    """The first function or type that means something else in Spark; "" if there is none."""
    try:
        if scenario.chain is None:
            structs_of(scenario)
    except NoTwin as name:
        return str(name)
    return ""


def _sees_window(scenario: Scenario) -> bool:
    function = scenario.operator.function
    return function is not None and function.sees_window


def _has_gap_field(scenario: Scenario) -> bool:
    return isinstance(scenario.operator.assigner, DynamicSession)


def gaps_over_files(scenario: Scenario, engine: str | None = None) -> list[Gap]:
    """What keeps ``engine`` (by default the scenario's own) from working over files; empty if nothing does."""
    if (engine or engine_of(scenario)) == "streaming":
        return list(FILE_GAPS[:1])
    return [_named(gap, scenario) for gap in FILE_GAPS if gap.found_in(scenario)]


def _sums_fit(scenario: Scenario) -> bool:
    """Whether no sum, in whatever order and grouping, can leave 64 bits or the finite doubles."""
    if scenario.operator.compute not in ("sum", "avg"):
        return True
    stream = scenario.stream
    if isinstance(stream, Generated):
        return stream.events * max(map(abs, stream.values)) <= MAX
    if isinstance(stream, Data):
        whole, other = stream.known.sums
        return whole <= MAX and isfinite(other) and isfinite(whole + other)
    values = [value for value in record_values(stream) if isinstance(value, (int, float))]
    try:
        largest = fsum(map(abs, values))
    except OverflowError:
        return False
    whole = sum(abs(value) for value in values if isinstance(value, int))
    return whole <= MAX and isfinite(largest)


def _times_fit(scenario: Scenario) -> bool:
    """Whether every timestamp, clock and window of the stream stays within Java's ``long``."""
    plan = plan_of(scenario)
    lowest, highest = _time_range(scenario)
    # The place of a tick among the entries of its item is computed from its distance to the origin and its channel.
    if plan.is_periodic and (highest - scenario.origin) * plan.channels >= ITEM_SUB:
        return False
    specs = [each.watermark for each in plan.inputs]
    if any(spec.type in ("punctuated", "sql") and lowest - spec.bound < MIN for spec in specs):
        return False
    if _lacks_timestamp(scenario, lambda spec: spec.every_record and bool(spec.bound)):
        return False
    if plan.windows is not None:
        return _windows_fit(plan.windows, lowest, highest)
    operator = scenario.operator
    if operator.assigner is not None:
        reach = _reach(operator.assigner, scenario)
        return lowest - reach > MIN and highest + reach < MAX
    if operator.bounds is not None:
        reach = max(map(abs, operator.bounds))
        return lowest - 2 * reach > MIN and highest + 2 * reach < MAX
    if operator.reach:
        return lowest > MIN and highest + 2 * operator.reach < MAX
    return lowest >= MIN and highest <= MAX


def _lacks_timestamp(scenario: Scenario, needs: Callable[[WatermarkSpec], bool]) -> bool:
    """Whether a record lacks a timestamp that its generator ``needs``: it would fail, or use Long.MIN_VALUE."""
    asking = {each.name for each in scenario.inputs if needs(each.watermark)}
    if isinstance(scenario.stream, Generated | Data) or not asking:
        return False
    return any(isinstance(item, Record) and item.ts is None and item.input in asking for item in scenario.stream)


def _microseconds_fit(scenario: Scenario) -> bool:
    """Whether Spark can hold every time of the stream, every bound of a window, and every duration, as microseconds."""
    operator = scenario.operator
    spans = [each.delay or 0 for each in scenario.inputs]
    spans += map(abs, operator.bounds or ())
    if operator.assigner is not None:
        spans.append(_reach(operator.assigner, scenario))
    lowest, highest = _time_range(scenario)
    # On the way Spark adds and subtracts a window or two more.
    reach = 4 * max(spans)
    return (max(abs(lowest), abs(highest)) + reach) * 1000 <= MAX


def _reach(assigner: Assigner, scenario: Scenario) -> int:
    """The greatest distance (ms) between a record's timestamp and a bound of one of its windows, or of the next one."""
    match assigner:
        case Session(gap):
            return 2 * gap
        case DynamicSession(gap_field) if isinstance(scenario.stream, tuple):
            values = [value for value in record_values(scenario.stream) if isinstance(value, Mapping)]
            return 2 * max((int(value[gap_field]) for value in values), default=0)
        case Tumbling(size, offset):
            return 2 * size + abs(offset)
        case Sliding(size, slide, offset):
            return 2 * (size + slide) + abs(offset)
        case Cumulative(max_size, step, offset):
            return 2 * (max_size + step) + abs(offset)
        case _:
            return 0


def _windows_fit(window: WindowPlan, lowest: int, highest: int) -> bool:
    first, last = window.newest_start(lowest), window.newest_start(highest) + window.size
    if window.slide != window.size:
        first -= window.size
    # The table runtime also looks at the panes and at the last window of each.
    spare = window.size if window.table else 0
    return lowest > MIN and min(first - spare, lowest - window.offset) >= MIN and last + spare <= MAX


def _time_range(scenario: Scenario) -> tuple[int, int]:
    """The earliest and the latest of all timestamps and clocks, as unbounded integers."""
    stream, origin = scenario.stream, scenario.origin
    if isinstance(stream, Generated):
        spread = (stream.values[1] - stream.values[0], stream.disorder)
        if max(spread) >= MAX:
            return MIN - 1, MAX
        earliest, latest = span_of(stream, borders_in(scenario))
        return origin + earliest, origin + latest
    if isinstance(stream, Data):
        found = stream.known
        bounds = (origin, *(found.ts or ()), *(found.at or ()))
        return min(bounds), max(bounds)
    times = [item.ts for item in stream if isinstance(item, Record) and item.ts is not None]
    times += [origin, *clock_of(stream, origin)]
    return min(times), max(times)


COVERED: Final = {
    "windows": "native",
    "window_joins": "native",
    "interval_join": "native",
    "event_sort": "native",
    "deduplicate": "native",
    "top_n": "native",
    "over_unbounded": "native",
    "table_windows": "native",
    "table_functions": "native",
    "keyed_windows": "keyed",
    "table": "keyed",
    "over": "keyed",
    "temporal_join": "keyed",
    "clock": "keyed",
    "restores": "keyed",
    "idle_channels": "ordered",
    "streaming": "micro-batch",
}
"""The kinds of operators (``spark.kinds.<name>`` in the catalogue), and how Spark computes them."""


@dataclass(frozen=True, slots=True)
class Way:
    """A kind of scenario: ``way`` is how it is computed; "" if it is not, and then ``reason`` says why not."""

    what: str
    way: str
    reason: str = ""

    @property
    def covered(self) -> bool:
        """Whether the bridge computes it."""
        return bool(self.way)


def ways() -> list[Way]:
    """The whole table."""
    covered = [Way(words(f"spark.kinds.{name}"), way) for name, way in COVERED.items()]
    gaps = (*GAPS, *STREAMING_GAPS, *LIMITS, *STREAMING_LIMITS)
    return covered + [Way(words(f"spark.kinds.{gap.name}"), "", gap.reason) for gap in gaps]
