"""Early, on-time and late results have three distinct shapes on the plane, the scrubber and a small picture."""

from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Advance, End, Record, Watermark
from tidemark.simulator.scenario import model
from tidemark.ui.library.cards import picture
from tidemark.ui.payload.contents import payload


@pytest.fixture(scope="module")
def contents() -> dict[str, Any]:
    """One window that fires early, on time and late."""
    trigger = model.AfterEndOfWindow(model.ProcessingTimeEvery(1000), model.EveryElement())
    operator = model.Window(
        model.Tumbling(5000), trigger, model.Function("aggregate", "sum"), api="sql", allowed_lateness=5000
    )
    stream = (
        Record("a", 1000, 1, at=0), Advance(1500), Record("a", 2000, 2), Watermark(4999), Record("a", 3000, 4), End()
    )  # fmt: skip
    return payload(model.Scenario("three", operator, stream))


def test_each_timing_has_its_own_look_on_the_plane(contents: dict[str, Any]) -> None:
    boxes = contents["sources"]["boxes"]
    assert [(box["look"], box["text"]) for box in boxes] == [("early", "a 1"), ("solid", "a 3"), ("late", "a 7 ↻2")]


def test_the_scrubber_marks_each_timing_as_a_firing_to_jump_to(contents: dict[str, Any]) -> None:
    firings = [mark for mark in contents["marks"] if mark["kind"] in ("early", "fired", "update")]
    assert [mark["kind"] for mark in firings] == ["early", "fired", "update"]
    assert contents["jumps"]["firing"] == [mark["step"] for mark in firings]


def test_the_legend_and_the_small_picture_distinguish_them_too(contents: dict[str, Any]) -> None:
    assert [kind for kind in contents["legend"]["plane"] if kind in ("early", "fired", "update")] == [
        "fired", "early", "update",
    ]  # fmt: skip
    assert [look for _, _, look in picture(contents)["results"]] == ["early", "solid", "late"]
