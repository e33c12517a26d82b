"""The tables that a query reads: their columns, their time, and how a row of a file becomes a record."""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from tidemark.simulator.scenario.format.kinds import is_zone
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.expressions import Computed, compiled
from tidemark.simulator.sql.times import milliseconds
from tidemark.simulator.sql.types import column as typed_column
from tidemark.simulator.sql.types import type_of

INTEGERS: Final = {"TINYINT": 7, "SMALLINT": 15, "INT": 31, "INTEGER": 31, "BIGINT": 63}
"""Whole numbers of SQL and their bits without the sign."""

FLOATS: Final = ("FLOAT", "REAL")
"""Numbers of 32 bits, which a scenario does not have."""

_TEXTS: Final = ("STRING", "VARCHAR", "CHAR", "CHARACTER")
_DOUBLES: Final = ("DOUBLE", "DOUBLE PRECISION")
_CHANGELOGS: Final = ("debezium-json", "debezium-avro-confluent", "canal-json", "maxwell-json", "ogg-json")


_HERE: Final = ("default_catalog", "default_database")
"""Where Flink keeps a table whose name has nothing before it, as long as no ``USE`` says something else."""


CURRENT_WATERMARK: Final = "current_watermark"
"""The column of a table with a watermark that no query sees by name: what ``CURRENT_WATERMARK(rt)`` is of a row, NULL
before the first watermark."""


@dataclass(frozen=True)
class Column:
    """A column. ``kind``: ``integer``, ``float``, ``double``, ``decimal``, ``text``, ``boolean``, ``time``, ``date``,
    ``proctime``, ``window`` (an end of the window of a table function, which no record has) or ``other``.

    ``source``: the column of a file that it is read from. ``expression`` and ``computed``: what it is computed by, of
    other columns of its table; ``problem``: why that is not read. ``local``: whether it is an instant
    (``TIMESTAMP_LTZ``). ``of_arrival``: what computes it of the time at which a record arrives, where the event time is
    the clock's.
    """

    name: str
    kind: str
    type: str
    source: str
    computed: Computed | None = None
    problem: syntax.SqlProblem | None = None
    local: bool = False
    expression: syntax.Expression | None = None
    of_arrival: Computed | None = None


@dataclass(frozen=True)
class Table:
    """A table of a statement. ``rowtime``: its time attribute, None without a watermark; ``bound``: what the watermark
    subtracts, in ms; ``local``: whether that is an instant (``TIMESTAMP_LTZ``); ``changelog``: whether its rows also
    update and delete; ``idle_timeout`` (ms): of its options, None where the setting counts; ``zone``: of the session;
    ``stage``: what computes its rows, None for a table of the text; ``times``: all time attributes, where ``rowtime``
    is one of several."""

    name: str
    columns: Mapping[str, Column]
    rowtime: str | None
    bound: int
    local: bool
    primary_key: tuple[str, ...]
    changelog: bool
    place: syntax.Place
    idle_timeout: int | None = None
    zone: str = "UTC"
    stage: Any = field(default=None, compare=False)
    times: tuple[str, ...] = ()

    @cached_property
    def values(self) -> Mapping[str, Computed]:
        """The value of each column in a record: a struct of plain JSON."""
        return {
            name: typed_column(name, type_of(each.type)) if each.computed is None else each.computed
            for name, each in self.columns.items()
            if each.problem is None and each.kind not in ("proctime", "window", "other")
        }

    def with_computed(self, name: str, expression: syntax.Expression, computed: Computed) -> "Table":
        """The same table with one more column, which ``expression`` computes of the others."""
        return replace(self, columns={**self.columns, name: of_computed(name, computed, expression)})

    def column(self, path: syntax.Path) -> Column:
        """The column that ``path`` names last. Raises ``SqlProblem`` if there is none."""
        found = self.columns.get(path.last)
        if found is None:
            raise syntax.SqlProblem("no_column", path.names[-1].place, name=path.last, table=self.name,
                             columns=", ".join(self.columns))  # fmt: skip
        return found


def full_name(path: syntax.Path) -> str:
    """The one name of a table or view, however much of its catalog and database ``path`` has.

    >>> from tidemark.simulator.sql.syntax import Name
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


def plain_column(column: Column) -> Column:
    """``column`` as a stage emits it: of the same type, and computed no more."""
    return replace(column, source=column.name, computed=None, expression=None)


def in_zone(table: Table, *, processing: bool = False) -> dict[str, Any]:
    """The session time zone, which matters to windows where time is an instant: PROCTIME() is one too."""
    return {"session_zone": table.zone} if table.zone != "UTC" and (table.local or processing) else {}


def of_computed(name: str, computed: Computed, expression: syntax.Expression | None = None) -> Column:
    """The column that has the type of ``computed``; computed by ``expression`` if there is one."""
    type = str(computed)
    kind = {"small": "integer", "int": "integer", "bigint": "integer", "timestamp": "time", "timestamp_ltz": "time",
            "null": "text"}.get(computed.type, computed.type)  # fmt: skip
    local = computed.type == "timestamp_ltz"
    return Column(name, kind, type, name, None if expression is None else computed, None, local, expression)


def table_of(statement: syntax.CreateTable, zone: str = "UTC") -> Table:
    """The table that ``statement`` makes in the session time zone ``zone``.

    Raises ``SqlProblem`` for what Flink refuses, or a scenario cannot say.
    """
    for part in statement.beyond:
        raise syntax.beyond(part)
    columns: dict[str, Column] = {}
    definitions = [each for each in statement.elements if isinstance(each, syntax.ColumnDefinition)]
    physical: dict[str, Column] = {}
    for each in definitions:
        if each.type is not None:
            physical |= _columns(each.name.text, each.type)
    for each in definitions:
        name = each.name.text
        if name in columns:
            raise syntax.SqlProblem("twice", each.name.place, name=name)
        if each.type is not None:
            columns |= _columns(name, each.type)
        if each.computed is not None:
            columns[name] = _computed(name, each.computed, physical, zone)
    changelog, idle_timeout = False, None
    for key, value, place in statement.options:
        if key == "scan.watermark.idle-timeout":
            idle_timeout = _duration(syntax.Setting(key, value, place))
        elif key.startswith("scan.watermark."):
            raise syntax.SqlProblem("watermark_option", place, key=key)
        changelog |= (key == "connector" and value == "upsert-kafka") or (
            key.endswith("format") and value in _CHANGELOGS
        )
    watermarks = [each for each in statement.elements if isinstance(each, syntax.Watermark)]
    if len(watermarks) > 1:
        raise syntax.SqlProblem("two_watermarks", watermarks[1].place)
    rowtime, bound, local = None, 0, False
    if watermarks:
        rowtime, bound = watermarks[0].column.text, _bound(watermarks[0])
        local = _check_rowtime(watermarks[0], columns, definitions)
        columns[rowtime] = _of_arrival(columns[rowtime])
    if rowtime is not None and CURRENT_WATERMARK not in columns:
        columns[CURRENT_WATERMARK] = replace(
            columns[rowtime], name=CURRENT_WATERMARK, source="", computed=None, expression=None
        )
    key_columns = [
        name.text for each in statement.elements if isinstance(each, syntax.PrimaryKey) for name in each.columns
    ]
    key_columns += [each.name.text for each in definitions if each.key]
    return Table(
        full_name(statement.table), columns, rowtime, bound, local, tuple(key_columns), changelog,
        statement.table.place, idle_timeout, zone,
    )  # fmt: skip


def _columns(name: str, type: syntax.Type) -> dict[str, Column]:
    """The column ``name``; of a ROW also its members, by the dotted paths that JSON objects have in a file."""
    found = {name: _column(name, type)}
    for member, inner in type.members:
        found |= _columns(f"{name}.{member.text}", inner)
    return found


def _column(name: str, type: syntax.Type) -> Column:
    try:
        return of_computed(name, typed_column(name, type))
    except syntax.SqlProblem:
        return Column(name, "other", str(type), name)


def _computed(name: str, expression: syntax.Expression, physical: Mapping[str, Column], zone: str) -> Column:
    if isinstance(expression, syntax.Call) and expression.name == "PROCTIME" and not expression.arguments:
        return Column(name, "proctime", "TIMESTAMP_LTZ(3)", name)
    values = {
        each: typed_column(each, type_of(of.type))
        for each, of in physical.items()
        if of.kind not in ("proctime", "other")
    }
    try:
        return of_computed(name, compiled(expression, values, zone), expression)
    except syntax.SqlProblem as problem:
        return Column(name, "other", "", name, problem=problem)


def _of_arrival(rowtime: Column) -> Column:
    """``rowtime``; if it is nothing but the clock, each record has it as it arrives, and nothing computes it again."""
    computed = rowtime.computed
    if computed is None or not computed.clock or computed.columns:
        return rowtime
    return replace(rowtime, source="", computed=None, expression=None, of_arrival=computed)


def _is_name_of(path: syntax.Path, names: Container[str]) -> bool:
    """Whether ``path`` is one of ``names``, nothing before it: within CREATE TABLE its columns have no table yet."""
    return len(path.names) == 1 and path.last in names


def _check_rowtime(
    watermark: syntax.Watermark, columns: Mapping[str, Column], definitions: list[syntax.ColumnDefinition]
) -> bool:
    """Whether the time attribute is an instant. Raises ``SqlProblem`` if the column cannot be one."""
    name = watermark.column.text
    column = columns.get(name)
    if column is None:
        raise syntax.SqlProblem(
            "no_column", watermark.column.place, name=name, table="WATERMARK", columns=", ".join(columns)
        )
    definition = next(each for each in definitions if each.name.text == name)
    if column.problem is not None:
        raise column.problem
    if column.kind != "time":
        raise syntax.SqlProblem("rowtime_type", watermark.column.place, name=name, type=column.type)
    digits = (column.computed or typed_column(name, type_of(column.type))).digits
    if digits > 3:
        place = definition.place if definition.type is None else definition.type.place
        raise syntax.SqlProblem("rowtime_precision", place, type=column.type.partition("(")[0])
    return column.type.startswith("TIMESTAMP_LTZ") or column.local


def _bound(watermark: syntax.Watermark) -> int:
    """What is subtracted from the column: the form ``rt``, ``rt - INTERVAL …``."""
    strategy, name = watermark.strategy, watermark.column.text
    if isinstance(strategy, syntax.Path) and _is_name_of(strategy, (name,)):
        return 0
    if isinstance(strategy, syntax.Operation) and strategy.operator == "-" and len(strategy.operands) == 2:
        column, interval = strategy.operands
        if isinstance(column, syntax.Path) and _is_name_of(column, (name,)):
            bound = milliseconds(interval)
            if bound < 0:
                raise syntax.SqlProblem("negative_bound", interval.place)
            return bound
    raise syntax.SqlProblem("watermark_strategy", strategy.place, name=name)


_NO_MATTER: Final = (
    "pipeline.name", "pipeline.max-parallelism", "pipeline.object-reuse", "execution.checkpointing.",
    "execution.target", "state.backend", "state.checkpoints", "sql-client.", "table.optimizer.agg-phase-strategy",
    "table.exec.resource.", "rest.", "jobmanager.", "taskmanager.", "restart-strategy", "table.dml-sync",
)  # fmt: skip
"""Settings that change how a job runs and not what it computes, by how their names begin."""

_UTC: Final = ("UTC", "Etc/UTC", "GMT", "Z", "UTC+00:00", "GMT+00:00")
_UNITS: Final = {"ms": 1, "milli": 1, "millis": 1, "millisecond": 1, "milliseconds": 1, "s": 1000, "sec": 1000,
                 "secs": 1000, "second": 1000, "seconds": 1000, "m": 60_000, "min": 60_000, "minute": 60_000,
                 "minutes": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000,
                 "day": 86_400_000, "days": 86_400_000}  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """What a scenario takes over, in ms: the interval between watermarks (None: after each record), the idle timeout
    (0: never), and of the old group windows the delays of their early and late firings (None: none; 0: at each record)
    and the allowed lateness. ``zone_set``: whether a time zone is said; ``zone``: the setting of one other than UTC.
    """

    emit: int | None = None
    idle_timeout: int = 0
    early: int | None = None
    late: int | None = None
    lateness: int = 0
    zone_set: bool = False
    zone: syntax.Setting | None = None


def settings_of(statements: Sequence[syntax.Setting]) -> Settings:
    """All that is set. Raises ``SqlProblem`` for a setting that a scenario cannot follow."""
    found = Settings()
    switches: dict[str, bool] = {}
    delays: dict[str, int] = {}
    for each in statements:
        key = each.key
        if key == "pipeline.auto-watermark-interval":
            found = replace(found, emit=_duration(each) or None)
        elif key == "table.exec.source.idle-timeout":
            found = replace(found, idle_timeout=_duration(each))
        elif key == "table.local-time-zone":
            # Flink takes offsets and regions, but no abbreviations such as EST.
            if offset := re.fullmatch(r"GMT([+-])(\d{1,2})(?::?00)?", each.value):
                # The database of regions has the same zones, with the sign turned round.
                name = f"Etc/GMT{'-' if offset[1] == '+' else '+'}{int(offset[2])}"
                each = replace(each, value=name if int(offset[2]) and is_zone(name) else each.value)
            if each.value not in _UTC and not ("/" in each.value and is_zone(each.value)):
                raise syntax.SqlProblem("zone", each.place, zone=each.value)
            found = replace(found, zone_set=True, zone=None if each.value in _UTC else each)
        elif fire := re.fullmatch(r"table\.exec\.emit\.(early|late)-fire\.(enabled|delay)", key):
            if fire[2] == "enabled":
                switches[fire[1]] = each.value.lower() == "true"
            else:
                delays[fire[1]] = _duration(each)
        elif key == "table.exec.emit.allow-lateness":
            found = replace(found, lateness=_duration(each))
        elif key == "parallelism.default":
            if each.value.strip() != "1":
                raise syntax.SqlProblem("parallelism", each.place, number=each.value)
        elif key == "execution.runtime-mode":
            if each.value.lower() != "streaming":
                raise syntax.SqlProblem("batch", each.place)
        elif key == "table.exec.unbounded-over.version":
            if each.value != "2":
                raise syntax.SqlProblem("over_version", each.place)
        elif not key.startswith(_NO_MATTER):
            raise syntax.SqlProblem("setting", each.place, key=key)
    early, late = (delays.get(name, 0) if switches.get(name) else None for name in ("early", "late"))
    return replace(found, early=early, late=late)


def _duration(setting: syntax.Setting) -> int:
    """A duration as Flink's configuration writes it (``TimeUtils.parseDuration``): ``200 ms``, ``5s``; no unit: ms."""
    found = re.fullmatch(r"\s*+(\d{1,15})\s*+([a-z]*+)\s*+", setting.value.lower(), re.ASCII)
    factor = _UNITS.get(found[2] or "ms") if found else None
    if found is None or factor is None:
        raise syntax.SqlProblem("setting_duration", setting.place, key=setting.key, value=setting.value)
    return int(found[1]) * factor
