"""The server's side of practice: a question of the browser in, an answer out, both plain dicts.

The browser keeps boxes and levels, and every question names its exercise whole, so nothing is remembered here. What is
right goes to the browser only with the verdict on an answer.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from tidemark.simulator.inventory.choices import table_of
from tidemark.simulator.inventory.items import Item, scenario_text
from tidemark.simulator.practice.exercise import FORM, LEVELS, AnswerError, Exercise, Verdict
from tidemark.simulator.practice.exercises import ABOUT, KINDS, MOST_SEED, exercise_of, grade, kind_of, question_of
from tidemark.simulator.words import LANGUAGES, section, words
from tidemark.ui.learning.inventory.desk import picture_of, query_of

Row = dict[str, Any]

SHOWN: Final = 40
"""So many characters of an unknown name are repeated."""


class Unknown(ValueError):
    """There is no such exercise; the message names what is wrong."""


def first() -> Row:
    """What the page needs before its first question."""
    return {
        "words": section("practice.page"),
        "scale": section("player.scale"),
        "kinds": {name: words(f"practice.kinds.{name}") for name in KINDS},
        "claims": {name: words(f"beliefs.{name}.claim") for name in sorted(ABOUT)},
        "levels": len(LEVELS),
        "most_seed": MOST_SEED,
    }


def reply(question: Mapping[str, Any]) -> Row:
    """The answer to {number, ask, seed, level, kind, about, …}, with the same ``number``.

    {exercise} or {verdict}; {problem} if there is none; nothing else to what makes no sense.
    """
    given: Mapping[str, Callable[[Mapping[str, Any]], Row]] = {"exercise": _exercise, "grade": _grade}
    make = given.get(str(question.get("ask")))
    number = question.get("number")
    try:
        said = {} if make is None else make(question)
    except Unknown as error:
        said = {"problem": words("practice.page.unknown", what=str(error))}
    except AnswerError as error:
        said = {"problem": str(error)}
    return {"number": number if type(number) is int else 0, **said}


def _named(question: Mapping[str, Any]) -> Exercise:
    """The exercise that a question is about. Raises ``Unknown``."""
    seed, level = _number(question, "seed", 0, MOST_SEED), _number(question, "level", 1, len(LEVELS))
    kind, about = _name(question, "kind", KINDS), _name(question, "about", ABOUT)
    return exercise_of(seed, level, kind or kind_of(seed), about)


def _number(question: Mapping[str, Any], name: str, least: int, most: int) -> int:
    value = question.get(name)
    if type(value) is not int or not least <= value <= most:
        raise Unknown(f"{name}={value}"[:SHOWN])
    return value


def _name(question: Mapping[str, Any], name: str, known: Mapping[str, Any] | frozenset[str]) -> str:
    value = question.get(name, "")
    if value and (not isinstance(value, str) or value not in known):
        raise Unknown(f"{name}={value}"[:SHOWN])
    return value if isinstance(value, str) else ""


# --- an exercise ---------------------------------------------------------------------------------------------------


def _exercise(question: Mapping[str, Any]) -> Row:
    """The exercise as it is shown: nothing in it tells what is right."""
    exercise = _named(question)
    draw = exercise.draw
    shown = dict(question_of(exercise))
    if shown.keys().isdisjoint(("records", "stream")):
        shown |= {"table": table_of(draw.item, FORM), "plane": picture_of(draw.item, FORM, draw.truth)}
    return {"exercise": {"seed": exercise.seed, "level": exercise.level, "kind": exercise.kind, **shown}}


# --- a verdict -----------------------------------------------------------------------------------------------------


def _grade(question: Mapping[str, Any]) -> Row:
    """The verdict on ``answer``: ``about`` is what the answer is kept under, ``believed`` the belief behind it,
    ``choice`` the right one of the choices."""
    exercise = _named(question)
    verdict = grade(exercise, question.get("answer"))
    belief = verdict.belief
    believed = {name: words(f"beliefs.{belief}.{name}") for name in ("claim", "truth")} if belief else None
    return {
        "verdict": {
            "right": verdict.right,
            "about": (not verdict.right and belief) or exercise.about,
            "believed": believed,
            "said": list(verdict.said),
            "choice": verdict.choice,
            **_addresses(exercise, verdict),
        }
    }


def _addresses(exercise: Exercise, verdict: Verdict) -> Row:
    """Where the run is seen: {player, compare}, of which compare may be None."""
    run = verdict.run
    titles = {
        language: words(
            "practice.scenario",
            kind=words(f"practice.kinds.{exercise.kind}", language=language),
            level=exercise.level,
            language=language,
        )
        for language in LANGUAGES
    }

    def opens(item: Item) -> dict[str, str]:
        return query_of(scenario_text(item, FORM, f"practice-{exercise.kind}"), titles)

    query = opens(run.item)
    step = {} if run.step is None else {"step": str(run.step)}
    beside = {"belief": run.belief} if run.belief else {}
    if run.other is not None:
        beside = {f"with.{name}": value for name, value in opens(run.other).items()}
    compare = f"./compare?{urlencode(query | beside)}" if beside else None
    return {"player": f"./?{urlencode(query | step)}", "compare": compare}
