"""The rules of Flink's versions that can show in the rows of a scenario."""

from collections.abc import Callable, Mapping
from typing import Final

from tidemark.simulator.engine.values.items import Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.versions import CHANGES, NEWEST, rules_of
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.checks import triggers
from tidemark.simulator.scenario.stream import borders_in, span_of
from tidemark.simulator.words import words


def _earliest(scenario: model.Scenario) -> int:
    """No timestamp and no time of the clock is before it (ms)."""
    stream, origin = scenario.stream, scenario.origin
    if isinstance(stream, model.Generated):
        return origin + span_of(stream, borders_in(scenario))[0]
    if isinstance(stream, model.Data):
        return min(origin, *(stream.known.ts or (origin,)))
    return min((origin, *(each.ts for each in stream if isinstance(each, Record | Watermark) and each.ts is not None)))


def _restores(scenario: model.Scenario) -> bool:
    return isinstance(scenario.stream, tuple) and any(isinstance(item, Restore) for item in scenario.stream)


def _has_windows_before_their_offset(scenario: model.Scenario) -> bool:
    offset = getattr(scenario.operator.assigner, "offset", None)
    return offset is not None and _earliest(scenario) < offset


def _counts_idleness(scenario: model.Scenario) -> bool:
    specs = (each.watermark for each in scenario.inputs)
    return any(isinstance(each, model.SqlWatermark) and each.idle_timeout for each in specs)


def _restores_function(scenario: model.Scenario) -> bool:
    return scenario.operator.is_table_function and _restores(scenario)


def _is_function_by_clock(scenario: model.Scenario) -> bool:
    return scenario.operator.is_table_function and scenario.operator.time == "processing"


def _has_continuous_trigger(scenario: model.Scenario) -> bool:
    return any(isinstance(each, model.ContinuousProcessingTimeTrigger) for each, _ in triggers(scenario.operator))


def _keeps_first(scenario: model.Scenario) -> bool:
    return getattr(scenario.operator, "keep", None) == "first"


def _has_unbounded_frame_before_1970(scenario: model.Scenario) -> bool:
    frame = getattr(scenario.operator, "frame", None)
    return frame is not None and frame.is_unbounded and _earliest(scenario) < 0


def _sets_timers_of_clock_for_past(scenario: model.Scenario) -> bool:
    by_clock = {model.ProcessingTimeTrigger, model.ContinuousProcessingTimeTrigger, model.ProcessingTimeoutTrigger}
    if scenario.operator.time == "processing":
        return _restores(scenario)
    return any(type(each) in by_clock for each, _ in triggers(scenario.operator))


def _combines_idle_inputs(scenario: model.Scenario) -> bool:
    rests = any(each.watermark.idle_timeout for each in scenario.inputs)
    written = scenario.stream if isinstance(scenario.stream, tuple) else ()
    return scenario.operator.combines_watermarks and (rests or any(isinstance(item, Status) for item in written))


def _has_offset(scenario: model.Scenario) -> bool:
    return scenario.operator.is_table_function and getattr(scenario.operator.assigner, "offset", 0) != 0


_SHOWS: Final[Mapping[str, Callable[[model.Scenario], bool]]] = {
    "windows_hold_negative_timestamps": _has_windows_before_their_offset,
    "idleness_ignores_record_times": _counts_idleness,
    "past_timers_fire_at_once": _sets_timers_of_clock_for_past,
    "idle_inputs_are_left_out": _combines_idle_inputs,
    "table_functions_restore_watermark": _restores_function,
    "idleness_counts_records": _counts_idleness,
    "table_functions_by_clock_ignore_watermarks": _is_function_by_clock,
    "continuous_trigger_ends_with_window": _has_continuous_trigger,
    "restored_timers_have_watermark": _restores_function,
    "first_row_waits_for_watermark": _keeps_first,
    "unbounded_frames_emit_before_1970": _has_unbounded_frame_before_1970,
    "all_idle_inputs_send_maximum": _combines_idle_inputs,
    "flushes_lie_on_offset_grid": _has_offset,
}
"""Whether the rows of a scenario can depend on a rule. The names are those of ``FlinkRules``."""

OF_SEVERAL_CHANNELS: Final = frozenset(name for name, shows in _SHOWS.items() if shows is _counts_idleness)
"""The rules that show only beside other channels: they say when a channel holds back the watermark no longer."""


def differing_names(scenario: model.Scenario, other: str = NEWEST) -> tuple[str, ...]:
    """The rules by which the rows of ``scenario`` may differ from those of version ``other``, by name.

    Raises ``ValueError`` for an unknown version.
    """
    own, others = rules_of(scenario.flink), rules_of(other)
    return tuple(name for name in CHANGES if getattr(own, name) != getattr(others, name) and _SHOWS[name](scenario))


def differing_rules(scenario: model.Scenario, other: str = NEWEST) -> tuple[str, ...]:
    """The same in words."""
    return tuple(
        words(f"versions.rules.{name}", since=CHANGES[name].since) for name in differing_names(scenario, other)
    )
