"""The doors through which input comes from outside, each with sound inputs to damage."""

import csv
import io
import json
import tomllib
from base64 import b64encode
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.trace.trace import Trace, TraceTooLong
from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.sql.parsing import grammar
from tidemark.simulator.teaching.lint import require_accepted
from tidemark.ui.author import desk as author
from tidemark.ui.author.desk import first as first_of_author
from tidemark.ui.author.desk import start_of
from tidemark.ui.author.from_sql import SQL_EXAMPLE, scenario_of_sql
from tidemark.ui.author.importing import looked
from tidemark.ui.catalogue import FOLDER, find, library
from tidemark.ui.catalogue.lessons_file import problem_in
from tidemark.ui.compare.desk import compared, searched
from tidemark.ui.compare.desk import given as handed_in
from tidemark.ui.learning.classroom import rooms, teacher
from tidemark.ui.learning.inventory import desk as inventory
from tidemark.ui.learning.practice import desk as practice
from tidemark.ui.library.lessons import desk as ordering
from tidemark.ui.library.lessons.desk import plan_of, written
from tidemark.ui.pages.opening.named import answers_beside, named
from tidemark.ui.payload.charts.compiled import compiled
from tidemark.ui.payload.packing import packed
from tidemark.ui.share import links
from tidemark.ui.share import links as own
from tidemark.ui.share.answers import answer_to, answers_about
from tidemark.ui.sql import desk as sql

from tests.fuzz.running import REFUSALS, Target
from tidemark import simulator

ROOT: Final = Path(__file__).resolve().parents[2]

MOST_STEPS: Final = 2_000
"""Longer runs are cut: that a run takes long is no fault of the file's reader."""


@cache
def _texts() -> list[bytes]:
    """Sound scenario files."""
    files = [*sorted(FOLDER.glob("*.yaml")), *sorted((ROOT / "tests" / "golden").glob("*.yaml"))]
    return [file.read_bytes() for file in files if file.stat().st_size < 12_000]


@cache
def short_scenarios() -> list[str]:
    """Short sound scenario files, which are in most questions."""
    return sorted((text.decode() for text in _texts()), key=len)[:25]


def _any(*doors: Callable[[], object]) -> bool:
    """Whether one of the ``doors`` took the input; all are tried."""
    outcomes = []
    for enter in doors:
        try:
            enter()
            outcomes.append(True)
        except REFUSALS:
            outcomes.append(False)
    return any(outcomes)


# --- files ---------------------------------------------------------------------------------------------------------


def _scenario(data: bytes) -> object:
    text = data.decode("utf-8", "replace")[:SCENARIO_BYTES]
    sound = scenarios.parse(text, "fuzzed.yaml")
    try:
        simulator.run(sound, lambda row: None, Trace(limit=MOST_STEPS))
    except TraceTooLong:
        return True
    require_accepted(sound)
    return True


def _json(data: bytes) -> object:
    scenarios.parse(data.decode("utf-8", "replace")[:SCENARIO_BYTES], "fuzzed.json", json=True)
    return True


@cache
def _as_json() -> list[bytes]:
    plain = {"scenario": 1, "name": "x", "inputs": {"events": {"watermark": {"generator": "monotonous"}}}}
    operator = {
        "type": "window",
        "assigner": {"type": "tumbling", "size": "5s"},
        "function": {"call": "aggregate", "compute": "count"},
    }
    stream = [{"ts": 1000, "key": "a", "value": 1}, {"end": True}]
    return [json.dumps({**plain, "operator": operator, "stream": stream}, indent=1).encode()]


@cache
def _tables() -> list[bytes]:
    """Tables as people have them."""
    rows = [(f"2026-01-05T10:00:{second:02}Z", f"shop-{second % 3}", second * 1.5, second % 2) for second in range(40)]
    out = io.StringIO()
    csv.writer(out).writerows([("Event Time", "shop", "Price (EUR)", "partition"), *rows])
    lines = "\n".join(json.dumps({"ts": 1_700_000_000_000 + n, "user": {"id": n % 4}, "n": n}) for n in range(40))
    return [out.getvalue().encode(), out.getvalue().replace(",", ";").encode("utf-16"), lines.encode(),
            b"ts\tkey\n1\ta\n2\tb\n", b'ts,key,value\n1,"a ""b""",x\n2,c,\n']  # fmt: skip


def _table(data: bytes) -> object:
    told = looked({"content": b64encode(data[: SCENARIO_BYTES * 2]).decode()}, short_scenarios()[0])
    return not told["look"]["problem"]


FILE: Final = """\
scenario: 1
name: mine
inputs:
  orders:
    watermark: {generator: sql, bound: 1s}
    columns: {shop: STRING, price: "DECIMAL(10, 2)", qty: INT, of: TIMESTAMP(3), tags: ARRAY<STRING>}
    key: [shop]
operator:
  type: window
  api: tvf
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: {total: SUM(price * qty), n: COUNT(*)}}
stream: {data: {path: mine.csv, ts: when, at: got}}
"""

QUERY: Final = """\
CREATE TABLE orders (
    `when` TIMESTAMP(3), shop STRING, price DECIMAL(10, 2), qty INT, tags ARRAY<STRING>,
    WATERMARK FOR `when` AS `when` - INTERVAL '5' SECOND);
SELECT shop, SUM(qty) FROM orders GROUP BY shop, TUMBLE(`when`, INTERVAL '1' MINUTE)
"""


@cache
def _folder() -> TemporaryDirectory[str]:
    """Where a scenario beside its file of records is."""
    return TemporaryDirectory()


def _records(data: bytes) -> object:
    ending = "jsonl" if data.lstrip().startswith(b"{") else "csv"
    scenario = Path(_folder().name, "mine.yaml")
    scenario.write_text(FILE.replace("csv", ending), encoding="utf-8")
    scenario.with_suffix(f".{ending}").write_bytes(data)
    records = [{"file": f"orders.{ending}", "content": b64encode(data).decode()}]
    return _any(
        lambda: simulator.run(scenarios.load(scenario), lambda row: None),
        lambda: scenario_of_sql({"sql": QUERY, "records": records}),
    )


@cache
def _files_of_records() -> list[bytes]:
    head, rows = ["when", "got", "shop", "price", "qty", "of", "tags"], []
    for second in range(0, 40, 3):
        when, got = (f"2026-01-05T10:00:{each:02}Z" for each in (second, second + 2))
        rows.append([when, got, f"shop-{second % 2}", 3.5, second, "2026-01-31T10:00:00.250", ["a", "1"]])
    out = io.StringIO()
    csv.writer(out).writerows([head, *([*row[:-1], json.dumps(row[-1])] for row in rows)])
    lines = "\n".join(json.dumps(dict(zip(head, row, strict=True))) for row in rows)
    return [out.getvalue().encode(), lines.encode()]


def _lessons(data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    problem = problem_in(text)
    if not problem:
        written(text, plan_of(text))
    return not problem


def _sql(data: bytes) -> object:
    scenario_of_sql({"sql": data.decode("utf-8", "replace")})
    return True


@cache
def _statements() -> list[bytes]:
    grammar()  # its tables are made once in a process; the limits are for what an input costs
    folder = ROOT / "tests" / "sql"
    tables = (folder / "tables.sql").read_text(encoding="utf-8")
    queries = tomllib.loads((folder / "read.toml").read_text(encoding="utf-8"))["query"]
    return [each.encode() for each in (SQL_EXAMPLE, *(f"{tables}\n{query['sql']}" for query in queries))]


# --- addresses -----------------------------------------------------------------------------------------------------


def _link(data: bytes) -> object:
    opened = own.of_link(data.decode("utf-8", "replace"))
    return opened.entry.scenario is not None


@cache
def _tokens() -> list[bytes]:
    return [links.token_of(text, json=False, student=False).encode() for text in short_scenarios()]


def _query(query: Any) -> object:
    if not isinstance(query, Mapping):
        return False
    query = {str(name): str(value) for name, value in query.items()}
    entries = library()
    return _any(
        lambda: named(query, entries),
        lambda: compared(query, entries, {}, None, compiled),
        lambda: first_of_author(start_of(query)),
    )


def _queries() -> list[Any]:
    return [
        {"scenario": "two-clocks", "step": "5", "lang": "en"},
        {"scenario": "late-but-allowed", "a.bound": "0", "b.bound": "5000", "b.allowed-lateness": "0"},
        {"scenario": "two-clocks", "belief": "results-in-order", "against": "x"},
        {"scenario": "session-grows", "b.gap": "1000"},
        {"scenario": "interval-join-keeps", "spark": "3", "with": "two-clocks"},
        {"s": links.token_of(short_scenarios()[3], json=False, student=False), "step": "1"},
        {"own": "0" * 24}, {"file": "mine"}, {"new": "1"}, {"scenario": "two-clocks", "visit": "1", "lecture": "x"},
    ]  # fmt: skip


# --- messages of the browser -----------------------------------------------------------------------------------------


def _author(question: Any) -> object:
    if not isinstance(question, Mapping):
        return False
    author.reply(question)
    return True


def _author_questions() -> list[Any]:
    text = short_scenarios()[5]
    ask = {"number": 1, "text": text, "before": None}
    return [
        ask,
        *({**ask, "edit": edit} for edit in (
            {"kind": "cell", "item": 0, "column": "ts", "typed": "2s"},
            {"kind": "place", "item": 1, "ts": 3000, "to": 2},
            {"kind": "add", "after": 1, "what": "record"}, {"kind": "remove", "item": 1}, {"kind": "list"},
            {"kind": "move", "item": 1, "to": 0}, {"kind": "control", "name": "allowed-lateness", "value": "5s"},
            {"kind": "name", "value": "other"}, {"kind": "member", "name": "operator.allowed_lateness", "value": "1s"},
            {"kind": "goal", "what": "rows", "how": "pane", "number": 3}, {"kind": "freeze"},
            {"kind": "drop", "list": "walkthrough", "number": 0}, {"kind": "texts", "texts": {"title": {"en": "x"}}},
            {"kind": "beat", "number": None, "fields": {"say": {"en": "x"}}, "step": 5},
            {"kind": "insert", "after": 1, "items": [{"what": "record", "ts": 5000, "key": "a"}]},
            {"kind": "paste", "text": "1\ta\n2\tb\n", "after": 1, "column": "ts"},
            {"kind": "translate", "path": ["title"], "language": "fr", "text": "x"},
            {"kind": "still_right", "path": ["title"], "language": "fr"}, {"kind": "unlanguage", "language": "fr"},
        )),
        {**ask, "hints": True},
        *({**ask, "command": command} for command in (
            {"name": "template", "template": "tumbling"}, {"name": "fork", "scenario": "two-clocks"},
            {"name": "upload", "file": "a.json", "content": "{}"}, {"name": "names"}, {"name": "open", "file": "a"},
            {"name": "save", "file": "a", "expected": None}, {"name": "link", "for": "copy"},
            {"name": "sql", "sql": SQL_EXAMPLE, "records": [{"file": "a.csv", "content": "dHMKMQo="}]},
            {"name": "look", "content": "dHMsa2V5CjEsYQo=", "given": {"columns": []}},
            {"name": "records", "content": "dHMsa2V5CjEsYQo=", "choice": {}}, {"name": "delete", "file": "a"},
        )),
    ]  # fmt: skip


def _page(question: Any) -> object:
    if not isinstance(question, Mapping):
        return False
    for reply in (inventory.reply, practice.reply, ordering.reply, sql.reply):
        reply(question)
    searched(question)
    handed_in(question)
    rooms.answer_to(question, {}, None)
    return True


def _page_questions() -> list[Any]:
    voter = "browser-000000000000000000000001"
    return [
        {"number": 1, "ask": "form", "form": "a"},
        {"number": 2, "ask": "grade", "form": "a", "answers": [0, 1, 2, 0]},
        {"number": 2, "ask": "class", "content": "form,a1\nx,1\n", "before": "", "after": ""},
        {"number": 1, "ask": "exercise", "seed": 7, "level": 1, "kind": "", "about": ""},
        {"number": 1, "ask": "grade", "seed": 7, "level": 1, "kind": "", "about": "", "answer": "3", "given": [1]},
        {"number": 1, "text": "", "plan": {"lessons": [{"id": "a", "title": {"en": "A"}, "scenarios": ["two-clocks"]}]},
         "expected": None},
        {"number": 1, "code": "BCDFG", "voter": voter, "question": 1, "vote": 0, "given": 0, "kept": [1]},
        {"what": "sweep", "setting": "bound"}, {"what": "fires", "window": "0"},
        {"side": "b", "rest": {"scenario": "two-clocks"}, "name": "a.yaml", "text": short_scenarios()[1]},
        {"side": "a", "rest": {}, "link": ["scenario", "two-clocks"]},
    ]  # fmt: skip


@cache
def _shown() -> tuple[Any, bytes]:
    entry = find("two-clocks")
    assert entry is not None
    return entry, packed(entry, entry.name, entry.stamp, ())[0]


def _player(question: Any) -> object:
    if not isinstance(question, Mapping):
        return False
    entry, facts = _shown()
    kind = str(question.get("kind"))
    if kind.startswith("room-"):
        teacher.answer_to(kind.removeprefix("room-"), question, facts, entry.scenario)
    else:
        answer_to(question, {**answers_about(entry.scenario, lambda: b"", "yaml"), **answers_beside(entry)})
    return True


def _player_questions() -> list[Any]:
    original = {"scenario": "two-clocks"}
    room = {"code": "BCDFG", "token": "x" * 32}
    return [
        {"kind": "data", "what": "rows", "form": "csv"}, {"kind": "data", "what": "trace", "form": "jsonl"},
        {"kind": "data", "what": "scenario"}, {"kind": "remedies", "item": 4, "settings": ["bound"]},
        {"kind": "tryout", "original": original, "text": None, "step": 9,
         "edit": {"kind": "place", "item": 1, "ts": 5000}},
        {"kind": "fires", "original": original, "window": 0, "step": 9, "text": None, "effect": "fires",
         "edit": {"kind": "insert", "after": 1, "items": [{"what": "record", "ts": 25000, "key": "ann"}]}},
        {"kind": "students"}, {"kind": "programs"}, {"kind": "fonts"},
        {"kind": "room-ask", "step": 12, "address": "http://10.0.0.1/vote"}, {"kind": "room-count", **room},
        {"kind": "room-show", **room}, {"kind": "room-tally", **room, "form": "csv"},
    ]  # fmt: skip


TARGETS: Final = (
    Target("scenario", _texts, _scenario),
    Target("scenario-json", _as_json, _json),
    Target("table", _tables, _table),
    Target("records", _files_of_records, _records),
    Target("lessons", lambda: [(FOLDER / "lessons.toml").read_bytes()], _lessons),
    Target("sql", _statements, _sql),
    Target("link", _tokens, _link),
    Target("query", _queries, _query),
    Target("author", _author_questions, _author),
    Target("pages", _page_questions, _page),
    Target("player", _player_questions, _player),
)
