"""The State drawer in a browser: timers, the watermark's tree, keyed state and lifetimes equal the facts."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.state import bars
from tidemark.simulator.words import words

from tests.browser.player import ROOT, OpenPage, go, run_of, step_of

VIEWS = ("entries", "lifetime", "timers", "watermark")
TOO_LARGE = """() => {
  const boxes = [document.scrollingElement, document.querySelector('[data-testid="stMain"]')];
  const sheet = document.querySelector(".tm-sheet-body");
  const beyond = boxes.flatMap((box) => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]);
  return [...beyond, sheet.scrollWidth - sheet.clientWidth];
}"""


@pytest.fixture
def checkpointed(scenario_folder: Path) -> Iterator[str]:
    """A scenario with two checkpoints and a restore, in the app's folder only during this test."""
    file = Path(shutil.copy(ROOT / "tests" / "golden" / "checkpoint-two.yaml", scenario_folder))
    yield file.stem
    file.unlink()


def open_view(page: Any, view: str) -> None:
    page.keyboard.press("i")
    page.locator(f'.tm-state-tab[data-view="{view}"]').click()


def rows_of(page: Any, table: str) -> list[list[str]]:
    """The text of a table's cells, with "removed" in front of struck-through text."""
    script = """rows => rows.map(row => [...(row.classList.contains("tm-gone") ? ["removed"] : []),
      ...[...row.cells].map(cell => cell.textContent.trim())])"""
    found: list[list[str]] = page.locator(f'table[data-table="{table}"] tbody tr').evaluate_all(script)
    return found


def steps_to_look_at(facts: Timeline, *wanted: int) -> list[int]:
    last = facts.number_of_steps - 1
    return [0, last, *wanted, *random.Random(4).sample(range(last), 6)]


def test_all_timers_are_in_firing_order_with_their_origin_around_the_watermark(open_player: OpenPage) -> None:
    facts, style = run_of("late-but-allowed")
    page = open_player("/?scenario=late-but-allowed&step=0")
    assert page.locator(".tm-queues").count() == 0, "a closed drawer builds nothing"
    page.get_by_role("button", name=words("player.state.all_timers")).click()
    fired = [row["from_step"] for row in facts.tables["gone_timers"]][:2]
    for step in steps_to_look_at(facts, *fired):
        go(page, step)
        now = facts.at(step)
        expected = [(t["timestamp"], t["order"], t, False) for t in now["timers"]]
        expected += [(t["timestamp"], t["order"], t, True) for t in now["gone_timers"]]
        shown = rows_of(page, "event-timers")
        (line,) = [index for index, row in enumerate(shown) if len(row) == 1]
        assert shown.pop(line)[0].endswith(style.exact(now["watermark"][0]["value"])) or line == 0
        assert line == sum(gone or t["status"] != "waiting" for _, _, t, gone in expected), step
        for row, (timestamp, _, timer, gone) in zip(shown, sorted(expected, key=lambda e: e[:2]), strict=True):
            assert (row[0] == "removed") == gone
            time, _, key, owner, reason, _ = row[-6:]
            window = style.window(timer["start"], timer["end"])
            assert (time, key) == (style.exact(timestamp), str(timer["key"]))
            assert owner.endswith(window)
            assert f"record #{timer['item']}" in reason
            assert timer["by"] in reason
            assert f"step {timer['registered']}" in reason
    go(page, fired[0] - 1)
    page.locator('[data-table="event-timers"] .tm-step-link').first.click()
    assert step_of(page) == facts.at(fired[0])["gone_timers"][0]["registered"]


def test_the_tree_shows_each_channel_the_record_of_its_maximum_and_the_branch_that_holds(open_player: OpenPage) -> None:
    facts, style = run_of("idle-channel")
    page = open_player("/?scenario=idle-channel&step=0", size=(1280, 720), dark=True)
    open_view(page, "watermark")
    idle = next(row["from_step"] for row in facts.tables["channels"] if row["status"] == "idle")
    for step in steps_to_look_at(facts, idle):
        go(page, step)
        now = facts.at(step)
        (valve,) = now["valves"]
        channels = sorted(now["channels"], key=lambda row: row["channel"])
        shown = rows_of(page, "genealogy")
        for row, channel in zip(shown, channels, strict=True):
            assert row[0].startswith(f"channel {channel['channel']}")
            assert row[3].startswith(style.exact(channel["watermark"]))
            if channel["max_timestamp"] is not None:
                assert style.exact(channel["max_timestamp"]) in row[1]
                assert (" − " in row[1]) == (channel["max_timestamp"] - 1 == channel["emitted"]), row
                assert f"record #{channel['max_item']}" in row[1]
        marked = page.locator('[data-table="genealogy"] tbody tr').evaluate_all(
            "rows => rows.map(row => [row.classList.contains('tm-holds'), row.classList.contains('tm-idle')])"
        )
        aligned = {row["watermark"] for row in channels if row["aligned"]}  # of equal channels none holds it
        holder = valve["holder"] if len(aligned) > 1 else None
        assert marked == [[row["id"] == holder, row["status"] == "idle"] for row in channels], step
        assert page.locator(".tm-link-heavy").count() == (2 if valve["holder"] else 0)
        assert page.locator(".tm-operator b").inner_text() == style.exact(now["watermark"][0]["value"])


def test_keyed_state_shows_groups_versions_and_what_the_snapshot_shares(open_page: OpenPage, checkpointed: str) -> None:
    facts, _ = run_of(ROOT / "tests" / "golden" / f"{checkpointed}.yaml")
    page = open_page(f"/?scenario={checkpointed}&step=0")
    open_view(page, "entries")
    taken = [row["taken"] for row in facts.tables["checkpoints"]]
    for step in steps_to_look_at(facts, *taken, taken[-1] + 3):
        go(page, step)
        now = facts.at(step)
        for state in {row["state"] for row in now["state"]}:
            entries = [row for row in now["state"] if row["state"] == state]
            shown = [row for row in rows_of(page, f"state-{state}") if row[0] != "removed"]
            groups = page.locator(f'table[data-table="state-{state}"] .tm-group-row b').all_inner_texts()
            held = {words("player.state.entries.group", group=row["group"]) for row in entries}
            assert held <= set(groups)
            cells = sorted((row[0], row[4], row[5]) for row in shown if len(row) == 6)
            sharing = {True: words("player.state.entries.shared"), False: words("player.state.entries.copied")}
            shown = {row["shared"]: sharing[row["shared"]] for row in entries} if now["checkpoints"] else {}
            assert cells == sorted(
                (str(row["key"]), str(row["version"]), shown.get(row["shared"], "–")) for row in entries
            ), step
        latest = [row["name"] for row in now["checkpoints"] if row["latest"]]
        text = page.locator(".tm-snapshot").inner_text()
        assert text.startswith(f"Snapshot {latest[0]},") if latest else "nothing is shared" in text


def test_a_bar_leads_to_the_start_of_its_window_and_the_count_equals_the_state(open_player: OpenPage) -> None:
    facts, _ = run_of("late-but-allowed")
    page = open_player("/?scenario=late-but-allowed&step=0")
    open_view(page, "lifetime")
    for step in steps_to_look_at(facts):
        go(page, step)
        (held,) = facts.at(step)["held"]
        assert page.locator(".tm-life-note").inner_text() == words(
            "player.state.lifetime.now", values=held["values"], peak=held["peak"]), step  # fmt: skip
    found = bars(facts)
    rows = page.locator(".tm-life-row")
    assert rows.count() == len(found)
    for index in (1, len(found) - 1):
        rows.nth(index).click()
        assert step_of(page) == found[index].lives[0][0]
    line = "document.querySelector('.tm-life-now').getBoundingClientRect().left"
    by_steps = page.evaluate(line)
    page.get_by_role("button", name=words("player.state.lifetime.by_arrival")).click()
    assert page.evaluate(line) != by_steps


@pytest.mark.journey
def test_everything_is_reached_with_the_keyboard_and_nothing_scrolls_the_page(open_page: OpenPage) -> None:
    page = open_page("/?scenario=session-bridge&step=70", size=(1280, 720))
    page.keyboard.press("i")
    page.locator(".tm-sheet .tm-button").focus()
    seen = []
    for _ in range(2 + len(VIEWS)):
        page.keyboard.press("Tab")
        view = page.evaluate("document.activeElement.dataset.view")
        if view:
            page.keyboard.press("Enter")
            seen.append(view)
            assert page.locator(".tm-state").get_attribute("data-view") == view
            assert page.evaluate(TOO_LARGE) == [0, 0, 0, 0, 0]
    assert tuple(seen) == VIEWS
    page.keyboard.press("ArrowRight")
    assert step_of(page) > 70
    page.keyboard.press("Escape")
    assert not page.locator(".tm-sheet").is_visible()
