"""From a text to the scenarios that its query is, and to the rows that it emits."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import read_text
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.chain import Chain, JobFailed
from tidemark.simulator.sql.chaining import chained, operator_names, sources_of
from tidemark.simulator.sql.inserts import Inserted, inserted
from tidemark.simulator.sql.parsing import parse
from tidemark.simulator.sql.plan_nodes import plan_note
from tidemark.simulator.sql.planning import planner, sorted_by_time
from tidemark.simulator.sql.ranks import numbered
from tidemark.simulator.sql.reading import Relation, Scope, Stage, columns_of
from tidemark.simulator.sql.records import Files, RecordsProblem, Stream, arrivals, made_up, read_stream, sample_stream
from tidemark.simulator.sql.tables import CURRENT_WATERMARK, Settings, Table, full_name, settings_of, table_of
from tidemark.simulator.sql.unions import Branches, with_windows
from tidemark.simulator.sql.writing import plain_stage, scenario_text
from tidemark.simulator.words import words

_MOST_LINES: Final = 60
"""Lines of SQL that the scenario keeps as a comment."""


def from_sql(
    text: str,
    name: str = "from-sql",
    files: Files | None = None,
    query_number: int | None = None,
    stage_number: int | None = None,
) -> str:
    """The text of a scenario file that does what ``text`` does.

    ``name``: that of the scenario, made fit if it cannot be one. ``files``: records; without them those that the text
    inserts, or else a few are made up. ``query_number``: which of several queries, from 1; ``stage_number``: which of
    the stages of a query that takes several. By default all of them are one scenario with ``operators``; where no such
    scenario does the same, it is the last one. Raises ``SqlProblem`` with the first place that no scenario can follow,
    ``RecordsProblem`` for ``files``.
    """
    planned = planned_query(text, query_number)
    stages = stages_of(planned.relation)
    problem = next((each.problem for each in reversed(stages) if each.problem is not None), None)
    if problem is not None and stage_number is None:
        raise problem
    stages = [each for each in stages if each.problem is None]
    if not stages:
        raise syntax.SqlProblem("nothing_by_time", planned.place)
    number = len(stages) if stage_number is None else stage_number
    if not 1 <= number <= len(stages):
        raise syntax.SqlProblem("stage_number", planned.place, number=number, count=len(stages))
    inserts = None if files else planned.inserted()
    files = files if inserts is None else inserts.files
    notes = [words("sql.notes.stage", number=number, count=len(stages))] if len(stages) > 1 else []
    with _refusals_in_text(planned, inserts):
        if stage_number is None and len(stages) > 1:
            comment = _comment(planned, stages, files)
            whole = chained(planned.operators(), name, planned.settings, planned.chain(files), comment)
            if whole is not None:
                return whole
            notes.append(words("sql.notes.not_whole"))
        return _scenario(planned, stages[number - 1], name, files, notes)


@contextmanager
def _refusals_in_text(planned: "Planned", inserts: Inserted | None) -> Iterator[None]:
    """What is wrong with rows that the text itself has, and what fails the job, is a ``SqlProblem`` at its place."""
    try:
        yield
    except RecordsProblem as problem:
        if inserts is None:
            raise
        raise inserts.refused(problem) from None
    except JobFailed as failure:
        raise syntax.SqlProblem("job_fails", planned.place, why=str(failure)) from None


@dataclass(frozen=True)
class Change:
    """One row that a query emits: ``op`` is ``+I``, ``-U``, ``+U`` or ``-D``, ``row`` its columns as plain JSON."""

    op: str
    row: Mapping[str, Any]


@dataclass(frozen=True)
class StageRun:
    """``stage`` as it ran: how many rows it took in and emitted. ``name``: of the operator, ``sources``: what feeds it,
    tables of the text or operators."""

    name: str
    sources: Sequence[str]
    stage: Stage
    taken: int
    emitted: int


@dataclass(frozen=True)
class Result:
    """What a query emits: the types of its columns by name, in the order of SELECT, and its rows in theirs.

    ``stages``: in the order of ``from_sql``; ``unshown``: the others, which no scenario shows, by the types of their
    operators; ``late``: how many rows all of them dropped as late; ``made_up``: whether there were no records but those
    that are made up.
    """

    types: Mapping[str, str]
    rows: Sequence[Change]
    stages: Sequence[StageRun]
    unshown: Sequence[str]
    late: int
    made_up: bool


def result_of(text: str, files: Files | None = None, query_number: int | None = None) -> Result:
    """The rows that Flink would emit for ``text``. Raises ``SqlProblem`` and ``RecordsProblem`` as ``from_sql``."""
    planned = planned_query(text, query_number)
    inserts = None if files else planned.inserted()
    with _refusals_in_text(planned, inserts):
        chain = planned.chain(files if inserts is None else inserts.files)
        relation = planned.relation
        columns = {name: relation.table.columns.get(of) for name, of in relation.columns.items()}
        types = {name: "" if column is None else column.type for name, column in columns.items()}
        operators = planned.operators()
        rows = [Change(event.op, event.row or {}) for event in chain.rows(relation)]
        stages = [
            StageRun(
                name,
                sources_of(table, operators),
                table.stage,
                sum(map(chain.count, table.stage.tables())),
                chain.count(table),
            )
            for name, table in operators.items()
            if isinstance(table.stage, Stage)
        ]
        unshown = [each.operator["type"] for each in stages_of(relation) if each.problem is not None]
        return Result(types, rows, stages, unshown, chain.late, not files and inserts is None)


def queries_of(text: str) -> list[syntax.Place]:
    """Where each query of ``text`` stands. Raises ``SqlProblem``."""
    statements = parse(text)
    settings = settings_of([each for each in statements if isinstance(each, syntax.Setting)])
    return [query.place for query, _ in _script(statements, settings).queries]


@dataclass(frozen=True)
class Planned:
    """A query of a text, and what it means."""

    text: str
    relation: Relation
    settings: Settings
    inserts: Sequence[syntax.InsertValues]
    place: syntax.Place
    views: Mapping[syntax.Place, str]

    def operators(self) -> dict[str, Table]:
        """The tables that the stages compute, by what an operator is called that does so."""
        return operator_names(computed_tables(self.relation), self.views)

    def inserted(self) -> Inserted | None:
        """The rows that the text itself has for the tables of the query."""
        return inserted(self.inserts, list(self.tables().values()), self.settings)

    def tables(self) -> dict[str, Table]:
        """The tables of the text that the query reads, with all columns that are computed of them."""
        return {table.name: table for table in base_tables(self.relation.table)}

    def chain(self, files: Files | None) -> Chain:
        """The stages, ready to run over ``files``; without these over a few rows that are made up."""
        tables = self.tables()
        stages = stages_of(self.relation)
        processing = any(each.processing for each in stages)
        joined = {of.name for each in stages if len(each.inputs) > 1 for of in each.tables() if of.stage is None}
        if files is None:
            return Chain(made_up(stages, tables), self.settings, joined)
        if files.keys() != tables.keys() and not (files.keys() == {""} and len(tables) == 1):
            problem = RecordsProblem("which_table", tables=", ".join(sorted(tables)))
            problem.tables = tuple(sorted(tables))
            raise problem
        found = {}
        for name, table in tables.items():
            file = name if name in files else ""
            try:
                found[name] = arrivals(table, self.needed(name), files[file], processing=processing)
            except RecordsProblem as problem:
                problem.table = file
                raise
        return Chain(found, self.settings, joined)

    def needed(self, name: str) -> list[str]:
        """The columns of a table of the text that any stage, or the query itself, reads."""
        found: dict[str, None] = {}

        def note(table: Table, columns: Iterable[str]) -> None:
            if isinstance(table.stage, Branches):
                for each in table.stage.relations:
                    note(each.table, used(each))
            elif table.stage is None and table.name == name:
                found.update(dict.fromkeys(columns))

        for stage in stages_of(self.relation):
            for input in stage.inputs.values():
                note(input.table, input.needed())
        note(self.relation.table, used(self.relation))
        return list(found)


def planned_query(text: str, number: int | None = None) -> Planned:
    """The query with this number, from 1, of ``text``. Raises ``SqlProblem`` for one that no scenarios follow."""
    statements = parse(text)
    settings = settings_of([each for each in statements if isinstance(each, syntax.Setting)])
    script = _script(statements, settings)
    query, scope = _chosen(script.queries, number, statements)
    order = [each for each in query.query.beyond if isinstance(each, syntax.OrderBy)]
    rest = tuple(each for each in query.query.beyond if each not in order)
    relation = planner(settings)(query.query if rest else replace(query.query, beyond=()), scope)
    if relation.rank is not None:
        relation = numbered(relation, query.place)
    if relation.window is not None and relation.window.assigner["type"] == "session":
        relation = with_windows(relation)
    for each in order:
        relation = sorted_by_time(relation, each)
    relation = replace(relation, table=pruned(relation.table, used(relation)))
    for stage in stages_of(relation):
        _check_zone(stage, settings.zone)
        if stage.operator.get("api") != "sql" and (settings.early, settings.late) != (None, None):
            raise syntax.SqlProblem("fires_once", query.place)
    named = [*scope.views.items(), *((name.text, each) for name, each in query.query.tables)]
    views = {each.select.place: name for name, each in named if each.select is not None}
    planned = Planned(text, relation, settings, script.inserts, query.place, views)
    if settings.emit is not None:
        unions = [input.table.stage for stage in stages_of(relation) for input in stage.inputs.values()]
        if any(isinstance(each, Branches) and each.sends_watermarks for each in unions):
            raise syntax.SqlProblem("union_watermarks", query.place)
        if any(CURRENT_WATERMARK in planned.needed(name) for name in planned.tables()):
            raise syntax.SqlProblem("current_watermark", query.place)
    return planned


def base_tables(table: Table) -> Iterator[Table]:
    """The tables of the text from which the rows of ``table`` come."""
    if table.stage is None:
        yield table
    elif isinstance(table.stage, Branches):
        for relation in table.stage.relations:
            yield from base_tables(relation.table)
    else:
        for input in table.stage.inputs.values():
            yield from base_tables(input.table)


def stages_of(relation: Relation) -> list[Stage]:
    """The stages that compute ``relation``, each behind those that it reads."""
    return [table.stage for table in computed_tables(relation) if isinstance(table.stage, Stage)]


def computed_tables(relation: Relation) -> list[Table]:
    """The tables of the stages that compute ``relation``, each behind those that it reads."""
    found: list[Table] = []

    def add(table: Table) -> None:
        if isinstance(table.stage, Branches):
            for each in table.stage.relations:
                add(each.table)
        elif table.stage is not None and not any(each.stage is table.stage for each in found):
            for input in table.stage.inputs.values():
                add(input.table)
            found.append(table)

    add(relation.table)
    return found


def used(relation: Relation) -> list[str]:
    """The columns of its table that ``relation`` reads, but for those that are computed."""
    table = relation.table
    names = [*relation.columns.values(), *(name for each in relation.where for name in columns_of(each))]
    found: dict[str, None] = {}
    for name in names:
        if name in table.values:
            computed = table.columns[name].computed
            found |= dict.fromkeys([name] if computed is None else sorted(computed.columns))
    return list(found)


def pruned(table: Table, names: Iterable[str]) -> Table:
    """``table``, whose stages hand on no column that nobody reads; ``names`` are those that are read of it."""
    stage, wanted = table.stage, set(names)
    if isinstance(stage, Branches):
        return _pruned_branches(table, stage, wanted)
    if not isinstance(stage, Stage):
        return table
    aggregates = stage.aggregates
    if stage.rows:
        aggregates = {name: each for name, each in aggregates.items() if name in wanted} or aggregates
    operator = stage.operator
    if operator["type"] == "top-n":
        operator = {**operator, "numbered": operator["rank"] in wanted}
    inputs = {}
    for side, input in stage.inputs.items():
        values = input.values
        if not aggregates or stage.rows or stage.operator["type"] == "over":
            emitted = stage.sides.get(side, {})
            taken = {each for call in aggregates.values() for each in columns_of(call)} | {*input.order}
            of_pairs = stage.pairing.columns() if stage.pairing else set()
            of_rows = set() if stage.rows else wanted | of_pairs
            values = tuple(each for each in values if emitted.get(each, each) in of_rows or each in taken)
        fewer = replace(input, values=values)
        inputs[side] = replace(fewer, table=pruned(input.table, fewer.needed()))
    return replace(table, stage=replace(stage, operator=operator, inputs=inputs, aggregates=aggregates))


def _pruned_branches(table: Table, branches: Branches, wanted: Container[str]) -> Table:
    # What is computed of the table's columns stands behind these, and no relation has it.
    kept = [each.computed is not None or name in wanted or name == table.rowtime
            for name, each in table.columns.items()]  # fmt: skip
    relations = []
    for relation in branches.relations:
        of = {name: column for (name, column), keep in zip(relation.columns.items(), kept, strict=False) if keep}
        fewer = replace(relation, columns=of)
        relations.append(replace(fewer, table=pruned(relation.table, used(fewer))))
    columns = {name: each for (name, each), keep in zip(table.columns.items(), kept, strict=True) if keep}
    return replace(table, columns=columns, stage=Branches(tuple(relations)))


def _scenario(planned: Planned, stage: Stage, name: str, files: Files | None, notes: Sequence[str]) -> str:
    """The stage as plain as its records allow; ``notes``: on which of several it is."""
    plain = None if notes else plain_stage(stage)
    comment = _comment(planned, [stage], files, *notes)
    if plain is not None:
        try:
            given = read_stream(plain, files) if files else None
            items = given.items if given is not None else sample_stream(plain)
            text = scenario_text(plain, name, planned.settings, items, comment)
            _check(text, stage, planned.place, given)
            return text
        except RecordsProblem as problem:
            if problem.word not in ("null", "too_large", "no_key", "no_key_join"):
                raise
    text = planned.chain(files).scenario(stage, name, comment)
    _check(text, stage, planned.place, None)
    return text


def _comment(planned: Planned, stages: Sequence[Stage], files: Files | None, *more: str) -> list[str]:
    """The query, and what a reader should know of how it was read; ``more`` of it."""
    settings = planned.settings
    inputs = [each for stage in stages for each in stage.inputs.values()]
    # Of the reader's own records one may be late.
    said = dict.fromkeys(each for stage in stages for each in stage.notes if not (files and each == "window_join"))
    plans = dict.fromkeys(plan_note(stage.operator) for stage in stages)
    notes = [*plans, *(words(f"sql.notes.{each}") for each in said), *more]
    if settings.emit is None and not any(stage.processing for stage in stages):
        notes.append(words("sql.notes.each_record"))
    if any(each.table.local for each in inputs) and not settings.zone_set:
        notes.append(words("sql.notes.utc"))
    if not all(each.keys for each in inputs):
        notes.append(words("sql.notes.one_key"))
    sql = planned.text.strip("\n").replace("\t", "    ").replace("\r", "")
    comment = [f"# {line}".rstrip() for line in sql.split("\n")]
    if len(comment) > _MOST_LINES:
        comment = [*comment[:_MOST_LINES], "# …"]
    return [*comment, *(f"# ({note})" for note in notes)]


def _check_zone(stage: Stage, zone: syntax.Setting | None) -> None:
    """Raise ``SqlProblem`` for windows in local time that a scenario lacks.

    The zone matters only to windows, and only where time is an instant: PROCTIME() is one too.
    """
    operator = stage.operator
    instants = stage.processing or any(each.table.local for each in stage.inputs.values())
    if zone is None or not instants or operator["type"] not in ("window", "window-top-n", "window-join", "co-group"):
        return
    if operator.get("api") not in ("sql", "tvf") or operator.get("allowed_lateness"):
        raise syntax.SqlProblem("zone_windows", zone.place, zone=zone.value)


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
    plan = planner(settings)

    def query(of: syntax.QueryStatement) -> tuple[syntax.QueryStatement, Scope]:
        return of, Scope(dict(tables), dict(views), plan)

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


def _check(text: str, stage: Stage, place: syntax.Place, given: Stream | None) -> None:
    """Read ``text`` as any scenario is read, and run it where records must not be late."""
    try:
        scenario, _ = read_text(text)
    except ScenarioError as error:
        raise syntax.SqlProblem("refused", place, why=error.problems[0].text) from None
    if not stage.never_late:
        return
    late: list[Any] = []
    run(scenario, lambda row: late.append(row) if row["row"] in ("late", "dropped") else None)
    if late and given is not None:
        raise given.refused("late", late[0]["item"])
    if late:
        raise syntax.SqlProblem("late_in_chain", place)
