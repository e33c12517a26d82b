"""What the batch engine carries out of an operator, as plain numbers: one plan for each kind that is native."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """Windows that end every ``slide`` ms and are identified by their ends. Durations in ms.

    A window is ``size`` long: tumbling ones are sliding ones with ``slide`` = ``size``. If it ``grows``, it is
    cumulative: it starts at the last multiple of ``size`` and is at most that long.

    ``table`` windows are those of the table runtime; ``change`` is that of their rows (``+I``), if they have one.
    """

    size: int
    slide: int
    offset: int
    lateness: int
    late_row: str
    compute: str
    grows: bool = False
    table: bool = False
    change: str | None = None

    @property
    def grid(self) -> int:
        """How far apart windows start."""
        return self.size if self.grows else self.slide


@dataclass(frozen=True, slots=True)
class WindowJoinPlan:
    """A window over both inputs: ``pairs`` of the records of a window, or both sides as lists.

    Of a group, ``needs_left`` and ``needs_right`` say which side must not be empty.
    """

    window: WindowPlan
    pairs: bool
    needs_left: bool
    needs_right: bool


@dataclass(frozen=True, slots=True)
class IntervalJoinPlan:
    """right.ts in [left.ts + ``lower``, left.ts + ``upper``], both ends (ms) inclusive."""

    lower: int
    upper: int
    late_row: str


@dataclass(frozen=True, slots=True)
class TopNPlan:
    """The first ``n`` records of each window, by value."""

    window: WindowPlan
    n: int
    largest_first: bool


@dataclass(frozen=True, slots=True)
class SortPlan:
    """The event sort takes no parameters."""


@dataclass(frozen=True, slots=True)
class DeduplicatePlan:
    """``keep``: ``first`` or ``last``."""

    keep: str


@dataclass(frozen=True, slots=True)
class OverPlan:
    """An aggregate over all records of the key so far: ``by_row`` one by one, else all of one time together."""

    compute: str
    by_row: bool
