"""The records that a share has to see: those of its own keys, and those of other keys that move something.

A record of another key matters only if it raises the largest timestamp of its channel, so that the channel may send a
watermark, or if it brings the clock to a tick of a generator. Where channels can be idle every record counts, and where
the operator follows the clock every item does.
"""

import numpy as np
import numpy.typing as npt
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.keyed.planned import needs_clock
from tidemark.spark_bridge.watermarks.ticks import period_of

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Chosen:
    """Chooses among the records of a stream by Flink's rules, which it sees in order, block by block."""

    def __init__(self, scenario: Scenario) -> None:
        specs = [each.watermark for each in scenario.inputs]
        self._sees_all = needs_clock(scenario.operator) or any(spec.idle_timeout for spec in specs)
        self._origin = scenario.origin
        self._ticked = {interval: 0 for spec in specs if (interval := period_of(spec))}
        self._highest = np.full(sum(each.channels for each in scenario.inputs), MIN, np.int64)

    def among(self, own: Mask, channel: Numbers | None, ts: Numbers, at: Numbers | None) -> Mask:
        """Which of the next records to take. ``own``: those of the share's keys.

        ``channel``: numbered over all inputs, None if there is one. ``at``: the clock (ms), None if it stands still.
        """
        if self._sees_all or not len(own):
            return np.ones_like(own)
        chosen = own | self._rises(channel, ts)
        if at is not None:
            for interval, before in self._ticked.items():
                ticks = (at - self._origin) // interval
                chosen |= np.diff(ticks, prepend=before) > 0
                self._ticked[interval] = int(ticks[-1])
        return chosen

    def _rises(self, channel: Numbers | None, ts: Numbers) -> Mask:
        """Which records are above all earlier ones of their channel."""
        if channel is None:
            return self._rises_in(0, ts)
        order = np.argsort(channel, kind="stable")
        placed = channel[order]
        starts = np.flatnonzero(np.diff(placed, prepend=-1))
        rises = np.empty(len(ts), np.bool_)
        for start, stop in zip(starts, [*starts[1:], len(ts)], strict=True):
            places = order[start:stop]
            rises[places] = self._rises_in(placed[start], ts[places])
        return rises

    def _rises_in(self, channel: int, ts: Numbers) -> Mask:
        highest = np.maximum.accumulate(np.concatenate((self._highest[channel : channel + 1], ts)))
        self._highest[channel] = highest[-1]
        return ts > highest[:-1]
