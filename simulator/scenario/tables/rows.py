"""The rows of a table: lines of cells between separators, each with the number of its line."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from tidemark.simulator.scenario.reading.source import CONTROL, NEWLINE
from tidemark.simulator.words import words

DELIMITERS: Final = ("\t", ";", "|", ",")
"""What can separate cells; of two that fit equally well the earlier one."""

GUESSED_FROM: Final = 40
"""How many lines are looked at to find the separator."""

EXCEL: Final = re.compile(r"\A\"?sep=.\"?(?=\n)")

_MOST_LINES: Final = 1_000
"""So many lines are looked at for the header, and for the separator."""

_BLANK: Final = re.compile(r"\s*\n")

_ANNOTATION: Final = re.compile(r"#(?:group|datatype|default|constant)\b")

REPLACED: Final = "\ufffd"
"""Stands for bytes that the encoding does not have."""


class Quoted(str):
    """A cell that stood in quotes, or a JSON string: as a key, ``"1"`` is a text and 1 a number."""

    __slots__ = ()


class Row(NamedTuple):
    """``line`` counts from 1; ``source`` is the row as it stands in the file, without its line end."""

    line: int
    cells: list[str]
    source: str


class Unreadable(NamedTuple):
    """A line that gives no record; ``word`` is a name below ``tables.unreadable`` in the catalogue."""

    line: int
    word: str
    fields: dict[str, Any]

    @property
    def why(self) -> str:
        """A sentence, made only for the few lines that are named."""
        return words(f"tables.unreadable.{self.word}", **self.fields)


def unreadable(line: int, word: str, **fields: Any) -> Unreadable:
    """``word`` about this line."""
    return Unreadable(line, word, fields)


def lines_of(text: str, *, first: bool = True) -> str:
    """``text`` with ``\\n`` at every line end.

    ``first``: it begins with the first line of the table. A line ``sep=;`` there, which is for Excel alone, becomes
    empty, and so do comments before the header.
    """
    text = NEWLINE.sub("\n", text)
    if not first:
        return text
    text = EXCEL.sub("", text)
    comments = leading_comments(text)
    return text if not comments else "\n" * comments + text.split("\n", comments)[-1]


def leading_comments(text: str) -> int:
    """How many lines before the header are comments: they begin with ``#``, and a row that names the columns follows.

    So begins annotated CSV, as InfluxDB writes it. A line with ``#`` right before the data is the header itself; so
    is ``#Fields`` of a log of a web server.
    """
    if not text.startswith("#"):
        return 0
    lines = text.split("\n", _MOST_LINES)
    number = next((at for at, line in enumerate(lines) if line and not line.isspace() and line[0] != "#"), 0)
    if not number or any(line.startswith("#Fields") for line in lines[:number]):
        return 0
    header = next(rows_of(lines[number], guess_delimiter("\n".join(lines[number : number + GUESSED_FROM]))), None)
    annotated = all(_ANNOTATION.match(line) for line in lines[:number] if line and not line.isspace())
    names = isinstance(header, Row) and not any(cell[:1].isdigit() or cell[:1] in "+-" for cell in header.cells if cell)
    return number if annotated or names else 0


def names_in_comment(first: str) -> bool:
    """Whether the first cell of a table is rather a line of comment, in which the columns may be named.

    ``#`` and ``#1`` are names: of a column of numbers, or of one that had no name.
    """
    return first.startswith("#") and first[1:].strip(" 0123456789") != ""


def guess_delimiter(text: str) -> str:
    """The separator by which most of the first rows have as many cells as the first one; a comma if there is none."""

    def fit(delimiter: str) -> tuple[float, int]:
        lengths = []
        for row in islice(rows_of(text, delimiter), _MOST_LINES):
            if isinstance(row, Row):
                lengths.append(len(row.cells))
            if len(lengths) == GUESSED_FROM:
                break
        if not lengths or max(lengths) < 2:
            return 0, 0
        length, count = Counter(each for each in lengths if each > 1).most_common(1)[0]
        return count / len(lengths) + (lengths[0] == length), length

    best = max(DELIMITERS, key=fit)
    return best if fit(best)[1] else ","


def rows_of(text: str, delimiter: str, line: int = 1) -> Iterator[Row | Unreadable]:
    """The rows of ``text``, whose line ends are ``\\n`` and whose first line has the number ``line``.

    A cell in quotes may contain separators and line ends, and quotes that are doubled. Empty lines are passed over.
    A quote that is not closed spoils its own line; the next line is read as usual.
    """
    quoted = re.compile(rf' *"((?:[^"]|"")*)" *(?=[{re.escape(delimiter)}\n]|\Z)')
    at = 0
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        source = text[at:end]
        if not source or source.isspace():
            blank = _BLANK.match(text, at)
            end = blank.end() - 1 if blank else end
            line += text.count("\n", at, end)
        elif '"' not in source:
            yield _checked(Row(line, [cell.strip() for cell in source.split(delimiter)], source))
        else:
            cells, stop = _cells(text, at, delimiter, quoted)
            if stop is None:
                yield unreadable(line, "quote")
            else:
                source, end = text[at:stop], stop
                yield _checked(Row(line, cells, source))
                line += source.count("\n")
        at = end + 1
        line += 1


def _cells(text: str, at: int, delimiter: str, quoted: re.Pattern[str]) -> tuple[list[str], int | None]:
    """The cells of the row that begins at ``at``, and where it ends; None if a quote is not closed as it should be."""
    cells: list[str] = []
    while True:
        if found := quoted.match(text, at):
            cells.append(Quoted(found[1].replace('""', '"')))
            at = found.end()
        else:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            stop = text.find(delimiter, at, end)
            stop = end if stop < 0 else stop
            cell = text[at:stop].strip()
            if cell.startswith('"'):
                return [], None
            cells.append(cell)
            at = stop
        if not text.startswith(delimiter, at):
            return cells, at
        at += 1


def _checked(row: Row) -> Row | Unreadable:
    if strange := CONTROL.search(row.source):
        return unreadable(row.line, "control", code=f"{ord(strange[0]):04X}")
    if REPLACED in row.source:
        return unreadable(row.line, "bytes")
    return row
