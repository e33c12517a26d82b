"""NULL in Flink SQL: a NULL watermark moves nothing, a NULL rowtime ends the job, whatever the operator.

Source: ``WatermarkAssignerOperator.processElement``. Flink's rows: ``tests/golden/sql-null-….jsonl``.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator import run_rows, run_traced
from tidemark.simulator.engine.trace.events import OperatorFailed, RecordArrived, WatermarkNull
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.timeline.build import build
from tidemark.simulator.timeline.laws import laws_of

OPERATORS = (
    "{type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}}",
    "{type: window, api: tvf, assigner: {type: sliding, size: 6s, slide: 2s}, "
    "function: {call: aggregate, compute: {n: SUM(m)}}}",
    "{type: window, api: sql, assigner: {type: session, gap: 2s}, function: {call: aggregate, compute: {n: SUM(m)}}}",
    "{type: over, frame: {range: 3s}, function: {call: aggregate, compute: {n: SUM(m)}}}",
    "{type: deduplicate, keep: first}",
    "{type: process, function: {call: event-sort}}",
)
TIMES = st.integers(0, 20_000)
RECORDS = st.lists(st.tuples(TIMES, st.sampled_from("ab"), st.sampled_from((None, 0, 1, 2))), max_size=12)


def scenario_of(operator: str, records: list[tuple[int | None, str, int | None]], when: str = "") -> Scenario:
    """Records (ts, key, m) behind a watermark of SQL, which is NULL unless ``when``."""
    items = [
        f"{{ts: {'null' if ts is None else ts}, key: {key}, value: {{m: {'null' if m is None else m}}}}}"
        for ts, key, m in records
    ]
    return parse(
        "scenario: 1\nname: nulls\n"
        f"inputs: {{events: {{watermark: {{generator: sql, bound: 1s{when}}}, columns: {{m: INT}}}}}}\n"
        f"operator: {operator}\nstream: [{', '.join(items)}]\n"
    )


def watermarks(scenario: Scenario) -> list[Any]:
    return [row["ts"] for row in run_rows(scenario) if row["row"] == "watermark"]


@given(st.sampled_from(OPERATORS), RECORDS)
def test_watermarks_are_those_of_the_records_that_have_one(
    operator: str, records: list[tuple[int | None, str, int | None]]
) -> None:
    scenario = scenario_of(operator, records, ", when: m > 0")
    marking = [each for each in records if each[2]]
    assert watermarks(scenario) == watermarks(scenario_of(operator, marking))
    rows, trace = run_traced(scenario)
    assert rows == run_rows(scenario)
    nulls = [step.event for step in trace if isinstance(step.event, WatermarkNull)]
    assert [each.outcome for each in nulls] == ["NULL" if m is None else "FALSE" for _, _, m in records if not m]
    assert all(law["holds"] for law in laws_of(build(scenario, trace)))


@given(st.sampled_from(OPERATORS), RECORDS)
def test_a_condition_that_is_always_true_changes_no_row(
    operator: str, records: list[tuple[int | None, str, int | None]]
) -> None:
    assert run_rows(scenario_of(operator, records, ", when: 1 = 1")) == run_rows(scenario_of(operator, records))


@given(st.sampled_from(OPERATORS), RECORDS, RECORDS)
def test_a_null_rowtime_ends_the_job_with_the_rows_before_it(
    operator: str, before: list[tuple[int | None, str, int | None]], after: list[tuple[int | None, str, int | None]]
) -> None:
    scenario = scenario_of(operator, [*before, (None, "a", 1), *after])
    rows, trace = run_traced(scenario)
    assert rows == run_rows(scenario)
    *others, error = rows
    assert others == run_rows(scenario_of(operator, before))
    message = "RowTime field should not be null, please convert it to a non-null long value."
    assert error == {"row": "error", "type": "RuntimeException", "message": message, "item": len(before)}
    arrived, failed = [step.event for step in trace][-2:]
    assert isinstance(arrived, RecordArrived)
    assert isinstance(failed, OperatorFailed)
    assert arrived.ts is None
    assert failed.place == arrived.place == "WatermarkAssignerOperator.process_element"
    assert all(law["holds"] for law in laws_of(build(scenario, trace)))


def test_nulls_are_written_as_they_are_read() -> None:
    scenario = scenario_of(OPERATORS[0], [(1, "a", 1), (None, "a", None)], ", when: m > 0")
    assert parse(as_yaml(scenario)) == scenario
    assert digest_of(scenario) != digest_of(
        scenario_of(OPERATORS[0], [(1, "a", 1), (None, "a", None)], ", when: m > 1")
    )


@pytest.mark.parametrize("generator", ["none", "monotonous", "{generator: punctuated, bound: 1s}"])
def test_no_other_generator_reads_a_time_that_is_null(generator: str) -> None:
    strategy = generator if generator.startswith("{") else f"{{generator: {generator}}}"
    with pytest.raises(ScenarioError, match=r"5:15: `ts` is null here.*write a time"):
        parse(
            f"scenario: 1\nname: nulls\ninputs: {{events: {{watermark: {strategy}}}}}\n"
            f"operator: {OPERATORS[0]}\nstream: [{{ts: null, key: a}}]\n",
            "s.yaml",
        )
