"""The operators whose records go into windows: ``window``, ``window-join``, ``co-group`` and ``window-top-n``."""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from tidemark.simulator.engine.evictors import Evictor
from tidemark.simulator.engine.triggers.base import ConfiguredTrigger, TableTrigger, Trigger
from tidemark.simulator.engine.triggers.table import AfterEndOfWindow
from tidemark.simulator.engine.values.time import MAX, Milliseconds, WindowStart
from tidemark.simulator.engine.values.versions import NEWEST_RULES, FlinkRules
from tidemark.simulator.engine.values.window import Window as StateWindow
from tidemark.simulator.engine.values.window import cleanup_time
from tidemark.simulator.scenario.assigners import Assigner
from tidemark.simulator.scenario.operators.facts import Function, OperatorFacts, Setting
from tidemark.simulator.scenario.operators.spark import SparkWindow

TABLE_APIS = ("sql", "tvf")
"""The APIs whose windows are the table runtime's."""


class Windowed(OperatorFacts):
    """An operator whose records go into windows."""

    __slots__ = ()

    counts_late = True
    keeps_windows = True

    assigner: Assigner
    trigger: Trigger | ConfiguredTrigger
    rules: FlinkRules

    def by_rules(self, rules: FlinkRules) -> Self:
        """The same with these rules."""
        return self if self.rules == rules else replace(self, rules=rules)  # type: ignore[type-var]

    @property
    def start_of(self) -> WindowStart:
        """Finds the start of a window."""
        return self.rules.window_start

    @property
    def running_trigger(self) -> Trigger | TableTrigger:
        """There always is one."""
        found = super().running_trigger
        assert found is not None
        return found

    @property
    def windows_end_by_watermark(self) -> bool:
        """In event time, if windows have an end."""
        return self.time == "event" and self.assigner.ends

    def kept_until(self, window: StateWindow) -> int | None:
        """When the allowed lateness is over.

        The table runtime sets no cleanup timer before 1970, so windows whose allowed lateness is over by then stay.
        """
        lateness = self.allowed_lateness if self.windows_end_by_watermark else 0
        cleanup = cleanup_time(window.max_timestamp, lateness)
        leaks = cleanup < 0 and lateness > 0 and self.api == "sql"
        return None if cleanup >= MAX or leaks else cleanup

    @property
    def emit_section(self) -> str:
        """The listing of a firing."""
        if self.evictor is not None:
            return "evicting.emit"
        return "window.emit_process" if self.function is not None and self.function.sees_window else "window.emit"

    def window_walk(self, *apply: str) -> list[str]:
        """The listings of ``WindowOperator`` and its merging twin; ``apply``: what runs when a window fires."""
        merging = self.assigner.merges
        kind = "session" if merging else "window"
        sections = [f"{kind}.process_element"]
        if merging:
            sections += ["session.add_window", "session.on_merge"]
        sections += [f"{kind}.on_timer", self.emit_section, *apply]
        return [*sections, f"{kind}.clear", "window.late" if self.windows_end_by_watermark else "clock.late"]


@dataclass(frozen=True, slots=True)
class Window(Windowed):
    """``type: window``. ``trigger``: as written, or Flink's default. ``late_output``: ``drop`` or ``side``.

    ``api``: ``datastream``, ``sql`` (group windows) or ``tvf`` (window table functions). The latter have no trigger of
    their own: theirs says that a window fires at its end. ``session_zone``, for both of SQL's: the IANA time
    zone in whose local time windows are found (``simulator.engine.values.zone``), None for UTC.
    """

    type: ClassVar[str] = "window"
    aggregates_windows = True
    clause = "computed"
    said = "window"

    assigner: Assigner = field()
    trigger: Trigger | ConfiguredTrigger = field()
    function: Function = field()
    api: str = "datastream"
    time: str = "event"
    evictor: Evictor | None = None
    allowed_lateness: Milliseconds = 0
    late_output: str = "drop"
    updates: bool = False
    session_zone: str | None = None
    rules: FlinkRules = field(default=NEWEST_RULES, compare=False, repr=False)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """What is computed."""
        return (self.compute_setting,)

    @property
    def in_spark(self) -> SparkWindow | None:
        """The same windows, without a process function; whether Spark has them is another question."""
        if self.function.sees_window:
            return None
        return SparkWindow(self.assigner, Function("aggregate", self.function.compute))

    @property
    def is_table_function(self) -> bool:
        """Of its API."""
        return self.api == "tvf"

    @property
    def fires_without_trigger(self) -> bool:
        """Window table functions do, but for sessions."""
        return self.is_table_function and not self.assigner.merges

    @property
    def flush_offset(self) -> int:
        """That of the windows, but by old rules."""
        return self.rules.flush_offset(getattr(self.assigner, "offset", 0))

    @property
    def timers_lag(self) -> bool:
        """By old rules."""
        return self.rules.timers_lag

    @property
    def buffers_rows(self) -> bool:
        """In UTC by old rules alone."""
        shows = self.rules.buffers_show(by_clock=self.time == "processing", offset=getattr(self.assigner, "offset", 0))
        return self.fires_without_trigger and (self.session_zone is not None or shows)

    @property
    def keeps_elements(self) -> bool:
        """An evictor looks at whole records."""
        return self.evictor is not None

    @property
    def keeps_lists(self) -> bool:
        """A process function gets all values."""
        return self.keeps_elements or self.function.call == "process"

    @property
    def keeps_panes(self) -> bool:
        """The table runtime does, where a record is in several windows."""
        return self.in_sql and self.assigner.overlaps

    def code_walk(self) -> list[str]:
        """Each runtime has its own operators."""
        if self.fires_without_trigger:
            kind = "slice" if self.assigner.overlaps else "tumble"
            buffer = ["slice.advance", "slice.combine"] if self.buffers_rows else []
            return [f"{kind}.process_element", *buffer, f"{kind}.fire", "slice.clear"]
        if not self.in_sql:
            return self.window_walk(*(["process.counts"] if self.function.firings is not None else []))
        if self.assigner.merges:
            own = ["merging.assign", "merging.add_window", "merging.on_merge"]
        else:
            own = ["paned.assign" if self.assigner.overlaps else "general.assign"]
        emit = "table.emit_updates" if self.updates else "table.emit"
        clean = f"{own[0].partition('.')[0]}.clean"
        return ["table.process_element", *own, "table.on_timer", emit, clean]


@dataclass(frozen=True, slots=True)
class WindowJoin(Windowed):
    """``type``: ``window-join`` (``join`` is then ``inner``) or ``co-group``."""

    is_join = True
    keeps_elements = True

    type: str
    assigner: Assigner = field()
    trigger: Trigger = field()
    time: str = "event"
    evictor: Evictor | None = None
    allowed_lateness: Milliseconds = 0
    join: str = "inner"
    rules: FlinkRules = field(default=NEWEST_RULES, compare=False, repr=False)

    result_briefly = "join"

    @property
    def clause(self) -> str:
        """One for each."""
        return self.type

    @property
    def said(self) -> str:
        """One for each."""
        return self.type.replace("-", "_")

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Which side of a coGroup may be missing."""
        return () if self.pairs else (self.setting("join", "choice", "inner", "left", "right", "full"),)

    @property
    def always_written(self) -> tuple[str, ...]:
        """A coGroup without ``join`` would be another one."""
        return () if self.pairs else ("join",)

    @property
    def without_results(self) -> str:
        """Without pairs nothing matches."""
        return "no_match" if self.pairs else "no_firing"

    @property
    def pairs(self) -> bool:
        """As its type says."""
        return self.type == "window-join"

    @property
    def sides_needed(self) -> tuple[str, ...]:
        """A window join pairs; the ``join`` of a coGroup says which side may be missing (``CoGroupFiring``)."""
        return {"inner": ("left", "right"), "left": ("left",), "right": ("right",), "full": ()}[
            "inner" if self.pairs else self.join
        ]

    def code_walk(self) -> list[str]:
        """That of a window, and what is done with both sides."""
        return self.window_walk("join.apply" if self.pairs else "group.apply")


@dataclass(frozen=True, slots=True)
class WindowTopN(Windowed):
    """``type: window-top-n``: the first ``n`` rows of each window. ``order``: ``desc`` or ``asc``.

    ``by``: the columns that put them in order, as ORDER BY has them; None where each value is one number. ``ties``:
    whether of rows that are equal in it the ``first`` or the ``last`` that came comes first.

    Its windows are of event time and fire once, at their end, as those of a window table function.
    """

    type: ClassVar[str] = "window-top-n"
    trigger = AfterEndOfWindow()
    late_output = "drop"
    api = "tvf"
    is_table_function = True
    fires_without_trigger = True
    keeps_elements = True
    drops_by_window = True
    skips_between_windows = True

    assigner: Assigner = field()
    n: int
    order: str = "desc"
    by: str | None = None
    ties: str = "first"
    rules: FlinkRules = field(default=NEWEST_RULES, compare=False, repr=False)

    @property
    def needs_numbers(self) -> bool:
        """Unless a column puts the rows in order."""
        return self.by is None

    clause = "window-top-n"

    @property
    def said(self) -> str:
        """The largest or the smallest."""
        return f"top_n.{self.order}"

    @property
    def result_briefly(self) -> str:
        """As in the sentence."""
        return self.said

    @property
    def settings(self) -> tuple[Setting, ...]:
        """How many rows, in which order."""
        return self.setting("n", "whole"), self.setting("order", "choice", "desc", "asc")

    @property
    def row_ranked(self) -> str:
        """By its value."""
        return "largest_first" if self.order == "desc" else "smallest_first"

    def code_walk(self) -> list[str]:
        """The operator of ranks."""
        return ["rank.process_element", "rank.fire", "rank.clear"]
