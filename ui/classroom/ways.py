"""The ways in which a class answers: choosing, tapping windows, dragging a record, entering a number.

A way knows what a phone must be told, reads an answer that a phone sent, and finds the choice that it stands for. It
was made from the run, so that no browser is trusted. What it tells a phone does not say what is right.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Protocol

Answer = int | tuple[int, ...]
"""An answer that was understood: an index, a number (times in ms), or the indexes of the windows that were tapped."""

MOST_DIGITS: Final = 20
"""The most characters of a number that is entered."""

FARTHEST: Final = 2**53
"""Numbers that are entered are smaller than this: beyond it browsers do not count exactly."""


class Way(Protocol):
    """How a question is answered."""

    @property
    def name(self) -> str:
        """``choose``, ``tap``, ``drag`` or ``enter``."""

    def told(self) -> Mapping[str, Any]:
        """What a phone needs to offer it, as JSON."""

    def read(self, given: object) -> Answer | None:
        """The answer in what a phone sent; None if it is none."""

    def choice_of(self, answer: Answer) -> int:
        """The choice of the question that ``answer`` stands for, as an index."""

    def standing_for(self, choice: int) -> Answer:
        """The answer that ``choice`` stands for, which is one of the choices of the run."""


@dataclass(frozen=True, slots=True)
class Choose:
    """One of ``count`` choices."""

    count: int
    name: str = "choose"

    def told(self) -> Mapping[str, Any]:
        """Nothing: the choices are texts of the question."""
        return {}

    def read(self, given: object) -> Answer | None:
        """An index of a choice."""
        return given if type(given) is int and 0 <= given < self.count else None

    def choice_of(self, answer: Answer) -> int:
        """The choice itself."""
        assert isinstance(answer, int)
        return answer

    def standing_for(self, choice: int) -> Answer:
        """The choice itself."""
        return choice


@dataclass(frozen=True, slots=True)
class Enter:
    """A number. ``scale``: how many of its units one is that is entered; 1000 where ms are entered as seconds.

    ``values``: those of the choices, in their order; any other number stands for the choice after them.
    """

    scale: int
    values: tuple[int, ...]
    name: str = "enter"

    def told(self) -> Mapping[str, Any]:
        """``scale``."""
        return {"scale": self.scale}

    def read(self, given: object) -> Answer | None:
        """A number as people write it, with a point or a comma; no more decimals than the scale has."""
        if not isinstance(given, str) or not 0 < len(given.strip()) <= MOST_DIGITS or not given.isascii():
            return None
        try:
            number = Decimal(given.strip().replace(",", ".")) * self.scale
        except InvalidOperation:
            return None
        if not number.is_finite() or abs(number) >= FARTHEST or number != int(number):
            return None
        return int(number)

    def choice_of(self, answer: Answer) -> int:
        """The choice with this value, otherwise the last one."""
        return self.values.index(answer) if isinstance(answer, int) and answer in self.values else len(self.values)

    def standing_for(self, choice: int) -> Answer:
        """Its number."""
        return self.values[choice]


@dataclass(frozen=True, slots=True)
class Tap:
    """Some of ``windows``, or none: each {key, start, end, text}, with bounds in ms, None for the global window.

    ``sets``: those that each choice names, as indexes in rising order; any other set stands for the choice after them.
    """

    windows: tuple[tuple[str, int | None, int | None, str], ...]
    sets: tuple[tuple[int, ...], ...]
    name: str = "tap"

    def told(self) -> Mapping[str, Any]:
        """``windows``."""
        return {"windows": [dict(zip(("key", "start", "end", "text"), each, strict=True)) for each in self.windows]}

    def read(self, given: object) -> Answer | None:
        """Indexes of different windows."""
        if not isinstance(given, list) or len(given) > len(self.windows):
            return None
        if any(type(each) is not int or not 0 <= each < len(self.windows) for each in given):
            return None
        return tuple(sorted(given)) if len(set(given)) == len(given) else None

    def choice_of(self, answer: Answer) -> int:
        """The choice that names exactly these windows, otherwise the last one."""
        return self.sets.index(answer) if isinstance(answer, tuple) and answer in self.sets else len(self.sets)

    def standing_for(self, choice: int) -> Answer:
        """Its windows."""
        return self.sets[choice]


@dataclass(frozen=True, slots=True)
class Drag:
    """A place for a record on the axis of event time: place n is ``first + n * apart`` (ms), ``origin`` is its own.

    ``lost``: for each place, whether the run drops the record there. Right is the lost place nearest to ``origin``: the
    choices are that place, a lost one that is further away, and one where the record still counts.
    """

    first: int
    apart: int
    origin: int
    lost: tuple[bool, ...]
    places: tuple[str, ...]
    name: str = "drag"

    def told(self) -> Mapping[str, Any]:
        """The places, each as a text, and which of them is the record's own."""
        return {"places": list(self.places), "origin": self.origin}

    @property
    def nearest(self) -> int:
        """The lost place nearest to ``origin``."""
        return max(place for place in range(self.origin) if self.lost[place])

    def read(self, given: object) -> Answer | None:
        """A place, as an index."""
        return given if type(given) is int and 0 <= given < len(self.lost) else None

    def choice_of(self, answer: Answer) -> int:
        """0: as far as needed, 1: further than needed, 2: not far enough."""
        assert isinstance(answer, int)
        return 0 if answer == self.nearest else 1 if self.lost[answer] else 2

    def standing_for(self, choice: int) -> Answer:
        """The nearest lost place; only the right choice is one place."""
        return self.nearest
