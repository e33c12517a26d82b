"""What every trace event has: its place, and where something was decided, the rule."""

from dataclasses import dataclass
from typing import NamedTuple


class Rule(NamedTuple):
    """A condition that the engine evaluated.

    ``name`` is its name in the catalogue of words (``window-late``), ``formula`` its text in Flink's terms
    (``max_timestamp + allowed_lateness <= watermark``), ``numbers`` the value of each name in the formula, in order
    of appearance, and ``holds`` the result.
    """

    name: str
    formula: str
    numbers: tuple[tuple[str, int | float], ...]
    holds: bool


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """Base of all events. ``place``: ``WindowOperator.process_element`` and the like."""

    place: str
