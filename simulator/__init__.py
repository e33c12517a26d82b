"""Flink's event-time machinery, step by step, and Spark's micro-batches beside it.

``run`` runs a scenario by the rules of its engine and passes the rows to a sink, ``run_rows`` collects them, and
``run_traced`` records every micro-step as well. The rows are the same with and without a trace.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import replace

import tidemark.simulator.interrupts  # noqa: F401 - first, so that Ctrl-C is handled while the rest is imported
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.trace import Trace, TraceTooLong
from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import Item, PlainKey, plain_key
from tidemark.simulator.engine.values.rows import Row
from tidemark.simulator.limits import TRACE_STEPS
from tidemark.simulator.resting import COLLECTOR_AT_REST
from tidemark.simulator.scenario import builder
from tidemark.simulator.scenario.builder import dialect_plan
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.spark_rules.micro_batches import MicroBatches
from tidemark.simulator.words import words

__all__ = ["Row", "Scenario", "Trace", "pipeline_of", "run", "run_keys", "run_rows", "run_traced"]


def pipeline_of(scenario: Scenario, sink: Callable[[Row], None], trace: Trace | None = None) -> Pipeline | MicroBatches:
    """The run of a scenario, before its first item. Raises ``ScenarioError`` for what the engine cannot run."""
    if scenario.engine == "spark":
        return MicroBatches(dialect_plan(scenario), sink, trace)
    return Pipeline(builder.plan(scenario), sink, trace)


def run(scenario: Scenario, sink: Callable[[Row], None], trace: Trace | None = None, events: int | None = None) -> None:
    """Run ``scenario`` and call ``sink`` with each row, in order of emission.

    ``events`` overrides the number of records of a generated stream. A refusal is a ``ScenarioError`` before the first
    row; a failure of the operator is not raised but ends the run with an ``error`` row.
    """
    with nullcontext() if trace is None else COLLECTOR_AT_REST:
        pipeline_of(scenario, sink, trace).run(items(scenario, events))


def run_keys(
    scenario: Scenario,
    sink: Callable[[Row], None],
    takes: Callable[[PlainKey], bool],
    numbered: Iterable[tuple[int, Item]] | None = None,
) -> None:
    """Run ``scenario``, by Flink's rules, for the keys that ``takes`` accepts; others move only clock and watermark.

    ``sink`` gets the rows that ``run`` emits for these keys, and those of watermarks. So the keys can be divided among
    processes. ``numbered``: the items of the stream with their indexes. It may leave out records of other keys that
    raise no channel's largest timestamp, unless the clock has something to do at them.
    """
    plan = replace(builder.plan(scenario), takes=lambda key: takes(plain_key(key)))
    Pipeline(plan, sink).run_numbered(enumerate(items(scenario)) if numbered is None else numbered)


def run_rows(scenario: Scenario) -> list[Row]:
    """The rows of a whole run."""
    rows: list[Row] = []
    run(scenario, rows.append)
    return rows


def run_traced(scenario: Scenario) -> tuple[list[Row], Trace]:
    """The rows and the trace of a whole run.

    Raises ``ScenarioError`` for a run of more than ``TRACE_STEPS`` micro-steps: nobody could look at them all.
    """
    rows: list[Row] = []
    trace = Trace(limit=TRACE_STEPS)
    try:
        run(scenario, rows.append, trace)
    except TraceTooLong:
        line, column = scenario.marks.get(("stream",), (1, 1))
        problem = Problem(scenario.file, line, column, words("problems.too_many_steps", limit=f"{TRACE_STEPS:,}"))
        raise ScenarioError([problem]) from None
    return rows, trace
