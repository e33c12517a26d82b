"""Facts: rows that are true from one micro-step to another, and the timeline that they make.

Rule 1: a fact is never changed. It ends, and another one with the same ``id`` follows it.
Rule 2: a fact that is replaced within the step that began it never existed. Every fact lasts at least one step.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, cast

from tidemark.simulator.engine.trace.events import RecordArrived, TraceEvent
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.timeline.schema import TableName, Tables

Row = dict[str, Any]
"""A fact. ``from_step`` is inclusive, ``until_step`` exclusive and None while the fact stays true to the end."""

TABLES: Final = tuple(Tables.__annotations__)
"""The names of all tables."""

NOTES: Final = ("calls", "buffered", "judgements", "judged")
"""Further tables of the fold, from which others are worked out: nobody sees ``calls`` and ``buffered`` themselves."""


@dataclass(frozen=True, slots=True)
class Timeline:
    """A whole run as facts, by table, each table in the order of ``from_step``; rows are plain JSON.

    ``arrival_axis``: ``at`` or ``item``, what ``arrival`` counts in. ``number_of_steps``: the length of the trace.
    ``time_style``: ``seconds`` or ``clock``, how the sentences write times. ``notes``: what the fold noted beside
    its facts, by the names in ``NOTES``: true from a step on, until a restore takes it back.
    """

    scenario: Scenario

    tables: Tables
    arrival_axis: str
    number_of_steps: int
    time_style: str
    notes: Mapping[str, list[Row]]

    def at(self, step: int, table: TableName | None = None) -> Tables:
        """The facts that are true at ``step``, by table: of all tables, or of the one named."""
        tables = self.by_name()
        names = tables if table is None else (table,)
        return cast("Tables", {name: [row for row in tables[name] if is_true(row, step)] for name in names})

    def by_name(self) -> dict[str, list[Row]]:
        """The tables for those who choose one at run time, or who add tables of their own."""
        return cast("dict[str, list[Row]]", dict(self.tables))


def is_true(row: Mapping[str, Any], step: int) -> bool:
    """Whether a fact holds at ``step``; the browser filters by the same rule."""
    until: int | None = row["until_step"]
    begun: bool = row["from_step"] <= step
    return begun and (until is None or step < until)


class Facts:
    """Collects facts while the trace is folded. ``touched`` holds the ids that the current step has changed."""

    def __init__(self) -> None:
        self.tables: dict[str, list[Row]] = {name: [] for name in (*TABLES, *NOTES)}
        self.touched: dict[str, None] = {}
        self._step = 0
        self._true: dict[str, Row] = {}
        self._table_of: dict[str, str] = {}

    @property
    def step(self) -> int:
        """The step that is being recorded."""
        return self._step

    def begin(self, step: int) -> None:
        """Facts recorded from now on are true from ``step`` on."""
        self._step = step
        self.touched = {}

    def get(self, id: str) -> Row | None:
        """The fact about ``id`` that is true now, None if there is none."""
        return self._true.get(id)

    def row(self, id: str) -> Row:
        """The fact about ``id`` that is true now. ``KeyError`` if there is none."""
        return self._true[id]

    def put(self, table: str, id: str, **columns: Any) -> None:
        """From now on the fact about ``id`` has these ``columns``."""
        self._follow(table, {"id": id, **columns})

    def change(self, table: str, id: str, **columns: Any) -> None:
        """From now on these columns of ``id`` are different; the others stay. ``KeyError`` if ``id`` is unknown."""
        self._follow(table, {**self._true[id], **columns})

    def end(self, id: str) -> None:
        """From now on there is no ``id``."""
        self._close(id)
        del self._true[id]
        self.touched[id] = None

    def save(self, tables: Collection[str]) -> dict[str, Row]:
        """The facts of some tables that are true now, by id."""
        return {id: row for id, row in self._true.items() if self._table_of[id] in tables}

    def restore(self, saved: Mapping[str, Row], tables: Collection[str]) -> None:
        """From now on the ``saved`` facts are true again, and no others in these ``tables``."""
        for id, row in self.save(tables).items():
            if saved.get(id) is not row:
                self.end(id)
        for id, row in saved.items():
            if self._true.get(id) is not row:
                self._follow(self._table_of[id], dict(row))

    def tell_step(self, **columns: Any) -> None:
        """Record the row of the current step itself, in ``steps``."""
        self.flash("steps", **columns)

    def flash(self, table: str, **columns: Any) -> None:
        """Record a fact that is true at the current step alone; it has no ``id``."""
        self.tables[table].append({"from_step": self._step, "until_step": self._step + 1, **columns})

    def note(self, table: str, **columns: Any) -> Row:
        """Record in one of the ``NOTES`` what happens at the current step."""
        row = {**columns, "from_step": self._step, "until_step": None}
        self.tables[table].append(row)
        return row

    def withdraw(self, checkpoint: int) -> None:
        """A restore takes back what was noted after step ``checkpoint``."""
        for table in NOTES:
            for row in self.tables[table]:
                if row["until_step"] is None and row["from_step"] > checkpoint:
                    row["until_step"] = self._step

    def notes(self) -> dict[str, list[Row]]:
        """What was noted, by table."""
        return {name: self.tables[name] for name in NOTES}

    def finished(self) -> Tables:
        """The tables, without what was replaced within its own step."""
        lasting = {name: [row for row in self.tables[name] if row["until_step"] != row["from_step"]] for name in TABLES}
        return cast("Tables", lasting)

    def _follow(self, table: str, row: Row) -> None:
        id = row["id"]
        self._close(id)
        row["from_step"], row["until_step"] = self._step, None
        self._true[id], self._table_of[id] = row, table
        self.tables[table].append(row)
        self.touched[id] = None

    def _close(self, id: str) -> None:
        before = self._true.get(id)
        if before is not None:
            before["until_step"] = self._step


Handler = Callable[[Step, Any], None]
Handlers = Mapping[type[TraceEvent], Handler]
"""What a group does at each event type; a handler is called with the step and its event."""


@dataclass(frozen=True, slots=True)
class Folding:
    """One timeline while it is built."""

    scenario: Scenario
    facts: Facts
    arrival_axis: str

    def arrival(self, step: Step) -> int:
        """Where the step lies on the arrival axis."""
        return step.at if self.arrival_axis == "at" else step.item


def arrival_axis(scenario: Scenario, trace: Trace) -> str:
    """``at`` if the clock tells more than half of the records apart; else ``item``.

    It tells a record apart that says itself when it arrives, or that arrives later than the one before. So records of
    one instant, which is what several channels have, stay beside each other on the clock, while a stream that says
    nothing about arrival, or that moves the clock only now and then, counts its items.
    """
    clock = [step.at for step in trace if isinstance(step.event, RecordArrived)]
    said = _arrivals_said(scenario)
    if not said and not any(step.at for step in trace):
        return "item"
    later = sum(before < after for before, after in pairwise(clock)) + bool(clock)
    return "at" if max(later, said) * 2 > len(clock) or not clock else "item"


def _arrivals_said(scenario: Scenario) -> int:
    """How many records of the stream say when they arrive. A generated stream moves the clock with each of its own."""
    if isinstance(scenario.stream, Generated):
        return 0
    return sum(isinstance(item, Record) and item.at is not None for item in scenario.stream)
