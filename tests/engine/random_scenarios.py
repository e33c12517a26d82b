"""Random scenarios of every operator type, for the laws that hold for all of them."""

from typing import Any

from hypothesis import strategies as st

from simulator.scenario import model
from simulator.values.items import Advance, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tests.watermarks import watermark_spec

KEYS = st.sampled_from(["a", "b", 1, "1", True])
NUMBERS = st.integers(-3, 9)
TIMES = st.integers(-12_000, 30_000)
SIZES = st.sampled_from([1_000, 2_500, 5_000])


def generators(sql: bool = False) -> st.SearchStrategy[model.WatermarkSpec]:
    """Any generator that needs no more than the scenario gives it."""
    bounds = st.sampled_from([0, 1, 700, 3_000])
    emits = st.sampled_from([0, 0, 200, 1_500])
    idle = st.sampled_from([0, 0, 500])
    kinds = [
        st.just(model.NoWatermarks()),
        st.builds(watermark_spec, st.just("bounded-out-of-orderness"), bounds, emits, idle),
        st.builds(watermark_spec, st.just("monotonous"), st.just(0), emits, idle),
        st.builds(watermark_spec, st.just("punctuated"), bounds, st.just(0), idle),
        st.builds(watermark_spec, st.just("sql"), bounds, emits, idle),
    ]
    return st.one_of(kinds)


def assigners(*, sql: bool = False) -> st.SearchStrategy[model.Assigner]:
    """Any assigner of the API."""
    common: list[st.SearchStrategy[Any]] = [
        st.builds(model.Tumbling, SIZES, st.sampled_from([0, 300, -999])),
        st.builds(model.Sliding, SIZES, st.sampled_from([1_000, 1_500, 6_000]), st.sampled_from([0, -400])),
        st.builds(model.Session, SIZES),
    ]
    if sql:
        return st.one_of(*common, st.builds(model.Cumulative, st.just(6_000), st.sampled_from([2_000, 3_000])))
    return st.one_of(*common, st.builds(model.DynamicSession, st.just("gap")), st.just(model.Global()))


def triggers(assigner: model.Assigner, time: str) -> st.SearchStrategy[model.Trigger]:
    """Any trigger that may stand on the assigner."""
    whole = isinstance(assigner, model.Global)
    merges = isinstance(assigner, model.Session | model.DynamicSession)
    simple: list[st.SearchStrategy[Any]] = [
        st.builds(model.CountTrigger, st.integers(1, 3)),
        st.builds(model.ContinuousProcessingTimeTrigger, st.sampled_from([1_000, 2_500])),
    ]
    if whole:
        simple.append(st.just(model.NeverTrigger()))
    else:
        simple += [
            st.just(model.EventTimeTrigger() if time == "event" else model.ProcessingTimeTrigger()),
            st.just(model.EventTimeTrigger()),
            st.builds(model.ContinuousEventTimeTrigger, st.sampled_from([1_000, 2_500])),
        ]
    if not merges:
        simple.append(st.builds(model.DeltaTrigger, st.sampled_from([0, 2.5])))
    inner = st.one_of(simple)
    nested: list[st.SearchStrategy[Any]] = [st.builds(model.PurgingTrigger, inner)]
    if not merges:
        nested.append(
            st.builds(model.ProcessingTimeoutTrigger, inner, st.sampled_from([0, 800]), st.booleans(), st.booleans())
        )
    return st.one_of(inner, *nested)


def evictors() -> st.SearchStrategy[model.Evictor | None]:
    """No evictor, or any. A delta evictor fails on an empty list, which ends a run early: it comes last."""
    return st.one_of(
        st.none(),
        st.builds(model.CountEvictor, st.integers(0, 3), st.booleans()),
        st.builds(model.TimeEvictor, st.sampled_from([0, 1_000]), st.booleans()),
        st.builds(model.DeltaEvictor, st.sampled_from([1, 3.5]), st.booleans()),
    )


@st.composite
def window_operators(draw: st.DrawFn) -> model.Window:
    """A window of the DataStream API."""
    time = draw(st.sampled_from(["event", "event", "processing"]))
    assigner = draw(assigners())
    compute = draw(st.sampled_from(["sum", "min", "max"]))
    call = draw(st.sampled_from(["reduce", "aggregate", "process"]))
    if isinstance(assigner, model.DynamicSession):
        call, compute = "process", "collect"
    trigger = draw(triggers(assigner, time))
    evictor = draw(evictors())
    if isinstance(assigner, model.DynamicSession):
        trigger = draw(st.sampled_from([model.EventTimeTrigger(), model.CountTrigger(2)]))
        evictor = draw(st.sampled_from([None, model.CountEvictor(2)]))
    return model.Window(
        assigner,
        trigger,
        model.Function(call, compute),
        time=time,
        evictor=evictor,
        allowed_lateness=draw(st.sampled_from([0, 0, 2_000])),
        late_output=draw(st.sampled_from(["drop", "side"])),
    )


@st.composite
def table_operators(draw: st.DrawFn) -> model.Window:
    """A window of the table runtime."""
    time = draw(st.sampled_from(["event", "event", "processing"]))
    periodic = st.one_of(
        st.just(model.EveryElement()),
        st.builds(model.CountElement, st.integers(1, 3)),
        st.builds(model.ProcessingTimeEvery, st.sampled_from([1_000, 2_500])),
    )
    late = st.none() if time == "processing" else st.one_of(st.none(), periodic)
    trigger = draw(
        st.one_of(
            st.builds(model.AfterEndOfWindow, st.one_of(st.none(), periodic), late),
            st.just(model.EveryElement()),
            st.builds(model.CountElement, st.integers(1, 3)),
        )
    )
    return model.Window(
        draw(assigners(sql=True)),
        trigger,
        model.Function("aggregate", draw(st.sampled_from(["sum", "count", "min", "max", "avg"]))),
        api="sql",
        time=time,
        allowed_lateness=draw(st.sampled_from([0, 0, 2_000])),
        updates=draw(st.booleans()),
    )


@st.composite
def join_operators(draw: st.DrawFn) -> model.WindowJoin | model.IntervalJoin:
    """A window join, a coGroup or an interval join."""
    if draw(st.booleans()):
        lower = draw(st.sampled_from([-2_000, -1, 0, 500]))
        upper = lower + draw(st.sampled_from([0, 1, 3_000]))
        exclusive = st.booleans()
        late = draw(st.sampled_from(["drop", "side"]))
        return model.IntervalJoin(lower, upper, draw(exclusive), draw(exclusive), late)
    assigner = draw(assigners().filter(lambda each: not isinstance(each, model.DynamicSession)))
    kind = draw(st.sampled_from(["window-join", "co-group"]))
    join = "inner" if kind == "window-join" else draw(st.sampled_from(["inner", "left", "right", "full"]))
    return model.WindowJoin(
        kind,
        assigner,
        draw(triggers(assigner, "event")),
        evictor=draw(st.one_of(st.none(), st.just(model.CountEvictor(2)))),
        allowed_lateness=draw(st.sampled_from([0, 2_000])),
        join=join,
    )


def operators() -> st.SearchStrategy[model.Operator]:
    """Any operator of the engine."""
    event_sort = st.just(model.Process(model.Function("event-sort")))
    return st.one_of(window_operators(), table_operators(), join_operators(), event_sort)


@st.composite
def streams(
    draw: st.DrawFn, inputs: tuple[model.InputSpec, ...], *, gap: bool, end: bool, checkpoints: bool
) -> tuple[Item, ...]:
    """Up to 25 items; with ``checkpoints`` every restore is of a checkpoint that stands."""
    items: list[Item] = []
    taken: list[str] = []
    for _ in range(draw(st.integers(1, 25))):
        spec = draw(st.sampled_from(inputs))
        channel = draw(st.integers(0, spec.channels - 1))
        at = draw(st.one_of(st.none(), st.none(), st.integers(0, 20_000)))
        kind = draw(st.integers(0, 11))
        if kind <= 6:
            value: Any = {"gap": draw(st.integers(1, 4_000))} if gap else draw(NUMBERS)
            items.append(Record(draw(KEYS), draw(TIMES), value, spec.name, channel, at))
        elif kind == 7:
            items.append(Watermark(draw(TIMES), spec.name, channel, at))
        elif kind == 8:
            items.append(Status(draw(st.sampled_from(["idle", "active"])), spec.name, channel, at))
        elif kind == 9:
            items.append(Advance(draw(st.sampled_from([0, 150, 4_000])), at))
        elif checkpoints and kind == 10:
            name = draw(st.sampled_from(["c1", "c2"]))
            taken = [each for each in taken if each != name] + [name]
            items.append(Checkpoint(name))
        elif checkpoints and taken:
            name = draw(st.sampled_from(taken))
            taken = taken[: taken.index(name) + 1]
            items.append(Restore(name))
    if end:
        items.append(End())
    return tuple(items)


@st.composite
def scenarios(draw: st.DrawFn, *, checkpoints: bool = True, end: bool | None = None) -> model.Scenario:
    """A whole scenario that ``check`` would accept."""
    operator = draw(operators())
    two = isinstance(operator, model.WindowJoin | model.IntervalJoin)
    names = ("left", "right") if two else ("events",)
    inputs = tuple(model.InputSpec(name, draw(st.integers(1, 2)), draw(generators())) for name in names)
    assigner = getattr(operator, "assigner", None)
    # A continuous trigger on the global window would fire for ever at the end of input; none is drawn there.
    ends = draw(st.booleans()) if end is None else end
    gap = isinstance(assigner, model.DynamicSession)
    items = draw(streams(inputs, gap=gap, end=ends, checkpoints=checkpoints))
    return model.Scenario("random", operator, items, inputs)
