"""How a channel is found idle: a timer that looks only when it is probed.

Source: ``WatermarksWithIdleness.IdlenessTimer``.
"""

from tidemark.simulator.trace.events import IdlenessProbed, Rule
from tidemark.simulator.trace.trace import Trace


class IdlenessTimer:
    """Idle after more than ``timeout`` ms without a record, as the probes see it.

    The first probe after a record notices that there was one, the next starts the measurement, and only a later one can
    find the channel idle. So idleness shows up to three probes late.
    """

    def __init__(self, input: str, channel: int, timeout: int, trace: Trace | None = None) -> None:
        self.timeout = timeout
        self._input = input
        self._channel = channel
        self._trace = trace
        self._records = 0
        self._records_at_last_probe = 0
        self._inactive_since = 0
        self._told: tuple[bool, int] = (False, 0)

    def activity(self) -> None:
        """A record came."""
        self._records += 1

    def check_if_idle(self, now: int) -> bool:
        """Probe at ``now`` (ms). It is traced only if it finds something new, not at every tick of a long silence."""
        rule = None
        idle = False
        if self._records != self._records_at_last_probe:
            self._records_at_last_probe = self._records
            self._inactive_since = 0
        elif self._inactive_since == 0:
            self._inactive_since = now
        else:
            idle = now - self._inactive_since > self.timeout
            numbers = (("now", now), ("inactive_since", self._inactive_since), ("idle_timeout", self.timeout))
            rule = Rule("idle-timeout", "now - inactive_since > idle_timeout", numbers, idle)
        if self._trace is not None and self._told != (idle, self._inactive_since):
            self._told = (idle, self._inactive_since)
            place = "WatermarksWithIdleness.check_if_idle"
            self._trace.add(IdlenessProbed(place, self._input, self._channel, idle, rule))
        return idle
