"""Packed facts are unpacked as they were, and a step has those that hold then: of runs, and of rows of any kind."""

import gzip
import json
import random
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.facts import is_true
from tidemark.simulator.timeline.wording import CLOCK, SECONDS, TimeFormat, Wording, duration, time_format
from tidemark.simulator.words import LANGUAGES, section, speaking
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.columns import Strings, by_columns, for_browser, for_telling, telling
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import pack
from tidemark.ui.payload.times import TimeStyle

from tests.js.node import answering, as_read, needs_node, node
from tests.timeline.in_words import in_words
from tidemark import simulator

pytestmark = needs_node

ROOT = Path(__file__).resolve().parents[2]
FILES = [*sorted((ROOT / "scenarios").glob("*.yaml"))[::3], *sorted((ROOT / "tests" / "golden").glob("*.yaml"))[::9]]

VALUES = [
    None, True, False, 0, 7, -3, 10**9, 2**53, 2**60, MAX, MIN, 1.5, 3.0, "", "a", "007", "at 12.050 s",
    "\x00", "\x01a", "7" * 16, "0" * 12, "1234567890123456789", "ünï 5", [], {}, [1, [2, "x 3"]],
    {"a": 1, "b": None}, {"b": 2}, {"__proto__": 1}, {"7": {"x y": [True, {}]}},
]  # fmt: skip


def some_rows(seed: int, count: int) -> list[dict[str, Any]]:
    """Facts with columns of every kind: one value, numbers, texts, lists, objects, and a mixture of them."""
    draw = random.Random(seed)
    rows = []
    for number in range(count):
        begin = draw.randrange(200)
        rows.append({
            "from_step": begin, "until_step": draw.choice([None, begin + 1 + draw.randrange(60)]), "same": "x",
            "id": f"record:{number}", "near": 1_600_000_000_000 + 100 * number, "maybe": draw.choice([None, number]),
            "few": draw.choice(["open", "fired"]), "yes": draw.choice([True, False]), "mixed": draw.choice(VALUES),
            "text": f"Record {draw.randrange(9)} waits {draw.randrange(20)}.{draw.randrange(1000):03} s",
            "list": [draw.choice(VALUES) for _ in range(draw.randrange(3))],
            "object": {"name": draw.choice(VALUES), **({"more": number} if draw.random() < 0.5 else {})},
        })  # fmt: skip
    return sorted(rows, key=lambda row: row["from_step"])


@pytest.fixture(scope="module")
def ask() -> Iterator[Callable[..., Any]]:
    with answering() as asked:
        yield asked


def packed(tables: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    strings = Strings()
    return {"tables": {name: by_columns(rows, strings) for name, rows in tables.items()}, "strings": strings.packed()}


@pytest.mark.parametrize("count", [0, 1, 5, 400])
def test_unpacked_rows_equal_the_packed_ones(ask: Callable[..., Any], count: int) -> None:
    rows = some_rows(count, count)
    wanted = as_read(json.dumps(for_browser(rows)))
    steps = [0, 1, 70, 130, 199, 261]
    found = ask("facts", **packed({"rows": rows}), steps=steps, where=["rows", "few", "open"])
    assert found["all"]["rows"] == wanted
    for step, at, named in zip(steps, found["at"], found["where"], strict=True):
        true = [row for row in wanted if is_true(row, step)]
        assert at["rows"] == true
        assert named == [row for row in true if row["few"] == "open"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_step_has_the_facts_that_hold_then(ask: Callable[..., Any], path: Path) -> None:
    """Back and forth: a step has the same facts whatever step was looked at before it."""
    scenario, trace = walked(load(path))
    facts = timeline.build(scenario, trace)
    last = facts.number_of_steps - 1
    steps = [last, *random.Random(path.stem).sample(range(last), min(24, last)), 0, last]
    tables = {name: rows for name, rows in facts.by_name().items() if name != "steps"}
    for step, found in zip(steps, ask("facts", **packed(tables), steps=steps)["at"], strict=True):
        assert found == as_read(json.dumps(for_browser({name: facts.at(step)[name] for name in tables}))), step


TABLES = ("records", "windows", "contents", "timers", "outputs", "state", "queue", "buffers", "channels", "watermark",
          "clock", "counters")  # fmt: skip
Row = dict[str, Any]
Test = Callable[[int], bool]


class Run:
    """One scenario: its facts, and the things that each step touches."""

    def __init__(self, name: str) -> None:
        self.scenario = scenarios.load(ROOT / "scenarios" / f"{name}.yaml")
        _, trace = simulator.run_traced(self.scenario)
        self.payload = payload(self.scenario)
        self.tables = self.payload["tables"]
        self.steps: list[Row] = in_words(timeline.build(self.scenario, trace))
        self.events = [step.event for step in trace]
        self.lives: dict[str, list[Row]] = {}
        for each in TABLES:
            for row in self.tables.get(each, ()):
                self.lives.setdefault(row["id"], []).append(row)

    def touched(self, step: int) -> list[Row]:
        """The facts that a step touches: those that hold at it, or that it ended."""
        found = []
        for each in self.steps[step]["touches"]:
            started = [row for row in self.lives.get(each, ()) if row["from_step"] <= step]
            if started and (started[-1]["until_step"] is None or started[-1]["until_step"] >= step):
                found.append(started[-1])
        return found

    def values(self, step: int, column: str) -> list[Any]:
        rows = self.touched(step)
        return [{**row.get("row", {}), **row}[column] for row in rows if column in {**row.get("row", {}), **row}]

    def key(self, step: int) -> list[Any]:
        event = self.events[step]
        return [event.key] if hasattr(event, "key") else self.values(step, "key")

    def where(self, test: Test) -> list[int]:
        return [step for step in range(len(self.steps)) if test(step)]


@pytest.fixture(scope="module")
def run() -> Run:
    return Run("late-but-allowed")


@pytest.fixture(scope="module")
def answer(run: Run) -> Iterator[Callable[[str], Any]]:
    """``ask(query)`` returns {steps, hint}, or {wrong, fields, at, to} for an invalid query."""
    with answering() as asked:
        asked("open", payload=json.loads(gzip.decompress(pack(run.payload))), bookmarks=[7])
        yield lambda query: asked("find", query=query)


def late(run: Run) -> set[int]:
    return {f["from_step"] for f in run.tables["records"] if f["fate"] in ("late-accepted", "dropped", "side")}


QUERIES: dict[str, Callable[[Run], Test]] = {
    "key = a and event = PaneFired": lambda r: lambda n: r.key(n) == ["a"] and r.steps[n]["event"] == "PaneFired",
    "event = panefired": lambda r: lambda n: r.steps[n]["event"] == "PaneFired",
    "PaneFired": lambda r: lambda n: r.steps[n]["event"] == "PaneFired",
    "record = 11": lambda r: lambda n: r.steps[n]["item"] == 11,
    "watermark >= 9s": lambda r: lambda n: (r.steps[n]["watermark"] or -1) >= 9000,
    "watermark >= 8.999": lambda r: lambda n: (r.steps[n]["watermark"] or -1) >= 8999,
    "watermark = 8999ms": lambda r: lambda n: r.steps[n]["watermark"] == 8999,
    "watermark = none": lambda r: lambda n: r.steps[n]["watermark"] is None,
    "at < 5": lambda r: lambda n: r.steps[n]["at"] < 5000,
    "value > 5": lambda r: lambda n: any(
        isinstance(v, int | float) and v > 5
        for row in r.touched(n) if not row["id"].startswith(("watermark", "clock"))
        for name, v in {**row.get("row", {}), **row}.items() if name == "value"),
    "record.value > 5": lambda r: lambda n: any(
        row["value"] > 5 for row in r.touched(n) if row["id"].startswith("record:")),
    "output.value = 22": lambda r: lambda n: any(
        row["row"].get("value") == 22 for row in r.touched(n) if row["id"].startswith("output:")),
    "purpose = cleanup": lambda r: lambda n: "cleanup" in r.values(n, "purpose"),
    "status = cleared": lambda r: lambda n: "cleared" in r.values(n, "status"),
    "late": lambda r: lambda n: n in late(r),
    "dropped": lambda r: lambda n: any(row.get("fate") == "dropped" and row["from_step"] == n for row in r.touched(n)),
    "firing or late": lambda r: lambda n: n in late(r) or r.steps[n]["event"] == "PaneFired",
    "timer": lambda r: lambda n: r.steps[n]["event"] == "TimerFired",
    "not (timer or key = a)": lambda r: lambda n: r.steps[n]["event"] != "TimerFired" and "a" not in r.key(n),
    "key = b and not event = PaneFired": lambda r: lambda n: "b" in r.key(n) and r.steps[n]["event"] != "PaneFired",
    "key != a": lambda r: lambda n: bool(r.key(n)) and "a" not in r.key(n),
    "step >= 10 && step < 12 || step = 3": lambda r: lambda n: n in (3, 10, 11),
    "what ~ 'cleaned'": lambda r: lambda n: "cleaned" in r.steps[n]["what"].lower(),
    '"the slowest channel"': lambda r: lambda n: "the slowest channel" in r.steps[n]["why"].lower(),
    "event = PaneFired or timer and key = a": lambda r: lambda n: r.steps[n]["event"] == "PaneFired" or (
        r.steps[n]["event"] == "TimerFired" and r.key(n) == ["a"]),
    "bookmarked": lambda r: lambda n: n == 7,
}  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds_what_the_facts_say(query: str, run: Run, answer: Callable[[str], Any]) -> None:
    found = answer(query)
    assert found.get("steps") == run.where(QUERIES[query](run)), found
    assert found["steps"]


def test_a_window_is_found_by_its_bounds(run: Run, answer: Callable[[str], Any]) -> None:
    def of_window(step: int) -> bool:
        window = getattr(run.events[step], "window", None) or getattr(run.events[step], "namespace", None)
        if window is not None:
            return (window.start, window.end) == (0, 5000)
        bounds = zip(run.values(step, "start"), run.values(step, "end"), strict=True)
        return not hasattr(run.events[step], "window") and (0, 5000) in bounds

    expected = run.where(of_window)
    assert answer("window = [0,5)")["steps"] == expected
    assert answer("[ 0s , 5000ms )")["steps"] == expected
    assert len(expected) > 20


@pytest.mark.parametrize(
    ("query", "wrong", "part"),
    [
        ("kee = a", "unknown_field", "kee"),
        ("key = a and lat", "unknown_word", "lat"),
        ("key = ", "needs_after", "="),
        ("key = a and", "needs_term", ""),
        ("(key = a", "needs_close", "("),
        ("key = a)", "stray_close", ")"),
        ("key = a event = PaneFired", "needs_joint", "event"),
        ("watermark >= soon", "not_a_time", "soon"),
        ("value > much", "no_order", "much"),
        ("window = 5", "not_a_window", "5"),
        ("window > [0, 5)", "window_only_equal", ">"),
        ("[0, 5", "not_a_window", "[0, 5"),
        ('what ~ "late', "needs_quote", '"late'),
        ("event", "needs_value", "event"),
        ("constructor", "unknown_word", "constructor"),
        ("__proto__ = 1", "unknown_field", "__proto__"),
    ],
)
def test_an_invalid_query_is_reported_with_its_place(
    query: str, wrong: str, part: str, answer: Callable[[str], Any]
) -> None:
    problem = answer(query)
    assert (problem.get("wrong"), query[problem.get("at", 0) : problem.get("to", 0)]) == (wrong, part)


def test_similar_words_are_offered(answer: Callable[[str], Any]) -> None:
    assert answer("kee = a")["fields"]["near"][0] == "key"
    assert "late" in answer("lat")["fields"]["near"]
    hint = answer("event = PaneFird")["hint"]
    assert (hint["near"], hint["value"]) == (["PaneFired"], "PaneFird")
    assert answer("key = z")["hint"]["values"] == ["a", "b"]
    assert answer("key = a and key = b")["hint"] is None


# The browser puts a step into the same words as Python: every sentence of the library, and times of any size.

SCENARIOS = Path(__file__).parents[2] / "scenarios"
GOLDEN = Path(__file__).parents[1] / "golden"

LIBRARY = sorted(SCENARIOS.glob("*.yaml"))
HARD = [GOLDEN / f"{name}.yaml" for name in ("session-avg-merge", "delta-trigger-global", "watermark-long-min")]
"""Runs with numbers that JavaScript would write in another way."""


SCRIPT = Path(__file__).with_name("wording.js")


@pytest.fixture(scope="module")
def runs() -> list[tuple[Path, Scenario, list[dict[str, Any]]]]:
    """Each scenario with the steps of its run, which have no words in them."""
    found = [(path, *walked(load(path))) for path in [*LIBRARY, *HARD]]
    return [(path, scenario, timeline.build(scenario, trace).tables["steps"]) for path, scenario, trace in found]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_reads_the_same_in_the_browser(tmp_path: Path, language: str, runs: list[Any]) -> None:
    files, wanted = [], []
    with speaking(language):
        for path, scenario, steps in runs:
            part = {
                "tables": {"steps": for_telling(steps)},
                "telling": telling(scenario, steps),
                "style": TimeStyle(time_format(scenario)).as_json(),
                "words": section("player"),
            }
            files.append(tmp_path / f"{path.stem}.gz")
            files[-1].write_bytes(pack(part))
            wanted += [
                (f"{path.stem} {level}", shown(Wording(scenario, steps, level=level), steps)) for level in LEVELS
            ]
    (tmp_path / "list").write_text("\n".join(map(str, files)), encoding="utf-8")
    found = node(SCRIPT, "steps", tmp_path / "list").splitlines()
    for (name, here), there in zip(wanted, found, strict=True):
        assert json.loads(there) == here, name


def shown(wording: Wording, steps: list[dict[str, Any]]) -> list[list[Any]]:
    """Everything in words about each step."""
    return [
        [wording.what(row), wording.why(row), wording.predicate(row), wording.live(row), wording.trail(number)]
        for number, row in enumerate(steps)
    ]


STYLES = (
    TimeFormat(SECONDS, ZoneInfo("UTC"), None),
    TimeFormat(CLOCK, ZoneInfo("UTC"), date(2026, 3, 2)),
    TimeFormat(CLOCK, ZoneInfo("Asia/Shanghai"), None),
    TimeFormat(CLOCK, ZoneInfo("America/New_York"), date(1970, 1, 1)),
)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: f"{style.style} {style.zone}")
def test_times_and_durations_are_written_alike(tmp_path: Path, style: TimeFormat) -> None:
    chance = Random(str(style))
    some = [chance.randint(-most, most) for most in (10**8, 10**9, 4 * 10**12, 2**53) for _ in range(200)]
    asked = {
        "times": [MAX, MIN, 0, -1, 59_999, 60_000, *some],
        "durations": [0, 1, 999, 1000, 60_000, 60_250, 3_600_000, 86_400_000, *some],
    }
    (tmp_path / "asked").write_text(json.dumps({**asked, "style": TimeStyle(style).as_json()}), encoding="utf-8")
    assert json.loads(node(SCRIPT, "times", tmp_path / "asked")) == {
        "exact": [style.exact(ms) for ms in asked["times"]],
        "record": [style.record(ms) for ms in asked["times"]],
        "window": [style.window(TimeWindow(ms, ms)) for ms in asked["times"]],
        "durations": [duration(ms) for ms in asked["durations"]],
    }
