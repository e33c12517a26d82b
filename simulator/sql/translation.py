"""From statements to the text of a scenario file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.duration import format_instant, parse_instant
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.editing.text import Plain, text_value, written
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregates import by_rank, group_window, over, window_aggregation
from tidemark.simulator.sql.inserts import inserted
from tidemark.simulator.sql.joins import join
from tidemark.simulator.sql.parsing import parse
from tidemark.simulator.sql.reading import Reading, Scope, computed, need_names, refuse_beyond
from tidemark.simulator.sql.records import Files, RecordsProblem, Stream, read_stream, sample_stream
from tidemark.simulator.sql.tables import Settings, Table, full_name, settings_of, table_of
from tidemark.simulator.sql.times import written as duration
from tidemark.simulator.words import words

_MOST_LINES: Final = 60
"""Lines of SQL that the scenario keeps as a comment."""


def from_sql(text: str, name: str = "from-sql", files: Files | None = None, query_number: int | None = None) -> str:
    """The text of a scenario file that does what ``text`` does.

    ``name``: that of the scenario, made fit if it cannot be one. ``files``: records; without them those that the text
    inserts, or else a few are made up. ``query_number``: which of several queries, from 1. Raises ``SqlProblem`` with
    the first place that a scenario cannot follow, ``RecordsProblem`` for ``files``.
    """
    statements = parse(text)
    settings = settings_of([each for each in statements if isinstance(each, syntax.Setting)])
    script = _script(statements, settings)
    query, scope = _chosen(script.queries, query_number, statements)
    reading = _in_zone(reading_of(query.query, scope, settings), settings.zone)
    if reading.operator.get("api") != "sql" and (settings.early, settings.late) != (None, None):
        raise syntax.SqlProblem("fires_once", query.place)
    own = None if files else inserted(script.inserts, [each.table for each in reading.inputs.values()], settings)
    try:
        return _with_records(text, name, reading, settings, query.place, files if own is None else own.files)
    except RecordsProblem as problem:
        if own is None:
            raise
        raise own.refused(problem) from None


def _with_records(
    text: str, name: str, reading: Reading, settings: Settings, place: syntax.Place, files: Files | None
) -> str:
    given = read_stream(reading, files) if files else None
    if files:  # of the reader's own records one may be late
        reading = replace(reading, notes=tuple(each for each in reading.notes if each != "window_join"))
    made = _written(text, name, reading, settings, given.items if given is not None else sample_stream(reading))
    _check(made, reading, place, given)
    return made


def reading_of(query: syntax.Query, scope: Scope, settings: Settings) -> Reading:
    """What ``query`` means. Raises ``SqlProblem`` for a query that a scenario cannot follow."""
    select = query.select
    if select is None:
        raise syntax.beyond(query.beyond[0])
    scope = scope.with_tables_of(query)
    if isinstance(select.source, syntax.JoinSource):
        refuse_beyond(select, where=False, around=query.beyond)
        return join(select, select.source, scope)
    relation = scope.relation(select.source)
    # A row number is limited by WHERE; for any other query that is beyond a scenario as well.
    refuse_beyond(select, where=relation.rank is None, around=query.beyond)
    if relation.rank is not None or select.qualify is not None:
        return by_rank(select, relation)
    if select.group is not None:
        need_names(select, relation)
        if relation.window is not None:
            return window_aggregation(select, relation)
        if any(isinstance(each, syntax.Call) for each in select.group):
            return group_window(select, relation, settings)
        raise syntax.SqlProblem("group_without_window", select.group[0].place)
    if any(isinstance(item.of, syntax.Call) and item.of.over is not None for item in select.items):
        if relation.window is not None:
            raise syntax.SqlProblem("over_window", select.place)
        return over(select, relation)
    for item in select.items:
        if not (item.of is None or isinstance(item.of, syntax.Path)):
            raise computed(item.of, item.place)
    if relation.window is not None:
        raise syntax.SqlProblem("window_rows", select.place, window=relation.window.name)
    raise syntax.SqlProblem("nothing_by_time", select.place)


def _in_zone(reading: Reading, zone: syntax.Setting | None) -> Reading:
    """``reading`` in the session time zone. Raises ``SqlProblem`` for local windows that a scenario lacks.

    The zone matters only to windows, and only where time is an instant: PROCTIME() is one too.
    """
    operator = reading.operator
    instants = reading.processing or any(each.table.local for each in reading.inputs.values())
    if zone is None or not instants or operator["type"] not in ("window", "window-top-n", "window-join"):
        return reading
    if operator.get("api") not in ("sql", "tvf") or operator.get("allowed_lateness"):
        raise syntax.SqlProblem("zone_windows", zone.place, zone=zone.value)
    return replace(reading, operator={**operator, "session_zone": zone.value})


@dataclass
class _Script:
    """``queries``: each with the tables and views that it can name; ``inserts``: rows for tables, in order."""

    queries: list[tuple[syntax.QueryStatement, Scope]]
    inserts: list[syntax.InsertValues]


def _script(statements: Sequence[syntax.Statement], settings: Settings) -> _Script:
    """What ``statements`` leave behind, one after the other. A text without a query ends with a view: that is read."""
    tables: dict[str, Table] = {}
    views: dict[str, syntax.Query] = {}
    script = _Script([], [])
    view: syntax.QueryStatement | None = None

    def query(of: syntax.QueryStatement) -> tuple[syntax.QueryStatement, Scope]:
        return of, Scope(dict(tables), dict(views))

    for each in statements:
        if isinstance(each, syntax.CreateTable):
            if each.query is not None:
                script.queries.append(query(syntax.QueryStatement(each.query, each.query.place)))
                continue
            table = table_of(each, settings.zone.value if settings.zone else "UTC")
            if table.name in tables or table.name in views:
                raise syntax.SqlProblem("twice", each.table.place, name=table.name)
            tables[table.name] = table
        elif isinstance(each, syntax.CreateView):
            if each.columns:
                raise syntax.SqlProblem("column_list", each.view.place)
            name = full_name(each.view)
            if name in tables or name in views:
                raise syntax.SqlProblem("twice", each.view.place, name=name)
            view = syntax.QueryStatement(each.query, each.query.place)
            views[name] = each.query
        elif isinstance(each, syntax.Drop):
            name = full_name(each.name)
            of_its_kind: dict[str, Any] = views if each.view else tables
            if not each.if_exists and name not in of_its_kind:
                raise syntax.SqlProblem("no_table", each.place, name=name, tables=", ".join(of_its_kind))
            of_its_kind.pop(name, None)
        elif isinstance(each, syntax.InsertValues):
            script.inserts.append(each)
        elif isinstance(each, syntax.QueryStatement):
            script.queries.append(query(each))
    if not script.queries and view is not None:
        script.queries.append(query(view))
    return script


def _chosen(
    queries: list[tuple[syntax.QueryStatement, Scope]], number: int | None, statements: Sequence[syntax.Statement]
) -> tuple[syntax.QueryStatement, Scope]:
    if not queries:
        raise syntax.SqlProblem("no_query", statements[-1].place if statements else syntax.Place(1, 1))
    if number is not None and not 1 <= number <= len(queries):
        raise syntax.SqlProblem("query_number", queries[-1][0].place, number=number, count=len(queries))
    if number is None and len(queries) > 1:
        raise syntax.SqlProblem("two_queries", queries[1][0].place)
    return queries[(number or 1) - 1]


def _written(text: str, name: str, reading: Reading, settings: Settings, stream: Sequence[dict[str, Any]]) -> str:
    inputs = {
        each: {"watermark": _watermark(input.table, settings, processing=reading.processing)}
        for each, input in reading.inputs.items()
    }
    tables = [each.table for each in reading.inputs.values()]
    notes = [words(f"sql.notes.{each}") for each in reading.notes]
    if settings.emit is None and not reading.processing:
        notes.append(words("sql.notes.each_record"))
    if any(each.local for each in tables) and not settings.zone_set:
        notes.append(words("sql.notes.utc"))
    if any(each.key is None for each in reading.inputs.values()):
        notes.append(words("sql.notes.one_key"))
    comment = [f"# {line}".rstrip() for line in text.strip("\n").replace("\t", "    ").replace("\r", "").split("\n")]
    if len(comment) > _MOST_LINES:
        comment = [*comment[:_MOST_LINES], "# …"]
    lines = [
        *comment, *(f"# ({note})" for note in notes), "scenario: 1", f"name: {_fit(name)}",
        f"title: {written(_title(reading))}", *_origin(stream), "inputs:",
        *(f"  {each}: {written(_plain(input))}" for each, input in inputs.items()), "operator:",
        *(f"  {member}: {written(_plain(value))}" for member, value in reading.operator.items()), "stream:",
        *(f"  - {written(item)}" for item in stream), "",
    ]  # fmt: skip
    return "\n".join(lines)


def _origin(stream: Sequence[dict[str, Any]]) -> list[str]:
    """Where the clock starts: at the first arrival, if that is an instant. From 1970 it would tick for decades."""
    instants = [parse_instant(str(item["at"])) for item in stream if "at" in item]
    known = [each for each in instants if each is not None]
    return [f"origin: {format_instant(min(known))}"] if known and len(known) == len(instants) else []


def _watermark(table: Table, settings: Settings, *, processing: bool) -> dict[str, Any]:
    if table.rowtime is None or processing:
        return {"generator": "none"}
    found: dict[str, Any] = {"generator": "sql", "bound": duration(table.bound)}
    if settings.emit is not None:
        found["emit"] = duration(settings.emit)
    idle_timeout = settings.idle_timeout if table.idle_timeout is None else table.idle_timeout
    if idle_timeout:
        found["idle_timeout"] = duration(idle_timeout)
    return found


def _plain(value: Any) -> Any:
    """``value`` with its texts as plain scalars: they are names and durations of the format."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return Plain(value) if isinstance(value, str) else value


def _title(reading: Reading) -> str:
    operator = reading.operator
    kind = operator["type"] if operator["type"] != "window" else f"window-{operator['api']}"
    return words(
        f"sql.titles.{kind}", tables=", ".join(dict.fromkeys(each.table.name for each in reading.inputs.values()))
    )


def _fit(name: str) -> str:
    """``name`` as the name of a scenario: small letters, digits and hyphens."""
    fit = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "from-sql"
    return written(text_value(fit))  # `1` in quotes: YAML would read a number


def _check(text: str, reading: Reading, place: syntax.Place, given: Stream | None) -> None:
    """Read ``text`` as any scenario is read, and run it where records must not be late."""
    try:
        scenario, _ = read_text(text)
    except ScenarioError as error:
        raise syntax.SqlProblem("refused", place, why=error.problems[0].text) from None
    if not reading.never_late:
        return
    late: list[Any] = []
    run(scenario, lambda row: late.append(row) if row["row"] in ("late", "dropped") else None)
    if late and given is not None:
        raise given.refused("late", late[0]["item"])
    assert not late
