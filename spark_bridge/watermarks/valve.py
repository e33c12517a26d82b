"""Many channels in, one watermark out: the minimum over the channels that are active and have caught up.

An idle channel does not count, and loses the watermarks that come on it. When it is active again, it counts only once
its watermark has caught up with what was sent meanwhile.
"""

from collections.abc import Callable, Sequence

from tidemark.simulator.engine.values.time import MAX, MIN


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
