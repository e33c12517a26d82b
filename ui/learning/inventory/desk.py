"""The server's side of the inventory: a question of the browser in, an answer out, both plain dicts.

The browser keeps the answers of a learner and the files of a class, and every question carries what it is about, so
nothing is remembered here. No answer to a form goes to the browser before the form is finished.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from tidemark.simulator.inventory.choices import (
    KEEPS_EVERYTHING,
    STATE,
    WATERMARK,
    Graded,
    choice_texts,
    grade,
    key_of,
    question_of,
    settings_of,
    story_of,
    table_of,
    truth_of,
)
from tidemark.simulator.inventory.gain import (
    AnswersError,
    Learner,
    OfBelief,
    Report,
    beliefs_csv,
    gain,
    learners_csv,
    read_answers,
    report_of,
)
from tidemark.simulator.inventory.items import FORMS, Item, edition, inventory, text_of
from tidemark.simulator.words import LANGUAGES, section, words
from tidemark.ui.learning.inventory.picture import picture_of, query_of

Row = dict[str, Any]

NUMBERS: Final = (WATERMARK, STATE)
"""Items that ask for a number: there the results, which the page Compare shows, may well be the same."""

BEFORE, AFTER = FORMS

CALLED: Final = 120
"""How many characters of a file's name are shown."""


def first() -> Row:
    """What the page needs before its first question."""
    return {
        "words": section("inventory.page"),
        "scale": section("player.scale"),
        "edition": edition(),
        "forms": list(FORMS),
        "count": len(inventory()),
    }


def reply(question: Mapping[str, Any]) -> Row:
    """The answer to {number, ask, …}, with the same ``number``; without anything else to what makes no sense."""
    asked: Mapping[str, Callable[[Mapping[str, Any]], Row]] = {"form": _form, "grade": _grade, "class": _class}
    make = asked.get(str(question.get("ask")))
    number = question.get("number")
    return {"number": number if type(number) is int else 0, **({} if make is None else make(question))}


# --- a form --------------------------------------------------------------------------------------------------------


def _form(question: Mapping[str, Any]) -> Row:
    form = question.get("form")
    return {"items": [_item(item, str(form)) for item in inventory()] if form in FORMS else []}


def _item(item: Item, form: str) -> Row:
    """An item as it is shown: nothing in it tells which choice is right."""
    return {
        "story": story_of(item, form),
        "settings": settings_of(item, form),
        "table": table_of(item, form),
        "ask": question_of(item, form),
        "choices": choice_texts(item, form),
        "plane": picture_of(item, form, truth_of(item, form)),
    }


# --- the result of a learner ---------------------------------------------------------------------------------------


def _grade(question: Mapping[str, Any]) -> Row:
    """{scores, gain, beliefs, patternless} of the answers, which are in the form of a file; or {problem}.

    Beliefs are named only once form B is finished: after form A they would change what form B measures.
    """
    try:
        handed = read_answers(str(question.get("file", "")))
    except AnswersError as error:
        return {"problem": str(error)}
    graded = {form: grade(form, answers) for form, answers in handed.forms.items()}
    before, after = graded.get(BEFORE), graded.get(AFTER)
    scores = {form: {"right": each.right, "items": each.items} for form, each in graded.items()}
    gained = gain(before.right, after.right, after.items) if before and after else None
    beliefs = _beliefs(before, after) if after else []
    return {"scores": scores, "gain": gained, "beliefs": beliefs, "patternless": bool(after and after.patternless)}


def _beliefs(before: Graded | None, after: Graded) -> list[Row]:
    """What became of each belief, the ones that are still there first: ``state`` is a name among the page's words."""
    known = before is not None and not before.patternless
    had = before.held if known and before else ()
    stays = [(each, "stays" if each in had else "new" if known else "held") for each in after.held]
    wavers = [(each, "wavers") for each in after.wavers]
    gone = [(each, "gone") for each in had if each not in (*after.held, *after.wavers) and not after.patternless]
    return [_belief(name, state) for name, state in (*stays, *wavers, *gone)]


def _belief(name: str, state: str) -> Row:
    return {
        "name": name,
        "state": state,
        "claim": words(f"beliefs.{name}.claim"),
        "truth": words(f"beliefs.{name}.truth"),
        "href": address_of(name),
    }


def address_of(belief: str) -> str:
    """Where a belief is seen to go wrong, in an item that offers its answer: beside the truth on the page Compare.

    Where it is only wrong about a number, the true run opens, at the step that the item asks about.
    """
    found = [(number, item) for number, item in enumerate(inventory()) if belief in key_of(AFTER)[number]]
    number, item = next((each for each in found if each[1].asks not in NUMBERS), found[0])
    titles = {each: words("inventory.scenario", number=number + 1, form=AFTER, language=each) for each in LANGUAGES}
    query = query_of(text_of(item, AFTER), titles)
    if item.asks not in NUMBERS:
        return f"./compare?{urlencode(query | {'belief': belief})}"
    step = truth_of(item, AFTER).last_steps[2 * (item.record - 1)]
    opened = {"open": "state"} if belief == KEEPS_EVERYTHING else {}
    return f"./?{urlencode(query | {'step': str(step)} | opened)}"


# --- a class -------------------------------------------------------------------------------------------------------


def _class(question: Mapping[str, Any]) -> Row:
    """The report on ``files`` ({name, text})."""
    given = question.get("files")
    files = [each for each in given if isinstance(each, Mapping)] if isinstance(given, list) else []
    report = report_of((str(each.get("name", ""))[:CALLED], str(each.get("text", ""))) for each in files)
    return {
        "learners": [_learner(each) for each in report.learners],
        "pairs": len(report.pairs),
        "mean": [report.mean(form) for form in FORMS],
        "gain": report.gain,
        "beliefs": [_of_belief(each) for each in report.beliefs],
        "items": _items(report),
        "refused": [{"file": name, "why": why} for name, why in report.refused],
        "csv": {"learners": learners_csv(report), "beliefs": beliefs_csv(report)},
    }


def _learner(learner: Learner) -> Row:
    return {
        "id": learner.id,
        "right": [learner.graded[form].right if form in learner.graded else None for form in FORMS],
        "gain": learner.gain,
    }


def _of_belief(each: OfBelief) -> Row:
    return {
        "name": each.belief,
        "claim": words(f"beliefs.{each.belief}.claim"),
        "held": list(each.held),
        "picked": list(each.picked),
        "gain": each.gain,
    }


def _items(report: Report) -> list[Row]:
    """Each item with its choices, the right one first, and how many chose each in both forms; skipped ones last."""
    counts = {form: report.chosen(form) for form in FORMS}
    found = []
    for number, item in enumerate(inventory()):
        places = {form: key_of(form)[number] for form in FORMS}
        texts = choice_texts(item, BEFORE)
        order = sorted(places[BEFORE], key=lambda belief: belief is not None)
        rows = [
            {
                "text": texts[places[BEFORE].index(belief)],
                "belief": "" if belief is None else words(f"beliefs.{belief}.claim"),
                "counts": [counts[form][number][places[form].index(belief)] for form in FORMS],
            }
            for belief in order
        ]
        skipped = [counts[form][number][-1] for form in FORMS]
        found.append(
            {"ask": question_of(item, BEFORE), "story": story_of(item, BEFORE), "choices": rows, "skipped": skipped}
        )
    return found
