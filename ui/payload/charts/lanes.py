"""The lanes under the plane: a row for each key, divided into tracks so that no window covers another."""

import re
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]

Span = Callable[[int | None, int | None], tuple[int | None, int | None]]
"""Where a window lies on the axis of event time, from its bounds (ms)."""

_TWO_INPUTS = ({"left"}, {"right"}, {"left", "right"})


def lanes(
    tables: Mapping[str, list[Row]], *, slices: bool = False, span: Span = lambda start, end: (start, end)
) -> dict[str, Any]:
    """``{"rows": [{"key", "tracks"}], "tracks": {window id: track}, "joins", "slices"}`` in order of the keys.

    ``joins``: the windows hold two inputs. ``slices``: each key has one more track, for what its windows share.

    Where there are no windows but rows that wait, every key with such a row has one track; in a temporal join a second
    one, above it, for its versions. ``span``: where windows lie, if that is not where their bounds are.
    """
    tracks: dict[str, int] = {}
    taken: dict[Any, list[list[Row]]] = {}
    lives = _lives(tables.get("windows", []))
    for life in lives.values():
        life["start"], life["end"] = span(life["start"], life["end"])
    merging = any(row["status"] == "merged" for row in lives.values())
    for id, row in sorted(lives.items(), key=lambda life: _order(life[1], merging)):
        in_key = taken.setdefault(_key(row["key"]), [])
        for number, others in enumerate(in_key):
            if not any(_collide(row, other) for other in others):
                others.append(row)
                tracks[id] = number
                break
        else:
            tracks[id] = len(in_key)
            in_key.append([row])
    if not taken:
        versions = tables.get("versions", [])
        kept = [*tables.get("queue", []), *versions]
        taken = {_key(row["key"]): [[], []] if versions else [[]] for row in kept}
    ordered = sorted(taken.items(), key=lambda each: _natural(each[0]))
    return {
        "rows": [{"key": key[1], "tracks": len(used) + slices} for key, used in ordered],
        "tracks": tracks,
        "joins": {content["input"] for content in tables.get("contents", [])} in _TWO_INPUTS,
        "slices": slices,
    }


def _order(life: Row, merging: bool) -> tuple[int, int, int]:
    """Overlapping windows form a staircase; sessions, which grow, keep their order of creation."""
    start, end = life["start"] or 0, life["end"] or 0
    return (life["from_step"], start, end) if merging else (start, end, life["from_step"])


def _natural(key: tuple[str, Any]) -> list[Any]:
    """Sorts ``k2`` before ``k10``; keys of one kind stay together."""
    kind, value = key
    parts = re.split(r"(\d+)", str(value))
    return [kind, *[(int(p), "") if p.isdigit() else (-1, p) for p in parts]]


def _key(key: Any) -> tuple[str, Any]:
    """Keys of different types are different keys, although 1 equals True in Python."""
    return type(key).__name__, key


def _lives(facts: list[Row]) -> dict[str, Row]:
    """The life of each window on the screen: from its first fact until it is gone or merged into another."""
    lives: dict[str, Row] = {}
    for fact in facts:
        life = lives.setdefault(fact["id"], dict(fact))
        life["until_step"] = fact["from_step"] if fact["status"] == "merged" else fact["until_step"]
    return lives


def _collide(a: Row, b: Row) -> bool:
    if a["start"] is None or b["start"] is None:
        return True
    in_time: bool = a["start"] < b["end"] and b["start"] < a["end"]
    endless = float("inf")
    a_until = endless if a["until_step"] is None else a["until_step"]
    b_until = endless if b["until_step"] is None else b["until_step"]
    in_steps: bool = a["from_step"] < b_until and b["from_step"] < a_until
    return in_time and in_steps
