"""When the run's watermark and clock reached a time: the phases of a timer."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from simulator.timeline.facts import Row
from simulator.trace.events import Restored, WatermarkCombined, WatermarkForwarded
from simulator.trace.trace import Trace

WAITING: Final = "waiting"
"""The watermark or the clock has not come that far."""
DUE: Final = "due"
"""It has: the timer fires in this pass, after those before it."""
NEXT: Final = "next"
"""The watermark was that far before the timer was set: it fires with the next watermark, whichever that is."""


@dataclass(slots=True)
class _Run:
    """From a start or restore on: the passes of the watermark, each from ``begins`` to before ``ends``."""

    start: int
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    watermarks: list[int] = field(default_factory=list)


class Phase(NamedTuple):
    """From ``step`` on the timer is in ``name``."""

    step: int
    name: str


class RunTime:
    """Watermark, clock and restores of a run by step."""

    def __init__(self, trace: Trace) -> None:
        self._runs = [_Run(0)]
        self._clock: list[int] = []
        self.restores: list[tuple[int, int]] = []
        for step in trace:
            self._clock.append(step.at)
            match step.event:
                case WatermarkCombined(ts=watermark):
                    run = self._runs[-1]
                    run.begins.append(step.step)
                    run.ends.append(len(trace))
                    run.watermarks.append(watermark)
                case WatermarkForwarded():
                    self._runs[-1].ends[-1] = step.step
                case Restored(checkpoint_step=checkpoint):
                    self._runs.append(_Run(step.step))
                    self.restores.append((step.step, checkpoint))
                case _:
                    pass

    def undone_at(self, step: int) -> int | None:
        """The step of the restore that takes back what happened at ``step``, None if nothing does."""
        for restored, checkpoint in self.restores:
            if step < restored and step > checkpoint:
                return restored
        return None

    def lives(self, row: Row) -> Iterator[tuple[int, int | None]]:
        """The fact's life, cut where a restore starts the watermark anew."""
        start: int = row["from_step"]
        until: int | None = row["until_step"]
        for restored, _ in self.restores:
            if start < restored and (until is None or restored < until):
                yield start, restored
                start = restored
        yield start, until

    def reached(self, watermark: int) -> Iterator[tuple[int, int | None]]:
        """From which step until before which the operator's watermark is ``watermark`` (ms) or more."""
        for number, run in enumerate(self._runs):
            at = bisect_left(run.watermarks, watermark)
            if at < len(run.begins):
                yield run.begins[at], self._runs[number + 1].start if number + 1 < len(self._runs) else None

    def event_phases(self, start: int, timestamp: int) -> list[Phase]:
        """The phases of an event-time timer for ``timestamp`` (ms) that waits since ``start``."""
        number = bisect_right([run.start for run in self._runs], start) - 1
        run = self._runs[number]
        here = bisect_right(run.begins, start) - 1
        if here >= 0 and run.watermarks[here] >= timestamp:
            if start < run.ends[here]:
                return [Phase(start, DUE)]
            phases, due = [Phase(start, NEXT)], here + 1
        else:
            phases, due = [Phase(start, WAITING)], bisect_left(run.watermarks, timestamp, lo=here + 1)
        if due < len(run.begins):
            phases.append(Phase(run.begins[due], DUE))
        return phases

    def clock_phases(self, start: int, timestamp: int) -> list[Phase]:
        """The same of a processing-time timer, which is due when the clock is past ``timestamp``."""
        due = bisect_left(self._clock, timestamp + 1, lo=start)
        if due <= start:
            return [Phase(start, DUE)]
        return [Phase(start, WAITING), *([Phase(due, DUE)] if due < len(self._clock) else [])]
