"""The engine compared with a minimal Python loop that emits the same rows."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import chain, pairwise
from typing import Any

from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.resting import COLLECTOR_AT_REST
from tidemark.simulator.scenario import builder, model
from tidemark.simulator.scenario.stream import items

from benchmarks.least_loops import LEAST_LOOPS

BOUND = 1_000
EVERY = 2
KEYS = 100
SUM = model.Function("aggregate", "sum")

OPERATORS: dict[str, model.Operator] = {
    "tumbling": model.Window(model.Tumbling(5_000), model.EventTimeTrigger(), SUM),
    "sliding": model.Window(model.Sliding(10_000, 2_000), model.EventTimeTrigger(), SUM),
    "session": model.Window(model.Session(500), model.EventTimeTrigger(), SUM),
    "count": model.Window(model.Global(), model.PurgingTrigger(model.CountTrigger(10)), SUM),
    "sql-late": model.Window(model.Tumbling(5_000), model.AfterEndOfWindow(), SUM, api="sql", allowed_lateness=2_000),
    "interval-join": model.IntervalJoin(-400, 400),
}

TURNS = 5
STRETCH = 20_000
"""Records; what a stretch takes is measured on its own."""

TRACED_RECORDS = 20_000
"""The number of records in a traced run: fewer, because a trace stays in memory."""


def scenario_of(case: str, records: int) -> model.Scenario:
    """The case's scenario: records nearly in order, with a watermark after each."""
    joins = case == "interval-join"
    names = ("left", "right") if joins else ("events",)
    watermark = model.BoundedOutOfOrderness(BOUND)
    disorder = 3_000 if case == "sql-late" else 0
    stream = model.Generated(records, 7, KEYS, EVERY, disorder=disorder, end=True)
    inputs = tuple(model.InputSpec(name, 1, watermark) for name in names)
    return model.Scenario(case, OPERATORS[case], stream, inputs)


def measure(records: int, cases: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """A result for each case, without and with a trace; loop and engine take turns.

    ``of_untraced`` compares a traced run with one of the same records without a trace.
    """
    for case in cases or OPERATORS:
        for traced in (False, True):
            count = min(records, TRACED_RECORDS) if traced else records
            scenario = scenario_of(case, count)
            stream = list(items(scenario))
            untraced = partial(_engine, scenario, False)
            runs = (partial(_engine, scenario, True), untraced) if traced else (untraced,)
            least, engine, *others = _seconds(stream, partial(_least, case), *runs)
            result = {
                "case": case,
                "traced": traced,
                "records_per_s": round(count / engine),
                "least_loop_per_s": round(count / least),
                "ratio": round(least / engine, 3),
            }
            yield result | {"of_untraced": round(others[0] / engine, 3)} if traced else result


def _seconds(stream: list[Item], *runs: Callable[[Iterable[Item]], None]) -> list[float]:
    """Seconds of processor time for each of ``runs``, which take turns.

    A machine is seldom undisturbed for a whole run, and a longer run is disturbed more. So each stretch of the stream
    counts as in the best of its turns.
    """
    best = [[float("inf")] * -(-len(stream) // STRETCH) for _ in runs]
    for _ in range(TURNS):
        for place, run in enumerate(runs):
            best[place] = list(map(min, best[place], _stretches(stream, run)))
    return list(map(sum, best))


def _stretches(stream: list[Item], run: Callable[[Iterable[Item]], None]) -> list[float]:
    """Seconds for each stretch of one run; what comes before the first counts with it, and the end with the last."""
    marks = [time.process_time()]

    def stretches() -> Iterator[list[Item]]:
        for begin in range(0, len(stream), STRETCH):
            if begin:
                marks.append(time.process_time())
            yield stream[begin : begin + STRETCH]

    run(chain.from_iterable(stretches()))
    marks.append(time.process_time())
    return [after - before for before, after in pairwise(marks)]


def _engine(scenario: model.Scenario, traced: bool, stream: Iterable[Item]) -> None:
    with COLLECTOR_AT_REST if traced else nullcontext():  # as ``simulator.run``, which makes the stream as well
        Pipeline(builder.plan(scenario), _ignore, Trace() if traced else None).run(stream)


def _least(case: str, stream: Iterable[Item]) -> None:
    LEAST_LOOPS[case](stream, _ignore)


def _ignore(row: Mapping[str, Any]) -> None:
    """A sink for rows that nobody reads."""
