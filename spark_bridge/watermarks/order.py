"""Going through a stream in order, item by item, for the combined watermark before and after each.

Theory of operation
-------------------
Mostly the watermark is a prefix maximum, which needs no order (``execution/watermark.py``). With idle channels,
statuses in the stream, restores or the table runtime's generator it depends on the order of everything that happens.
Then one task makes a *passage* through the entries of the stream, which come in by (item, sub). For each of them

1. the clock moves on (``come_to``), and ticks that are due on its way run, each at its own time;
2. the entry itself is worked on (``record`` or ``signal``);
3. the channel's next tick is computed again, since what happened may have made one needed, earlier or needless.

A *source* makes the watermarks of a channel, and its notice that it has fallen idle. A tick that has nothing to do is
never visited: a source says which of its ticks is the next that matters (``wants``). So a silence of a million ticks
costs no more than a short one. Of the ticks due in the same millisecond, the channel with the longer period comes
first, as its tick was scheduled earlier (``ranks``).

A *valve* combines the channels: the minimum over those that are active and have caught up. An idle channel does not
count, and loses the watermarks that come on it. When it is active again, it counts only once its watermark has caught
up with what was sent meanwhile.

This is written apart from the simulator's ``pipeline``, on purpose: the comparison would otherwise prove nothing.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import EACH_RECORD, WatermarkSpec


class Lane:
    """A channel as its valve sees it; ``watermark`` in ms. ``in_step``: it counts for the minimum."""

    __slots__ = ("active", "in_step", "valve", "watermark")

    def __init__(self, valve: "Valve") -> None:
        self.valve = valve
        self.watermark = MIN
        self.active = self.in_step = True

    def send(self, watermark: int) -> None:
        """A watermark comes on the channel."""
        if not self.active or watermark <= self.watermark:
            return
        held_back = self.watermark <= self.valve.lowest
        self.watermark = watermark
        if not self.in_step and watermark >= self.valve.sent:
            self.in_step = held_back = True
        if held_back:
            self.valve.send_minimum()

    def fall_idle(self) -> None:
        """The channel reports that nothing will come for a while."""
        if self.active:
            self.active = self.in_step = False
            self.valve.lost(self)

    def wake(self) -> None:
        """The channel is active again, which by itself moves nothing."""
        if not self.active:
            self.active = True
            self.in_step = self.watermark >= self.valve.sent
            self.valve.regained()


class Valve:
    """Combines ``channels`` lanes.

    ``moved`` is called with each higher watermark (ms), ``idle`` with True when all lanes are idle, and with False when
    that is over.

    ``lowest`` is the minimum over the lanes that count, as of the last search: a lane above it holds nobody back, so
    its watermark needs no new search. It is ``Long.MAX_VALUE`` if another lane has come to count since.
    """

    def __init__(self, channels: int, moved: Callable[[int], None], idle: Callable[[bool], None]) -> None:
        self.lanes = [Lane(self) for _ in range(channels)]
        self.sent = MIN
        self.lowest = MAX
        self._moved = moved
        self._idle = idle
        self._all_idle = False

    def send_minimum(self) -> None:
        """Send the minimum over the lanes that count, if it is higher than what was sent."""
        self.lowest = min((lane.watermark for lane in self.lanes if lane.in_step), default=MIN)
        self._send(self.lowest)

    def lost(self, lane: Lane) -> None:
        """``lane`` has fallen idle. Only if it stood at what was sent can it have held the others back."""
        held_back = lane.watermark == self.sent
        if any(each.active for each in self.lanes):
            if held_back:
                self.send_minimum()
            return
        if held_back:
            self._send(max(each.watermark for each in self.lanes))
        self._all_idle = True
        self._idle(True)

    def regained(self) -> None:
        """A lane is active again."""
        self.lowest = MAX
        if self._all_idle:
            self._all_idle = False
            self._idle(False)

    def _send(self, watermark: int) -> None:
        if watermark > self.sent:
            self.sent = watermark
            self._moved(watermark)


class Junction:
    """Inputs with a valve each: the minimum over those that are not idle, or the maximum over all if all are.

    ``channels`` is the number of channels of each input; ``moved`` is called with each higher watermark (ms).
    """

    def __init__(self, channels: Sequence[int], moved: Callable[[int], None]) -> None:
        self._watermarks = [MIN] * len(channels)
        self._idle = [False] * len(channels)
        self._sent = MIN
        self._moved = moved
        self.valves = [Valve(number, *self._hands(place)) for place, number in enumerate(channels)]

    def _hands(self, place: int) -> tuple[Callable[[int], None], Callable[[bool], None]]:
        def moved(watermark: int) -> None:
            self._watermarks[place] = watermark
            self._combine()

        def idle(all_idle: bool) -> None:
            self._idle[place] = all_idle
            self._combine()

        return moved, idle

    def _combine(self) -> None:
        active = [each for each, idle in zip(self._watermarks, self._idle, strict=True) if not idle]
        watermark = min(active) if active else max(self._watermarks)
        if watermark > self._sent:
            self._sent = watermark
            self._moved(watermark)


def lanes_of(channels: Sequence[int], moved: Callable[[int], None], *, per_input: bool) -> list[Lane]:
    """The lanes of all inputs, in order. ``moved`` is called with each new combined watermark (ms).

    ``channels`` is the number of channels of each input. ``per_input``: each input has a valve of its own; otherwise
    one valve serves all channels.
    """
    if per_input:
        return [lane for valve in Junction(channels, moved).valves for lane in valve.lanes]
    return Valve(sum(channels), moved, lambda all_idle: None).lanes


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
