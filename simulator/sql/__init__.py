"""Flink SQL as a scenario: ``from_sql`` reads tables with watermarks and one query, and writes what they mean.

The way of a text: ``parsing`` makes statements of it, ``tables`` and ``settings`` read those before the query,
``relations`` finds what its ``FROM`` means, and ``aggregates``, ``ranks`` and ``joins`` find the operator that Flink's
planner would choose. ``records`` or ``made`` give the stream. The result is a scenario file that the one reader of
scenarios accepts; so a query that is read means in a scenario what it means in Flink, or it is refused at its place.

    >>> print(from_sql('''
    ...     CREATE TABLE orders (shop STRING, price DOUBLE, at_time TIMESTAMP(3),
    ...         WATERMARK FOR at_time AS at_time - INTERVAL '5' SECOND);
    ...     SELECT shop, SUM(price), window_start, window_end
    ...     FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at_time), INTERVAL '1' MINUTE))
    ...     GROUP BY shop, window_start, window_end'''))  # doctest: +ELLIPSIS
    # ...
"""

from collections.abc import Sequence
from pathlib import Path

from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.limits import SQL_CHARACTERS, SQL_RECORD_BYTES
from tidemark.simulator.sql.records import Files, RecordsProblem
from tidemark.simulator.sql.syntax import SqlProblem
from tidemark.simulator.sql.translation import from_sql
from tidemark.simulator.words import words

__all__ = ["Files", "RecordsProblem", "SqlProblem", "from_sql"]


# ``from_sql`` for files: what is wrong with one of them is a ``Problem`` at its place, as for scenario files.


def scenario_of(path: str, records: Sequence[str] = (), query_number: int | None = None) -> str:
    """The text of the scenario that the SQL file at ``path`` means. ``records``: ``FILE``, or ``TABLE=FILE`` for each.
    ``query_number``: which of several queries, from 1.

    Raises ``ScenarioError`` with the one problem that was found first.
    """
    text = _text(path)
    files: dict[str, bytes] = {}
    names: dict[str, str] = {}
    for each in records:
        table, equals, file = each.partition("=")
        # A file whose own name has a `=` is a file.
        if not equals or Path(each).is_file():
            table, file = "", each
        files[table], names[table] = _bytes(file, SQL_RECORD_BYTES, "records"), file
    try:
        return from_sql(text, Path(path).stem, files or None, query_number)
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
        with file.open("rb") as opened:
            data = opened.read(most + 1)
    except FileNotFoundError:
        raise refused(words("problems.no_such_file")) from None
    except (OSError, ValueError) as error:
        reason = shown_in_message(getattr(error, "strerror", None) or error)
        raise refused(words("problems.unreadable", reason=reason)) from None
    if len(data) > most:
        raise refused(words(f"sql.files.too_large_{kind}", limit=most // 1024))
    return data
