"""The page Symptoms: each complaint is there in one run of its scenario and gone in the other, and its links hold."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.catalogue import find
from tidemark.ui.library import symptoms as of_symptoms
from tidemark.ui.library.symptoms import ORDER, Symptom, changed, symptoms
from tidemark.ui.share import links

from tests.app.test_pages import component
from tidemark import simulator

ROOT = Path(__file__).resolve().parents[2]
ALL = symptoms()
each_symptom = pytest.mark.parametrize("symptom", ALL, ids=lambda symptom: symptom.id)


def text_of(symptom: Symptom) -> str:
    return (ROOT / "scenarios" / f"{symptom.scenario}.yaml").read_text(encoding="utf-8")


def fits(wanted: Any, found: Any) -> bool:
    """Whether a member of a row is as ``shown`` says: the same, within two bounds, or a mapping of such members."""
    if isinstance(wanted, list):
        return isinstance(found, int) and wanted[0] <= found <= wanted[1]
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(fits(each, found.get(name)) for name, each in wanted.items())
    return bool(wanted == found)


def is_shown(symptom: Symptom, scenario: Scenario) -> bool:
    """Whether a run of ``scenario`` shows the complaint."""
    shown = symptom.shown
    rows, trace = simulator.run_traced(scenario)
    if "event" in shown:
        count = sum(type(step.event).__name__ == shown["event"] for step in trace)
    else:
        count = sum(row["row"] == shown["rows"] and fits(shown.get("where", {}), row) for row in rows)
    return bool(shown.get("at_least", 0) <= count <= shown.get("at_most", count))


@each_symptom
def test_the_complaint_is_there_in_one_run_and_gone_in_the_other(symptom: Symptom) -> None:
    text = text_of(symptom)
    ours, other = parse(text), parse(changed(symptom, text))
    bad, good = (other, ours) if symptom.gives == "complaint" else (ours, other)
    assert is_shown(symptom, bad)
    assert not is_shown(symptom, good)
    assert problems_of_run(other) == []


@each_symptom
def test_its_links_lead_to_both_runs(symptom: Symptom) -> None:
    found = of_symptoms.links(symptom)
    assert list(found)[:2] == ["scenario", "other"]
    library, link = [found[name] for name in (("other", "scenario") if symptom.gives == "complaint" else found)][:2]
    assert library["query"]["scenario"] == symptom.scenario
    assert int(library["query"]["step"]) > 0, "the link must open at the step that shows it"
    opened = links.of_link(link["query"]["s"])
    assert opened.entry.scenario is not None
    assert ("compare" in found) == (parse(text_of(symptom)).engine == "flink")
    if "compare" in found:
        asked = found["compare"]["query"]
        assert asked.get("with") == symptom.scenario or any(name.startswith("b.") for name in asked)


@each_symptom
def test_everything_is_said_in_every_language(symptom: Symptom) -> None:
    for texts in (symptom.complaint, symptom.because, symptom.repair, *symptom.checks):
        assert set(texts) == set(LANGUAGES)
        assert all(each.strip() for each in texts.values())
    assert len(symptom.checks) >= 2
    assert symptom.code, "a line of configuration that repairs it"
    assert set(symptom.code) <= {"java", "sql", "spark"}
    assert all(find(name) for name in (symptom.scenario, *symptom.more))


def test_there_are_twenty_or_more_and_each_has_its_own_id() -> None:
    ids = [each.id for each in ALL]
    assert len(set(ids)) == len(ids) >= 20
    assert ids[: len(ORDER)] == sorted(ORDER, key=lambda each: ORDER[each])


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    with speaking(request.param):
        yield request.param


def test_the_page_opens_the_symptom_of_its_address(language: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params.update({"lang": language})
    app.run()
    app.query_params["symptom"] = "record-dropped"
    app.switch_page("ui/pages/symptoms.py").run()
    assert not app.exception
    shown = json.loads(component(app, "tidemark_symptoms").json)
    assert shown["chosen"] in ("record-dropped", "")
    assert [each["id"] for each in shown["symptoms"]] == [each.id for each in ALL]
    assert shown["symptoms"][1]["complaint"] == ALL[1].complaint[language]
