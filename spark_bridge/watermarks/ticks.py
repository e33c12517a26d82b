"""When the clock asks a channel: its ticks, at every multiple of a period after the start."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.scenario.model import WatermarkSpec

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
