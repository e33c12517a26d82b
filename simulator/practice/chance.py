"""Chance that a seed repeats: the same numbers on every machine and in every version of Python."""

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

Of = TypeVar("Of")


class Chance:
    """Numbers drawn one after another; ``name`` decides all of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0

    def below(self, count: int) -> int:
        """A number from 0 to ``count`` - 1."""
        self._drawn += 1
        digest = sha256(f"{self._name} {self._drawn}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % count

    def between(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``, both included."""
        return least + self.below(most - least + 1)

    def happens(self, percent: int) -> bool:
        """Whether something happens that does so in ``percent`` of 100 cases."""
        return self.below(100) < percent

    def of(self, options: Sequence[Of]) -> Of:
        """One of ``options``, which are not empty."""
        return options[self.below(len(options))]

    def shuffled(self, options: Sequence[Of]) -> list[Of]:
        """All of ``options`` in some order."""
        left, found = list(options), list[Of]()
        while left:
            found.append(left.pop(self.below(len(left))))
        return found
