"""Stepping equality: at any step the page shows the facts of that step, for every kind of operator."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.wording import time_format
from tidemark.ui.payload.times import TimeStyle

from tests.browser.player import ROOT, OpenPage
from tests.timeline.in_words import in_words
from tidemark import simulator

Expected = tuple[tuple[int, ...], list[list[str]]]
"""Columns of a table, and their expected cells, row by row."""

LIBRARY = ("late-but-allowed", "car-trace")
RECORDED = ("sql-late-updates", "interval-join-basic")
"""A run for each kind of table, two of them of ``tests/golden``; ``tests/js/test_facts.py`` has many more runs."""

STEPS = 24
"""Random steps of each run, in any order; all steps of a short run."""

LOOK = """(step) => {
  const range = document.querySelector('input.tm-range');
  range.value = step;
  range.dispatchEvent(new Event('input', {bubbles: true}));
  const text = (selector) => document.querySelector(selector).textContent;
  const cells = (row) => [...row.cells].map((cell) => cell.textContent.trim());
  const rows = (table) => [...table.tBodies].flatMap((body) => [...body.rows].map(cells));
  const tables = [...document.querySelectorAll('.tidemark-player table[data-table]')];
  const ids = (selector) => [...document.querySelectorAll(selector)].map((box) => box.dataset.id);
  return {
    step: document.querySelector('.tidemark-player').dataset.step,
    asking: document.querySelector('.tidemark-player').classList.contains('tm-past-only'),
    what: text('.tm-what'), why: text('.tm-why'),
    boxes: ids('.tm-lane-box'), touched: ids('.tm-lane-box.tm-touched'),
    tables: Object.fromEntries(tables.map((table) => [table.dataset.table, rows(table)])),
  };
}"""
"""Goes to a step with the scrubber, as a hand would, and reads what the page shows, closed drawers included."""


@pytest.fixture(scope="module")
def folder(scenario_folder: Path) -> Iterator[Path]:
    """The app's scenarios together with the recorded ones."""
    added = [Path(shutil.copy(ROOT / "tests" / "golden" / f"{name}.yaml", scenario_folder)) for name in RECORDED]
    yield scenario_folder
    for file in added:
        file.unlink()


@pytest.mark.parametrize("name", [*LIBRARY, *RECORDED])
def test_the_page_shows_the_facts_of_any_step(open_page: OpenPage, folder: Path, name: str) -> None:
    scenario = scenarios.load(folder / f"{name}.yaml")
    _, trace = simulator.run_traced(scenario)
    facts, style = timeline.build(scenario, trace), TimeStyle(time_format(scenario))
    last, words = facts.number_of_steps - 1, in_words(facts)
    page = open_page(f"/?scenario={name}&step=0")
    # Back and forth: a step shows the same whatever step came before it.
    for step in [last, *random.Random(name).sample(range(last), min(STEPS, last)), 0, last]:
        shown, now, where = page.evaluate(LOOK, step), facts.at(step), f"{name}, step {step}"
        wording = words[step]
        assert (shown["step"], shown["what"], shown["why"]) == (
            str(step),
            wording["what"],
            wording["why"],
        ), where
        if shown["asking"]:  # what is ahead would give the answer away
            now["records"] = [record for record in now["records"] if record["fate"] != "ahead"]
        for table, (columns, expected) in expectations(now, facts, style).items():
            assert [[row[c] for c in columns] for row in shown["tables"][table]] == expected, f"{where}, {table}"
        boxes = {w["id"] for w in now["windows"] if w["status"] != "merged"}
        assert sorted(shown["boxes"]) == sorted(boxes), where
        assert set(shown["touched"]) == boxes & set(wording["touches"]), where


def expectations(now: dict[str, list[Row]], facts: Timeline, style: TimeStyle) -> dict[str, Expected]:
    """The expected cells of the tables by name; words of the catalogue are left to other tests."""
    timers = sorted(now["timers"], key=lambda t: (t["timestamp"], t["order"]))
    channels = sorted(now["channels"], key=lambda c: (c["input"], c["channel"]))
    records = sorted(now["records"], key=lambda r: r["item"])
    expected: dict[str, Expected] = {
        "timers": ((0, 1), [[style.exact(t["timestamp"]), str(t["key"])] for t in timers]),
        "channels": ((2,), [[style.exact(c["watermark"])] for c in channels]),
        "records": ((0, 1, 2), [[str(r["item"]), str(r["key"]), style.short(r["ts"])] for r in records]),
        "panes": ((0, 1, 3), [pane(w, now, style) for w in sorted(now["windows"], key=place)]),
    }
    rows = [f["row"] for f in now["outputs"] if f["row"]["row"] in ("pane", "joined", "group", "emitted")]
    if any(f["row"]["row"] == "pane" for f in facts.tables["outputs"]):
        changing = any("change" in f["row"] for f in facts.tables["outputs"])
        expected_rows = [
            [*result(r, style), r["timing"], str(r["pane"]), *([r["change"]] if changing else []), str(r["value"])]
            for r in rows
        ]
        expected["fired"] = (tuple(range(6 if changing else 5)), expected_rows)
    else:
        expected["fired"] = ((0, 1), [result(r, style) for r in rows])
    for side in ("left", "right") if facts.tables["buffers"] else ():
        kept = sorted((b for b in now["buffers"] if b["side"] == side), key=lambda b: b["order"])
        expected_rows = [
            [str(b["value"]), str(b["key"]), style.short(b["ts"]), style.exact(b["kept_until"])] for b in kept
        ]
        expected[f"buffer-{side}"] = ((0, 1, 2, 4), expected_rows)
    return expected


def place(window: Row) -> tuple[str, int, int]:
    return str(window["key"]), window["start"] or 0, window["end"] or 0


def pane(window: Row, now: dict[str, list[Row]], style: TimeStyle) -> list[str]:
    """Key, window and contents, in the order of the state."""
    held = sorted((c for c in now["contents"] if c["holder"] == window["holder"]), key=lambda c: c["order"])
    alive = window["status"] in ("open", "fired")
    contents = ", ".join(str(c["value"]) for c in held) if alive else ""
    return [str(window["key"]), style.window(window["start"], window["end"]), contents]


def result(row: Row, style: TimeStyle) -> list[str]:
    """Key and window; for a result without a window, its time."""
    if row["row"] == "pane" or row.get("start") is not None:
        return [str(row["key"]), style.window(row["start"], row["end"])]
    return [str(row["key"]), style.short(row["ts"] if row["row"] == "emitted" else row["timestamp"])]
