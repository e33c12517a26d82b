"""What a rule calls the clock or the watermark is the clock, the watermark, of its step."""

from pathlib import Path

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.engine.trace.events import Rule, TimerFired, WatermarkIgnored
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline import build

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "tests" / "golden").glob("*.yaml"), *(ROOT / "scenarios").glob("*.yaml")])


FACTS = {"clock": "clock", "now": "clock", "watermark": "watermark"}


def other_numbers(scenario: Scenario) -> list[tuple[int, str, int, int]]:
    """The numbers of rules that are not those of the facts at their step: step, name, what the rule says, the fact."""
    _, trace = run_traced(scenario)
    timeline = build(scenario, trace, stories=False)
    found = []
    for number, step in enumerate(trace):
        rule = getattr(step.event, "rule", None)
        if not isinstance(rule, Rule) or isinstance(step.event, WatermarkIgnored):
            continue  # the rule of an ignored watermark compares the one that arrived
        for name, value in rule.numbers:
            if name in FACTS:
                (row,) = timeline.at(number, FACTS[name])[FACTS[name]]
                fact = MIN if row["value"] is None else row["value"]
                if value != fact:
                    found.append((number, name, value, fact))
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_clock_and_watermark_of_a_rule_are_those_of_its_step(file: Path) -> None:
    assert other_numbers(load(file)) == []


def test_a_timer_that_was_set_for_the_past_is_compared_with_the_clock_of_today() -> None:
    scenario = parse("""
scenario: 1
name: history
origin: 2024-08-15T10:00:00Z
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0}}}
operator:
  type: window
  assigner: {type: tumbling, size: 1d}
  trigger: {type: continuous-processing-time, interval: 5s}
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 2024-08-01T03:00:00Z, key: a, value: 1, at: 2024-08-15T10:00:01Z}
""")
    _, trace = run_traced(scenario)
    (numbers,) = [dict(each.event.rule.numbers) for each in trace if isinstance(each.event, TimerFired)]
    assert numbers == {"timer": 1722556799999, "clock": 1723716001000}
    assert other_numbers(scenario) == []
