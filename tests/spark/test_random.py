"""Random scenarios: the batch engine emits the simulator's rows, whatever the stream and its chunks."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tidemark.simulator.engine.values.items import Restore
from tidemark.simulator.scenario.model import (
    UNBOUNDED,
    AfterEndOfWindow,
    BoundedOutOfOrderness,
    Cumulative,
    EventTimeTrigger,
    Frame,
    Function,
    Generated,
    InputSpec,
    Over,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    Sliding,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.spark_bridge import gaps_of
from tidemark.spark_bridge.execution.sessions import have_clusters
from tidemark.spark_bridge.plan import batch
from tidemark.spark_bridge.plan.batch import possible_ends
from tidemark.spark_bridge.plan.operators import KeyedPlan

from tests.random_scenarios.drawn import drawn
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import (
    event_sorts,
    interval_joins,
    row_operators,
    table_windows,
    window_joins,
    window_top_ns,
    windows,
)
from tests.spark.spark_sides import Rows, compared
from tests.watermarks import watermark_spec
from tidemark import simulator

pytestmark = pytest.mark.spark


def _runs(scenario: Scenario) -> bool:
    """Whether it has enough items and runs to its end; a failing run is not compared."""
    rows = simulator.run_rows(scenario)
    return len(scenario.stream) > 9 and not gaps_of(scenario) and all(row["row"] != "error" for row in rows)


def _keyed(scenario: Scenario) -> KeyedPlan | None:
    operator = batch.plan_of(scenario).operator
    return operator if isinstance(operator, KeyedPlan) else None


def _restored(scenario: Scenario) -> bool:
    assert isinstance(scenario.stream, tuple)
    return any(isinstance(item, Restore) for item in scenario.stream)


EVENT = ("event",)
KINDS = {
    "simple windows": windows(times=EVENT).filter(lambda each: each.trigger == EventTimeTrigger() and not each.evictor),
    "windows": windows(times=EVENT),
    "simple table windows": table_windows(times=EVENT).filter(lambda each: each.trigger == AfterEndOfWindow()),
    "table windows": table_windows(times=EVENT),
    "window joins": window_joins(times=EVENT),
    "interval joins": interval_joins(),
    "event sorts": event_sorts(),
    "window top-n": window_top_ns(),
    "row operators": row_operators(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_same_rows(
    kind: str,
    rows_together: Callable[[dict[str, batch.BatchPlan]], dict[str, Rows]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chunks of a few items, so that the prefix maximum and the as-of join have something to do.

    Of each kind, two DataFrame operations and one keyed function run; ``test_keyed.py`` covers hundreds of the latter.
    """
    running = filter(_runs, drawn(scenarios(KINDS[kind], Uses(items=40, channels=3, restores=0)), 50))
    different = list({repr((each.operator, each.inputs)): each for each in running}.values())
    chosen = [each for each in different if not _keyed(each)][:2] + list(filter(_keyed, different))[:1]
    assert chosen
    plans = {}
    for chunk, scenario in zip((1, 4, 9), chosen, strict=False):
        monkeypatch.setattr(batch, "CHUNK_ITEMS", chunk)
        plans[f"chunks of {chunk}"] = batch.plan_of(scenario)
    found = rows_together(plans)
    for name, scenario in zip(plans, chosen, strict=True):
        assert found[name] == compared(simulator.run_rows(scenario)), name


@pytest.mark.parametrize(("kind", "chunk"), [("simple windows", 4), ("interval joins", 9), ("event sorts", 100)])
def test_same_rows_with_many_channels(
    kind: str, chunk: int, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The channels stay in rows; in several chunks, and in one."""
    monkeypatch.setattr("tidemark.spark_bridge.execution.watermark.MOST_COLUMNS", 0)
    monkeypatch.setattr(batch, "CHUNK_ITEMS", chunk)
    uses = Uses(items=40, channels=5, restores=0, controls=("watermark", "advance"))
    running = filter(_runs, drawn(scenarios(KINDS[kind], uses), 150))
    several = (each for each in running if sum(source.channels for source in each.inputs) > 1)
    scenario = next(each for each in several if batch.plan_of(each).way == "native")
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


@pytest.mark.parametrize("emit", [0, 300])
def test_a_generated_stream_with_many_channels(
    emit: int, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 64)
    inputs = (InputSpec("events", 40, BoundedOutOfOrderness(200, emit)),)
    stream = Generated(900, 7, 3, 100, 600, late_millionths=50_000, late_by=1500, end=True, border_millionths=200_000)
    windows = Window(Tumbling(700), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=300)
    scenario = Scenario("many", windows, stream, inputs)
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


@pytest.mark.parametrize(
    ("bound", "emit", "keys", "gap", "lateness", "compute"),
    [
        (600, 0, 3, 150, 500, "avg"),
        (150, 0, 20, 400, 0, "sum"),
        (300, 130, 1, 60, 900, "max"),
        (0, 0, 7, 1, 1, "count"),
    ],
)
def test_same_rows_of_sessions(
    bound: int,
    emit: int,
    keys: int,
    gap: int,
    lateness: int,
    compute: str,
    spark_rows: Callable[[Scenario], Rows],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Clusters that fire once and as a whole, and others; the bound covers the disorder, or not.

    Sessions touch, grow at both ends, merge after they have fired, and fire again.
    """
    monkeypatch.setattr("tidemark.spark_bridge.execution.sessions.FEWEST_ITEMS", 0)
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 200 if emit else 64)
    stream = Generated(
        1500, bound, keys, 50, 600, late_millionths=30_000, late_by=1500, end=lateness > 0, border_millionths=200_000
    )
    sessions = Window(Session(gap), EventTimeTrigger(), Function("aggregate", compute), allowed_lateness=lateness)
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(bound, emit)),)
    scenario = Scenario("sessions", sessions, stream, inputs, origin=-4000)
    assert have_clusters(batch.plan_of(scenario))
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


@pytest.mark.parametrize(("ticks", "restored"), [(False, False), (False, True), (True, True)])
def test_same_rows_in_processing_time(
    ticks: bool, restored: bool, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys divided among tasks, without and with restores; and all keys in one task, with ticks and restores.

    ``test_keyed.py`` runs hundreds of scenarios through the same tasks without Spark.
    """
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 9)
    running = filter(_runs, drawn(scenarios(windows(times=("processing",)), Uses(items=40)), 80))
    scenario = next(
        each
        for each in running
        if (keyed := _keyed(each)) and keyed.ordered
        if (batch.plan_of(each).is_periodic, _restored(each)) == (ticks, restored)
    )
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


def test_a_generated_stream_in_processing_time(
    spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many chunks and keys. The rows carry the watermark, which moves with nearly every record."""
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 16)
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(200)),)
    stream = Generated(400, 7, 9, 100, disorder=600, end=True)
    windows = Window(Sliding(700, 300), ProcessingTimeTrigger(), Function("process", "collect"), time="processing")
    scenario = Scenario("clock", windows, stream, inputs, origin=-1234)
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))


@pytest.mark.parametrize("generator", ["bounded-out-of-orderness", "sql"])
def test_a_generated_stream_with_idle_channels(
    generator: str, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many chunks: one task computes the watermark in order; everything after it is distributed again."""
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 16)
    inputs = (InputSpec("events", 3, watermark_spec(generator, 200, 250, 300)),)
    stream = Generated(400, 7, 3, 100, 600, late_millionths=50_000, late_by=1500, end=True, border_millionths=200_000)
    windows = Window(Tumbling(700), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=300)
    scenario = Scenario("idle", windows, stream, inputs)
    rows = simulator.run_rows(scenario)
    awake = [InputSpec("events", 3, watermark_spec(generator, 200, 250))]
    assert compared(simulator.run_rows(replace(scenario, inputs=tuple(awake)))) != compared(rows), (
        "no channel is idle here"
    )
    assert spark_rows(scenario) == compared(rows)


@pytest.mark.parametrize("frame", [Frame(rows=UNBOUNDED), Frame(range=UNBOUNDED), Frame(range=900)])
def test_over_a_generated_stream(
    frame: Frame, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many chunks, equal times and late records; averages, which are no whole numbers."""
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 32)
    stream = Generated(400, 7, 3, 100, 600, late_millionths=200_000, late_by=1500, end=True, border_millionths=300_000)
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(200)),)
    scenario = Scenario("over", Over(frame, Function("aggregate", "avg")), stream, inputs, origin=-1234)
    rows = simulator.run_rows(scenario)
    assert {row["row"] for row in rows} > {"emitted", "dropped"}
    assert batch.plan_of(scenario).way == ("keyed" if frame.range == 900 else "native")
    assert spark_rows(scenario) == compared(rows)


@pytest.mark.parametrize("assigner", [Sliding(1500, 400, 100), Sliding(300, 700), Cumulative(1500, 500, -250)])
def test_top_n_of_a_generated_stream(
    assigner: Sliding | Cumulative, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows that are no multiple of their slide, or lie apart, or grow; many equal values."""
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 32)
    stream = Generated(
        400, 7, 3, 100, 600, late_millionths=200_000, late_by=1500, values=(1, 4), end=True, border_millionths=300_000
    )
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(200, 250)),)
    scenario = Scenario("top", WindowTopN(assigner, 2), stream, inputs, origin=-1234)
    rows = simulator.run_rows(scenario)
    assert {row["row"] for row in rows} > {"ranked", "dropped"}
    assert batch.plan_of(scenario).way == "native"
    assert spark_rows(scenario) == compared(rows)


@pytest.mark.parametrize("case", ["in a gap", "cumulative", "two inputs"])
def test_windows_of_a_generated_stream(
    case: str, spark_rows: Callable[[Scenario], Rows], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The possible window ends are known in advance; the items that reach them decide which records are late."""
    monkeypatch.setattr(batch, "CHUNK_ITEMS", 17)  # the last chunk is not full, nor is the last block of any
    monkeypatch.setattr("tidemark.spark_bridge.execution.notable.BLOCK_ITEMS", 5)
    stream = Generated(400, 7, 3, 100, 600, late_millionths=50_000, late_by=1500, end=True, border_millionths=300_000)
    bounded = BoundedOutOfOrderness(200)
    asked = BoundedOutOfOrderness(200, 250)
    inputs: tuple[InputSpec, ...] = (InputSpec("events", 2, bounded),)
    operator: Window | WindowJoin
    match case:
        case "in a gap":
            # Late records in the block that the stream ends in; with this offset, its gap is at the end of time.
            stream = replace(stream, late_millionths=400_000)
            operator = Window(
                Sliding(700, 900, 100), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=300
            )
        case "cumulative":
            aggregate = Function("aggregate", "avg")
            operator = Window(Cumulative(1500, 500, -250), AfterEndOfWindow(), aggregate, "sql", allowed_lateness=700)
        case _:
            operator = WindowJoin("co-group", Tumbling(700), EventTimeTrigger(), "event", None, 300, "full")
            inputs = (InputSpec("left", 2, bounded), InputSpec("right", 1, asked))
    scenario = Scenario("windows", operator, stream, inputs, origin=-1234)
    native = batch.plan_of(scenario)
    assert possible_ends(native, getattr(native.operator, "window", native.operator)) is not None
    assert spark_rows(scenario) == compared(simulator.run_rows(scenario))
