"""What the batch engine computes, as plain numbers: made from a scenario here, carried out in ``execution``.

A scenario becomes a table of *entries* in their total order, (item, sub). Each is a record or a signal that may move
a channel's watermark. A channel's watermark is the running maximum of the channel's *candidates*, the combined one
the minimum over the channels. Everything else (which windows take a record, when they fire) follows from the combined
watermark before and after each entry.

The entries are cut into chunks of consecutive items. Their number is bounded whatever the length of the stream, so
the driver may know one number for each chunk and channel; nothing else of the data ever comes to it.

A stream with restores is written out as it happens: after a restore comes what the sources send again. The position of
an item in that is its *place*; the rows keep its number in the scenario.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tidemark.simulator.engine.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.programs.spark_columns import PLACE, Named, Rows, aggregates_in_spark, rows_in_spark
from tidemark.simulator.programs.spark_expressions import NoTwin
from tidemark.simulator.scenario.model import EACH_RECORD, Data, Function, Generated, InputSpec, Scenario, WatermarkSpec
from tidemark.simulator.scenario.stream import Borders, borders_in, span_of
from tidemark.spark_bridge.plan.operators import (
    KeyedPlan,
    OperatorPlan,
    TopNPlan,
    WindowJoinPlan,
    WindowPlan,
    needs_clock,
    operator_plan,
)
from tidemark.spark_bridge.watermarks.order import Wiring, period_of, ranks

# Rows with columns for the batch engine: Flink's ``Calc`` and the aggregates of columns as texts of Spark SQL.
#
# The operator itself works on numbers: a record's value is the number of its row, and a function of columns collects
# the numbers of the rows that it is over. So every operator of the bridge is as it is, and what stands in front of
# it and what is computed of the rows behind it is Spark's.

__all__ = ["PLACE", "NoTwin", "Rows", "Structs", "numbered", "structs_of", "written_row"]


@dataclass(frozen=True)
class Structs:
    """``rows``: of each input, None for one without columns; ``aggregates``: those of the only input, by Flink's name.

    ``order``: the column of Spark that puts its rows in order, and whether the largest comes first.
    """

    rows: tuple[Rows | None, ...]
    aggregates: Mapping[str, Named]
    order: tuple[str, bool] | None


def structs_of(scenario: Scenario) -> Structs | None:
    """None for a scenario without columns. Raises ``NoTwin``."""
    if not any(each.columns for each in scenario.inputs):
        return None
    operator, zone = scenario.operator, scenario.operator.session_zone or "UTC"
    rows = tuple(rows_in_spark(each, zone) if each.columns else None for each in scenario.inputs)
    aggregates: Mapping[str, Named] = {}
    if operator.function is not None and operator.function.columns:
        (spec,) = scenario.inputs
        assert rows[0] is not None
        frame = hasattr(operator, "frame")
        aggregates = aggregates_in_spark(operator.function, spec, rows[0], zone, frame=frame)
        if operator.updates:
            raise NoTwin("+U")
    by, order = getattr(operator, "by", None), None
    if by is not None and rows[0] is not None:
        order = rows[0].all[by].name, getattr(operator, "order", "") == "desc"
    return Structs(rows, aggregates, order)


def numbered(scenario: Scenario) -> Scenario:
    """The scenario over the numbers of its rows, for a plan."""
    operator: Any = scenario.operator
    function = operator.function
    if function is not None and function.columns:
        operator = replace(operator, function=Function(function.call, "collect"))
    if getattr(operator, "by", None) is not None:
        operator = replace(operator, by=None)
    return replace(scenario, operator=operator)


def written_row(spec: InputSpec, record: Record) -> dict[str, Any]:
    """The columns of a record as they are written, without those that the simulator has computed."""
    given = record.value or {}
    return {name: given[name] for name, _ in spec.columns if name in given}


_SENT = Record | Watermark | Status | End
"""The kinds of item that a source sends again."""


@dataclass(frozen=True, slots=True)
class Replays:
    """``items`` by place; ``numbers`` are the scenario's. ``withdrawn``: the places whose rows a restore withdraws."""

    items: tuple[Item, ...]
    numbers: tuple[int, ...]
    withdrawn: frozenset[int]


def replays_of(stream: object) -> Replays | None:
    """The stream with what is sent again; None if nothing is restored."""
    if not (isinstance(stream, tuple) and any(isinstance(item, Restore) for item in stream)):
        return None
    items: list[Item] = []
    numbers: list[int] = []
    places: dict[int, int] = {}
    taken_back: list[range] = []
    for number, item, checkpoint in _happening(stream):
        if checkpoint is not None:
            # On the clock's way to the restore windows still fire; they are withdrawn with everything since the
            # checkpoint.
            items.append(Advance(0, item.at))
            numbers.append(number)
            taken_back.append(range(places[checkpoint] + 1, len(items)))
        places[number] = len(items)
        items.append(item)
        numbers.append(number)
    withdrawn: set[int] = set()
    done = len(items)
    for each in reversed(taken_back):  # a later one covers every earlier one that begins after it
        withdrawn.update(range(each.start, min(each.stop, done)))
        done = min(done, each.start)
    return Replays(tuple(items), tuple(numbers), frozenset(withdrawn))


def replayed(stream: object) -> int:
    """How many items are sent again."""
    if not isinstance(stream, tuple):
        return 0
    sent = [0]
    for item in stream:
        sent.append(sent[-1] + isinstance(item, _SENT))
    return sum(sent[number] - sent[checkpoint] for number, checkpoint in _restores(stream))


def _restores(stream: Iterable[Item]) -> Iterator[tuple[int, int]]:
    """The restores, each with the number of its checkpoint."""
    taken: dict[str, int] = {}
    for number, item in enumerate(stream):
        if isinstance(item, Checkpoint):
            taken[item.name] = number
        elif isinstance(item, Restore):
            checkpoint = taken[item.name]
            taken = {name: each for name, each in taken.items() if each <= checkpoint}
            yield number, checkpoint


def _happening(stream: tuple[Item, ...]) -> Iterator[tuple[int, Item, int | None]]:
    """(number, item, number of the checkpoint if the item is a restore), in the order in which they happen."""
    checkpoints = dict(_restores(stream))
    for number, item in enumerate(stream):
        checkpoint = checkpoints.get(number)
        yield number, item, checkpoint
        if checkpoint is not None:
            for again in range(checkpoint + 1, number):
                if isinstance(stream[again], _SENT):
                    yield again, _at_once(stream[again]), None


def _at_once(item: Any) -> Item:
    """The item as it is sent again: the clock does not wait for its time."""
    again: Item = item._replace(at=None) if isinstance(item, Record) else replace(item, at=None)
    return again


CHUNK_ITEMS = 8192
"""The fewest items of a chunk (the last one may have fewer)."""

CHUNKS = 1024
"""The most chunks."""

CHUNK_MAXIMA = 65_536
"""The most numbers that the driver holds, one for each chunk and channel."""

PARTITION_ITEMS = 1_000_000
"""About this many items go to one task."""

FEWEST_PARTITIONS = 2

SMALL_ITEMS = 20_000
"""Up to this many items, replanning between stages and compiling them cost more than they save."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """Items 0 … ``items`` − 1 in ``count`` chunks of ``size`` items.

    ``fewest``: the fewest partitions if there are several chunks.
    """

    items: int
    size: int
    count: int
    fewest: int = FEWEST_PARTITIONS

    @property
    def are_small(self) -> bool:
        """Whether there is so little data that optimizing takes Spark longer than it saves."""
        return self.items <= SMALL_ITEMS

    @property
    def partitions(self) -> int:
        """How many tasks share the work; a single chunk is one task's."""
        return min(self.count, max(self.fewest, -(-self.items // PARTITION_ITEMS)))


@dataclass(frozen=True, slots=True)
class InputPlan:
    """One input; its ``channels`` are numbered from ``first`` on, over all inputs."""

    name: str
    first: int
    channels: int
    watermark: WatermarkSpec


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A scenario for the batch engine. ``whole_numbers``: every value in the computation is an integer.

    ``watermark_in_order``: the watermark depends on the order of everything that happens, not on maxima alone. A stream
    with restores is written out as it happens; ``numbers`` are then the numbers of the items in the rows, and the rows
    of those ``withdrawn`` do not count. A processing-time timer runs ``pause`` ms after its timestamp. ``tasks`` run
    side by side; where each of them must see everything, there are no more than these. ``clocks``: those at each
    item of a stream from files, where tasks have to know them. ``sample``: of the rows those of one key in so many.
    ``borders``: those that a generated stream seeks. ``structs``: what is computed of
    columns, which ``scenario`` has not.
    """

    scenario: Scenario
    inputs: tuple[InputPlan, ...]
    operator: OperatorPlan
    chunks: Chunks
    records: int
    whole_numbers: bool
    watermark_in_order: bool
    numbers: tuple[int, ...] | None = None
    withdrawn: frozenset[int] = frozenset()
    pause: int = 1
    tasks: int = FEWEST_PARTITIONS
    clocks: tuple[int, ...] = ()
    sample: int = 1
    borders: Borders | None = None
    structs: Structs | None = None

    @property
    def channels(self) -> int:
        """How many there are, over all inputs."""
        return sum(each.channels for each in self.inputs)

    @property
    def is_periodic(self) -> bool:
        """Whether any input has ticks, for emission or idleness."""
        return any(period_of(each.watermark) for each in self.inputs)

    def on(self, parallelism: int) -> "BatchPlan":
        """The plan for a Spark that runs that many tasks side by side, so that each of them has something to do."""
        chunks = replace(self.chunks, fewest=max(FEWEST_PARTITIONS, parallelism))
        return replace(self, chunks=chunks, tasks=max(1, parallelism))

    def most_windows(self, window: WindowPlan) -> int:
        """The most windows that there can be, not counting keys."""
        overlapping = -(-window.size // window.slide)
        stream = self.scenario.stream
        if isinstance(stream, Data) and (times := stream.known.ts) is not None:
            return min(self.records, (times[1] - times[0]) // window.slide + 2) * overlapping
        if not isinstance(stream, Generated):
            return self.records * overlapping
        earliest, latest = span_of(stream, self.borders)
        span = latest - earliest
        return min(stream.events, span // window.slide + 2) * overlapping

    def input_of(self, name: str) -> InputPlan:
        """The input of that name."""
        return next(each for each in self.inputs if each.name == name)

    @property
    def windows(self) -> WindowPlan | None:
        """The windows that DataFrame operations compute; None without such windows."""
        match self.operator:
            case WindowPlan() as windows:
                return windows
            case WindowJoinPlan(window=windows) | TopNPlan(window=windows):
                return windows
            case _:
                return None

    @property
    def way(self) -> str:
        """How the rows are computed: ``native``, ``keyed``, or ``ordered`` if only the watermark is not native."""
        if isinstance(self.operator, KeyedPlan):
            return "keyed"
        return "ordered" if self.watermark_in_order else "native"

    @property
    def wiring(self) -> Wiring:
        """The channels, for a passage through the stream in order."""
        inputs = tuple((each.watermark, each.channels) for each in self.inputs)
        return Wiring(inputs, self.scenario.origin, self.scenario.operator.combines_watermarks)

    @property
    def tick_ranks(self) -> list[int]:
        """The place of each channel among the ticks of one millisecond."""
        return ranks([period_of(each.watermark) for each in self.inputs for _ in range(each.channels)])


def plan_of(scenario: Scenario) -> BatchPlan:
    """The plan of a scenario without gaps (see ``coverage``)."""
    structs = structs_of(scenario)
    if structs is not None:
        scenario = numbered(scenario)
    stream = scenario.stream
    inputs = inputs_of(scenario)
    replays = replays_of(stream)
    restores = replays is not None
    if isinstance(stream, Generated):
        items, records, whole = stream.events + stream.end, stream.events, True
    elif isinstance(stream, Data):
        found = stream.known
        items, records, whole = len(stream), found.records, found.values == "whole" and found.no_number is None
    else:
        items, records = len(stream), sum(isinstance(item, Record) for item in stream)
        whole = structs is not None or all(type(value) is int for value in record_values(stream))
    if replays is not None:
        items, scenario = len(replays.items), replace(scenario, stream=replays.items)
    return BatchPlan(
        scenario=scenario,
        inputs=inputs,
        operator=operator_plan(scenario, whole, restores),
        chunks=chunks_of(items, sum(each.channels for each in inputs)),
        records=records,
        whole_numbers=whole,
        watermark_in_order=_depends_on_order(scenario, restores),
        numbers=None if replays is None else replays.numbers,
        withdrawn=frozenset() if replays is None else replays.withdrawn,
        borders=borders_in(scenario),
        structs=structs,
    )


def _depends_on_order(scenario: Scenario, restores: bool) -> bool:
    """Whether the watermark depends on the order of everything that happens.

    That is so where a channel can be idle, a watermark leaves if it is far enough above the last one, watermarks start
    again after a restore, or the operator has processing-time timers besides the ticks of the channels.
    """
    specs = [each.watermark for each in scenario.inputs]
    if restores or (needs_clock(scenario.operator) and any(map(period_of, specs))):
        return True
    leaps = any(spec.type == "sql" and spec.emit != EACH_RECORD for spec in specs)
    items = scenario.stream if isinstance(scenario.stream, tuple) else ()
    return leaps or any(spec.idle_timeout for spec in specs) or any(isinstance(item, Status) for item in items)


def inputs_of(scenario: Scenario) -> tuple[InputPlan, ...]:
    """The inputs, with their channels numbered."""
    inputs, first = [], 0
    for each in scenario.inputs:
        inputs.append(InputPlan(each.name, first, each.channels, each.watermark))
        first += each.channels
    return tuple(inputs)


def chunks_of(items: int, channels: int) -> Chunks:
    """The chunks of a stream of that length."""
    most = max(1, min(CHUNKS, CHUNK_MAXIMA // channels))
    size = max(CHUNK_ITEMS, -(-items // most))
    return Chunks(items, size, max(1, -(-items // size)))


def record_values(stream: Iterable[object]) -> Iterable[object]:
    """The values of the records among the items of a list."""
    return (item.value for item in stream if isinstance(item, Record))


@dataclass(frozen=True, slots=True)
class Prefix:
    """What the driver knows of the chunks: the channels' watermarks before each, and the combined one after each."""

    before: tuple[tuple[int, ...], ...]
    after: tuple[int, ...]

    @staticmethod
    def of_one_chunk(channels: int) -> "Prefix":
        """The prefix of a single chunk: nothing before it, and everything that is ever reached is reached in it."""
        return Prefix(((MIN,) * channels,), (MAX,))


def prefix_of(maxima: Iterable[tuple[int, int, int]], chunks: Chunks, channels: int) -> Prefix:
    """The running maxima over the chunks, from (chunk, channel, highest candidate) in any order."""
    highest = {(chunk, channel): candidate for chunk, channel, candidate in maxima}
    current = [MIN] * channels
    before, after = [], []
    for chunk in range(chunks.count):
        before.append(tuple(current))
        current = [max(now, highest.get((chunk, channel), MIN)) for channel, now in enumerate(current)]
        after.append(min(current))
    return Prefix(tuple(before), tuple(after))


MOST_ENDS = 250_000
"""At most this many ends of windows are sent to every executor; more are joined by an exchange."""


def possible_ends(plan: BatchPlan, window: WindowPlan) -> range | None:
    """Every end (ms) that a window of the stream can have, and perhaps more.

    None for a list, if there are too many, or more than records, and where the watermark depends on the order of all.
    """
    stream, origin = plan.scenario.stream, plan.scenario.origin
    if plan.watermark_in_order or not plan.records:
        return None
    if isinstance(stream, Generated):
        earliest, latest = span_of(stream, plan.borders)
        lowest, highest = origin + earliest, origin + latest - stream.every
    elif isinstance(stream, Data) and stream.known.ts is not None:
        lowest, highest = stream.known.ts
    else:
        return None
    last = window.newest_start(lowest) + window.size
    first = last - max(0, last - lowest - 1) // window.slide * window.slide
    ends = range(first, window.newest_start(highest) + window.size + 1, window.slide)
    return ends if len(ends) <= min(MOST_ENDS, plan.records) else None
