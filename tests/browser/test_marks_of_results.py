"""Early, on-time and late results have three shapes, the same wherever they appear, whatever the tint."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.player import OpenPage

THREE = """
scenario: 1
name: three-timings
title: Three timings
operator:
  type: window
  api: sql
  assigner: {type: tumbling, size: 5s}
  trigger: {type: after-end-of-window, early: {type: processing-time-every, interval: 1s}, late: {type: every-element}}
  allowed_lateness: 5s
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 1s, key: a, value: 1, at: 0}
  - {advance: 1500}
  - {ts: 2s, key: a, value: 2}
  - {watermark: 4999}
  - {ts: 3s, key: a, value: 4}
  - {end: true}
"""
TIMINGS = ["early", "fired", "update"]
SHAPES = """selector => [...document.querySelectorAll(selector)].map(
  (mark) => [[...mark.classList].find((each) => each.startsWith("tm-mark-")).slice(8), mark.innerHTML])"""


@pytest.fixture
def three(scenario_folder: Path) -> Iterator[str]:
    file = scenario_folder / "three-timings.yaml"
    file.write_text(THREE, encoding="utf-8")
    yield "three-timings"
    file.unlink()


def shapes(page: Any, place: str) -> dict[str, str]:
    """The marks of results in one part of the page: from kind to shape."""
    return {kind: drawn for kind, drawn in page.evaluate(SHAPES, f"{place} .tm-mark") if kind in TIMINGS}


def test_the_three_marks_differ_and_are_the_same_in_key_lane_table_and_scrubber(
    open_page: OpenPage, three: str
) -> None:
    page = open_page(f"/?scenario={three}", size=(1280, 720))
    page.keyboard.press("End")
    page.wait_for_function("document.querySelectorAll('.tm-lane-frame').length === 3")
    in_legend = shapes(page, ".tm-legend:not([hidden])")
    assert sorted(in_legend) == TIMINGS
    assert len(set(in_legend.values())) == 3
    for place in (".tm-lane-frame", ".tm-output-table", ".tm-marks"):
        assert shapes(page, place) == in_legend, place


def test_the_legend_of_the_lifetimes_distinguishes_early_from_late(open_page: OpenPage, three: str) -> None:
    page = open_page(f"/?scenario={three}&open=state", size=(1280, 720))
    page.get_by_role("button", name="Lifetime").click()
    head, tabs = (page.locator(name).bounding_box() for name in (".tm-life-head", ".tm-life-head .tm-state-tabs"))
    assert tabs["x"] + tabs["width"] <= head["x"] + head["width"]
    in_legend = shapes(page, ".tm-life-legend")
    assert sorted(in_legend) == TIMINGS
    page.keyboard.press("End")
    assert len(set(in_legend.values())) == 3
    page.wait_for_selector(".tm-life-bars .tm-mark-update")
    assert shapes(page, ".tm-life-bars") == in_legend
