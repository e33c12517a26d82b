"""When the run's watermark reached a time: the phases of what waits for it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tidemark.simulator.engine.trace.events import Restored, WatermarkCombined, WatermarkForwarded, WatermarkRestored
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.timeline.due import DUE, PAST, event_status
from tidemark.simulator.timeline.facts import Row


@dataclass(slots=True)
class _Run:
    """From a start or restore on: the passes of the watermark, each from ``begins`` to before ``ends``."""

    start: int
    begins: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    watermarks: list[int] = field(default_factory=list)


class Phase(NamedTuple):
    """From ``step`` on it is in ``name``, a word of ``simulator.timeline.due``."""

    step: int
    name: str


class RunTime:
    """Watermark and restores of a run by step."""

    def __init__(self, trace: Trace) -> None:
        self._runs = [_Run(0)]
        self.restores: list[tuple[int, int]] = []
        for step in trace:
            match step.event:
                case WatermarkCombined(ts=watermark):
                    run = self._runs[-1]
                    run.begins.append(step.step)
                    run.ends.append(len(trace))
                    run.watermarks.append(watermark)
                case WatermarkRestored(ts=watermark):
                    run = self._runs[-1]
                    run.begins.append(step.step)
                    run.ends.append(step.step)
                    run.watermarks.append(watermark)
                case WatermarkForwarded() if self._runs[-1].ends[-1] == len(trace):
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
        """The fact's life, cut where a restore starts the watermark again."""
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
        """The phases of a record that waits since ``start`` for the watermark ``timestamp`` (ms)."""
        number = bisect_right([run.start for run in self._runs], start) - 1
        run = self._runs[number]
        here = bisect_right(run.begins, start) - 1
        watermark = run.watermarks[here] if here >= 0 else None
        first = event_status(timestamp, watermark, advancing=here >= 0 and start < run.ends[here])
        if first == DUE:
            return [Phase(start, DUE)]
        due = here + 1 if first == PAST else bisect_left(run.watermarks, timestamp, lo=here + 1)
        return [Phase(start, first), *([Phase(run.begins[due], DUE)] if due < len(run.begins) else [])]
