"""The smallest stream on which two queries in Flink SQL have other results, whatever stages either of them takes.

Both read one table of the same columns. Each stream goes through the whole query, filters and HAVING included, and the
changes that it emits are compared, each with the row at whose arrival it comes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.differ.report import lead, tried_lines
from tidemark.simulator.explore.differ.search import Bounds, Search, Tried
from tidemark.simulator.explore.differ.sides import Rows, Stream
from tidemark.simulator.explore.differ.streams import Space, kinds_of, step_of, times_of
from tidemark.simulator.scenario import parse
from tidemark.simulator.sql.chain import Chain, JobFailed
from tidemark.simulator.sql.records import Arrival, made_up
from tidemark.simulator.sql.syntax import SqlProblem
from tidemark.simulator.sql.tables import CURRENT_WATERMARK, Column, Table
from tidemark.simulator.sql.times import time_text
from tidemark.simulator.sql.translation import Planned, from_sql, stages_of
from tidemark.simulator.words import words

ROWS: Final = 16
"""The most rows whose columns are tried."""

_NUMBER: Final = re.compile(r"(?<![\w.'])\d+(?![\w.'])")

Row = Mapping[str, Any]


class NoStreams(Exception):
    """Two queries that cannot be compared; the text says why."""


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """``rows``: the fewest rows on which they differ, None if none were found; ``only_left`` and ``only_right``: what
    only one of the two emits."""

    rows: tuple[Row, ...] | None
    only_left: tuple[str, ...]
    only_right: tuple[str, ...]
    tried: Tried


def differ_in_sql(one: Planned, other: Planned, bounds: Bounds) -> QueryAnswer:
    """The fewest rows on which both queries differ. Raises ``NoStreams``."""
    table = _table(one, other)
    _need_same_columns(one, other)
    space = _space(table, (one, other))
    sides = _compared(one, table), _compared(other, table)
    search = Search(*sides, space, bounds)
    found = search.found()
    counted = [side(found) or Rows() for side in sides] if found else [Rows(), Rows()]
    only = [_emitted(counted[side] - counted[1 - side], _rows_in(found)) for side in (0, 1)]
    rows = None if found is None else tuple(_row(table, each) for each in _rows_in(found))
    return QueryAnswer(rows, only[0], only[1], search.tried)


def _rows_in(stream: Stream | None) -> list[Record]:
    return [each for each in stream or () if isinstance(each, Record)]


def _emitted(changes: Rows, rows: Sequence[Record]) -> tuple[str, ...]:
    """The changes that only one side emits, each with the row at whose arrival it comes."""
    found = []
    for seq, op, row in sorted(changes.elements()):
        when = words("differ.after_row", row=seq + 1) if seq < len(rows) else words("differ.at_end")
        found.append(f"{when} {op} {row}")
    return tuple(found)


def _table(left: Planned, right: Planned) -> Table:
    """The one table that both read."""
    found = []
    for each in (left, right):
        tables = list(each.tables().values())
        clocked = any(stage.processing for stage in stages_of(each.relation))
        if len(tables) != 1 or tables[0].rowtime is None or clocked or CURRENT_WATERMARK in each.text:
            raise NoStreams(words("differ.refused.query"))
        if tables[0].columns[tables[0].rowtime].computed is not None:
            raise NoStreams(words("differ.refused.query"))
        found.append(tables[0])
    kinds = [{(each.source, each.type) for each in table.columns.values() if each.source} for table in found]
    if kinds[0] != kinds[1] or found[0].rowtime != found[1].rowtime:
        named = [", ".join(sorted(f"{name} {type}" for name, type in each)) for each in kinds]
        raise NoStreams(words("differ.refused.columns", left=named[0], right=named[1]))
    return found[0]


def _need_same_columns(left: Planned, right: Planned) -> None:
    """Raise ``NoStreams`` for columns of SELECT with other names: then any row at all would differ."""
    names = [", ".join(each.relation.columns) for each in (left, right)]
    if left.relation.columns.keys() != right.relation.columns.keys():
        raise NoStreams(words("differ.refused.select", left=names[0], right=names[1]))


def _compared(planned: Planned, table: Table) -> Any:
    (name,) = planned.tables()

    def rows(stream: Stream) -> Rows | None:
        taken = [Arrival(each.ts, None, _row(table, each), 0) for each in _rows_in(stream)]
        try:
            events = list(Chain({name: taken}, planned.settings).rows(planned.relation))
        except (JobFailed, ScenarioError, ValueError, LookupError):
            return None
        return Counter((each.seq, each.op, json.dumps(each.row, sort_keys=True, default=str)) for each in events)

    return rows


def _row(table: Table, record: Record) -> dict[str, Any]:
    return {**record.value, str(table.rowtime): time_text(record.ts or 0)}


def _space(table: Table, queries: tuple[Planned, Planned]) -> Space:
    times, steps = {0}, set()
    for each in queries:
        stages = [stage for stage in stages_of(each.relation) if stage.problem is None]
        for number in range(1, len(stages) + 1):
            try:
                scenario = parse(from_sql(each.text, stage_number=number))
            except SqlProblem:  # no scenario does this stage: the others say which times matter
                continue
            times |= {time for time in times_of(scenario, 0) if time >= 0}
            steps.add(step_of(scenario.operator))
    values = tuple(("", row) for row in _values(table, queries))
    return Space(
        0, max(steps, default=1), tuple(sorted(times)), (), ((table.name, 1, True),), (values,),
        kinds_of((values,)), closes=False, batches=False, controls=False, versions=False,
    )  # fmt: skip


def _values(table: Table, queries: tuple[Planned, Planned]) -> list[Row]:
    """Rows that suit either query, and the first one with other numbers: those in the queries, and beside them."""
    known: list[dict[str, Any]] = []
    for each in queries:
        (rows,) = made_up(stages_of(each.relation), each.tables()).values()
        known += [row.row for row in rows[:4]]
    names = [name for name, column in table.columns.items() if column.source and column.computed is None]
    whole = {name: next((row[name] for row in known if row.get(name) is not None), None) for name in names}
    found: list[Row] = []
    for row in (*known, *_varied(table, queries, whole)):
        full = {name: row.get(name, whole[name]) for name in names}
        if full not in found:
            found.append(full)
    return found[:ROWS]


def _varied(table: Table, queries: tuple[Planned, Planned], row: Row) -> Iterator[dict[str, Any]]:
    text = " ".join(each.text for each in queries)
    numbers = sorted({int(each) for each in _NUMBER.findall(text)})[:4]
    columns: list[Column] = [each for each in table.columns.values() if each.name in row and each.name != table.rowtime]
    for column in columns:
        if column.kind == "integer" and text.count(column.name) > len(queries):  # not in its CREATE TABLE alone
            for value in (*(number + beside for number in numbers for beside in (0, 1)), None):
                yield {**row, column.name: value}


def lines_of(answer: QueryAnswer) -> Iterator[str]:
    """The answer, a line each."""
    if answer.rows is not None:
        yield lead(len(answer.rows))
        yield from (json.dumps(row, ensure_ascii=False) for row in answer.rows)
        for label, only in zip("AB", (answer.only_left, answer.only_right), strict=True):
            yield f"{label}: {'; '.join(only) or words('differ.nothing')}"
    yield from tried_lines(answer.tried, len(answer.rows or ()))


def members_of(answer: QueryAnswer) -> dict[str, Any]:
    """The answer as plain data."""
    members = asdict(answer)
    tried = members.pop("tried")
    return {**members, **tried}
