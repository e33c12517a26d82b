"""Ordering long work: on a server another process does it, everywhere else it is done here and now.

The pages of a site, the command lines and the processes themselves call the same functions and have no server.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")
Doing = Callable[..., Any]


class NotDone(Exception):
    """The work was given up; the message says why, and what can be done."""


class _Ways:
    do: Doing | None = None


def connect(do: Doing | None) -> None:
    """From now on ``do(function, *arguments)`` does long work in this process; None: it is done where it is ordered."""
    _Ways.do = staticmethod(do) if do else None


def heavily(function: Callable[..., Made], *arguments: Any) -> Made:
    """``function(*arguments)``; it may take long. Function, arguments and result can be pickled.

    Raises what the function raises, and ``NotDone``.
    """
    if _Ways.do is None:
        return function(*arguments)
    made: Made = _Ways.do(function, *arguments)
    return made
