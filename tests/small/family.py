"""A few hundred settings whose lengths are a few milliseconds, so that every time of a short stream matters."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from tidemark.simulator.explore.differ.streams import every, space_of
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    Assigner,
    BoundedOutOfOrderness,
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountElement,
    CountEvictor,
    CountTrigger,
    Cumulative,
    Deduplicate,
    EventTimeTrigger,
    EveryElement,
    Evictor,
    Frame,
    Function,
    Global,
    InputSpec,
    IntervalJoin,
    Operator,
    Over,
    Process,
    ProcessingTimeTrigger,
    Punctuated,
    PurgingTrigger,
    Scenario,
    Session,
    Sliding,
    SqlWatermark,
    TemporalJoin,
    TimeEvictor,
    Trigger,
    Tumbling,
    WatermarkSpec,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.spark_bridge import gaps_of

TIMES: Final = (0, 1, 2, 3, 4)
"""The times of the records (ms), or of the clock in processing time."""

Shape = tuple[range, int, int]
"""How many records streams have, and of how many keys and channels of an input these are."""

SHAPES: Final[tuple[Shape, ...]] = ((range(1, 4), 2, 2), (range(4, 5), 1, 1))
OF_JOINS: Final[tuple[Shape, ...]] = ((range(1, 3), 2, 2), (range(3, 4), 1, 1))
"""The streams of one input, and of two, of which there are more."""

KEYS: Final = ("a", "b")

ASSIGNERS: Final[tuple[Assigner, ...]] = (
    Tumbling(2),
    Tumbling(3, 1),
    Sliding(4, 2),
    Sliding(3, 2),
    Session(1),
    Session(2),
)
SUM: Final = Function("aggregate", "sum")
LIST: Final = Function("process", "collect")
TRIGGERS: Final[tuple[Trigger, ...]] = (
    CountTrigger(2),
    ContinuousEventTimeTrigger(1),
    PurgingTrigger(EventTimeTrigger()),
    PurgingTrigger(CountTrigger(2)),
)
EVICTORS: Final[tuple[Evictor, ...]] = (CountEvictor(1), CountEvictor(1, True), TimeEvictor(1), TimeEvictor(0, True))
GENERATORS: Final[tuple[WatermarkSpec, ...]] = (
    BoundedOutOfOrderness(0),
    BoundedOutOfOrderness(1),
    Punctuated(1),
    SqlWatermark(1),
    BoundedOutOfOrderness(0, idle_timeout=1),
    BoundedOutOfOrderness(0, emit=2),
)


@dataclass(frozen=True)
class Setting:
    """A scenario without a stream, and the shapes of the streams that are tried in it."""

    name: str
    scenario: Scenario
    shapes: tuple[Shape, ...]

    def streams(self) -> Iterator[Scenario]:
        """All its streams, as scenarios."""
        by_clock = self.scenario.operator.time == "processing"
        ticks = any(each.watermark.emit or each.watermark.idle_timeout for each in self.scenario.inputs)
        for sizes, keys, channels in self.shapes:
            inputs = tuple(replace(each, channels=channels) for each in self.scenario.inputs)
            scenario = replace(self.scenario, inputs=inputs)
            space = space_of(scenario, scenario)
            space = replace(
                space,
                times=(0,) if by_clock else TIMES[::2] if ticks else TIMES,
                clock=TIMES if by_clock else tuple(200 * time for time in TIMES[::2]) if ticks else (),
                payloads=tuple(tuple(each for each in known if each[0] in KEYS[:keys]) for known in space.payloads),
            )
            for size in sizes:
                for stream in every(space, size):
                    yield replace(scenario, stream=stream)


def _windows() -> Iterator[Operator]:
    ends = EventTimeTrigger()
    for assigner, lateness in product(ASSIGNERS, (0, 1, 2)):
        yield Window(assigner, ends, SUM, allowed_lateness=lateness, late_output="side" if lateness == 1 else "drop")
    for assigner, trigger in product(ASSIGNERS, TRIGGERS):
        yield Window(assigner, trigger, LIST, allowed_lateness=1)
    for assigner, evictor in product(ASSIGNERS, EVICTORS):
        yield Window(assigner, ends, LIST, evictor=evictor, allowed_lateness=1)
    yield Window(Global(), CountTrigger(2), LIST)
    yield Window(Global(), PurgingTrigger(CountTrigger(2)), SUM)
    yield Window(Global(), CountTrigger(1), LIST, evictor=TimeEvictor(1))
    for assigner in ASSIGNERS:
        yield Window(assigner, ProcessingTimeTrigger(), SUM, time="processing")
        yield Window(assigner, ContinuousProcessingTimeTrigger(1), LIST, time="processing")


def _of_tables() -> Iterator[Operator]:
    early, both = AfterEndOfWindow(EveryElement()), AfterEndOfWindow(CountElement(2), EveryElement())
    for assigner in (*ASSIGNERS, Cumulative(4, 2)):
        for lateness, updates in product((0, 2), (False, True)):
            yield Window(assigner, AfterEndOfWindow(), SUM, api="sql", allowed_lateness=lateness, updates=updates)
        yield Window(assigner, early, SUM, api="sql", updates=True)
        yield Window(assigner, both, SUM, api="sql", allowed_lateness=2, updates=True)
        if not isinstance(assigner, Sliding) or assigner.size % assigner.slide == 0:
            yield Window(assigner, AfterEndOfWindow(), SUM, api="tvf")
        if not assigner.merges:
            yield WindowTopN(assigner, 1, "desc")
            yield WindowTopN(assigner, 2, "asc")
    for frame in (Frame(rows=1), Frame(rows="unbounded"), Frame(range=1), Frame(range="unbounded")):
        yield Over(frame, SUM)
    yield from (Deduplicate("first"), Deduplicate("last"), Process(Function("event-sort")))


def _joins() -> Iterator[Operator]:
    for assigner, lateness in product((Tumbling(2), Sliding(4, 2), Session(1)), (0, 1)):
        yield WindowJoin("window-join", assigner, EventTimeTrigger(), allowed_lateness=lateness)
        yield WindowJoin("co-group", assigner, EventTimeTrigger(), allowed_lateness=lateness, join="left")
    for lower, upper, open_ends in ((-1, 1, False), (0, 2, True), (1, 2, False), (-2, -1, False)):
        yield IntervalJoin(lower, upper, open_ends, open_ends, "side")
    yield from (TemporalJoin("inner"), TemporalJoin("left"))


def family() -> list[Setting]:
    """All settings that the bridge covers."""
    found = []
    for operator in (*_windows(), *_of_tables(), *_joins()):
        joins = operator.is_join
        names = ("left", "right") if joins else ("events",)
        plain = isinstance(operator, Window) and operator.trigger == EventTimeTrigger() and operator.evictor is None
        for spec in GENERATORS if plain else GENERATORS[1:2] if joins else GENERATORS[1:4]:
            scenario = Scenario("small", operator, (), tuple(InputSpec(name, watermark=spec) for name in names))
            if not gaps_of(scenario, "batch"):
                found.append(Setting(f"{operator} {spec}", scenario, OF_JOINS if joins else SHAPES))
    return found
