"""The plans of operators that work row by row: the event sort and deduplication."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SortPlan:
    """The event sort takes no parameters."""


@dataclass(frozen=True, slots=True)
class DeduplicatePlan:
    """``keep``: ``first`` or ``last``."""

    keep: str
