"""Stream items: what the sources send to the pipeline, one after another, in order of arrival.

``at`` is the processing time (ms) to which the clock moves first, None for an item that does not move it.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple

UPSERT: Final = "upsert"
DELETE: Final = "delete"
"""What a record of the right side of a temporal join does with the version before it: replace it, or end it."""


class Record(NamedTuple):
    """A record; a tuple, since a generated stream makes millions of them.

    ``input`` is the name of one of the scenario's inputs. ``ts`` (ms) is None only in processing time. ``op`` is
    ``DELETE`` only on the right side of a temporal join.
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
