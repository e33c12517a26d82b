"""Laws of the filter: time moves as if it were not there, and only what it drops is missing."""

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator import run_rows, run_traced
from tidemark.simulator.engine.values.items import FILTERED, Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.build import build
from tidemark.simulator.timeline.laws import laws_of

OPERATORS = (
    "{type: window, api: tvf, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: COMPUTE}}",
    "{type: window, api: sql, assigner: {type: sliding, size: 6s, slide: 2s}, "
    "function: {call: aggregate, compute: COMPUTE}}",
    "{type: window, api: sql, assigner: {type: session, gap: 2s}, function: {call: aggregate, compute: COMPUTE}}",
    "{type: over, frame: {rows: 1}, function: {call: aggregate, compute: COMPUTE}}",
    "{type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}}",
    "{type: deduplicate, keep: first}",
)
RECORDS = st.lists(
    st.tuples(st.integers(0, 20_000), st.sampled_from("ab"), st.one_of(st.none(), st.integers(-2, 3))), max_size=12
)


def scenario_of(operator: str, records: list[tuple[int, str, int | None]]) -> Scenario:
    """A scenario that filters by a price."""
    items = [
        f"{{ts: {ts}, value: {{shop: {shop}, price: {'null' if price is None else price}}}}}"
        for ts, shop, price in records
    ]
    return parse(
        "scenario: 1\nname: filtered\n"
        "inputs: {orders: {watermark: {generator: sql, bound: 1s}, columns: {shop: STRING, price: INT}, "
        "where: price > 0, key: [shop]}}\n"
        f"operator: {operator.replace('COMPUTE', '{total: SUM(price), n: COUNT(*)}')}\n"
        f"stream: [{', '.join([*items, '{end: true}'])}]\n"
    )


def unfiltered(scenario: Scenario) -> Scenario:
    """The same without the filter."""
    inputs = tuple(replace(each, where=None) for each in scenario.inputs)
    items = tuple(
        item._replace(op="upsert") if isinstance(item, Record) and item.op == FILTERED else item
        for item in scenario.stream
    )
    return replace(scenario, inputs=inputs, stream=items)


def watermarks(scenario: Scenario) -> list[Any]:
    return [row for row in run_rows(scenario) if row["row"] == "watermark"]


@given(st.sampled_from(OPERATORS), RECORDS)
def test_the_watermarks_are_those_without_a_filter(operator: str, records: list[tuple[int, str, int | None]]) -> None:
    scenario = scenario_of(operator, records)
    assert watermarks(scenario) == watermarks(unfiltered(scenario))


@given(st.sampled_from(OPERATORS), RECORDS)
def test_no_row_has_a_filtered_record(operator: str, records: list[tuple[int, str, int | None]]) -> None:
    """Another price of a filtered record changes nothing, and every record counts once as arrived."""
    scenario = scenario_of(operator, records)
    other = scenario_of(operator, [(ts, shop, price if price and price > 0 else -9) for ts, shop, price in records])
    assert run_rows(other) == run_rows(scenario)
    rows, trace = run_traced(scenario)
    assert rows == run_rows(scenario)
    timeline = build(scenario, trace)
    assert all(law["holds"] for law in laws_of(timeline))
    dropped = sum(price is None or price <= 0 for _, _, price in records)
    assert timeline.tables["counters"][-1]["filtered"] == dropped
