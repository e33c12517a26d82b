"""The parts of the streaming engine that need no Spark: cutting into batches, rows, the comparison, planted faults."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Event, Timer
from time import monotonic
from typing import Any

import pyarrow.parquet as pq
import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import BatchEnd, Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Function, Generated, InputSpec, Scenario, SparkJoin, SparkWindow, Tumbling
from tidemark.spark_bridge import Cancelled, Fault, check, engine_of, gaps_of
from tidemark.spark_bridge.spark.stages import Stages
from tidemark.spark_bridge.streaming.exchange import DOUBLE, TEXT, WHOLE, chunks, column_of, number_of_chunks, write
from tidemark.spark_bridge.streaming.rows import (
    Done,
    broken,
    compare,
    milliseconds,
    planted,
    simulator_rows,
    spark_rows,
)

from tests.random_scenarios import spark as by_spark
from tests.random_scenarios.drawn import drawn
from tests.spark.spark_sides import MASTER

END = BatchEnd()
SUMS = SparkWindow(Tumbling(10), Function("aggregate", "sum"))


def windows(*stream: Any, operator: SparkWindow = SUMS, delay: int | None = 5) -> Scenario:
    return Scenario("windows", operator, stream, (InputSpec("events", delay=delay),), engine="spark")


def record(ts: int, value: Any = 1, side: str = "events") -> Record:
    return Record("a", ts, value, side)


@pytest.mark.parametrize(
    ("stream", "sizes", "last_items"),
    [
        ((), [], []),
        ((END,), [0], [0]),
        ((record(1), record(2)), [2], [2]),
        ((record(1), END), [1], [1]),
        ((record(1), END, END, record(2), record(3)), [1, 0, 2], [1, 2, 5]),
    ],
)
def test_a_stream_in_batches(stream: tuple[Any, ...], sizes: list[int], last_items: list[int]) -> None:
    cut = list(chunks(windows(*stream)))
    assert [len(chunk.records) for chunk in cut] == sizes
    assert [chunk.last_item for chunk in cut] == last_items
    assert number_of_chunks(windows(*stream)) == len(sizes)


@pytest.mark.parametrize(("events", "every", "sizes"), [(0, 3, []), (3, 3, [3]), (7, 3, [3, 3, 1]), (5, None, [5])])
def test_a_generated_stream_in_batches(events: int, every: int | None, sizes: list[int]) -> None:
    scenario = Scenario("generated", SUMS, Generated(events, 1, 2, 10, batch_every=every), engine="spark")
    cut = list(chunks(scenario))
    assert [len(chunk.records) for chunk in cut] == sizes
    assert number_of_chunks(scenario) == len(sizes)
    if sizes:
        assert cut[-1].last_item == events, "the ends of generated batches are not items"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_batch_that_fails_ends_where_the_simulator_says(place: int) -> None:
    """The last batch, which no item closes, ends after the stream."""
    batches = [[record(1), END], [record(2), END], [record(3)]]
    batches[place] = [record(1, 2**63 - 1), record(1, 1), *batches[place][1:]]
    scenario = windows(*(item for batch in batches for item in batch))
    (error,) = (row["item"] for row in run_rows(scenario) if row["row"] == "error")
    assert error == list(chunks(scenario))[place].last_item


def test_the_column_of_values() -> None:
    assert column_of(windows(record(1, 3))) == WHOLE
    assert column_of(windows(record(1, 3), record(2, 0.5))) == DOUBLE
    count = SparkWindow(Tumbling(10), Function("aggregate", "count"))
    assert column_of(windows(record(1, {"any": "thing"}), operator=count)) == TEXT


def test_an_input_without_records_has_a_file_too(tmp_path: Path) -> None:
    """Otherwise the other input of a join would run ahead."""
    joins = Scenario("joins", SparkJoin(), (record(1, "x", "left"),), (InputSpec("left"), InputSpec("right")), "spark")
    folders = {side: tmp_path / side for side in ("left", "right")}
    for folder in folders.values():
        folder.mkdir()
    for number, chunk in enumerate(chunks(joins)):
        write(chunk, number, folders, column_of(joins))
    written = {side: pq.read_table(folder / "000000000.parquet").to_pylist() for side, folder in folders.items()}
    assert written == {"left": [{"time": 1, "key": '"a"', "value": '"x"'}], "right": []}


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        (None, 0),
        ("1970-01-01T00:00:00.000Z", 0),
        ("1970-01-01T00:01:14.050Z", 74_050),
        ("2000-02-29T23:59:59.999Z", 951_868_799_999),
        ("9999-12-31T00:00:00.000Z", 253_402_214_400_000),
        ("+10000-01-01T00:00:00.000Z", 253_402_300_800_000),
        ("+294247-01-10T04:00:54.775Z", 9_223_372_036_854_775),
    ],
)
def test_times_of_progress_reports(time: str | None, expected: int) -> None:
    assert milliseconds(time) == expected


def of_a(value: Any, batch: int = 0, **changes: Any) -> dict[str, Any]:
    row = {"row": "pane", "key": "a", "start": 0, "end": 10, "value": value, "batch": batch, "watermark": 12}
    return row | changes


def test_rows_are_equal_in_any_order_numbers_by_value_and_doubles_nearly() -> None:
    ours = [[of_a(3), of_a(0.1 + 0.2, start=-10)], [of_a(1, 1), of_a(2, 1)]]
    theirs = [[of_a(0.3, start=-10), of_a(3.0)], [of_a(2, 1), of_a(1, 1)]]
    assert compare(ours, theirs).differing == 0
    assert compare([[of_a(3, key=1)]], [[of_a(3, key="1")]]).differing == 1
    assert compare([[of_a(3), of_a(3)]], [[of_a(3)]]).differing == 1
    assert compare([[of_a(10**15)]], [[of_a(10**15 + 1)]]).differing == 1, "integers have no tolerance"


def test_a_difference_is_a_pair_in_its_own_batch() -> None:
    outcome = compare([[of_a(3)], [of_a(4, 1)]], [[of_a(3)], [of_a(5, 1)], [of_a(6, 2)]])
    assert outcome.differing == 2
    first, second = outcome.differences
    assert first.members == ["value"]
    assert (second.simulator, second.spark) == (None, of_a(6, 2))


def test_spark_counts_late_records_by_key_and_window(tmp_path: Path) -> None:
    """Spark counts two late records of one window and one of another as two."""
    late = {"row": "dropped", "input": "events", "key": "a", "ts": 1, "value": 1, "start": 0, "end": 10}
    place = {"batch": 0, "watermark": 12}
    figures = {"late_watermark": 0, "rows_in": 3, "rows_out": 0, "state_rows": 0}
    batch = {"row": "batch"} | place | figures
    lines = tmp_path / "rows.jsonl"
    rows = [late | place, late | place, late | place | {"start": 5, "end": 15}, batch]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ours = list(simulator_rows(lines))
    assert ours == [[{"row": "dropped"} | place | {"counted": 2}, batch]]
    done = [Done(0, (), watermark=12, read=3, dropped=2, state_rows=0)]
    assert compare(ours, spark_rows(windows(), done)).differing == 0
    assert compare(ours, planted(spark_rows(windows(), done), Fault.UNREPORTED)).differing == 1


def test_the_late_watermark_is_that_of_the_previous_batch() -> None:
    done = [Done(number, (), watermark, 1, 0, 0) for number, watermark in enumerate((0, 7, 7, 9))]
    assert [rows[-1]["late_watermark"] for rows in spark_rows(windows(), done)] == [0, 0, 7, 7]


@pytest.mark.parametrize(
    "fault",
    [
        Fault.VALUE,
        Fault.LESS,
        Fault.START,
        Fault.END,
        Fault.KEY,
        Fault.WATERMARK,
        Fault.LOST,
        Fault.ON_TIME_LOST,
        Fault.TWICE,
        Fault.NEXT_WINDOW,
    ],
)
def test_a_planted_fault_is_one_difference(fault: Fault) -> None:
    rows = [[of_a(3), of_a(4, start=-10)], [of_a(5, 1)]]
    assert compare(rows, planted(rows, fault)).differing == 1


def test_faults_of_the_query() -> None:
    scenario = windows(record(1))
    assert broken(scenario, Fault.BOUND).inputs[0].delay == 6
    assert broken(scenario, Fault.SIZE).operator == SparkWindow(Tumbling(11), SUMS.function)
    assert broken(scenario, Fault.OFFSET).operator == SparkWindow(Tumbling(10, 1), SUMS.function)
    assert broken(scenario, Fault.VALUE) == scenario


def test_which_engine_covers_what() -> None:
    spark, flink = windows(record(1)), Scenario("flink", SUMS, ())
    assert (engine_of(spark), engine_of(flink)) == ("streaming", "batch")
    assert gaps_of(spark) == []
    assert [gap.name for gap in gaps_of(spark, "batch")] == ["spark_rules"]
    assert [gap.name for gap in gaps_of(flink, "streaming")] == ["flink_rules"]
    assert [gap.name for gap in gaps_of(windows(record(2**62)))] == ["times_leave_microseconds"]


# The real query: its rows batch by batch, compared with rows worked out by hand and with the simulator's.

HEAD = """\
scenario: 1
name: streaming
engine: spark
inputs: {events: {watermark: {delay: 5}}}
operator: {type: window, assigner: {type: tumbling, size: 10}, function: {call: aggregate, compute: sum}}
stream:
"""
LATE = parse(
    HEAD
    + """\
  - {ts: 4, key: a, value: 1}
  - {ts: 17, key: a, value: 2}
  - {batch: end}
  - {batch: end}
  - {ts: 9, key: a, value: 10}
  - {ts: 3, key: a, value: 20}
  - {ts: 8, key: b, value: 30}
  - {ts: 26, key: b, value: 40}
"""
)
"""The watermark is 12 from batch 1 on, which closes [0, 10). After an empty batch it also applies to late records."""

OVERFLOW = parse(
    HEAD
    + """\
  - {ts: 1, key: a, value: 9223372036854775807}
  - {batch: end}
  - {ts: 2, key: a, value: 1}
  - {batch: end}
"""
)


@pytest.fixture
def streamed(spark: Any, tmp_path: Path) -> Callable[[Scenario], list[list[dict[str, Any]]]]:
    """A function that runs a scenario in the streaming engine."""
    from tidemark.spark_bridge.streaming.exchange import Files
    from tidemark.spark_bridge.streaming.run import batches_of

    return lambda scenario: batches_of(scenario, Files(scenario, spark, tmp_path / "query"), Stages(None, Event()))


def batch(number: int, watermark: int, late: int, read: int, given: int, state: int) -> dict[str, Any]:
    figures = {"rows_in": read, "rows_out": given, "state_rows": state}
    return {"row": "batch", "batch": number, "watermark": watermark, "late_watermark": late} | figures


def pane(key: str, start: int, value: int, number: int, watermark: int) -> dict[str, Any]:
    row = {"row": "pane", "key": key, "start": start, "end": start + 10, "value": value}
    return row | {"batch": number, "watermark": watermark}


@pytest.mark.spark
@pytest.mark.journey
def test_batch_by_batch(streamed: Callable[[Scenario], list[list[dict[str, Any]]]]) -> None:
    assert streamed(LATE) == [
        [batch(0, 0, 0, 2, 0, 2)],
        [pane("a", 0, 1, 1, 12), batch(1, 12, 0, 0, 1, 1)],
        # Three late records, but only two different keys and windows.
        [{"row": "dropped", "batch": 2, "watermark": 12, "counted": 2}, batch(2, 12, 12, 4, 0, 2)],
        # A batch without data, because the watermark moved.
        [pane("a", 10, 2, 3, 21), batch(3, 21, 12, 0, 1, 1)],
    ]


@pytest.mark.spark
def test_a_query_that_fails_on_its_data(streamed: Callable[[Scenario], list[list[dict[str, Any]]]]) -> None:
    assert streamed(OVERFLOW) == [
        [batch(0, 0, 0, 1, 0, 1)],
        [{"row": "error", "type": "ArithmeticException", "item": 3}],
    ]


@pytest.fixture
def nothing_left_behind(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Temporary files go to a folder that must be empty afterwards, and no query may still run."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []
    assert not spark.streams.active


@pytest.mark.spark
@pytest.mark.usefixtures("nothing_left_behind")
@pytest.mark.parametrize("kind", by_spark.KINDS)
def test_equal(kind: str) -> None:
    long = (each for each in drawn(by_spark.scenarios(kind), 40) if len(each.stream) > 11)
    report = check(next(long), master=MASTER)
    assert report.differences == ()
    assert (report.engine, report.way) == ("streaming", "micro-batch")
    assert report.counts["simulator"] == report.counts["spark"]
    assert report.counts["spark"]["batch"] > 1


@pytest.mark.spark
@pytest.mark.journey
@pytest.mark.usefixtures("nothing_left_behind")
def test_both_sides_fail_in_the_same_batch() -> None:
    report = check(OVERFLOW, master=MASTER)
    assert report.equal
    assert report.counts["spark"] == {"batch": 1, "error": 1}


@pytest.mark.spark
@pytest.mark.journey
@pytest.mark.usefixtures("nothing_left_behind")
def test_a_planted_fault_is_found() -> None:
    """The tests without Spark, above, cover every kind of fault."""
    assert not check(LATE, master=MASTER, fault=Fault.BOUND).equal


@pytest.mark.spark
@pytest.mark.usefixtures("nothing_left_behind")
def test_cancelled() -> None:
    """A query of hundreds of batches ends soon after its cancellation."""
    stream = "{generate: {events: 500, seed: 1, keys: 2, every: 100ms, batch_every: 1}}"
    cancelled = Event()

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "spark" and done:
            Timer(0.5, cancelled.set).start()

    began = monotonic()
    with pytest.raises(Cancelled):
        check(
            parse(HEAD.replace("stream:\n", f"stream: {stream}\n")),
            master=MASTER,
            progress=progress,
            cancelled=cancelled,
        )
    assert monotonic() - began < 60
