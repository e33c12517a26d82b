"""What every trace event has: its place, and where something was decided, the rule."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, TypeVar, dataclass_transform

_Event = TypeVar("_Event")


@dataclass_transform(frozen_default=True)
def trace_event(event: type[_Event]) -> type[_Event]:
    """Makes a class of events: a dataclass with slots, and frozen, as far as mypy is concerned.

    Python need not watch over it as well: that would make an event, of which each record has a dozen, five times as
    expensive.
    """
    return dataclass(slots=True, unsafe_hash=True)(event)


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


new_rule: Callable[[tuple[str, str, tuple[tuple[str, int | float], ...], bool]], Rule] = partial(tuple.__new__, Rule)
"""``Rule(*fields)`` in a third of the time, for triggers: each record has one for each of its windows."""


@trace_event
class TraceEvent:
    """Base of all events. ``place``: ``WindowOperator.process_element`` and the like."""

    place: str
