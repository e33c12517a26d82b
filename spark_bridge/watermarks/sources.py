"""When the clock asks a channel: its ticks, at every multiple of a period after the start.

What one channel sends: the watermarks of its generator, and its own notice that it has fallen idle.

A source keeps the highest *candidate* (the watermark that a record stands for) and what it sent last. Only those ticks
matter that have something to do; ``wants`` returns the next of them, so that a long silence costs nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import EACH_RECORD, WatermarkSpec
from tidemark.spark_bridge.watermarks.valve import Lane

PROBE: Final = 200
"""ms between the ticks of a channel that is only probed for idleness (Flink's autoWatermarkInterval)."""


def period_of(spec: WatermarkSpec) -> int:
    """The time between the ticks of a channel (ms); 0 if the clock never asks it."""
    emit, timeout = spec.emit, spec.idle_timeout
    if spec.type == "none":
        return 0
    if spec.type != "sql":
        return emit or (PROBE if timeout else 0)
    if not emit or not timeout:
        return emit or timeout
    # The table runtime has one timer for both. If the two are alike, its period is short enough to hit either closely.
    shorter, longer = min(emit, timeout), max(emit, timeout)
    return shorter if 5 * shorter < longer else max(shorter // 5, 1)


def ranks(periods: Sequence[int]) -> list[int]:
    """The place of each channel among the ticks of one millisecond, from the channels' periods.

    Of two that are due together, the one with the longer period was scheduled earlier and comes first.
    """
    order = sorted(range(len(periods)), key=lambda channel: (-periods[channel], channel))
    places = [0] * len(periods)
    for place, channel in enumerate(order):
        places[channel] = place
    return places


@dataclass(frozen=True, slots=True)
class Ticks:
    """The ticks at ``start`` + n · ``period`` (ms), n from 1 on; the period is at least 1."""

    start: int
    period: int

    def after(self, clock: int, every: int = 1) -> int:
        """The first tick later than ``clock``, counting only each ``every``-th."""
        step = self.period * every
        return self.start + ((clock - self.start) // step + 1) * step

    def reaching(self, time: int, clock: int) -> int:
        """The first tick later than ``clock`` that is not before ``time``."""
        return max(self.after(clock), self.after(time - 1))

    def number(self, due: int) -> int:
        """The number of the tick that is due at ``due``, from 1."""
        return (due - self.start) // self.period


class WatermarkSource(ABC):
    """A channel whose watermarks and notices go to ``lane``. Its ticks, if it has any, count from ``start`` (ms).

    ``awaited`` belongs to whoever moves the clock: the tick that is waited for, None for none.
    """

    def __init__(self, spec: WatermarkSpec, lane: Lane, start: int) -> None:
        period = period_of(spec)
        self.ticks = Ticks(start, period) if period else None
        self.awaited: int | None = None
        self._emit = spec.emit
        self._timeout = spec.idle_timeout
        self._lane = lane
        self._newest = self._sent = MIN
        self._idle = False

    @abstractmethod
    def record(self, candidate: int | None) -> None:
        """A record has gone downstream; ``candidate`` is None where records make no watermarks."""

    @abstractmethod
    def tick(self, now: int) -> None:
        """The clock is at ``now`` (ms), which is one of the ticks."""

    @abstractmethod
    def wants(self, clock: int) -> int | None:
        """The first tick after ``clock`` (ms) that has something to do if no record comes before it; None for none."""

    def end(self) -> None:
        """The channel has ended: it turns active and sends ``Long.MAX_VALUE``.

        A generator whose records have brought it there already does not send it again, even if it was lost.
        """
        self._lane.wake()
        if self._newest < MAX:
            self._idle = False
            self._newest = self._sent = MAX
            self._lane.send(MAX)

    def _send(self, *, wakes: bool) -> None:
        """Send the highest candidate if it is above the last one sent; ``wakes``: an idle source turns active first."""
        if self._newest > self._sent:
            if wakes:
                self._wake()
            self._sent = self._newest
            self._lane.send(self._newest)

    def _wake(self) -> None:
        if self._idle:
            self._idle = False
            self._lane.wake()

    def _fall_idle(self) -> None:
        if not self._idle:
            self._idle = True
            self._lane.fall_idle()


class StreamSource(WatermarkSource):
    """A channel of the DataStream API: a record does not make an idle channel active, only a higher watermark does.

    Of the ticks after a record, the first notices that there was one, the second starts the measurement of silence, and
    the first that is more than the timeout later finds the channel idle, once.
    """

    def __init__(self, spec: WatermarkSpec, lane: Lane, start: int) -> None:
        super().__init__(spec, lane, start)
        self._sends_at_once = spec.emit == EACH_RECORD
        self._had_record = self._found_idle = False
        self._quiet_since = 0  # 0 means "not measuring yet", as in Flink, whatever the clock says

    def record(self, candidate: int | None) -> None:
        """Sends its watermark at once, unless ticks do."""
        if candidate is not None and candidate > self._newest:
            self._newest = candidate
        self._had_record, self._found_idle = True, False
        if self._sends_at_once:
            self._send(wakes=True)

    def tick(self, now: int) -> None:
        """Sends the watermark, unless the channel is found idle."""
        if not self._timeout or not self._is_idle(now):
            self._send(wakes=True)
        elif not self._found_idle:
            self._found_idle = True
            self._fall_idle()

    def _is_idle(self, now: int) -> bool:
        if self._had_record:
            self._had_record, self._quiet_since = False, 0
        elif self._quiet_since == 0:
            self._quiet_since = now
        else:
            return now - self._quiet_since > self._timeout
        return False

    def wants(self, clock: int) -> int | None:
        """The next one while a record is unnoticed or nothing is measured; then the one that finds the channel idle."""
        if self.ticks is None:
            return None
        if not self._timeout:
            return self.ticks.after(clock) if self._newest > self._sent else None
        if self._had_record or self._quiet_since == 0:
            return self.ticks.after(clock)
        return None if self._found_idle else self.ticks.reaching(self._quiet_since + self._timeout + 1, clock)


class TableSource(WatermarkSource):
    """A channel of the table runtime: no watermark below 1 is sent, and a record makes its channel active.

    With an interval, a watermark that is more than the interval above the last one does not wait for a tick. A
    watermark does not make the channel active: one that was held back until the channel fell idle is lost.
    """

    def __init__(self, spec: WatermarkSpec, lane: Lane, start: int) -> None:
        super().__init__(spec, lane, start)
        self._newest = self._sent = 0
        self._had_record = True  # the first tick starts the measurement in any case
        self._quiet_since = start
        # One timer serves emission and idleness: watermarks leave at every n-th of its ticks.
        self._each = -(-spec.emit // self.ticks.period) if self.ticks is not None else 1

    def record(self, candidate: int | None) -> None:
        """Sends its watermark at once if it is more than the interval above the last one."""
        self._had_record = True
        if self._timeout:
            self._wake()
        if candidate is not None and candidate > self._newest:
            self._newest = candidate
        if self._newest - self._sent > self._emit:
            self._send(wakes=False)

    def tick(self, now: int) -> None:
        """First the watermark, then whether the channel is idle."""
        if self.ticks is not None and self._emit and self.ticks.number(now) % self._each == 0:
            self._send(wakes=False)
        if not self._timeout:
            return
        if self._had_record:
            self._had_record, self._quiet_since = False, now
        if self._quiet_since + self._timeout <= now:
            self._fall_idle()

    def wants(self, clock: int) -> int | None:
        """The next one that sends what is held back, notices a record, or finds the channel idle."""
        if self.ticks is None:
            return None
        wanted = []
        if self._emit and self._newest > self._sent:
            wanted.append(self.ticks.after(clock, self._each))
        if self._timeout and self._had_record:
            wanted.append(self.ticks.after(clock))
        elif self._timeout and not self._idle:
            wanted.append(self.ticks.reaching(self._quiet_since + self._timeout, clock))
        return min(wanted, default=None)


def source_of(spec: WatermarkSpec, lane: Lane, start: int) -> WatermarkSource:
    """The source of a channel whose input has that generator."""
    return (TableSource if spec.type == "sql" else StreamSource)(spec, lane, start)
