"""The identity of things: one form for a key, a window, a pane and whatever else has a name in the timeline.

A key stands in an id as JSON, so that ``1``, ``"1"`` and ``true`` are three keys. Ids are opaque: they are compared,
and never taken apart. Only what stands before the first colon, the kind of thing, is read, for the Why cards.
``ui/player/base/facts.ts`` has the same rules for the browser.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tidemark.simulator.engine.values.items import Key, PlainKey, plain_key
from tidemark.simulator.engine.values.window import Namespace, SideNamespace, TimeWindow, Window
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.timeline.facts import Row

ResultId = str
"""What a result is about: a window of a key, a pair of records or a sorted record."""


def key_id(key: Key | PlainKey) -> str:
    """``key`` as JSON, whether it is the engine's or the one that was written."""
    return _key_id(plain_key(key))


@lru_cache(maxsize=4096, typed=True)
def _key_id(key: PlainKey) -> str:
    return json.dumps(key, ensure_ascii=False)


def scope_id(key: Key | PlainKey, start: int | None, end: int | None) -> str:
    """A key and the bounds (ms) of a window; both None for the global window, or where there is no window."""
    return f"{key_id(key)}|{'' if start is None else start}|{'' if end is None else end}"


def _namespace_id(key: Key, namespace: Namespace) -> str:
    if namespace is None:
        return key_id(key)
    if isinstance(namespace, SideNamespace):
        return f"{key_id(key)}|{namespace.side}"
    return scope_id(key, namespace.start, namespace.end)


def record_id(item: int) -> str:
    """The record that is stream item ``item``."""
    return f"record:{item}"


def channel_id(input: str, channel: int) -> str:
    """An upstream channel."""
    return f"channel:{input}:{channel}"


def valve_id(input: str) -> str:
    """The valve over the channels of ``input``; "" for the one over all channels."""
    return f"valve:{input}"


def window_id(key: Key, window: Window) -> str:
    """A window of a key."""
    return f"window:{scope_id(key, window.start, window.end)}"


def window_id_of(fact: Mapping[str, Any]) -> str:
    """The window that a fact with ``key``, ``start`` and ``end`` belongs to."""
    return f"window:{scope_id(fact['key'], fact['start'], fact['end'])}"


def state_id(state: str, key: Key, namespace: Namespace) -> str:
    """An entry of keyed state."""
    return f"state:{state}|{_namespace_id(key, namespace)}"


def holder_id(key: Key, state_window: Window) -> str:
    """What joins a window to its contents: the state window under which both are kept."""
    return f"holder:{scope_id(key, state_window.start, state_window.end)}"


def timer_id(domain: str, timestamp: int, key: Key, namespace: Namespace) -> str:
    """A timer; a second one with all of these is the same timer."""
    return f"timer:{domain}|{timestamp}|{_namespace_id(key, namespace)}"


def queued_id(key: Key, number: int) -> str:
    """The record that was the ``number``-th to enter a queue."""
    return f"queue:{key_id(key)}|{number}"


def buffered_id(side: str, key: Key, number: int) -> str:
    """The record that was the ``number``-th to enter a buffer of a join."""
    return f"buffer:{side}|{key_id(key)}|{number}"


def version_id(key: Key, number: int) -> str:
    """The version of a temporal join that was the ``number``-th row to be stored."""
    return f"version:{key_id(key)}|{number}"


def frame_id(key: Key, number: int) -> str:
    """The row of an OVER frame that was the ``number``-th to be stored."""
    return f"frame:{key_id(key)}|{number}"


def checkpoint_id(name: str) -> str:
    """A checkpoint; one of the same name takes its place."""
    return f"checkpoint:{name}"


def batch_id(number: int) -> str:
    """A micro-batch."""
    return f"batch:{number}"


def output_id(number: int) -> str:
    """An output row, by its place among the rows."""
    return f"output:{number}"


def result_id(row: Mapping[str, Any]) -> ResultId:
    """What a result row is about; all panes of one window have the same."""
    kind, key = row["row"], key_id(row["key"])
    if kind == "joined":
        records = (row[side] for side in ("left", "right"))
        sides = ("" if each is None else f"{each['ts']}|{each['value']!r}" for each in records)
        return f"{kind}:{key}|{'|'.join(sides)}"
    if kind == "emitted":
        return f"{kind}:{key}|{row['ts']}|{row['value']!r}"
    if kind == "ranked":
        return f"{kind}:{scope_id(row['key'], row['start'], row['end'])}|{row['rank']}"
    return f"{kind}:{scope_id(row['key'], row['start'], row['end'])}"


def bounds(namespace: Namespace) -> dict[str, int | None]:
    """The columns ``start`` and ``end``."""
    if isinstance(namespace, TimeWindow):
        return {"start": namespace.start, "end": namespace.end}
    return {"start": None, "end": None}


def in_instants(row: Row, zone: SessionZone | None) -> Row:
    """``row`` with its window between instants (epoch ms): what runs of different zones, or engines, have in common.

    Itself where it has no window, and without a ``zone``.
    """
    if zone is None or row.get("start") is None:
        return row
    start, end = zone.span(row["start"], row["end"])
    moved = {"start": start, "end": end, "timestamp": end - 1}
    return row | {name: value for name, value in moved.items() if name in row}
