"""The ways in which a window can fire, as its trigger names them: which of its timers, and which record.

A trigger knows them from its configuration and its keyed state alone. Naming them neither asks nor changes the
trigger, so the explanations can look at a past step; ``tests/timeline/test_conditions.py`` compares them with what
the trigger answered in the run.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple

States = Mapping[str, Any]
"""A window's trigger state by name; a state that is not set is absent."""

RECORD: Final = "record"
"""The kind of a way in which any record fires the window. A trigger whose answer depends on more has a kind of its own
(``count``), whose words are in the catalogue under the trigger's name."""


class Timer(NamedTuple):
    """A timer of the window. ``timestamp`` and the window's ``max_timestamp`` in ms."""

    is_event_time: bool
    timestamp: int
    max_timestamp: int

    @property
    def is_at_end(self) -> bool:
        """Whether it waits for the window's last instant."""
        return self.timestamp == self.max_timestamp


class Way(NamedTuple):
    """How the next record fires the window at once.

    ``reason`` says which record does: ``ended``, ``every``, ``early``, ``late``, or "" where the kind says it all.
    ``needs`` and ``has``: what is needed and what is there, in the trigger's own unit. ``form`` picks a variant of
    the words of this kind, such as ``first`` where there is nothing to measure by yet.
    """

    kind: str
    reason: str = ""
    needs: Any = None
    has: Any = None
    form: str = ""


def count_way(needs: int, has: int) -> Way:
    """``has`` of ``needs`` records: ``full`` where the next one fires although nothing is missing, after a merge."""
    form = "full" if has >= needs else "single" if needs == 1 else "last" if has == needs - 1 else ""
    return Way("count", "", needs, has, form)


class TriggerFacts:
    """What a trigger of either runtime says of itself. By default no timer and no record fires the window."""

    __slots__ = ()

    without_rule: ClassVar[str] = ""
    """The sentence (``explain``) for an answer for which it compared no numbers; "" for none."""

    without_rule_by_timer: ClassVar[str] = ""
    """The same for an answer to a timer, where that has a sentence of its own; "" for ``without_rule``."""

    first_firing: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Sentences for its rules, by the rule's name, until the window has fired for the first time."""

    def nested(self) -> "Sequence[TriggerFacts]":
        """The triggers that it is made of, () for none."""
        return ()

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """Why ``timer`` fires the window (``end``, ``interval``, ...), None when it does not."""
        return None

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """How the next record fires the window at once; None where no record does.

        ``ended``: the watermark has reached the window's last instant.
        """
        return None

    def values_that_fire(self, way: Way) -> Iterator[float | None]:
        """The values of the records, in their order, that meet its own ``way``; None where any value will do.

        Without any where no record does.
        """
        if way.kind == "count":
            return repeat(None, max(way.needs - way.has, 1))
        return next((inner.values_that_fire(way) for inner in self.nested()), iter(()))

    def sets_timer_again(self, states: States) -> bool:
        """Whether the next record sets a timer for a window that has none which would fire it."""
        return True


def all_of(trigger: TriggerFacts) -> Iterator[TriggerFacts]:
    """``trigger`` and everything inside it, the outer one first."""
    yield trigger
    for inner in trigger.nested():
        yield from all_of(inner)
