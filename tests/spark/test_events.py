"""``--events`` for every scenario of the library: other records in place of a list, and both sides over them."""

import json
import re
from collections import Counter
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.limits import SCENARIO_ITEMS
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.lengthened import is_written_out, with_events
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    Deduplicate,
    EventTimeTrigger,
    Function,
    Generated,
    Global,
    InputSpec,
    Process,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    TemporalJoin,
    Tumbling,
    Window,
    WindowJoin,
)
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.spark_bridge import NotCovered, check, gaps_of
from tidemark.spark_bridge.commands import DIFFERENT, DONE, NOT_COVERED, REFUSED, main
from tidemark.spark_bridge.plan import batch
from tidemark.spark_bridge.plan.batch import plan_of
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.boundaries import LATENESS, WINDOW, boundaries_of
from tidemark.spark_bridge.results.canonical import key_text
from tidemark.spark_bridge.simulation.blocks import Share

from tests.library import shipped
from tests.spark.plain_ordered import rows_of_plan
from tests.spark.spark_sides import MASTER, WITHOUT_TWIN, collected, compared
from tidemark import simulator

SCENARIOS = shipped()
BEYOND = [
    name
    for name, each in SCENARIOS.items()
    if each.chain is not None
    or any(input.columns for input in each.inputs)
    or {gap.name for gap in gaps_of(each)} & WITHOUT_TWIN
]
LIBRARY = {name: scenario for name, scenario in SCENARIOS.items() if name not in BEYOND}
LISTS = [name for name, scenario in LIBRARY.items() if not isinstance(scenario.stream, Generated)]
BY_FLINKS_RULES = [name for name, scenario in LIBRARY.items() if scenario.engine == "flink"]
WRITTEN_OUT = [name for name in LISTS if is_written_out(LIBRARY[name])]
ENOUGH = 2000


def kind(scenario: Scenario) -> tuple[str, ...]:
    """The parts of its operator."""
    operator = scenario.operator
    parts = (operator, *(getattr(operator, name, None) for name in ("assigner", "trigger", "evictor")))
    return (*(type(part).__name__ for part in parts), getattr(operator, "api", ""))


OF_EACH_KIND = list({kind(LIBRARY[name]): name for name in LISTS}.values())


def longer(name: str, events: int = ENOUGH) -> Scenario:
    return with_events(LIBRARY[name], events)


def outcomes(scenario: Scenario) -> Counter[str]:
    """How many rows of each kind there are; of panes, of each timing."""
    rows: list[Any] = list(simulator.run_rows(scenario))
    return Counter(f"{row['row']} {row['timing']}" if "timing" in row else row["row"] for row in rows)


def steps(scenario: Scenario) -> Counter[str]:
    """How many micro-steps of each kind there are."""
    return Counter(type(step.event).__name__ for step in simulator.run_traced(scenario)[1].steps)


def can_drop(scenario: Scenario) -> bool:
    """Whether a record can be late: watermarks are sent, and the operator does not take whatever arrives."""
    operator = scenario.operator
    takes_all = isinstance(getattr(operator, "assigner", None), Global) or isinstance(operator, TemporalJoin)
    takes_all |= getattr(operator, "time", "event") == "processing" or operator == Deduplicate("last")
    return not takes_all and any(each.watermark.makes_watermarks for each in scenario.inputs)


def test_every_scenario_of_the_library_is_covered_with_events() -> None:
    """All but these five at any length, as SPARK.md says; chains are not covered."""
    chains = [scenario for scenario in SCENARIOS.values() if scenario.chain is not None]
    assert chains
    assert all(map(gaps_of, chains))
    assert len(LISTS) > 75
    assert WRITTEN_OUT == [
        "a-gap-of-its-own",
        "replayed-by-the-clock",
        "restart-forgets-the-watermark",
        "the-watermark-comes-back",
        "twice-in-the-source",
    ]
    assert [name for name in LIBRARY if gaps_of(longer(name, 1000))] == []


@pytest.mark.parametrize("name", LISTS)
def test_the_other_records_make_a_sound_scenario(name: str) -> None:
    made = longer(name, 300)
    assert sum(isinstance(item, Record) for item in items(made)) == 300
    assert replace(parse(as_yaml(made)), marks={}) == replace(made, file="", marks={}, translated_from={})
    assert longer(name, 300) == made


@pytest.mark.parametrize("name", LISTS)
def test_what_the_operator_can_do_happens(name: str) -> None:
    scenario = longer(name)
    found, operator = outcomes(scenario), scenario.operator
    if scenario.engine == "spark":
        assert found["batch"] > 30
        assert min(found["pane"], found["dropped"]) > 0
        return
    results = sum(found[kind] for kind in ("joined", "group", "emitted", "ranked", "pane early", "pane on-time"))
    assert (results > 10) == (name != "nothing-says-when")
    assert found["error"] == 0
    if can_drop(scenario):
        assert found["watermark"] > 50
        assert found["late" if getattr(operator, "late_output", "drop") == "side" else "dropped"] > 20
        if getattr(operator, "allowed_lateness", 0):
            assert found["pane late"] > 20


def test_channels_go_idle_and_come_back() -> None:
    idle = [name for name in LISTS if any(each.watermark.idle_timeout for each in longer(name).inputs)]
    assert len(idle) >= 7
    for name in idle:
        found = steps(longer(name))
        assert min(found["ChannelIdle"], found["ChannelActive"]) > 5


def test_sessions_grow_together() -> None:
    for name in LISTS:
        if getattr(getattr(LIBRARY[name].operator, "assigner", None), "merges", False):
            found = steps(longer(name, ENOUGH // 2))
            assert found["WindowsMerged"] + found["SessionsMerged"] > 20


def test_restores_are_followed_by_records() -> None:
    for name in WRITTEN_OUT[1:]:
        kinds = [type(item).__name__ for item in items(longer(name))]
        assert kinds.count("Restore") == 1
        assert kinds[kinds.index("Restore") :].count("Record") > ENOUGH // 10


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_the_borders_of_the_operator_are_met_exactly(name: str) -> None:
    scenario = longer(name)
    stream = scenario.stream
    if scenario.engine == "spark" or not isinstance(stream, Generated) or not stream.border_millionths:
        return
    exactly = {each.formula: each.exactly for each in boundaries_of(scenario).found if each.exactly is not None}
    if not any(each.watermark.makes_watermarks for each in scenario.inputs):
        exactly = {WINDOW: exactly[WINDOW]} if WINDOW in exactly else {}
    # Without lateness a record of a window that is over is dropped before its trigger is asked.
    exactly.pop("max_timestamp <= watermark", None)
    exactly.pop("timer <= clock", None)  # Flink's clock calls a timer one millisecond after its time
    assert [formula for formula, number in exactly.items() if not number] == []
    if can_drop(scenario) and isinstance(scenario.operator, Window | WindowJoin) and LATENESS in exactly:
        assert exactly[LATENESS] > 0


@pytest.mark.parametrize("name", BY_FLINKS_RULES)
def test_both_sides_are_equal_without_spark(name: str) -> None:
    """The bridge's own functions over the records as a list, each key in order."""
    made = longer(name, 400)
    written = replace(made, stream=tuple(items(made)))
    plan, operator = plan_of(written), written.operator
    stamped = frozenset(side for side, each in enumerate(written.inputs) if each.watermark.makes_watermarks)
    keyed = plan.operator if isinstance(plan.operator, KeyedPlan) else KeyedPlan(operator)
    ours = rows_of_plan(plan, replace(keyed, ordered=True, stamped=stamped))
    assert ours == compared(simulator.run_rows(written))
    assert sum(ours.values()) > 10 or name == "nothing-says-when"


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("name", "events", "options"),
    [
        ("late-but-allowed", 200, {}),
        ("last-of-each-key", 200, {"sample": 4}),
        ("stuck-after-idle", 200, {}),
        ("the-watermark-comes-back", 200, {"engine": "batch"}),
        ("spark-counts-what-it-drops", 30, {"engine": "streaming"}),  # each of its batches takes half a second
    ],
)
def test_spark_is_equal(name: str, events: int, options: dict[str, Any]) -> None:
    report = check(LIBRARY[name], events, master=MASTER, **options)
    assert report.equal
    assert report.events == events
    assert report.panes >= 10
    assert f"{events} records are generated" in report.notes[0]


def test_what_is_written_out_cannot_be_longer_than_a_list() -> None:
    for name in WRITTEN_OUT:
        with pytest.raises(NotCovered, match=f"at most {SCENARIO_ITEMS:,} items"):
            check(LIBRARY[name], SCENARIO_ITEMS + 1)


def test_versions_end_where_the_file_ends_some() -> None:
    text = """\
scenario: 1
name: ends
inputs: {left: {watermark: {generator: sql, bound: 1s}}, right: {watermark: {generator: sql, bound: 1s}}}
operator: {type: temporal-join, kind: left}
stream:
  - {in: right, ts: 1s, key: a, value: 4}
  - {in: right, ts: 2s, key: a, op: delete}
  - {in: left, ts: 3s, key: a, value: 1}
"""
    made = with_events(parse(text), ENOUGH)
    rows = simulator.run_rows(made)
    assert sum(isinstance(item, Record) and item.op == "delete" for item in items(made)) > 100
    assert {row["right"] is None for row in rows if row["row"] == "joined"} == {True, False}


# ``--keys 1/N``: some of the keys, chosen alike on both sides, and checked as exactly as all of them.

SUM = Function("aggregate", "sum")
STREAM = Generated(3000, 7, 40, 100, disorder=4000, late_millionths=20_000, late_by=20_000, end=True)
TUMBLING = Scenario(
    "sampled",
    Window(Tumbling(5000), EventTimeTrigger(), SUM, allowed_lateness=3000),
    STREAM,
    (InputSpec("events", 2, BoundedOutOfOrderness(2000)),),
)
SESSIONS = replace(TUMBLING, operator=Window(Session(900), EventTimeTrigger(), SUM))
BY_THE_CLOCK = replace(
    TUMBLING,
    operator=Window(Tumbling(5000), ProcessingTimeTrigger(), SUM, time="processing"),
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(2000, emit=200)),),
)
LISTED = replace(TUMBLING, stream=(*(Record(key, key, 1) for key in range(60)), Record("x", 7, 2), End()))
GENERATED_KEYS = [f"k{number}" for number in range(40)]


@pytest.mark.spark
@pytest.mark.parametrize("scenario", [TUMBLING, SESSIONS, BY_THE_CLOCK, LISTED])
def test_both_sides_choose_the_same_keys(scenario: Scenario, spark: Any) -> None:
    """Natively, key by key, in order with the timers of all keys, and over a list with keys of two kinds."""
    report = check(scenario, master=MASTER, sample=5)
    assert report.equal
    keys = [*range(60), "x"] if scenario is LISTED else GENERATED_KEYS
    chosen = [key for key in keys if Share(sample=5).takes(key)]  # type: ignore[arg-type]
    assert report.sample is not None
    assert (report.sample.checked, report.sample.keys) == (len(chosen), len(keys))
    assert 0 < report.sample.events < report.events / 2
    assert report.panes


@pytest.mark.spark
def test_the_command_line_says_what_was_checked(spark: Any, tmp_path: Path) -> None:
    head = "scenario: 1\nname: mine\ninputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}}\n"
    head += "operator:\n  type: window\n  assigner: {type: tumbling, size: 5s}\n"
    head += "  function: {call: aggregate, compute: sum}\n"
    file = tmp_path / "mine.yaml"
    file.write_text(head + "stream: {generate: {events: 400, seed: 1, keys: 30, every: 100ms, end: true}}\n")

    def ran(*options: str) -> tuple[int, str, str]:
        out, err = StringIO(), StringIO()
        return main(["check", str(file), "--master", MASTER, *options], out, err), out.getvalue(), err.getvalue()

    code, out, _ = ran("--keys", "1/4", "--plant", "less")
    assert code == DIFFERENT
    checked = re.search(r"Keys checked: (\d+) of 30 \(a sample of 1/4\), with \d+ records\.", out)
    assert checked
    assert 0 < int(checked[1]) < 20
    code, out, err = ran("--keys", "1/1000000")
    assert (code, out) == (REFUSED, "")
    assert "none of the 30 keys is in a sample of 1/1000000" in err
    assert not (tmp_path / "spark-checks").exists()  # a sample is no result to show beside the scenario

    table = tmp_path / "rows.csv"
    rows = "\n".join(f"{1_700_000_000_000 + 900 * number},k{number % 20},{number}" for number in range(200))
    table.write_text("ts,key,value\n" + rows + "\n")
    named = ("--data", str(table), "--ts", "ts", "--key", "key", "--value", "value")
    code, out, _ = ran(*named, "--keys", "1/3", "--json")
    keys = json.loads(out)["keys"]
    assert (code, keys["sample"], keys["of"]) == (DONE, "1/3", 20)
    assert 0 < keys["checked"] < 20


def test_a_sample_of_a_streaming_query_is_not_covered(tmp_path: Path) -> None:
    file = Path(__file__).parents[1] / "golden_spark" / "tumbling-append.yaml"
    err = StringIO()
    assert main(["check", str(file), "--keys", "1/2"], StringIO(), err) == NOT_COVERED
    assert "sample of the keys is for the batch engine" in err.getvalue()


@pytest.mark.parametrize("text", ["", "16", "1/0", "2/16", "1/x", "1/-3", "1/1000001", "1/1" + "0" * 30, "1/²"])
def test_what_is_no_sample_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "x.yaml", "--keys", text], StringIO(), StringIO())
    assert ended.value.code == REFUSED
    assert "is no sample of the keys; write 1/N" in capsys.readouterr().err


def test_what_is_no_planted_fault_is_refused_with_those_that_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "x.yaml", "--plant", "nothing"], StringIO(), StringIO())
    assert ended.value.code == REFUSED
    assert "`nothing` is no fault that can be planted; there are value, less, order" in capsys.readouterr().err


# Generated records are the same in Spark as in Python, whatever the size of the chunks.

FULL = Generated(
    200, 7, 4, 100, disorder=4000, late_millionths=20_000, late_by=20_000, end=True, border_millionths=250_000
)
STREAMS = {
    "full": FULL,
    "bare": Generated(50, 2**63 - 1, 1, 0),
    "negative": Generated(50, -1, 1_000_003, 7, values=(-5, -5)),
    "empty": Generated(0, 1, 1, 1, end=True),
    "clock": Generated(300, 5, 3, 9, border_millionths=600_000),
}


def scenario_of(stream: Generated, channels: int = 2, emit: int = 0, origin: int = 0, idle: int = 0) -> Scenario:
    """An event sort of the stream, with a watermark generator on every channel."""
    spec = BoundedOutOfOrderness(2000, emit, idle)
    return Scenario("generated", Process(Function("event-sort")), stream, (InputSpec("events", channels, spec),),
                    origin=origin)  # fmt: skip


@pytest.mark.spark
def test_same_records(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemark.spark_bridge.execution.source import source_of

    tables, wanted = {}, {}
    for name, chunk in [*((name, 7) for name in STREAMS), ("full", 8192), ("clock", 8192)]:
        monkeypatch.setattr(batch, "CHUNK_ITEMS", chunk)
        emit, idle = (25, 110) if name == "clock" else (0, 0)
        scenario = scenario_of(STREAMS[name], origin=-1234, emit=emit, idle=idle)
        source, case = source_of(spark, batch.plan_of(scenario)), f"{name} in chunks of {chunk}"
        tables[case] = source.detailed(source.records).select("item", "chunk", "key", "ts", "whole", "channel", "at")
        wanted[case] = [
            (number, number // chunk, f'"{item.key}"', item.ts, item.value, item.channel, item.at)
            for number, item in enumerate(items(scenario))
            if isinstance(item, Record)
        ]
    found = collected(tables)
    for case, records in wanted.items():
        assert sorted(found[case]) == records, case


EVERY_INTERVAL_SHARE = (
    (100, 30, 500_000), (100, 100, 0), (100, 100, 500_000), (30, 100, 500_000), (7, 3, 0), (0, 5, 0), (0, 5, 500_000),
)  # fmt: skip


@pytest.mark.spark
def test_a_tick_belongs_to_the_item_that_moves_the_clock_to_it(spark: Any) -> None:
    """The tick that emits a record's watermark is the same as for the stream written out as a list."""
    from tidemark.spark_bridge.execution.source import source_of
    from tidemark.spark_bridge.plan.items import RECORDS, listed

    ticks = ("item", "tick_item", "tick_sub", "tick_at")
    made, expected = {}, {}
    for every, interval, share in EVERY_INTERVAL_SHARE:
        generated = scenario_of(Generated(40, 3, 2, every, border_millionths=share), emit=interval, origin=500)
        written = scenario_of(tuple(items(generated)), emit=interval, origin=500)  # type: ignore[arg-type]
        case = f"every {every} ms, a tick in {interval} ms, {share} seek one"
        records = source_of(spark, batch.plan_of(generated)).records
        made[case] = records.where("tick_item IS NOT NULL").select(*ticks)
        listing, _ = listed(batch.plan_of(written))
        all_ticks = (tuple(dict(zip(RECORDS, each, strict=True))[name] for name in ticks) for each in listing)
        expected[case] = [tick for tick in all_ticks if tick[1] is not None]
    found = collected(made)
    for case, wanted in expected.items():
        assert sorted(found[case]) == wanted, case


# The distributions of a check equal those of counting one by one, however the stream is cut into chunks.

EVERY = 50
SCENARIO = Scenario(
    name="delays",
    operator=Window(Tumbling(2000), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=1500),
    stream=Generated(700, 3, 5, EVERY, disorder=900, late_millionths=100_000, late_by=2500, end=True),
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(300)),),
)


@pytest.mark.spark
def test_distributions_equal_plain_counts(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemark.spark_bridge.execution.compare import distributions
    from tidemark.spark_bridge.execution.engine import Execution

    monkeypatch.setattr(batch, "CHUNK_ITEMS", 16)
    monkeypatch.setattr("tidemark.spark_bridge.execution.notable.BLOCK_ITEMS", 5)
    planned = batch.plan_of(SCENARIO)
    assert planned.chunks.count > 1
    with Execution(spark, planned) as execution:
        rows = execution.keep(execution.rows())
        assert execution.records is not None
        found = distributions(execution.records(), rows, planned)

    simulated = run_rows(SCENARIO)
    records = [(item, each) for item, each in enumerate(items(SCENARIO)) if isinstance(each, Record)]
    moves = [(row["item"], row["ts"]) for row in simulated if row["row"] == "watermark"]
    width = found.delay_width
    everyone, behind, lost = Counter[int](), Counter[int](), Counter[int]()
    for item, record in records:
        assert record.ts is not None
        delay = (item * EVERY - record.ts) // width * width
        everyone[delay] += 1
        behind[delay] += max((value for when, value in moves if when < item), default=MIN) >= record.ts
    for row in simulated:
        if row["row"] == "dropped":
            lost[(row["item"] * EVERY - row["ts"]) // width * width] += 1
    assert sum(lost.values()) > 10
    assert found.delays == tuple((delay, everyone[delay], behind[delay], lost[delay]) for delay in sorted(everyone))

    panes = [row for row in simulated if row["row"] == "pane"]
    assert found.firings == tuple(sorted(Counter(row["pane"] for row in panes).items()))
    per_key = Counter(key_text(row["key"]) for row in panes)
    assert found.keys == len(per_key)
    assert found.top == tuple(sorted(per_key.items(), key=lambda each: (-each[1], each[0])))
    spread = Counter(number // found.results_width * found.results_width for number in per_key.values())
    assert found.results == tuple(sorted(spread.items()))
