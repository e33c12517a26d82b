"""A try-out of the player: one edit, the changed scenario beside the original, and what that changes in one line."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import speaking
from tidemark.ui.author.controls import controls_of
from tidemark.ui.author.draft import draft_of, hints_of, run_of_draft
from tidemark.ui.author.tryout import tryout
from tidemark.ui.payload.drawn import numbers
from tidemark.ui.share import links

GONE = """
scenario: 1
name: gone
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}}
stream:
  - {ts: 1s, key: a}
  - {watermark: 1s}
  - {ts: 2s, key: a}
  - {ts: 3s, key: a}
  - {end: true}
"""

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def _tried(name: str, edit: dict[str, Any], text: str | None = None, step: int = 0) -> tuple[dict[str, Any], bytes]:
    path = SCENARIOS / f"{name}.yaml"
    return tryout({"text": text, "edit": edit, "step": step}, path.read_text(encoding="utf-8"), load(path), ())


def _bound(value: str) -> dict[str, Any]:
    return {"kind": "control", "name": "bound", "value": value}


def test_one_line_says_what_a_longer_bound_does() -> None:
    said, body = _tried("late-and-dropped", _bound("2501ms"))
    assert (said["what"], said["line"]) == (
        "Bound: 2 s → 2.501 s.",
        "[0, 10) of a now gives 13 instead of 6; one record less is dropped.",
    )
    assert body
    with speaking("zh"):
        assert (
            _tried("late-and-dropped", _bound("2501ms"))[0]["line"]
            == "键 a 的 [0, 10) 现在给出 13，原来是 6；少丢了一条记录。"
        )


def test_a_moved_record_leaves_a_ghost_and_the_next_edit_goes_on_from_there() -> None:
    said, _ = _tried("late-and-dropped", {"kind": "place", "item": 5, "at": 11_000})
    assert said["ghost"]["records"] == [[8000, 14000, "events"]]
    assert said["what"] == "One record moved."
    more, _ = _tried("late-and-dropped", _bound("1s"), said["text"])
    assert more["what"] == "Bound: 2 s → 1 s, one record moved."
    back, _ = _tried("late-and-dropped", _bound("2s"), _tried("late-and-dropped", _bound("3s"))[0]["text"])
    assert back["what"] == "As in the original again."


def test_a_record_of_a_join_is_moved_to_the_other_side() -> None:
    said, _ = _tried("interval-join-keeps", {"kind": "place", "item": 0, "in": "right"})
    assert said["what"] == "One record moved."
    assert said["ghost"]["records"][0][2] == "left"
    refused, _ = _tried("interval-join-keeps", {"kind": "place", "item": 0, "in": "middle"})
    assert list(refused) == ["problem"]


def test_what_the_author_says_of_the_original_is_left_out() -> None:
    said, _ = _tried("late-and-dropped", _bound("9s"))
    kind, token = said["address"]
    assert kind == "s"
    opened = links.of_link(token).entry.scenario
    assert opened is not None
    assert not opened.walkthrough
    assert not opened.goals
    assert not opened.teaches


def _drafted(said: dict[str, Any]) -> Scenario:
    opened = links.of_link(said["draft"]["address"][1]).entry.scenario
    assert opened is not None
    return opened


def test_a_draft_keeps_what_still_holds_and_says_what_it_leaves_out() -> None:
    said, _ = _tried("late-and-dropped", _bound("2501ms"))
    assert said["draft"]["left_out"] == (
        "The draft leaves out beats (5 of 5), goals (1 of 1), what to look for, the takeaway: "
        "this run no longer bears them out."
    )
    draft = _drafted(said)
    assert (draft.walkthrough, draft.goals, draft.look_for, draft.takeaway) == ((), (), None, None)
    assert draft.teaches == ("late-data", "watermark", "tumbling-window")
    # The last record comes later in its window: nothing before it changes, nor any result.
    said, _ = _tried("late-and-dropped", {"kind": "place", "item": 6, "ts": 24_000})
    assert said["draft"]["left_out"] == ""
    draft = _drafted(said)
    original = load(SCENARIOS / "late-and-dropped.yaml")
    assert (len(draft.walkthrough), len(draft.goals)) == (len(original.walkthrough), len(original.goals))
    assert draft.takeaway == original.takeaway


def test_beats_at_items_go_along_with_what_is_put_in_before_them() -> None:
    name = "late-and-dropped"
    record = {"what": "record", "input": "events", "channel": 0, "ts": 5_000}
    said, _ = _tried(name, {"kind": "insert", "after": 1, "items": [record]})
    assert said["draft"]["address"] != said["address"]
    assert links.of_link(said["draft"]["address"][1]).entry.problem == ""


def test_the_title_of_the_original_promises_nothing_in_a_copy() -> None:
    path = SCENARIOS / "late-and-dropped.yaml"
    text = path.read_text(encoding="utf-8").replace("bound: 2s", "bound: 9s")
    for title, warned in ((text, False), (text.replace("Late and dropped", "Late and lost"), True)):
        draft = draft_of(title)
        assert draft.scenario is not None
        lines = [each["line"] for each in hints_of(draft, run_of_draft(title, draft.scenario))]
        assert (4 in lines) is warned


def test_the_same_moment_is_shown() -> None:
    said, _ = _tried("late-and-dropped", _bound("1s"), step=10**6)
    last, _ = _tried("late-and-dropped", _bound("1s"), step=0)
    assert said["step"] > last["step"]


def test_a_step_is_shown_at_the_same_item_and_the_end_at_the_end() -> None:
    scenario = parse(GONE.replace("  - {end: true}\n", ""))
    source = GONE.replace("  - {end: true}\n", "")
    record = {"what": "record", "input": "events", "channel": 0, "ts": 4_000, "key": "a"}
    edit = {"kind": "insert", "after": len(scenario.stream) - 1, "items": [record]}
    past = run_of(scenario)
    for each in past.trace:
        said, _ = tryout({"edit": edit, "step": each.step}, source, scenario, ())
        changed = run_of(parse(said["text"]))
        is_last = each.step == len(past.trace) - 1
        assert changed.trace.steps[said["step"]].item == (len(scenario.stream) if is_last else each.item)
        if not is_last:
            assert said["step"] == each.step, "nothing before it has changed"


def test_a_moment_that_is_gone_shows_the_one_before_and_not_the_end() -> None:
    """A watermark stands between the first two records; when the first one is moved to the end, nothing does."""
    scenario = parse(GONE)
    run = run_of(scenario)
    step = next(each.step for each in run.trace if each.item == 1)
    said, _ = tryout({"edit": {"kind": "place", "item": 0, "to": 3}, "step": step}, GONE, scenario, ())
    changed = run_of(parse(said["text"]))
    assert changed.trace.steps[said["step"]].item == 1, "the second record, which has taken the place of the first"


@pytest.mark.parametrize(
    "edit", [_bound("soon"), _bound("-1s"), {"kind": "place", "item": 99, "ts": 1}, {"kind": "?"}, {}, None, "x"]
)
def test_an_edit_that_makes_no_sense_is_refused_in_words(edit: Any) -> None:
    said, body = _tried("late-and-dropped", edit)
    assert said["problem"]
    assert body == b""


@pytest.mark.parametrize("path", sorted(SCENARIOS.glob("*.yaml")), ids=lambda path: path.stem)
def test_each_number_of_the_sentence_is_a_control(path: Path) -> None:
    scenario: Scenario = load(path)
    controls = controls_of(scenario)
    for each in numbers(scenario):
        assert controls[each["name"]].value == each["value"]
