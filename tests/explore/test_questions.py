"""Questions have one right answer, the trace's, and wrong ones with a name."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

import simulator
from simulator.explore.questions import ANSWERS, Examiner, Question
from simulator.explore.runs import run_of
from simulator.scenario import load
from simulator.scenario.model import Scenario
from simulator.words import words
from tests.timeline.scenarios import late_but_allowed, scenarios

LIBRARY = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return Examiner(run_of(late_but_allowed()))


def asked(examiner: Examiner, kind: str, item: int) -> Question:
    question = examiner.question(kind, item)
    assert question is not None
    return question


def answers(question: Question) -> dict[str | None, object]:
    """The answers by who gives them; the right one by ``None`` unless it is overwritten by a nameless wrong one."""
    return {choice.belief: choice.value for choice in question.choices}


def test_the_new_watermark(examiner: Examiner) -> None:
    question = asked(examiner, "new-watermark", 3)
    assert question.choices[question.right].value == 2699
    assert answers(question)["no-minus-one"] == 2700


def test_the_windows_that_fire(examiner: Examiner) -> None:
    question = asked(examiner, "windows-that-fire", 5)
    rows = [row for row in simulator.run_rows(late_but_allowed()) if row["row"] == "pane" and row["item"] == 5]
    fired = [{name: row[name] for name in ("key", "start", "end")} for row in rows]
    right = question.choices[question.right].value
    assert sorted(right, key=repr) == sorted(fired, key=repr)


def test_the_fate_of_a_record(examiner: Examiner) -> None:
    question = asked(examiner, "fate-of-record", 6)
    assert question.choices[question.right].value == "late-accepted"
    assert answers(question)["late-is-out-of-order"] == "dropped"


def test_the_next_timer_is_at_the_last_instant(examiner: Examiner) -> None:
    question = asked(examiner, "next-timer", 1)
    right = question.choices[question.right].value
    assert (right["timestamp"], right["start"], right["end"]) == (4999, 0, 5000)


def test_what_makes_no_sense_is_not_asked(examiner: Examiner) -> None:
    assert examiner.question("fate-of-record", 10) is None  # the end of input is no record
    assert examiner.question("new-watermark", 99) is None


@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: file.stem)
def test_the_library_gives_questions_that_hold(file: Path) -> None:
    scenario = load(file)
    if scenario.engine == "flink" and isinstance(scenario.stream, tuple):
        hold(Examiner(run_of(scenario)))


@settings(max_examples=20, deadline=None)
@given(scenarios())
def test_questions_of_any_run_hold(scenario: Scenario) -> None:
    hold(Examiner(run_of(scenario)))


def hold(examiner: Examiner) -> None:
    for question in examiner.suggested():
        values = [json.dumps(choice.value, sort_keys=True) for choice in question.choices]
        assert 2 <= len(values) == len(set(values)) <= 4
        right = question.choices[question.right]
        assert right.belief is None
        assert right.value == ANSWERS[question.kind](examiner.truth, question.until, {question.item})
        for choice in question.choices:
            assert choice.belief is None or words(f"beliefs.{choice.belief}.claim")


def test_they_stand_in_the_same_order_every_time() -> None:
    one, other = (list(Examiner(run_of(late_but_allowed())).suggested()) for _ in range(2))
    assert one == other
