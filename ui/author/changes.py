"""What an edit changes: results that appear, disappear or differ, fates of records, watermarks; and where to look."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.runs import RESULTS, Ran
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.ids import ResultId, result_id
from tidemark.simulator.words import words
from tidemark.ui.payload.charts.plane import pane_text
from tidemark.ui.payload.times import TimeStyle

# Short names of records and results, for lists.

MOST = 60
"""How many characters of a key or value are shown; an author's may be long."""


def record_name(row: Mapping[str, Any], style: TimeStyle) -> str:
    """``a at 3.9 s, value 6``."""
    key = str(row["key"]).lower() if isinstance(row["key"], bool) else str(row["key"])
    at = row["at"] if row["ts"] is None else row["ts"]
    name = words("author.names.record", key=_cut(key), time=style.format.record(at))
    value = row["value"]
    return name if value is None else words("author.names.valued", record=name, value=_cut(str(value)))


def result_name(row: Mapping[str, Any], style: TimeStyle, by_item: bool = False) -> str:
    """``a [0, 5) = 22, late pane ↻1, at 10.3 s``; ``at #7`` if ``by_item``, where the clock tells nothing apart."""
    key = _cut(str(row["key"]))
    if "at" not in row:
        when = words("author.names.batch", batch=row["batch"])
    elif by_item:
        when = words("author.names.in_order", item=row["item"])
    else:
        when = words("author.names.when", time=style.format.record(row["at"]))
    if row["row"] == "pane":
        timing = row.get("timing", "on-time")
        what = words(f"author.names.{timing.replace('-', '_')}", number=row.get("pane", 0))
        window = style.window(row["start"], row["end"])
        return words("author.names.pane", key=key, window=window, value=_cut(str(row["value"])), timing=what, when=when)
    if row["row"] == "ranked":
        window, value = style.window(row["start"], row["end"]), _cut(str(row["value"]))
        return words("author.names.ranked", key=key, window=window, value=value, rank=row["rank"], when=when)
    if row["row"] == "emitted":
        return words("author.names.emitted", key=key, time=style.format.record(row["ts"]), when=when)
    return words("author.names.joined", pair=_cut(pane_text(dict(row))), when=when)


def window_name(row: Mapping[str, Any], style: TimeStyle) -> str:
    """What a result is about: ``[0, 5) of a``, a record of a key, or a pair."""
    key = _cut(str(row["key"]))
    if row.get("start") is not None and row.get("end") is not None:
        return words("tryout.window", window=style.window(row["start"], row["end"]), key=key)
    if row["row"] == "emitted":
        return words("author.names.record", key=key, time=style.format.record(row["ts"]))
    return _cut(pane_text(dict(row)))


def value_name(row: Mapping[str, Any]) -> str:
    """What a result holds."""
    return _cut(str(row["value"])) if "value" in row else _cut(f"{row['left']} · {row['right']}")


def _cut(text: str) -> str:
    return text if len(text) <= MOST else f"{text[: MOST - 1]}…"


MOST_SAID = 3
"""How many changes of one kind are named; the others are counted."""

Results = Mapping[ResultId, Sequence[Row]]


def changes(before: Ran | None, after: Ran, style: TimeStyle) -> dict[str, Any]:
    """``entries``: {mark, head, lines}. ``records``, ``results``: which are new or changed, by item and by number."""
    if before is None:
        return {"entries": [], "records": [], "results": []}
    partner = partners(before.scenario, after.scenario)
    olds, news = _results_of(before), _results_of(after)
    by_item = after.facts.arrival_axis == "item"
    entries = [*_results(olds, news, style, by_item), *_fates(before, after, partner, style)]
    were, are = _places(before), _places(after)
    moved = [item for item, old in partner.items() if old is None or were.get(old) != are.get(item)]
    marks = _same_watermarks(before, after)
    entries.append(_rest(olds, news, bool(entries), marks))
    old_fates = {row["item"]: row["fate"] for row in _ended(before)}
    changed = [
        row["item"]
        for row in _ended(after)
        if partner.get(row["item"]) is not None and old_fates.get(partner[row["item"]] or 0) != row["fate"]
    ]
    return {"entries": entries, "records": sorted({*changed, *moved}), "results": _new_results(olds, news)}


def partners(before: Scenario, after: Scenario) -> Mapping[int, int | None]:
    """Which item of ``before`` each record of ``after`` was: the same, else the next in order; ``None`` if new."""
    old = [(number, item) for number, item in enumerate(items(before)) if isinstance(item, Record)]
    new = [(number, item) for number, item in enumerate(items(after)) if isinstance(item, Record)]
    free: dict[tuple[str, ...], deque[int]] = {}
    for number, item in old:
        free.setdefault(_identity(item), deque()).append(number)
    found: dict[int, int | None] = {}
    for number, item in new:
        same = free.get(_identity(item))
        found[number] = same.popleft() if same else None
    left = sorted(number for numbers in free.values() for number in numbers)
    open_ones = [number for number, old_number in found.items() if old_number is None]
    if len(new) >= len(old) or len(open_ones) <= len(left):  # these were changed; the others are new
        found |= dict(zip(open_ones, left, strict=False))
    return found


def _identity(record: Record) -> tuple[str, ...]:
    return tuple(map(repr, record))


def _ended(run: Ran) -> list[Row]:
    """Every record as it is at the end."""
    return [row for row in run.facts.by_name()["records"] if row["until_step"] is None]


def _places(run: Ran) -> Mapping[int, tuple[Any, ...]]:
    """Each record that the run reaches, by its item."""
    return {
        row["item"]: (row["ts"], row["at"], row["key"], repr(row["value"]))
        for row in reversed(run.facts.tables["records"])
    }


# --- results -------------------------------------------------------------------------------------------------------


def _results_of(run: Ran) -> Mapping[ResultId, Sequence[Row]]:
    """The results that remain at the end, as facts, by what they are about."""
    found: dict[ResultId, list[Row]] = {}
    for fact in run.facts.by_name()["outputs"]:
        if fact["until_step"] is None and fact["row"]["row"] in RESULTS:
            found.setdefault(result_id(fact["row"]), []).append(fact)
    return found


def _results(olds: Results, news: Results, style: TimeStyle, by_item: bool) -> list[Row]:
    def told(given: Row) -> str:
        return result_name(given["row"], style, by_item)

    gone, come, other, moved = [], [], [], []
    for id in [*olds, *(id for id in news if id not in olds)]:
        old, new = olds.get(id, ()), news.get(id, ())
        for place in range(max(len(old), len(new))):
            was = old[place] if place < len(old) else None
            now = new[place] if place < len(new) else None
            if was is None and now is not None:
                come.append(told(now))
            elif now is None and was is not None:
                gone.append(told(was))
            elif was is not None and now is not None:
                if _content(was) != _content(now):
                    value = _value(was)
                    other.append(words("author.changes.instead", result=told(now), value=value))
                elif not by_item and was["row"].get("at") != now["row"].get("at"):
                    time = style.short(was["row"]["at"])
                    moved.append(words("author.changes.instead", result=told(now), value=time))
    kinds = (("void", "gone", gone), ("fired", "come", come), ("update", "other", other), ("clock", "moved", moved))
    return [_entry(mark, name, said) for mark, name, said in kinds if said]


def _value(given: Row) -> str:
    row = given["row"]
    if "value" in row:
        return str(row["value"])
    return f"{row['left']} · {row['right']}"


def _content(given: Row) -> tuple[Any, ...]:
    row = given["row"]
    return (repr(row.get("value")), repr(row.get("left")), repr(row.get("right")))


def _new_results(olds: Results, news: Results) -> list[int]:
    """The numbers (among the outputs) of the results that are new or differ."""
    return [
        fact["number"]
        for id, facts in news.items()
        for place, fact in enumerate(facts)
        if place >= len(olds.get(id, ())) or _content(olds[id][place]) != _content(fact)
    ]


# --- records -------------------------------------------------------------------------------------------------------


def _fates(before: Ran, after: Ran, partner: Mapping[int, int | None], style: TimeStyle) -> list[Row]:
    old = {row["item"]: row for row in _ended(before)}
    said: dict[str, list[str]] = {}
    added = []
    for row in _ended(after):
        was = partner.get(row["item"])
        if was is None:
            added.append(record_name(row, style))
        if was is None or was not in old or old[was]["fate"] != row["fate"]:
            said.setdefault(row["fate"], []).append(record_name(row, style))
    kept = {number for number in partner.values() if number is not None}
    removed = [record_name(row, style) for number, row in old.items() if number not in kept]
    entries = [_entry(_mark(fate), f"now_{_name(fate)}", names) for fate, names in said.items() if fate != "ahead"]
    entries = [each for each in entries if each["lines"] != added or each["mark"] != "on-time"]
    return [
        *([_entry("on-time", "added", added)] if added else []),
        *([_entry("skipped", "removed", removed)] if removed else []),
        *entries,
    ]


def _mark(fate: str) -> str:
    return {"late-accepted": "late", "arrived": "ahead"}.get(fate, fate)


def _name(fate: str) -> str:
    return {"late-accepted": "late", "on-time": "on_time"}.get(fate, fate)


def _entry(mark: str, name: str, said: list[str]) -> Row:
    one = "_one" if len(said) == 1 else ""
    head = words(f"author.changes.{name}{one}", count=len(said))
    lines = said[:MOST_SAID]
    if len(said) > MOST_SAID:
        lines.append(words("author.changes.more", count=len(said) - MOST_SAID))
    return {"mark": mark, "head": head, "lines": lines}


# --- the rest ------------------------------------------------------------------------------------------------------


def _same_watermarks(before: Ran, after: Ran) -> bool:
    def moves(run: Ran) -> list[tuple[Any, Any]]:
        return [(row["value"], row["arrival"]) for row in run.facts.tables["watermark"]]

    return moves(before) == moves(after)


def _rest(olds: Results, news: Results, more: bool, watermarks: bool) -> Row:
    """What did not change. ``more``: something else did."""
    same = sum(
        _content(old) == _content(new) and old["row"].get("at") == new["row"].get("at")
        for id, facts in news.items()
        for old, new in zip(olds.get(id, ()), facts, strict=False)
    )
    total = max(sum(map(len, olds.values())), sum(map(len, news.values())))
    if same < total:
        name = "some_results"
    else:
        name = ("no_results", "same_result")[total] if total < 2 else "same_results"
    lines = [words(f"author.changes.{name}", count=same, total=total)]
    if not watermarks:
        return {"mark": "rest", "head": words("author.changes.watermark_moved"), "lines": lines}
    head = words("author.changes.nothing_else" if more else "author.changes.nothing")
    return {"mark": "rest", "head": head, "lines": [*lines, words("author.changes.same_watermarks")]}
