"""A link to a draft: it leaves out the beats that the draft's run contradicts, and says which."""

from collections.abc import Mapping
from typing import Any

import pytest
from tidemark.simulator.scenario import parse
from tidemark.ui.author.desk import reply, templates
from tidemark.ui.share import links

from tests.app.test_author_page import LATE, answer_to, unpacked

NEVER_LATE = LATE.replace(
    "{ts: 2s800ms, key: b, value: 9, at: 14s400ms", "{ts: 12s800ms, key: b, value: 9, at: 14s400ms"
)


def link_of(text: str) -> Mapping[str, Any]:
    told: Mapping[str, Any] = unpacked(reply({"number": 1, "text": text, "command": {"name": "link"}}))["told"]
    return told


def opened(told: Mapping[str, Any]) -> list[str]:
    """What the beats say in the scenario that the address opens."""
    name, token = told["address"]
    assert name == "s"
    scenario = links.of_link(token).entry.scenario
    assert scenario is not None
    return [each.say["en"] for each in scenario.walkthrough if each.say]


def test_a_draft_whose_beats_fit_the_run_is_shared_as_it_is() -> None:
    told = link_of(LATE)
    assert (told["lost"], told["carried"]) == ([], LATE)
    assert opened(told) == ["It fires.", "Late, but allowed.", "Lost."]


def test_a_beat_at_a_loss_that_no_longer_happens_is_left_out_and_named() -> None:
    told = link_of(NEVER_LATE)
    assert told["lost"] == [2]
    assert told["carried"] == NEVER_LATE.replace("  - at: {event: LateDropped}\n    say: Lost.\n", "")
    assert opened(told) == ["It fires.", "Late, but allowed."]


def test_a_beat_whose_text_names_what_its_step_does_not_have_is_left_out() -> None:
    told = link_of(LATE.replace("say: It fires.", "say: It fires for {bounds}."))
    assert told["lost"] == [0]
    assert opened(told) == ["Late, but allowed.", "Lost."]


def test_the_walkthrough_goes_with_its_last_beat() -> None:
    told = link_of(LATE[: LATE.index("  - at: {event: PaneFired}")] + "  - {at: {step: 9999}, say: Never.}\n")
    assert told["lost"] == [0]
    assert parse(told["carried"]).walkthrough == ()


def test_a_template_with_another_bound_is_shared() -> None:
    sessions = next(each.text for each in templates() if each.name == "session-windows")
    draft = answer_to(sessions, {"kind": "control", "name": "bound", "value": "2s"})["text"]
    told = link_of(draft)
    assert told["lost"] != []


@pytest.mark.parametrize("text", [LATE.replace("size: 5s", "size: soon"), LATE.replace("say: Lost.", "sey: Lost.")])
def test_what_does_not_run_or_is_not_written_right_is_refused_as_before(text: str) -> None:
    assert "your draft:" in link_of(text)["problem"]
