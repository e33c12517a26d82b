"""Any seed makes an exercise, always the same one, with one right answer; wrong ones are named after their beliefs."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.questions import Fired
from tidemark.simulator.explore.settings import BOUND
from tidemark.simulator.explore.smallest import keeps_all
from tidemark.simulator.practice import bounds, differences, faults, fires, orders
from tidemark.simulator.practice.exercise import FORM, LEVELS, UNIT, AnswerError, Exercise
from tidemark.simulator.practice.exercises import ABOUT, KINDS, MOST_SEED, exercise_of, grade, kind_of, question_of
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
        changed = BOUND.write(scenario, seconds * UNIT)
        loses = not keeps_all(changed, simulator.run_traced(changed)[1])
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


def placed(exercise: Exercise) -> list[int]:
    """The solution of an exercise as an answer."""
    start = exercise.draw.item.forms[FORM].start
    return [each for spot in exercise.draw.task.solution for each in (start + spot.ts, spot.key, spot.channel)]


@hypothesis_settings(max_examples=examples(MANY))
@given(seeds, levels)
def test_records_are_right_when_the_results_of_both_settings_differ(seed: int, level: int) -> None:
    exercise = draw(seed, level, differences.NAME)
    solution = placed(exercise)
    verdict = grade(exercise, solution)
    assert (verdict.right, verdict.said[-1]) == (True, "The search has found no fewer.")
    assert verdict.run.other is not None
    one, other = (results(truth_of(each)) for each in (verdict.run.item, verdict.run.other))
    assert [each[:-1] for each in one] != [each[:-1] for each in other]
    for place in range(0, len(solution), differences.MEMBERS):
        fewer = [*solution[:place], *solution[place + differences.MEMBERS :]]
        assert not fewer or not grade(exercise, fewer).right, "no record can be left out"


def test_more_records_than_needed_are_right_and_fewer_are_shown() -> None:
    exercise = draw(0, 1, differences.NAME)
    settings = ["Tumbling windows of 10 s", "Each result shows the records in it", "A: Bound 5 s", "B: Bound 0 s"]
    assert question_of(exercise)["settings"] == settings
    verdict = grade(exercise, [0, 0, 0, 3, 0, 0, 10, 0, 0])
    assert verdict.right
    assert verdict.said[-1] == "2 are enough, for example: 0 s; 10 s."
    assert grade(exercise, [0, 0, 0]).said == (
        "On these records A and B have the same results.",
        "2 are enough, for example: 0 s; 10 s.",
    )


@pytest.mark.parametrize("answer", [None, [], [1, 0], [1, 0, 1], [1, 1, 0], [-1, 0, 0], [1000, 0, 0], [0] * 27, [[]]])
def test_what_are_no_records_is_refused(answer: object) -> None:
    with pytest.raises(AnswerError):
        grade(draw(1, 1, "differ"), answer)


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
            if "stream" in shown:
                told += [*grade(exercise, placed(exercise)).said, *grade(exercise, [500, 0, 0]).said]
            elif "records" not in shown:
                told += [line for answer in range(4) for line in grade(exercise, answer).said]
            assert not [each for each in told if "{" in each or not each.strip()]


def test_seeds_give_every_kind_about_as_often() -> None:
    counts = [[kind_of(seed) for seed in range(400)].count(kind) for kind in KINDS]
    assert min(counts) > 60


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


# What is said about an answer is true of the run, and there is a reason against every wrong one.


def reasons_of(seed: int, level: int, kind: str = "fires", language: str = "en") -> dict[str, tuple[str, ...]]:
    """What is said about each choice of an exercise."""
    with speaking(language):
        exercise = exercise_of(seed, level, kind)
        return {text: grade(exercise, place).said for place, text in enumerate(question_of(exercise)["choices"])}


@hypothesis_settings(max_examples=examples(20))
@given(seeds, levels)
def test_something_speaks_against_every_wrong_answer(seed: int, level: int) -> None:
    exercise = exercise_of(seed, level, fires.NAME)
    verdicts = [grade(exercise, place) for place in range(len(exercise.draw.task.choices))]
    right = next(verdict for verdict in verdicts if verdict.right)
    for verdict in verdicts:
        assert verdict.right or set(verdict.said) > set(right.said), verdict


def test_a_window_that_fired_before_is_named_with_what_it_gave() -> None:
    said = reasons_of(6, 1)["When record 4 arrives: window [20, 30) with 1, 2"]
    assert said == (
        "Window [30, 40) fires as soon as the watermark reaches 39.999 s. When record 5 arrives, it is at 45.999 s.",
        "This window fires earlier, when record 3 arrives: window [20, 30) with 1, 2.",
    )


def test_both_results_of_a_moment_are_explained_and_a_missing_one_is_named() -> None:
    said = reasons_of(10, 1)["When record 5 arrives: window [60, 80) with 4"]
    assert said == (
        "Window [40, 60) fires as soon as the watermark reaches 59.999 s. When record 5 arrives, it is at 79.999 s.",
        "Window [60, 80) fires as soon as the watermark reaches 79.999 s. When record 5 arrives, it is at 79.999 s.",
        "One result is missing: window [40, 60) with 3.",
    )


def test_a_session_that_never_exists_is_answered_with_the_window_of_its_records() -> None:
    said = reasons_of(2, 5)["When record 6 arrives: window [59, 78) with 4, 5"]
    assert said[1:] == (
        "Record 4 (57 s) counts in window [57, 76). When it arrives, the watermark is at 41.999 s.",
        "Record 5 (66 s) counts in window [57, 76). When it arrives, the watermark is at 55.999 s.",
    )


def test_a_moment_between_two_records_is_told_as_the_answer_names_it() -> None:
    said = reasons_of(2, 5)["After record 4, before record 5 arrives: window [57, 67) with 4"]
    assert said[-1] == "After record 4, before record 5 arrives, the watermark is only at 55.999 s."


def test_a_record_before_the_first_watermark_is_told_in_a_whole_sentence() -> None:
    english = reasons_of(5, 7)["When record 6 arrives: window [10, 15) of a with 1, 2, 3"]
    assert english[-1] == "Record 3 (15 s) counts in window [15, 20). When it arrives, there is no watermark yet."
    chinese = reasons_of(5, 7, language="zh")["第 6 条记录到达时：a 的窗口 [10, 15) 给出 1、2、3"]
    assert chinese[-1] == "第 3 条记录（15 s）算在窗口 [15, 20) 里：它到达时还没有水位线。"


def test_a_window_whose_first_record_is_late_fires_at_once() -> None:
    said = grade(exercise_of(0, 1, "order"), [3, 4, 1, 5, 2]).said
    assert said[:2] == (
        "In your order, window [0, 10) fires once: when record 1 arrives.",
        "The watermark is at 16.999 s already, but window [0, 10) takes late records until 19.999 s, "
        "so it fires with its first record.",
    )


def test_too_many_firings_are_explained_by_the_last_one() -> None:
    said = grade(exercise_of(3, 1, "order"), [5, 3, 2, 1, 4]).said
    assert said[:2] == (
        "In your order, window [20, 40) fires 3 times: "
        "when record 3 arrives; when record 2 arrives; when record 1 arrives.",
        "The watermark is at 51.999 s by then, but window [20, 40) takes late records until 53.999 s, "
        "so it fires again at once.",
    )
