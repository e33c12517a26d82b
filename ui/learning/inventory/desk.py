"""The server's side of the inventory: a question of the browser in, an answer out, both plain dicts.

The browser keeps the answers of a learner and the files of a class, and every question carries what it is about, so
nothing is remembered here. No answer to a form goes to the browser before the form is finished.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from tidemark.simulator.explore.runs import Ran
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
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import LANGUAGES, section, words
from tidemark.ui.payload.charts import plane
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.share.links import token_of

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


# What an item is shown with: its picture, and the address of its scenario under its own title.

SHOWN: Final = ("bands", "borders", "ideal")
"""What is drawn besides the records. The bands of sessions would tell which records are together."""

ROOM: Final = (0.6, 0.6)
"""The share of the usual width and height of a plane."""

DOT: Final = 20
"""Diameter (px) of a record's mark, which carries its number."""


def picture_of(item: Item, form: str, run: Ran) -> dict[str, Any]:
    """The plane as the browser draws it, at its one step; ``run`` is that of the item."""
    style = TimeStyle(time_format(run.scenario))
    by_item = not item.has_clock
    drawn = plane.plane(run.facts.by_name(), run.facts.number_of_steps, style, by_item, ROOM)
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in plane.SOURCES}
    if not item.session:
        rows |= {name: [_still(row) for row in drawn["sources"][name]] for name in SHOWN}
    rows["records"] = _records(item, form, [*drawn["sources"]["ahead"], *drawn["sources"]["records"]])
    signals = drawn["parts"][0]["signals"]
    if by_item:
        signals["y_labels"] = [str(int(tick) + 1) if tick < len(item.records) else "" for tick in signals["y_ticks"]]
    titles = {
        "x_title": words("player.event_time_s"),
        "y_title": words("inventory.axis.record" if by_item else "player.arrival_axis_at_s"),
    }
    return {
        "parts": [{**drawn["parts"][0], "step": 0, "signals": signals}],
        "sources": rows,
        "signals": {**signals, **titles, "dot": DOT},
        "style": style.as_json(),
        "arrival_axis": "item" if by_item else "at",
        "steps": 1,
    }


def _still(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "from_step": 0, "until_step": None}


def _records(item: Item, form: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each record once, whatever becomes of it, with its number in its mark and beside it what tells it from others."""
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        first.setdefault(row["id"], row)
    found = []
    for number, row in enumerate(sorted(first.values(), key=lambda each: each["y"]), 1):
        label = _label(item, form, number)
        found.append({**_still(row), "fate": "arrived", "letter": str(number), "text": label, "full": label, "rank": 0})
    return found


def _label(item: Item, form: str, number: int) -> str:
    look, spot = item.forms[form], item.records[number - 1]
    told = [look.keys[spot.key]] if len(look.keys) > 1 else []
    told += [words("inventory.axis.channel", channel=spot.channel)] if item.channels > 1 else []
    return " · ".join(told)


def query_of(text: str, titles: Mapping[str, str]) -> dict[str, str]:
    """The query of a scenario that is in no file; ``titles`` by language, none of them with quotes in it."""
    said = ", ".join(f'{language}: "{title}"' for language, title in titles.items())
    return {"s": token_of(f"{text}title: {{{said}}}\n", json=False)}
