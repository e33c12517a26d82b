"""Rows with columns for the batch engine: Flink's ``Calc`` and the aggregates of columns as texts of Spark SQL.

The operator itself works on numbers: a record's value is the number of its row, and a function of columns collects the
numbers of the rows that it is over. So every operator of the bridge is as it is, and what stands in front of it and
what is computed of the rows behind it is Spark's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.programs.spark_columns import PLACE, Named, Rows, aggregates_in_spark, rows_in_spark
from tidemark.simulator.programs.spark_expressions import NoTwin
from tidemark.simulator.scenario.model import Function, InputSpec, Scenario

__all__ = ["PLACE", "NoTwin", "Rows", "Structs", "numbered", "structs_of", "written_row"]


@dataclass(frozen=True)
class Structs:
    """``rows``: of each input, None for one without columns; ``aggregates``: those of the only input, by Flink's name.

    ``order``: the column of Spark that puts its rows in order, and whether the largest comes first.
    """

    rows: tuple[Rows | None, ...]
    aggregates: Mapping[str, Named]
    order: tuple[str, bool] | None


def structs_of(scenario: Scenario) -> Structs | None:
    """None for a scenario without columns. Raises ``NoTwin``."""
    if not any(each.columns for each in scenario.inputs):
        return None
    operator, zone = scenario.operator, scenario.operator.session_zone or "UTC"
    rows = tuple(rows_in_spark(each, zone) if each.columns else None for each in scenario.inputs)
    aggregates: Mapping[str, Named] = {}
    if operator.function is not None and operator.function.columns:
        (spec,) = scenario.inputs
        assert rows[0] is not None
        frame = hasattr(operator, "frame")
        aggregates = aggregates_in_spark(operator.function, spec, rows[0], zone, frame=frame)
        if operator.updates:
            raise NoTwin("+U")
    by, order = getattr(operator, "by", None), None
    if by is not None and rows[0] is not None:
        order = rows[0].all[by].name, getattr(operator, "order", "") == "desc"
    return Structs(rows, aggregates, order)


def numbered(scenario: Scenario) -> Scenario:
    """The scenario over the numbers of its rows, for a plan."""
    operator: Any = scenario.operator
    function = operator.function
    if function is not None and function.columns:
        operator = replace(operator, function=Function(function.call, "collect"))
    if getattr(operator, "by", None) is not None:
        operator = replace(operator, by=None)
    return replace(scenario, operator=operator)


def written_row(spec: InputSpec, record: Record) -> dict[str, Any]:
    """The columns of a record as they are written, without those that the simulator has computed."""
    given = record.value or {}
    return {name: given[name] for name, _ in spec.columns if name in given}
