"""Stream items and their keys: what the sources send to the pipeline, one after another, in order of arrival.

``at`` is the processing time (ms) to which the clock moves first, None for an item that does not move it.

A key is a string, a 64-bit integer or a boolean, kept apart by kind. To Python ``True`` and ``1`` are the same
dictionary key, to Java they are not. Inside the engine a boolean key is therefore one of two objects of its own:
``key_of`` makes it and ``plain_key`` turns it back into the boolean.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple


class BooleanKey:
    """A boolean used as a key; compared by identity, so it never equals a number."""

    __slots__ = ("value",)

    def __init__(self, value: bool) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "true" if self.value else "false"


_TRUE: Final = BooleanKey(True)
_FALSE: Final = BooleanKey(False)

Key = str | int | BooleanKey
"""A key inside the engine: two keys are equal only where Java's are."""

PlainKey = str | int | bool
"""A key as a scenario writes it, and as rows, traces and facts show it."""


def key_of(written: PlainKey) -> Key:
    """The engine's key for one written in a scenario."""
    if isinstance(written, bool):
        return _TRUE if written else _FALSE
    return written


def plain_key(key: Key | PlainKey) -> PlainKey:
    """The key as it was written in the scenario, for rows, traces and screens."""
    return key.value if isinstance(key, BooleanKey) else key


class Element(NamedTuple):
    """``timestamp`` in ms, None if the record has none; ``input`` is the side of a join."""

    timestamp: int | None
    value: Any
    input: str = ""


new_element: Callable[[tuple[int | None, Any, str]], Element] = partial(tuple.__new__, Element)
"""``Element(*fields)`` in a third of the time, for joins: there each record is kept."""


UPSERT: Final = "upsert"
DELETE: Final = "delete"
"""What a record of the right side of a temporal join does with the version before it: replace it, or end it."""

FILTERED: Final = "filtered"
"""``op`` of a record that the filter of its input drops: it moves the watermark, and does not reach the operator."""


class Record(NamedTuple):
    """A record; a tuple, since a generated stream makes millions of them.

    ``input`` is the name of one of the scenario's inputs. ``ts`` (ms) is None in processing time, and for a NULL time
    behind a watermark of SQL, which ends the run. ``op`` is ``DELETE`` only on the right side of a temporal join,
    ``FILTERED`` only where the input has a filter.
    """

    key: str | int | bool
    ts: int | None
    value: Any = None
    input: str = "events"
    channel: int = 0
    at: int | None = None
    op: str = UPSERT


@dataclass(frozen=True, slots=True)
class Watermark:
    ts: int
    input: str = "events"
    channel: int = 0
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """``status``: ``idle`` or ``active``."""

    status: str
    input: str = "events"
    channel: int = 0
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Advance:
    by: int
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Checkpoint:
    name: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Restore:
    name: str
    at: int | None = None


@dataclass(frozen=True, slots=True)
class End:
    at: int | None = None


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """``{batch: end}``, for Spark's rules only; it does not move the clock."""

    at: ClassVar[None] = None


Item = Record | Watermark | Status | Advance | Checkpoint | Restore | End | BatchEnd
