"""What a form says about a learner: one belief is diagnosed as that one, knowledge as none, guessing as nothing."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.inventory.choices import HELD, Graded, answers_by, grade, key_of
from tidemark.simulator.inventory.items import FORMS

forms = st.sampled_from(FORMS)
beliefs = st.sampled_from(HELD)


@given(forms, beliefs)
def test_a_learner_with_one_belief_is_diagnosed_with_exactly_that(form: str, belief: str) -> None:
    found = grade(form, answers_by(form, belief))
    assert (found.held, found.wavers, found.right) == ((belief,), (), 12)


@given(forms)
def test_a_learner_who_knows_is_diagnosed_with_nothing(form: str) -> None:
    found = grade(form, answers_by(form))
    assert (found.right, found.items, found.held, found.wavers, found.patternless) == (15, 15, (), (), False)


@given(forms, beliefs, st.data())
def test_who_slips_once_wavers(form: str, belief: str, data: st.DataObject) -> None:
    answers = answers_by(form, belief)
    item = data.draw(st.sampled_from([number for number, row in enumerate(key_of(form)) if belief in row]))
    answers[item] = key_of(form)[item].index(None)
    found = grade(form, answers)
    assert (found.held, found.wavers, found.right) == ((), (belief,), 13)


@given(forms, st.sets(beliefs, max_size=15))
def test_nobody_is_diagnosed_with_what_no_answer_shows(form: str, held: set[str]) -> None:
    found = grade(form, answers_by(form, *held))
    assert {*found.held, *found.wavers} <= held


@given(forms, st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=15, max_size=15))
def test_any_answers_are_graded_and_add_up(form: str, answers: list[int | None]) -> None:
    found = grade(form, answers)
    assert found.right + sum(found.picked.values()) + answers.count(None) == found.items
    assert not (found.patternless and found.held)


@pytest.mark.parametrize("form", FORMS)
def test_guessers_are_rarely_diagnosed(form: str) -> None:
    chance = Random(7)
    found = [guessed(form, chance) for _ in range(5_000)]
    diagnosed = sum(bool(each.held) for each in found) / len(found)
    assert diagnosed < 0.06
    assert sum(len(each.held) for each in found) / len(found) / len(HELD) < 0.005


def guessed(form: str, chance: Random) -> Graded:
    return grade(form, [chance.randrange(4) for _ in key_of(form)])


def test_nothing_but_skipped_questions_is_no_pattern() -> None:
    assert grade("A", [None] * 15).patternless
