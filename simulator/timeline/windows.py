"""The tables ``windows`` and ``contents``: each key's windows, and the records in them.

Contents belong to an entry of keyed state; a window shows those of the entry that it keeps its contents under, which
is another than its own only after a merge. So a session that grows moves none of them.
"""

from simulator.functions.base import CONTENTS
from simulator.operators.pane_numbers import cleanup_time
from simulator.scenario.model import Window as WindowSpec
from simulator.scenario.model import WindowJoin
from simulator.timeline.facts import Row
from simulator.timeline.folding import Folding, Handlers
from simulator.timeline.ids import bounds, record_id, state_id, window_id
from simulator.timeline.records import RecordFacts
from simulator.timeline.results import Results
from simulator.trace.events import (
    PaneFired,
    StateAdded,
    StateCleared,
    StateMerged,
    WindowCleaned,
    WindowRetired,
    WindowsMerged,
    WindowTracked,
)
from simulator.trace.trace import Step, plain
from simulator.values.key import Key, plain_key
from simulator.values.time import MAX, MIN
from simulator.values.window import Window

Entry = tuple[Key, Window]
"""(key, state window)."""


class WindowFacts:
    """Windows open with their first record and stay, ``cleared`` or ``merged``, when they are gone."""

    def __init__(self, folding: Folding, records: RecordFacts) -> None:
        self._facts = folding.facts
        self._records = records
        self._late_is_possible = folding.windows_end_by_watermark
        operator = folding.scenario.operator
        self._lateness = operator.allowed_lateness if isinstance(operator, WindowSpec | WindowJoin) else 0
        self._results = Results(folding.scenario)
        self._window_of: dict[Entry, Window] = {}
        self._contents: dict[Entry, list[str]] = {}
        self._added = 0

    def handlers(self) -> Handlers:
        """What this group listens to."""
        return {
            WindowTracked: self._tracked,
            WindowsMerged: self._windows_merged,
            WindowRetired: self._retired,
            StateAdded: self._state_added,
            StateMerged: self._state_merged,
            StateCleared: self._state_cleared,
            PaneFired: self._fired,
            WindowCleaned: self._cleaned,
        }

    # --- windows that come and go ---

    def _tracked(self, step: Step, event: WindowTracked) -> None:
        self._open(event.key, event.window, event.state_window)

    def _windows_merged(self, step: Step, event: WindowsMerged) -> None:
        result = window_id(event.key, event.result)
        for window in event.merged:
            if window != event.result:
                self._facts.change("windows", window_id(event.key, window), status="merged", merged_into=result)
        self._open(event.key, event.result, event.state_window)

    def _retired(self, step: Step, event: WindowRetired) -> None:
        """A window that was not cleaned up before came too late to be one at all."""
        id = window_id(event.key, event.window)
        row = self._facts.get(id)
        if row is not None and row["status"] != "cleared":
            self._facts.end(id)

    def _cleaned(self, step: Step, event: WindowCleaned) -> None:
        self._facts.change("windows", window_id(event.key, event.window), status="cleared", result=None)

    def _fired(self, step: Step, event: PaneFired) -> None:
        id = window_id(event.key, event.window)
        self._facts.change("windows", id, status="fired", firings=self._row(id)["firings"] + 1)

    # --- what is in them ---

    def _state_added(self, step: Step, event: StateAdded) -> None:
        if event.state != CONTENTS or event.namespace is None:
            return
        entry = (event.key, event.namespace)
        window = self._window_of.get(entry, event.namespace)
        id = window_id(event.key, window)
        row = self._facts.get(id)
        if row is None or row["status"] in ("cleared", "merged"):
            self._open(event.key, window, event.namespace)
        watermark = MIN if step.watermark is None else step.watermark
        late = self._late_is_possible and window.max_timestamp <= watermark
        record = self._row(record_id(step.item))
        content = f"contents:{self._added}"
        self._facts.put(
            "contents",
            content,
            state=state_id(CONTENTS, *entry),
            item=step.item,
            ts=record["ts"],
            value=plain(event.value),
            late=late,
            order=self._added,
        )
        self._added += 1
        self._contents.setdefault(entry, []).append(content)
        self._results.add(entry, event.value, event.after)
        self._records.accepted(step, late)
        self._show(entry)

    def _state_merged(self, step: Step, event: StateMerged) -> None:
        if event.state != CONTENTS:
            return
        target = (event.key, event.target)
        sources = [(event.key, source) for source in event.sources]
        for source in sources:
            for content in self._contents.pop(source, []):
                self._facts.change("contents", content, state=state_id(CONTENTS, *target), order=self._added)
                self._added += 1
                self._contents.setdefault(target, []).append(content)
        self._results.merge(target, sources, event.after)
        self._show(target)

    def _state_cleared(self, step: Step, event: StateCleared) -> None:
        if event.state != CONTENTS or event.namespace is None:
            return
        entry = (event.key, event.namespace)
        for content in self._contents.pop(entry, []):
            self._facts.end(content)
        self._results.clear(entry)
        self._show(entry)

    # --- rows ---

    def _open(self, key: Key, window: Window, state_window: Window) -> None:
        """The window is there, with what is kept under ``state_window`` already."""
        entry = (key, state_window)
        self._window_of[entry] = window
        kept_until = cleanup_time(window, self._lateness, self._late_is_possible)
        self._facts.put(
            "windows",
            window_id(key, window),
            key=plain_key(key),
            **bounds(window),
            status="open",
            records=len(self._contents.get(entry, [])),
            result=self._results.get(entry),
            firings=0,
            kept_until=None if kept_until == MAX else kept_until,
            state_window=list(state_window),
            state=state_id(CONTENTS, *entry),
            merged_into=None,
        )

    def _show(self, entry: Entry) -> None:
        """The window that keeps its contents under ``entry`` shows what is there now."""
        key, state_window = entry
        id = window_id(key, self._window_of.get(entry, state_window))
        row = self._facts.get(id)
        if row is None or row["status"] == "merged":
            return
        result = None if row["status"] == "cleared" else self._results.get(entry)
        self._facts.change("windows", id, records=len(self._contents.get(entry, [])), result=result)

    def _row(self, id: str) -> Row:
        row = self._facts.get(id)
        assert row is not None
        return row
