"""Damaged input at every door, for a moment; and that the tool notices what must not happen."""

import time
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import parse

from tests.examples import examples
from tests.fuzz import running
from tests.fuzz.damage import PIECES
from tests.fuzz.running import Failure, Target, damaged, tried
from tests.fuzz.targets import TARGETS

INPUTS = 60
MORE_INPUTS = {"scenario": 300}
"""Of the door that most others lead to; one takes three milliseconds."""

CHARACTERS = (*PIECES, "\n", "  ", ": ", "- ", ", ", "\t", "\0", "\u2028", "\ud83d")


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_whatever_comes_is_read_or_refused_with_a_message(target: Target) -> None:
    seeds = target.seeds()
    inputs = MORE_INPUTS.get(target.name, INPUTS)
    outcomes = [tried(target, damaged(seeds, Random(number))) for number in range(inputs)]
    assert [each for each in outcomes if isinstance(each, Failure)] == []
    assert True in outcomes, "not everything is refused, or only the outermost door is tried"


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_what_is_damaged_was_sound(target: Target) -> None:
    taken = [tried(target, each) for each in target.seeds()]
    assert [each for each in taken if isinstance(each, Failure)] == []
    assert taken.count(True) > len(taken) // 2


@settings(max_examples=examples(300))
@given(st.text() | st.lists(st.sampled_from(CHARACTERS), max_size=40).map("".join))
def test_any_text_is_refused_with_a_message(text: str) -> None:
    for json in (False, True):
        with pytest.raises(ScenarioError) as refused:
            parse(text, "fuzzed.yaml", json=json)
        assert refused.value.problems
        assert all(problem.text and problem.file == "fuzzed.yaml" for problem in refused.value.problems)


def slow(_given: Any) -> None:
    while True:
        pass


def large(_given: Any) -> None:
    bytes(2 * running.MOST_MEMORY)


def broken(given: Any) -> None:
    given["x"]


def silent(_given: Any) -> None:
    raise ScenarioError([])


@pytest.mark.parametrize(
    ("enter", "what"),
    [(slow, "too slow"), (large, "too much memory"), (broken, "TypeError in "), (silent, "a refusal without a word")],
)
def test_what_must_not_happen_is_noticed(monkeypatch: pytest.MonkeyPatch, enter: Any, what: str) -> None:
    monkeypatch.setattr(running, "LONGEST_S", 0.1)
    outcome = tried(Target("door", list, enter), b"x")
    assert isinstance(outcome, Failure)
    assert outcome.what.startswith(what)


def test_waiting_is_not_working(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LONGEST_S", 0.1)
    assert tried(Target("door", list, lambda _: time.sleep(0.3)), b"x") is True, "a busy machine is no failure"


def test_the_same_number_makes_the_same_input() -> None:
    for target in TARGETS:
        assert repr(damaged(target.seeds(), Random(7))) == repr(damaged(target.seeds(), Random(7)))
