"""Random parts of window operators: assigners, triggers, evictors and functions.

``unit`` (ms) is the length of which all others in an operator are multiples, so that their borders meet.
"""

from functools import lru_cache
from typing import Any

from hypothesis import strategies as st
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import model

UNITS = st.sampled_from([1000, 1, 100])
SESSIONS = (model.Session, model.DynamicSession)
NUMERIC = ("sum", "min", "max", "avg")
COMPUTES = {
    "reduce": ("sum", "min", "max"),
    "aggregate": ("sum", "count", "min", "max", "avg"),
    "process": ("collect", "sum", "count", "min", "max", "avg"),
}


def any_of(*strategies: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """One of ``strategies``, weighted by repetition; ``st.one_of`` would count each only once."""
    return st.sampled_from(strategies).flatmap(lambda chosen: chosen)


@lru_cache
def assigners(unit: int, *, sql: bool = False, joins: bool = False) -> st.SearchStrategy[model.Assigner]:
    """Any assigner of the API; with ``joins``, any that a join of two inputs may have."""
    offsets = st.sampled_from([0, 0, 0, unit // 2, 1 - unit, unit - 1])
    sizes = st.sampled_from([unit, 2 * unit, 5 * unit])
    # Slides that divide the size, that do not, and that leave gaps between the windows.
    slides = [(4, 2), (3, 2), (2, 1), (5, 5), (3, 5), (1, 2)]
    any_api: list[st.SearchStrategy[Any]] = [
        st.builds(model.Tumbling, sizes, offsets),
        st.builds(lambda pair, offset: model.Sliding(pair[0] * unit, pair[1] * unit, offset), _one(slides), offsets),
        st.builds(model.Session, st.sampled_from([unit, 2 * unit, 2 * unit + 1])),
    ]
    if sql:
        panes = _one([(6, 2), (6, 3), (1, 1), (3, 1)])
        cumulative = st.builds(
            lambda pair, offset: model.Cumulative(pair[0] * unit, pair[1] * unit, offset), panes, offsets
        )
        return st.one_of(*any_api, cumulative)
    if joins:
        return st.one_of(*any_api, st.just(model.Global()))
    return st.one_of(*any_api, st.just(model.DynamicSession("gap")), st.just(model.Global()))


def triggers(
    unit: int, assigner: model.Assigner, time: str, *, unchecked: bool = False
) -> st.SearchStrategy[model.Trigger]:
    """Any trigger allowed with the assigner; ``unchecked`` adds those that only the reader refuses."""
    whole, merges = isinstance(assigner, model.Global), isinstance(assigner, SESSIONS)
    return _triggers(unit, time, whole=whole, merges=merges, unchecked=unchecked)


@lru_cache
def _triggers(unit: int, time: str, *, whole: bool, merges: bool, unchecked: bool) -> st.SearchStrategy[model.Trigger]:
    lengths = st.sampled_from([unit, 2 * unit, unit // 2 or 1])
    simple: list[st.SearchStrategy[Any]] = [
        st.builds(model.CountTrigger, st.integers(1, 3)),
        st.builds(model.ContinuousProcessingTimeTrigger, lengths),
        st.builds(model.ContinuousEventTimeTrigger, lengths),
    ]
    if whole or (unchecked and not merges):
        simple.append(st.just(model.NeverTrigger()))
    if not whole or unchecked:
        ends = st.just(model.EventTimeTrigger() if time == "event" else model.ProcessingTimeTrigger())
        simple = [ends, ends, *simple, st.just(model.EventTimeTrigger())]
    if not whole:
        simple.append(st.just(model.ProcessingTimeTrigger()))
    if not merges:
        simple.append(st.builds(model.DeltaTrigger, st.sampled_from([2, 0, 2.5])))
    inner = st.one_of(simple)
    nested: list[st.SearchStrategy[Any]] = [st.builds(model.PurgingTrigger, inner)]
    if not merges:
        timeouts = st.sampled_from([unit, 0, unit // 2, 2 * unit - 1])
        inside = st.one_of(inner, st.builds(model.PurgingTrigger, inner))
        nested.append(st.builds(model.ProcessingTimeoutTrigger, inside, timeouts, st.booleans(), st.booleans()))
    return any_of(inner, inner, *nested)


@lru_cache
def table_triggers(unit: int, time: str) -> st.SearchStrategy[model.Trigger]:
    """Any trigger of the table runtime."""
    periodic: st.SearchStrategy[Any] = st.one_of(
        st.just(model.EveryElement()),
        st.builds(model.CountElement, st.integers(1, 3)),
        st.builds(model.ProcessingTimeEvery, st.sampled_from([unit, 2 * unit, unit // 2 or 1])),
    )
    perhaps = st.one_of(st.none(), periodic)
    ends = st.builds(model.AfterEndOfWindow, perhaps, st.none() if time == "processing" else perhaps)
    return any_of(ends, ends, ends, st.just(model.EveryElement()), st.builds(model.CountElement, st.integers(1, 3)))


@lru_cache
def evictors(unit: int) -> st.SearchStrategy[model.Evictor | None]:
    """No evictor, or any. A delta evictor fails on an empty list, which ends a run early."""
    return any_of(
        st.none(),
        st.none(),
        st.none(),
        st.builds(model.CountEvictor, st.integers(0, 3), st.booleans()),
        st.builds(model.TimeEvictor, st.sampled_from([0, 1, unit]), st.booleans()),
        st.builds(model.DeltaEvictor, st.sampled_from([1, 3.5]), st.booleans()),
    )


FUNCTIONS = [st.sampled_from([model.Function(call, compute) for compute in COMPUTES[call]]) for call in COMPUTES]
OF_ANY_VALUE = [
    model.Function("aggregate", "count"),
    model.Function("process", "count"),
    model.Function("process", "collect"),
]


def functions(assigner: model.Assigner) -> st.SearchStrategy[model.Function]:
    """Any function that accepts the values that the assigner needs."""
    # The values of dynamic sessions are mappings that hold the gap.
    return st.sampled_from(OF_ANY_VALUE) if isinstance(assigner, model.DynamicSession) else st.one_of(FUNCTIONS)


@lru_cache
def lateness(unit: int) -> st.SearchStrategy[int]:
    """Most often none, a few lengths (ms), and now and then forever."""
    return st.sampled_from([0, 0, 2 * unit, 1, unit, 3 * unit - 1, MAX])


def _one(choices: list[Any]) -> st.SearchStrategy[Any]:
    return st.sampled_from(choices)
