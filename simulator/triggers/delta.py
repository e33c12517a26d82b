"""Fires when a record's value exceeds that of the last firing by more than a threshold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from tidemark.simulator.triggers.base import CONTINUE, FIRE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import States, Way

LAST_ELEMENT: Final = "last-element"


@dataclass(frozen=True, slots=True)
class DeltaTrigger(Trigger):
    """Fires when new value − value at the last firing is more than ``threshold``. Source: ``DeltaTrigger``."""

    type: ClassVar[str] = "delta"
    can_merge: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = True
    without_rule: ClassVar[str] = "first_to_measure_by"
    without_rule_by_timer: ClassVar[str] = "only_values"
    first_firing: ClassVar[Mapping[str, str]] = MappingProxyType({"delta-exceeded": "first_delta"})
    threshold: int | float

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The first record of the window only sets the value that the next ones are compared with."""
        last = context.get_state(LAST_ELEMENT)
        if last is None:
            context.set_state(LAST_ELEMENT, value)
            return CONTINUE
        exceeds = value - last > self.threshold
        if context.tracing:
            numbers = (("value", value), ("last", last), ("threshold", self.threshold))
            context.decided("delta-exceeded", "value - last > threshold", numbers, exceeds)
        if not exceeds:
            return CONTINUE
        context.set_state(LAST_ELEMENT, value)
        return FIRE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Never called: it cannot merge."""
        raise NotImplementedError("a delta trigger does not merge")

    def clear(self, context: TriggerContext) -> None:
        """Forgets the last record."""
        context.set_state(LAST_ELEMENT, None)

    def fires_by_record(self, states: States, *, ended: bool) -> Way:
        """A record above the last value by more than ``threshold``; the first one only sets that value."""
        last = states.get(LAST_ELEMENT)
        return Way("delta", "", self.threshold, last, "first" if last is None else "")

    def values_that_fire(self, way: Way) -> Iterator[float | None]:
        """One that is more than ``threshold`` above the last; without a last one, another to measure by comes first."""
        first = 0 if way.has is None else way.has
        return iter([*([first] if way.has is None else []), first + self.threshold + 1])
