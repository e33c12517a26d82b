"""The search of the library answers what people type: the words of Flink, Kafka and Spark, and complaints."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.practice.exercise import LEVELS
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.teaching.hints import goals_now, hints
from tidemark.simulator.teaching.lint import load_accepted, problems_of_run
from tidemark.simulator.teaching.topics import TOPICS
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.author import desk
from tidemark.ui.author.desk import FOLDER, NAMES
from tidemark.ui.catalogue import find, library
from tidemark.ui.catalogue.lessons_file import lessons_of
from tidemark.ui.catalogue.walkable import obstacle
from tidemark.ui.library import symptoms as of_symptoms
from tidemark.ui.library.cards import card
from tidemark.ui.library.contents import glossary, known, path, phrases
from tidemark.ui.library.symptoms import ORDER, Symptom, changed, searched, symptoms
from tidemark.ui.share import links

from tests.app.test_pages import component
from tests.js.node import needs_node, node
from tidemark import simulator

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
    "WATERMARK FOR ts AS ts - INTERVAL '0.001' SECOND": "the-window-waits",
    "GROUP BY TUMBLE(ts_field, INTERVAL '5' SECOND)": "the-window-waits",
    "1576080003000": "a-window-by-the-numbers",
    "watermark 8 hours ahead": "eight-hours-ahead",
    "水印时间自动加8": "eight-hours-ahead",
    "FLINK-33524": "on-time-for-the-join",
    "200 ms": "periodic-watermark",
    "RowTime field should not be null, please convert it to a non-null long value.": "one-null-ends-the-job",
    "per-window state": "only-the-sum-is-kept",
    "upgrade": "the-offset-loses-a-window",
    "升级": "the-offset-loses-a-window",
    "1.18": "idle-despite-records",
    "Flink 1.17": "the-offset-loses-a-window",
    "upgrade 1.18 2.3": "idle-despite-records",
    "2.3": "the-offset-loses-a-window",
    "从 1.13 升级": "a-window-without-its-record",
    "FLINK-26334": "a-window-without-its-record",
    "创建 WindowAssigner 和 Trigger": "the-window-waits",
    "普通状态属于VoidNamespace": "car-trace",
    "双流 join": "window-join-border",
    "水位是不断上升不能下降": "the-window-waits",
    "不同滑动窗口的 state 是否会有重叠": "sliding-copies",
    "窗口生命周期": "late-but-allowed",
    "最小堆": "car-trace",
}
"""What is typed, and the scenario that must come first."""

CODE = {
    "sliding-copies": """
        SlidingWindowAssigner getPartitionedState TypeSerializerSingleton getNamespace getKeyedStateBackend
        getCurrentKey setCurrentNamespace createSerializer initializeState getKeyedStateStore LongSerializer
        ListSerializer streamRecordSerializer getOrCreateKeyedState windowSerializer StateTable StateMap
        MemorySegment serializeToSegment namespaceSerializer outputView keyStartPos keySerializer
        MemorySegmentFactory AbstractKeyedStateBackend TypeSerializer StateDescriptor stateDescriptor
        InternalKvState kvState keyValueStatesByName isSerializerInitialized initializeSerializerUnlessSet
        LatencyTrackingStateFactory createStateAndWrapWithLatencyTrackingIfEnabled latencyTrackingStateConfig
        publishQueryableStateIfEnabled lastName lastState currentNamespace stateTable getMapForKeyGroup keyGroup
        StateTransformationFunction putEntry getStateSerializer getInternal keyGroupIndex
        computeHashForOperationAndDoIncrementalRehash selectActiveTable eKey eNamespace AbstractHeapState
        removeEntry modCount primaryTable primaryTableSize incrementalRehashTableSize""",
    "interval-join-keeps": """
        intervalJoin PaymentInfo OrderInfo PaymentWide lowerBound upperBound ProcessJoinFunction KeyedStream
        upperBoundExclusive lowerBoundExclusive IntervalJoinOperator lowerBoundInclusive upperBoundInclusive
        MapState BufferEntry leftBuffer rightBuffer getMapState MapStateDescriptor LEFT_BUFFER BufferEntrySerializer
        RIGHT_BUFFER processElement1 processElement2 ourBuffer otherBuffer relativeLowerBound relativeUpperBound
        addToBuffer CLEANUP_NAMESPACE_LEFT CLEANUP_NAMESPACE_RIGHT leftTimestamp rightTimestamp resultTimestamp
        setAbsoluteTimestamp updateTimestamps elemsInBucket""",
    "evictor-keeps-all": """
        windowState emitWindowContents WindowState ListState ListStateDescriptor stateDesc WINDOW_STATE_NAME
        ReducingState ReducingStateDescriptor reduceFunction AggregatingState AggregatingStateDescriptor
        aggregateFunction accumulatorType InternalAppendingState windowStateDescriptor AppendingState
        InternalIterableWindowFunction evictBefore evictAfter evictorContext recordsWithTimestamp HeapListState
        HeapReducingState reduceTransformation
        ReduceFunction HeapAggregatingState""",
    "session-grows": """
        canMerge onMerge OnMergeContext mergeContext MergingWindowAssigner MergingWindowSet mergingWindows
        getMergingWindowSet actualWindow addWindow MergeFunction mergeResult mergedWindows stateWindowResult
        mergedStateWindows UnsupportedOperationException deleteCleanupTimer windowMergingState mergeNamespaces
        retireWindow stateWindow getStateWindow SessionWindow InternalMergingState mergeTimeWindows""",
    "car-trace": """
        registerEventTimeTimer StreamingRuntimeContext setFunctionRuntimeContext getRuntimeContext openFunction
        VoidNamespace TimerService ConnectedCarEvent ValueState ValueStateDescriptor
        AssignerWithPunctuatedWatermarks KeyedProcessFunction ProcessFunction PriorityQueue Lab3CarEventSort
        pathToCarOutOfOrder ConnectedCarAssigner SortFunction checkAndGetNextWatermark queueState timerService
        onTimer OnTimerContext open(Configuration)""",
    "results-before-the-watermark": """
        advanceWatermark deleteEventTimeTimer EventTimeTimer processElement WindowOperator AbstractStreamOperator
        processWatermark timeServiceManager triggerTarget InternalTimerServiceImpl InternalTimer
        eventTimeTimersQueue keyContext setCurrentKey emitWindowResult TimerHeapInternalTimer internalTimerService""",
    "the-window-waits": """
        WindowAssigner TumblingWindowAssigner assignWindows TumbleWindow TimeWindow currentWatermark windowAssigner
        WatermarkStrategy elementWindows windowAssignerContext TumblingEventTimeWindows paymentInfo_wm_ds
        orderWide_wm_ds BoundedOutOfOrdernessTimestampExtractor AscendingTimestampExtractor""",
    "a-window-by-the-numbers": """
        StreamExecGroupWindowAggregateBase createWindowOperator getWindowStartWithOffset windowSize
        WatermarkAssignerOperator WatermarkAssignerOperatorFactory createStreamOperator generatedWatermarkGenerator
        chainingStrategy ChainingStrategy AggregateWindowOperator SlicingWindowOperator""",
    "periodic-watermark": """
        autoWatermarkInterval WatermarkGenerator watermarkGenerator WatermarkGenerator$2 watermarkInterval
        ProcessingTimeService getAutoWatermarkInterval getProcessingTimeService getCurrentProcessingTime
        registerTimer lastWatermark createWatermarkGenerator currentProcessingTime AssignerWithPeriodicWatermarks""",
    "early-on-time-late": """
        EventTimeTriggers AfterEndOfWindow afterEndOfWindow AfterEndOfWindowNoLate withEarlyFirings earlyFirings
        withLateFirings lateFirings ElementTriggers EveryElement AfterEndOfWindowEarlyAndLate""",
    "two-clocks": """
        setStreamTimeCharacteristic TimeCharacteristic createTimestampAssigner TimestampAssigner extractTimestamp
        assignTimestampsAndWatermarks previousElementTimestamp extractedTimestamp""",
    "count-in-a-window": """
        TriggerContext onElement getCurrentWatermark onEventTime onProcessingTime triggerContext TriggerResult
        triggerResult isFire isPurge""",
    "twice-in-the-source": """
        StateInitializationContext CopyOnWriteStateMap StateMapEntry stateVersion highestRequiredSnapshotVersion
        stateMapVersion requiredVersion entryVersion handleChainedEntryCopyOnWrite""",
    "filtered-but-moves-the-watermark": """
        BaseRow SqlTimestamp getTimestamp fromEpochMillis getMillisecond getNanoOfMillisecond GenericRowData""",
    "late-but-allowed": """
        cleanWindowIfNeeded CleanupTimer allowedLateness isWindowLate registerCleanupTimer cleanupTime""",
    "stuck-after-idle": """
        streamStatusMaintainer getStreamStatusMaintainer toggleStreamStatus StreamStatus StatusWatermarkValve""",
    "on-the-border": "maxTimestamp getStart getEnd compareTo",
    "an-idle-side-holds-back": "processWatermark1 newMin combinedWatermark processWatermark2",
    "late-and-dropped": "isSkippedElement isElementLate numLateRecordsDropped",
    "the-day-so-far": "PanedWindowAssigner PanedWindowProcessFunction",
    "session-bridge": "hashCode modInverse",
    "idle-channel": "idleTimeout",
    "idle-despite-records": "lastRecordTime",
    "new-again-after-the-ttl": "TtlStateFactory createStateAndWrapWithTtlIfEnabled ttlTimeProvider",
    "one-null-ends-the-job": "rowtimeFieldIndex isNullAt",
    "minus-one-ms": "emitWatermark collectWithTimestamp",
    "backlog-catch-up": "sideOutput lateDataOutputTag",
    "outer-join-waits": "CoGroupFunction",
    "window-join-border": "equalTo JoinFunction",
    "on-time-for-the-join": "isLate",
    "day-needs-an-offset": "Time.hours(-8)",
    "the-last-three": "EvictingWindowOperator",
}
"""Names in the code of articles about Flink 1.10 and 1.18, by the scenario that must come first."""

NOW = {
    "implements AssignerWithPunctuatedWatermarks<ConnectedCarEvent>": "AssignerWithPunctuatedWatermarks",
    "env.setStreamTimeCharacteristic(TimeCharacteristic.EventTime);": "setStreamTimeCharacteristic",
    "BoundedOutOfOrdernessTimestampExtractor": "BoundedOutOfOrdernessTimestampExtractor",
    "AscendingTimestampExtractor": "BoundedOutOfOrdernessTimestampExtractor",
    "ctx.collectWithTimestamp": "collectWithTimestamp",
    "public void open(Configuration config)": "open(Configuration)",
    "Time.days(1), Time.hours(-8)": "Time.hours",
    "streamStatusMaintainer.toggleStreamStatus(StreamStatus.IDLE)": "StreamStatusMaintainer",
    "SqlTimestamp": "BaseRow",
    "StreamExecGroupWindowAggregateBase#createWindowOperator": "createWindowOperator",
    "WatermarkAssignerOperator#open": "currentWatermark",
    "VoidNamespace": "namespace",
    "LatencyTrackingStateFactory": "state backend",
    "timestamp - (timestamp - offset + windowSize) % windowSize": "getWindowStartWithOffset",
    "currentTime - lastRecordTime > idleTimeout": "lastRecordTime",
    "processWatermark1(Watermark mark)": "processWatermark1",
    "if (isLate(ourTimestamp))": "isLate",
    "if (contents == null)": "contents == null",
    "FLINK-33192": "contents == null",
    "new ProcessJoinFunction<OrderInfo, PaymentInfo, PaymentWide>()": "ProcessJoinFunction",
    "WindowState": "windowState",
    "TumblingWindowAssigner": "TumblingWindowAssigner",
    "RowTime field should not be null, please convert it to a non-null long value.": "RowTime field should not be null",
}
"""Code of such an article, and the term of the glossary that says what it is called now."""

TERMS = {"lateness": "allowed lateness", "event time": "event time", "side output": "side output", **NOW}
"""What is typed, and the term of the glossary that must come first."""

NOTHING = ("nothing like it", "qwertz", "the")


@cache
def found(language: str) -> dict[str, tuple[list[str], list[str], list[str]]]:
    """The scenarios, the symptoms and the terms for every query."""
    queries = [*FIRST, *NOTHING, *TERMS, *" ".join(CODE.values()).split()]
    with speaking(language):
        entries = [entry for entry in library() if entry.scenario]
        lessons = lessons_of(entries[0].path.parent)
        cards = [card(entry, lessons) for entry in entries]
        complaints = [searched(each) for each in symptoms()]
        terms = glossary()
    given = {"cards": cards, "phrases": phrases(cards), "symptoms": complaints, "glossary": terms, "queries": queries}
    answers = json.loads(node("tests/js/found.js", stdin=json.dumps(given)))
    return {typed: tuple(answer) for typed, answer in zip(queries, answers, strict=True)}


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_type_finds_the_scenario_that_answers_it(language: str) -> None:
    first = {typed: (names or [""])[0] for typed, (names, *_) in found(language).items() if typed in FIRST}
    assert first == FIRST


@needs_node
def test_an_upgrade_finds_its_own_version_then_the_newest() -> None:
    flink = {entry.scenario.name: entry.scenario.flink for entry in library() if entry.scenario}
    answers = {typed: [flink[name] for name in names] for typed, (names, *_) in found("en").items()}
    newest = sorted(answers["upgrade"], key=VERSIONS.index, reverse=True)
    assert answers["upgrade"] == newest
    assert answers["upgrade 1.18 2.3"] == answers["1.18"] == sorted(newest, key=lambda each: each != "1.18")
    assert {*newest} >= {"1.13", "1.18", "2.2"}


@needs_node
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_name_of_the_code_finds_what_shows_it_and_no_complaint(language: str) -> None:
    answers = found(language)
    elsewhere = {
        name: names[:1]
        for scenario, code in CODE.items()
        for name in code.split()
        if (names := answers[name][0])[:1] != [scenario]
    }
    assert elsewhere == {}
    assert answers["getPartitionedState"][1] == []


def test_names_of_code_are_where_a_name_is_expected() -> None:
    names = [name.lower() for each in known() for name in each.code]
    assert len(set(names)) == len(names), "twice"
    assert {each.term for each in known()} <= {"", *(term["id"] for term in glossary())}


@needs_node
@pytest.mark.parametrize("typed", NOTHING)
def test_what_nothing_answers_finds_nothing(typed: str) -> None:
    assert found("en")[typed] == ([], [], [])


@needs_node
@pytest.mark.parametrize("typed", TERMS)
def test_a_term_finds_its_sentence(typed: str) -> None:
    assert found("en")[typed][2][0] == TERMS[typed]


def test_the_path_is_as_long_as_the_header_says() -> None:
    entries = [entry for entry in library() if entry.scenario]
    stages = path([card(entry, lessons_of(entries[0].path.parent)) for entry in entries])
    names = [name for stage in stages for name in stage["names"]]
    assert (len(set(names)), len(stages)) == (14, 5)
    assert {stage["level"] for stage in stages} <= set(range(1, len(LEVELS) + 1))


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
        assert each.says or each.code
    assert len(known()) > len(symptoms())


# The page Symptoms: each complaint is there in one run of its scenario and gone in the other, and its links hold.

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


# Templates: each one is accepted, shows something, and needs no hint.


def test_every_file_is_a_template() -> None:
    assert sorted(file.stem for file in FOLDER.iterdir()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_template_is_sound(name: str) -> None:
    scenario = load_accepted(FOLDER / f"{name}.yaml")
    assert not obstacle(scenario)
    assert scenario.walkthrough
    assert [goal.met for goal in goals_now(scenario)] == [True] * len(scenario.goals) != []
    assert [hint.message for hint in hints(scenario)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_titles_in_each_language(language: str) -> None:
    with speaking(language):
        found = desk.templates()
    assert [each.name for each in found] == list(NAMES)
    for each in found:
        scenario = load(FOLDER / f"{each.name}.yaml")
        assert scenario.title is not None
        assert each.title == scenario.title[language]
        assert scenario.summary is not None
        assert set(scenario.summary) == set(LANGUAGES)
