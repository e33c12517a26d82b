"""The tables that a query reads: their columns, their time, and how a row of a file becomes a record."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from simulator.sql.intervals import milliseconds
from simulator.sql.problems import SqlProblem
from simulator.sql.syntax import (
    Call,
    ColumnDefinition,
    CreateTable,
    Expression,
    Literal,
    Operation,
    Path,
    Place,
    PrimaryKey,
    Watermark,
)
from simulator.sql.time_texts import is_year_first

INTEGERS: Final = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "INTEGER": 31, "BIGINT": 63}
"""Whole numbers of SQL and their bits without the sign."""

FLOATS: Final = ("FLOAT", "REAL")
"""Numbers of 32 bits, which a scenario does not have."""

_TEXTS: Final = ("STRING", "VARCHAR", "CHAR", "CHARACTER")
_DOUBLES: Final = ("DOUBLE", "DOUBLE PRECISION")
_CHANGELOGS: Final = ("debezium-json", "debezium-avro-confluent", "canal-json", "maxwell-json", "ogg-json")


_HERE: Final = ("default_catalog", "default_database")
"""Where Flink keeps a table whose name has nothing before it, as long as no ``USE`` says something else."""


@dataclass(frozen=True)
class Column:
    """A column. ``kind``: ``integer``, ``double``, ``decimal``, ``text``, ``boolean``, ``time``, ``proctime``,
    ``computed`` (from others, in a way that is not read) or ``other``.

    ``source``: the column of a file that it is read from; ``unit``: what a number there counts (``s``, ``ms``; None: it
    is no number); ``pattern``: of the texts that become this time ("" for Flink's own form; None: it is made of no
    text).
    """

    name: str
    kind: str
    type: str
    source: str
    unit: str | None = None
    pattern: str | None = None


@dataclass(frozen=True)
class Table:
    """A table of a statement. ``rowtime``: its time attribute, None without a watermark; ``bound``: what the watermark
    subtracts, in ms; ``local``: whether that is an instant (``TIMESTAMP_LTZ``); ``changelog``: whether its rows also
    update and delete."""

    name: str
    columns: Mapping[str, Column]
    rowtime: str | None
    bound: int
    local: bool
    primary_key: tuple[str, ...]
    changelog: bool
    place: Place

    def column(self, path: Path) -> Column:
        """The column that ``path`` names last. Raises ``SqlProblem`` if there is none."""
        found = self.columns.get(path.last)
        if found is None:
            raise SqlProblem("no_column", path.names[-1].place, name=path.last, table=self.name,
                             columns=", ".join(self.columns))  # fmt: skip
        return found


def full_name(path: Path) -> str:
    """The one name of a table or view, however much of its catalog and database ``path`` has.

    >>> from simulator.sql.syntax import Name
    >>> here = Place(1, 1)
    >>> [full_name(Path(tuple(Name(each, here) for each in text.split(".")), here)) for text in
    ...  ("o", "default_database.o", "default_catalog.default_database.o", "default_catalog.other.o", "other.o")]
    ['o', 'o', 'o', 'other.o', 'other.o']
    """
    names = tuple(each.text for each in path.names)
    if len(names) == 3 and names[0] == _HERE[0]:
        names = names[1:]
    if len(names) == 2 and names[0] == _HERE[1]:
        names = names[1:]
    return ".".join(names)


def table_of(statement: CreateTable) -> Table:
    """The table that ``statement`` makes. Raises ``SqlProblem`` for what Flink refuses, or a scenario cannot say."""
    for beyond in statement.beyond:
        raise SqlProblem("beyond_table", beyond.place, what=beyond.what)
    columns: dict[str, Column] = {}
    definitions = [each for each in statement.elements if isinstance(each, ColumnDefinition)]
    physical = {each.name.text: _column(each) for each in definitions if each.computed is None}
    for each in definitions:
        name = each.name.text
        if name in columns:
            raise SqlProblem("twice", each.name.place, name=name)
        columns[name] = physical[name] if each.computed is None else _computed(name, each.computed, physical)
    changelog = False
    for key, value, place in statement.options:
        if key.startswith("scan.watermark."):
            raise SqlProblem("watermark_option", place, key=key)
        changelog |= (key == "connector" and value == "upsert-kafka") or (
            key.endswith("format") and value in _CHANGELOGS
        )
    watermarks = [each for each in statement.elements if isinstance(each, Watermark)]
    if len(watermarks) > 1:
        raise SqlProblem("two_watermarks", watermarks[1].place)
    rowtime, bound, local = None, 0, False
    if watermarks:
        rowtime, bound = watermarks[0].column.text, _bound(watermarks[0])
        local = _check_rowtime(watermarks[0], columns, definitions)
    key_columns = [name.text for each in statement.elements if isinstance(each, PrimaryKey) for name in each.columns]
    key_columns += [each.name.text for each in definitions if each.key]
    return Table(
        full_name(statement.table), columns, rowtime, bound, local, tuple(key_columns), changelog, statement.table.place
    )


def _column(definition: ColumnDefinition) -> Column:
    name = definition.name.text
    assert definition.type is not None
    kind = definition.type.name
    of = str(definition.type)
    if kind in INTEGERS:
        return Column(name, "integer", of, name)
    if kind in _DOUBLES:
        return Column(name, "double", of, name)
    if kind in ("DECIMAL", "DEC", "NUMERIC"):
        # Without a scale a DECIMAL holds whole numbers, and those are exact here too.
        scale = definition.type.parameters[1] if len(definition.type.parameters) > 1 else 0
        return Column(name, "decimal" if scale else "integer", of, name)
    if kind in _TEXTS:
        return Column(name, "text", of, name)
    if kind == "BOOLEAN":
        return Column(name, "boolean", of, name)
    if kind in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        return Column(name, "time", of, name)
    return Column(name, "other", of, name)


def _computed(name: str, expression: Expression, physical: Mapping[str, Column]) -> Column:
    if isinstance(expression, Call) and not expression.over:
        first, *rest = expression.arguments or (None,)
        if expression.name == "PROCTIME" and first is None:
            return Column(name, "proctime", "TIMESTAMP_LTZ(3)", name)
        if isinstance(first, Path) and len(rest) < 2:
            return _converted(name, expression.name, first, rest, physical)
    return Column(name, "computed", "", name)


def _converted(
    name: str, function: str, path: Path, rest: Sequence[Expression], physical: Mapping[str, Column]
) -> Column:
    """A time that ``function`` makes of the column ``path``, by which types Flink takes there. A text that becomes an
    instant, and a FLOAT, which cannot hold the milliseconds of today, are not read."""
    if function in ("TO_TIMESTAMP_LTZ", "TO_TIMESTAMP"):
        kind = physical[path.last].kind if _is_name_of(path, physical) else ""
        pattern = _text(rest[0]) if rest else ""
        if function == "TO_TIMESTAMP" and kind == "text" and (not rest or is_year_first(pattern)):
            return Column(name, "time", "TIMESTAMP(3)", path.last, pattern=pattern)
        precision = rest[0].text if rest and isinstance(rest[0], Literal) else "3" if not rest else ""
        if function == "TO_TIMESTAMP_LTZ" and kind in ("integer", "double", "decimal") and precision in ("0", "3"):
            return Column(name, "time", "TIMESTAMP_LTZ(3)", path.last, "s" if precision == "0" else "ms")
    return Column(name, "computed", "", name)


def _text(expression: Expression) -> str:
    """The text that ``expression`` is, "" if it is none."""
    return expression.text if isinstance(expression, Literal) and expression.kind == "text" else ""


def _is_name_of(path: Path, names: Container[str]) -> bool:
    """Whether ``path`` is one of ``names``, nothing before it: within CREATE TABLE its columns have no table yet."""
    return len(path.names) == 1 and path.last in names


def _check_rowtime(watermark: Watermark, columns: Mapping[str, Column], definitions: list[ColumnDefinition]) -> bool:
    """Whether the time attribute is an instant. Raises ``SqlProblem`` if the column cannot be one."""
    name = watermark.column.text
    column = columns.get(name)
    if column is None:
        raise SqlProblem("no_column", watermark.column.place, name=name, table="WATERMARK", columns=", ".join(columns))
    definition = next(each for each in definitions if each.name.text == name)
    if column.kind == "computed":
        raise SqlProblem("computed_rowtime", definition.place, name=name)
    if column.kind != "time":
        raise SqlProblem("rowtime_type", watermark.column.place, name=name, type=column.type)
    if definition.type is None:
        return column.type.startswith("TIMESTAMP_LTZ")
    precision = definition.type.parameters[0] if definition.type.parameters else 6
    if precision > 3:
        raise SqlProblem("rowtime_precision", definition.type.place, type=definition.type.name)
    return definition.type.local


def _bound(watermark: Watermark) -> int:
    """What is subtracted from the column: the form ``rt``, ``rt - INTERVAL …``."""
    strategy, name = watermark.strategy, watermark.column.text
    if isinstance(strategy, Path) and _is_name_of(strategy, (name,)):
        return 0
    if isinstance(strategy, Operation) and strategy.operator == "-" and len(strategy.operands) == 2:
        column, interval = strategy.operands
        if isinstance(column, Path) and _is_name_of(column, (name,)):
            bound = milliseconds(interval)
            if bound < 0:
                raise SqlProblem("negative_bound", interval.place)
            return bound
    raise SqlProblem("watermark_strategy", strategy.place, name=name)
