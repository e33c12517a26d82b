"""The table ``timers``."""

from simulator.timeline.folding import Folding, Handlers
from simulator.timeline.ids import bounds, timer_id
from simulator.trace.events import TimerDeleted, TimerFired, TimerRegistered
from simulator.trace.trace import Step
from simulator.values.key import plain_key
from simulator.values.window import SideNamespace


class TimerFacts:
    """The timers that wait."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self._registered = 0

    def handlers(self) -> Handlers:
        """What this group listens to."""
        return {TimerRegistered: self._register, TimerDeleted: self._remove, TimerFired: self._remove}

    def _register(self, step: Step, event: TimerRegistered) -> None:
        self._facts.put(
            "timers",
            timer_id(event.domain, event.timestamp, event.key, event.namespace),
            order=self._registered,
            domain=event.domain,
            timestamp=event.timestamp,
            key=plain_key(event.key),
            **bounds(event.namespace),
            side=event.namespace.side if isinstance(event.namespace, SideNamespace) else None,
            purpose=event.purpose,
        )
        self._registered += 1

    def _remove(self, step: Step, event: TimerDeleted | TimerFired) -> None:
        self._facts.end(timer_id(event.domain, event.timestamp, event.key, event.namespace))
