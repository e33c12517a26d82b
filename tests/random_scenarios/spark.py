"""Random scenarios under Spark's rules, with small times, so that ends, delays and watermarks meet exactly."""

from typing import Any

from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import BatchEnd, Item, Record
from tidemark.simulator.scenario.model import (
    Assigner,
    Function,
    InputSpec,
    Operator,
    Scenario,
    Session,
    Sliding,
    SparkJoin,
    SparkWindow,
    Tumbling,
)

from tests.random_scenarios.borders import borders, times

KINDS = ("tumbling", "sliding", "session", "join")
KEYS = ("a", "b", 1, "1", True, -7)
WHOLE = (1, 2, -3, 5, 0)
NUMBERS = (*WHOLE, 2.5, -0.25, 10)
BATCH_END = BatchEnd()


@st.composite
def scenarios(draw: st.DrawFn, kind: str | None = None) -> Scenario:
    """A whole scenario; ``kind`` is one of ``KINDS``, or None for any."""
    kind = draw(st.sampled_from(KINDS)) if kind is None else kind
    operator = draw(joins()) if kind == "join" else draw(windows(kind))
    delays = st.sampled_from([5, 0, 1, 20])
    if kind == "join":
        names, delays = ("left", "right"), st.one_of(delays, delays, delays, st.none())
    else:
        names = ("events",)
        if operator.output_mode != "append":
            delays = st.one_of(delays, delays, st.none())
    inputs = tuple(InputSpec(name, delay=draw(delays)) for name in names)
    return Scenario("random", operator, draw(streams(operator, inputs)), inputs, engine="spark")


@st.composite
def windows(draw: st.DrawFn, kind: str) -> SparkWindow:
    """An aggregation in windows of ``kind``."""
    modes = ["append", "append", "complete"] if kind == "session" else ["append", "update", "complete"]
    function = Function("aggregate", draw(st.sampled_from(["sum", "sum", "count", "min", "max", "avg"])))
    return SparkWindow(draw(_assigners(kind)), function, draw(st.sampled_from(modes)))


@st.composite
def _assigners(draw: st.DrawFn, kind: str) -> Assigner:
    if kind == "session":
        return Session(draw(st.sampled_from([10, 1, 3, 15])))
    if kind == "tumbling":
        size = draw(st.sampled_from([10, 1, 5, 7]))
        return Tumbling(size, draw(_offsets(size)))
    size, slide = draw(st.sampled_from([(10, 5), (10, 10), (10, 4), (7, 3), (15, 5), (5, 1)]))
    return Sliding(size, slide, draw(_offsets(slide)))


def _offsets(grid: int) -> st.SearchStrategy[int]:
    return st.one_of(st.just(0), st.just(0), st.integers(1 - grid, grid - 1))


def joins() -> st.SearchStrategy[SparkJoin]:
    """A join of two streams, with an interval or without."""
    intervals = st.sampled_from([(-5, 5), (0, 0), (-10, 0), (2, 8), (-8, -2), (0, 20), (None, None)])
    policies = st.sampled_from(["min", "max"])
    return st.builds(lambda interval, policy: SparkJoin(*interval, policy), intervals, policies)


@st.composite
def streams(draw: st.DrawFn, operator: Operator, inputs: tuple[InputSpec, ...]) -> tuple[Item, ...]:
    """Up to 22 records and batch ends, in rough event-time order."""
    start = draw(st.sampled_from([0, 0, 10, -30, 100]))
    time = times(draw, borders(operator, inputs, start), 9)
    whole = isinstance(operator, SparkJoin) or draw(st.sampled_from([True, True, False]))
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=3, unique_by=repr))
    values = st.sampled_from(WHOLE if whole else NUMBERS)
    kinds = st.sampled_from(["record", "record", "record", "batch"])
    items: list[Any] = []
    for _ in range(draw(st.integers(0, 22) | st.integers(11, 22))):
        if draw(kinds) == "batch":
            items.append(BATCH_END)
            continue
        side = draw(st.sampled_from(inputs)).name
        items.append(Record(draw(st.sampled_from(keys)), time(), draw(values), side))
    return tuple(items)
