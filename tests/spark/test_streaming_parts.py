"""The parts of the streaming engine that need no Spark: cutting into batches, rows, the comparison, planted faults."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import BatchEnd, Record
from tidemark.simulator.scenario.model import Function, Generated, InputSpec, Scenario, SparkJoin, SparkWindow, Tumbling
from tidemark.spark_bridge import Fault, engine_of, gaps_of
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


def pane(value: Any, batch: int = 0, **changes: Any) -> dict[str, Any]:
    row = {"row": "pane", "key": "a", "start": 0, "end": 10, "value": value, "batch": batch, "watermark": 12}
    return row | changes


def test_rows_are_equal_in_any_order_numbers_by_value_and_doubles_nearly() -> None:
    ours = [[pane(3), pane(0.1 + 0.2, start=-10)], [pane(1, 1), pane(2, 1)]]
    theirs = [[pane(0.3, start=-10), pane(3.0)], [pane(2, 1), pane(1, 1)]]
    assert compare(ours, theirs).differing == 0
    assert compare([[pane(3, key=1)]], [[pane(3, key="1")]]).differing == 1
    assert compare([[pane(3), pane(3)]], [[pane(3)]]).differing == 1
    assert compare([[pane(10**15)]], [[pane(10**15 + 1)]]).differing == 1, "integers have no tolerance"


def test_a_difference_is_a_pair_in_its_own_batch() -> None:
    outcome = compare([[pane(3)], [pane(4, 1)]], [[pane(3)], [pane(5, 1)], [pane(6, 2)]])
    assert outcome.differing == 2
    first, second = outcome.differences
    assert first.members == ["value"]
    assert (second.simulator, second.spark) == (None, pane(6, 2))


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
    rows = [[pane(3), pane(4, start=-10)], [pane(5, 1)]]
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
