"""Going through a stream in order, item by item, for the combined watermark before and after each.

Theory of operation
-------------------
Mostly the watermark is a prefix maximum, which needs no order (``execution/watermark.py``). With idle channels,
statuses in the stream, restores or the table runtime's generator it depends on the order of everything that happens.
Then one task makes a *passage* through the entries of the stream, which come in by (item, sub). For each of them

1. the clock moves on (``come_to``), and ticks that are due on its way run, each at its own time;
2. the entry itself is worked on (``record`` or ``signal``);
3. the channel's next tick is computed again, since what happened may have made one needed, earlier or needless.

A tick that has nothing to do is never visited: a source says which of its ticks is the next that matters (``wants``).
So a silence of a million ticks costs no more than a short one. Of the ticks due in the same millisecond, the channel
with the longer period comes first, as its tick was scheduled earlier (``ticks.ranks``).

This is written apart from the simulator's ``pipeline``, on purpose: the comparison would otherwise prove nothing.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import WatermarkSpec
from tidemark.spark_bridge.watermarks.sources import WatermarkSource, period_of, ranks, source_of
from tidemark.spark_bridge.watermarks.valve import lanes_of

WATERMARK: Final = "watermark"
IDLE: Final = "idle"
ACTIVE: Final = "active"
END: Final = "end"
RESTORE: Final = "restore"
CLOCK: Final = "clock"
"""The kinds of signal: a watermark in the stream, a status, the end of a channel, the moment at which a job starts
again after a failure, and an item that only moves the clock."""


class Move(NamedTuple):
    """The combined watermark went from ``before`` to ``after`` (ms) while the clock stood at ``at`` (ms).

    ``item`` was being worked on; ``sub`` orders what happens with that item, as in the entries.
    """

    item: int
    sub: int
    at: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Wiring:
    """The channels: generator and number of channels for each input, and where the clock starts (``origin``, ms).

    ``valve_per_input``: each input is combined by itself first, as in an operator with two inputs.
    """

    inputs: tuple[tuple[WatermarkSpec, int], ...]
    origin: int
    valve_per_input: bool

    def passage(self) -> "Passage":
        """A passage that starts at the beginning of the stream."""
        return Passage(self)


class Passage:
    """Takes the entries of a stream in order. ``watermark`` (ms) is the combined one at the moment.

    ``moves`` collects those moves that no record has made; the caller takes them and empties the list.
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
        """New channels: nothing sent, none idle, ticks that count from now."""
        wiring = self._wiring
        self.watermark = MIN
        self._waiting: list[tuple[int, int, int]] = []
        channels = [number for _, number in wiring.inputs]
        self._lanes = lanes_of(channels, self._moved, per_input=wiring.valve_per_input)
        pairs = zip(self._specs, self._lanes, strict=True)
        self._sources: list[WatermarkSource] = [source_of(spec, lane, self._clock) for spec, lane in pairs]
        for channel in range(len(self._sources)):
            self._await(channel)

    def come_to(self, item: int, at: int) -> None:
        """Move the clock to ``at`` (ms, never back) because of ``item``, running the ticks on its way.

        What they move goes to ``moves``.
        """
        waiting = self._waiting
        while waiting and waiting[0][0] <= at:
            due, rank, channel = heappop(waiting)
            source = self._sources[channel]
            if source.awaited != due:
                continue  # stale: since it was pushed, the source has come to want another tick
            source.awaited = None
            self._clock = due
            # ``sub`` of a tick: by its time, then by rank, and below ``ITEM_SUB``, which the item itself has.
            self._place = (item, (due - self._wiring.origin) * len(self._sources) + rank)
            source.tick(due)
            self._await(channel)  # perhaps a tick that is due before ``at`` as well: then it runs in this loop
        self._clock = at

    def record(self, channel: int, candidate: int | None) -> None:
        """A record of ``channel`` (counted over all inputs); ``candidate`` is the watermark (ms) that it makes, if any.

        What it moves shows in ``watermark``, not in ``moves``: the entry of the record stands for it.
        """
        if channel >= len(self._sources):
            return  # a planted fault has taken the channel away
        before = len(self.moves)
        self._sources[channel].record(candidate)
        del self.moves[before:]
        self._await(channel)

    def signal(self, kind: str, item: int, sub: int, channel: int, watermark: int | None) -> None:
        """What else stands in the stream: ``kind`` is one of the above; only a watermark has a ``watermark`` (ms)."""
        # A restore makes the channels new at the clock of the restore: watermarks and statuses are not in a checkpoint.
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
        """Wait for the channel's next tick that matters.

        One that was waited for before stays in the heap; ``awaited`` tells that it is stale.
        """
        source = self._sources[channel]
        due = source.wants(self._clock)
        if due is not None and due != source.awaited:
            source.awaited = due
            heappush(self._waiting, (due, self._ranks[channel], channel))
            if len(self._waiting) > 4 * len(self._sources) + 64:
                self._forget()

    def _forget(self) -> None:
        """Drop stale ticks from the heap: nearly every record makes a distant one needless."""
        sources = enumerate(self._sources)
        self._waiting[:] = [(each.awaited, self._ranks[n], n) for n, each in sources if each.awaited is not None]
        heapify(self._waiting)
