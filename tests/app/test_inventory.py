"""The desk of the inventory: items without their answers, beliefs only in the end, a report from files."""

import json
import subprocess
import sys
from typing import Any

import pytest
from tidemark.simulator.inventory.choices import HELD, answers_by, choices
from tidemark.simulator.inventory.gain import RUNNABLE, simulated_class, written
from tidemark.simulator.inventory.items import FORMS, inventory
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.compare.choice import choice_of
from tidemark.ui.compare.contents import contents
from tidemark.ui.learning.inventory.desk import address_of, first, reply
from tidemark.ui.share import links


def ask(ask: str, **more: Any) -> dict[str, Any]:
    return reply({"number": 1, "ask": ask, **more})


def test_the_desk_needs_no_streamlit() -> None:
    """So that the same code can answer where there is no server."""
    code = "import sys, tidemark.ui.learning.inventory.desk; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


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
