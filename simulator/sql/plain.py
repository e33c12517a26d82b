"""Stages as plain as scenarios can be: each record is one number, or the columns that a query chooses, with a key."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.reading import Input, Stage
from tidemark.simulator.sql.tables import INTEGERS, Column, Table

COMPUTES: Final = ("sum", "count", "min", "max", "avg")
"""The aggregate functions over plain numbers."""
_KEYS: Final = ("text", "integer", "boolean")
_NUMBERS: Final = ("integer", "double", "decimal")


@dataclass(frozen=True)
class PlainInput:
    """One input, by columns of ``table``. ``key`` None: all records have one key.

    ``values``: one column is the value of a record, several are its members. ``most``: what the sum of their sizes may
    not exceed, None without a limit. ``no_nulls``: the function skips a NULL, which a scenario would count.
    ``newer_only``: as that of ``Input``.
    """

    table: Table
    key: str | None
    values: tuple[str, ...] = ()
    most: int | None = None
    no_nulls: bool = False
    newer_only: bool = False


@dataclass(frozen=True)
class PlainStage:
    """``operator``: as a scenario file has it. ``inputs``: by their names in the file, in its order."""

    operator: Mapping[str, Any]
    inputs: Mapping[str, PlainInput]
    processing: bool = False


def plain_stage(stage: Stage) -> PlainStage | None:
    """``stage`` over plain records; None if it filters, computes, or has more keys or aggregates than they can say."""
    inputs = {}
    operator = dict(stage.operator)
    if stage.pairing is not None:
        return None
    for name, of in stage.inputs.items():
        key = of.table.columns[of.keys[0]] if of.keys else None
        if of.where or of.table.stage is not None or len(of.keys) > 1 or (key and not _is_key(key)):
            return None
        plain = PlainInput(of.table, key.name if key else None, newer_only=of.newer_only)
        if stage.aggregates:
            found = _aggregate(stage, of, plain)
            if found is None:
                return None
            compute, plain = found
            operator["function"] = {"call": "aggregate", "compute": compute}
        elif of.order:
            if operator.pop("by") != of.order[0] or of.table.columns[of.order[0]].kind not in _NUMBERS:
                return None
            plain = PlainInput(of.table, plain.key, of.order, no_nulls=True)
        else:
            plain = PlainInput(of.table, plain.key, of.values, newer_only=of.newer_only)
        if any(of.table.columns[each].computed is not None for each in plain.values):
            return None
        inputs[name] = plain
    return PlainStage(operator, inputs, stage.processing)


def _is_key(column: Column) -> bool:
    return column.kind in _KEYS and column.computed is None


def _aggregate(stage: Stage, input: Input, plain: PlainInput) -> tuple[str, PlainInput] | None:
    """The one aggregate as a plain scenario computes it, where Flink computes the same of the column's type."""
    (call, *more) = stage.aggregates.values()
    compute = call.name.lower()
    if more or len(call.arguments) > 1 or compute not in COMPUTES or call.distinct or call.filter is not None:
        return None
    argument = call.arguments[0] if call.arguments else None
    if argument is None or isinstance(argument, syntax.Literal):
        null = isinstance(argument, syntax.Literal) and argument.text.upper() in ("NULL", "UNKNOWN")
        return None if compute != "count" or null else (compute, plain)
    if not isinstance(argument, syntax.Path):
        return None
    column = input.table.columns[str(argument)]
    exact = column.kind == "integer" and column.type not in INTEGERS
    if compute != "count":
        if column.kind not in _NUMBERS or exact:
            return None
        if (compute == "avg" and column.kind != "double") or (compute == "sum" and column.kind == "decimal"):
            return None
    bits = INTEGERS.get(column.type) if compute == "sum" else None
    most = None if bits is None else 2**bits - 1
    return compute, PlainInput(input.table, plain.key, (column.name,), most, no_nulls=True)
