"""How the bridge computes each operator: the one table (``TWINS``) in which it tells the operators of a scenario apart.

Theory of operation
-------------------
What DataFrame operations alone can compute has a *native* plan: its result does not depend on the order of a key's
records, or only on what sorting shows. Everything else has a ``KeyedPlan``: a task runs a plain function for each key
(``spark_bridge.keyed``), written apart from the simulator's operator. A keyed plan is *ordered* where the records of a
key do not show all that matters: where there are processing-time timers, a checkpoint is restored, or every move of the
watermark counts. Whatever else is asked about an operator, it says itself (``OperatorFacts``).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, cast

from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.assigners import Aligned
from tidemark.spark_bridge.keyed.context import Arrival, Fired, OperatorFactory, by_key
from tidemark.spark_bridge.keyed.datastream import KeyedWindows, follows_clock, trigger_of
from tidemark.spark_bridge.keyed.local_slices import Buffer, KeyedLocalSlices
from tidemark.spark_bridge.keyed.operators import (
    KeyedFirst,
    KeyedIntervalJoin,
    KeyedLast,
    KeyedSort,
    KeyedTemporalJoin,
    KeyedTopN,
    keyed_over,
)
from tidemark.spark_bridge.keyed.table import KeyedTable, table_trigger_of


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

    def newest_start(self, ts: int) -> int:
        """The start (ms) of the last window that begins at or before ``ts``."""
        return ts - (ts - self.offset) % self.grid


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


@dataclass(frozen=True, slots=True)
class KeyedPlan:
    """An operator whose result depends on the order of a key's records: a plain function for each key.

    ``ordered``: all keys of a task are worked on side by side, in the order of everything that happens. ``restores``: a
    checkpoint is restored. ``stamped``: the sides whose records all have a timestamp, since a generator sets it.
    """

    operator: model.Operator
    ordered: bool = False
    restores: bool = False
    stamped: frozenset[int] = frozenset()

    @property
    def late_row(self) -> str:
        """The kind of row for a late record."""
        return late_row(self.operator)

    @property
    def by_clock(self) -> bool:
        """Whether windows end in processing time."""
        return self.operator.time == "processing"

    @property
    def keeps_watermark(self) -> bool:
        """Whether a restore brings the operator's watermark back: of table functions alone, and of Top-N behind one."""
        return self.operator.is_table_function

    @property
    def factory(self) -> OperatorFactory:
        """What makes the operator of a key."""
        return TWINS[type(self.operator)].keyed(self.operator, self)

    @property
    def buffer(self) -> Callable[[], Buffer] | None:
        """What makes the buffer in front of all keys; None if there is none. Where there is, one task has all keys."""
        operator = self.operator
        return partial(Buffer, cast(model.Window, operator)) if operator.buffers_rows else None

    def key_function(self, last_watermark: int) -> Callable[[], Callable[[Iterable[Arrival]], Iterator[Fired]]]:
        """What makes the function of one key, if the plan is not ``ordered``.

        ``last_watermark`` (ms) is the highest that the stream reaches.
        """
        return partial(partial, by_key, self.factory, last_watermark)


OperatorPlan = (
    WindowPlan | SortPlan | DeduplicatePlan | OverPlan | WindowJoinPlan | TopNPlan | IntervalJoinPlan | KeyedPlan
)


def late_row(operator: model.Operator) -> str:
    """The kind of row for a record that is too late."""
    return "late" if operator.late_output == "side" else "dropped"


def needs_clock(operator: model.Operator) -> bool:
    """Whether an operator registers processing-time timers."""
    return operator.time == "processing" or follows_clock(operator.trigger)


def knows_trigger(operator: model.Operator) -> bool:
    """Whether the bridge has a trigger of its own for that of ``operator``; a new one is unknown to it by default."""
    if not operator.keeps_windows:
        return True
    try:
        if operator.in_sql:
            table_trigger_of(operator.trigger, by_clock=operator.time == "processing")
        else:
            trigger_of(operator.trigger)
    except TypeError:
        return False
    return True


def operator_plan(scenario: model.Scenario, whole_numbers: bool, restores: bool) -> OperatorPlan:
    """The plan of the operator of a scenario by Flink's rules.

    ``whole_numbers``: every value is an integer. ``restores``: a checkpoint is restored.
    """
    operator = scenario.operator
    every_move_counts = _never_ends(operator) or operator.has_versions or operator.session_zone is not None
    if restores or needs_clock(operator) or every_move_counts:
        stamped = frozenset(side for side, each in enumerate(scenario.inputs) if each.watermark.type != "none")
        return KeyedPlan(operator, ordered=True, restores=restores, stamped=stamped)
    return TWINS[type(operator)].native(operator, whole_numbers) or KeyedPlan(operator)


def _never_ends(operator: model.Operator) -> bool:
    """Whether a window without an end fires at intervals of event time, so that every watermark may fire it."""
    trigger = operator.trigger.inner if isinstance(operator.trigger, model.PurgingTrigger) else operator.trigger
    return isinstance(operator.assigner, model.Global) and isinstance(trigger, model.ContinuousEventTimeTrigger)


def one_more(operator: model.Operator, number: str) -> Any:
    """The operator with its ``size``, ``offset`` or ``lateness`` one (ms, or row) higher; unchanged if it has none."""
    change = TWINS[type(operator)].numbers.get(number)
    return operator if change is None else change(operator)


def _native_window(operator: model.Window, whole_numbers: bool) -> WindowPlan | None:
    """Of the table runtime: windows that fire at their end, and then with each late row.

    Such a window may retract a result if it can fire twice, and its value is made pane by pane, which with doubles, and
    where it lists its rows, is not the order of arrival.
    """
    is_native_table = (
        operator.in_sql
        and whole_numbers
        and isinstance(operator.assigner, model.Tumbling | model.Sliding | model.Cumulative)
        and not (operator.compute == "collect" and operator.assigner.overlaps)
        and operator.trigger in (model.AfterEndOfWindow(), model.AfterEndOfWindow(late=model.EveryElement()))
        and (not operator.updates or not operator.allowed_lateness)
    )
    return _windows(operator, operator.compute or "") if is_native_table or _ignores_order(operator) else None


def _native_join(operator: model.WindowJoin, whole_numbers: bool) -> WindowJoinPlan | None:
    if not _ignores_order(operator):
        return None
    needed = operator.sides_needed
    return WindowJoinPlan(_windows(operator, "sides"), operator.pairs, "left" in needed, "right" in needed)


def _native_top_n(operator: model.WindowTopN, whole_numbers: bool) -> TopNPlan | None:
    return TopNPlan(_windows(operator, ""), operator.n, operator.order == "desc") if whole_numbers else None


def _native_over(operator: model.Over, whole_numbers: bool) -> OverPlan | None:
    if not (whole_numbers and operator.frame.is_unbounded and operator.compute != "collect"):
        return None
    return OverPlan(operator.compute or "", by_row=operator.frame.rows == model.UNBOUNDED)


def _ignores_order(operator: model.Window | model.WindowJoin) -> bool:
    """Whether windows of the DataStream API give the same rows in whatever order their records come."""
    return (
        isinstance(operator.assigner, model.Tumbling | model.Sliding)
        and not operator.in_sql
        and operator.trigger.type == "event-time"
        and operator.evictor is None
    )


def _windows(operator: model.Window | model.WindowJoin | model.WindowTopN, compute: str) -> WindowPlan:
    aligned = Aligned.of(operator.assigner)
    return WindowPlan(
        aligned.size,
        aligned.step,
        aligned.offset,
        operator.allowed_lateness,
        late_row(operator),
        compute,
        grows=aligned.grow,
        table=operator.aggregates_windows and operator.in_sql,
        change="+I" if operator.updates else None,
    )


def _keyed_windows(operator: Any, plan: KeyedPlan) -> OperatorFactory:
    forgets = not plan.restores
    if operator.buffers_rows:
        return partial(KeyedLocalSlices, operator)
    if operator.in_sql:
        return partial(KeyedTable, operator, forgets=forgets)
    return partial(KeyedWindows, operator, forgets=forgets, stamped=plan.stamped)


def _with_assigner(change: Callable[[model.Assigner], model.Assigner]) -> Callable[[Any], Any]:
    return lambda operator: replace(operator, assigner=change(operator.assigner))


def _longer(assigner: model.Assigner) -> model.Assigner:
    match assigner:
        case model.Tumbling(size=size) | model.Sliding(size=size):
            return replace(assigner, size=size + 1)
        case model.Session(gap=gap):
            return replace(assigner, gap=gap + 1)
        case _:
            return assigner


def _shifted(assigner: model.Assigner) -> model.Assigner:
    match assigner:
        case model.Tumbling(offset=offset) | model.Sliding(offset=offset):
            return replace(assigner, offset=offset + 1)
        case _:
            return assigner


def _longer_frame(operator: model.Over) -> model.Over:
    frame = operator.frame
    if isinstance(frame.rows, int):
        frame = model.Frame(rows=frame.rows + 1)
    elif isinstance(frame.range, int):
        frame = model.Frame(range=frame.range + 1)
    return replace(operator, frame=frame)


_BY_WINDOW: Final = {"size": _with_assigner(_longer), "offset": _with_assigner(_shifted)}


def _later(operator: Any) -> Any:
    return replace(operator, allowed_lateness=operator.allowed_lateness + 1)


def _reaching_further(operator: Any) -> Any:
    return operator if operator.upper is None else replace(operator, upper=operator.upper + 1)


def _not_keyed(operator: model.Operator, plan: KeyedPlan) -> OperatorFactory:
    raise TypeError(f"no keyed function for {operator}")


@dataclass(frozen=True, slots=True)
class Twin:
    """How the bridge computes the operators of a class.

    ``keyed``: what makes the operator of a key for a keyed plan. ``native``: the native plan of an operator, whose
    values are whole numbers or not; None if it has none. ``numbers``: for a fault that is planted, the operator with
    that number (``size``, ``offset``, ``lateness``) one too high.
    """

    keyed: Callable[[Any, KeyedPlan], OperatorFactory] = _not_keyed
    native: Callable[[Any, bool], OperatorPlan | None] = lambda operator, whole_numbers: None
    numbers: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)


TWINS: Final[Mapping[type, Twin]] = {
    model.Window: Twin(_keyed_windows, _native_window, _BY_WINDOW | {"lateness": _later}),
    model.WindowJoin: Twin(_keyed_windows, _native_join, _BY_WINDOW | {"lateness": _later}),
    model.WindowTopN: Twin(lambda operator, _: partial(KeyedTopN, operator), _native_top_n, _BY_WINDOW),
    model.IntervalJoin: Twin(
        lambda operator, _: partial(KeyedIntervalJoin, operator),
        lambda join, _: IntervalJoinPlan(join.bounds[0], join.bounds[1], late_row(join)),
        {"size": _reaching_further},
    ),
    model.TemporalJoin: Twin(lambda operator, _: partial(KeyedTemporalJoin, operator)),
    model.Process: Twin(lambda operator, _: KeyedSort, lambda operator, _: SortPlan()),
    model.Over: Twin(lambda operator, _: partial(keyed_over, operator), _native_over, {"size": _longer_frame}),
    model.Deduplicate: Twin(
        lambda operator, _: partial(KeyedFirst if operator.keep == "first" else KeyedLast, operator),
        lambda operator, _: DeduplicatePlan(operator.keep),
    ),
    model.SparkWindow: Twin(numbers=_BY_WINDOW),
    model.SparkJoin: Twin(numbers={"size": _reaching_further}),
}
"""Every operator. Those of Spark's dialect are computed by a streaming query alone."""
