"""How long state lives: the lifetime of every window of a key, and of every record in a queue or buffer.

They are read from the facts of a whole run. When there are more than fit on a screen, they are folded: one row for each
key says how many are alive at a time. ``key_hashes``: how each key gets its key group.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from tidemark.simulator.engine.state import DEFAULT_MAX_PARALLELISM, java_hash_code, key_group, murmur_hash
from tidemark.simulator.engine.values.key import key_of
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.ids import key_id
from tidemark.simulator.timeline.schema import BufferFact, KeyHash, OutputFact, QueueFact, WindowFact

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
