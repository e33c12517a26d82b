"""Many records, keys and steps: the parts of the plane, folded lanes, and the plane's orientation."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.wording import time_format
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.times import TimeStyle

from tests.browser.opening import reload
from tests.browser.player import OpenPage, go
from tests.timeline.in_words import in_words

TenKeys = tuple[Timeline, TimeStyle]

TEN_KEYS = """
scenario: 1
name: ten-keys
inputs:
  events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  allowed_lateness: 3s
  function: {call: aggregate, compute: sum}
stream:
  generate: {events: 700, seed: 7, keys: 10, every: 100ms, disorder: {max: 4s}, values: [1, 9], end: true}
"""


@pytest.fixture
def ten_keys(scenario_folder: Path) -> Iterator[TenKeys]:
    """Seven hundred records of ten keys: more records than the plane shows at once, and more keys than lanes fit."""
    file = scenario_folder / "ten-keys.yaml"
    file.write_text(TEN_KEYS, encoding="utf-8")
    scenario, trace = walked(scenarios.load(file))
    yield timeline.build(scenario, trace), TimeStyle(time_format(scenario))
    file.unlink()


# --- a long run ------------------------------------------------------------------------------------------------------


COUNT_SENT = """() => {
  window.sent = 0;
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) { window.sent += 1; return send.call(this, data); };
}"""


def test_a_long_run_shows_its_facts_and_sends_nothing(open_page: OpenPage, ten_keys: TenKeys) -> None:
    facts, style = ten_keys
    page = open_page("/?scenario=ten-keys&step=0&words=source")
    page.evaluate(COUNT_SENT)
    last, words = facts.number_of_steps - 1, in_words(facts, level="source")
    assert last > 4000
    for step in random.Random(4).sample(range(last), 4):
        go(page, step)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        now = facts.at(step)
        assert page.locator(".tm-what").inner_text() == words[step]["what"]
        timers = sorted(now["timers"], key=lambda timer: (timer["timestamp"], timer["order"]))
        shown = page.locator('table[data-table="timers"] tbody tr').evaluate_all(
            "rows => rows.map(row => [row.cells[0].textContent, row.cells[1].textContent])"
        )
        assert shown == [[style.exact(timer["timestamp"]), str(timer["key"])] for timer in timers][:100]
    assert page.evaluate("window.sent") == 0
    assert page.locator(".tidemark-player *").count() < 15_000
    # The plane shows it part by part.
    page.keyboard.press("Home")
    assert page.locator(".tm-part").inner_text() == "part 1 of 2: records 1–280"
    page.keyboard.press("End")
    assert page.locator(".tm-part").inner_text() == "part 2 of 2: records 191–700"
    first = next(row["step"] for row in facts.tables["steps"] if row["item"] == 280)
    go(page, first - 1)
    assert page.locator(".tm-part").inner_text().startswith("part 1 ")


def test_lanes_fold_and_a_key_can_be_kept_open(open_page: OpenPage, ten_keys: TenKeys) -> None:
    facts, _ = ten_keys
    page = open_page("/?scenario=ten-keys&step=0", size=(1280, 720))
    names = "[...document.querySelectorAll('.tm-lane-key-name')].map((name) => name.textContent)"
    for step in (2000, 900, 3500):
        go(page, step)
        changed: dict[str, None] = {}
        for row in reversed([row for row in facts.tables["windows"] if row["from_step"] <= step]):
            changed.setdefault(row["key"])
        assert set(page.evaluate(names)) == set(list(changed)[:2])
        boxes = page.locator(".tm-lane-box").evaluate_all("boxes => boxes.map((box) => box.dataset.id)")
        open_now = {w["id"] for w in facts.at(step, "windows")["windows"] if w["status"] in ("open", "fired")}
        assert {box.split("|")[0] for box in boxes} <= {f'window:"{key}"' for key in list(changed)[:2]}
        assert {id for id in open_now if json.loads(id.split("|")[0][7:]) in list(changed)[:2]} <= set(boxes)
    page.locator(".tm-lane-select").select_option(label="k7")
    assert page.evaluate(names)[0] == "k7"
    page.keyboard.press("Home")
    assert page.evaluate(names)[0] == "k7"


# --- the plane's orientation -----------------------------------------------------------------------------------------

NOW_AT = """() => {
  const place = (name) => document.querySelector(name).getBoundingClientRect();
  const [plane, pill] = [place('.tm-plane'), place('.tm-pic-now')];
  return (pill.top - plane.top) / plane.height;
}"""


def test_arrival_runs_upwards_on_request_and_the_link_says_so(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=3")
    assert page.evaluate(NOW_AT) < 0.4
    page.keyboard.press("y")
    page.wait_for_function(f"({NOW_AT})() > 0.6")
    page.wait_for_url("**/?scenario=late-but-allowed&step=3&view=up")
    assert page.locator('.tm-segment[data-view="up"]').get_attribute("aria-pressed") == "true"
    reload(page)
    assert page.evaluate(NOW_AT) > 0.6
    page.keyboard.press("End")
    page.locator('.tm-segment[data-view="down"]').click()
    page.wait_for_function(f"({NOW_AT})() > 0.6")
    page.wait_for_function("!location.search.includes('view')")
