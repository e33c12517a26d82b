"""The search for the smallest stream on which two scenarios differ.

The streams of the scenarios themselves come first, then small streams, all of them. If these are too many, random ones
find a difference sooner. It is then made smaller, item by item and number by number, and the streams that are smaller
still are tried as far as the bounds allow. So an answer without a difference says what was tried, and an answer with
one whether a smaller one is possible.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from time import process_time
from typing import Final

from tidemark.simulator.engine.values.items import Checkpoint, End, Item, Record, Restore, Watermark
from tidemark.simulator.explore.differ.sides import Rows, Side, Stream, sides_of
from tidemark.simulator.explore.differ.streams import Space, every, number_of, random_streams, space_of
from tidemark.simulator.explore.differ.values import ON_A_CHANNEL, as_written, changed
from tidemark.simulator.scenario.model import Scenario

AT_ONCE: Final = 3_000
"""So many streams of one size are tried before random ones."""

OWN_ITEMS: Final = 300
"""The most items of a scenario's own stream on which both are tried."""

EARLY: Final = 0.2
"""The share of the time after which random streams are drawn, even if few small ones have been tried."""

SEARCHING: Final = 0.7
"""The share of the time for finding a stream; the rest is for making it smaller."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far the search goes: ``records`` of a stream of which all are tried, ``random`` streams, ``seconds``."""

    records: int = 3
    random: int = 2_000
    seconds: float = 20.0
    seed: int = 1


@dataclass(slots=True)
class Tried:
    """What was tried. ``all_of``: every stream of at most so many records, ``streams`` in all, over so many ``times``,
    ``kinds`` of records and ``channels``; none of those that are smaller than what was found differs. ``random``: so
    many others as well.
    """

    times: int
    kinds: int
    channels: int
    all_of: int = 0
    streams: int = 0
    random: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found. ``stream``: the smallest stream on which they differ, as the first one reads it, or None.

    ``left`` and ``right``: both scenarios over it, and ``only_left`` and ``only_right`` what only one of them has.
    ``belief``: the wrong belief that stands for the second scenario.
    """

    stream: Stream | None
    left: Scenario
    right: Scenario
    only_left: Rows
    only_right: Rows
    tried: Tried
    belief: str | None = None

    @property
    def records(self) -> int:
        """The records of ``stream``."""
        return _records(self.stream or ())


def _records(stream: Iterable[Item]) -> int:
    return sum(isinstance(item, Record | Watermark) for item in stream)


def differ(left: Scenario, right: Scenario, bounds: Bounds | None = None) -> Answer:
    """The smallest stream found on which the rows of both differ.

    Raises ``ScenarioError`` if they have no streams in common, or one of them does not run.
    """
    one, other = sides = sides_of(left, right)
    space = space_of(left, right)
    search = Search(one.rows, other.rows, space, bounds or Bounds())
    return answer_of(search, sides, search.found(own_streams(sides, space)))


def answer_of(search: "Search", sides: tuple[Side, Side], found: Stream | None) -> Answer:
    """What the search has ``found``, and what it has tried."""
    one, other = sides
    left, right = (side.rows(found) or Rows() for side in sides) if found else (Rows(), Rows())
    return Answer(found, one.over(found or ()), other.over(found or ()), left - right, right - left, search.tried)


def own_streams(sides: tuple[Side, Side], space: Space) -> Iterator[Stream]:
    """The streams of the scenarios themselves, as far as both can read them."""
    for side in sides:
        written = side.scenario.stream
        if isinstance(written, tuple) and len(written) <= OWN_ITEMS:
            yield _in_common(side, written, space)


def _in_common(side: Side, written: Sequence[Item], space: Space) -> Stream:
    """A stream of ``side`` as it is in a file, on channels that both have."""
    made: list[Item] = []
    for item in written:
        if isinstance(item, ON_A_CHANNEL):
            number = [name for name, _, _ in space.inputs].index(item.input)
            own = as_written(item, side.scenario.inputs[number]) if isinstance(item, Record) else item
            made.append(changed(own, channel=min(item.channel, space.inputs[number][1] - 1)))
        elif space.controls or space.batches:
            made.append(item)
    return tuple(made)


Compared = Callable[[Stream], Rows | None]
"""What is compared of a run over a stream; None if it cannot run."""


class Search:
    """A search over the streams of ``space``; ``tried`` says how far it went."""

    def __init__(self, left: Compared, right: Compared, space: Space, bounds: Bounds) -> None:
        self._left, self._right = left, right
        self.space = space
        self._bounds = bounds
        now = process_time()
        self._early, self._until, self._ends = (now + share * bounds.seconds for share in (EARLY, SEARCHING, 1))
        self.tried = Tried(len(space.times), space.kinds, space.channels)

    def found(self, own: Iterable[Stream] = ()) -> Stream | None:
        """The smallest stream on which both differ; the streams ``own`` are tried first."""
        found = self._first(own)
        size, drew = 1, found is not None
        while size <= self._bounds.records and (found is None or size < _records(found)):
            if not drew and number_of(self.space, size) > AT_ONCE:
                found, drew = self._first(self._drawn()), True
                continue
            if less := self._smallest_of(size, self._until if drew else self._early):
                return self._smaller(less)
            if self.tried.all_of == size:
                size += 1
            elif drew:
                break
            else:
                found, drew = self._first(self._drawn()), True
        return found if drew else self._first(self._drawn())

    def _first(self, streams: Iterable[Stream]) -> Stream | None:
        """The first stream on which they differ, made smaller."""
        found = next(filter(self._differ, streams), None)
        return None if found is None else self._smaller(found)

    def _smallest_of(self, size: int, until: float) -> Stream | None:
        """The first stream of ``size`` records on which they differ; None if there is none, or time is up."""
        tried = 0
        for stream in every(self.space, size):
            if self._differ(stream):
                return stream
            tried += 1
            if process_time() > until:
                return None
        self.tried.all_of = size
        self.tried.streams += tried
        return None

    def _drawn(self) -> Iterator[Stream]:
        """Random ones, until time is up."""
        for stream in random_streams(self.space, self._bounds.seed, self._bounds.random):
            if process_time() > self._until:
                return
            self.tried.random += 1
            yield stream

    def _differ(self, stream: Stream) -> bool:
        left = self._left(stream)
        if left is None:
            return False
        right = self._right(stream)
        return right is not None and left != right

    def _smaller(self, stream: Stream) -> Stream:
        """The stream with as few items and as small numbers as one change after another reaches."""
        while True:
            in_time = takewhile(lambda _: process_time() < self._ends, self._less(stream))
            less = next(filter(self._differ, in_time), None)
            if less is None:
                return stream
            stream = less

    def _less(self, stream: Stream) -> Iterator[Stream]:
        """Streams that are a little smaller: without some items, then with one smaller number."""
        yield from self._sooner(stream)
        count = len(stream)
        part = count // 2
        while part >= 1:
            for place in range(0, count, part):
                yield (*stream[:place], *stream[place + part :])
            part //= 2
        for first in range(count):
            for second in range(first + 1, count):
                if not isinstance(stream[second], Checkpoint | End) and count <= 12:
                    yield (*stream[:first], *stream[first + 1 : second], *stream[second + 1 :])
        for place, item in enumerate(stream):
            for other in self._simpler(item):
                yield (*stream[:place], other, *stream[place + 1 :])

    def _sooner(self, stream: Stream) -> Iterator[Stream]:
        """The stream at the first times of the clock that matter: a run takes as long as its clock does."""
        clocks = sorted({item.at for item in stream if item.at is not None})
        if clocks and len(clocks) <= len(self.space.clock) and self.space.clock[len(clocks) - 1] < clocks[-1]:
            sooner = dict(zip(clocks, self.space.clock, strict=False))
            yield tuple(item if item.at is None else changed(item, at=sooner[item.at]) for item in stream)

    def _simpler(self, item: Item) -> Iterator[Item]:
        if isinstance(item, Checkpoint | Restore):
            return
        if isinstance(item, Record | Watermark) and item.channel:
            yield changed(item, channel=0)
        if item.at is not None:
            yield changed(item, at=None)
        if isinstance(item, Record | Watermark) and item.ts is not None:
            near = abs(item.ts - self.space.start)
            for time in self.space.times:
                if abs(time - self.space.start) >= near:
                    break
                yield changed(item, ts=time)
        if isinstance(item, Record):
            side = next(number for number, each in enumerate(self.space.inputs) if each[0] == item.input)
            payloads = self.space.payloads[side]
            known = payloads.index((item.key, item.value)) if (item.key, item.value) in payloads else len(payloads)
            for key, value in payloads[:known]:
                yield item._replace(key=key, value=value)
