"""Stages of a query as the text of a scenario."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_instant, parse_instant
from tidemark.simulator.scenario.editing.text import Plain, text_value, written
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.reading import Input, Stage, as_path, columns_of
from tidemark.simulator.sql.tables import INTEGERS, Column, Settings, Table
from tidemark.simulator.sql.text import sql_text
from tidemark.simulator.sql.times import written as duration
from tidemark.simulator.sql.unions import Branches
from tidemark.simulator.words import words

# Stages as plain as scenarios can be: each record is one number, or the columns that a query chooses, with a key.

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


PASSES: Final = "passes"
"""The column of records of which some were dropped before: they move the watermark, and nothing else."""


def scenario_text(
    stage: Stage | PlainStage,
    name: str,
    settings: Settings,
    stream: Sequence[Mapping[str, Any]],
    comment: Sequence[str] = (),
    filtered: Container[str] = (),
) -> str:
    """The file of ``stage`` with the items of ``stream``; ``comment`` stands before it.

    ``filtered``: the inputs of which some records have a FALSE under ``PASSES``.
    """
    inputs: dict[str, Any] = {}
    for each, input in stage.inputs.items():
        channels = {"channels": len(input.table.stage.relations)} if isinstance(input.table.stage, Branches) else {}
        inputs[each] = {**channels, "watermark": watermark_of(input.table, settings, processing=stage.processing)}
        if isinstance(input, Input):
            inputs[each] |= calc(input, marked=each in filtered)
    return file_text(stage, name, {"inputs": inputs, "operator": operator_of(stage)}, stream, comment)


def file_text(
    stage: Stage | PlainStage,
    name: str,
    parts: Mapping[str, Mapping[str, Any]],
    stream: Sequence[Mapping[str, Any]],
    comment: Sequence[str],
) -> str:
    """A file with ``parts``, a line for each member of one, and for each member of one of several ``operators``.

    ``stage``: what the title is about.
    """
    lines = [*comment, "scenario: 1", f"name: {written(text_value(fit(name)))}", f"title: {written(_title(stage))}",
             *_origin(stream)]  # fmt: skip
    for part, members in parts.items():
        lines.append(f"{part}:")
        for member, value in members.items():
            if part == "operators":
                lines += [f"  {member}:", *(f"    {key}: {written(_plain(of))}" for key, of in value.items())]
            else:
                lines.append(f"  {member}: {written(_plain(value))}")
    return "\n".join([*lines, "stream:", *(f"  - {written(dict(item))}" for item in stream), ""])


def operator_of(stage: Stage | PlainStage) -> dict[str, Any]:
    """The operator of ``stage`` as a file has it."""
    operator = dict(stage.operator)
    if isinstance(stage, Stage) and stage.aggregates:
        compute = {each: sql_text(call) for each, call in stage.aggregates.items()}
        operator["function"] = {"call": Plain("aggregate"), "compute": compute}
    return operator


def calc(input: Input, *, marked: bool = False) -> dict[str, Any]:
    """What stands in front of the operator: the columns, the filter, what is computed of each row, and the key.

    ``marked``: whether records that were dropped before have a FALSE under ``PASSES``.
    """
    table = input.table
    wanted = [*input.keys, *input.values, *(name for each in input.where for name in columns_of(each))]
    select: dict[str, str] = {}

    def add(name: str) -> None:
        column = table.columns[name]
        if column.expression is not None and name not in select:
            for inner in columns_of(column.expression):
                add(inner)
            select[name] = sql_text(column.expression)

    for name in wanted:
        add(name)
    found: dict[str, Any] = {"columns": {name: table.columns[name].type for name in input.needed()}}
    where = [sql_text(each) for each in input.where]
    if marked:
        found["columns"][PASSES] = "BOOLEAN"
        where.append(f"{PASSES} IS NOT FALSE")
    if where:
        found["where"] = " AND ".join(f"({each})" if len(where) > 1 and " OR " in each else each for each in where)
    if select:
        found["select"] = select
    if input.keys:
        found["key"] = [sql_text(as_path(each, table.place)) for each in input.keys]
    return found


def _origin(stream: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where the clock starts: at the first arrival, if that is an instant. From 1970 it would tick for decades."""
    instants = [parse_instant(str(item["at"])) for item in stream if "at" in item]
    known = [each for each in instants if each is not None]
    return [f"origin: {format_instant(min(known))}"] if known and len(known) == len(instants) else []


def watermark_of(table: Table, settings: Settings, *, processing: bool) -> dict[str, Any]:
    """The strategy of an input whose rows are those of ``table``."""
    made = isinstance(table.stage, Stage) or (isinstance(table.stage, Branches) and table.stage.sends_watermarks)
    if table.rowtime is None or processing or made:
        return {"generator": "none"}
    found: dict[str, Any] = {"generator": "sql", "bound": duration(table.bound)}
    if settings.emit is not None:
        found["emit"] = duration(settings.emit)
    idle_timeout = settings.idle_timeout if table.idle_timeout is None else table.idle_timeout
    if idle_timeout:
        found["idle_timeout"] = duration(idle_timeout)
    return found


def _plain(value: Any) -> Any:
    """``value`` with its texts as plain scalars where they can be: they are names and durations of the format."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return text_value(value) if isinstance(value, str) and not isinstance(value, Plain) else value


def _title(stage: Stage | PlainStage) -> str:
    operator = stage.operator
    kind = operator["type"] if operator["type"] != "window" else f"window-{operator['api']}"
    tables = ", ".join(each.table.name for each in stage.inputs.values())
    return words(f"sql.titles.{kind}", tables=", ".join(dict.fromkeys(tables.split(", "))))


def fit(name: str) -> str:
    """``name`` as the name of a scenario: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "from-sql"
