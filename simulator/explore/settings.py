"""The numbers of a scenario that can be varied: where they are, how they are set, which values are worth trying.

A sweep runs the scenario once for each of several values.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

from tidemark.simulator.engine.trace.events import WatermarkEmitted
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Item, Record, Watermark
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.limits import SWEEP_VALUES
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import (
    EACH_RECORD,
    Cumulative,
    InputSpec,
    NoWatermarks,
    Scenario,
    Session,
    Sliding,
    Tumbling,
    WatermarkSpec,
)
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.scenario.zones import window_class

ItemAt = tuple[Item, int]
"""A stream item and its moment."""

Part = tuple[Scenario, Sequence[int]]
"""A scenario, and the moment of each of its items."""


def items_of(truth: Ran) -> list[ItemAt]:
    """The items of a run with their moments."""
    return list(zip(items(truth.scenario), truth.moments, strict=True))


def with_items(truth: Ran, changed: Iterable[ItemAt], inputs: Sequence[InputSpec] | None = None) -> Part:
    """The scenario with these items, and with other ``inputs`` if given."""
    made = list(changed)
    stream = tuple(item for item, _ in made)
    specs = truth.scenario.inputs if inputs is None else tuple(inputs)
    return replace(truth.scenario, stream=stream, inputs=specs), [moment for _, moment in made]


def with_operator(scenario: Scenario, **changed: Any) -> Scenario:
    """The scenario with members of its operator changed."""
    return replace(scenario, operator=replace(scenario.operator, **changed))


def without_generators(truth: Ran) -> tuple[InputSpec, ...]:
    """The inputs without watermark generators."""
    return tuple(replace(each, watermark=NoWatermarks()) for each in truth.scenario.inputs)


def has_steady_watermarks(truth: Ran) -> bool:
    """Whether watermarks come only directly after records, or from the stream itself."""
    specs = [each.watermark for each in truth.scenario.inputs]
    return all(spec.emit == EACH_RECORD and not spec.idle_timeout for spec in specs)


def with_written_watermarks(truth: Ran) -> list[ItemAt]:
    """The items, and after each record, as an item, the watermark that its generator emitted in the true run.

    Only if ``has_steady_watermarks``.
    """
    given: dict[int, list[Watermark]] = {}
    for step in truth.trace:
        if isinstance(step.event, WatermarkEmitted) and step.event.source == "generator":
            event = step.event
            given.setdefault(step.item, []).append(Watermark(event.ts, event.input, event.channel, step.at))
    return [
        (each, moment)
        for number, (item, moment) in enumerate(items_of(truth))
        for each in (item, *given.get(number, ()))
    ]


STEPS: Final = (1, 2, 5)
"""The step between values is one of these, times a power of ten (ms)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One number (ms) of a scenario. ``read`` returns it, None if the scenario has none; ``write`` sets it.

    ``least`` is the smallest value that the scenario format allows. ``is_compared``: whether the engine only ever
    compares it, added to the times of records, with other times. Then results change only at certain values,
    and are the same everywhere between two values with the same results.
    """

    name: str
    read: Callable[[Scenario], int | None]
    write: Callable[[Scenario, int], Scenario]
    is_compared: Callable[[Scenario], bool] = lambda scenario: False
    least: int = 0


def _first(scenario: Scenario, wanted: Callable[[WatermarkSpec], bool]) -> WatermarkSpec | None:
    return next((each.watermark for each in scenario.inputs if wanted(each.watermark)), None)


def _with_specs(scenario: Scenario, wanted: Callable[[WatermarkSpec], bool], **changed: Any) -> Scenario:
    def new(each: InputSpec) -> InputSpec:
        return replace(each, watermark=replace(each.watermark, **changed)) if wanted(each.watermark) else each

    return replace(scenario, inputs=tuple(map(new, scenario.inputs)))


def _has_bound(spec: WatermarkSpec) -> bool:
    return spec.has_bound


def _read_bound(scenario: Scenario) -> int | None:
    spec = _first(scenario, _has_bound)
    return None if spec is None else spec.bound


def _read_emit(scenario: Scenario) -> int | None:
    spec = _first(scenario, lambda spec: spec.emit != EACH_RECORD)
    return None if spec is None else spec.emit


def _read_lateness(scenario: Scenario) -> int | None:
    operator = scenario.operator
    if not operator.keeps_windows or operator.time != "event" or operator.is_table_function:
        return None
    return operator.allowed_lateness


def _read_gap(scenario: Scenario) -> int | None:
    assigner = scenario.operator.assigner
    return assigner.gap if isinstance(assigner, Session) else None


def _leaps(spec: WatermarkSpec) -> bool:
    """Whether it sends a watermark that is far enough above the last one: a higher bound may then send more."""
    return spec.in_table_runtime and spec.emit != EACH_RECORD


BOUND: Final = Setting(
    "bound",
    _read_bound,
    lambda scenario, value: _with_specs(scenario, _has_bound, bound=value),
    lambda scenario: not any(_leaps(each.watermark) for each in scenario.inputs),
)
LATENESS: Final = Setting(
    "allowed-lateness",
    _read_lateness,
    lambda scenario, value: with_operator(scenario, allowed_lateness=value),
    lambda scenario: True,
)
GAP: Final = Setting(
    "gap", _read_gap, lambda scenario, value: with_operator(scenario, assigner=Session(value)), least=1
)
EMIT: Final = Setting(
    "emit", _read_emit,
    lambda scenario, value: _with_specs(scenario, lambda spec: spec.emit != EACH_RECORD, emit=value), least=1,
)  # fmt: skip

SETTINGS: Final = (BOUND, LATENESS, GAP, EMIT)
"""The numbers that can be swept and searched."""


def _length(type: Any, member: str) -> Callable[[Scenario], int | None]:
    """Reads a length of windows, if the scenario has windows of that type."""

    def read(scenario: Scenario) -> int | None:
        assigner = scenario.operator.assigner
        return getattr(assigner, member) if isinstance(assigner, type) else None

    return read


def _with_length(member: str) -> Callable[[Scenario, int], Scenario]:
    def write(scenario: Scenario, value: int) -> Scenario:
        operator: Any = scenario.operator
        return with_operator(scenario, assigner=replace(operator.assigner, **{member: value}))

    return write


def _may_idle(spec: WatermarkSpec) -> bool:
    return spec.makes_watermarks


def _read_idle(scenario: Scenario) -> int | None:
    """Only where a channel can hold up another one, or falls idle already."""
    spec = _first(scenario, lambda spec: _may_idle(spec) and spec.idle_timeout > 0)
    several = sum(each.channels for each in scenario.inputs) > 1
    return spec.idle_timeout if spec else 0 if several and _first(scenario, _may_idle) else None


IDLE: Final = Setting(
    "idle-timeout", _read_idle, lambda scenario, value: _with_specs(scenario, _may_idle, idle_timeout=value)
)

SHAPES: Final = (
    Setting("size", _length((Tumbling, Sliding), "size"), _with_length("size"), least=1),
    Setting("max-size", _length(Cumulative, "max_size"), _with_length("max_size"), least=1),
    Setting("slide", _length(Sliding, "slide"), _with_length("slide"), least=1),
    Setting("step", _length(Cumulative, "step"), _with_length("step"), least=1),
    IDLE,
)
"""Further numbers that can be set. Not every value goes with the others: see ``goes``."""

SHARES: Final = ((1, 4), (1, 2), (3, 4), (1, 1), (3, 2), (2, 1), (4, 1))
"""The lengths to choose from, as shares of the present one."""

IDLE_TIMES: Final = (0, 1_000, 2_000, 5_000, 10_000)


def settings_of(scenario: Scenario) -> list[Setting]:
    """The settings that ``scenario`` has."""
    return [each for each in SETTINGS if scenario.engine == "flink" and each.read(scenario) is not None]


def shapes_of(scenario: Scenario) -> list[Setting]:
    """The further numbers that ``scenario`` has."""
    return [each for each in SHAPES if scenario.engine == "flink" and each.read(scenario) is not None]


def goes(scenario: Scenario) -> bool:
    """Whether the format allows the numbers of ``scenario`` beside one another: a slide and its size, for example."""
    stream = scenario.stream[:1] if isinstance(scenario.stream, tuple) else scenario.stream
    return _is_sound(as_yaml(replace(scenario, stream=stream, walkthrough=(), goals=())))


@lru_cache(maxsize=256)  # a page asks the same of both its sides
def _is_sound(text: str) -> bool:
    try:
        parse(text)
    except ScenarioError:
        return False
    return True


def lengths_of(scenario: Scenario, setting: Setting) -> list[int]:
    """Values of one of ``SHAPES`` worth trying, each of which the format allows, and the present one."""
    now = setting.read(scenario)
    assert now is not None
    tried = {now * much // part for much, part in SHARES} if setting.least else {*IDLE_TIMES}
    allowed = (value for value in tried if value >= setting.least and goes(setting.write(scenario, value)))
    return sorted({*allowed, now})


def values_of(scenario: Scenario, setting: Setting) -> list[int]:
    """Values worth trying: from 0 (or one step, if 0 is not allowed) to beyond the last change, and the present one."""
    now = setting.read(scenario)
    assert now is not None
    most = max(now, _disorder(scenario), _spread(scenario) // 10, 1) * 3 // 2
    step = _step(most)
    return sorted({*(value for value in range(0, most + step, step) if value >= setting.least), now})


def _step(most: int) -> int:
    """The smallest round step with which there are not too many values."""
    power = 1
    while True:
        for each in STEPS:
            if most // (each * power) < SWEEP_VALUES - 1:
                return each * power
        power *= 10


def _times(scenario: Scenario) -> Sequence[int]:
    return [item.ts for item in items(scenario) if isinstance(item, Record) and item.ts is not None]


def _disorder(scenario: Scenario) -> int:
    """The most (ms) that a record is behind the newest one before it."""
    most, newest = 0, None
    for ts in _times(scenario):
        newest = ts if newest is None else max(ts, newest)
        most = max(most, newest - ts)
    return most


def _spread(scenario: Scenario) -> int:
    times = _times(scenario)
    return max(times) - min(times) if times else 0


COUNTED = ("on-time", "late-accepted")


@dataclass(frozen=True, slots=True)
class Point:
    """What one value of a setting achieves and costs.

    ``on_time``, ``counted``, ``records``: how many records were in the first result of a window, in any result, and in
    the stream. ``results``: the number of results. ``latency``: the mean time (ms of the clock) from the end of a
    window to its first result, None where the clock does not tell records apart or no window has an end. ``state``:
    the mean number of values held, over clock time (over steps where the clock stands still).

    ``joined``: everything between the point before and this one is known, since both have the same results, or are 1 ms
    apart and the change is here. If it is False, nothing was run in between, and nothing is claimed.
    """

    value: int
    records: int
    on_time: int
    counted: int
    results: int
    latency: float | None
    state: float
    joined: bool = False


Tried = tuple[Point, Any]
"""The point of a value, and all that was decided with it."""


def sweep(
    scenario: Scenario,
    setting: Setting,
    values: Sequence[int],
    most_runs: int = 0,
    tried: MutableMapping[int, Tried] | None = None,
) -> list[Point]:
    """The points of ``values`` (ms, rising), and around each change the last value before it and the first one after
    it.

    The changes are looked for with ``most_runs`` further runs. ``tried``: what earlier sweeps of the same setting of
    the same scenario have tried, by value; it is not run again, and what this one tries is added. Raises
    ``ScenarioError`` as a run does.

    Halving finds every change of a setting that ``is_compared``: each comparison changes once, so a decision that is
    the same at two values is the same between them. For other settings only ``values`` are tried, and none is joined.
    """
    known = {} if tried is None else tried
    in_order = sorted(known)
    found: dict[int, Tried] = {}

    def at(value: int) -> Tried:
        if value not in found:
            if value not in known:
                run = run_of(setting.write(scenario, value))
                known[value] = (point_of(run, value), _decided(run))
                insort(in_order, value)
            found[value] = known[value]
        return found[value]

    for value in values:
        at(value)
    most = len(found) + most_runs
    open_between = list(pairwise(values)) if setting.is_compared(scenario) else []
    while open_between and len(found) < most:
        low, high = open_between.pop(0)
        if high - low > 1 and at(low)[1] != at(high)[1]:
            middle = _between(low, high, in_order)
            at(middle)
            open_between += [(low, middle), (middle, high)]
    return _without_between(found, set(values), setting.is_compared(scenario))


def _between(low: int, high: int, known: Sequence[int]) -> int:
    """The middle between two values, or the nearest of the ``known`` ones (rising) if it parts them nearly as well."""
    middle, most = (low + high) // 2, (high - low) // 4
    place = bisect_left(known, middle)
    near = [value for value in known[max(place - 1, 0) : place + 1] if abs(value - middle) <= most]
    return min(near, key=lambda value: abs(value - middle), default=middle)


def _without_between(found: dict[int, Tried], wanted: set[int], is_compared: bool) -> list[Point]:
    """In order of their values, without those around which nothing changes."""
    values = sorted(found)
    kept = [
        value
        for before, value, after in zip([None, *values], values, [*values[1:], None], strict=False)
        if value in wanted or not _same(found, before, value) or not _same(found, value, after)
    ]
    return [
        replace(found[value][0], joined=is_compared and (value - 1 == before or _same(found, before, value)))
        for before, value in zip([None, *kept], kept, strict=False)
    ]


def _same(found: dict[int, Tried], low: int | None, high: int | None) -> bool:
    return low is not None and high is not None and found[low][1] == found[high][1]


def _decided(run: Ran) -> Any:
    """The fate of each record, the time of each result, and the size of state."""
    given = {id: [(each.moment, each.row["at"]) for each in rows] for id, rows in run.results.items()}
    return run.fates, given, _mean_held(run)


def point_of(run: Ran, value: int) -> Point:
    """What a finished run achieves and costs."""
    fates = list(run.fates.values())
    late = latencies(run)
    return Point(
        value,
        records=len(fates),
        on_time=fates.count("on-time"),
        counted=sum(fate in COUNTED for fate in fates),
        results=sum(map(len, run.results.values())),
        latency=sum(late) / len(late) if late else None,
        state=_mean_held(run),
    )


def latencies(run: Ran) -> list[int]:
    """From the end of each window to its first result, ms of the clock."""
    if run.facts.arrival_axis != "at":
        return []
    first = (given[0].row for given in run.results.values())
    window = window_class(run.scenario.operator)
    return [
        row["at"] - 1 - window(row["start"], row["end"]).max_timestamp for row in first if row.get("end") is not None
    ]


def _mean_held(run: Ran) -> float:
    """The number of values in state, over clock time."""
    rows = run.facts.tables["held"]
    if not rows:
        return 0.0
    begins = [row["from_step"] for row in rows]
    for moments in ([run.trace.steps[step].at for step in (*begins, len(run.trace) - 1)], [*begins, len(run.trace)]):
        lengths = [until - since for since, until in pairwise(moments)]
        if sum(lengths) > 0:
            total = sum(row["values"] * length for row, length in zip(rows, lengths, strict=True))
            return float(total / sum(lengths))
    return float(rows[-1]["values"])
