"""An operator that is computed key by key: its plan, and the machine of a key that carries it out."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from tidemark.simulator.scenario.model import (
    ContinuousEventTimeTrigger,
    Deduplicate,
    Global,
    IntervalJoin,
    Over,
    Process,
    PurgingTrigger,
    Session,
    TemporalJoin,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.spark_bridge.keyed.joins import KeyedIntervalJoin, KeyedTemporalJoin
from tidemark.spark_bridge.keyed.local_slices import Buffer, KeyedLocalSlices
from tidemark.spark_bridge.keyed.ordering import KeyedFirst, KeyedLast, KeyedSort, KeyedTopN
from tidemark.spark_bridge.keyed.over import keyed_over
from tidemark.spark_bridge.keyed.records import Arrival, Fired
from tidemark.spark_bridge.keyed.table import KeyedTable
from tidemark.spark_bridge.keyed.table_triggers import table_trigger_of
from tidemark.spark_bridge.keyed.timers import Maker, by_key
from tidemark.spark_bridge.keyed.triggers import follows_clock, trigger_of
from tidemark.spark_bridge.keyed.windows import KeyedWindows

TABLE_APIS: Final = ("sql", "tvf")
"""The APIs whose windows are the table runtime's: a window table function without restores gives the same rows."""

KeyedOperator = Window | WindowJoin | IntervalJoin | Process | Over | WindowTopN | TemporalJoin | Deduplicate


@dataclass(frozen=True, slots=True)
class KeyedPlan:
    """An operator whose result depends on the order of a key's records: a plain function for each key.

    ``ordered``: it depends on the order of everything, since there are processing-time timers, a checkpoint is
    restored, or every move of the watermark counts; then all keys of a task are worked on side by side. ``restores``: a
    checkpoint is restored. ``stamped``: the sides whose records all have a timestamp, since a generator sets it.
    """

    operator: KeyedOperator
    late_row: str
    ordered: bool = False
    restores: bool = False
    stamped: frozenset[int] = frozenset()

    @property
    def by_clock(self) -> bool:
        """Whether windows end in processing time."""
        return isinstance(self.operator, Window | WindowJoin) and self.operator.time == "processing"

    @property
    def keeps_watermark(self) -> bool:
        """Whether a restore brings the operator's watermark back: of table functions alone, and of Top-N behind one."""
        operator = self.operator
        return isinstance(operator, WindowTopN) or (isinstance(operator, Window) and operator.api == "tvf")

    @property
    def maker(self) -> Maker:
        """What makes the machine of a key."""
        match self.operator:
            case Window() as window if holds_rows_back(window):
                return partial(KeyedLocalSlices, window)
            case Window(api="sql" | "tvf") as window:
                return partial(KeyedTable, window, forgets=not self.restores)
            case Window() | WindowJoin() as window:
                return partial(KeyedWindows, window, forgets=not self.restores, stamped=self.stamped)
            case IntervalJoin() as join:
                return partial(KeyedIntervalJoin, join)
            case Process():
                return KeyedSort
            case Over() as over:
                return partial(keyed_over, over)
            case WindowTopN() as top:
                return partial(KeyedTopN, top)
            case TemporalJoin() as join:
                return partial(KeyedTemporalJoin, join)
            case Deduplicate(keep="first") as operator:
                return partial(KeyedFirst, operator)
            case Deduplicate() as operator:
                return partial(KeyedLast, operator)

    @property
    def front(self) -> Callable[[], Buffer] | None:
        """What makes the buffer in front of all keys; None if there is none. Where there is, one task has all keys."""
        operator = self.operator
        return partial(Buffer, operator) if isinstance(operator, Window) and holds_rows_back(operator) else None

    def machine(self, last_watermark: int) -> Callable[[], Callable[[Iterable[Arrival]], Iterator[Fired]]]:
        """What makes the function of one key, if the plan is not ``ordered``.

        ``last_watermark`` (ms) is the highest that the stream reaches.
        """
        return partial(partial, by_key, self.maker, last_watermark)


def holds_rows_back(operator: object) -> bool:
    """Whether rows wait in a buffer of all keys, and may be lost in it: slices of local time."""
    if not isinstance(operator, Window) or operator.api != "tvf" or operator.session_zone is None:
        return False
    return not isinstance(operator.assigner, Session)


def needs_clock(operator: object) -> bool:
    """Whether an operator registers processing-time timers."""
    if not isinstance(operator, Window | WindowJoin):
        return False
    return operator.time == "processing" or follows_clock(operator.trigger)


def goes_on_for_ever(operator: object) -> bool:
    """Whether a window without an end fires at intervals of event time, so that every watermark may fire it."""
    if not isinstance(operator, Window | WindowJoin) or not isinstance(operator.assigner, Global):
        return False
    trigger = operator.trigger.inner if isinstance(operator.trigger, PurgingTrigger) else operator.trigger
    return isinstance(trigger, ContinuousEventTimeTrigger)


def knows_trigger(operator: object) -> bool:
    """Whether the bridge has a trigger of its own for that of ``operator``; a new one is unknown to it by default."""
    if not isinstance(operator, Window | WindowJoin):
        return True
    try:
        if isinstance(operator, Window) and operator.api in TABLE_APIS:
            table_trigger_of(operator.trigger, by_clock=operator.time == "processing")
        else:
            trigger_of(operator.trigger)
    except TypeError:
        return False
    return True
