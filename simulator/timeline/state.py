"""The tables ``state``, ``held`` and ``checkpoints``: what keyed state holds, and what it shares with a snapshot.

The rule is that of ``StateTable``: a snapshot shares every value; a value that is written afterwards is no longer
shared; a restore shares them all again. An entry's version is the number of snapshots before it was last written.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, get_args

from tidemark.simulator.engine.functions import CONTENTS, FIRINGS
from tidemark.simulator.engine.operators.group_window_functions import ACCUMULATORS
from tidemark.simulator.engine.operators.merging_window_operator import MERGING_SET
from tidemark.simulator.engine.operators.window_aggregate import RANKED
from tidemark.simulator.engine.state import DEFAULT_MAX_PARALLELISM, java_hash_code, key_group, murmur_hash
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.items import Key, key_of, plain_key
from tidemark.simulator.engine.values.window import Namespace, TimeWindow, Window
from tidemark.simulator.scenario.model import Operator
from tidemark.simulator.timeline.facts import Folding, Handlers, Row, Timeline
from tidemark.simulator.timeline.ids import bounds, checkpoint_id, holder_id, key_id, state_id
from tidemark.simulator.timeline.schema import BufferFact, KeyHash, OutputFact, QueueFact, WindowFact

STATE: Final = "state"
HELD: Final = "held"
VALUE_KIND: Final = "value"

SINGLE_VALUES: Final = {state: said for each in get_args(Operator) for state, said in each.single_values.items()}
"""The states that hold one value for each key, and the sentence for a change of it; "" for none."""


class Entries:
    """Writes the rows of keyed state, on behalf of the groups that know what is in it."""

    def __init__(self, folding: Folding) -> None:
        self._facts = folding.facts
        self.version = 0
        self._values = self._peak = 0
        self._latest: str | None = None
        self._show_held()

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {events.CheckpointTaken: self._taken, events.Restored: self._restored}

    def put(
        self,
        state: str,
        kind: str,
        key: Key,
        namespace: Namespace,
        value: Any,
        entries: int,
        stamp: tuple[int, bool] | None = None,
        holder: str | None = None,
    ) -> None:
        """Record that an entry with ``entries`` values was written. ``stamp``: (version, shared) of an earlier write.

        ``holder`` joins it to its ``contents``, if its elements are rows there.
        """
        id = state_id(state, key, namespace)
        before = self._facts.get(id)
        version, shared = (self.version, False) if stamp is None else stamp
        self._facts.put(
            STATE,
            id,
            state=state,
            kind=kind,
            key=plain_key(key),
            **bounds(namespace),
            value=value,
            entries=entries,
            group=key_group(key),
            version=version,
            shared=shared,
            written=self._facts.step,
            holder=holder,
        )
        self._count(entries - (0 if before is None else before["entries"]))

    def forget(self, id: str) -> bool:
        """Remove the entry; return whether there was one."""
        before = self._facts.get(id)
        if before is None:
            return False
        self._facts.end(id)
        self._count(-before["entries"])
        return True

    def stamp(self, id: str, version: int, shared: bool) -> None:
        """Set in which version an entry was written, and whether the last snapshot shares it."""
        row = self._facts.get(id)
        if row is not None and (row["version"], row["shared"]) != (version, shared):
            self._facts.change(STATE, id, version=version, shared=shared)

    def _taken(self, step: Step, event: events.CheckpointTaken) -> None:
        self.version += 1
        for id, row in self._facts.save((STATE,)).items():
            self.stamp(id, row["version"], shared=True)
        self._facts.put(
            "checkpoints",
            checkpoint_id(event.name),
            name=event.name,
            number=self.version,
            entries=event.entries,
            timers=event.timers,
            taken=step.step,
            item=step.item,
            latest=False,
        )
        self._share_with(event.name)

    def _restored(self, step: Step, event: events.Restored) -> None:
        rows = self._facts.save((STATE,))
        for id in rows:
            self.stamp(id, 0, shared=True)
        self._values = sum(row["entries"] for row in rows.values())
        self._count(0)
        self._share_with(event.name)
        restored = self._facts.get(checkpoint_id(event.name))
        assert restored is not None
        for id, row in self._facts.save(("checkpoints",)).items():
            if row["item"] > restored["item"]:
                self._facts.end(id)  # it was taken after the restored one, in a part of the run that no longer counts

    def _share_with(self, name: str) -> None:
        if self._latest is not None and self._latest != name:
            self._facts.change("checkpoints", checkpoint_id(self._latest), latest=False)
        self._latest = name
        self._facts.change("checkpoints", checkpoint_id(name), latest=True)

    def _count(self, more: int) -> None:
        self._values += more
        row = self._facts.get(HELD)
        if row is None or row["values"] != self._values:
            self._show_held()

    def _show_held(self) -> None:
        self._peak = max(self._peak, self._values)
        self._facts.put(HELD, HELD, values=self._values, peak=self._peak)


CHECKPOINTED: Final = (
    "records", "windows", "contents", "timers", "state", "queue", "buffers", "versions", "frames", "counters",
)  # fmt: skip
"""The tables that a restore resets. A record that came after the checkpoint is ahead again: the source replays it."""


class Remembering(Protocol):
    """A group that keeps working data beside its facts."""

    def save(self) -> Any:
        """A copy of that data."""

    def restore(self, saved: Any) -> None:
        """Go back to what was saved, which may be restored again later."""


class CheckpointFacts:
    """Keeps the facts of each checkpoint."""

    def __init__(self, folding: Folding, groups: Sequence[Remembering]) -> None:
        self._facts = folding.facts
        self._groups = groups
        self._saved: dict[str, tuple[dict[str, Row], list[Any]]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {events.CheckpointTaken: self._taken, events.Restored: self._restored}

    def _taken(self, step: Step, event: events.CheckpointTaken) -> None:
        self._saved[event.name] = self._facts.save(CHECKPOINTED), [group.save() for group in self._groups]

    def _restored(self, step: Step, event: events.Restored) -> None:
        rows, memories = self._saved[event.name]
        self._facts.withdraw(event.checkpoint_step)
        self._facts.restore(rows, CHECKPOINTED)
        for group, memory in zip(self._groups, memories, strict=True):
            group.restore(memory)


CONTENTS_KIND: Final = "contents"
TRIGGER_KIND: Final = "trigger"
EMITTED_KIND: Final = "emitted"

CONTENT_STATES: Final = (CONTENTS, ACCUMULATORS, RANKED)
"""The states that hold what is in a window: of the two APIs, and of a window Top-N."""


class StateFacts:
    """Entries of window contents, of trigger state, and of the results emitted last."""

    def __init__(self, folding: Folding, entries: Entries) -> None:
        self._entries = entries
        self._in_lists = folding.scenario.operator.keeps_lists

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.StateAdded: self._added,
            events.StateUpdated: self._updated,
            events.StateMerged: self._merged,
            events.StateCleared: self._cleared,
            events.TriggerStateChanged: self._trigger_state_changed,
        }

    def _added(self, step: Step, event: events.StateAdded) -> None:
        self._hold(event.state, event.key, event.namespace, event.after)

    def _updated(self, step: Step, event: events.StateUpdated) -> None:
        if event.state in CONTENT_STATES:
            self._hold(event.state, event.key, event.namespace, event.after)
        elif event.state == FIRINGS:
            self._entries.put(event.state, VALUE_KIND, event.key, event.namespace, plain(event.after), 1)
        elif event.state in SINGLE_VALUES:
            self._entries.put(event.state, VALUE_KIND, event.key, None, plain(event.after), 1)
        else:
            self._entries.put(event.state, EMITTED_KIND, event.key, event.namespace, plain(event.after), 1)

    def _merged(self, step: Step, event: events.StateMerged) -> None:
        moved = [self._entries.forget(state_id(event.state, event.key, source)) for source in event.sources]
        if event.after is not None and any(moved):
            self._hold(event.state, event.key, event.target, event.after)

    def _cleared(self, step: Step, event: events.StateCleared) -> None:
        self._entries.forget(state_id(event.state, event.key, event.namespace))

    def _trigger_state_changed(self, step: Step, event: events.TriggerStateChanged) -> None:
        if event.after is None:
            self._entries.forget(state_id(event.state, event.key, event.window))
        else:
            self._entries.put(event.state, TRIGGER_KIND, event.key, event.window, plain(event.after), 1)

    def _hold(self, state: str, key: Key, namespace: Namespace, after: Any) -> None:
        """Record that the entry holds ``after``; of a list, only the length."""
        if self._in_lists:
            assert isinstance(namespace, Window)
            holder = holder_id(key, namespace)
            self._entries.put(state, CONTENTS_KIND, key, namespace, None, len(after), holder=holder)
        else:
            self._entries.put(state, CONTENTS_KIND, key, namespace, plain(after), 1)


# Merging sets in the table ``state``: which windows of a key are in flight, and where their contents are kept.
#
# A key's whole mapping is one entry of the state. The operator reads it before a record or timer and writes it back
# afterwards if it has changed (Flink: ``MergingWindowSet.persist``). Here each window in it is a row of its own.

MERGING_KIND: Final = "merging-set"

Mapping = dict[Window, Window]
Stamp = tuple[int, bool]
"""(version, shared)."""


class MergingFacts:
    """The windows in flight, by key."""

    def __init__(self, folding: Folding, entries: Entries) -> None:
        self._facts = folding.facts
        self._entries = entries
        self._mappings: dict[Key, Mapping] = {}
        self._read: dict[Key, tuple[Mapping, Stamp]] = {}

    def handlers(self) -> Handlers:
        """The events that this group handles."""
        return {
            events.WindowTracked: self._tracked,
            events.WindowsMerged: self._merged,
            events.WindowRetired: self._retired,
            events.RecordArrived: self._read_again,
            events.TimerFired: self._read_again,
            events.CheckpointTaken: self._read_again,
            events.Restored: self._restored,
        }

    def _read_again(self, step: Step, event: Any) -> None:
        """From now on a change is a change of the mapping as it is at this step."""
        self._read.clear()

    def _tracked(self, step: Step, event: events.WindowTracked) -> None:
        self._change(event.key, (), {event.window: event.state_window})

    def _merged(self, step: Step, event: events.WindowsMerged) -> None:
        self._change(event.key, event.merged, {event.result: event.state_window})

    def _retired(self, step: Step, event: events.WindowRetired) -> None:
        self._change(event.key, (event.window,), {})

    def _change(self, key: Key, gone: tuple[Window, ...], new: Mapping) -> None:
        mapping = self._mappings.setdefault(key, {})
        if key not in self._read:
            self._read[key] = dict(mapping), self._stamp(key, mapping)
        for window in gone:
            mapping.pop(window, None)
            if window not in new:
                self._entries.forget(state_id(MERGING_SET, key, window))
        mapping.update(new)
        read, stamp = self._read[key]
        if mapping != read:
            stamp = self._entries.version, False
        for window, state_window in new.items():
            value = list(state_window)
            self._entries.put(MERGING_SET, MERGING_KIND, key, window, value, 1, stamp)
        for window in mapping:
            self._entries.stamp(state_id(MERGING_SET, key, window), *stamp)

    def _stamp(self, key: Key, mapping: Mapping) -> Stamp:
        for window in mapping:
            row = self._facts.row(state_id(MERGING_SET, key, window))
            return row["version"], row["shared"]
        return self._entries.version, False

    def _restored(self, step: Step, event: events.Restored) -> None:
        self._read.clear()
        self._mappings.clear()
        for row in self._facts.save((STATE,)).values():
            if row["kind"] == MERGING_KIND:
                mapping = self._mappings.setdefault(key_of(row["key"]), {})
                mapping[TimeWindow(row["start"], row["end"])] = TimeWindow(*row["value"])


# Lifetimes: of every window of a key, and of every record in a queue or buffer, read from the facts of a whole run.
# When there are more than fit on a screen, they are folded: one row for each key says how many are alive at a time.

MOST_BARS: Final = 60
"""More windows or records than this are folded by key; the keys beyond this number share one row."""

ALIVE: Final = ("open", "fired")


@dataclass(slots=True)
class Bar:
    """One window or waiting record.

    ``kind``: ``window``, ``queue``, ``left``, ``right``; ``start`` and ``end`` of the window, ``ts`` and ``item`` of
    the record, or None. ``lives``: [from_step, until_step, how it ended]; the latter two are None if it lasts to the
    end of the run. It ends ``cleared``, ``merged`` or ``removed`` (it left the queue, or a restore took it back).
    ``fired``: [step, timing].
    """

    id: str
    kind: str
    key: Any
    start: int | None = None
    end: int | None = None
    ts: int | None = None
    item: int | None = None
    lives: list[list[Any]] = field(default_factory=list)
    fired: list[list[Any]] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Its members by name."""
        return {name: getattr(self, name) for name in self.__slots__}


def bars(timeline: Timeline) -> list[Bar]:
    """Every window and waiting record of the run, by key in order of arrival, then by time."""
    tables = timeline.tables
    found = [
        *_windows(tables["windows"], tables["outputs"]),
        *_records(tables["queue"], "queue"),
        *_records(tables["buffers"]),
    ]
    keys: dict[str, int] = {}
    for row in sorted(tables["records"], key=lambda row: row["item"]):
        keys.setdefault(key_id(row["key"]), len(keys))
    found.sort(key=lambda bar: (keys.get(key_id(bar.key), 0), bar.start or 0, bar.end or 0, bar.lives[0][0]))
    return found


def lifetimes(timeline: Timeline) -> dict[str, Any]:
    """{total, bars} if they are few, {total, keys} if they are folded.

    A folded row is {key, keys, bars, alive}: ``keys`` is how many keys it stands for (``key`` is None for several),
    ``bars`` how many windows or records, ``alive`` [step, how many there are from this step on].
    """
    found = bars(timeline)
    if len(found) <= MOST_BARS:
        return {"total": len(found), "bars": [bar.as_json() for bar in found]}
    by_key: dict[str, list[Bar]] = {}
    for bar in found:
        by_key.setdefault(key_id(bar.key), []).append(bar)
    groups = list(by_key.values())
    shown, rest = groups[: MOST_BARS - 1], groups[MOST_BARS - 1 :]
    rows = [_folded(group[0].key, 1, group) for group in shown]
    if rest:
        rows.append(_folded(None, len(rest), [bar for group in rest for bar in group]))
    return {"total": len(found), "keys": rows}


def _folded(key: Any, keys: int, group: list[Bar]) -> dict[str, Any]:
    return {"key": key, "keys": keys, "bars": len(group), "alive": _alive(group)}


def _alive(group: Iterable[Bar]) -> list[list[int]]:
    changes: dict[int, int] = {}
    for bar in group:
        for begin, end, _ in bar.lives:
            changes[begin] = changes.get(begin, 0) + 1
            if end is not None:
                changes[end] = changes.get(end, 0) - 1
    count, alive = 0, []
    for step in sorted(changes):
        if changes[step]:
            count += changes[step]
            alive.append([step, count])
    return alive


def _windows(rows: Iterable[WindowFact], outputs: Iterable[OutputFact]) -> list[Bar]:
    timing = {(row["window"], row["from_step"]): row["row"].get("timing", "on-time") for row in outputs}
    found: dict[str, Bar] = {}
    last: dict[str, WindowFact] = {}
    for row in rows:
        id = row["id"]
        bar = found.get(id)
        if bar is None:
            bar = found[id] = Bar(id, "window", row["key"], start=row["start"], end=row["end"])
        before = last.get(id)
        last[id] = row
        continues = before is not None and before["until_step"] == row["from_step"] and before["status"] in ALIVE
        if row["status"] not in ALIVE:
            if continues:
                bar.lives[-1][2] = row["status"]
            continue
        if continues:
            bar.lives[-1][1] = row["until_step"]
        else:
            bar.lives.append([row["from_step"], row["until_step"], None])
        bar.lives[-1][2] = None if row["until_step"] is None else "removed"
        fired_before = before["firings"] if continues and before is not None else 0
        if row["firings"] > fired_before:
            bar.fired.append([row["from_step"], timing.get((id, row["from_step"]), "on-time")])
    return [bar for bar in found.values() if bar.lives]


def _records(rows: Iterable[QueueFact | BufferFact], kind: str | None = None) -> list[Bar]:
    """Records of a queue, or of a buffer, whose ``kind`` is its side."""
    found: dict[str, Bar] = {}
    for row in rows:
        bar = found.get(row["id"])
        if bar is None:
            of = kind or str(row.get("side"))
            bar = found[row["id"]] = Bar(row["id"], of, row["key"], ts=row["ts"], item=row["item"])
        how = None if row["until_step"] is None else "removed"
        if bar.lives and bar.lives[-1][1] == row["from_step"]:
            bar.lives[-1][1:] = [row["until_step"], how]
        else:
            bar.lives.append([row["from_step"], row["until_step"], how])
    return list(found.values())


KEY_GROUPS: Final = DEFAULT_MAX_PARALLELISM
"""The number of key groups."""


def key_hashes(facts: Timeline) -> dict[str, list[KeyHash]]:
    """The keys with state by key group (its number as text): {key, code, murmur}, in order of arrival."""
    found: dict[str, list[KeyHash]] = {}
    seen = set()
    for row in facts.tables["state"]:
        key = key_of(row["key"])
        if key in seen:
            continue
        seen.add(key)
        code = java_hash_code(key)
        found.setdefault(str(key_group(key)), []).append({"key": row["key"], "code": code, "murmur": murmur_hash(code)})
    return found
