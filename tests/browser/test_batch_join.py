"""A stream join by Spark's rules in the player: its two sides, its state views, and no control that does not apply."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.ui.payload.contents import payload

from tests.browser.opening import visit
from tests.browser.player import OpenPage

GOLDEN = Path(__file__).resolve().parents[1] / "golden_spark"


@pytest.fixture
def joins(scenario_folder: Path) -> Iterator[None]:
    """Two joins in the app's folder for one test alone."""
    files = [Path(shutil.copy(GOLDEN / f"{name}.yaml", scenario_folder)) for name in ("join-bounds", "join-no-bounds")]
    yield
    for file in files:
        file.unlink()


def test_the_two_sides_show_what_matches_and_how_long_each_is_kept(open_page: OpenPage, joins: None) -> None:
    run = payload(scenarios.load(GOLDEN / "join-bounds.yaml"))
    (looked_at,) = [row for row in run["tables"]["ranges"] if row["from_step"] <= 45 < row["until_step"]]
    page = open_page("/?scenario=join-bounds&step=45", size=(1280, 720))
    assert page.locator(".tm-join-range").get_attribute("data-range") == f"{looked_at['low']} {looked_at['high']}"
    kept = [row for row in run["tables"]["buffers"] if row["from_step"] <= 45 < (row["until_step"] or 99)]
    assert page.locator(".tm-join-bar").count() == len(kept) == page.locator(".tm-join-stop").count()
    assert page.locator(".tm-join-match.tm-now").count() == 1, "the pair of this step"
    visit(page, page.url.replace("join-bounds", "join-no-bounds").replace("step=45", "step=25"))
    cells = page.locator('table[data-table="buffer-left"] tbody tr').first.locator("td").all_inner_texts()
    assert cells[3:] == ["any time", "forever"]
    assert page.locator(".tm-join-stop").count() == 0, "no side has a stop there"


def test_features_that_spark_lacks_are_not_offered(open_page: OpenPage, joins: None) -> None:
    page = open_page("/?scenario=join-bounds&step=45", size=(1280, 720))
    assert page.locator(".tm-predict-button").is_hidden(), "this run has no questions"
    page.keyboard.press("q")
    assert page.locator(".tidemark-player.tm-predicting").count() == 0
    page.keyboard.press("i")
    assert page.locator(".tm-state-tab").all_inner_texts() == ["Keyed state", "Lifetime", "Watermark"]
    page.click(".tm-state-tab[data-view=watermark]")
    tree = page.locator(".tm-branches").inner_text()
    assert "20.000 − 1.000" in tree
    assert "generator" not in tree
    assert page.locator(".tm-valve").inner_text().split() == ["minimum", "9.000"]
