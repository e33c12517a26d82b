"""Every scenario on every page, through the pages' own functions: nothing that a reader can open ends in an error."""

import gzip
import json
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.explore.settings import settings_of
from tidemark.simulator.proof.spark_twin import NoTwin
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.format.document import PREDICTIONS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.wording import time_format
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.author.desk import reply
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.catalogue.tours import order
from tidemark.ui.compare import contents as firing
from tidemark.ui.compare import searches
from tidemark.ui.compare.choice import Choice
from tidemark.ui.compare.contents import NotSaid, contents
from tidemark.ui.learning.classroom.teacher import question_at
from tidemark.ui.library.cards import Makings, card
from tidemark.ui.library.contents import lectures, shelves
from tidemark.ui.payload.badges import proofs_stamp
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import choices_of, pack, packed
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.share import links
from tidemark.ui.share.answers import FORMS, rows_of, trace_of, written
from tidemark.ui.spark.jobs import Asked, Difference, Job, Result
from tidemark.ui.spark.views import rows, small

from tidemark import spark_bridge

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {
    "library": ROOT / "scenarios",
    "flink": ROOT / "tests" / "golden",
    "spark": ROOT / "tests" / "golden_spark",
}
FILES = [(folder, path.stem) for folder, path_of in FOLDERS.items() for path in sorted(path_of.glob("*.yaml"))]

SEARCHED_STEPS = 120
"""Compare searches runs up to this length for changes; in longer ones the searches would dominate the time."""


@cache
def entries(folder: str) -> dict[str, Entry]:
    """All sound files of a folder, by name."""
    return {each.name: each for each in library(FOLDERS[folder]) if each.scenario}


@pytest.fixture(params=FILES, ids="/".join)
def entry(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Entry:
    monkeypatch.setattr(searches, "SEARCHED_STEPS", SEARCHED_STEPS)
    monkeypatch.setattr(firing, "MOST_STEPS", SEARCHED_STEPS)
    folder, name = request.param
    return entries(folder)[name]


def scenario_of(entry: Entry) -> Scenario:
    assert entry.scenario is not None
    return entry.scenario


def folder_of(entry: Entry) -> str:
    return next(name for name, folder in FOLDERS.items() if entry.path.parent == folder)


def number_of(entry: Entry) -> int:
    return FILES.index((folder_of(entry), entry.name))


def language_for(entry: Entry) -> str:
    """The languages in turn, so that each meets scenarios of every kind."""
    return LANGUAGES[number_of(entry) % len(LANGUAGES)]


def compared(choice: Choice, scenario: Scenario) -> None:
    """Open Compare, which offers Flink's scenarios. If a belief or Spark does not apply, the page says so."""
    if scenario.engine != "flink":
        return
    try:
        pack(contents(choice, scenario, scenario, {}))
    except NotSaid:
        assert choice.belief
    except NoTwin:
        assert choice.spark


def unpacked(answer: bytes) -> dict[str, Any]:
    return dict(json.loads(gzip.decompress(answer)))


def test_the_walkthrough_opens(entry: Entry) -> None:
    with speaking(language_for(entry)):
        facts, steps = packed(entry, entry.name, entry.stamp, choices_of([entry]))
    assert steps > 0
    for beat in unpacked(facts)["beats"]:
        assert (question_at(facts, beat["step"]) is not None) == bool(beat["choices"])


def test_rows_and_trace_can_be_downloaded_and_the_text_shared(entry: Entry) -> None:
    for what in ("rows", "trace"):
        for form in FORMS:
            found = list({"rows": rows_of, "trace": trace_of}[what](scenario_of(entry)))
            assert written(found, form) or not found
    shared = links.of_file(entry.path.name, entry.path.read_text(encoding="utf-8"))
    assert shared.entry.scenario is not None


def test_compare_opens_with_the_same_run_with_another_setting_and_with_spark(entry: Entry) -> None:
    """With one setting in turn, so that each one meets scenarios of every kind."""
    scenario = scenario_of(entry)
    compared(Choice(entry.name), scenario)
    compared(Choice(entry.name, spark=3), scenario)
    if settings := settings_of(scenario):
        setting = settings[number_of(entry) % len(settings)]
        compared(Choice(entry.name, settings={"a": {setting.name: setting.least}}), scenario)


def test_compare_opens_with_a_belief(entry: Entry) -> None:
    """With one belief in turn, so that each one meets scenarios of every kind."""
    belief = BELIEFS[number_of(entry) % len(BELIEFS)]
    compared(Choice(entry.name, belief=belief.name), scenario_of(entry))


def test_the_author_page_opens_with_a_copy(entry: Entry) -> None:
    text = entry.path.read_text(encoding="utf-8")
    with speaking(language_for(entry)):
        answer = unpacked(reply({"number": 1, "text": text}))
        assert answer["sound"], answer["problems"]
        assert "hints" in unpacked(reply({"number": 2, "text": text, "hints": True}))


def test_the_spark_page_shows_what_a_check_would_find(entry: Entry) -> None:
    scenario = scenario_of(entry)
    for engine in spark_bridge.ENGINES:
        assert all(gap.reason for gap in spark_bridge.gaps_of(scenario, engine))
    found = small(entry)
    panes = Counter(row["row"] for row in found.rows)
    style = TimeStyle(time_format(scenario))
    for differences in ((), tuple(Difference(row, None, ("value",)) for row in found.rows[:2])):
        counts = {"simulator": dict(panes), "spark": dict(panes)}
        outcome = Result("batch", "native", 3, 3, len(differences), 1.0, "4", "17", counts, differences)
        job = Job("1a2b", Asked(entry.name, entry.title, ("scenario", entry.name)), datetime(2026, 1, 1, tzinfo=UTC))
        job.state, job.result = "done", outcome
        assert "<table" in rows(job, found, style)


@pytest.mark.parametrize(("folder", "language"), [*zip(FOLDERS, ["en", "zh", "en"], strict=True), ("library", "zh")])
def test_the_library_shows_every_card_and_the_lecture_its_order(folder: str, language: str) -> None:
    shelf, lessons = list(entries(folder).values()), lessons_of(FOLDERS[folder])
    with speaking(language):
        makings = Makings(proofs_stamp())
        for _ in makings.make(shelf):
            pass
        cards = [{**card(each, lessons), **(makings.ready(each) or {})} for each in shelf]
        assert all(each["picture"] for each in cards)
        shown = {name for shelf in shelves(cards, lessons) for topic in shelf["topics"] for name in topic["names"]}
        assert shown == set(entries(folder))
        assert bool(lectures(cards, lessons)) == (lessons.lecture is not None)
        for each in lessons.lessons:
            assert order(each.id, shelf, lessons, {}) is not None


# --- every form of a beat ------------------------------------------------------------------------------------------

PLACES = ("{event: PaneFired}", "{event: PaneFired, occurrence: 2}", "{item: 3}", "{step: 5}", "{step: 999999}")
CONTENTS = (
    "say: It fires.",
    "say: {en: It fires., zh: 触发。}",
    'ask: "What fires?", choices: [a, b], answer: 1',
    'ask: "What fires?", choices: [{en: a, zh: 甲}, b], answer: 0, because: It is due., note: Wait.',
    *(f"predict: {each}" for each in PREDICTIONS),
)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("says", CONTENTS)
def test_every_form_of_a_beat_opens_on_the_walkthrough_and_the_author_page(place: str, says: str) -> None:
    text = (ROOT / "scenarios" / "late-but-allowed.yaml").read_text(encoding="utf-8").partition("walkthrough:")[0]
    text += f"walkthrough:\n  - {{at: {place}, {says}}}\n"
    shown = unpacked(reply({"number": 1, "text": text}))["facts"]["story"]["beats"]
    assert len(shown) == 1
    assert (shown[0]["step"] is None) == (place == "{step: 999999}")
    scenario = parse(text)
    beats = payload(scenario)["beats"]  # a prediction without a question at its step is left out
    assert len(beats) == (shown[0]["step"] is not None) or (not beats and says.startswith("predict"))
    if place == PLACES[0]:
        compared(Choice(scenario.name), scenario)
