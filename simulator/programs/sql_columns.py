"""Rows with columns in Flink SQL: a view computes what stands in front of the operator, and the query reads that.

The parser of SQL is needed to put computed columns into one another, so it is imported where it is used.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.programs.facts import Facts, NotExpressible
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import JOINT, CalcProblem, calc_of

TIME: Final = "rt"
_PLAIN: Final = re.compile(r"[\w.`]+")


@dataclass(frozen=True)
class Columns:
    """The input of ``facts`` as SQL has it. ``view``: a SELECT of it, whose ``keys`` and ``values`` are columns."""

    view: str
    keys: tuple[str, ...]
    of_key: str
    """Python text of the key of a result, whose first columns are the parts of the key."""
    values: tuple[str, ...]

    def members(self, names: Sequence[str], first: int) -> str:
        """Python text of a dict of the columns ``names`` of a result, which begin at number ``first``."""
        return "{" + ", ".join(f"{name!r}: plain(row[{number}])" for number, name in enumerate(names, first)) + "}"


def columns_of_input(facts: Facts) -> Columns:
    """What the view of the only input is. Raises ``NotExpressible``."""
    if len(facts.scenario.inputs) > 1:
        raise NotExpressible("columns_sides")
    (given,) = facts.scenario.inputs
    if facts.scenario.operator.session_zone or {TIME, "wm"} & {name for name, _ in (*given.columns, *given.select)}:
        raise NotExpressible("columns_names", names=f"{TIME}, wm")
    constant = {each.key for each in facts.records()} if not given.key or _is_constant(given.key) else set()
    if not given.key and len(constant) != 1:
        raise NotExpressible("columns_key")
    if not constant:
        _check_keys(facts, given)
    within = _within(given.select)
    columns = [quoted(name) for name, _ in given.columns]
    columns += [f"{within(text)} AS {quoted(name)}" for name, text in given.select]
    keys = []
    named = {quoted(name): quoted(name) for name, _ in (*given.columns, *given.select)}
    for number, text in enumerate(() if constant else given.key, 1):
        key = named.get(quoted(text.strip("`"))) or quoted(f"key_{number}")
        if key not in named.values():
            columns.append(f"{within(text)} AS {key}")
        keys.append(key)
    where = "" if given.where is None else f"\nWHERE {within(given.where)}"
    view = f"SELECT {', '.join([*columns, TIME])}\nFROM {quoted(given.name)}{where}"
    key = (
        repr(next(iter(constant))) if constant else f"key({', '.join(f'row[{number}]' for number in range(len(keys)))})"
    )
    return Columns(view, tuple(keys), key, tuple(name for name, _ in (*given.columns, *given.select)))


def quoted(name: str) -> str:
    """``name`` in backticks, so that no word of SQL is meant."""
    return "`" + name.replace("`", "``") + "`"


def table_columns(given: model.InputSpec) -> list[str]:
    """The columns of the table, with their types."""
    return [f"{quoted(name)} {of}" for name, of in given.columns]


def as_columns(given: model.InputSpec, value: Any) -> dict[str, Any]:
    """A record for the JSON format: there an instant ends in ``Z``."""
    local = {name for name, of in given.columns if of.startswith("TIMESTAMP_LTZ") or of.endswith("LOCAL TIME ZONE")}
    row = {name: (value or {}).get(name) for name, _ in given.columns}
    return {name: f"{each}Z" if name in local and each is not None else each for name, each in row.items()}


def order_by(top: model.WindowTopN) -> str:
    """The columns that rank rows, as ORDER BY has them."""
    by = str(top.by)
    return f"{by} {top.order.upper()}" if _PLAIN.fullmatch(by) else by


def aggregates(computes: Sequence[tuple[str, str]], over: str = "") -> Iterator[str]:
    """The aggregates of a SELECT; ``over``: the window that each of them is over."""
    return (f"{text}{over} AS {quoted(name)}" for name, text in computes)


def _within(select: Sequence[tuple[str, str]]) -> Any:
    """What puts the columns of ``select`` into an expression: there none of them has a name yet."""
    from tidemark.simulator.sql.parsing import expression
    from tidemark.simulator.sql.reading import mapped
    from tidemark.simulator.sql.text import sql_text

    known: dict[str, Any] = {}

    def within(text: str) -> str:
        return sql_text(mapped(expression(text), lambda path: known.get(str(path), path)))

    for name, text in select:
        known[name] = mapped(expression(text), lambda path: known.get(str(path), path))
    return within


def _is_constant(key: Sequence[str]) -> bool:
    return all(re.fullmatch(r"'[^']*'", text) for text in key)


def _check_keys(facts: Facts, given: model.InputSpec) -> None:
    """A program prints a key of several parts with a sign between them; no part may be quoted for it."""
    parts = [calc_of(given.columns, None, given.select, (text,), "UTC").key for text in given.key]
    for record in facts.records():
        row: Mapping[str, Any] = record.value if isinstance(record.value, Mapping) else {}
        try:
            found = [each(row) for each in parts if each is not None]
        except CalcProblem:
            continue
        key = found[0] if len(found) == 1 else JOINT.join(map(str, found))
        if key != record.key and record.key != "NULL":
            raise NotExpressible("columns_key_text", key=record.key)


def with_helpers(program: str) -> str:
    """``program`` with the functions that print values of columns."""
    program = program.replace(
        _IMPORTS, f"{_IMPORTS.replace('import ', 'import date, ')}from decimal import Decimal\n", 1
    )
    return program.replace("\ndef ms(time):", f"{_HELPERS}\ndef ms(time):", 1)


_IMPORTS: Final = "from datetime import datetime, timedelta\n"
_HELPERS: Final = '''
def plain(value):
    """A value of a result as JSON has it: decimals and times are texts."""
    if isinstance(value, datetime):
        return timestamp(ms(value)).removesuffix(".000")
    if isinstance(value, (Decimal, date)):
        return str(value)
    return [plain(each) for each in value] if isinstance(value, list) else value


def key(*parts):
    """The key of a result; several parts are one text."""
    texts = ["NULL" if each is None else plain(each) for each in parts]
    return texts[0] if len(texts) == 1 else " · ".join(map(str, texts))

'''
