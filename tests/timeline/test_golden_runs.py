"""The timelines of the golden scenarios: the same rows, the engine's state after each item, and a sentence per step."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.events import EVENT_TYPES, Rule
from tidemark.simulator.scenario import load
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.explain.narrator import NOVICE
from tidemark.simulator.timeline.explain.story import rule_name
from tidemark.simulator.words import section

from tidemark import simulator

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "scenarios"
FILES = sorted((ROOT / "tests" / "golden").glob("*.yaml"))


OF_STORIES = ("predicate", "story", "reason", "fields", "lines")


@pytest.mark.parametrize("name", ["spark-one-batch-behind", "session-bridge", "outer-join-waits", "late-but-allowed"])
def test_without_stories_everything_else_is_the_same(name: str) -> None:
    scenario = load(LIBRARY / f"{name}.yaml")
    _, trace = simulator.run_traced(scenario)
    whole, silent = build(scenario, trace).by_name(), build(scenario, trace, stories=False).by_name()
    steps = [{name: value for name, value in row.items() if name not in OF_STORIES} for row in whole["steps"]]
    assert silent == {**whole, "steps": steps}


# The catalogue has words for every event and every rule of the code.


def rules() -> Iterator[str]:
    """The names of the rules, from every place of the engine that creates one."""
    for path in sorted(Path(events.__file__).parents[1].rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Rule") | ast.Attribute(attr="decided"), args=[ast.Constant(value=str(name)), *_]
                ):
                    yield name


def test_every_event_has_a_short_word() -> None:
    assert set(section("explain.trail")) == {event.__name__ for event in EVENT_TYPES}


def test_every_rule_has_a_sentence_for_when_it_holds() -> None:
    sentences = section(f"explain.{NOVICE}.rule")
    named = set(rules())
    assert "window-late" in named
    assert [name for name in named if rule_name(Rule(name, "", (), True)) not in sentences] == ["minimum-raised"]
