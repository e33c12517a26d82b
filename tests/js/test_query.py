"""The query language for steps: every answer is compared with the facts, which are computed here a second time."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import pack

from tests.js.node import answering, needs_node
from tests.timeline.in_words import in_words
from tidemark import simulator

pytestmark = needs_node

ROOT = Path(__file__).resolve().parents[2]
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
def ask(run: Run) -> Iterator[Callable[[str], Any]]:
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
def test_a_query_finds_what_the_facts_say(query: str, run: Run, ask: Callable[[str], Any]) -> None:
    found = ask(query)
    assert found.get("steps") == run.where(QUERIES[query](run)), found
    assert found["steps"]


def test_a_window_is_found_by_its_bounds(run: Run, ask: Callable[[str], Any]) -> None:
    def of_window(step: int) -> bool:
        window = getattr(run.events[step], "window", None) or getattr(run.events[step], "namespace", None)
        if window is not None:
            return (window.start, window.end) == (0, 5000)
        bounds = zip(run.values(step, "start"), run.values(step, "end"), strict=True)
        return not hasattr(run.events[step], "window") and (0, 5000) in bounds

    expected = run.where(of_window)
    assert ask("window = [0,5)")["steps"] == expected
    assert ask("[ 0s , 5000ms )")["steps"] == expected
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
    query: str, wrong: str, part: str, ask: Callable[[str], Any]
) -> None:
    problem = ask(query)
    assert (problem.get("wrong"), query[problem.get("at", 0) : problem.get("to", 0)]) == (wrong, part)


def test_similar_words_are_offered(ask: Callable[[str], Any]) -> None:
    assert ask("kee = a")["fields"]["near"][0] == "key"
    assert "late" in ask("lat")["fields"]["near"]
    hint = ask("event = PaneFird")["hint"]
    assert (hint["near"], hint["value"]) == (["PaneFired"], "PaneFird")
    assert ask("key = z")["hint"]["values"] == ["a", "b"]
    assert ask("key = a and key = b")["hint"] is None
