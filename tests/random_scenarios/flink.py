"""Random scenarios under Flink's rules."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import (
    DELETE,
    UPSERT,
    Advance,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.scenario import model

from tests.random_scenarios.borders import borders, step_of, times
from tests.random_scenarios.operators import operators as any_operators
from tests.random_scenarios.windows import NUMERIC
from tests.watermarks import STRATEGIES, watermark_spec

KEYS = ("a", "b", 1, "1", True)
NUMBERS = st.integers(-3, 9)
GAPS = st.builds(dict, gap=st.sampled_from([100, 1, 170, 1000, 3000]))
MIXED = st.one_of(NUMBERS, NUMBERS, NUMBERS, st.sampled_from([0.1, -2.5, 3.0]))
ANYTHING = st.one_of(NUMBERS, st.sampled_from([None, "x", "7", {"b": 1, "a": 2.5, "c": True}]))
GENERATORS = tuple(STRATEGIES)
ORIGINS = (0, -5000, 1_484_892_913_000)
"""One is a recent date, where a time in ms needs more than 32 bits."""


@dataclass(frozen=True)
class Uses:
    """What a law can use besides its operator. By default, everything."""

    items: int = 25
    """The greatest number of items, not counting a final end of input."""
    keys: tuple[tuple[str | int | bool, ...], ...] = (("a", "b"), ("a",), (1, "1", True), KEYS)
    """Each stream uses one of these sets of keys."""
    channels: int = 2
    """The greatest number of channels of an input."""
    generators: tuple[str, ...] = GENERATORS
    ticks: bool = True
    """Whether generators may emit periodically and channels may turn idle, both driven by the clock."""
    clock: bool = True
    """Whether items may move the clock."""
    controls: tuple[str, ...] = ("watermark", "status", "advance")
    """Items that may occur between the records; ``end`` is an end of input after which the run continues."""
    restores: int = 1
    """How often a checkpoint or a restore occurs, relative to each of ``controls``."""
    ends: bool | None = None
    """Whether the last item is the end of input; None for either."""
    values: st.SearchStrategy[Any] | None = None
    """The values of the records; None for any that the operator accepts."""
    origins: tuple[int, ...] = ORIGINS


ANY = Uses()
SHORT = Uses(items=12)
"""For laws whose running time is quadratic in the number of steps."""


@st.composite
def scenarios(
    draw: st.DrawFn, operators: st.SearchStrategy[model.Operator] | None = None, uses: Uses = ANY
) -> model.Scenario:
    """A scenario that ``check`` accepts, unless ``operators`` (any by default) draws one that it refuses."""
    operator = draw(any_operators() if operators is None else operators)
    two = operator.is_join
    generators = watermarks(step_of(operator), uses)
    # Most often one: with several the watermark waits for the slowest, and rarely decides anything.
    channels = st.sampled_from([1, 1, 1, *range(2, uses.channels + 1)])
    inputs = tuple(
        model.InputSpec(name, draw(channels), draw(generators)) for name in (("left", "right") if two else ("events",))
    )
    origin = draw(st.sampled_from(uses.origins))
    return model.Scenario("random", operator, draw(streams(operator, inputs, origin, uses)), inputs, origin=origin)


@st.composite
def watermarks(draw: st.DrawFn, step: int, uses: Uses) -> model.WatermarkSpec:
    """Any generator of ``uses``; its lengths are multiples or fractions of ``step`` (ms)."""
    lengths = {"bound": (0, 1, step // 2, step, 2 * step)}
    if uses.ticks:
        lengths |= {"emit": (0, 0, step // 2 or 1, step, step + 1), "idle_timeout": (0, 0, step // 2 or 1, 2 * step)}
    given = {name: draw(st.sampled_from(choices)) for name, choices in lengths.items()}
    return watermark_spec(draw(st.sampled_from(uses.generators)), **given)


@st.composite
def streams(
    draw: st.DrawFn, operator: model.Operator, inputs: tuple[model.InputSpec, ...], origin: int, uses: Uses
) -> tuple[Item, ...]:
    """Items for the operator. Every restore names a checkpoint that was taken and is still valid."""
    step = step_of(operator)
    start = origin if _fires_from_timestamp_to_clock(operator) else draw(st.sampled_from([0, origin]))
    time = times(draw, borders(operator, inputs, start), uses.items // 3 + 2)
    clocks = st.sampled_from([0, 0, step // 2, step // 2 or 1, step, 1, 2 * step - 1])
    bys = st.sampled_from([step, 0, 1, step // 2, 3 * step])
    moves = st.sampled_from([False, True, False]) if uses.clock else st.just(False)
    values, keys = (
        values_of(operator) if uses.values is None else uses.values,
        st.sampled_from(draw(st.sampled_from(uses.keys))),
    )
    kinds, lacking = st.sampled_from(_kinds(inputs, uses)), _may_lack_timestamps(operator)
    versioned = isinstance(operator, model.TemporalJoin)
    taken: list[str] = []
    items: list[Item] = []
    clock = origin
    for _ in range(draw(st.integers(0, uses.items) | st.integers(uses.items // 2, uses.items))):
        kind, spec, channel = draw(kinds)
        at = None
        if draw(moves):
            clock += draw(clocks)
            at = clock
        match kind:
            case "record":
                ts = time()
                if lacking and spec.watermark.type not in ("sql", "punctuated") and draw(st.booleans()):
                    ts = None
                ends = versioned and spec.name == "right" and draw(st.sampled_from([False, False, False, True]))
                op = DELETE if ends else UPSERT
                items.append(Record(draw(keys), ts, draw(values), spec.name, channel, at, op))
            case "watermark":
                items.append(Watermark(time(), spec.name, channel, at))
            case "status":
                items.append(Status(draw(st.sampled_from(["idle", "active"])), spec.name, channel, at))
            case "advance":
                by = draw(bys) if uses.clock else 0
                clock += by
                items.append(Advance(by, at))
            case "end":
                items.append(End(at))
            case "checkpoint":
                name = draw(st.sampled_from(["c1", "c2", "c3"]))
                taken = [each for each in taken if each != name] + [name]
                items.append(Checkpoint(name, at))
            case "restore" if taken:
                name = draw(st.sampled_from(taken))
                taken = taken[: taken.index(name) + 1]
                items.append(Restore(name, at))
    return (*items, *([End()] if _ends(draw, operator, uses) else []))


def _kinds(inputs: tuple[model.InputSpec, ...], uses: Uses) -> list[tuple[str, model.InputSpec, int]]:
    """Kind, input and channel of an item, repeated by weight. Records come first, because examples shrink to them."""
    places = [(spec, channel) for spec in inputs for channel in range(spec.channels)]
    restores = ("checkpoint", "restore") * uses.restores
    kinds = ["record"] * (7 if uses.controls or restores else 1) + [*uses.controls, *restores]
    return [(kind, *place) for kind in kinds for place in places]


def _may_lack_timestamps(operator: model.Operator) -> bool:
    """Whether records may lack one: in processing time, if no trigger uses their timestamps.

    A continuous event-time trigger would fire for every interval since the beginning of time.
    """
    return getattr(operator, "time", "event") == "processing" and "EventTime" not in repr(
        getattr(operator, "trigger", "")
    )


def _fires_from_timestamp_to_clock(operator: model.Operator) -> bool:
    """Whether a trigger fires for each interval from a record's timestamp to the end of a processing-time window.

    The limit of a million firings takes seconds to reach, so the two must be close to each other.
    """
    by_clock = getattr(operator, "time", "event") == "processing"
    return by_clock and "ContinuousEventTime" in repr(getattr(operator, "trigger", None))


def _ends(draw: st.DrawFn, operator: model.Operator, uses: Uses) -> bool:
    whole = isinstance(getattr(operator, "assigner", None), model.Global)
    if whole and "ContinuousEventTime" in repr(getattr(operator, "trigger", "")):
        return False  # it would fire forever
    return draw(st.booleans()) if uses.ends is None else uses.ends


def values_of(operator: model.Operator) -> st.SearchStrategy[Any]:
    """Any value that the operator accepts."""
    function = getattr(operator, "function", None)
    if isinstance(getattr(operator, "assigner", None), model.DynamicSession):
        return GAPS
    compared = "Delta" in repr((getattr(operator, "trigger", None), getattr(operator, "evictor", None)))
    if compared or isinstance(operator, model.WindowTopN) or (function is not None and function.compute in NUMERIC):
        return MIXED
    return ANYTHING
