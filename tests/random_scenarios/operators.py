"""Random operators of Flink: windows of both APIs, SQL's table functions and operators row by row, joins, the sort."""

from typing import Final

from hypothesis import strategies as st
from tidemark.simulator.scenario import model

from tests.random_scenarios.windows import (
    UNITS,
    any_of,
    assigners,
    evictors,
    functions,
    lateness,
    table_triggers,
    triggers,
)

TIMES = ("event", "event", "processing")
LATE_OUTPUTS = st.sampled_from(["drop", "side"])


@st.composite
def windows(draw: st.DrawFn, *, times: tuple[str, ...] = TIMES, unchecked: bool = False) -> model.Window:
    """A window of the DataStream API."""
    unit, time = draw(UNITS), draw(st.sampled_from(times))
    assigner = draw(assigners(unit))
    evictor = draw(evictors(unit))
    if isinstance(assigner, model.DynamicSession) and isinstance(evictor, model.DeltaEvictor):
        evictor = None  # it compares numbers
    return model.Window(
        assigner,
        draw(triggers(unit, assigner, time, unchecked=unchecked)),
        draw(functions(assigner)),
        time=time,
        evictor=evictor,
        allowed_lateness=draw(lateness(unit)),
        late_output=draw(LATE_OUTPUTS),
    )


@st.composite
def table_windows(
    draw: st.DrawFn, *, times: tuple[str, ...] = TIMES, zones: tuple[str | None, ...] = (None,)
) -> model.Window:
    """A window of the table runtime; in local time it has no allowed lateness."""
    unit, time, zone = draw(UNITS), draw(st.sampled_from(times)), draw(st.sampled_from(zones))
    return model.Window(
        draw(assigners(unit, sql=True)),
        draw(table_triggers(unit, time)),
        model.Function("aggregate", draw(st.sampled_from(["sum", "count", "min", "max", "avg"]))),
        api="sql",
        time=time,
        allowed_lateness=0 if zone else draw(lateness(unit)),
        updates=draw(st.booleans()),
        session_zone=zone,
    )


SESSION_ZONES: Final = (None, None, None, "Africa/Monrovia", "Europe/Berlin")
"""Monrovia was 44 minutes and a half behind UTC when the epoch began: few windows of it end on the grid of UTC."""


@st.composite
def table_functions(
    draw: st.DrawFn, *, times: tuple[str, ...] = TIMES, zones: tuple[str | None, ...] = (None,)
) -> model.Window:
    """A window table function with an aggregation. Sessions are of event time: the clock's may be refused."""
    unit, time = draw(UNITS), draw(st.sampled_from(times))
    assigner = draw(assigners(unit, sql=True).filter(_in_slices))
    compute = draw(st.sampled_from(["sum", "count", "min", "max", "avg"]))
    return model.Window(
        assigner,
        model.AfterEndOfWindow(),
        model.Function("aggregate", compute),
        api="tvf",
        time="event" if isinstance(assigner, model.Session) else time,
        session_zone=draw(st.sampled_from(zones)),
    )


def _in_slices(assigner: model.Assigner) -> bool:
    return not isinstance(assigner, model.Sliding) or assigner.size % assigner.slide == 0


@st.composite
def window_top_ns(draw: st.DrawFn) -> model.WindowTopN:
    """A window Top-N."""
    assigner = draw(assigners(draw(UNITS), sql=True).filter(lambda each: not each.merges))
    return model.WindowTopN(assigner, draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from(["desc", "asc"])))


@st.composite
def window_joins(draw: st.DrawFn, *, times: tuple[str, ...] = TIMES, unchecked: bool = False) -> model.WindowJoin:
    """A window join or a coGroup."""
    unit, time = draw(UNITS), draw(st.sampled_from(times))
    assigner = draw(assigners(unit, joins=True))
    kind = draw(st.sampled_from(["window-join", "co-group"]))
    return model.WindowJoin(
        kind,
        assigner,
        draw(triggers(unit, assigner, time, unchecked=unchecked)),
        time=time,
        evictor=draw(evictors(unit)),
        allowed_lateness=draw(lateness(unit)),
        join="inner" if kind == "window-join" else draw(st.sampled_from(["full", "inner", "left", "right"])),
    )


@st.composite
def interval_joins(draw: st.DrawFn) -> model.IntervalJoin:
    """An interval join; both ends may be excluded, and the interval may then be empty."""
    unit = draw(UNITS)
    lower = unit * draw(st.sampled_from([-2, 0, 1])) - draw(st.sampled_from([0, 0, 1]))
    upper = lower + draw(st.sampled_from([3 * unit, 2 * unit, 0, 1, 2]))
    return model.IntervalJoin(lower, upper, draw(st.booleans()), draw(st.booleans()), draw(LATE_OUTPUTS))


def event_sorts() -> st.SearchStrategy[model.Process]:
    """The sort by event time."""
    return st.just(model.Process(model.Function("event-sort")))


@st.composite
def row_operators(draw: st.DrawFn) -> model.TemporalJoin | model.Over | model.Deduplicate:
    """A temporal join, an OVER aggregation over any frame, or a deduplication."""
    kind = draw(st.sampled_from(["temporal-join", "over", "over", "deduplicate"]))
    if kind == "temporal-join":
        return model.TemporalJoin(draw(st.sampled_from(["inner", "left"])))
    if kind == "deduplicate":
        return model.Deduplicate(draw(st.sampled_from(["first", "last"])))
    rows, spans = st.sampled_from([0, 1, 2, "unbounded"]), st.sampled_from([0, 1, 100, 250, 1000, "unbounded"])
    frame = model.Frame(rows=draw(rows)) if draw(st.booleans()) else model.Frame(range=draw(spans))
    return model.Over(frame, model.Function("aggregate", draw(st.sampled_from(["sum", "count", "min", "max", "avg"]))))


def operators(*, times: tuple[str, ...] = TIMES, unchecked: bool = False) -> st.SearchStrategy[model.Operator]:
    """Any operator of Flink, its windows in one of ``times``.

    ``unchecked`` adds triggers that the reader refuses although the engine can run them.
    """
    datastream = windows(times=times, unchecked=unchecked)
    joins = window_joins(times=times, unchecked=unchecked)
    table, slices = (
        table_windows(times=times, zones=SESSION_ZONES),
        any_of(table_functions(times=times, zones=SESSION_ZONES), window_top_ns()),
    )
    single = (interval_joins(), event_sorts(), row_operators())
    return any_of(datastream, datastream, datastream, table, table, slices, slices, joins, joins, *single)
