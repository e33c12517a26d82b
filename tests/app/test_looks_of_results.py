"""Early, on-time and late results have three distinct shapes on the plane, the scrubber and a small picture."""

from typing import Any

import pytest

from simulator.scenario import model
from simulator.values.items import Advance, End, Record, Watermark
from ui.charts.compiled import compiled
from ui.library.pictures import picture
from ui.payload.contents import payload

pytestmark = pytest.mark.app


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


def test_the_chart_draws_every_look_and_no_two_alike() -> None:
    """The conditions in the compiled chart decide whether a square is filled, its size, and what is drawn in it."""
    drawn: dict[str, set[str]] = {"solid": set(), "early": set(), "late": set(), "minus": set()}
    spec = compiled()
    where = {each["name"]: each for each in spec["data"]}
    for mark in spec["marks"]:
        conditions = _conditions(where, mark.get("from", {}).get("data"))
        if mark["type"] != "symbol" or not any("datum.look" in each for each in conditions):
            continue
        update = mark["encode"]["update"]
        look = str([update[part] for part in ("shape", "fill", "size")])
        for name, looks in drawn.items():
            if all(_holds(each, name) for each in conditions if "datum.look" in each):
                looks.add(look)
    assert len({frozenset(looks) for looks in drawn.values()}) == 4, drawn


def _conditions(where: dict[str, Any], name: str | None) -> list[str]:
    """Every filter that rows pass on their way to a mark."""
    found: list[str] = []
    while name is not None:
        found += [each["expr"] for each in where[name].get("transform", []) if each["type"] == "filter"]
        name = where[name].get("source")
    return found


def _holds(condition: str, look: str) -> bool:
    """Evaluates ``datum.look == 'x'`` and ``!=``, joined by ``&&``."""
    parts = [part.split("'") for part in condition.split("&&") if "datum.look" in part]
    return all((part[1] == look) == ("!=" not in part[0]) for part in parts)


def test_the_scrubber_marks_each_timing_as_a_firing_to_jump_to(contents: dict[str, Any]) -> None:
    firings = [mark for mark in contents["marks"] if mark["kind"] in ("early", "fired", "update")]
    assert [mark["kind"] for mark in firings] == ["early", "fired", "update"]
    assert contents["jumps"]["firing"] == [mark["step"] for mark in firings]


def test_the_legend_and_the_small_picture_distinguish_them_too(contents: dict[str, Any]) -> None:
    assert [kind for kind in contents["legend"]["plane"] if kind in ("early", "fired", "update")] == [
        "fired", "early", "update",
    ]  # fmt: skip
    assert [look for _, _, look in picture(contents)["results"]] == ["early", "solid", "late"]
