"""What triggers are: frozen configuration that decides when a window fires, here and in the table runtime.

A trigger holds no state. What it must remember lives in keyed state, reached through its context; that is what makes
checkpoint, restore and inspection honest. For the same reason the scenario holds the trigger itself: reading a file
makes it, and the operator runs it.

Everything that other parts of the program ask about a trigger is in its own file: what it may be combined with, when
it may fire (``simulator.engine.triggers.base``) and under which names its words stand in the catalogue.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import repeat
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from tidemark.simulator.engine.values.part import Part
from tidemark.simulator.engine.values.versions import FlinkRules
from tidemark.simulator.engine.values.window import Window

# The ways in which a window can fire, as its trigger names them: which of its timers, and which record.
#
# A trigger knows them from its configuration and its keyed state alone. Naming them neither asks nor changes the
# trigger, so the explanations can look at a past step; ``tests/timeline/test_conditions.py`` compares them with
# what the trigger answered in the run.

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


class TriggerResult(Enum):
    """What to do with the window's contents: emit a result (``fires``), remove them (``purges``)."""

    CONTINUE = (False, False)
    FIRE = (True, False)
    PURGE = (False, True)
    FIRE_AND_PURGE = (True, True)

    def __init__(self, fires: bool, purges: bool) -> None:
        self.fires = fires
        self.purges = purges
        self.answer = self._name_  # ``name`` computes it every time


CONTINUE: Final = TriggerResult.CONTINUE
FIRE: Final = TriggerResult.FIRE
FIRE_AND_PURGE: Final = TriggerResult.FIRE_AND_PURGE
# The members by names of their own: to look one up in its class takes longer than most triggers take to decide.


class TriggerContext(Protocol):
    """A trigger's view of one key and window. All times in ms. Source: ``Trigger.TriggerContext``."""

    window: Window
    current_watermark: int
    rules: FlinkRules
    """Those of the version of Flink."""
    tracing: bool
    """Whether the run is traced; ``decided`` is worth calling only then."""

    @property
    def current_processing_time(self) -> int:
        """The clock."""

    def register_event_time_timer(self, timestamp: int) -> None:
        """Call ``on_event_time`` when the watermark reaches ``timestamp``."""

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete that timer; nothing happens if there is none."""

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Call ``on_processing_time`` when the clock has passed ``timestamp``."""

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete that timer; nothing happens if there is none."""

    def get_state(self, name: str) -> Any:
        """The trigger state ``name`` of this key and window, None when it is not set."""

    def set_state(self, name: str, value: Any) -> None:
        """Set the state to ``value``; None clears it."""

    def count_up(self, name: str, most: int) -> int:
        """Add one to the count ``name`` (0 if it is not set) and return it; one that reaches ``most`` is cleared."""

    def merge_state(self, name: str, merge: Callable[[Any, Any], Any]) -> Any:
        """Merge the states of the merged windows into this one and return it; only in ``on_merge``."""

    def decided(self, name: str, formula: str, numbers: Sequence[tuple[str, int | float]], holds: bool) -> None:
        """Record in the trace the rule by which the trigger decides (see ``simulator.engine.trace.events.Rule``)."""


class Trigger(TriggerFacts, Part, ABC):
    """Source: ``Trigger``. Methods take the ``timestamp`` (ms) of the record or of the timer."""

    __slots__ = ()

    family: ClassVar[str] = "triggers"

    can_merge: ClassVar[bool] = True
    """Whether it may stand on merging windows. Of a trigger within another each answers for itself.

    Source: ``Trigger.canMerge``.
    """

    needs_window_end: ClassVar[bool] = False
    """Whether it fires at the window's end alone, so that it never would on the global window."""

    fires_up_to_window_end: ClassVar[bool] = False
    """Whether it goes on firing until the watermark reaches the window's end: in the global window, for ever."""

    only_on_global_window: ClassVar[bool] = False
    """Whether only the global window has it, by default."""

    needs_numbers: ClassVar[bool] = False
    """Whether it calculates with the records' values."""

    only_waits_for_end: ClassVar[bool] = False
    """Whether ``on_element`` changes nothing and continues while the window's timer for its ``max_timestamp`` waits:
    then the operator need not ask it for every record."""

    @abstractmethod
    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A record was added to the window."""

    @abstractmethod
    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """An event-time timer of the window fired, no matter whose: the operator's cleanup timer as well."""

    @abstractmethod
    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A processing-time timer of the window fired."""

    @abstractmethod
    def on_merge(self, context: TriggerContext) -> None:
        """Several windows were merged into the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers of the trigger for this window."""


# What a trigger of the table runtime is: it answers whether to emit; there is no purging.
#
# A scenario names a trigger without saying by which time it runs: ``ConfiguredTrigger`` is what it names, and
# ``in_time`` returns the trigger that runs. Most are the same in both times.


class ConfiguredTrigger(Part, ABC):
    """What ``trigger``, ``early`` or ``late`` says in a scenario with ``api: sql``."""

    __slots__ = ()

    family: ClassVar[str] = "triggers"

    @abstractmethod
    def in_time(self, *, is_event_time: bool) -> "TableTrigger":
        """The trigger that runs on windows of event time or of processing time."""

    def written(self) -> "tuple[ConfiguredTrigger, ...]":
        """The triggers that stand within it in the file, () for none."""
        return ()


class TableTrigger(TriggerFacts, ABC):
    """Holds no state, like a trigger of the DataStream API. Source: ``...operators.window.triggers.Trigger``."""

    __slots__ = ()

    flink: ClassVar[str]
    """Flink's name of the class, which is an inner one there."""

    @property
    def only_waits_for_end(self) -> bool:
        """As that of the DataStream API's triggers: ``on_element`` does nothing while the timer at the end waits."""
        return False

    @abstractmethod
    def on_element(self, context: TriggerContext) -> bool:
        """A row was accumulated; returns whether to emit."""

    def on_event_time(self, timestamp: int, context: TriggerContext) -> bool:
        """An event-time timer of the window fires at ``timestamp`` (ms); returns whether to emit."""
        return False

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """A processing-time timer of the window fires at ``timestamp`` (ms); returns whether to emit."""
        return False

    @abstractmethod
    def on_merge(self, context: TriggerContext) -> None:
        """Several windows were merged into the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers of the trigger for this window."""


class PeriodicTrigger(TableTrigger, ConfiguredTrigger):
    """One that is the same in both times, and may also decide before (``early``) or after (``late``) the end."""

    __slots__ = ()

    def in_time(self, *, is_event_time: bool) -> TableTrigger:
        """Itself."""
        return self


def table_triggers(of: type[TableTrigger] = TableTrigger) -> Iterator[type[TableTrigger]]:
    """Every class of trigger that runs in the table runtime: the import of the model has defined them all."""
    for each in of.__subclasses__():
        if hasattr(each, "flink"):
            yield each
        yield from table_triggers(each)
