"""Tables that are put together without an operator: ``UNION ALL``, and the rows of a table function with their windows.

Each relation is a channel of the table: the watermark is the least.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.limits import WINDOWS_OF_A_RECORD
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.reading import (
    ENDS,
    GROUPINGS,
    UNASSIGNED,
    Input,
    Relation,
    Stage,
    as_path,
    fresh,
    need_rows,
)
from tidemark.simulator.sql.tables import Column, Table, in_zone, plain_column
from tidemark.simulator.sql.text import sql_text
from tidemark.simulator.words import words


@dataclass(frozen=True)
class Branches:
    """What a table of a union is made of, in place of a ``Stage``; the columns of each relation are those of the table,
    one by one."""

    relations: tuple[Relation, ...]

    @property
    def sends_watermarks(self) -> bool:
        """Whether its rows come with their watermarks: one input of a scenario has one strategy for all channels."""
        tables = [each.table for each in self.relations]
        windowed = any(each.window is not None and not each.window.attached for each in self.relations)
        return windowed or any(each.stage is not None or each.bound != tables[0].bound for each in tables)

    operator: ClassVar[dict[str, Any]] = {"type": "union"}


def united(relations: Sequence[Relation], union: syntax.Union) -> Relation:
    """All rows of ``relations``. Raises ``SqlProblem`` where their columns differ."""
    relations = [with_windows(each) for each in relations]
    first = relations[0]
    for each in relations:
        need_rows(each)
        if each.rank is not None:
            raise syntax.SqlProblem("rank_inside", each.place)
    types = [[_type(each, name) for name in each.columns] for each in relations]
    rowtimes = [[of == each.table.rowtime for of in each.columns.values()] for each in relations]
    for each, of_each, times in zip(relations, types, rowtimes, strict=True):
        if of_each != types[0] or times != rowtimes[0]:
            raise syntax.SqlProblem("union_columns", each.place, first=", ".join(types[0]), other=", ".join(of_each))
    columns = {
        name: plain_column(first.table.columns[of]) for name, of in first.columns.items() if of in first.table.columns
    }
    columns = {name: Column(name, of.kind, of.type, name, None, of.problem, of.local) for name, of in columns.items()}
    rowtime = next((name for name, of in first.columns.items() if of == first.table.rowtime), None)
    name = ", ".join(dict.fromkeys(each.table.name for each in relations))
    table = Table(name, columns, rowtime, first.table.bound, first.table.local, (), False, union.place,
                  first.table.idle_timeout, first.table.zone, Branches(tuple(relations)))  # fmt: skip
    # Only where all have the same windows, under the same names, are those of the union known.
    windows = [each.window and (each.window.assigner, [of if of in ENDS else "" for of in each.columns.values()])
               for each in relations]  # fmt: skip
    known = all(each == windows[0] for each in windows) and all(first.columns.get(end) == end for end in ENDS[:2])
    return Relation(table, {each: each for each in columns}, None, union.place, first.window if known else None)


def grouping_sets(group: Sequence[syntax.Expression]) -> list[list[syntax.Expression]]:
    """The sets of keys that GROUPING SETS, ROLLUP and CUBE in ``group`` stand for; none without these."""
    found: list[list[syntax.Expression]] = []
    for each in group:
        if not isinstance(each, syntax.Call) or each.name not in GROUPINGS:
            continue
        keys = list(each.arguments)
        if each.name == "ROLLUP":
            sets = [keys[:length] for length in range(len(keys), -1, -1)]
        elif each.name == "CUBE":
            chosen = range(2 ** len(keys))
            sets = [[key for place, key in enumerate(keys) if not number >> place & 1] for number in chosen]
        else:
            sets = [list(of.arguments) for of in keys if isinstance(of, syntax.Call)]
        found = [[*before, *of] for before in found or [[]] for of in sets]
    return found


def expanded(relation: Relation, sets: Sequence[Sequence[syntax.Expression]]) -> tuple[Relation, dict[str, list[str]]]:
    """``relation`` with each row once for each of ``sets`` (Flink's ``Expand``).

    Gives as well by the text of each key two columns: the key, or NULL where the set has it not, and whether that is so
    (1, else 0).
    """
    keys: dict[str, str] = {}
    of_sets = []
    for each in sets:
        names = []
        for key in each:
            relation, name = relation.with_column(key)
            keys.setdefault(name, sql_text(relation.within(key)))
            names.append(name)
        of_sets.append(names)
    source, place = relation.table, relation.place
    columns = {
        name: replace(plain_column(of), name=name) for name, of in source.columns.items() if name in source.values
    }
    pairs = {name: [fresh(f"{name}_or_null", columns), fresh(f"{name}_is_grouped", columns)] for name in keys}
    branches = []
    for names in of_sets:
        branch = replace(relation, columns={each: each for each in columns}, alias=None, window=None, qualified={})
        shown = dict(branch.columns)
        for name, (copy, flag) in pairs.items():
            null = syntax.Call("NULLIF", (as_path(name, place),) * 2, distinct=False, star=False, place=place)
            branch, of = branch.with_column(as_path(name, place) if name in names else null)
            bit = syntax.Literal("number", str(int(name not in names)), place)
            branch, number = branch.with_column(syntax.Cast(bit, syntax.Type("BIGINT", (), False, place), True, place))
            shown |= {copy: of, flag: number}
        branches.append(replace(branch, columns=shown))
    for name, (copy, flag) in pairs.items():
        columns[copy] = replace(columns[name], name=copy, source=copy)
        columns[flag] = Column(flag, "integer", "BIGINT", flag)
    table = replace(source, columns=columns, primary_key=(), stage=Branches(tuple(branches)))
    visible = {name: of for name, of in relation.columns.items() if of in columns or of.startswith(UNASSIGNED)}
    return replace(relation, table=table, columns=visible, where=()), {keys[name]: pairs[name] for name in keys}


def need_windows(relation: Relation) -> None:
    """Raise ``SqlProblem`` for rows of a table function whose windows are not known when the rows arrive."""
    window = relation.window
    if window is None or window.attached:
        return
    if window.processing or window.assigner["type"] == "session":
        raise syntax.SqlProblem("window_rows", window.place, window=window.name)
    size, step = (
        next(window.assigner[name] for name in names if name in window.assigner)
        for names in (("size", "max_size"), ("slide", "step", "size"))
    )
    if (parse_duration(size) or 0) > (parse_duration(step) or 0) * WINDOWS_OF_A_RECORD:
        why = words("problems.too_many_windows", size=size, step=step, limit=WINDOWS_OF_A_RECORD)
        raise syntax.SqlProblem("refused", window.place, why=why)


def with_windows(relation: Relation) -> Relation:
    """``relation`` with the windows of its table function as columns of each row, which is there once for each of them.

    Raises ``SqlProblem`` for windows that are not known when a row arrives.
    """
    window = relation.window
    if window is None or window.attached:
        return relation
    sessions = window.assigner["type"] == "session" and not window.processing
    if not sessions:
        need_windows(relation)
    source = relation.table
    names = {name: fresh(name, ENDS) for name in source.columns}
    columns = {
        names[name]: replace(plain_column(of), name=names[name], source=names[name])
        for name, of in source.columns.items()
        if name in source.values
    }
    of_rows = {name: of for of, name in names.items() if name in columns}
    for end in ENDS:
        local = source.local and end == ENDS[2]
        columns[end] = Column(end, "time", f"TIMESTAMP{'_LTZ' * local}(3)", end, local=local)
    stage: Branches | Stage = Branches(
        (replace(relation, columns={**of_rows, **{end: UNASSIGNED + end for end in ENDS}}, qualified={}),)
    )
    if sessions:
        operator = {"type": "window", "api": "tvf", "assigner": dict(window.assigner)}
        rows = {name: of for name, of in of_rows.items() if of not in window.partition}
        calls = {name: syntax.Call("ARRAY_AGG", (as_path(of, window.place),), distinct=False, star=False,
                                   place=window.place) for name, of in rows.items()}  # fmt: skip
        input = Input(source, window.partition, tuple(rows.values()), relation.where)
        stage = Stage(operator | in_zone(source), {"events": input}, calls, place=window.place, rows=True)
    table = replace(source, columns=columns, rowtime=ENDS[2], primary_key=(), idle_timeout=None, bound=0, stage=stage)
    visible = {
        name: names.get(of, of.removeprefix(UNASSIGNED))
        for name, of in relation.columns.items()
        if of in source.values or of not in source.columns
    }
    return replace(relation, table=table, columns=visible, where=(), window=replace(window, attached=True))


def _type(relation: Relation, name: str) -> str:
    column = relation.table.columns.get(relation.columns[name])
    return "" if column is None else column.type
