"""What an operator says of itself, so that nobody else has to know which operators there are.

Theory of operation. A scenario names one operator: frozen configuration, whose fields are keys of the format. The
class of each, in a file of its own beside this one, says all that the rest of the program asks about it, and
``OperatorFacts`` says what holds for an operator that says nothing else. The configuration that only some operators
have can be asked of each: the others have the value that changes nothing.

What belongs to a higher ring has one table there, with an entry for each operator: how the engine runs it
(``simulator.scenario.builder``, ``simulator.scenario.builder``), its query in SQL
(``simulator.programs.sql_queries``), its controls (``ui.author.controls``), and how Spark computes it
(``spark_bridge.plan``). ``tests/test_architecture.py`` looks for operators that are named elsewhere.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Final, Self

from tidemark.simulator.engine.evictors import Evictor
from tidemark.simulator.engine.triggers.base import ConfiguredTrigger, TableTrigger, Trigger
from tidemark.simulator.engine.values.time import WindowStart, window_start
from tidemark.simulator.engine.values.versions import FlinkRules
from tidemark.simulator.engine.values.window import Window
from tidemark.simulator.scenario.assigners import Assigner


@dataclass(frozen=True, slots=True)
class Function:
    """``call``: ``reduce``, ``aggregate``, ``process`` (``event-sort`` in a process operator, without ``compute``).

    With ``-process`` behind one of the first two, a process function gets the one result, and knows its window.

    ``columns``: the name and the SQL text of each aggregate over rows with columns, instead of ``compute``.
    ``firings``: whether the process function counts the firings of a window, and whether the count is ``cleared`` with
    the window or ``kept``; None if it counts none.
    """

    call: str
    compute: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    firings: str | None = None

    @property
    def keeps(self) -> str:
        """The ``call`` by which the contents are kept, whatever sees their result."""
        return self.call.removesuffix(BEHIND)

    @property
    def sees_window(self) -> bool:
        """Whether a process function gets the result."""
        return self.call.endswith(BEHIND)


BEHIND: Final = "-process"
"""Ends the ``call`` of a pair of functions."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value of an operator that its sentence names and the Author page changes.

    ``kind``: ``span`` (a length of time in ms), ``whole``, ``choice``, or ``fixed`` for what the page does not change.
    ``path``: where it stands in the file.
    """

    name: str
    kind: str
    value: int | str
    path: tuple[str, ...]
    choices: tuple[str, ...] = ()


COMPUTES: Final = {"reduce": ("sum", "min", "max"), "process": ("collect", "sum", "count", "min", "max", "avg")}
AGGREGATES: Final = ("sum", "count", "min", "max", "avg")


class OperatorFacts(ABC):
    """By default an operator of event time with one watermark, without windows, that keeps no rows."""

    __slots__ = ()

    # Configuration. A class that has one of these as a field without a default declares it with ``field()``.

    assigner: Assigner | None = None
    trigger: Trigger | ConfiguredTrigger | None = None
    function: Function | None = None
    evictor: Evictor | None = None

    api: str = "datastream"
    """``datastream``, ``sql`` (of the table runtime) or ``tvf`` (on a window table function)."""

    time: str = "event"
    allowed_lateness: int = 0

    late_output: str | None = None
    """``drop`` or ``side``; None where nothing can be chosen."""

    updates: bool = False

    session_zone: str | None = None
    """The time zone in whose local time windows are found; None where windows know no zone."""

    state_ttl: int | None = None
    """How long (ms, by the clock) state is valid after it was written; None for ever."""

    by: str | None = None
    """The column that puts rows in order; None where each value is one number."""

    output_mode: str | None = None
    watermark_policy: str | None = None

    # Facts.

    engine: ClassVar[str] = "flink"

    aggregates_windows: ClassVar[bool] = False
    """Whether a function computes the result of each of Flink's windows."""

    has_versions: ClassVar[bool] = False
    """Whether its right side has versions, so that a record there may end one."""

    counts_late: ClassVar[bool] = False
    """Whether it counts the late records that it drops."""

    combines_watermarks: ClassVar[bool] = False
    """Whether it combines the watermarks of its two inputs itself: each input has a valve of its own."""

    keeps_windows: ClassVar[bool] = False
    """Whether records go into windows, and state is kept by window; otherwise by key alone."""

    is_join: ClassVar[bool] = False
    """Whether it has two inputs, ``left`` and ``right``."""

    rows_state: ClassVar[str | None] = None
    """The state with the rows of a key that wait for the watermark; None where they are in no list."""

    rows_in_order_of_time: ClassVar[bool] = True
    """Whether that state holds them by their time, not as they arrived."""

    accepts_at_watermark: ClassVar[bool] = False
    """Whether a record at the watermark itself is not late: only what is behind it."""

    single_values: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The states with one value for each key, and the sentence (``explain``) for a change of it; "" for none."""

    row_waits: ClassVar[tuple[str, str]] = ("row_waits", "")
    """The sentences (``explain``) for a row that begins to wait: what happens, and why; "" where its rule says it."""

    sorts: ClassVar[bool] = False
    """Whether it emits its records in the order of their times."""

    drops_by_window: ClassVar[bool] = False
    """Whether each window that a record is too late for drops it, and others may take it."""

    skips_between_windows: ClassVar[bool] = False
    """Whether a record that is skipped lies between two windows."""

    topic: ClassVar[str] = ""
    """What a scenario with it teaches (``simulator.teaching.topics``); "" where that is named as its type is."""

    joins_by_time: ClassVar[bool] = False
    """Whether it joins records whose times are near each other."""

    aggregates_rows: ClassVar[bool] = False
    """Whether each record is emitted, beside what a function computes over the records before it."""

    @property
    def always_written(self) -> tuple[str, ...]:
        """Members that stand in a file whatever their value."""
        return ()

    @property
    @abstractmethod
    def clause(self) -> str:
        """The template of its clause in the sentence of the Author page, below ``author.sentence``."""

    @property
    @abstractmethod
    def said(self) -> str:
        """The template of what it does, below ``player.sentence``."""

    @property
    def said_briefly(self) -> str:
        """The same below ``player.brief``, for an operator without windows and bounds."""
        return self.said

    @property
    def result_briefly(self) -> str:
        """The template of what it emits, below ``player.brief``; "" if what its function computes says it."""
        return ""

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The values in these templates, beside those of its assigner."""
        return ()

    def setting(self, name: str, kind: str, *choices: str) -> Setting:
        """The setting that is the field ``name``."""
        return Setting(name, kind, getattr(self, name), ("operator", name), choices)

    @property
    def compute_setting(self) -> Setting:
        """What the function computes."""
        assert self.function is not None
        if self.function.columns:
            texts = ", ".join(text for _, text in self.function.columns)
            return Setting("compute", "fixed", texts, ("operator", "function", "compute"))
        choices = COMPUTES.get(self.function.keeps, AGGREGATES)
        return Setting("compute", "choice", self.compute or "collect", ("operator", "function", "compute"), choices)

    @property
    def needs_numbers(self) -> bool:
        """Whether it takes numbers only, whatever it computes."""
        return False

    @property
    def without_results(self) -> str:
        """The hint for a run without results (``hints``); "" if the picture says why."""
        return "no_firing"

    @property
    def pairs(self) -> bool:
        """Whether it joins records in pairs; a coGroup hands both sides of a window to its function."""
        return self.is_join

    @property
    def in_spark(self) -> "OperatorFacts | None":
        """The operator by Spark's rules with the same windows or bounds; None if there is none."""
        return None

    @property
    def written_bounds(self) -> tuple[int, int] | None:
        """``bounds`` as they are written, each of which may be exclusive (``open_bounds``)."""
        return self.bounds

    @property
    def open_bounds(self) -> tuple[bool, bool] | None:
        """Which of the written bounds are exclusive; None where none can be."""
        return None

    @property
    def one_side(self) -> int:
        """1 where both bounds lie after the record that they are measured by, -1 where both lie before it, else 0."""
        return 0

    @property
    def reach(self) -> int:
        """How far (ms) a frame of time reaches back; 0 without one."""
        return 0

    @property
    def bounds(self) -> tuple[int, int] | None:
        """How far (ms, both inclusive) the time of a right record may be from the left one's; None for any."""
        return None

    @property
    def compute(self) -> str | None:
        """What the function computes."""
        return None if self.function is None else self.function.compute

    @property
    def merges(self) -> bool:
        """Whether it has windows that merge."""
        return self.assigner is not None and self.assigner.merges

    @property
    def is_table_function(self) -> bool:
        """Whether it works on a window table function: no lateness, and the watermark is in the checkpoint."""
        return False

    @property
    def in_sql(self) -> bool:
        """Whether it is an operator of the table runtime."""
        return self.api != "datastream"

    @property
    def windows_end_by_watermark(self) -> bool:
        """Whether a record can be late for a window: not where the clock ends them, and not in the global window."""
        return False

    @property
    def fires_without_trigger(self) -> bool:
        """Whether windows fire at their end without a trigger that is asked."""
        return False

    @property
    def asks_trigger(self) -> bool:
        """Whether windows have a trigger that is asked."""
        return self.keeps_windows and not self.fires_without_trigger

    @property
    def keeps_elements(self) -> bool:
        """Whether contents are kept as a list of whole records."""
        return False

    @property
    def keeps_lists(self) -> bool:
        """Whether contents are kept as a list, of records or of values, not as one value."""
        return self.keeps_elements

    @property
    def keeps_panes(self) -> bool:
        """Whether a window is put together from smaller panes, each accumulated once."""
        return False

    @property
    def keeps_slices(self) -> bool:
        """Whether these are slices of a window table function, which serve several windows each."""
        return self.keeps_panes and self.is_table_function

    def by_rules(self, rules: FlinkRules) -> Self:
        """The operator of the version of Flink with these rules."""
        return self

    @property
    def start_of(self) -> WindowStart:
        """Finds the start of a window."""
        return window_start

    @property
    def flush_offset(self) -> int:
        """The offset (ms) of the times at which the buffer of rows is emptied."""
        return 0

    @property
    def timers_lag(self) -> bool:
        """Whether restored timers do not have the watermark that the operator has."""
        return False

    @property
    def buffers_rows(self) -> bool:
        """Whether rows wait in a buffer before they come into state, where that shows."""
        return self.fires_without_trigger and self.session_zone is not None

    @property
    def sides_needed(self) -> tuple[str, ...]:
        """The inputs that must have records in a window for a firing to emit a row; () if either will do."""
        return ()

    @property
    def keeps_frames(self) -> bool:
        """Whether rows that no longer wait stay, for the frames of those after them."""
        return False

    @property
    def row_ranked(self) -> str:
        """The sentence (``explain``) for why a row has its rank."""
        return ""

    @property
    def filters_late(self) -> bool:
        """Whether, by Spark's rules, a watermark keeps late records away."""
        return False

    @property
    def emits_at_once(self) -> bool:
        """Whether its rows wait for no watermark."""
        return False

    @property
    def running_trigger(self) -> Trigger | TableTrigger | None:
        """The trigger that runs, of the table runtime the one for windows of its time; None without windows."""
        trigger = self.trigger
        if isinstance(trigger, ConfiguredTrigger):
            return trigger.in_time(is_event_time=self.time == "event")
        return trigger

    def kept_until(self, window: Window) -> int | None:
        """When (ms) the window is cleaned up; None for never."""
        return None

    @abstractmethod
    def code_walk(self) -> list[str]:
        """The listings (``simulator/timeline/code/texts``) that a record goes through, in reading order."""
