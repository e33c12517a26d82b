"""The desk of practice: an exercise without its answer, a verdict with the runs that explain it."""

import json
import subprocess
import sys
from typing import Any
from urllib.parse import parse_qs

import pytest
from tidemark.simulator.practice.exercises import KINDS
from tidemark.simulator.practice.levels import LEVELS
from tidemark.simulator.words import LANGUAGES
from tidemark.ui.compare.choice import choice_of
from tidemark.ui.compare.contents import contents
from tidemark.ui.learning.practice.desk import reply
from tidemark.ui.share import links


def ask(ask: str, **more: Any) -> dict[str, Any]:
    return reply({"number": 1, "ask": ask, **more})


def test_the_desk_needs_no_streamlit() -> None:
    """So that the same code can answer where there is no server."""
    code = "import sys, tidemark.ui.learning.practice.desk; sys.exit('streamlit' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))
@pytest.mark.parametrize("kind", KINDS)
def test_an_exercise_has_no_answer_and_its_verdict_has_runs(kind: str, level: int) -> None:
    named = {"seed": 11, "level": level, "kind": kind, "about": ""}
    exercise = ask("exercise", **named)["exercise"]
    assert set(exercise) <= {
        "seed", "level", "kind", "settings", "ask", "table", "plane", "given", "choices", "number", "records",
    }  # fmt: skip
    if kind == "order":
        assert "plane" not in exercise
    else:
        assert {row["fate"] for row in exercise["plane"]["sources"]["records"]} == {"arrived"}
    answer = list(range(len(exercise["records"]), 0, -1)) if kind == "order" else 0
    verdict = ask("grade", **named, answer=answer)["verdict"]
    assert verdict["said"]
    opened = links.of_link(query(verdict["player"])["s"]).entry
    assert opened.scenario is not None
    assert opened.scenario.title is not None
    assert all(opened.scenario.title[language] for language in LANGUAGES)
    if verdict["compare"]:
        asked = query(verdict["compare"])
        entry = links.of_link(asked["s"]).entry
        assert entry.scenario is not None
        assert contents(choice_of(asked, ""), entry.scenario, entry.scenario, {})["belief"] == asked["belief"]


def query(address: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(address.partition("?")[2]).items()}


def test_the_same_question_has_the_same_answer() -> None:
    named = {"seed": 3, "level": 5, "kind": "", "about": ""}
    assert json.dumps(ask("exercise", **named)) == json.dumps(ask("exercise", **named))


@pytest.mark.parametrize(
    "named",
    [{}, {"seed": "x", "level": 1}, {"seed": -1, "level": 1}, {"seed": 1, "level": 0}, {"seed": 1, "level": 9},
     {"seed": 1, "level": True}, {"seed": 1, "level": 1, "kind": "<b>"}, {"seed": 1, "level": 1, "about": ["x"]},
     {"seed": 10**12, "level": 1}, {"seed": 1, "level": 1, "kind": "fires", "about": "no-such"}],
)  # fmt: skip
def test_what_does_not_exist_is_said_to_be_so(named: dict[str, Any]) -> None:
    for what in ("exercise", "grade"):
        said = ask(what, **named)
        assert said["problem"].startswith("There is no such exercise: ")
        assert set(said) == {"number", "problem"}


@pytest.mark.parametrize("question", [{}, {"ask": "nothing"}, {"ask": ["grade"]}, {"number": True}])
def test_a_question_without_sense_gets_an_answer(question: dict[str, Any]) -> None:
    assert reply(question) == {"number": 0}
