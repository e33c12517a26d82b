"""The catalogue has words for every event and every rule of the code."""

from tidemark.simulator.engine.trace.events import EVENT_TYPES, Rule
from tidemark.simulator.timeline.explain.narrator import NOVICE
from tidemark.simulator.timeline.explain.story import rule_name
from tidemark.simulator.words import section

from tests.reference.trace import rules


def test_every_event_has_a_short_word() -> None:
    assert set(section("explain.trail")) == {event.__name__ for event in EVENT_TYPES}


def test_every_rule_has_a_sentence_for_when_it_holds() -> None:
    sentences = section(f"explain.{NOVICE}.rule")
    assert "window-late" in rules()
    assert [name for name in rules() if rule_name(Rule(name, "", (), True)) not in sentences] == ["minimum-raised"]
