"""In a real browser: badges that appear and disappear with their proof, and the drawer of differences between steps."""

import json
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.proof.recordings import GOLDEN
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.timeline.facts import Timeline

from tests.browser.player import ROOT, OpenPage, run_of
from tidemark import simulator

STEM = "tumbling-allowed-lateness"
FLINK = '[data-badge="flink"]'

COLUMNS = {
    "windows": ("status", "records", "result", "firings", "kept_until"),
    "timers": ("purpose", "status"),
    "records": ("fate", "value"),
    "outputs": (),
}
"""The members that the drawer compares, for some of its tables."""


@pytest.fixture
def twin(scenario_folder: Path) -> Iterator[Path]:
    """A library file that is a golden scenario under another name; removed afterwards."""
    path = scenario_folder / "twin.yaml"
    text = (GOLDEN / f"{STEM}.yaml").read_text(encoding="utf-8")
    path.write_text(text.replace(f"name: {STEM}", "name: twin"), encoding="utf-8")
    yield path
    path.unlink()


def badge(page: Any) -> Any:
    return page.locator(FLINK)


def test_a_badge_comes_with_its_proof_and_goes_with_an_edit(open_page: OpenPage, twin: Path) -> None:
    page = open_page("/?scenario=twin&step=0")
    assert badge(page).get_attribute("aria-label") == "Flink 2.3.0: 4 of 4 results match. What was compared"
    assert badge(page).get_attribute("data-good") == "true"
    badge(page).focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Flink 2.3.0: 4 of 4 results match")
    assert panel.is_visible()
    assert f"{STEM}.jsonl" in panel.inner_text()
    assert digest_of(scenarios.load(twin))[:12] in panel.inner_text()
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    assert badge(page).evaluate("node => node === document.activeElement")
    twin.write_text(twin.read_text(encoding="utf-8").replace("size: 5s", "size: 5001ms"), encoding="utf-8")
    page = open_page("/?scenario=twin&step=0")
    assert badge(page).count() == 0


def test_rows_that_differ_are_reported_with_the_first_of_them(open_page: OpenPage, scenario_folder: Path) -> None:
    scenario = scenarios.load(scenario_folder / "late-but-allowed.yaml")
    rows = json.loads(json.dumps(simulator.run_rows(scenario)))
    next(row for row in rows if row["row"] == "pane")["value"] = 15
    recording = scenario_folder / "late-but-allowed.flink.jsonl"
    lines = [{"flink": "2.3.0", "scenario": digest_of(scenario)}, *rows]
    recording.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    try:
        page = open_page("/?scenario=late-but-allowed&step=5", size=(1280, 720))
    finally:
        shutil.copy(ROOT / "scenarios" / recording.name, recording)
    assert badge(page).get_attribute("data-good") == "false"
    assert badge(page).inner_text().strip() == "Flink differs (6 of 7)"
    badge(page).click()
    differing = page.locator('[data-table="difference"] tr.tm-hl td').all_inner_texts()
    assert differing == ["value", "16", "15"]


def kinds_shown(page: Any, table: str) -> Counter[str]:
    script = "rows => rows.map(row => row.dataset.kind)"
    return Counter(page.locator(f'[data-table="differences"] [data-of="{table}"] tr[data-kind]').evaluate_all(script))


def kinds_of(facts: Timeline, table: str, before: int, step: int) -> Counter[str]:
    """New, removed and changed rows of a table, from the facts as Python reads them."""
    then, now = ({row["id"]: row for row in facts.at(each, table)[table]} for each in (before, step))
    changed = [id for id in then.keys() & now.keys() if any(then[id][c] != now[id][c] for c in COLUMNS[table])]
    found = {"new": len(now.keys() - then.keys()), "gone": len(then.keys() - now.keys()), "changed": len(changed)}
    return +Counter(found)


def test_the_drawer_shows_what_the_facts_say_has_changed(open_player: OpenPage) -> None:
    facts = run_of("late-but-allowed")[0]
    page = open_player("/?scenario=late-but-allowed&step=0")
    page.keyboard.press("d")
    go = "(range, step) => { range.value = step; range.dispatchEvent(new Event('input', {bubbles: true})); }"
    chosen = random.Random(5).sample(range(1, facts.number_of_steps), 6)
    for since in ("step", "start"):
        page.locator(".tm-since").select_option(since)
        for step in chosen:
            page.locator("input.tm-range").evaluate(go, step)
            before = step - 1 if since == "step" else 0
            assert page.locator(".tm-between").inner_text() == f"step {before} → step {step}"
            for table in COLUMNS:
                assert kinds_shown(page, table) == kinds_of(facts, table, before, step), (since, step, table)


def test_a_late_record_changes_its_window_in_words(open_player: OpenPage) -> None:
    facts = run_of("late-but-allowed")[0]
    step = next(row["from_step"] for row in facts.tables["windows"] if row["records"] == 4)
    page = open_player(f"/?scenario=late-but-allowed&step={step}", size=(1280, 720), dark=True)
    page.keyboard.press("d")
    row = page.locator('[data-of="windows"] tr[data-kind]')
    assert row.locator(".tm-diff-thing").inner_text() == "window [0, 5) of a"
    assert row.locator(".tm-diff-change").all_inner_texts() == ["records 3 → 4", "result 16 → 22"]
    page.keyboard.press("Escape")
    assert not page.locator('[data-table="differences"]').is_visible()
