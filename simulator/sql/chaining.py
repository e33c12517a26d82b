"""A query of several stages as one scenario with ``operators``.

Theory of operation. Each stage becomes an operator, each table of the text an input, and what stands in front of a
stage goes to ``from``, in the names that a scenario gives to the columns of a result. That does not say everything: a
scenario has no NULL for rows without a partner, nor a filter for one branch of a union. So the text is read again, each
of its operators runs, and their rows have to be those of the stages; else there is no such scenario.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import CHAIN_OPERATORS
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.editing.text import Plain
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql.chain import Chain, Event, JobFailed, drops_null
from tidemark.simulator.sql.emitted import column_value
from tidemark.simulator.sql.reading import Input, Stage, as_path
from tidemark.simulator.sql.syntax import Place, SqlProblem
from tidemark.simulator.sql.tables import Settings, Table
from tidemark.simulator.sql.text import sql_text
from tidemark.simulator.sql.unions import Branches
from tidemark.simulator.sql.writing import calc, file_text, fit, operator_of, watermark_of

ALL: Final = "'all'"
"""The key of rows that have none, as an expression."""


def operator_names(tables: Sequence[Table], views: Mapping[Place, str]) -> dict[str, Table]:
    """The tables that stages compute by what the operators are called: after the view, or what they do.

    ``views``: by the place of their SELECT.
    """
    inputs = [fit(each.name) for table in tables for each in _read(table) if each.stage is None]
    found: dict[str, Table] = {}
    for table in tables:
        if isinstance(table.stage, Stage) and table.stage.problem is None:
            name = fit(views.get(table.stage.place) or table.stage.operator["type"])
            found[_unique(name, (*inputs, *found))] = table
    return found


def sources_of(table: Table, operators: Mapping[str, Table]) -> list[str]:
    """The names of what the stage of ``table`` reads: of operators, and of tables of the text."""
    by_stage = {id(each.stage): name for name, each in operators.items()}
    return list(dict.fromkeys(by_stage.get(id(each.stage), each.name) for each in _read(table)))


def chained(
    operators: Mapping[str, Table], name: str, settings: Settings, chain: Chain, comment: Sequence[str]
) -> str | None:
    """The file of ``operators``: by name the tables that their stages compute, each behind those that it reads, over
    the rows of ``chain``.

    None where a scenario with several operators would do something else. Raises ``JobFailed``.
    """
    stages = [each.stage for each in operators.values()]
    if len(stages) > CHAIN_OPERATORS or any(isinstance(each, Stage) and each.processing for each in stages):
        return None
    text = _Writing(operators, settings, chain).text(name, comment)
    return text if text is not None and _same(list(operators.values()), text, chain) else None


def _same(tables: Sequence[Table], text: str, chain: Chain) -> bool:
    """Whether each operator of ``text`` emits what the stage does that it stands for."""
    try:
        scenario: Scenario = read_text(text)[0]
    except ScenarioError:
        return False
    parts = scenario.chain.parts if scenario.chain else ()
    for table, part in zip(tables, parts, strict=True):
        assert isinstance(table.stage, Stage)
        try:
            ran = list(chain.rerun(table, table.stage, part.scenario, part.seqs))
        except (SqlProblem, JobFailed):
            return False
        if _seen(table, ran) != _seen(table, chain.events(table)):
            return False
    return True


def _seen(table: Table, events: Sequence[Event]) -> list[Event]:
    """``events`` with the columns alone that ``table`` has."""
    return [
        each if each.row is None else each._replace(row={name: each.row.get(name) for name in table.values})
        for each in events
    ]


class _Writing:
    def __init__(self, operators: Mapping[str, Table], settings: Settings, chain: Chain) -> None:
        self.operators, self.settings, self.chain = operators, settings, chain
        self.inputs: dict[str, tuple[Table, dict[str, None]]] = {}
        """By the name in the file a table of the text, and its columns that anybody reads."""
        self.names: dict[str, str] = {}
        """Those of the tables of the text in the file."""
        readers: list[str] = []
        for input in (each for table in operators.values() for each in _inputs(table)):
            for table in _sources(input.table):
                if table.stage is None:
                    name = self.names.setdefault(table.name, _unique(fit(table.name), self.inputs))
                    _, columns = self.inputs.setdefault(name, (table, {}))
                    columns |= dict.fromkeys(input.needed())
                    readers.append(name if input.table is table else "")
        self.alone = [name for name in self.inputs if readers.count(name) == 1]
        """Inputs that one operator reads, and nothing else with them: they say what stands in front of it."""

    def text(self, name: str, comment: Sequence[str]) -> str | None:
        inputs: dict[str, dict[str, Any]] = {
            each: {"watermark": watermark_of(table, self.settings, processing=False)}
            for each, (table, _) in self.inputs.items()
        }
        written: dict[str, dict[str, Any]] = {}
        previous = next(iter(self.inputs), "") if len(self.inputs) == 1 else ""
        for each, table in self.operators.items():
            stage = table.stage
            assert isinstance(stage, Stage)
            feeds: dict[str, Any] = {}
            for side, input in stage.inputs.items():
                feed = self._feed(input)
                if feed is None:
                    return None
                if drops_null(stage, side) and self._has_null(input):
                    nulls = [f"{sql_text(as_path(each, table.place))} IS NOT NULL" for each in input.keys]
                    feed["where"] = " AND ".join([*([f"({feed['where']})"] if "where" in feed else []), *nulls])
                of = feed["of"]
                if of in self.alone:
                    inputs[of] |= {key: value for key, value in feed.items() if key != "of"}
                feeds[side] = of if of in self.alone else feed
            if len(feeds) > 1:
                written[each] = {"from": feeds}
            else:
                (feed,) = feeds.values()
                written[each] = {} if feed == previous else {"from": feed}
            written[each] |= operator_of(stage)
            previous = each
        last = list(self.operators.values())[-1].stage
        assert isinstance(last, Stage)
        return file_text(last, name, {"inputs": inputs, "operators": written}, list(self._items()), comment)

    def _has_null(self, input: Input) -> bool:
        keys = [column_value(input.table, each) for each in input.keys]
        rows = (each.row for each in self.chain.events(input.table) if each.row is not None)
        return any(key(row) is None for row in rows for key in keys)

    def _items(self) -> Iterator[dict[str, Any]]:
        found: list[tuple[int, dict[str, Any]]] = []
        for name, (table, columns) in self.inputs.items():
            where = {"in": Plain(name)} if len(self.inputs) > 1 else {}
            found += [(seq, {**where, **item}) for seq, item in self.chain.items(table, list(columns))]
        yield from (item for _, item in sorted(found, key=lambda each: each[0]))
        yield {"end": True}

    def _feed(self, input: Input) -> dict[str, Any] | None:
        """Where the rows of ``input`` come from, and what stands before the operator; None where no file says it."""
        table = input.table
        sources = [self._source(each) for each in _sources(table)]
        if isinstance(table.stage, Branches) and not all(map(_is_plain, table.stage.relations)):
            return None
        of_rows = [each for each in _sources(table) if isinstance(each.stage, Stage) and each.stage.rows]
        if of_rows or len(set(sources)) < len(sources):
            return None
        found: dict[str, Any] = {"of": sources[0] if len(sources) == 1 else sources}
        found |= calc(input)
        found.setdefault("key", [ALL])
        if table.stage is None:
            columns = self.inputs[sources[0]][1]
            found["columns"] = {each: table.columns[each].type for each in columns}
            return found
        return _renamed(found, _names(table), table)

    def _source(self, table: Table) -> str:
        if table.stage is None:
            return self.names[table.name]
        return next(name for name, each in self.operators.items() if each.stage is table.stage)


def _unique(name: str, known: Container[str]) -> str:
    return next(each for each in (name, *(f"{name}-{n}" for n in range(2, 1000))) if each not in known)


def _inputs(table: Table) -> Iterable[Input]:
    return table.stage.inputs.values() if isinstance(table.stage, Stage) else ()


def _read(table: Table) -> Iterator[Table]:
    """The tables that the stage of ``table`` reads."""
    return (each for input in _inputs(table) for each in _sources(input.table))


def _sources(table: Table) -> Sequence[Table]:
    """``table``, or those whose rows a union has."""
    if not isinstance(table.stage, Branches):
        return [table]
    return [one for each in table.stage.relations for one in _sources(each.table)]


def _is_plain(relation: Any) -> bool:
    """Whether a branch of a union is the rows of its table as they are."""
    if isinstance(relation.table.stage, Branches) or relation.where:
        return False
    return all(name == of for name, of in relation.columns.items())


def _names(table: Table) -> Mapping[str, str]:
    """What a scenario calls the columns of the rows of ``table`` where that is another name."""
    stage = table.stage
    if isinstance(stage, Branches):
        return _names(stage.relations[0].table)
    if not isinstance(stage, Stage):
        return {}
    if not stage.sides:
        (input,) = stage.inputs.values()
        rowtime = input.table.rowtime
        kind = stage.operator["type"]
        names = {"row_number": "rank"} if kind == "window-top-n" else {}
        if rowtime and rowtime != "window_time" and kind not in ("window", "window-top-n"):
            names[rowtime] = "row_time"
        return names
    names = {}
    left: set[str] = set()
    for side, emitted in stage.sides.items():
        input = stage.inputs[side]
        for column, name in emitted.items():
            if column == table.rowtime or name == table.rowtime:
                names[name] = "row_time" if stage.operator["type"] != "window-join" else "window_time"
            else:
                own = f"{column}0" if side == "right" and column in left else column
                names |= {name: own} if own != name else {}
        if side == "left":
            left = {*input.needed(), *(each for each in (*input.keys, *input.values))}
    return names


def _renamed(feed: dict[str, Any], names: Mapping[str, str], table: Table) -> dict[str, Any]:
    """``feed`` with the columns under the names that they have in a scenario, and the others computed of these."""
    wanted = {name: names[name] for name in feed["columns"] if name in names}
    if not wanted:
        return feed
    columns = {wanted.get(name, name): of for name, of in feed["columns"].items()}
    select = {name: sql_text(as_path(of, table.place)) for name, of in wanted.items()}
    return feed | {"columns": columns, "select": select | feed.get("select", {})}
