"""The search of the library answers what people type: the words of Flink, Kafka and Spark, and complaints."""

import json
from functools import cache

import pytest
from tidemark.simulator.teaching.topics import TOPICS
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.library.cards import card
from tidemark.ui.library.contents import known, phrases
from tidemark.ui.library.symptoms import searched, symptoms

from tests.js.node import needs_node, node

FIRST = {
    "TUMBLE": "the-window-waits",
    "tumbling windows": "the-window-waits",
    "HOP": "sliding-copies",
    "hopping window": "sliding-copies",
    "CUMULATE": "the-day-so-far",
    "SESSION": "session-grows",
    "withDynamicGap": "a-gap-of-its-own",
    "allowedLateness": "late-but-allowed",
    "allowedlateness": "late-but-allowed",
    "allowed latenes": "late-but-allowed",
    "grace period": "late-but-allowed",
    "withIdleness": "idle-channel",
    "idle source": "idle-channel",
    "side output": "backlog-catch-up",
    "OutputTag": "backlog-catch-up",
    "CountTrigger": "count-in-a-window",
    "count trigger": "count-in-a-window",
    "PurgingTrigger": "count-in-a-window",
    "DeltaTrigger": "only-if-it-moves",
    "ProcessingTimeoutTrigger": "patience",
    "ContinuousProcessingTimeTrigger": "a-glance-each-second",
    "evictor": "evictor-keeps-all",
    "forBoundedOutOfOrderness": "the-window-waits",
    "watermrak": "the-window-waits",
    "autoWatermarkInterval": "periodic-watermark",
    "kafka": "empty-channel",
    "partitions": "empty-channel",
    "consumer lag": "backlog-catch-up",
    "watermark alignment": "backlog-catch-up",
    "withWatermark": "spark-one-batch-behind",
    "append mode": "spark-one-batch-behind",
    "numRowsDroppedByWatermark": "spark-counts-what-it-drops",
    "session_window": "spark-session-filter-first",
    "interval join": "interval-join-keeps",
    "coGroup": "outer-join-waits",
    "FOR SYSTEM_TIME AS OF": "versions-by-event-time",
    "onTimer": "car-trace",
    "savepoint": "twice-in-the-source",
    "time zone": "day-needs-an-offset",
    "FLINK-40475": "stuck-after-idle",
    "FLINK-40503": "idle-found-late",
    "my window never fires": "empty-channel",
    "window not firing": "empty-channel",
    "Why doesn't my window fire?": "empty-channel",
    "where did my record go": "late-and-dropped",
    "why was my record dropped": "late-and-dropped",
    "results come an hour late": "a-bound-delays",
    "sum is too low": "lateness-does-not-delay",
    "duplicates after a restart": "twice-in-the-source",
    "last window missing": "last-window-never-fires",
    "state keeps growing": "evictor-keeps-all",
    "join gives no output": "slow-side-of-a-join",
    "窗口不触发": "empty-channel",
    "记录丢了": "late-and-dropped",
    "滚动窗口": "the-window-waits",
    "水位线不动": "empty-channel",
    "迟到的数据": "late-and-dropped",
}
"""What is typed, and the scenario that must come first."""

NOTHING = ("nothing like it", "qwertz", "the")


@cache
def found(language: str) -> dict[str, tuple[list[str], list[str]]]:
    """The scenarios and the symptoms for every query."""
    queries = [*FIRST, *NOTHING]
    with speaking(language):
        entries = [entry for entry in library() if entry.scenario]
        lessons = lessons_of(entries[0].path.parent)
        cards = [card(entry, lessons) for entry in entries]
        complaints = [searched(each) for each in symptoms()]
    given = {"cards": cards, "phrases": phrases(cards), "symptoms": complaints, "queries": queries}
    answers = json.loads(node("tests/js/found.js", stdin=json.dumps(given)))
    return {typed: (names, found) for typed, (names, found) in zip(queries, answers, strict=True)}


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_type_finds_the_scenario_that_answers_it(language: str) -> None:
    first = {typed: (names or [""])[0] for typed, (names, _) in found(language).items() if typed in FIRST}
    assert first == FIRST


@needs_node
@pytest.mark.parametrize("typed", NOTHING)
def test_what_nothing_answers_finds_nothing(typed: str) -> None:
    assert found("en")[typed] == ([], [])


@needs_node
def test_a_complaint_finds_its_checklist() -> None:
    assert found("en")["my window never fires"][1][0] == "window-never-fires"
    assert found("zh")["记录丢了"][1][0] == "record-dropped"


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_checklist_is_found_by_what_it_says_and_by_other_words_for_it(language: str) -> None:
    answers = found(language)
    assert set(answers["side output"][1]) == {"record-dropped", "several-results"}
    assert set(answers["OutputTag"][1]) == {"record-dropped", "several-results"}
    assert answers["withIdleness"][1] == ["dropped-after-a-pause", "window-never-fires"]
    assert answers["allowedLateness"][1][0] in ("record-dropped", "results-late")


def test_every_scenario_that_a_phrase_names_is_in_the_library() -> None:
    names = {entry.name for entry in library()}
    taught = {tag for entry in library() if entry.scenario for tag in entry.scenario.teaches}
    promised = {tag for topic in TOPICS for tag in topic.tags}
    for each in known():
        assert set(each.scenarios) <= names, each.says
        assert set(each.tags) <= taught | promised, each.says
        assert each.says
    assert len(known()) > len(symptoms())
