"""The desk of the inventory: items without their answers, beliefs only in the end, a report from files."""

import json
from typing import Any
from urllib.parse import parse_qs

import pytest
from tidemark.simulator.inventory.choices import HELD, answers_by, choices
from tidemark.simulator.inventory.gain import RUNNABLE, simulated_class, written
from tidemark.simulator.inventory.items import FORMS, inventory
from tidemark.simulator.practice.exercise import LEVELS
from tidemark.simulator.practice.exercises import KINDS
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.compare.choice import choice_of
from tidemark.ui.compare.contents import contents
from tidemark.ui.learning.inventory.desk import address_of, first, reply
from tidemark.ui.learning.practice.desk import reply as reply_in_practice
from tidemark.ui.share import links


def ask(ask: str, **more: Any) -> dict[str, Any]:
    return reply({"number": 1, "ask": ask, **more})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("form", FORMS)
def test_a_form_has_every_item_and_no_answer(form: str, language: str) -> None:
    with speaking(language):
        items = ask("form", form=form)["items"]
        told = json.dumps([first(), items], ensure_ascii=False)
    assert len(items) == len(inventory())
    assert [name for name in HELD if name in told] == []
    for item, shown in zip(inventory(), items, strict=True):
        assert len(shown["choices"]) == len(choices(item, form)) == 4
        drawn = shown["plane"]["sources"]
        assert {row["fate"] for row in drawn["records"]} == {"arrived"}
        assert [row["letter"] for row in drawn["records"]] == [str(n + 1) for n in range(len(item.records))]
        shows = {name for name, rows in drawn.items() if rows}
        assert shows <= ({"records"} if item.session else {"records", "bands", "borders", "ideal"})


def test_after_form_a_there_is_a_score_and_nothing_else() -> None:
    result = ask("grade", file=written("k7qm-3wxt", {"A": answers_by("A", "wall-clock")}))
    assert (result["scores"], result["gain"], result["beliefs"]) == ({"A": {"right": 12, "items": 15}}, None, [])


def test_after_form_b_the_learner_hears_what_is_gone_and_what_is_not() -> None:
    before = answers_by("A", "wall-clock", "end-inclusive")
    after = answers_by("B", "wall-clock", "watermark-per-key")
    result = ask("grade", file=written("k7qm-3wxt", {"A": before, "B": after}))
    states = {each["name"]: each["state"] for each in result["beliefs"]}
    assert states == {"wall-clock": "stays", "watermark-per-key": "wavers", "end-inclusive": "gone"}
    assert result["scores"]["A"]["right"] == 9
    alone = ask("grade", file=written("k7qm-3wxt", {"B": answers_by("B", "end-inclusive")}))
    assert [(each["name"], each["state"]) for each in alone["beliefs"]] == [("end-inclusive", "held")]
    again = ask("grade", file=written("k7qm-3wxt", {"A": answers_by("A"), "B": answers_by("B", "end-inclusive")}))
    assert [(each["name"], each["state"]) for each in again["beliefs"]] == [("end-inclusive", "new")]


@pytest.mark.parametrize("belief", HELD)
def test_every_belief_leads_to_a_run_that_shows_it(belief: str) -> None:
    page, _, text = address_of(belief).partition("?")
    query = dict(part.split("=", 1) for part in text.split("&"))
    entry = links.of_link(query["s"]).entry
    assert entry.scenario is not None
    assert all(entry.scenario.title[language] for language in LANGUAGES)
    if page == "./compare":
        compared = contents(choice_of(query, ""), entry.scenario, entry.scenario, {})
        assert compared["differing"]
    else:
        assert belief in ("no-minus-one", "bound-forgotten", "keeps-everything")
        assert int(query["step"]) > 0


def test_the_report_on_a_class() -> None:
    files = [{"name": name, "text": text} for name, text in simulated_class(RUNNABLE, keeping=RUNNABLE[:1])]
    report = ask("class", files=[*files, {"name": "<b>.json", "text": "no"}])
    assert (report["pairs"], len(report["learners"])) == (13, 13)
    assert report["mean"] == [12.0, 15 - 3 / 13]
    assert {each["name"]: each["held"] for each in report["beliefs"]}["no-minus-one"] == [1, 1]
    assert report["refused"] == [{"file": "<b>.json", "why": "not a JSON file"}]
    for item in report["items"]:
        assert [sum(each["counts"][form] for each in item["choices"]) for form in (0, 1)] == [13, 13]
        assert [each["belief"] == "" for each in item["choices"]] == [True, False, False, False]


@pytest.mark.parametrize(
    "question",
    [{}, {"ask": "nothing"}, {"ask": ["form"]}, {"ask": "form", "form": ["A"]}, {"ask": "form", "form": "C"},
     {"ask": "grade"}, {"ask": "grade", "file": ["x"]}, {"ask": "class"}, {"ask": "class", "files": "x"},
     {"ask": "class", "files": [1, {"name": 2, "text": None}]}, {"number": True}],
)  # fmt: skip
def test_a_question_without_sense_gets_an_answer(question: dict[str, Any]) -> None:
    assert reply(question)["number"] == 0


# The desk of practice: an exercise without its answer, a verdict with the runs that explain it.


def asks(asks: str, **more: Any) -> dict[str, Any]:
    return reply_in_practice({"number": 1, "ask": asks, **more})


@pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))
@pytest.mark.parametrize("kind", KINDS)
def test_an_exercise_has_no_answer_and_its_verdict_has_runs(kind: str, level: int) -> None:
    named = {"seed": 11, "level": level, "kind": kind, "about": ""}
    exercise = asks("exercise", **named)["exercise"]
    assert set(exercise) <= {
        "seed", "level", "kind", "settings", "ask", "table", "plane", "given", "choices", "number", "records",
        "stream",
    }  # fmt: skip
    if kind in ("order", "differ"):
        assert "plane" not in exercise
    else:
        assert {row["fate"] for row in exercise["plane"]["sources"]["records"]} == {"arrived"}
    answers = {"order": list(range(len(exercise.get("records", ())), 0, -1)), "differ": [0, 0, 0]}
    answer = answers.get(kind, 0)
    verdict = asks("grade", **named, answer=answer)["verdict"]
    assert verdict["said"]
    opened = links.of_link(query(verdict["player"])["s"]).entry
    assert opened.scenario is not None
    assert opened.scenario.title is not None
    assert all(opened.scenario.title[language] for language in LANGUAGES)
    if verdict["compare"]:
        asked = query(verdict["compare"])
        entry = links.of_link(asked["s"]).entry
        assert entry.scenario is not None
        other = links.of_link(asked.get("with.s", asked["s"])).entry.scenario
        assert other is not None
        assert contents(choice_of(asked, ""), entry.scenario, other, {})["belief"] == asked.get("belief")


def query(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(address.partition("?")[2]).items()}


def test_the_same_question_has_the_same_answer() -> None:
    named = {"seed": 3, "level": 5, "kind": "", "about": ""}
    assert json.dumps(asks("exercise", **named)) == json.dumps(asks("exercise", **named))


@pytest.mark.parametrize(
    "named",
    [{}, {"seed": "x", "level": 1}, {"seed": -1, "level": 1}, {"seed": 1, "level": 0}, {"seed": 1, "level": 9},
     {"seed": 1, "level": True}, {"seed": 1, "level": 1, "kind": "<b>"}, {"seed": 1, "level": 1, "about": ["x"]},
     {"seed": 10**12, "level": 1}, {"seed": 1, "level": 1, "kind": "fires", "about": "no-such"}],
)  # fmt: skip
def test_what_does_not_exist_is_said_to_be_so(named: dict[str, Any]) -> None:
    for what in ("exercise", "grade"):
        said = asks(what, **named)
        assert said["problem"].startswith("There is no such exercise: ")
        assert set(said) == {"number", "problem"}


@pytest.mark.parametrize("question", [{}, {"ask": "nothing"}, {"ask": ["grade"]}, {"number": True}])
def test_a_question_without_sense_is_answered_in_practice(question: dict[str, Any]) -> None:
    assert reply_in_practice(question) == {"number": 0}
