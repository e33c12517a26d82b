"""What every trace event has: its place and, where something was decided, the rule and its comparison taken apart."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal, NamedTuple, TypeVar, dataclass_transform

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
    """Base of all events. ``place``: ``WindowOperator.process_element`` and the like.

    An event that only some operators have says itself what else there is to know of it; by default nothing.
    """

    place: str

    @property
    def line(self) -> str:
        """The line of the code walk at which it stands."""
        return ""

    @property
    def conditions(self) -> tuple[str, ...]:
        """The lines of the conditions that were looked at just before, in the same step."""
        return ()

    @property
    def verdict(self) -> "Verdict | None":
        """What it says to its record as a whole."""
        return None

    @property
    def queued(self) -> int | None:
        """How many more rows wait for the watermark after it."""
        return None


class Verdict(NamedTuple):
    """``name`` as in the table ``judgements``; ``rule``: by which comparison, None where it says nothing."""

    name: str
    rule: Rule | None = None


# The comparisons that rules make, taken apart: what is added up on each side, and the signs between the sides.
#
# A rule carries its formula as text, for whoever reads the trace; what shows the formula with its numbers looks
# here, by that text. A rule with a formula of its own has a line in ``COMPARISONS``; one that is no plain
# comparison has none.

Sign = Literal["<=", "<", ">=", ">", "==", "!="]


class Term(NamedTuple):
    """A number of the rule by its name, or a constant (ms); ``factor`` is -1 where it is subtracted."""

    of: str | int
    factor: int = 1


class Comparison(NamedTuple):
    """``sides`` have one more than ``signs``."""

    sides: tuple[tuple[Term, ...], ...]
    signs: tuple[Sign, ...]

    @property
    def formula(self) -> str:
        """As a rule has it: ``max_timestamp + allowed_lateness <= watermark``."""
        first, *others = map(_side, self.sides)
        return " ".join([first, *(f"{sign} {side}" for sign, side in zip(self.signs, others, strict=True))])


def _side(terms: tuple[Term, ...]) -> str:
    first, *others = terms
    return " ".join([str(first.of), *(f"{'-' if term.factor < 0 else '+'} {term.of}" for term in others)])


def _two(left: tuple[Term, ...], sign: Sign, right: str) -> Comparison:
    return Comparison((left, (Term(right),)), (sign,))


def _plain(left: str, sign: Sign, right: str) -> Comparison:
    return _two((Term(left),), sign, right)


def _plus(left: str, length: str, sign: Sign, right: str) -> Comparison:
    return _two((Term(left), Term(length)), sign, right)


def _minus(left: str, *lengths: str | int, sign: Sign, right: str) -> Comparison:
    return _two((Term(left), *(Term(length, -1) for length in lengths)), sign, right)


_ALL: Final = (
    # windows and their triggers
    _plus("max_timestamp", "allowed_lateness", "<=", "watermark"),
    _plus("timestamp", "allowed_lateness", "<=", "watermark"),
    _plain("max_timestamp", "<=", "watermark"),
    _plain("count", ">=", "max"),
    Comparison(((Term("count"),), (Term(0),)), (">",)),
    _minus("value", "last", sign=">", right="threshold"),
    # timers
    _plain("timer", "<=", "watermark"),
    _plain("timer", "<=", "clock"),
    _plain("timer", "==", "cleanup_time"),
    _plain("timer", "==", "max_timestamp"),
    # the event sort and the joins
    _plain("timestamp", ">", "watermark"),
    _plain("timestamp", "<=", "watermark"),
    _plain("timestamp", "<", "watermark"),
    Comparison(
        ((Term("left"), Term("lower")), (Term("right"),), (Term("left"), Term("upper"))),
        ("<=", "<="),
    ),
    # rows that SQL operators keep
    _plain("timestamp", ">", "last_timer"),
    _plain("timestamp", "<", "waiting"),
    _plain("timestamp", ">=", "kept"),
    _plain("timestamp", "<", "kept"),
    _plain("begins", "<=", "row_time"),
    _plain("newer_version", "<=", "watermark"),
    _plain("planned", "<=", "timer"),
    # watermarks and idleness
    _minus("max_timestamp", "bound", 1, sign=">", right="last"),
    _minus("max_timestamp", "bound", sign=">", right="last"),
    _minus("timestamp", "bound", sign=">", right="last"),
    _plain("watermark", "<=", "channel_watermark"),
    _plain("next_flush", "<=", "watermark"),
    _plain("watermark", "<", "next_flush"),
    _plain("max_timestamp", "<=", "last_watermark"),
    _plain("minimum", ">", "last_watermark"),
    _plain("minimum", "<=", "last_watermark"),
    _minus("now", "inactive_since", sign=">", right="idle_timeout"),
    _plus("idle_since", "idle_timeout", "<=", "now"),
    _plus("idle_since", "idle_timeout", "<", "now"),
    _plus("written", "state_ttl", "<=", "now"),
    # Spark's rules
    _plain("ts", "<=", "late_watermark"),
    _plain("end", "<=", "late_watermark"),
    _plain("end", "<=", "watermark"),
    _plus("ts", "upper", "<", "watermark"),
    _minus("ts", "lower", sign="<", right="watermark"),
    _minus("max_timestamp", "delay", sign=">", right="last"),
    _plain("input_watermark", ">", "last_watermark"),
)

COMPARISONS: Final[Mapping[str, Comparison]] = {each.formula: each for each in _ALL}
"""By their formulas."""
