"""Session windows: the late filter looks at a record's own window; then windows that overlap or touch become one.

Since the filter comes first, a late record never extends an open session. In Flink it would: there the record's window
merges first, and the merged window is asked whether it is late.
"""

from collections import defaultdict
from typing import Any

from tidemark.simulator.spark_dialect.aggregation import STATE, Entry, WindowAggregation
from tidemark.simulator.spark_dialect.base import BatchOutput
from tidemark.simulator.trace.events import SessionsMerged, StateCleared, StateUpdated
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import TimeWindow

Part = tuple[TimeWindow, Any, bool]
"""Window, accumulator, and whether it comes from the state."""


class SessionAggregation(WindowAggregation):
    """``groupBy(session_window(…), key).agg(…)``.

    Source: ``SessionWindowStateStoreRestoreExec``, ``MergingSessionsExec``, ``SessionWindowStateStoreSaveExec``.
    """

    store = "SessionWindowStateStoreSaveExec"
    assigning = "SessionWindowing.apply"

    def save(self, partials: dict[Entry, Any], output: BatchOutput) -> list[Entry]:
        """Merge the batch's windows with the sessions of their keys, each group from the earliest start on."""
        by_key: dict[Key, list[Part]] = defaultdict(list)
        for (key, window), partial in partials.items():
            by_key[key].append((window, partial, False))
        for (key, window), held in self.state.items():
            if key in by_key:
                by_key[key].append((window, held, True))
        written: list[Entry] = []
        for key, parts in by_key.items():
            parts.sort(key=lambda part: part[0])
            changed = (group for group in _groups(parts) if not all(part[2] for part in group))
            written.extend(self._merge(key, group, output) for group in changed)
        return written

    def _merge(self, key: Key, group: list[Part], output: BatchOutput) -> Entry:
        window, after, _ = group[0]
        for other, partial, _ in group[1:]:
            window, after = window.cover(other), self.function.merge(after, partial)
        old = [part[0] for part in group if part[2]]
        if len(group) > 1 and output.trace is not None:
            new = tuple(part[0] for part in group if not part[2])
            output.trace.add(SessionsMerged("MergingSessionsExec.do_execute", key, window, tuple(old), new))
        for gone in old:
            del self.state[key, gone]
            if gone != window and output.trace is not None:
                output.trace.add(StateCleared(f"{self.store}.put", STATE, key, gone))
        self.state[key, window] = after
        if output.trace is not None:
            output.trace.add(StateUpdated(f"{self.store}.put", STATE, key, window, after))
        return key, window


def _groups(parts: list[Part]) -> list[list[Part]]:
    """Groups of windows, in order of start, that overlap or touch."""
    groups: list[list[Part]] = []
    end = 0
    for part in parts:
        if groups and part[0].start <= end:
            groups[-1].append(part)
            end = max(end, part[0].end)
        else:
            groups.append([part])
            end = part[0].end
    return groups
