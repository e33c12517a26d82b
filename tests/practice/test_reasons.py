"""What is said about an answer is true of the run, and there is a reason against every wrong one."""

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tidemark.simulator.practice import fires
from tidemark.simulator.practice.exercises import MOST_SEED, exercise_of, grade, question_of
from tidemark.simulator.practice.levels import LEVELS
from tidemark.simulator.words import speaking

from tests.examples import examples

seeds = st.integers(0, MOST_SEED)
levels = st.integers(1, len(LEVELS))


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
