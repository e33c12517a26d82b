"""Rows with columns in Flink SQL: a view computes what stands in front of the operator, and the query reads that.

The parser of SQL is needed to put computed columns into one another, so it is imported where it is used.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.items import PlainKey
from tidemark.simulator.programs.facts import Facts, NotExpressible
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import JOINT, CalcProblem, calc_of

_TAKEN: Final = ("rt", "wm")
_OF_WINDOWS: Final = ("window_start", "window_end", "window_time")
_PLAIN: Final = re.compile(r"[\w.`]+")


class Cell:
    """What is printed of a row of the query, by the numbers of its columns.

    ``kind``: ``value``: as it is; ``plain``: decimals and times as texts; ``json``: what the JSON text in it says;
    ``ms``: a time in ms; ``last``: the ms before a time; ``latest``: the later of two times in ms; ``key``: the parts
    of a key; ``change``: what the row does to the one before it; ``unless_null``: ``members``, null if it is.
    """

    def __init__(self, kind: str, *columns: int, members: Mapping[str, Any] | None = None) -> None:
        self.kind, self.columns, self.members = kind, columns, members or {}


Members = Mapping[str, Any]
"""What is printed of a row, by name: cells, mappings of them, and constants."""


@dataclass(frozen=True)
class Columns:
    """The input of ``facts`` as SQL has it. ``view``: a SELECT of it, whose ``keys`` and ``values`` are columns.

    ``of_key``: the key of a result, whose first columns are the parts of the key.
    """

    view: str
    keys: tuple[str, ...]
    of_key: Any
    values: tuple[str, ...]


def columns_of_input(facts: Facts) -> Columns:
    """What the view of the only input is. Raises ``NotExpressible``."""
    if len(facts.scenario.inputs) > 1:
        raise NotExpressible("columns_sides")
    (given,) = facts.scenario.inputs
    if (zone := facts.scenario.operator.session_zone) is not None:
        raise NotExpressible("columns_zone", zone=zone)
    taken = _TAKEN if facts.scenario.operator.assigner is None else (*_TAKEN, *_OF_WINDOWS)
    for name, _ in (*given.columns, *given.select):
        if name in taken:
            raise NotExpressible("columns_name", name=name)
    constant = constant_key(facts)
    within = _within(given.select)
    columns = [quoted(name) for name, _ in given.columns]
    columns += [f"{within(text)} AS {quoted(name)}" for name, text in given.select]
    keys = []
    named = {quoted(name): quoted(name) for name, _ in (*given.columns, *given.select)}
    for number, text in enumerate(given.key if constant is None else (), 1):
        key = named.get(quoted(text.strip("`"))) or quoted(f"key_{number}")
        if key not in named.values():
            columns.append(f"{within(text)} AS {key}")
        keys.append(key)
    where = "" if given.where is None else f"\nWHERE {within(given.where)}"
    view = f"SELECT {', '.join([*columns, 'rt'])}\nFROM {quoted(given.name)}{where}"
    of_key: Any = Cell("key", *range(len(keys))) if constant is None else constant
    return Columns(view, tuple(keys), of_key, tuple(name for name, _ in (*given.columns, *given.select)))


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


def constant_key(facts: Facts) -> PlainKey | None:
    """The one key of all records of the only input; None if columns say it.

    Raises ``NotExpressible`` where neither is so, or where a program would print a key as another text.
    """
    (given,) = facts.scenario.inputs
    found = {each.key for each in facts.records()}
    if not given.key and len(found) != 1:
        raise NotExpressible("columns_key")
    if found and all(re.fullmatch(r"'[^']*'", text) for text in given.key):
        return next(iter(found))
    _check_keys(facts, given)
    return None


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
