"""Flink SQL as a scenario: ``from_sql`` reads tables with watermarks and one query, and writes what they mean.

The way of a text: ``parsing`` makes statements of it, ``tables`` reads those before the query, and ``planning`` finds
the relation that the query means: ``reading`` what stands behind its ``FROM``, ``aggregates``, ``ranks``, ``joins`` and
``unions`` the stages that Flink's planner would choose. ``chain`` runs them one after another over ``records``. Each
stage is a scenario file (``writing``) that the one reader of scenarios accepts, or all are one file (``chaining``); so
a query that is read means in scenarios what it means in Flink, or it is refused at its place.

    >>> print(from_sql('''
    ...     CREATE TABLE orders (shop STRING, price DOUBLE, at_time TIMESTAMP(3),
    ...         WATERMARK FOR at_time AS at_time - INTERVAL '5' SECOND);
    ...     SELECT shop, SUM(price), window_start, window_end
    ...     FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at_time), INTERVAL '1' MINUTE))
    ...     GROUP BY shop, window_start, window_end'''))  # doctest: +ELLIPSIS
    # ...
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.limits import SQL_CHARACTERS, SQL_RECORD_BYTES
from tidemark.simulator.places import opened
from tidemark.simulator.sql.records import Files, RecordsProblem
from tidemark.simulator.sql.syntax import SqlProblem
from tidemark.simulator.sql.translation import Planned, Result, from_sql, planned_query, queries_of, result_of
from tidemark.simulator.words import words

__all__ = ["Files", "RecordsProblem", "Result", "SqlProblem", "from_sql", "queries_of", "result_of"]

_Of = TypeVar("_Of")


# ``from_sql`` for files: what is wrong with one of them is a ``Problem`` at its place, as for scenario files.


def scenario_of(
    path: str, records: Sequence[str] = (), query_number: int | None = None, stage_number: int | None = None
) -> str:
    """The text of the scenario that the SQL file at ``path`` means. ``records``: ``FILE``, or ``TABLE=FILE`` for each.
    ``query_number`` and ``stage_number``: as those of ``from_sql``.

    Raises ``ScenarioError`` with the one problem that was found first.
    """
    return _with_files(
        path, records, lambda text, files: from_sql(text, Path(path).stem, files, query_number, stage_number)
    )


def rows_of(path: str, records: Sequence[str] = (), query_number: int | None = None) -> Result:
    """What Flink would print for the SQL file at ``path``. Parameters and errors as those of ``scenario_of``."""
    return _with_files(path, records, lambda text, files: result_of(text, files, query_number))


def check_queries(path: str) -> int:
    """Read each query of the SQL file at ``path``, and run it over a few records that are made up; returns how many.

    Raises ``ScenarioError`` with the first problem of each query that is refused.
    """
    places = _with_files(path, (), lambda text, files: queries_of(text))
    if not places:
        plan_of(path)  # which says that there is no query
    problems: dict[Problem, None] = {}
    for number in range(1, len(places) + 1):
        try:
            rows_of(path, (), number)
        except ScenarioError as refusal:
            problems |= dict.fromkeys(refusal.problems)
    if problems:
        raise ScenarioError(list(problems))
    return len(places)


def plan_of(path: str) -> Planned:
    """What the only query of the SQL file at ``path`` means. Raises ``ScenarioError``."""
    return _with_files(path, (), lambda text, files: planned_query(text))


def _with_files(path: str, records: Sequence[str], work: Callable[[str, Files | None], _Of]) -> _Of:
    text = _text(path)
    files: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for each in records:
        table, equals, file = each.partition("=")
        # A file whose own name has a `=` is a file.
        if not equals or Path(each).is_file():
            table, file = "", each
        elif not table or not file:
            raise ScenarioError([Problem(path, None, None, words("sql.files.no_name", text=shown_in_message(each)))])
        if table in files:
            reason = words("sql.files.twice", first=names[table], second=file)
            raise ScenarioError([Problem(path, None, None, reason)])
        files[table], names[table] = _bytes(file, SQL_RECORD_BYTES, "records"), file
    try:
        return work(text, files or None)
    except SqlProblem as problem:
        raise ScenarioError([Problem(path, problem.place.line, problem.place.column, problem.text)]) from None
    except RecordsProblem as problem:
        line = problem.line
        file = names.get(problem.table, next(iter(names.values()), path))
        raise ScenarioError([Problem(file, line, None if line is None else 1, str(problem))]) from None


def _text(path: str) -> str:
    data = _bytes(path, SQL_CHARACTERS * 4, "sql")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        text = words("problems.not_utf8", byte=f"{data[error.start]:02X}")
        raise ScenarioError([Problem(path, before.count(b"\n") + 1, column, text)]) from None


def _bytes(path: str, most: int, kind: str) -> bytes:
    """What is in a file that holds ``kind``: ``sql`` or ``records``."""

    def refused(text: str) -> ScenarioError:
        return ScenarioError([Problem(path, None, None, text)])

    file = Path(path)
    try:
        if file.is_dir():
            raise refused(words(f"sql.files.directory_{kind}"))
        if file.exists() and not file.is_file():
            raise refused(words(f"sql.files.not_regular_{kind}"))
        with opened(file) as source:
            data = source.read(most + 1)
    except FileNotFoundError:
        raise refused(words("problems.no_such_file")) from None
    except (OSError, ValueError) as error:
        reason = shown_in_message(getattr(error, "strerror", None) or error)
        raise refused(words("problems.unreadable", reason=reason)) from None
    if len(data) > most:
        raise refused(words(f"sql.files.too_large_{kind}", limit=most // 1024))
    return data
