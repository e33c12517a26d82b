"""Scenarios for the timeline's tests: one that is known by heart, and hypothesis strategies for small random ones."""

from typing import Any

from hypothesis import strategies as st

from simulator.scenario.model import (
    AfterEndOfWindow,
    Assigner,
    BoundedOutOfOrderness,
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountElement,
    CountEvictor,
    CountTrigger,
    Cumulative,
    DeltaTrigger,
    DynamicSession,
    EventTimeTrigger,
    EveryElement,
    Function,
    Global,
    InputSpec,
    IntervalJoin,
    NeverTrigger,
    NoWatermarks,
    Operator,
    Process,
    ProcessingTimeEvery,
    ProcessingTimeoutTrigger,
    ProcessingTimeTrigger,
    Punctuated,
    PurgingTrigger,
    Scenario,
    Session,
    Sliding,
    SqlWatermark,
    TimeEvictor,
    Tumbling,
    Window,
    WindowJoin,
)
from simulator.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tests.watermarks import watermark_spec

BOUNDED = BoundedOutOfOrderness(2000)


def late_but_allowed(lateness: int = 3000) -> Scenario:
    """Sums in windows of 5 s with two channels; item 6 comes late, item 9 too late."""
    stream = (
        Record("a", 1000, 4, at=1300),
        Record("a", 3400, 5, channel=1, at=3600),
        Record("b", 4700, 3, at=4900),
        Record("a", 7200, 1, channel=1, at=7400),
        Record("a", 4300, 7, at=7900),
        Record("b", 8400, 2, at=8600),
        Record("a", 3900, 6, at=10300),
        Record("a", 11000, 3, channel=1, at=11400),
        Record("b", 12600, 4, at=13000),
        Record("b", 2800, 9, at=14400),
        End(),
    )
    operator = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"), allowed_lateness=lateness)
    return Scenario("late", operator, stream, (InputSpec("events", 2, BOUNDED),))


KEYS = st.sampled_from(["a", "b", 1, "1", True])
TIMES = st.integers(-3000, 15000)
VALUES = st.integers(-5, 9)

CALLS = st.one_of(
    st.builds(Function, st.just("reduce"), st.sampled_from(["sum", "min", "max"])),
    st.builds(Function, st.just("aggregate"), st.sampled_from(["sum", "count", "min", "max", "avg"])),
    st.builds(Function, st.just("process"), st.sampled_from(["collect", "sum", "max", "avg"])),
)
AGGREGATES = st.builds(Function, st.just("aggregate"), st.sampled_from(["sum", "count", "min", "max", "avg"]))
EVICTORS = st.one_of(
    st.none(),
    st.builds(CountEvictor, st.integers(0, 3), st.booleans()),
    st.builds(TimeEvictor, st.integers(0, 3000), st.booleans()),
)
GRIDS: st.SearchStrategy[Assigner] = st.sampled_from(
    [Tumbling(5000), Tumbling(3000, 1000), Sliding(4000, 2000), Sliding(3000, 5000)]
)


@st.composite
def windows(draw: st.DrawFn) -> Window:
    """A window operator of the DataStream API."""
    time = draw(st.sampled_from(["event", "event", "processing"]))
    assigner: Assigner = draw(st.one_of(GRIDS, st.just(Session(2000)), st.just(Global())))
    ends: Any = EventTimeTrigger() if time == "event" else ProcessingTimeTrigger()
    inner = draw(
        st.sampled_from(
            [ends, CountTrigger(2), ContinuousEventTimeTrigger(2000), ContinuousProcessingTimeTrigger(2000)]
        )
    )
    if isinstance(assigner, Global):
        inner = draw(
            st.sampled_from([NeverTrigger(), CountTrigger(2), DeltaTrigger(3), ContinuousProcessingTimeTrigger(2000)])
        )
    elif not isinstance(assigner, Session):
        inner = draw(st.sampled_from([inner, DeltaTrigger(3), ProcessingTimeoutTrigger(inner, 1000)]))
    trigger = draw(st.sampled_from([inner, PurgingTrigger(inner)]))
    return Window(
        assigner,
        trigger,
        draw(CALLS),
        time=time,
        evictor=draw(EVICTORS),
        allowed_lateness=draw(st.sampled_from([0, 2000])),
        late_output=draw(st.sampled_from(["drop", "side"])),
    )


def dynamic_sessions() -> st.SearchStrategy[Window]:
    """Sessions whose gap comes with each record, so that a window may lie within another."""
    return st.builds(
        Window,
        st.just(DynamicSession("gap")),
        st.sampled_from([EventTimeTrigger(), CountTrigger(2), PurgingTrigger(EventTimeTrigger())]),
        st.sampled_from([Function("aggregate", "count"), Function("process", "collect")]),
        allowed_lateness=st.sampled_from([0, 2000]),
    )


@st.composite
def table_windows(draw: st.DrawFn) -> Window:
    """A window operator of the table runtime."""
    periodic = st.sampled_from([None, EveryElement(), CountElement(2), ProcessingTimeEvery(2000)])
    time = draw(st.sampled_from(["event", "event", "processing"]))
    late = draw(periodic) if time == "event" else None
    assigner: Assigner = draw(st.one_of(GRIDS, st.just(Session(2000)), st.just(Cumulative(6000, 2000))))
    return Window(
        assigner,
        draw(st.sampled_from([AfterEndOfWindow(draw(periodic), late), CountElement(2)])),
        draw(AGGREGATES),
        api="sql",
        time=time,
        allowed_lateness=draw(st.sampled_from([0, 2000])),
        updates=draw(st.booleans()),
    )


def joins() -> st.SearchStrategy[Operator]:
    """The joins of Flink."""
    window_joins = st.builds(
        WindowJoin,
        st.sampled_from(["window-join", "co-group"]),
        st.sampled_from([Tumbling(5000), Session(2000), Sliding(4000, 2000)]),
        st.sampled_from([EventTimeTrigger(), CountTrigger(2), PurgingTrigger(EventTimeTrigger())]),
        evictor=st.sampled_from([None, CountEvictor(2)]),
        allowed_lateness=st.sampled_from([0, 2000]),
        join=st.just("inner"),
    )
    interval_joins = st.builds(
        IntervalJoin,
        st.sampled_from([-2000, 0]),
        st.sampled_from([0, 3000]),
        late_output=st.sampled_from(["drop", "side"]),
    )
    return st.one_of(window_joins, interval_joins)


OPERATORS: st.SearchStrategy[Operator] = st.one_of(
    windows(), table_windows(), dynamic_sessions(), joins(), st.just(Process(Function("event-sort")))
)

WATERMARKS = st.one_of(
    st.just(NoWatermarks()),
    st.builds(
        watermark_spec,
        st.just("bounded-out-of-orderness"),
        st.sampled_from([0, 2000]),
        st.sampled_from([0, 500]),
        st.sampled_from([0, 700]),
    ),
    st.just(Punctuated(1000)),
    st.just(SqlWatermark(1000)),
)


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    """Any kind of operator over a short stream, with restores among the items."""
    operator = draw(OPERATORS)
    names = ("left", "right") if isinstance(operator, WindowJoin | IntervalJoin) else ("events",)
    inputs = tuple(InputSpec(name, draw(st.integers(1, 2)), draw(WATERMARKS)) for name in names)
    gaps = isinstance(operator, Window) and isinstance(operator.assigner, DynamicSession)
    values: st.SearchStrategy[Any] = st.builds(dict, gap=st.integers(1, 6).map(lambda n: n * 1000)) if gaps else VALUES
    stream: list[Item] = []
    taken = False
    for _ in range(draw(st.integers(0, 12))):
        at_input = draw(st.sampled_from(inputs))
        channel = draw(st.integers(0, at_input.channels - 1))
        at = draw(st.one_of(st.none(), st.integers(0, 15000)))
        kind = draw(st.sampled_from(["record"] * 8 + ["watermark", "status", "advance", "checkpoint", "restore"]))
        match kind:
            case "record":
                key, ts, value = draw(KEYS), draw(TIMES), draw(values)
                stream.append(Record(key, ts, value, at_input.name, channel, at))
            case "watermark":
                stream.append(Watermark(draw(TIMES), at_input.name, channel, at))
            case "status":
                stream.append(Status(draw(st.sampled_from(["idle", "active"])), at_input.name, channel, at))
            case "advance":
                stream.append(Advance(draw(st.integers(0, 4000)), at))
            case "checkpoint":
                stream.append(Checkpoint("c", at))
                taken = True
            case "restore" if taken:
                stream.append(Restore("c", at))
    if draw(st.booleans()):
        stream.append(End())
    return Scenario("random", operator, tuple(stream), inputs)
