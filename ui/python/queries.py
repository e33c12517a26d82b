"""Flink SQL over DataFrames: the rows that a query emits, and the scenario behind it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.limits import TABLE_RECORDS
from tidemark.ui.extras import needs
from tidemark.ui.python.frames import Frame, InputError, frame_of, named
from tidemark.ui.python.runs import Scenario
from tidemark.ui.python.scenarios import load

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from tidemark.simulator.sql import Files

_Of = TypeVar("_Of")


@dataclass(frozen=True)
class Query:
    """What a query emitted. ``rows``: ``op`` (``+I``, ``-U``, ``+U``, ``-D``) and the columns; ``types``: of Flink.

    ``late``: how many rows were dropped as late; ``made_up``: there were no records but a few that were made up.

    >>> import tidemark
    >>> query = tidemark.sql("CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT n FROM t")
    >>> query.types, query.made_up
    ({'n': 'INT'}, True)
    """

    types: Mapping[str, str]
    rows: list[dict[str, Any]]
    late: int
    made_up: bool
    _text: str
    _files: "Files | None"

    def __repr__(self) -> str:
        return f"Query({', '.join(self.types)}; rows={len(self.rows)})"

    def to_pandas(self) -> "pd.DataFrame":
        """The rows as a DataFrame; times as the text that Flink prints.

        >>> import tidemark
        >>> query = tidemark.sql("CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT n FROM t")
        >>> list(query.to_pandas().columns)
        ['op', 'n']
        """
        return frame_of(self.rows, "ms", ("op", *self.types))

    def scenario(self, stage: int | None = None) -> Scenario:
        """The scenario that the query is; of several, one after another, the one with this number, else the last.

        Raises ``ScenarioError`` for a query without windows, joins or the like: no scenario follows it.

        >>> import tidemark
        >>> query = tidemark.sql("CREATE TABLE t (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts); SELECT n FROM t")
        >>> query.scenario()
        Traceback (most recent call last):
        ...
        tidemark.simulator.engine.values.errors.ScenarioError: query.sql:...
        """
        from tidemark.simulator.sql import from_sql

        return load(_in_words(lambda: from_sql(self._text, files=self._files, stage_number=stage)))


def sql(text: str, records: Any = None) -> Query:
    """Run a query of Flink SQL. ``text``: the tables, with their watermarks, and the query.

    ``records``: a DataFrame, or one for each table by its name; without it those that the text inserts, or a few that
    are made up. Raises ``InputError`` for a DataFrame with more than ``TABLE_RECORDS`` rows, and ``ScenarioError`` for
    a text or records that do not fit, with line and column.

    >>> import pandas as pd, tidemark
    >>> clicks = pd.DataFrame({"n": [1, 2, 3], "ts": pd.to_datetime([1_000, 12_000, 4_000], unit="ms")})
    >>> query = tidemark.sql('''
    ...     CREATE TABLE clicks (n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
    ...     SELECT window_start, SUM(n) AS n
    ...     FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND))
    ...     GROUP BY window_start, window_end''', clicks)
    >>> query.to_pandas()
       op         window_start  n
    0  +I  1970-01-01 00:00:00  1
    1  +I  1970-01-01 00:00:10  2
    >>> query.late
    1
    """
    needs("lark", "all")
    if not isinstance(text, str):
        raise InputError("no_text", found=named(text))
    from tidemark.simulator.sql import result_of

    files = None
    if isinstance(records, Mapping):
        files = {name: _file(each) for name, each in records.items()}
    elif records is not None:
        files = {"": _file(records)}
    result = _in_words(lambda: result_of(text, files))
    rows = [{"op": each.op, **each.row} for each in result.rows]
    return Query(result.types, rows, result.late, result.made_up, text, files)


def _file(records: Any) -> bytes:
    frame = Frame(records, TABLE_RECORDS)
    if not len(frame):
        raise InputError("few_rows")
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in frame.lines()).encode()


def _in_words(work: "Callable[[], _Of]") -> _Of:
    """``work()``, whose refusals are ``ScenarioError``."""
    from tidemark.simulator.sql import RecordsProblem, SqlProblem

    try:
        return work()
    except SqlProblem as problem:
        raise ScenarioError([Problem("query.sql", problem.place.line, problem.place.column, problem.text)]) from None
    except RecordsProblem as problem:
        if problem.word == "which_table":
            raise InputError("no_tables", tables=", ".join(problem.tables)) from None
        column = None if problem.line is None else 1
        raise ScenarioError([Problem(problem.table or "records", problem.line, column, str(problem))]) from None
