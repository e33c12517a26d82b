"""The scenarios of the library as teaching material: what each must have, and that no text disagrees with its run.

A number in a text goes stale when somebody edits the stream beside it. So a text has no digits of its own: each
comes from the run, through a ``{name}``.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.scenario import load, model
from tidemark.simulator.scenario.model import Beat, Scenario
from tidemark.simulator.timeline.stops import resolve_beats, texts_of
from tidemark.simulator.words import LANGUAGES, section, speaking

FOLDER = Path(__file__).parents[2] / "scenarios"
LIBRARY: dict[str, Scenario] = {file.stem: load(file) for file in sorted(FOLDER.glob("*.yaml"))}
LESSONS = tomllib.loads((FOLDER / "lessons.toml").read_text(encoding="utf-8"))
NAME = re.compile(r"\{[a-z_]+\}")
TAG = re.compile(r"[a-z][a-z-]*[a-z]")
LONGEST_SAY = 160
"""Letters of a narration, without its names, that fit beside the picture."""

every_scenario = pytest.mark.parametrize("scenario", LIBRARY.values(), ids=list(LIBRARY))


def questions(scenario: Scenario) -> list[Beat]:
    return [beat for beat in scenario.walkthrough if beat.ask is not None or beat.predict is not None]


@every_scenario
def test_a_scenario_has_everything_that_a_lesson_needs(scenario: Scenario) -> None:
    assert scenario.title
    assert scenario.summary
    assert len(scenario.summary["en"].split()) > 20, "the summary should be a paragraph"
    assert scenario.level in ("novice", "practitioner", "expert")
    assert scenario.lesson in [lesson["id"] for lesson in LESSONS["lessons"]]
    assert scenario.minutes
    assert scenario.teaches
    assert all(TAG.fullmatch(tag) for tag in scenario.teaches)
    assert scenario.goals, "goals must prove what the scenario shows"
    assert len(questions(scenario)) >= (1 if scenario.name in LESSONS["visit"]["scenarios"] else 2)
    assert any(beat.say for beat in scenario.walkthrough)
    assert any(beat.note for beat in scenario.walkthrough), "the presenter needs at least one note"


@every_scenario
def test_every_number_in_a_text_comes_from_the_run(scenario: Scenario) -> None:
    texts = [text for beat in scenario.walkthrough for _, text in texts_of(beat)]
    assert [text for text in texts if re.search(r"\d", NAME.sub("", text))] == []
    assert not re.search(r"\d", scenario.summary["en"] if scenario.summary else "")


@every_scenario
def test_beats_are_in_order_and_each_has_its_own_step(scenario: Scenario) -> None:
    _, trace = run_traced(scenario)
    beats = resolve_beats(scenario, trace)
    steps = [beat.step for beat in beats]
    assert len(beats) == len(scenario.walkthrough)
    assert steps == sorted(set(steps))


@every_scenario
def test_a_question_has_choices_that_differ_and_says_why(scenario: Scenario) -> None:
    for beat in scenario.walkthrough:
        if beat.ask is None:
            continue
        for language in LANGUAGES:
            choices = [choice.text[language] for choice in beat.choices]
            assert len(set(choices)) == len(choices) >= 2
        assert beat.answer is not None
        assert 0 <= beat.answer < len(choices)
        assert beat.because


@every_scenario
def test_narration_fits_beside_the_picture(scenario: Scenario) -> None:
    narration = [NAME.sub("", beat.say["en"]) for beat in scenario.walkthrough if beat.say]
    assert [text for text in narration if len(text) > LONGEST_SAY] == []


def in_both_languages(of: str, text: Mapping[str, str]) -> list[str]:
    """The problems of a text: a language is missing or empty, or the two languages have different names."""
    if any(not text.get(language, "").strip() for language in LANGUAGES):
        return [f"{of}: in {', '.join(text)}"]
    names = [sorted(set(NAME.findall(text[language]))) for language in LANGUAGES]
    return [] if names[0] == names[1] else [f"{of}: {names}"]


@every_scenario
def test_every_text_has_both_languages_with_the_same_names(scenario: Scenario) -> None:
    texts = {"title": scenario.title or {}, "summary": scenario.summary or {}}
    for number, beat in enumerate(scenario.walkthrough):
        written = {"say": beat.say, "ask": beat.ask, "because": beat.because, "note": beat.note}
        written |= {f"choices {place}": choice.text for place, choice in enumerate(beat.choices)}
        written |= {f"reply {place}": choice.reply for place, choice in enumerate(beat.choices)}
        texts |= {f"beat {number}, {name}": text for name, text in written.items() if text is not None}
    assert [wrong for of, text in texts.items() for wrong in in_both_languages(of, text)] == []


def test_lessons_have_both_languages_too() -> None:
    tables = [*LESSONS["lessons"], *(topic for each in LESSONS["lessons"] for topic in each["topics"])]
    written = [
        (table["title"]["en"], table[name])
        for table in (*tables, LESSONS["lecture"], LESSONS["visit"])
        for name in ("title", "about")
    ]
    assert [wrong for of, text in written for wrong in in_both_languages(of, text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tag_has_its_own_name(language: str) -> None:
    with speaking(language):
        names = section("pages.library.tags")
    assert sorted(names) == sorted({tag for each in LIBRARY.values() for tag in each.teaches})
    assert len(set(names.values())) == len(names)


def test_the_right_answer_is_not_always_at_the_same_place() -> None:
    answers = Counter(beat.answer for each in LIBRARY.values() for beat in each.walkthrough if beat.ask is not None)
    assert set(answers) == {0, 1, 2}
    assert max(answers.values()) < 0.75 * answers.total()


def test_titles_and_questions_are_unique() -> None:
    for language in LANGUAGES:
        titles = [each.title[language] for each in LIBRARY.values() if each.title]
        assert len(set(titles)) == len(titles)


# --- lessons -------------------------------------------------------------------------------------------------------


def test_every_scenario_is_in_its_own_lesson_once() -> None:
    places = [
        (name, lesson["id"])
        for lesson in LESSONS["lessons"]
        for topic in lesson["topics"]
        for name in topic["scenarios"]
    ]
    assert len(LESSONS["lessons"]) == 5
    assert sorted(name for name, _ in places) == sorted(LIBRARY)
    assert [(name, LIBRARY[name].lesson) for name, _ in places] == places


def test_the_lecture_takes_no_longer_than_it_says() -> None:
    lecture = LESSONS["lecture"]
    names = lecture["scenarios"]
    assert len(set(names)) == len(names)
    assert set(names + lecture["lab"]) <= set(LIBRARY)
    assert sum(LIBRARY[name].minutes or 0 for name in names) <= lecture["minutes"]


def test_the_first_visit_is_short_and_leads_into_the_library() -> None:
    visit = LESSONS["visit"]
    assert len(visit["scenarios"]) <= 6
    assert sum(LIBRARY[name].minutes or 0 for name in visit["scenarios"]) <= 11
    assert len(visit["onward"]) == 3
    onward = {each["scenario"]: each["about"] for each in visit["onward"]}
    assert set(onward) <= set(LIBRARY) - set(visit["scenarios"])
    assert all(set(about) == {"en", "zh"} for about in onward.values())
    assert all(LIBRARY[name].level == "novice" for name in onward), "they are understood right after the visit"


def test_the_library_has_forty_scenarios() -> None:
    assert len(LIBRARY) >= 40


# --- the library shows everything that the engine can do--------------------------------------------------------------


def kinds(scenario: Scenario) -> set[str]:
    """Names of everything that the scenario uses, as they are written in scenario files."""
    operator = scenario.operator
    found = {f"operator {operator.type}"}
    for part in ("assigner", "evictor", "trigger"):
        if (value := getattr(operator, part, None)) is not None:
            found |= nested(part, value)
    found |= {f"watermark {each.watermark.type}" for each in scenario.inputs if each.watermark is not None}
    stream = scenario.stream
    return found | ({"generated"} if isinstance(stream, model.Generated) else {type(item).__name__ for item in stream})


def nested(part: str, value: object) -> set[str]:
    inner = [getattr(value, name) for name in ("inner", "early", "late") if getattr(value, name, None) is not None]
    return {f"{part} {value.type}"}.union(*(nested(part, each) for each in inner))


SHOWN = {
    "operator": ("window", "window-join", "co-group", "interval-join", "process"),
    "assigner": ("tumbling", "sliding", "cumulative", "session", "dynamic-session", "global"),
    "trigger": (
        "never", "count", "continuous-event-time", "continuous-processing-time", "delta", "purging",
        "processing-timeout", "after-end-of-window", "every-element", "processing-time-every",
    ),
    "evictor": ("count",),
    "watermark": ("none", "bounded-out-of-orderness", "punctuated", "sql"),
}  # fmt: skip


@pytest.mark.parametrize("kind", [f"{part} {each}" for part, names in SHOWN.items() for each in names] + ["generated"])
def test_some_scenario_shows_each_kind(kind: str) -> None:
    assert [name for name, each in LIBRARY.items() if kind in kinds(each)]


def test_processing_time_side_output_retraction_and_restart_are_shown() -> None:
    operators = [each.operator for each in LIBRARY.values() if each.engine == "flink"]
    assert any(getattr(each, "time", "event") == "processing" for each in operators)
    assert any(getattr(each, "late_output", "drop") == "side" for each in operators)
    assert any(getattr(each, "updates", False) for each in operators)
    assert any("restore:" in (FOLDER / f"{name}.yaml").read_text(encoding="utf-8") for name in LIBRARY)
    assert any(each.channels > 1 for scenario in LIBRARY.values() for each in scenario.inputs)
