"""What a function has made stays in memory for whoever asks for the same next.

The app and the pages without a server call the same functions, and the latter have no Streamlit, so this is not
Streamlit's cache. As there, a parameter whose name begins with an underscore is no part of the key.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import update_wrapper
from inspect import signature
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar

from tidemark.simulator.places import BUILD

Parameters = ParamSpec("Parameters")
Made = TypeVar("Made")
Key = tuple[Hashable, ...]


class Latest(OrderedDict[Any, Made]):
    """What was kept or found last, by key and for all threads.

    ``most``: how many there may be (None: any number). ``weigh``: how much of ``most_weight`` one takes; the latest
    stays whatever it weighs.
    """

    def __init__(
        self, most: int | None = None, weigh: Callable[[Made], int] | None = None, most_weight: int = 0
    ) -> None:
        super().__init__()
        self.most = most
        self.weigh = weigh
        self.most_weight = most_weight
        self.lock = RLock()

    def find(self, key: Hashable) -> Made | None:
        """What is kept under ``key``; None if nothing is."""
        with self.lock:
            if key in self:
                self.move_to_end(key)
            return self.get(key)

    def keep(self, key: Hashable, made: Made) -> Made:
        """``made``, kept from now on; what was found longest ago goes for it."""
        with self.lock:
            self[key] = made
            self.move_to_end(key)
            while len(self) > 1 and self._has_too_much():
                self.popitem(last=False)
        return made

    def _has_too_much(self) -> bool:
        if self.most is not None and len(self) > self.most:
            return True
        return self.weigh is not None and sum(map(self.weigh, self.values())) > self.most_weight


class Keeping(Generic[Parameters, Made]):
    """A function whose results are kept. What it raises is raised again at each call."""

    def __init__(self, make: Callable[Parameters, Made], kept: Latest[Made]) -> None:
        update_wrapper(self, make)
        self._make = make
        self._signature = signature(make)
        self._in_key = [not name.startswith("_") for name in self._signature.parameters]
        self._kept = kept
        self._making: dict[Key, Any] = {}

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Made:
        """The result for these arguments. Of several threads that want the same, one makes it and the others wait."""
        key = self._key(args, kwargs)
        with self._kept.lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            making = self._making.setdefault(key, RLock())
        with making:
            with self._kept.lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                return self._kept.keep(key, self._make(*args, **kwargs))
            finally:
                with self._kept.lock:
                    self._making.pop(key, None)

    def clear(self) -> None:
        """Forget all results."""
        with self._kept.lock:
            self._kept.clear()

    def _key(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Key:
        if kwargs or len(args) < len(self._in_key):
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        return tuple(each for each, counts in zip(args, self._in_key, strict=True) if counts)


def keeping(
    most: int | None = None, *, weigh: Callable[[Any], int] | None = None, most_weight: int = 0
) -> Callable[[Callable[Parameters, Made]], Keeping[Parameters, Made]]:
    """Decorate a function whose results are kept: ``most`` of them, or all; with ``weigh`` the latest whose weights
    add up to ``most_weight`` at most. Its arguments must be hashable."""
    return lambda make: Keeping(make, Latest(most, weigh, most_weight))


# A cache in ``build/`` for what takes a second or two to make and never changes.


def kept(name: str, made_from: str, make: Callable[[], bytes]) -> bytes:
    """The bytes that ``make`` returns, read from ``build/`` if they were made from the same input before.

    If that folder cannot be written, the next process makes them again.
    """
    stem, _, suffix = name.partition(".")
    path = BUILD / f"{stem}-{hashlib.sha256(made_from.encode()).hexdigest()[:12]}.{suffix}"
    if path.is_file():
        return path.read_bytes()
    made = make()
    try:
        BUILD.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")  # another process may be making the same
        part.write_bytes(made)
        part.replace(path)
    except OSError:
        pass
    return made
