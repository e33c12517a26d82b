"""The numbers of a scenario that can be varied: where they are, how they are set, which values are worth trying."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from simulator.explore.rewriting import with_operator
from simulator.scenario.model import EACH_RECORD, InputSpec, IntervalJoin, Scenario, Session, WatermarkSpec
from simulator.scenario.stream import items
from simulator.values.items import Record

MOST_VALUES: Final = 24
"""The most values of a sweep."""

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
    if getattr(operator, "time", None) != "event" or isinstance(operator, IntervalJoin):
        return None
    lateness: int | None = getattr(operator, "allowed_lateness", None)
    return lateness


def _read_gap(scenario: Scenario) -> int | None:
    assigner = getattr(scenario.operator, "assigner", None)
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


def settings_of(scenario: Scenario) -> list[Setting]:
    """The settings that ``scenario`` has."""
    return [each for each in SETTINGS if scenario.engine == "flink" and each.read(scenario) is not None]


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
            if most // (each * power) < MOST_VALUES - 1:
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
