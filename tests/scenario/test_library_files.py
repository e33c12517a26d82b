"""Every scenario file of the project is sound, both for the reader and by the JSON Schema that editors use."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tidemark.simulator import run_traced
from tidemark.simulator.engine.values.versions import CHANGES, NEWEST, VERSIONS
from tidemark.simulator.explore.upgrades import upgrades
from tidemark.simulator.scenario import ScenarioError, load, model, parse, schema
from tidemark.simulator.scenario import schema as json_schema
from tidemark.simulator.scenario.model import Beat, Scenario
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, Source
from tidemark.simulator.scenario.reading.scalars import resolve
from tidemark.simulator.scenario.reading.yaml import read_yaml
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.timeline.stops import resolve_beats, texts_of
from tidemark.simulator.words import LANGUAGES, section, speaking

from tests.each import for_each
from tests.examples import examples
from tests.library import shipped
from tests.random_scenarios import flink, spark

ROOT = Path(__file__).parents[2]
LIBRARY = sorted((ROOT / "scenarios").glob("*.yaml"))
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.yaml"))
VALIDATOR = Draft202012Validator(json_schema.schema())


def plain(node: Node) -> Any:
    """The contents of a file as JSON values."""
    if isinstance(node, ScalarNode):
        return resolve(node.text) if node.plain else node.text
    if isinstance(node, MappingNode):
        return {key: plain(entry.value) for key, entry in node.entries.items()}
    return [plain(item) for item in node.items]


def as_json(text: str) -> Any:
    return plain(read_yaml(Source("a.yaml", text)))


@for_each(LIBRARY + GOLDEN, lambda file: file.stem)
def test_a_scenario_file_is_sound_for_the_reader_and_for_editors_and_reads_back_as_it_is_rewritten(file: Path) -> None:
    scenario = load(file)
    assert scenario.name == file.stem
    assert parse(as_yaml(scenario)) == scenario
    assert [error.message for error in VALIDATOR.iter_errors(as_json(file.read_text(encoding="utf-8")))] == []


@for_each(GOLDEN[::8], lambda file: file.stem)
def test_a_scenario_in_json_is_the_same_scenario(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert parse(json.dumps(as_json(text)), json=True) == parse(text)


@for_each(LIBRARY, lambda file: file.stem)
def test_the_walkthroughs_and_goals_of_the_library_hold(file: Path) -> None:
    assert problems_of_run(load(file)) == []


def test_the_schema_in_the_library_is_up_to_date() -> None:
    assert json_schema.FILE.read_text(encoding="utf-8") == json_schema.text(), "python -m simulator.scenario.schema"


def test_the_schema_is_small_enough_for_editors() -> None:
    assert json_schema.FILE.stat().st_size <= 60_000


def test_the_schema_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(json_schema.schema())


FAULTS = [
    ("scenario: 1", "scenario: 2"),
    ("name: ", "nmae: "),
    ("type: tumbling", "type: tumblin"),
    ("size: 5s", "size: 5 s"),
    ("size: 5s", "gap: 5s"),
    ("compute: sum", "compute: mean"),
    ("key: a", "kye: a"),
    ("watermark: 4999", "watermark: soon"),
]


@pytest.mark.parametrize(("right", "wrong"), FAULTS)
def test_editors_see_the_same_mistakes(right: str, wrong: str) -> None:
    text = (ROOT / "tests" / "golden" / "tumbling-watermark-end-minus-1.yaml").read_text(encoding="utf-8")
    broken = text.replace(right, wrong)
    assert broken != text
    assert not VALIDATOR.is_valid(as_json(broken))
    with pytest.raises(ScenarioError):
        parse(broken)


# docs/users/SCENARIOS.md names every key of the format. (Its examples: tests/documents.)

TEXT = (Path(__file__).parents[2] / "docs" / "users" / "SCENARIOS.md").read_text(encoding="utf-8")


def keys_and_choices(node: Any) -> set[str]:
    """Every key of the format and every name to choose from, taken from the JSON Schema."""
    found: set[str] = set()
    if isinstance(node, dict):
        found |= set(node.get("properties", {}))
        found |= {each for each in node.get("enum", ()) if isinstance(each, str)}
        for each in node.values():
            found |= keys_and_choices(each)
    elif isinstance(node, list):
        for each in node:
            found |= keys_and_choices(each)
    return found


def test_every_key_and_choice_of_the_format_is_documented() -> None:
    events = {name for name in keys_and_choices(schema.schema()) if name[0].isupper()}  # TRACE.md documents those
    untold = {name for name in keys_and_choices(schema.schema()) - events if not re.search(rf"\b{name}\b", TEXT)}
    assert untold == set()


def test_every_key_is_described_for_editors() -> None:
    def keys(node: Any) -> set[str]:
        if isinstance(node, list):
            return set().union(*map(keys, node))
        if not isinstance(node, dict):
            return set()
        return set(node.get("properties", {})).union(*map(keys, node.values()))

    assert keys(schema.schema()) == set(section("format.keys"))


# The scenarios of the library as teaching material: what each must have, and that no text disagrees with its run.
#
# A number in a text goes stale when somebody edits the stream beside it. So a text has no digits of its own: each
# comes from the run, through a ``{name}``.

FOLDER = Path(__file__).parents[2] / "scenarios"
RUNS = shipped()
LESSONS = tomllib.loads((FOLDER / "lessons.toml").read_text(encoding="utf-8"))
NAME = re.compile(r"\{[a-z_]+\}")
TAG = re.compile(r"[a-z][a-z-]*[a-z]")
LONGEST_SAY = 160
"""Letters of a narration, without its names, that fit beside the picture."""

every_scenario = for_each(RUNS.values(), lambda each: each.name)


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


COUNTED = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
CHINESE = re.compile("[\u4e00-\u9fff]")


def unfolded(text: str) -> str:
    """A text without its names, in small letters, so that texts can be looked up in each other."""
    return " ".join(NAME.sub(" ", text).casefold().split())


def answers_told(beat: Beat, told: Mapping[str, str], language: str) -> list[str]:
    """What of the right choice of ``beat`` stands in ``told``: its text, its first clause, or the number asked for."""
    assert beat.answer is not None
    assert beat.ask is not None
    right = unfolded(beat.choices[beat.answer].text[language])
    asked = re.search(r"how (?:many|often) (\w+)", unfolded(beat.ask.get("en", "")))
    clause = re.split("[,:，：]", right)[0].strip()
    wholes = {right, clause, *re.findall("^(?:yes|no), (.*)$", right)} - {"yes", "no"}
    found = [
        whole
        for whole in wholes
        if len(whole.split()) > 1 or (CHINESE.search(whole) and len(whole) > 4)
        if re.search(rf"(?<![a-z]){re.escape(whole)}(?![a-z])", unfolded(told[language]))
    ]
    if asked and clause in COUNTED and re.search(rf"\b{clause} {asked[1].removesuffix('s')}", unfolded(told["en"])):
        found.append(clause)
    return found


@every_scenario
def test_neither_summary_nor_reply_tells_the_answer(scenario: Scenario) -> None:
    opening = {"title": scenario.title or {}, "summary": scenario.summary or {}, "look_for": scenario.look_for or {}}
    found = [
        f"{beat.ask['en']} {name} ({language}): {said}"
        for beat in scenario.walkthrough
        if beat.ask is not None
        for name, told in [*opening.items(), *(("reply", each.reply) for each in beat.choices if each.reply)]
        for language in LANGUAGES
        for said in answers_told(beat, told, language)
    ]
    assert found == []


def test_a_told_answer_is_found() -> None:
    (beat,) = (each for each in questions(RUNS["sliding-copies"]) if each.ask and "How many" in each.ask["en"])
    assert answers_told(beat, {"en": "Each record is in five windows."}, "en") == ["five"]
    assert answers_told(beat, {"en": "It is five, like the one before."}, "en")
    assert answers_told(beat, {"en": "", "zh": "五个，和前一条一样。"}, "zh")
    assert answers_told(beat, {"en": "Five seconds pass. Count the windows."}, "en") == []


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
    assert sorted(names) == sorted({tag for each in RUNS.values() for tag in each.teaches})
    assert len(set(names.values())) == len(names)


def test_the_right_answer_is_not_always_at_the_same_place() -> None:
    answers = Counter(beat.answer for each in RUNS.values() for beat in each.walkthrough if beat.ask is not None)
    assert set(answers) == {0, 1, 2}
    assert max(answers.values()) < 0.75 * answers.total()


def test_titles_and_questions_are_unique() -> None:
    for language in LANGUAGES:
        titles = [each.title[language] for each in RUNS.values() if each.title]
        assert len(set(titles)) == len(titles)


# --- lessons -------------------------------------------------------------------------------------------------------


def test_every_scenario_is_in_its_own_lesson_once() -> None:
    places = [
        (name, lesson["id"])
        for lesson in LESSONS["lessons"]
        for topic in lesson["topics"]
        for name in topic["scenarios"]
    ]
    assert len(LESSONS["lessons"]) == 7
    assert sorted(name for name, _ in places) == sorted(RUNS)
    assert [(name, RUNS[name].lesson) for name, _ in places] == places


def test_each_rule_of_older_versions_has_its_scenario_in_which_it_alone_makes_the_difference() -> None:
    """Its title names the last version before the rule, its takeaway the ticket and the first version with it."""
    older = [each for each in RUNS.values() if "flink-versions" in each.teaches]
    assert older == [each for each in RUNS.values() if each.lesson == "versions"]
    shown = []
    for each in older:
        (rule,) = (found.rule for found in upgrades(each, NEWEST) if found.rows)
        shown.append(rule)
        ticket, since = CHANGES[rule]
        assert VERSIONS.index(each.flink) + 1 == VERSIONS.index(since)
        for language in LANGUAGES:
            assert f"Flink {each.flink}" in each.title[language]
            assert ticket in each.takeaway[language]
            assert since in each.takeaway[language]
    assert sorted(shown) == sorted(CHANGES)


def test_the_lecture_takes_no_longer_than_it_says() -> None:
    lecture = LESSONS["lecture"]
    names = lecture["scenarios"]
    assert len(set(names)) == len(names)
    assert set(names + lecture["lab"]) <= set(RUNS)
    assert sum(RUNS[name].minutes or 0 for name in names) <= lecture["minutes"]


def test_the_first_visit_is_short_and_leads_into_the_library() -> None:
    visit = LESSONS["visit"]
    assert len(visit["scenarios"]) <= 6
    assert sum(RUNS[name].minutes or 0 for name in visit["scenarios"]) <= 11
    assert len(visit["onward"]) == 3
    onward = {each["scenario"]: each["about"] for each in visit["onward"]}
    assert set(onward) <= set(RUNS) - set(visit["scenarios"])
    assert all(set(about) == {"en", "zh"} for about in onward.values())
    assert all(RUNS[name].level == "novice" for name in onward), "they are understood right after the visit"


def test_the_library_has_forty_scenarios() -> None:
    assert len(RUNS) >= 40


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


@for_each([f"{part} {each}" for part, names in SHOWN.items() for each in names] + ["generated"])
def test_some_scenario_shows_each_kind(kind: str) -> None:
    assert [name for name, each in RUNS.items() if kind in kinds(each)]


def test_processing_time_side_output_retraction_and_restart_are_shown() -> None:
    operators = [each.operator for each in RUNS.values() if each.engine == "flink"]
    assert any(getattr(each, "time", "event") == "processing" for each in operators)
    assert any(getattr(each, "late_output", "drop") == "side" for each in operators)
    assert any(getattr(each, "updates", False) for each in operators)
    assert any("restore:" in (FOLDER / f"{name}.yaml").read_text(encoding="utf-8") for name in RUNS)
    assert any(each.channels > 1 for scenario in RUNS.values() for each in scenario.inputs)


# A scenario that is written as text reads back as the same scenario.


@settings(max_examples=examples(150), deadline=None)
@given(st.one_of(flink.scenarios(), spark.scenarios()))
def test_any_scenario_reads_back_as_itself(scenario: Scenario) -> None:
    assert parse(as_yaml(scenario)) == scenario


def test_each_member_and_item_is_one_line() -> None:
    text = as_yaml(load(ROOT / "scenarios" / "minus-one-ms.yaml"))
    assert text.startswith('scenario: 1\nname: "minus-one-ms"\n')
    assert '\n  - {"ts": 0, "key": "a", "value": 1}\n' in text or '\n  - {"ts": ' in text


def test_what_is_read_before_and_after_the_steps_is_kept() -> None:
    written = load(ROOT / "scenarios" / "minus-one-ms.yaml")
    told = replace(written, look_for={"en": "The comma.", "zh": "\u9017\u53f7"}, takeaway={"en": "One ms less."})
    assert parse(as_yaml(told)) == told
