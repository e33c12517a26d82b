"""What the batch engine computes, as plain numbers: made from a scenario here, carried out in ``execution``.

A scenario becomes a table of *entries* in their total order, (item, sub). Each is a record or a signal that may move
a channel's watermark. A channel's watermark is the running maximum of the channel's *candidates*, the combined one
the minimum over the channels. Everything else (which windows take a record, when they fire) follows from the combined
watermark before and after each entry.

The entries are cut into chunks of consecutive items. Their number is bounded whatever the length of the stream, so
the driver may know one number for each chunk and channel; nothing else of the data ever comes to it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from simulator.scenario.model import Generated, Process, Scenario, Sliding, Tumbling, WatermarkSpec, Window
from simulator.values.items import Record
from simulator.values.time import MAX, MIN

CHUNK_ITEMS = 8192
"""A chunk holds at least so many items (the last one may hold fewer)."""

CHUNKS = 1024
"""There are at most so many chunks."""

CHUNK_MAXIMA = 65_536
"""The driver holds at most so many numbers, one for each chunk and channel."""

PARTITION_ITEMS = 250_000
"""So many items, about, go to one task."""

FEWEST_PARTITIONS = 4


@dataclass(frozen=True, slots=True)
class Chunks:
    """Items 0 … ``items`` − 1 in ``count`` chunks of ``size`` items."""

    items: int
    size: int
    count: int

    @property
    def partitions(self) -> int:
        """How many tasks should share the work."""
        return max(FEWEST_PARTITIONS, -(-self.items // PARTITION_ITEMS))


@dataclass(frozen=True, slots=True)
class WindowPlan:
    """Tumbling windows are sliding ones with ``slide`` = ``size``. Durations in ms."""

    size: int
    slide: int
    offset: int
    lateness: int
    late_row: str
    compute: str


@dataclass(frozen=True, slots=True)
class SortPlan:
    """The event sort takes no parameters."""


@dataclass(frozen=True, slots=True)
class BatchPlan:
    """A scenario for the batch engine. ``whole_numbers``: every value that is computed with is an integer."""

    scenario: Scenario
    input: str
    channels: int
    watermark: WatermarkSpec
    operator: WindowPlan | SortPlan
    chunks: Chunks
    records: int
    whole_numbers: bool


def with_events(scenario: Scenario, events: int | None) -> Scenario:
    """The scenario with another number of generated records. Raises ``ValueError`` for a stream that is a list."""
    if events is None:
        return scenario
    if not isinstance(scenario.stream, Generated):
        raise ValueError("the number of events can be set for a generated stream only")
    return replace(scenario, stream=replace(scenario.stream, events=events))


def plan_of(scenario: Scenario) -> BatchPlan:
    """The plan of a scenario that ``coverage`` has found nothing against."""
    source = scenario.inputs[0]
    stream = scenario.stream
    if isinstance(stream, Generated):
        items, records, whole = stream.events + stream.end, stream.events, True
    else:
        items, records = len(stream), sum(isinstance(item, Record) for item in stream)
        whole = all(type(value) is int for value in record_values(stream))
    return BatchPlan(
        scenario=scenario,
        input=source.name,
        channels=source.channels,
        watermark=source.watermark,
        operator=_operator_plan(scenario.operator),
        chunks=chunks_of(items, source.channels),
        records=records,
        whole_numbers=whole,
    )


def chunks_of(items: int, channels: int) -> Chunks:
    """How a stream of that length is cut."""
    most = max(1, min(CHUNKS, CHUNK_MAXIMA // channels))
    size = max(CHUNK_ITEMS, -(-items // most))
    return Chunks(items, size, max(1, -(-items // size)))


def record_values(stream: Iterable[object]) -> Iterable[object]:
    """The values of the records among the items of a list."""
    return (item.value for item in stream if isinstance(item, Record))


def _operator_plan(operator: object) -> WindowPlan | SortPlan:
    match operator:
        case Process():
            return SortPlan()
        case Window(assigner=Tumbling(size=size, offset=offset)):
            slide = size
        case Window(assigner=Sliding(size=size, slide=slide, offset=offset)):
            pass
        case _:
            raise TypeError(f"no plan for {operator}")
    late_row = "late" if operator.late_output == "side" else "dropped"
    return WindowPlan(size, slide, offset, operator.allowed_lateness, late_row, operator.function.compute or "")


@dataclass(frozen=True, slots=True)
class Prefix:
    """What the driver knows of the chunks: the channels' watermarks before each, the combined one after each."""

    before: tuple[tuple[int, ...], ...]
    after: tuple[int, ...]

    @staticmethod
    def of_one_chunk(channels: int) -> "Prefix":
        """Nothing before the only chunk; whatever is reached at all is reached in it."""
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
