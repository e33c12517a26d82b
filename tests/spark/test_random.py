"""Random scenarios: the batch engine emits the simulator's rows, whatever the stream and its chunks."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import cycle

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
from tests.random_scenarios.flink import GENERATORS, NUMBERS, Uses, scenarios
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
WITHOUT_LEAPS = tuple(each for each in GENERATORS if each != "sql")
"""A watermark of theirs leaves however little it is above the last one."""
KINDS = {
    "simple windows": windows(times=EVENT).filter(lambda each: each.trigger == EventTimeTrigger() and not each.evictor),
    "windows": windows(times=EVENT),
    "simple table windows": table_windows(times=EVENT).filter(lambda each: each.trigger == AfterEndOfWindow()),
    "table windows": table_windows(times=EVENT),
    "simple window joins": window_joins(times=EVENT).filter(
        lambda each: isinstance(each.assigner, Tumbling | Sliding) and each.trigger == EventTimeTrigger()
    ),
    "window joins": window_joins(times=EVENT),
    "interval joins": interval_joins(),
    "event sorts": event_sorts(),
    "window top-n": window_top_ns(),
    "row operators": row_operators(),
}


AWAKE = Uses(40, channels=3, controls=("watermark", "advance"), restores=0, values=NUMBERS, generators=WITHOUT_LEAPS)
ASLEEP_AT_TIMES = Uses(40, channels=3, restores=0)
WAYS = {
    "native": ("simple windows", "simple table windows", "simple window joins", "interval joins", "event sorts",
               "window top-n", "row operators"),
    "ordered": ("simple windows", "interval joins"),
    "keyed": ("windows", "table windows", "window joins"),
}  # fmt: skip


def _awake(scenario: Scenario) -> Scenario:
    """The scenario, where no channel turns idle."""
    marks = [each.watermark for each in scenario.inputs]
    specs = [watermark_spec(each.type, each.bound, each.emit) for each in marks]
    inputs = (replace(each, watermark=spec) for each, spec in zip(scenario.inputs, specs, strict=True))
    return replace(scenario, inputs=tuple(inputs))


def _richest(kind: str, way: str, uses: Uses, channels: int = 1) -> Scenario:
    """Of the random scenarios that are computed in that way, the one with the most kinds of rows, and most rows."""
    made = drawn(scenarios(KINDS[kind], uses), 60)
    awake = map(_awake, made) if way == "native" else made
    several = (each for each in awake if sum(source.channels for source in each.inputs) >= channels)
    return max((each for each in several if _way(each) == way and _runs(each)), key=_variety)


def _way(scenario: Scenario) -> str:
    keyed = _keyed(scenario)
    return "in processing time" if keyed and keyed.ordered else batch.plan_of(scenario).way


def _variety(scenario: Scenario) -> tuple[int, int]:
    rows = compared(simulator.run_rows(scenario))
    return len({columns[0] for columns in rows}), rows.total()


@pytest.fixture
def same_rows(
    rows_together: Callable[[Mapping[str, batch.BatchPlan]], dict[str, Rows]], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """A function that compares the rows of scenarios, by name, as one action, each cut into chunks of so many items."""

    def compare(chosen: Mapping[str, Scenario], *chunks: int) -> None:
        plans = {}
        for chunk, (name, scenario) in zip(cycle(chunks), chosen.items(), strict=False):
            monkeypatch.setattr(batch, "CHUNK_ITEMS", chunk)
            plans[name] = batch.plan_of(scenario)
        found = rows_together(plans)
        for name, scenario in chosen.items():
            assert found[name] == compared(simulator.run_rows(scenario)), name

    return compare


@pytest.mark.parametrize("way", WAYS)
def test_same_rows(way: str, same_rows: Callable[..., None]) -> None:
    """Chunks of a few items, so that the prefix maximum and the as-of join have something to do.

    A keyed function is called alike for all operators; ``test_keyed.py`` covers hundreds of them.
    """
    uses = AWAKE if way == "native" else ASLEEP_AT_TIMES
    same_rows({kind: _richest(kind, way, uses) for kind in WAYS[way]}, 4, 1, 9)


def test_same_rows_with_many_channels(same_rows: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The channels stay in rows; in several chunks, and in one."""
    monkeypatch.setattr("tidemark.spark_bridge.execution.watermark.MOST_COLUMNS", 0)
    kinds, uses = ("simple windows", "interval joins", "event sorts"), replace(AWAKE, channels=5)
    same_rows({kind: _richest(kind, "native", uses, channels=2) for kind in kinds}, 4, 9, 100)


@cache
def _in_processing_time() -> list[Scenario]:
    return list(filter(_runs, drawn(scenarios(windows(times=("processing",)), Uses(items=40)), 80)))


@pytest.mark.parametrize(("ticks", "restored"), [(False, False), (False, True), (True, True)])
def test_same_rows_in_processing_time(ticks: bool, restored: bool, same_rows: Callable[..., None]) -> None:
    """Keys divided among tasks, without and with restores; and all keys in one task, with ticks and restores.

    ``test_keyed.py`` runs hundreds of scenarios through the same tasks without Spark.
    """
    scenario = next(
        each
        for each in _in_processing_time()
        if (keyed := _keyed(each)) and keyed.ordered
        if (batch.plan_of(each).is_periodic, _restored(each)) == (ticks, restored)
    )
    same_rows({"": scenario}, 9)


# Streams that Spark generates itself.

SUM, AVERAGE = Function("aggregate", "sum"), Function("aggregate", "avg")
SUMS = Window(Tumbling(700), EventTimeTrigger(), SUM, allowed_lateness=300)
STREAM = Generated(400, 7, 3, 100, 600, late_millionths=50_000, late_by=1500, end=True, border_millionths=200_000)


def test_many_channels(same_rows: Callable[..., None]) -> None:
    stream = replace(STREAM, events=900)
    emits = {f"emits after {ms} ms": (InputSpec("events", 40, BoundedOutOfOrderness(200, ms)),) for ms in (0, 300)}
    same_rows({name: Scenario("many", SUMS, stream, inputs) for name, inputs in emits.items()}, 64)


BOUND_EMIT_KEYS_GAP_LATENESS_COMPUTE = (
    (600, 0, 3, 150, 500, "avg"), (150, 0, 20, 400, 0, "sum"), (300, 130, 1, 60, 900, "max"), (0, 0, 7, 1, 1, "count"),
)  # fmt: skip


def test_sessions(same_rows: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters that fire once and as a whole, and others; the bound covers the disorder, or not.

    Sessions touch, grow at both ends, merge after they have fired, and fire again.
    """
    monkeypatch.setattr("tidemark.spark_bridge.execution.sessions.FEWEST_ITEMS", 0)
    chosen = {}
    for bound, emit, keys, gap, lateness, compute in BOUND_EMIT_KEYS_GAP_LATENESS_COMPUTE:
        stream = replace(STREAM, events=1500, seed=bound, keys=keys, every=50, late_millionths=30_000)
        stream = replace(stream, end=lateness > 0)
        operator = Window(Session(gap), EventTimeTrigger(), Function("aggregate", compute), allowed_lateness=lateness)
        inputs = (InputSpec("events", 2, BoundedOutOfOrderness(bound, emit)),)
        chosen[f"{bound=} {gap=}"] = Scenario("sessions", operator, stream, inputs, origin=-4000)
    assert all(have_clusters(batch.plan_of(each)) for each in chosen.values())
    same_rows(chosen, 64, 64, 200)


def test_processing_time(same_rows: Callable[..., None]) -> None:
    """Many chunks and keys. The rows carry the watermark, which moves with nearly every record."""
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(200)),)
    stream = Generated(400, 7, 9, 100, disorder=600, end=True)
    windows = Window(Sliding(700, 300), ProcessingTimeTrigger(), Function("process", "collect"), time="processing")
    same_rows({"": Scenario("clock", windows, stream, inputs, origin=-1234)}, 16)


def test_idle_channels(same_rows: Callable[..., None]) -> None:
    """Many chunks: one task computes the watermark in order; everything after it is distributed again."""
    chosen = {}
    for generator in ("bounded-out-of-orderness", "sql"):
        idle, awake = (
            Scenario("idle", SUMS, STREAM, (InputSpec("events", 3, watermark_spec(generator, 200, 250, timeout)),))
            for timeout in (300, 0)
        )
        assert compared(simulator.run_rows(awake)) != compared(simulator.run_rows(idle)), "no channel is idle here"
        chosen[generator] = idle
    same_rows(chosen, 16)


def test_over(same_rows: Callable[..., None]) -> None:
    """Many chunks, equal times, late records, some at the very watermark; averages, which are no whole numbers."""
    stream = replace(STREAM, late_millionths=200_000, border_millionths=300_000)
    inputs = (InputSpec("events", 1, BoundedOutOfOrderness(200)),)
    chosen = {}
    for frame in (Frame(rows=UNBOUNDED), Frame(range=UNBOUNDED), Frame(range=900)):
        scenario = Scenario("over", Over(frame, AVERAGE), stream, inputs, origin=-1234)
        rows = simulator.run_rows(scenario)
        assert {row["row"] for row in rows} > {"emitted", "dropped"}
        assert any(row["row"] == "dropped" and row["ts"] == row["watermark"] for row in rows)
        assert batch.plan_of(scenario).way == ("keyed" if frame.range == 900 else "native")
        chosen[repr(frame)] = scenario
    same_rows(chosen, 32)


def test_top_n(same_rows: Callable[..., None]) -> None:
    """Windows that are no multiple of their slide, or lie apart, or grow; many equal values."""
    stream = replace(STREAM, late_millionths=200_000, values=(1, 4), border_millionths=300_000)
    inputs = (InputSpec("events", 2, BoundedOutOfOrderness(200, 250)),)
    chosen = {}
    for assigner in (Sliding(1500, 400, 100), Sliding(300, 700), Cumulative(1500, 500, -250)):
        scenario = Scenario("top", WindowTopN(assigner, 2), stream, inputs, origin=-1234)
        assert {row["row"] for row in simulator.run_rows(scenario)} > {"ranked", "dropped"}
        assert batch.plan_of(scenario).way == "native"
        chosen[repr(assigner)] = scenario
    same_rows(chosen, 32)


def test_windows(same_rows: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The possible window ends are known in advance; the items that reach them decide which records are late."""
    monkeypatch.setattr("tidemark.spark_bridge.execution.notable.BLOCK_ITEMS", 5)
    bounded, asked = BoundedOutOfOrderness(200), BoundedOutOfOrderness(200, 250)
    stream, one = replace(STREAM, border_millionths=300_000), (InputSpec("events", 2, bounded),)
    # Late records in the block that the stream ends in; with this offset, its gap is at the end of time.
    apart = Window(Sliding(700, 900, 100), EventTimeTrigger(), SUM, allowed_lateness=300)
    growing = Window(Cumulative(1500, 500, -250), AfterEndOfWindow(), AVERAGE, "sql", allowed_lateness=700)
    join = WindowJoin("co-group", Tumbling(700), EventTimeTrigger(), "event", None, 300, "full")
    two = (InputSpec("left", 2, bounded), InputSpec("right", 1, asked))
    chosen = {
        "in a gap": Scenario("windows", apart, replace(stream, late_millionths=400_000), one, origin=-1234),
        "cumulative": Scenario("windows", growing, stream, one, origin=-1234),
        "two inputs": Scenario("windows", join, stream, two, origin=-1234),
    }
    for native in map(batch.plan_of, chosen.values()):
        assert possible_ends(native, getattr(native.operator, "window", native.operator)) is not None
    same_rows(chosen, 17)  # the last chunk is not full, nor is the last block of any
