"""The numbers of a scenario that can be varied: where they are, how they are set, which values are worth trying."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.trace.events import WatermarkEmitted
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Item, Record, Watermark
from tidemark.simulator.explore.runs import Ran
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
    try:
        parse(as_yaml(replace(scenario, stream=stream, walkthrough=(), goals=())))
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
