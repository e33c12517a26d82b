"""Which words can be names, and what a source of rows is called."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.syntax import Call, Name, Place

WINDOW_FUNCTIONS: Final = ("TUMBLE", "HOP", "CUMULATE", "SESSION")
"""The window table functions."""


@cache
def reserved_words() -> frozenset[str]:
    """Words that Flink 2.3 takes for names only within backticks (the reserved words of its ``FlinkSqlParserImpl``)."""
    return frozenset(files(__package__).joinpath("reserved.txt").read_text(encoding="utf-8").split())


@dataclass(frozen=True)
class Renaming(Name):
    """The name of a source with names for its columns, the first of them at ``columns``."""

    columns: Place


def source_name(alias: Name | None) -> Name | None:
    """What a source is called. Raises ``SqlProblem`` if its columns get names as well."""
    if isinstance(alias, Renaming):
        raise SqlProblem("column_list", alias.columns)
    return alias


def need_window_function(call: Call) -> None:
    """Raise ``SqlProblem`` if ``call`` is no window table function."""
    if call.name not in WINDOW_FUNCTIONS:
        raise SqlProblem("function_table", call.place, name=call.name, known=", ".join(WINDOW_FUNCTIONS))
