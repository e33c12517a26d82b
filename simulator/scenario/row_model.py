"""The part of the model for SQL's operators without windows: temporal join, OVER, deduplication; and the function."""

from dataclasses import dataclass
from typing import ClassVar, Final


@dataclass(frozen=True, slots=True)
class Function:
    """``call``: ``reduce``, ``aggregate``, ``process`` (``event-sort`` in a process operator, without ``compute``)."""

    call: str
    compute: str | None = None


@dataclass(frozen=True, slots=True)
class TemporalJoin:
    """``kind``: ``inner`` or ``left``."""

    type: ClassVar[str] = "temporal-join"
    kind: str = "inner"


UNBOUNDED: Final = "unbounded"
"""``rows`` or ``range`` of a frame that begins with the key's first row."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Of an OVER aggregation: ``rows`` before the current one, or a ``range`` (ms) before its time; one of the two."""

    rows: int | str | None = None
    range: int | str | None = None


@dataclass(frozen=True, slots=True)
class Over:
    type: ClassVar[str] = "over"
    frame: Frame
    function: Function


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """``keep``: ``first`` or ``last``."""

    type: ClassVar[str] = "deduplicate"
    keep: str
