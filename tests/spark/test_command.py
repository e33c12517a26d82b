"""What the bridge covers, and that it reports what it does not cover without starting anything."""

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Checkpoint, Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.lengthened import with_events
from tidemark.simulator.scenario.model import (
    UNBOUNDED,
    AfterEndOfWindow,
    Chain,
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountElement,
    CountEvictor,
    CountTrigger,
    Deduplicate,
    EventTimeTrigger,
    EveryElement,
    Frame,
    Function,
    Generated,
    Global,
    InputSpec,
    IntervalJoin,
    MonotonousTimestamps,
    NeverTrigger,
    Over,
    Process,
    ProcessingTimeTrigger,
    Punctuated,
    PurgingTrigger,
    Scenario,
    Session,
    Sliding,
    SparkWindow,
    SqlWatermark,
    TemporalJoin,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.simulator.words import section
from tidemark.spark_bridge import (
    GAPS,
    LIMITS,
    STREAMING_GAPS,
    STREAMING_LIMITS,
    Fault,
    NotCovered,
    check,
    gaps_of,
    ways,
)
from tidemark.spark_bridge.commands import main

from tests.spark.spark_sides import MASTER

SUM = Function("aggregate", "sum")
TUMBLING = Window(Tumbling(5000), EventTimeTrigger(), SUM)
TWO = (InputSpec("left"), InputSpec("right"))
COVERED = Scenario("covered", TUMBLING, (Record("a", 1, 1),))


def of(**changes: Any) -> Scenario:
    """The covered scenario with other fields."""
    return replace(COVERED, **changes)


def window(**changes: Any) -> Scenario:
    """The covered scenario with another window operator."""
    return of(operator=replace(TUMBLING, **changes))


def records(*pairs: tuple[int, Any]) -> Scenario:
    """The covered scenario with these timestamps and values."""
    return of(stream=tuple(Record("a", ts, value) for ts, value in pairs))


NOT_COVERED = {
    "spark_rules": of(engine="spark", operator=SparkWindow(Tumbling(1), SUM)),
    "chain": of(chain=Chain((), "")),
    "columns": of(inputs=(InputSpec("events", columns=(("price", "INT"),), where="POWER(price, 2) > 1"),)),
    "unknown_trigger": window(trigger=PurgingTrigger(AfterEndOfWindow())),  # type: ignore[arg-type]
    "flink_version": of(flink="1.20", operator=Deduplicate("first")),
    "state_ttl": of(operator=Deduplicate("last", 1000)),
    "process_function": window(function=Function("aggregate-process", "sum")),
    "null_watermark": of(
        inputs=(InputSpec("events", 1, SqlWatermark(0, when="mark"), columns=(("mark", "BOOLEAN"),)),)
    ),
    "null_rowtime": of(inputs=(InputSpec("events", 1, SqlWatermark(0)),), stream=(Record("a", None, 1),)),
    "sum_leaves_64_bits": records((0, MAX), (0, 1)),
    "replays": of(stream=(Checkpoint("c"), *[Watermark(1)] * 1500, *[Restore("c")] * 700)),
    "times_leave_64_bits": records((MIN, 1)),
}


def test_every_gap_has_an_example() -> None:
    assert [gap.name for gap in GAPS + LIMITS] == list(NOT_COVERED)


@pytest.mark.parametrize("name", NOT_COVERED)
def test_a_gap_is_reported_with_its_reason(name: str) -> None:
    gaps = gaps_of(NOT_COVERED[name], "batch")
    assert name in [gap.name for gap in gaps]
    assert all(gap.reason for gap in gaps)
    with pytest.raises(NotCovered, match=r"\w"):
        check(NOT_COVERED[name], engine="batch")


def test_a_streaming_query_follows_the_rules_of_spark() -> None:
    assert [gap.name for gap in gaps_of(COVERED, "streaming")] == ["flink_rules"]
    with pytest.raises(NotCovered, match="Flink"):
        check(COVERED, engine="streaming")


@pytest.mark.parametrize(
    "scenario",
    [
        COVERED,
        of(operator=Process(Function("event-sort"))),
        of(operator=Deduplicate("first")),
        of(operator=Deduplicate("last"), stream=(Checkpoint("c"), Restore("c"))),
        of(operator=WindowTopN(Tumbling(5000), 1)),
        of(operator=TemporalJoin(), inputs=TWO, stream=()),
        of(operator=Over(Frame(rows=1), SUM)),
        of(operator=Over(Frame(range=UNBOUNDED), SUM), stream=(Checkpoint("c"), Restore("c"))),
        window(assigner=Sliding(10, 3, -2), allowed_lateness=MAX, late_output="side"),
        records((MIN + 808, 1)),
        records((MAX - 5000, MAX), (0, 0)),
        window(function=Function("aggregate", "max")),
        of(operator=WindowJoin("window-join", Tumbling(1), EventTimeTrigger()), inputs=TWO, stream=()),
        of(operator=IntervalJoin(0, 0), inputs=TWO, stream=()),
        window(api="sql", trigger=AfterEndOfWindow(CountElement(2), EveryElement()), updates=True),
        window(assigner=Session(1)),
        window(assigner=Global(), trigger=NeverTrigger()),
        window(evictor=CountEvictor(1)),
        window(trigger=PurgingTrigger(CountTrigger(2))),
        of(inputs=(InputSpec("events", 1, SqlWatermark(1)),)),
        of(inputs=(InputSpec("events", 1, SqlWatermark(1, 200)),)),
        of(inputs=(InputSpec("events", 1, MonotonousTimestamps(idle_timeout=1)),)),
        of(stream=(Status("idle"),)),
        window(time="processing", trigger=ProcessingTimeTrigger()),
        window(trigger=ContinuousProcessingTimeTrigger(5)),
        window(assigner=Global(), trigger=PurgingTrigger(ContinuousEventTimeTrigger(5))),
        of(stream=(Checkpoint("c"), Restore("c"))),
        of(operator=replace(TUMBLING, api="tvf", trigger=AfterEndOfWindow()), stream=(Checkpoint("c"), Restore("c"))),
        of(operator=WindowTopN(Tumbling(5000), 1), stream=(Checkpoint("c"), Restore("c"))),
        window(time="processing", trigger=ProcessingTimeTrigger(), assigner=Global()),
    ],
)
def test_covered(scenario: Scenario) -> None:
    assert gaps_of(scenario) == []


@pytest.mark.parametrize(
    "scenario",
    [
        records((MAX, 1)),
        of(stream=(Record("a", None, 1),), inputs=(InputSpec("events", 1, Punctuated(1)),)),
        of(stream=(Record("a", None, 1),), inputs=(InputSpec("events", 1, SqlWatermark(0)),)),
        of(
            operator=Process(Function("event-sort")),
            stream=(Record("a", MIN + 5, 1),),
            inputs=(InputSpec("events", 1, SqlWatermark(9)),),
        ),
        records((0, 1e308), (0, 1e308)),
        records((0, MAX), (0, -1)),
        replace(records((0, MAX), (0, 1)), operator=Over(Frame(rows=1), SUM)),
        replace(records((MAX - 5000, 1)), operator=Over(Frame(range=4000), SUM)),
        replace(records((MAX - 100, 1)), operator=WindowTopN(Tumbling(5000), 1)),
        of(stream=Generated(10**9, 1, 1, 10**10)),
        of(stream=Generated(10**9, 1, 1, 1, values=(0, 10**10))),
        replace(window(assigner=Sliding(5000, 1000)), stream=(Record("a", MIN + 100, 1),)),
        replace(window(assigner=Session(5000)), stream=(Record("a", MAX - 100, 1),)),
        of(operator=IntervalJoin(0, 5000), inputs=TWO, stream=(Record("a", MAX - 100, 1, "left"),)),
    ],
)
def test_possible_overflow_is_not_covered(scenario: Scenario) -> None:
    assert gaps_of(scenario)


def test_planning_and_reporting_import_no_pyspark() -> None:
    """Finding out what is covered needs neither pyspark nor Java."""
    code = (
        "import sys; from tidemark.spark_bridge import commands; from tidemark.spark_bridge.simulation import run; "
        "print('pyspark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# The documentation lists what is not covered, with the same reasons as the program.

SPARK_MD = Path(__file__).parent.parent.parent / "docs" / "users" / "SPARK.md"


def test_every_gap_is_documented() -> None:
    lines = SPARK_MD.read_text(encoding="utf-8").splitlines()
    second_cells = [line.strip("| ").split(" | ")[-1] for line in lines if line.startswith("| ")]
    gaps = GAPS + LIMITS + STREAMING_GAPS + STREAMING_LIMITS
    reasons = [gap.reason for gap in gaps]
    assert [cell for cell in second_cells if cell in reasons] == reasons
    assert list(section("spark")["gaps"]) == [gap.name for gap in gaps]


def test_the_table_in_the_app_lists_everything_once() -> None:
    """Everything that is covered and every gap with its reason."""
    table = ways()
    assert [row.reason for row in table if not row.covered] == [
        gap.reason for gap in GAPS + STREAMING_GAPS + LIMITS + STREAMING_LIMITS
    ]
    assert len({row.what for row in table}) == len(table)
    assert {row.way for row in table} == {"native", "keyed", "ordered", "micro-batch", ""}


def test_every_planted_fault_is_documented() -> None:
    text = SPARK_MD.read_text(encoding="utf-8")
    assert [fault for fault in Fault if f"`{fault}`" not in text] == []
    assert set(section("pages.spark.faults")) == {"none", *Fault}


# The command line: what it prints, and its four exit codes.

HEAD = """\
scenario: 1
name: command
inputs:
  events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: sum}
"""
LIST = HEAD + "stream:\n  - {ts: 1s, key: a, value: 4}\n  - {end: true}\n"
GENERATED = HEAD + "stream: {generate: {events: 50, seed: 1, keys: 2, every: 100ms, end: true}}\n"
HUGE = LIST.replace("  - {end", "  - {ts: 1s, key: a, value: 9223372036854775807}\n  - {end")
REFUSED = LIST.replace("tumbling", "tumblign")


def ran(text: str, folder: Path, *options: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of ``check`` on a file with that text."""
    file = folder / "command.yaml"
    file.write_text(text)
    out, err = StringIO(), StringIO()
    code = main(["check", str(file), "--master", MASTER, *options], out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_equal(tmp_path: Path, kept_checks: Path) -> None:
    code, out, err = ran(LIST, tmp_path)
    assert (code, err) == (0, "")
    assert "equal" in out
    kept = spark_checks.recall(digest_of(parse(LIST)))
    assert kept is not None
    assert (kept.comparison.unit, kept.comparison.equal, kept.comparison.total) == ("panes", 1, 1)
    assert len(list(kept_checks.iterdir())) == 1


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_not_equal(tmp_path: Path, kept_checks: Path) -> None:
    code, out, _ = ran(GENERATED, tmp_path, "--plant", "value", "--json", "--events", "70")
    assert not kept_checks.exists(), "a planted fault says nothing about the scenario"
    report = json.loads(out)
    assert code == 1
    assert list(report) == [
        *("equal", "engine", "way", "events", "panes", "differing", "first_difference", "seconds", "spark_version"),
        *("java_version", "stages", "counts", "boundaries", "plant"),
    ]
    assert (report["equal"], report["engine"], report["events"], report["differing"]) == (False, "batch", 70, 1)
    first = report["first_difference"]
    assert first["spark"]["value"] == first["simulator"]["value"] + 1


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_planted_fault_that_changes_nothing_is_never_called_equal(tmp_path: Path) -> None:
    code, out, _ = ran(LIST, tmp_path, "--plant", "idle")
    assert code == 4
    assert "the planted fault `idle` changed no row, so this check has shown nothing" in out


def test_refused_with_json_says_why_as_an_object(tmp_path: Path) -> None:
    code, out, err = ran(REFUSED, tmp_path, "--json")
    assert json.loads(out) == {"equal": None, "exit": code, "problem": err.strip()}
    assert code == 2


def test_refused(tmp_path: Path) -> None:
    code, out, err = ran(REFUSED, tmp_path)
    assert (code, out) == (2, "")
    assert "command.yaml:7:" in err


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    err = StringIO()
    assert main(["check", str(tmp_path / "none.yaml")], StringIO(), err) == 2
    assert "none.yaml" in err.getvalue()


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_events_with_a_list_are_other_records_and_prove_nothing_of_the_list(tmp_path: Path) -> None:
    code, out, err = ran(LIST, tmp_path, "--events", "50", "--json")
    assert (code, json.loads(out)["events"]) == (0, 50)
    assert err == "command: 50 records are generated to suit the scenario, in place of those in its list\n"
    assert spark_checks.recall(digest_of(parse(LIST))) is None
    assert spark_checks.recall(digest_of(with_events(parse(LIST), 50))) is not None


def test_events_with_records_of_a_file_are_not_covered(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text("ts,key,value\n1000,a,4\n")
    stream = "stream: {data: {path: records.csv, ts: ts, value: value}}\n"
    code, out, err = ran(HEAD + stream, tmp_path, "--events", "5")
    assert (code, out) == (3, "")
    assert "the records are those of a file" in err
    code, _, err = ran(LIST, tmp_path, "--events", "5", "--data", str(tmp_path / "records.csv"), "--ts", "ts")
    assert (code, "the records are those of a file" in err) == (3, True)


@pytest.mark.parametrize("asked", ["-1", "x", "1000000001"])
def test_an_invalid_number_of_events_is_refused_with_the_range(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "any.yaml", "--events", asked])
    assert ended.value.code == 2
    assert (
        f"`{asked}` is not a valid number of records; write a whole number from 0 to 1,000,000,000"
        in capsys.readouterr().err
    )


def test_an_invalid_scenario_is_refused_even_if_it_is_not_covered_either(tmp_path: Path) -> None:
    code, out, err = ran(HUGE + "goals: [{rows: pane, count: 7}]\n", tmp_path)
    assert (code, out) == (2, "")
    assert "the goal is not met" in err


def test_a_full_disk_is_not_reported_as_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Equal:
        equal = True
        notes = ()

        def as_json(self) -> dict[str, bool]:
            return {"equal": True}

    monkeypatch.setattr("tidemark.spark_bridge.commands.check", lambda *_, **__: Equal())
    monkeypatch.setattr(spark_checks, "remember", lambda *_: None)
    file, err = tmp_path / "command.yaml", StringIO()
    file.write_text(LIST)
    assert main(["check", str(file), "--json"], Full(), err) == 2
    assert err.getvalue().startswith("standard output cannot be written (No space left on device)")


@pytest.mark.parametrize(("text", "options"), [(HUGE, []), (LIST, ["--engine", "streaming"])])
def test_not_covered(text: str, options: list[str], tmp_path: Path) -> None:
    code, out, err = ran(text, tmp_path, *options)
    assert (code, out) == (3, "")
    assert "not covered" in err
