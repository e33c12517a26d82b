"""Going through a stream item by item, for the combined watermark before and after each.

The clock moves on before an item, and on its way the ticks of the channels that have something to do. A silence
of a million ticks costs no more than a short one: only the next tick that matters is ever waited for.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from simulator.scenario.model import WatermarkSpec
from simulator.values.time import MIN
from spark_bridge.watermarks.sources import Source, source_of
from spark_bridge.watermarks.ticks import period_of, ranks
from spark_bridge.watermarks.valve import lanes_of

WATERMARK: Final = "watermark"
IDLE: Final = "idle"
ACTIVE: Final = "active"
END: Final = "end"
RESTORE: Final = "restore"
CLOCK: Final = "clock"
"""What a signal is: a watermark in the stream, a status, the end of a channel, the moment at which a job begins anew
after a failure, or an item that moves the clock only."""


class Move(NamedTuple):
    """The combined watermark went from ``before`` to ``after`` (ms) while the clock stood at ``at``.

    ``item`` was being worked on; ``sub`` is the place among what happens with that item, as in the entries.
    """

    item: int
    sub: int
    at: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """The channels: generator and number of channels of each input, and where the clock starts (ms).

    ``valve_per_input``: each input is combined by itself first, as an operator with two inputs does.
    """

    inputs: tuple[tuple[WatermarkSpec, int], ...]
    origin: int
    valve_per_input: bool

    def passage(self) -> "Passage":
        """A passage through the stream, from its beginning."""
        return Passage(self)


class Passage:
    """Takes the entries of a stream in their order. ``watermark`` is the combined one (ms) as it stands.

    ``moves`` are those that came with no record; whoever takes them empties the list.
    """

    def __init__(self, wiring: Wiring) -> None:
        self._wiring = wiring
        self._specs = [spec for spec, channels in wiring.inputs for _ in range(channels)]
        self._ranks = ranks([period_of(spec) for spec in self._specs])
        self.moves: list[Move] = []
        self._place = (0, 0)
        self._clock = wiring.origin
        self._begin()

    def _begin(self) -> None:
        """Channels as new: nothing sent, nobody idle, ticks that count from now."""
        wiring = self._wiring
        self.watermark = MIN
        self._waiting: list[tuple[int, int, int]] = []
        channels = [number for _, number in wiring.inputs]
        self._lanes = lanes_of(channels, self._moved, per_input=wiring.valve_per_input)
        pairs = zip(self._specs, self._lanes, strict=True)
        self._sources: list[Source] = [source_of(spec, lane, self._clock) for spec, lane in pairs]
        for channel in range(len(self._sources)):
            self._await(channel)

    def come_to(self, item: int, at: int) -> None:
        """The clock moves to ``at`` (ms, never back) because of ``item``; what the ticks on its way move is told."""
        waiting = self._waiting
        while waiting and waiting[0][0] <= at:
            due, rank, channel = heappop(waiting)
            source = self._sources[channel]
            if source.awaited != due:
                continue  # an earlier tick has done its work
            source.awaited = None
            self._clock = due
            self._place = (item, (due - self._wiring.origin) * len(self._sources) + rank)
            source.tick(due)
            self._await(channel)
        self._clock = at

    def record(self, channel: int, candidate: int | None) -> None:
        """A record of ``channel`` (over all inputs), after which the watermark is ``candidate``, if it makes one.

        What it moves shows in ``watermark``, not in ``moves``.
        """
        if channel >= len(self._sources):
            return  # a planted fault has taken the channel away
        before = len(self.moves)
        self._sources[channel].record(candidate)
        del self.moves[before:]
        self._await(channel)

    def signal(self, kind: str, item: int, sub: int, channel: int, watermark: int | None) -> None:
        """What else stands in the stream; ``kind`` is one of those above, ``watermark`` null but for a watermark."""
        if kind == RESTORE:
            self._begin()
        if kind in (CLOCK, RESTORE) or channel >= len(self._sources):
            return
        self._place = (item, sub)
        if kind == END:
            self._sources[channel].end()
            self._await(channel)
        elif kind == WATERMARK:
            assert watermark is not None
            self._lanes[channel].send(watermark)
        elif kind == IDLE:
            self._lanes[channel].fall_idle()
        else:
            self._lanes[channel].wake()

    def _moved(self, watermark: int) -> None:
        self.moves.append(Move(*self._place, self._clock, self.watermark, watermark))
        self.watermark = watermark

    def _await(self, channel: int) -> None:
        source = self._sources[channel]
        due = source.wants(self._clock)
        if due is not None and due != source.awaited:
            source.awaited = due
            heappush(self._waiting, (due, self._ranks[channel], channel))
            if len(self._waiting) > 4 * len(self._sources) + 64:
                self._forget()

    def _forget(self) -> None:
        """Drop the ticks that nobody waits for any more: a record often makes a far one needless."""
        sources = enumerate(self._sources)
        self._waiting[:] = [(each.awaited, self._ranks[n], n) for n, each in sources if each.awaited is not None]
        heapify(self._waiting)
