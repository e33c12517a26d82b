"""The wizard for tables: what it shows of a file, and how the wanted records get into the draft.

The browser holds the file and sends pieces of it; nothing is kept here between two questions. ``look`` reads the
beginning, ``sift`` picks the wanted rows of one piece after the other, ``records`` puts them into the draft. With
``new`` a table is how a scenario begins: the draft is then a plain one, whose windows fit the records.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import End
from tidemark.simulator.engine.values.items import Record as Event
from tidemark.simulator.limits import SCENARIO_BYTES, TABLE_COLUMNS, TABLE_PIECE_BYTES, TABLE_PIECE_ROWS, TABLE_RECORDS
from tidemark.simulator.scenario.editing import (
    EditError,
    Path,
    Plain,
    ScenarioText,
    Value,
    insert,
    put,
    remove,
    set_list,
)
from tidemark.simulator.scenario.editing.beats import remove_beat
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.tables import Choice, Look, Reading, Record, look, problem_of, read, with_given
from tidemark.simulator.scenario.tables.columns import ROLES, TIMES, WAYS
from tidemark.simulator.scenario.tables.guess import wants_zone
from tidemark.simulator.scenario.tables.rows import DELIMITERS, ENCODINGS
from tidemark.simulator.scenario.tables.times import FORMATS, SPANS
from tidemark.simulator.teaching.lint import beats_in_doubt
from tidemark.simulator.words import DEFAULT_LANGUAGE, current_language, section, words
from tidemark.ui.author.cells import clock_of
from tidemark.ui.author.draft import Draft, draft_of, draft_of_edit, goals, run_of_draft
from tidemark.ui.author.rows import EditRefused
from tidemark.ui.author.store import fork, names
from tidemark.ui.author.telling import dropped

# What a scenario is that begins with a table: sums, or counts where a record has no number, in a few tumbling windows.

NEW: Final = """\
scenario: 1
name: my-records
title: {title}
inputs:
  events: {{watermark: {{generator: bounded-out-of-orderness, bound: 1s}}}}
operator:
  type: window
  assigner: {{type: tumbling, size: 5s}}
  function: {{call: aggregate, compute: count}}
stream:
  - {{ts: 0s, key: a, value: 1}}
  - {{end: true}}
"""

SPANS_OF_WINDOWS: Final = tuple(
    unit * each
    for unit, many in ((1_000, (1, 5, 10, 30)), (60_000, (1, 5, 10, 30)), (3_600_000, (1, 6)), (86_400_000, (1, 7, 28)))
    for each in many
)
"""The sizes (ms) that a window of a new scenario may have."""

FEW_WINDOWS: Final = 8


def _new() -> Draft:
    language = current_language()
    text = fork(NEW.format(title=words("author.wizard.new_title")), names())
    if language != DEFAULT_LANGUAGE:
        text = text.replace("\ntitle:", f"\nlanguage: {language}\ntitle:")
    return draft_of(text)


def _with_windows(draft: Draft) -> Draft:
    """The new draft with windows, and a bound, of which the records fill a few."""
    assert draft.scenario is not None
    assert draft.read is not None
    assert not isinstance(draft.scenario.stream, Generated)
    records = [item for item in draft.scenario.stream if isinstance(item, Event)]
    times = [record.ts for record in records if record.ts is not None]
    span = max(times, default=0) - min(times, default=0)
    size = next((each for each in SPANS_OF_WINDOWS if each * FEW_WINDOWS >= span), SPANS_OF_WINDOWS[-1])
    text = put(draft.read, ("operator", "assigner", "size"), Plain(format_duration(size)))
    text = put(text, ("inputs", "events", "watermark", "bound"), Plain(format_duration(size // 5)))
    if all(isinstance(record.value, int | float) for record in records):
        text = put(text, ("operator", "function", "compute"), Plain("sum"))
    made = draft_of_edit(text)
    return draft if made.scenario is None else made


# Puts the records of a table into a draft: after its last record, or in place of all its records.

STREAM: Path = ("stream",)


def with_records(draft: Draft, records: Sequence[Record], *, replace: bool) -> ScenarioText:
    """The text with ``records`` in its stream, and with as many channels as they need.

    A stream that ends does so after them: an end that would arrive before the last of them loses its arrival.
    Raises ``EditError`` if the whole file is written in braces.
    """
    assert draft.scenario is not None
    assert draft.read is not None
    if not records:
        return draft.read
    scenario = draft.scenario
    text = _with_channels(draft.read, scenario, records)
    items = () if isinstance(scenario.stream, Generated) else scenario.stream
    end = next((number for number, item in enumerate(items) if isinstance(item, End)), None)
    if replace or not items:
        ending: list[dict[str, Value]] = [] if end is None else [{"end": True}]
        return set_list(text, "stream", [*records, *ending])
    text = insert(text, STREAM, len(items) if end is None else end, *records)
    if end is not None and any("at" in record for record in records):
        text = _without_arrival(text, end + len(records))
    return text


def _without_arrival(text: ScenarioText, item: int) -> ScenarioText:
    path: Path = (*STREAM, item, "at")
    return remove(text, path) if text.has(path) else text


def _with_channels(text: ScenarioText, scenario: Scenario, records: Sequence[Record]) -> ScenarioText:
    """Each input gets the channels that the records name; each channel has a generator by the input's strategy."""
    for place, each in enumerate(scenario.inputs):
        mine = [
            int(record["channel"])
            for record in records
            if "channel" in record and (len(scenario.inputs) == 1 or (record.get("in") == each.name) or not place)
        ]
        if mine and max(mine) >= each.channels:
            text = put(text, ("inputs", each.name, "channels"), Plain(str(max(mine) + 1)))
    return text


Row = dict[str, Any]

PREVIEWED: Final = 6
"""How many of the records to come are shown."""

SHOWN: Final = 80
"""How many characters of a cell are shown."""


def looked(command: Mapping[str, Any], text: str) -> Row:
    """What the wizard shows: {choice, columns, rows, preview, refused, ...}; ``content`` is the file's beginning."""
    draft = _draft(command, text)
    data = _bytes(command)
    given = command.get("given")
    found = look(data, given if isinstance(given, Mapping) else None, _roles(draft))
    shown: Row = {
        "apart": any(column.role in TIMES and column.time not in SPANS for column in found.choice.columns)
        and draft.scenario is not None
        and clock_of(draft.scenario).style.in_seconds,
        "choice": found.choice.as_json(),
        "problem": words(f"tables.problems.{found.problem}", limit=TABLE_COLUMNS) if found.problem else "",
        "encoding_why": words(f"tables.encoding_reasons.{found.encoding_why}"),
        "columns": _columns(found),
        "roles": _roles(draft),
        "rows": [{"line": row.line, "cells": [cell[:SHOWN] for cell in row.cells]} for row in found.rows],
        "zoned": wants_zone(found.choice.columns),
        "keyed": found.choice.column_with("key") is not None,
        "sided": _inputs(draft) < 2 or found.choice.column_with("in") is not None,
    }
    if found.problem:
        return {"look": {**shown, "preview": [], "reading": None}}
    reading = read(data, found.choice, channels=_channels(draft))
    if not command.get("whole") and reading.refused and reading.refused[-1].line == _last_line(data, found.choice):
        reading.refused.pop()  # the piece may have cut it off
        reading.refused_count -= 1
    return {"look": {**shown, "preview": _preview(reading), "reading": _told(reading, draft, command)}}


def sifted(command: Mapping[str, Any], text: str) -> Row:
    """The wanted rows of a piece: {kept, reading}; ``line``, ``matched`` and ``taken`` say what came before it."""
    draft = _draft(command, text)
    choice = _choice(command)
    line, matched, taken = (
        _whole(command.get(name), least) for name, least in (("line", 1), ("matched", 0), ("taken", 0))
    )
    reading = read(_bytes(command), choice, channels=_channels(draft), line=line, matched=matched, taken=taken)
    return {"kept": reading.kept, "preview": _preview(reading), "reading": _told(reading, draft, command)}


def taken(command: Mapping[str, Any], text: str) -> Row:
    """The draft with the records. With ``kept`` the content is rows that ``sift`` has picked."""
    draft = _draft(command, text)
    choice = _choice(command)
    if command.get("kept"):
        choice = choice.of_all_rows()
    if problem := problem_of(choice):
        raise EditRefused(words(f"tables.problems.{problem}", limit=TABLE_COLUMNS))
    reading = read(_bytes(command), choice, channels=_channels(draft))
    if reading.over:
        raise EditRefused(words("author.wizard.too_many", limit=TABLE_RECORDS))
    if not reading.records:
        raise EditRefused(words("author.wizard.none"))
    records = _with_sides(reading.records, choice, draft)
    replaces = bool(command.get("replace") or command.get("new"))
    about_old = _about_its_records(draft) if replaces else []
    try:
        made = _sound(_without_beats(draft, about_old), records, replace=replaces)
        if command.get("new"):
            made = _with_windows(made)
        elif replaces:
            made, unmet = _without_unmet(made)
            about_old += unmet
    except EditError:
        raise EditRefused(words("author.refused.not_simple")) from None
    notes = _notes(reading, draft)
    if about_old:
        notes.append(words("author.wizard.no_longer_hold"))
    return {"text": made.text, "added": len(records), "left_out": reading.refused_count, "notes": notes}


# What a draft says of its records, when others take their place: what no longer holds goes with them.


def _about_its_records(draft: Draft) -> list[int]:
    """The beats, by number, that are tied to a record or a step, or whose answer was written for these records."""
    assert draft.scenario is not None
    beats = enumerate(draft.scenario.walkthrough)
    return [number for number, beat in beats if beat.at.event is None or beat.ask is not None]


def _without_beats(draft: Draft, numbers: Sequence[int]) -> Draft:
    assert draft.read is not None
    text = draft.read
    for number in sorted(numbers, reverse=True):
        text = remove_beat(text, number)
    return draft_of_edit(text) if numbers else draft


def _without_unmet(draft: Draft) -> tuple[Draft, list[int]]:
    """``draft`` without the beats that its run contradicts and the goals that it misses, and the numbers of both."""
    if draft.scenario is None or not draft.whole:
        return draft, []
    try:
        shown = run_of_draft(draft.text, draft.scenario)
        beats = [] if shown.cut else beats_in_doubt(draft.scenario)
        unmet = [each["number"] for each in goals(draft.scenario, shown) if each["met"] is False]
    except ScenarioError:
        return draft, []
    draft = _without_beats(draft, beats)
    for number in reversed(unmet):
        assert draft.read is not None
        assert draft.scenario is not None
        draft = draft_of_edit(dropped(draft.read, draft.scenario, {"list": "goals", "number": number}))
    return draft, [*beats, *unmet]


# --- the draft -----------------------------------------------------------------------------------------------------


def _draft(command: Mapping[str, Any], text: str) -> Draft:
    draft = _new() if command.get("new") else draft_of(text)
    if draft.scenario is None:
        raise EditRefused(words("author.refused.unsound"))
    return draft


def _inputs(draft: Draft) -> int:
    return len(draft.scenario.inputs) if draft.scenario else 1


def _roles(draft: Draft) -> list[str]:
    """What a record of the draft may have: ``in`` in a join, arrival and channel unless Spark's batches say it."""
    spark = draft.scenario is not None and draft.scenario.engine == "spark"
    out = ({"in"} if _inputs(draft) < 2 else set()) | ({"at", "channel"} if spark else set())
    return [role for role in ROLES if role not in out]


def _channels(draft: Draft) -> int:
    return max((each.channels for each in draft.scenario.inputs), default=1) if draft.scenario else 1


def _with_sides(records: Sequence[Record], choice: Choice, draft: Draft) -> Sequence[Record]:
    """Records of a join all name their input; those of one input name none."""
    if _inputs(draft) > 1:
        return [{"in": Plain(choice.side), **record} if "in" not in record else record for record in records]
    return [{name: value for name, value in record.items() if name != "in"} for record in records]


def _sound(draft: Draft, records: Sequence[Record], *, replace: bool) -> Draft:
    """The draft with ``records``, and with an origin near them where the run needs one.

    Raises ``EditRefused`` if there is no such draft: what is in it stays as it is.
    """
    new = with_records(draft, records, replace=replace)
    if len(new.text.encode()) > SCENARIO_BYTES:
        raise EditRefused(words("author.wizard.too_large", limit=SCENARIO_BYTES // 1024))
    made = draft_of_edit(new)
    if made.scenario is not None:
        return made
    begins = _begin(records)
    if replace and begins is not None and draft.scenario is not None and not draft.scenario.origin:
        later = draft_of_edit(_from(new, begins))
        if later.scenario is not None:
            return later
    problem = next((each.text for each in made.problems if not each.warning), words("author.refused.unsound"))
    raise EditRefused(problem if replace else words("author.wizard.or_replace", problem=problem))


def _begin(records: Sequence[Record]) -> str | None:
    """The first arrival, or else the first time, if it is an instant."""
    first = min((str(record[name]) for name in ("at", "ts") for record in records[:1] if name in record), default="")
    return first if first.endswith("Z") else None


def _from(text: ScenarioText, origin: str) -> ScenarioText:
    return put(text, ("origin",), Plain(origin))


# --- what the browser sends ----------------------------------------------------------------------------------------


def _bytes(command: Mapping[str, Any]) -> bytes:
    content = command.get("content")
    if not isinstance(content, str) or len(content) > TABLE_PIECE_BYTES * 4 // 3 + 4:
        raise EditRefused(words("author.refused.too_large", limit=TABLE_PIECE_BYTES // 1024))
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise EditRefused(words("author.refused.unknown")) from None


def _choice(command: Mapping[str, Any]) -> Choice:
    given = command.get("choice")
    return with_given(Choice(), given if isinstance(given, Mapping) else {})


def _whole(value: Any, least: int) -> int:
    return value if type(value) is int and least <= value < 2**53 else least


# --- what the browser shows ----------------------------------------------------------------------------------------


def choices() -> Row:
    """The labels of everything that can be chosen, in the order of the menus."""
    said = section("author.wizard")
    menus: Row = {"roles": ROLES, "times": FORMATS, "ways": WAYS}
    found = {name: [[each, said[name][each]] for each in menus[name]] for name in menus}
    names = ("tab", "semicolon", "bar", "comma")
    return {
        **found,
        "encodings": [list(each) for each in ENCODINGS.items()],
        "delimiters": [[sign, said["delimiters"][name]] for sign, name in zip(DELIMITERS, names, strict=True)],
    }


def _columns(found: Look) -> list[Row]:
    return [
        {
            "name": column.name,
            "role": column.role,
            "time": column.time,
            "guessed": guess.column.role == column.role and guess.column.time == column.time,
            "why": words(f"tables.reasons.{guess.why}"),
            "ask": guess.ask,
            "suggested": guess.time,
        }
        for guess, column in zip(found.guesses, found.choice.columns, strict=True)
    ]


def _preview(reading: Reading) -> list[Row]:
    shown = list(zip(reading.lines, reading.records, strict=True))[:PREVIEWED]
    return [{"line": line, **{name: _cell(value) for name, value in record.items()}} for line, record in shown]


def _cell(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {each}" for name, each in value.items())[:SHOWN]
    return str(value)[:SHOWN]


def _told(reading: Reading, draft: Draft, command: Mapping[str, Any]) -> Row:
    """Counts, unreadable lines, notes; ``problem`` says why these records and the ``size`` before them are too many."""
    size = reading.size + _whole(command.get("size"), 0)
    there = 0 if command.get("replace") else len(draft.text.encode())
    problem = words("author.wizard.too_many", limit=TABLE_RECORDS) if reading.over else ""
    if not problem and size + there > SCENARIO_BYTES:
        problem = words("author.wizard.too_large", limit=SCENARIO_BYTES // 1024)
    return {
        "problem": problem,
        "rows": reading.rows,
        "matched": reading.matched,
        "records": len(reading.records),
        "size": reading.size,
        "refused": [{"line": each.line, "why": each.why} for each in reading.refused],
        "refused_count": reading.refused_count,
        "notes": _notes(reading, draft),
    }


def _notes(reading: Reading, draft: Draft) -> list[str]:
    """What was done to the records, as sentences."""
    done = [name for name in ("finer", "gap", "overlap", "midnight", "sorted") if reading.notes[name]]
    said = [words(f"author.wizard.notes.{name}", count=reading.notes[name]) for name in done]
    if reading.notes["renumbered"]:
        few = reading.channels[:8]
        names = ", ".join(few) + ("…" if len(reading.channels) > len(few) else "")
        said.append(words("author.wizard.notes.renumbered", names=names, last=len(reading.channels) - 1))
    if reading.unseen:
        said.append(words("author.wizard.notes.unseen", limit=f"{TABLE_PIECE_ROWS:,}", line=reading.unseen))
    highest = max((int(record["channel"]) for record in reading.records if "channel" in record), default=0)
    if highest >= _channels(draft):
        said.append(words("author.wizard.notes.channels", count=highest + 1))
    return said


def _last_line(data: bytes, choice: Choice) -> int:
    return data.decode(choice.encoding, "replace").rstrip("\r\n").count("\n") + 1
