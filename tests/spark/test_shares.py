"""The keys of a stream divided among processes: together they emit the rows of one, whatever the stream."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from tidemark.simulator.scenario.data.columns import Columns, Found
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    ContinuousEventTimeTrigger,
    CountTrigger,
    EventTimeTrigger,
    Function,
    Generated,
    Global,
    InputSpec,
    IntervalJoin,
    Operator,
    Process,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    Sliding,
    Tumbling,
    Window,
    WindowJoin,
)
from tidemark.spark_bridge.results.digests import Digests, added
from tidemark.spark_bridge.simulation import blocks
from tidemark.spark_bridge.simulation.blocks import Share, shares_of
from tidemark.spark_bridge.simulation.process import Staged
from tidemark.spark_bridge.simulation.run import digests_in, rows_in, simulation
from tidemark.spark_bridge.spark.stages import EngineFails

from tests.random_scenarios.flink import scenarios
from tests.spark.spark_sides import Rows, compared
from tests.watermarks import STRATEGIES, watermark_spec
from tidemark import simulator

SUM = Function("aggregate", "sum")
COLLECT = Function("process", "collect")
OPERATORS: dict[str, Operator] = {
    "tumbling": Window(Tumbling(700), EventTimeTrigger(), SUM, allowed_lateness=300),
    "sliding": Window(Sliding(900, 200), EventTimeTrigger(), COLLECT, late_output="side"),
    "session": Window(Session(150), EventTimeTrigger(), SUM, allowed_lateness=300),
    "count": Window(Global(), CountTrigger(3), COLLECT),
    "every move": Window(Global(), ContinuousEventTimeTrigger(400), SUM),
    "by the clock": Window(Tumbling(500), ProcessingTimeTrigger(), COLLECT, time="processing"),
    "window join": WindowJoin("window-join", Tumbling(600), EventTimeTrigger()),
    "interval join": IntervalJoin(-300, 200),
    "event sort": Process(Function("process", "event-sort")),
}


def rows_of(scenario: Scenario, of: Share, items: Any = None) -> list[Any]:
    rows: list[Any] = []
    simulator.run_keys(scenario, rows.append, of.takes, items)
    return rows


def together(scenario: Scenario, number: int, items: Callable[[Share], Any] = lambda _: None) -> Rows:
    parts = [Share(each, number) for each in range(number)]
    return sum((compared(rows_of(scenario, each, items(each))) for each in parts), Counter())


@given(scenarios())
def test_shares_have_the_rows_of_one_process(scenario: Scenario) -> None:
    """Joins, checkpoints, several channels, the clock; where the engine fails, the first process to fail tells it."""
    if not blocks.keys_are_apart(scenario):
        return
    rows = simulator.run_rows(scenario)
    if rows and rows[-1]["row"] == "error":
        parts = [rows_of(scenario, Share(each, 3)) for each in range(3)]
        errors = [part[-1] for part in parts if part and part[-1]["row"] == "error"]
        assert rows[-1] in [each for each in errors if each["item"] == min(error["item"] for error in errors)]
    else:
        assert together(scenario, 3) == compared(rows)


def generated(name: str, generator: str, draw: Random) -> Scenario:
    two = isinstance(OPERATORS[name], WindowJoin | IntervalJoin)
    every = draw.choice([0, 7, 100])
    stream = Generated(
        draw.choice([900, 257]), draw.randrange(99), draw.choice([1, 5, 40]), every,
        disorder=draw.choice([0, 300]), late_millionths=draw.choice([0, 40_000]), late_by=900,
        values=(-3, 9), end=draw.random() < 0.5 and name != "every move", border_millionths=200_000 if every else 0,
    )  # fmt: skip
    inputs = tuple(
        InputSpec(
            side,
            draw.choice([1, 3]),
            watermark_spec(generator, 200, draw.choice([0, 0, 130]), draw.choice([0, 0, 90])),
        )
        for side in (("left", "right") if two else ("events",))
    )
    return Scenario("s", OPERATORS[name], stream, inputs, origin=draw.choice([0, -1234]))


@pytest.mark.parametrize("generator", STRATEGIES)
@pytest.mark.parametrize("name", OPERATORS)
def test_records_of_other_keys_can_be_left_out(name: str, generator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 100)
    draw = Random(f"{name} {generator}")
    for _ in range(3):
        scenario = generated(name, generator, draw)
        if not blocks.keys_are_apart(scenario):
            continue
        rows = simulator.run_rows(scenario)
        assert together(scenario, 3, lambda part, of=scenario: blocks.numbered(of, part)) == compared(rows)  # type: ignore[misc]


def test_most_records_of_other_keys_are_left_out() -> None:
    inputs = (InputSpec("events", 1, BoundedOutOfOrderness(2000)),)
    stream = Generated(50_000, 7, 100, 10, disorder=4000, end=True)
    scenario = Scenario("s", OPERATORS["tumbling"], stream, inputs)
    assert 50_000 / 8 < len(list(blocks.numbered(scenario, Share(2, 8)))) < 50_000 / 4


def test_a_block_has_the_records_of_the_stream() -> None:
    from tidemark.simulator.scenario.stream import items

    draw = Random(1)
    for name in ("tumbling", "interval join"):
        scenario = generated(name, "bounded-out-of-orderness", draw)
        numbered = list(blocks.numbered(scenario, Share()))
        assert numbered[:250] == list(enumerate(items(scenario)))[:250]


def test_records_of_files_are_chosen_alike(tmp_path: Path) -> None:
    draw = Random(3)
    clock, rows = 5000, []
    for item in range(600):
        clock += draw.choice((0, 10, 90))
        key = draw.choice(('"a"', '"b"', '"ü\\"c"', '""', '"7"'))
        value = draw.choice(((3, None, "3"), (None, 0.5, "0.5"), (-2, None, "-2")))
        rows.append((item, key, clock - draw.choice((0, 100, 900)), *value, draw.randrange(3), clock))
    for piece in (0, 1):
        folder = tmp_path / f"piece={piece}"
        folder.mkdir()
        columns = dict(zip(process_columns(), zip(*rows[piece * 300 : piece * 300 + 300], strict=True), strict=True))
        pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), folder / "x.parquet")
    times = [row[2] for row in rows]
    found = Found(records=600, ts=(min(times), max(times)), at=(5000, clock), channels=(0, 1, 2))
    for generator in STRATEGIES:
        for emit, idle in ((0, 0), (130, 0), (0, 90)):
            stream = Staged("x", Columns("ts"), True, "events", found, staging=str(tmp_path))
            inputs = (InputSpec("events", 3, watermark_spec(generator, 200, emit, idle)),)
            scenario = Scenario("s", OPERATORS["tumbling"], stream, inputs, origin=5000)
            whole = simulator.run_rows(scenario)
            assert together(scenario, 3, lambda part, of=scenario: of.stream.numbered(of, part)) == compared(whole)  # type: ignore[misc]


def process_columns() -> tuple[str, ...]:
    from tidemark.spark_bridge.simulation.process import STAGED

    return STAGED


def test_long_streams_are_shared_and_short_ones_are_not() -> None:
    def shares(operator: Any, events: int, emit: int = 0, sample: int = 1, processors: int = 4) -> int:
        stream = Generated(events, 1, 9, 10)
        inputs = (InputSpec("events", 1, BoundedOutOfOrderness(10, emit)),)
        return len(shares_of(Scenario("s", operator, stream, inputs), sample, processors))

    assert shares(OPERATORS["tumbling"], 10_000_000) == 4
    assert shares(OPERATORS["tumbling"], 10_000_000, processors=64) == blocks.MOST
    assert shares(OPERATORS["tumbling"], 100_000) == 1
    assert shares(OPERATORS["tumbling"], 1_000_000, sample=50) == 1
    assert shares(OPERATORS["tumbling"], 10_000_000, emit=200) == 4
    assert shares(OPERATORS["by the clock"], 10_000_000) == 4
    assert shares(OPERATORS["by the clock"], 10_000_000, emit=200) == 1
    listed = Scenario("s", OPERATORS["tumbling"], ())
    assert len(shares_of(listed, 1, 4)) == 1


def test_several_processes_leave_the_digests_and_the_rows_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = generated("sliding", "monotonous", Random(5))
    monkeypatch.setattr(
        "tidemark.spark_bridge.simulation.run.shares_of", lambda *_: [Share(each, 2) for each in range(2)]
    )
    digests, wanted = Digests(), frozenset(range(2000))
    rows = compared(simulator.run_rows(scenario))
    buckets = {row: digests.add(row) for row in rows.elements()}
    reached: list[int] = []
    with simulation(scenario, tmp_path, reached.append, wanted) as running:
        running.wait()
    assert digests_in(tmp_path) == digests.found()
    found = [tuple(row.values()) for row in rows_in(tmp_path).to_pylist()]
    assert Counter(found) == Counter(row for row in rows.elements() if buckets[row] in wanted)
    assert reached[-1] > 900


def test_digests_are_added_as_if_one_had_made_them() -> None:
    rows = [
        ("pane", '"a"', 0, 10, "on-time", each, None, 9, str(each), None, 9, 5, each, None, None) for each in range(900)
    ]
    whole, parts = Digests(), [Digests(), Digests()]
    for number, row in enumerate(rows):
        whole.add(row)
        parts[number % 2].add(row)
    assert added(each.found() for each in parts) == whole.found()


def test_the_first_item_at_which_any_process_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tidemark.simulator.engine.values.items import Record

    broken = Window(Tumbling(10), EventTimeTrigger(), SUM)
    items = (Record("a", 1, 2**63 - 1), Record("b", 1, 2**63 - 1), Record("c", 2, 1), Record("b", 2, 5))
    scenario = Scenario("s", broken, (*items, Record("a", 3, 7)))
    monkeypatch.setattr(
        "tidemark.spark_bridge.simulation.run.shares_of", lambda *_: [Share(each, 2) for each in range(2)]
    )
    with simulation(scenario, tmp_path, lambda _: None) as running, pytest.raises(EngineFails, match="item 3"):
        running.wait()


def test_a_sample_has_the_keys_that_spark_chooses() -> None:
    """One key in seven by the hash of its text, whichever processes it is divided among."""
    keys = [f"k{number}" for number in range(200)]
    chosen = [key for key in keys if Share(sample=7).takes(key)]
    assert 10 < len(chosen) < 60
    divided = [[key for key in keys if Share(each, 3, 7).takes(key)] for each in range(3)]
    assert sorted(key for part in divided for key in part) == sorted(chosen)
    assert all(divided)
