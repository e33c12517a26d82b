"""Any seed makes an exercise, always the same one, with one right answer; wrong ones are named after their beliefs."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.questions import Fired
from tidemark.simulator.explore.settings import BOUND
from tidemark.simulator.explore.smallest import keeps_all
from tidemark.simulator.practice import bounds, faults, fires, orders
from tidemark.simulator.practice.exercise import AnswerError, Exercise
from tidemark.simulator.practice.exercises import ABOUT, KINDS, MOST_SEED, exercise_of, grade, kind_of, question_of
from tidemark.simulator.practice.levels import LEVELS, UNIT
from tidemark.simulator.practice.wrong_answers import Choice, Value, as_values, believed, results, scenario_of, truth_of
from tidemark.simulator.words import LANGUAGES, speaking

from tests.examples import examples
from tidemark import simulator

MANY = 20

seeds = st.integers(0, MOST_SEED)
levels = st.integers(1, len(LEVELS))
kinds = st.sampled_from(list(KINDS))
beliefs = st.sampled_from(["", *sorted(ABOUT)])


def draw(seed: int, level: int, kind: str, wanted: str = "") -> Exercise:
    """An exercise that was not made before."""
    return exercise_of.__wrapped__(seed, level, kind, wanted)


@hypothesis_settings(max_examples=examples(MANY))
@given(seeds, levels, kinds, beliefs)
def test_a_seed_always_makes_the_same_exercise(seed: int, level: int, kind: str, wanted: str) -> None:
    one, other = draw(seed, level, kind, wanted), draw(seed, level, kind, wanted)
    assert (question_of(one), one.about, one.draw.item.records) == (
        question_of(other),
        other.about,
        other.draw.item.records,
    )
    assert one.about in ABOUT | {""}


@hypothesis_settings(max_examples=examples(MANY))
@given(seeds, levels)
def test_one_choice_is_what_fires_next_and_the_others_are_what_beliefs_expect(seed: int, level: int) -> None:
    exercise = draw(seed, level, fires.NAME)
    item, task = exercise.draw.item, exercise.draw.task
    held = right_and_wrong(exercise)
    expects = {name: fires.next_after(item, given, task.after) for name, given in believed(truth_of(item))}
    assert held[""] == fires.next_after(item, results(truth_of(item)), task.after)
    for belief, answer in held.items():
        assert not belief or expects[belief] == answer
    assert len(held) - 1 >= fires.MANY_KNOWN


@hypothesis_settings(max_examples=examples(MANY))
@given(seeds, levels)
def test_one_choice_is_the_fault_and_gives_the_results_that_are_shown(seed: int, level: int) -> None:
    exercise = draw(seed, level, faults.NAME)
    right_and_wrong(exercise)
    task = exercise.draw.task
    assert [each.value.given == task.planted.given for each in task.choices] == [each.right for each in task.choices]
    assert task.planted.given != tuple(
        sorted((min(each.moment, 2 * len(exercise.draw.item.records) - 1), value(each)) for each in truth_in(exercise))
    )


def truth_in(exercise: Exercise) -> list[Fired]:
    return results(exercise.draw.truth)


def value(each: Fired) -> Value:
    return as_values([each])[0]


def right_and_wrong(exercise: Exercise) -> dict[str, object]:
    """The value of each choice by its belief, "" for the right one, once all of them have been graded."""
    choices: tuple[Choice, ...] = exercise.draw.task.choices
    assert len(choices) == len(set(question_of(exercise)["choices"])) == 4
    verdicts = [grade(exercise, index) for index in range(4)]
    assert [each.right for each in verdicts] == [each.right for each in choices]
    assert [each.right for each in verdicts].count(True) == 1
    assert {each.choice for each in verdicts} == {[each.right for each in choices].index(True)}
    if exercise.kind == fires.NAME:
        assert [each.belief or "" for each in verdicts] == [each.belief for each in choices]
    return {each.belief: each.value for each in choices if each.right or each.belief}


@hypothesis_settings(max_examples=examples(MANY))
@given(seeds, levels)
def test_the_least_bound_loses_nothing_and_one_second_less_does(seed: int, level: int) -> None:
    exercise = draw(seed, level, bounds.NAME)
    least = exercise.draw.task.least
    scenario = scenario_of(exercise.draw.item)
    for seconds in range(least + 8):
        loses = not keeps_all(simulator.run_traced(BOUND.write(scenario, seconds * UNIT))[1])
        assert loses == (seconds < least)
    for seconds in {0, least - 1, least, least + 1, bounds.MOST}:
        verdict = grade(exercise, seconds)
        assert verdict.right == (seconds == least)
        assert verdict.right or verdict.belief is None or verdict.belief in {each.name for each in BELIEFS}
    assert exercise.about in bounds.ABOUT


@hypothesis_settings(max_examples=examples(MANY))
@given(seeds, levels, st.randoms(use_true_random=False))
def test_an_order_is_right_when_its_run_fires_the_window_twice(seed: int, level: int, chance: object) -> None:
    exercise = draw(seed, level, orders.NAME)
    task = exercise.draw.task
    start = list(range(1, len(exercise.draw.item.records) + 1))
    shuffled = list(start)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert grade(exercise, list(task.solution)).right
    assert not grade(exercise, start).right
    run = truth_of(orders.ordered(exercise.draw.item, shuffled))
    own = [each for each in results(run) if (each.key, each.start, each.end) == (task.key, task.start, task.end)]
    assert grade(exercise, shuffled).right == (len(own) == 2)


def test_a_belief_that_is_wanted_is_what_the_exercise_is_about() -> None:
    wanted = [("fires", 3, "watermark-per-key"), ("bound", 4, "fired-is-final"), ("order", 6, "fastest-channel"),
              ("fault", 5, "gap-on-the-clock"), ("fires", 4, "lateness-delays")]  # fmt: skip
    for kind, level, belief in wanted:
        about = [draw(seed, level, kind, belief).about for seed in range(6)]
        assert about.count(belief) >= 5, (kind, belief)


def test_a_belief_that_cannot_be_had_is_left_out() -> None:
    assert draw(1, 1, "fires", "fastest-channel").about != "fastest-channel"


def test_a_wanted_fault_does_not_tell_the_answer() -> None:
    """It is among the choices, and is the right one at times only."""
    planted = [draw(seed, 3, "fault", "watermark-per-key").draw.task.planted.name for seed in range(20)]
    assert 0 < planted.count("watermark-per-key") < 20


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_text_is_there_in_every_language(kind: str, language: str) -> None:
    with speaking(language):
        for level in range(1, len(LEVELS) + 1):
            exercise = draw(level, level, kind)
            shown = question_of(exercise)
            told = [shown["ask"], *shown["settings"], *shown.get("choices", ()), *shown.get("given", ())]
            if "records" in shown:
                told += [*shown["records"], *grade(exercise, list(range(len(shown["records"]), 0, -1))).said]
            told += [] if "records" in shown else [line for answer in range(4) for line in grade(exercise, answer).said]
            assert not [each for each in told if "{" in each or not each.strip()]


def test_seeds_give_every_kind_about_as_often() -> None:
    counts = [[kind_of(seed) for seed in range(400)].count(kind) for kind in KINDS]
    assert min(counts) > 70


@pytest.mark.parametrize("answer", [None, -1, 4, True, "1", [1], 1.0])
def test_what_is_no_choice_is_refused(answer: object) -> None:
    with pytest.raises(AnswerError):
        grade(draw(1, 1, "fires"), answer)


@pytest.mark.parametrize("answer", [None, [], [1, 2], [1, 1, 2, 3, 4], [True, 2, 3, 4, 5], "12345", {"1": 2}, [[1]]])
def test_what_is_no_order_is_refused(answer: object) -> None:
    with pytest.raises(AnswerError):
        grade(draw(1, 1, "order"), answer)


@pytest.mark.parametrize("answer", [None, -1, 61, True, "3", 1.5, []])
def test_what_is_no_bound_is_refused(answer: object) -> None:
    with pytest.raises(AnswerError):
        grade(draw(1, 1, "bound"), answer)
