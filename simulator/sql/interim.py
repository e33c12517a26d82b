"""What expressions over plain rows need until ``types`` and ``aggregate_functions`` are there."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES, AggregateFunction
from tidemark.simulator.sql.expressions import Computed, Row, compiled
from tidemark.simulator.sql.parsing import parse
from tidemark.simulator.sql.syntax import Call, CreateTable, Expression, QueryStatement, SqlProblem, Type

_FAMILIES: Final = {
    "TINYINT": "small", "SMALLINT": "small", "INT": "int", "INTEGER": "int", "BIGINT": "bigint", "FLOAT": "double",
    "DOUBLE": "double", "DECIMAL": "decimal", "STRING": "text", "VARCHAR": "text", "CHAR": "text",
    "BOOLEAN": "boolean", "TIMESTAMP": "timestamp", "TIMESTAMP_LTZ": "timestamp_ltz", "DATE": "date",
}  # fmt: skip


def expression(text: str) -> Expression:
    """The expression ``text``."""
    (statement,) = parse(f"SELECT {text}\nFROM t")
    assert isinstance(statement, QueryStatement)
    assert statement.query.select is not None
    found = statement.query.select.items[0].of
    assert found is not None
    return found


def type_of(text: str) -> Type:
    """The type ``text``."""
    (statement,) = parse(f"CREATE TABLE t (c {text})")
    assert isinstance(statement, CreateTable)
    found = statement.elements[0].type  # type: ignore[union-attr]
    assert found is not None
    return found


def column(name: str, type: Type) -> Computed:
    """The member ``name`` of a row."""
    family = "timestamp_ltz" if type.name == "TIMESTAMP" and type.local else _FAMILIES.get(type.name)
    if family is None:
        raise SqlProblem("row_construct", type.place, what=str(type))

    def value(row: Row) -> Any:
        found = row.get(name)
        if found is None:
            return None
        if family == "decimal":
            return Decimal(found)
        if family in ("timestamp", "timestamp_ltz"):
            return round(datetime.fromisoformat(found).replace(tzinfo=UTC).timestamp() * 1000)
        return found

    return Computed(family, value, 0, False, frozenset((name,)))


def plain(computed: Computed) -> Callable[[Any], Any]:
    """What makes plain JSON of its values."""
    return lambda value: str(value) if isinstance(value, Decimal) else value


def compiled_aggregate(call: Call, columns: Mapping[str, Computed], zone: str) -> AggregateFunction:
    """``call`` over rows."""
    if call.star or not call.arguments:
        return AGGREGATES["count"]
    of, function = compiled(call.arguments[0], columns, zone).of, AGGREGATES[call.name.lower()]

    def add(accumulator: Any, row: Any) -> Any:
        found = of(row)
        return accumulator if found is None else function.add(accumulator, float(found))

    return AggregateFunction(function.empty, add, function.merge, function.result)


def several(parts: Mapping[str, AggregateFunction]) -> tuple[AggregateFunction, Any]:
    """All of them at once."""
    names, all_of = tuple(parts), tuple(parts.values())
    return AggregateFunction(
        tuple(each.empty for each in all_of),
        lambda held, row: tuple(each.add(one, row) for each, one in zip(all_of, held, strict=True)),
        lambda one, two: tuple(each.merge(a, b) for each, a, b in zip(all_of, one, two, strict=True)),
        lambda held: {name: each.result(one) for name, each, one in zip(names, all_of, held, strict=True)},
    ), None
