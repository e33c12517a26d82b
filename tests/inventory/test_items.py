"""The items of the concept inventory: three wrong answers, three beliefs, and two forms of one structure."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.questions import written
from tidemark.simulator.inventory.choices import (
    HELD,
    WATERMARK,
    Graded,
    answers_by,
    asked_about,
    choice_texts,
    choices,
    digest,
    expected,
    grade,
    key_of,
    question_of,
    right_answer,
    settings_of,
    story_of,
    table_of,
)
from tidemark.simulator.inventory.items import FORMS, Item, edition, inventory, scenario_of, text_of
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.words import LANGUAGES, speaking, words

from tidemark import simulator

EACH = [pytest.param(item, id=item.name) for item in inventory()]
EACH_FORM = [pytest.param(item, form, id=f"{item.name}-{form}") for item in inventory() for form in FORMS]


def test_there_are_fifteen_items_about_every_belief_three_times() -> None:
    assert len(inventory()) == len({item.name for item in inventory()}) == 15
    assert set(HELD) > {belief.name for belief in BELIEFS}
    assert asked_about() == dict.fromkeys(HELD, 3)


@pytest.mark.parametrize(("item", "form"), EACH_FORM)
def test_each_wrong_answer_is_one_belief_and_no_other_belief_answers_wrong(item: Item, form: str) -> None:
    right = written(right_answer(item, form))
    wrong = {belief: written(value) for belief, value in expected(item, form).items() if written(value) != right}
    assert len(wrong) == len(set(wrong.values())) == 3
    told = choices(item, form)
    assert Counter(choice.belief for choice in told) == Counter([None, *wrong])
    assert {choice.belief: written(choice.value) for choice in told} == {None: right, **wrong}


@pytest.mark.parametrize("item", EACH)
def test_both_forms_have_the_same_structure(item: Item) -> None:
    """The answers are the same but for the times, and the beliefs that lead elsewhere are the same."""
    one, other = ({each.belief: shape(item, form, each.value) for each in choices(item, form)} for form in FORMS)
    assert one == other
    kinds = [
        [event.event.__class__.__name__ for event in simulator.run_traced(scenario_of(item, form))[1]] for form in FORMS
    ]
    assert kinds[0] == kinds[1]


def shape(item: Item, form: str, value: object) -> object:
    """An answer without units: a watermark is (units from the start, ms beyond that), all others have no times."""
    if item.asks != WATERMARK:
        return value
    assert isinstance(value, int)
    look = item.forms[form]
    return divmod(value + 1 - look.ms(0), look.unit)


@pytest.mark.parametrize("item", EACH)
def test_the_forms_look_different(item: Item) -> None:
    assert text_of(item, "A").partition("\n")[2] != text_of(item, "B").partition("\n")[2]
    one, other = (table_of(item, form)["rows"] for form in FORMS)
    assert all(mine[1] != theirs[1] for mine, theirs in zip(one, other, strict=True))


@pytest.mark.parametrize(("item", "form"), EACH_FORM)
def test_every_item_is_a_sound_scenario(item: Item, form: str) -> None:
    assert not problems_of_run(scenario_of(item, form))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("item", "form"), EACH_FORM)
def test_an_item_can_be_read_in_every_language(item: Item, form: str, language: str) -> None:
    with speaking(language):
        told = choice_texts(item, form)
        assert len(set(told)) == 4
        assert story_of(item, form)
        assert len(settings_of(item, form)) >= 2
        question = question_of(item, form)
        assert "{" not in question + "".join(told)
        rows = table_of(item, form)["rows"]
        assert [row[0] for row in rows] == [str(number + 1) for number in range(len(item.records))]


def test_a_question_reads_as_a_sentence() -> None:
    lifts = next(item for item in inventory() if item.name == "quiet")
    assert question_of(lifts, "A") == "When does window [0, 10) of a emit its first result?"
    assert set(choice_texts(lifts, "A")) == {f"When record {number} arrives" for number in (2, 3, 4, 5)}
    visits = next(item for item in inventory() if item.name == "visits")
    assert choice_texts(visits, "A")[key_of("A")[inventory().index(visits)].index(None)] == (
        "1 and 2 together; 3 alone; 4 is dropped"
    )


@pytest.mark.parametrize("form", FORMS)
def test_the_place_of_a_choice_reveals_nothing(form: str) -> None:
    places = [row.index(None) for row in key_of(form)]
    assert sorted(Counter(places).values()) == [3, 4, 4, 4]
    assert not any(one == other == third for (one, other), (_, third) in pairwise(pairwise(places)))


def test_every_belief_has_its_words() -> None:
    for belief in HELD:
        assert words(f"beliefs.{belief}.claim") != words(f"beliefs.{belief}.truth")


def test_the_edition_is_that_of_these_items() -> None:
    """With another item or answer, files of answers from before are refused: write the new edition into items.toml."""
    assert edition() == digest()


# What a form says about a learner: one belief is diagnosed as that one, knowledge as none, guessing as nothing.

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
