"""What would have kept a lost record, as the server finds it for the player where the facts do not say it."""

from dataclasses import replace
from pathlib import Path

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Session, Window
from tidemark.ui.share.answers import remedies

SCENARIOS = Path(__file__).parents[2] / "scenarios"


def test_sessions_are_searched() -> None:
    scenario = load(SCENARIOS / "late-and-dropped.yaml")
    assert isinstance(scenario.operator, Window)
    sessions = replace(scenario, operator=replace(scenario.operator, assigner=Session(1000)))
    asked = {"item": 5, "settings": ["bound", "allowed-lateness"]}
    assert remedies(sessions, asked) == {
        "remedies": [
            {"what": "bound", "before": 2000, "after": 3501},
            {"what": "allowed-lateness", "before": 0, "after": 1501},
        ]
    }


def test_only_what_is_asked_for_is_answered() -> None:
    scenario = load(SCENARIOS / "late-and-dropped.yaml")
    found = remedies(scenario, {"item": 5, "settings": ["bound"]})
    assert [each["what"] for each in found["remedies"]] == ["bound"]
    assert "problem" in remedies(scenario, {"item": "5", "settings": None})


def test_a_long_run_is_not_searched() -> None:
    scenario = load(SCENARIOS / "late-and-dropped.yaml")
    long = replace(scenario, stream=tuple(Record("a", 1000 * number, 1) for number in range(1000)))
    assert "problem" in remedies(long, {"item": 5, "settings": ["bound"]})
