"""SQL as the browser sends it, with its files of records: what is refused of it, and where."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from tidemark.simulator.limits import SQL_RECORD_BYTES
from tidemark.simulator.words import words
from tidemark.ui.author.rows import EditRefused

_Of = TypeVar("_Of")

Files = Mapping[str, bytes]
"""Records by the table that they are for; "" for the only one."""

SQL_EXAMPLE: Final = """\
CREATE TABLE orders (
  shop STRING,
  price DOUBLE,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
);

SELECT shop, window_start, window_end, SUM(price) AS total
FROM TABLE(HOP(TABLE orders, DESCRIPTOR(order_time), INTERVAL '5' SECOND, INTERVAL '10' SECOND))
GROUP BY shop, window_start, window_end;
"""


class SqlRefused(EditRefused):
    """``place``: line and column from 1 in the SQL; None where a file of records is refused."""

    def __init__(self, text: str, place: tuple[int, int] | None) -> None:
        super().__init__(text)
        self.place = place


def scenario_of_sql(command: Mapping[str, Any]) -> str:
    """The scenario of ``command``, as ``read_sql`` reads it."""
    # Imported here: the parser's library is needed for nothing else, and a page opens without it.
    from tidemark.simulator.sql import from_sql

    return read_sql(command, lambda text, files: from_sql(text, files=files))


def read_sql(command: Mapping[str, Any], work: Callable[[str, Files | None], _Of]) -> _Of:
    """What ``work`` makes of the text and the files of ``command``: {sql, records}, the latter a list of {file,
    content}, its bytes in base64.

    A single file is for the only table, one of several for the table that has the file's name. Raises ``SqlRefused``.
    """
    from tidemark.simulator.sql import RecordsProblem, SqlProblem

    sql = command.get("sql")
    if not isinstance(sql, str):
        raise EditRefused(words("author.refused.unknown"))
    files = _files(command.get("records"))
    try:
        return work(sql.replace("\r\n", "\n"), {name: data for name, (_, data) in files.items()} or None)
    except SqlProblem as problem:
        line, column = problem.place
        raise SqlRefused(f"{line}:{column}: {problem.text}", (line, column)) from None
    except RecordsProblem as problem:
        if problem.tables:
            tables = ", ".join(problem.tables)
            raise EditRefused(words("author.refused.which_table", tables=tables, first=problem.tables[0])) from None
        file, _ = files.get(problem.table, next(iter(files.values()), ("", b"")))
        place = file if problem.line is None else f"{file}:{problem.line}"
        raise SqlRefused(f"{place}: {problem}", None) from None


def _files(given: Any) -> dict[str, tuple[str, bytes]]:
    """Name and bytes of each file by the table that it is for."""
    found: dict[str, tuple[str, bytes]] = {}
    for each in given if isinstance(given, list) else ():
        file, content = (each.get("file"), each.get("content")) if isinstance(each, Mapping) else (None, None)
        if not isinstance(file, str) or not isinstance(content, str) or len(content) > SQL_RECORD_BYTES * 4 // 3 + 4:
            raise EditRefused(words("author.refused.too_large", limit=SQL_RECORD_BYTES // 1024))
        try:
            data = base64.b64decode(content, validate=True)
        except (binascii.Error, ValueError):
            raise EditRefused(words("author.refused.unknown")) from None
        name = file.partition(".")[0] if len(given) > 1 else ""
        found[name] = file[:80], data
    return found
