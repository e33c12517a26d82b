"""docs/TRACE.md lists every event and every rule that the code has, and the catalogue has words for all of them."""

from simulator.timeline.explain.narrator import NOVICE
from simulator.timeline.explain.rules import rule_name
from simulator.trace.events import Rule
from simulator.words import section
from tests.timeline.trace_reference import REFERENCE, event_types, events_table, rules, rules_table, tables_of


def test_the_reference_lists_every_event_and_rule() -> None:
    found = [table.strip() for table in tables_of(REFERENCE.read_text(encoding="utf-8"))]
    assert found == [events_table(), rules_table()], "write them anew: python -m tests.timeline.trace_reference"


def test_every_event_has_a_short_word() -> None:
    assert set(section("explain.trail")) == {event.__name__ for event in event_types()}


def test_every_rule_has_a_sentence_for_when_it_holds() -> None:
    sentences = section(f"explain.{NOVICE}.rule")
    assert "window-late" in rules()
    assert [name for name in rules() if rule_name(Rule(name, "", (), True)) not in sentences] == ["minimum-raised"]
