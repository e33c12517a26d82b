"""The tables ``windows`` and ``contents``: each key's windows, and the records in them.

Contents belong to an entry of keyed state. A window shows those of its state window, which differs from the window
itself only after a merge. So a session that grows moves none of its contents.
"""

from collections.abc import Sequence
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES, AggregateFunction
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Key, plain_key
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.window import TimeWindow, Window
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import several_of
from tidemark.simulator.spark_rules.aggregation import aggregate
from tidemark.simulator.timeline.facts import Folding, Handlers
from tidemark.simulator.timeline.ids import bounds, holder_id, record_id, state_id, window_id
from tidemark.simulator.timeline.records import RecordFacts
from tidemark.simulator.timeline.state import CONTENT_STATES, Entries

Entry = tuple[Key, Window]

FAILS: Final = object()
"""Stands for an accumulator with which a firing would fail: a sum outside 64 bits."""


def _aggregate(scenario: model.Scenario) -> AggregateFunction | None:
    """The function over the values; None if the state holds the result itself, or only a firing shows it."""
    operator = scenario.operator
    if not operator.keeps_windows or operator.evictor is not None or operator.function is None:
        return None
    several = several_of(operator, scenario.inputs)
    if several is not None:
        return several[0]
    return None if operator.function.keeps == "reduce" else AGGREGATES.get(operator.compute or "")


def result_of(scenario: model.Scenario, held: Any) -> Any:
    """The result of the one value that the state holds, as JSON."""
    aggregate = _aggregate(scenario)
    return plain(held if aggregate is None else aggregate.result(held))


def shown_result(compute: str | None, held: Any) -> Any:
    """The result of what a window of Spark's holds, as JSON."""
    return plain(aggregate(compute or "", doubles=False).result(held))


class Results:
    """Results by (key, state window), kept up to date at each change, so that none is computed over a whole list."""

    def __init__(self, scenario: model.Scenario) -> None:
        self._aggregate = _aggregate(scenario)
        operator = scenario.operator
        self._accumulates = operator.keeps_lists or operator.keeps_panes or operator.buffers_rows
        self._accumulators: dict[Entry, Any] = {}

    def get(self, entry: Entry) -> Any:
        """The result as JSON; None when nothing is there, and where only a firing shows it: ``collect``, evictors."""
        accumulator = self._accumulators.get(entry)
        if accumulator is None or accumulator is FAILS:
            return None
        return plain(accumulator if self._aggregate is None else self._aggregate.result(accumulator))

    def add(self, entry: Entry, value: Any, after: Any) -> None:
        """``value`` was added; ``after`` is what the state holds now."""
        if not self._accumulates:
            self._accumulators[entry] = after
        elif self._aggregate is not None:
            self._accumulate(entry, (value,))

    def merge(self, target: Entry, sources: Sequence[Entry], after: Any) -> None:
        """What the ``sources`` hold went to ``target``; ``after`` is what the state holds there now."""
        for entry in (target, *sources):
            self.clear(entry)
        if not self._accumulates:
            self._accumulators[target] = after
        elif self._aggregate is not None:
            self._accumulate(target, after or ())

    def clear(self, entry: Entry) -> None:
        """Forget the entry."""
        self._accumulators.pop(entry, None)

    def save(self) -> dict[Entry, Any]:
        """A copy of the accumulators."""
        return dict(self._accumulators)

    def restore(self, saved: dict[Entry, Any]) -> None:
        """Go back to what was saved."""
        self._accumulators = dict(saved)

    def _accumulate(self, entry: Entry, values: Sequence[Any]) -> None:
        function = self._aggregate
        assert function is not None
        held = self._accumulators.get(entry, function.create_accumulator())
        if held is FAILS:
            return
        try:
            for value in values:
                held = function.add(held, value)
        except EngineFailure:
            held = FAILS
        self._accumulators[entry] = held


class _WindowRows:
    """What the windows of both engines have in common: how a window's row begins, and that of a record in it."""

    def __init__(self, folding: Folding, records: RecordFacts) -> None:
        self._facts = folding.facts
        self._records = records
        self._added = 0

    def _put_content(self, step: Step, entry: Entry, late: bool) -> str:
        """The step's record is in what ``entry`` keeps from now on; returns the fact's id."""
        record, id = self._facts.row(record_id(step.item)), f"contents:{self._added}"
        self._facts.put(
            "contents",
            id,
            holder=holder_id(*entry),
            item=step.item,
            input=record["input"],
            ts=record["ts"],
            value=record["value"],
            late=late,
            order=self._added,
        )
        self._added += 1
        return id

    def _put_window(
        self, entry: Entry, window: Window, *, records: int, result: Any, kept_until: int | None, **more: Any
    ) -> None:
        """``window`` is open, and shows what ``entry`` keeps."""
        key, state_window = entry
        self._facts.put(
            "windows",
            window_id(key, window),
            key=plain_key(key),
            **bounds(window),
            status="open",
            records=records,
            result=result,
            firings=0,
            kept_until=kept_until,
            state_window=list(state_window),
            holder=holder_id(*entry),
            merged_into=None,
            **more,
        )

    def _is_there(self, id: str) -> bool:
        row = self._facts.get(id)
        return row is not None and row["status"] not in ("cleared", "merged")


class WindowFacts(_WindowRows):
    """A window opens with its first record. When it is over it stays, as ``cleared`` or ``merged``."""

    def __init__(self, folding: Folding, records: RecordFacts) -> None:
        super().__init__(folding, records)
        self._operator = folding.scenario.operator
        self._assigned: list[Window] = []
        self._results = Results(folding.scenario)
        self._window_of: dict[Entry, Window] = {}
        self._contents: dict[Entry, list[tuple[str, Any]]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.WindowsAssigned: self._windows_assigned,
            events.WindowSkippedLate: self._refused,
            events.WindowTracked: self._tracked,
            events.WindowsMerged: self._windows_merged,
            events.WindowRetired: self._retired,
            events.RowBuffered: self._buffered,
            events.StateAdded: self._state_added,
            events.StateUpdated: self._state_updated,
            events.StateMerged: self._state_merged,
            events.StateCleared: self._state_cleared,
            events.TriggerEvaluated: self._trigger_evaluated,
            events.PaneFired: self._fired,
            events.RowRanked: self._ranked,
            events.WindowCleaned: self._cleaned,
        }

    def save(self) -> Any:
        """A copy of which window shows which entry, of the contents, and of their results."""
        contents = {entry: list(held) for entry, held in self._contents.items()}
        return dict(self._window_of), contents, self._results.save()

    def restore(self, saved: Any) -> None:
        """Go back to what was saved."""
        window_of, contents, results = saved
        self._window_of = dict(window_of)
        self._contents = {entry: list(held) for entry, held in contents.items()}
        self._results.restore(results)

    # --- windows that come and go ---

    def _tracked(self, step: Step, event: events.WindowTracked) -> None:
        self._open(event.key, event.window, event.state_window)

    def _windows_merged(self, step: Step, event: events.WindowsMerged) -> None:
        result = window_id(event.key, event.result)
        for window in event.merged:
            if window != event.result:
                self._facts.change("windows", window_id(event.key, window), status="merged", merged_into=result)
        self._open(event.key, event.result, event.state_window)

    def _retired(self, step: Step, event: events.WindowRetired) -> None:
        """A window that is retired before its cleanup was too late to open at all."""
        id = window_id(event.key, event.window)
        if self._is_there(id):
            self._facts.end(id)

    def _cleaned(self, step: Step, event: events.WindowCleaned) -> None:
        id = window_id(event.key, event.window)
        if not self._is_there(id):
            return  # it never held a record, or it is part of another window
        self._facts.change("windows", id, status="cleared", result=None)
        if self._operator.keeps_panes:
            self._empty((event.key, event.window))

    def _fired(self, step: Step, event: events.PaneFired) -> None:
        if event.change == "-U":
            return  # this takes back the last result; the new one follows
        self._count_firing(event.key, event.window)

    def _ranked(self, step: Step, event: events.RowRanked) -> None:
        """All ranks are one firing."""
        if event.rank == 1:
            self._count_firing(event.key, event.window)

    def _count_firing(self, key: Key, window: Window) -> None:
        id = window_id(key, window)
        if self._facts.get(id) is None:
            self._open(key, window, window)
        row = self._facts.row(id)
        status = "fired" if row["status"] == "open" else row["status"]
        self._facts.change("windows", id, status=status, firings=row["firings"] + 1)

    # --- what is in them ---

    def elements(self, key: Key, window: Window) -> list[Any]:
        """The contents of a window now, in the order in which its state holds them."""
        row = self._facts.get(window_id(key, window))
        if row is None:
            return []
        state_window = TimeWindow(*row["state_window"]) if isinstance(window, TimeWindow) else window
        return [element for _, element in self._contents.get((key, state_window), [])]

    def _buffered(self, step: Step, event: events.RowBuffered) -> None:
        """The record counts for its windows from here on, though it comes into state later."""
        self._facts.note("buffered", key=event.key, piece=event.namespace)
        for window in self._assigned:
            self._take(step, (event.key, window), event.value, None)

    def _state_added(self, step: Step, event: events.StateAdded) -> None:
        if self._operator.buffers_rows or event.state not in CONTENT_STATES or not isinstance(event.namespace, Window):
            return
        if self._operator.keeps_panes:
            self._records.accepted(step, late=False)
            if self._operator.fires_without_trigger:
                for window in self._assigned:
                    self._take(step, (event.key, window), event.value, None)
        else:
            self._take(step, (event.key, event.namespace), event.value, event.after)

    def _windows_assigned(self, step: Step, event: events.WindowsAssigned) -> None:
        """Where no trigger is asked, a record that is added is in all of these that do not refuse it."""
        self._assigned = list(event.windows)

    def _refused(self, step: Step, event: events.WindowSkippedLate) -> None:
        self._assigned = [window for window in self._assigned if window != event.window]

    def _trigger_evaluated(self, step: Step, event: events.TriggerEvaluated) -> None:
        """Where state is kept in panes, only this event says that the record is in the window.

        A join has no ``PaneFired`` event: a firing counts when the window has contents.
        """
        if self._operator.keeps_panes and event.method == "on_element":
            value = self._facts.row(record_id(step.item))["value"]
            self._take(step, (event.key, event.window), value, None)
        if self._operator.is_join and event.fires:
            row = self._facts.get(window_id(event.key, event.window))
            if row is not None and row["records"]:
                self._count_firing(event.key, event.window)

    def _take(self, step: Step, entry: Entry, value: Any, after: Any) -> None:
        """Add the step's record to the window that keeps its contents under ``entry``."""
        key, state_window = entry
        window = self._window_of.get(entry, state_window)
        if not self._is_there(window_id(key, window)):
            self._open(key, window, state_window)
        watermark = MIN if step.watermark is None else step.watermark
        late = self._operator.windows_end_by_watermark and window.max_timestamp <= watermark
        content = self._put_content(step, entry, late)
        self._contents.setdefault(entry, []).append((content, value))
        self._results.add(entry, value, after)
        self._records.accepted(step, late)
        self._show(entry)

    def _state_updated(self, step: Step, event: events.StateUpdated) -> None:
        """An evictor kept only some of the records."""
        if event.state not in CONTENT_STATES or not isinstance(event.namespace, Window):
            return
        entry = (event.key, event.namespace)
        left = {id(element) for element in event.after}
        held = self._contents[entry]
        for content, element in held:
            if id(element) not in left:
                self._facts.end(content)
        self._contents[entry] = [each for each in held if id(each[1]) in left]
        self._show(entry)

    def _state_merged(self, step: Step, event: events.StateMerged) -> None:
        if event.state not in CONTENT_STATES or self._operator.keeps_panes:
            return
        target = (event.key, event.target)
        sources = [(event.key, source) for source in event.sources]
        for source in sources:
            for content, value in self._contents.pop(source, []):
                self._facts.change("contents", content, holder=holder_id(*target), order=self._added)
                self._added += 1
                self._contents.setdefault(target, []).append((content, value))
        self._results.merge(target, sources, event.after)
        self._show(target)

    def _state_cleared(self, step: Step, event: events.StateCleared) -> None:
        if event.state in CONTENT_STATES and isinstance(event.namespace, Window) and not self._operator.keeps_panes:
            self._empty((event.key, event.namespace))

    def _empty(self, entry: Entry) -> None:
        for content, _ in self._contents.pop(entry, []):
            self._facts.end(content)
        self._results.clear(entry)
        self._show(entry)

    # --- rows ---

    def _open(self, key: Key, window: Window, state_window: Window) -> None:
        """Open the window, with whatever is already kept under ``state_window``."""
        entry = (key, state_window)
        self._window_of[entry] = window
        self._put_window(
            entry,
            window,
            records=len(self._contents.get(entry, [])),
            result=self._results.get(entry),
            kept_until=self._operator.kept_until(window),
        )

    def _show(self, entry: Entry) -> None:
        """Update the row of the window that keeps its contents under ``entry``."""
        key, state_window = entry
        id = window_id(key, self._window_of.get(entry, state_window))
        row = self._facts.get(id)
        if row is None or row["status"] == "merged":
            return
        result = None if row["status"] == "cleared" else self._results.get(entry)
        self._facts.change("windows", id, records=len(self._contents.get(entry, [])), result=result)


AGGREGATE_KIND: Final = "contents"


class BatchWindowFacts(_WindowRows):
    """A window opens with the first record that a batch has for it. ``partial``: the result over this batch so far."""

    def __init__(self, folding: Folding, records: RecordFacts, entries: Entries) -> None:
        super().__init__(folding, records)
        self._entries = entries
        operator = folding.scenario.operator
        self._compute = operator.compute
        marked = any(each.delay is not None for each in folding.scenario.inputs)
        self._evicts = marked and operator.output_mode != "complete"
        self._contents: dict[Entry, list[str]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles; a join has no windows, and none of them."""
        return {
            events.PartialUpdated: self._partial,
            events.SessionsMerged: self._merged,
            events.StateUpdated: self._updated,
            events.StateCleared: self._cleared,
            events.PaneEmitted: self._emitted,
            events.StateEvicted: self._evicted,
        }

    def _partial(self, step: Step, event: events.PartialUpdated) -> None:
        entry = event.key, event.window
        id = self._opened(entry)
        late = step.watermark is not None and event.window.end <= step.watermark and self._evicts
        content = self._put_content(step, entry, late)
        held = self._contents.setdefault(entry, [])
        held.append(content)
        self._facts.change("windows", id, records=len(held), partial=shown_result(self._compute, event.after))
        self._records.accepted(step, late)

    def _merged(self, step: Step, event: events.SessionsMerged) -> None:
        target = event.key, event.result
        result = self._opened(target)
        kept = self._contents.setdefault(target, [])
        for window in dict.fromkeys((*event.merged, *event.parts)):
            if window == event.result:
                continue
            for content in self._contents.pop((event.key, window), []):
                self._facts.change("contents", content, holder=holder_id(*target))
                kept.append(content)
            columns = {"status": "merged", "merged_into": result, "partial": None, "result": None}
            self._facts.change("windows", window_id(event.key, window), **columns)
        self._facts.change("windows", result, records=len(kept))

    def _updated(self, step: Step, event: events.StateUpdated) -> None:
        window = event.namespace
        assert isinstance(window, TimeWindow)
        id = self._opened((event.key, window))
        value = plain(event.after)
        self._entries.put(event.state, AGGREGATE_KIND, event.key, window, value, 1)
        self._facts.change("windows", id, result=shown_result(self._compute, event.after), partial=None)

    def _cleared(self, step: Step, event: events.StateCleared) -> None:
        self._entries.forget(state_id(event.state, event.key, event.namespace))

    def _emitted(self, step: Step, event: events.PaneEmitted) -> None:
        id = window_id(event.key, event.window)
        self._facts.change("windows", id, status="fired", firings=self._facts.row(id)["firings"] + 1)

    def _evicted(self, step: Step, event: events.StateEvicted) -> None:
        entry = event.key, event.window
        self._entries.forget(state_id(event.state, *entry))
        for content in self._contents.pop(entry, []):
            self._facts.end(content)
        self._facts.change("windows", window_id(*entry), status="cleared", records=0, result=None)

    def _opened(self, entry: Entry) -> str:
        """Open the window if it is not there; return its id."""
        key, window = entry
        id = window_id(key, window)
        if not self._is_there(id):
            records = len(self._contents.get(entry, []))
            until = window.end if self._evicts else None
            self._put_window(entry, window, records=records, result=None, kept_until=until, partial=None)
        return id
