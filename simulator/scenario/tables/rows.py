"""The rows of a table: how its bytes become text, and that lines of cells, or objects of JSON."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from tidemark.simulator.limits import TABLE_DEPTH, TYPED_CHARACTERS
from tidemark.simulator.scenario.reading.nodes import CONTROL, NEWLINE
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


MOST_IN_VAIN: Final = 20
"""How often as many characters as a text has are looked at for objects that turn out to be none."""


class Number(str):
    """A number as it is written: nothing is rounded."""

    __slots__ = ()


class Found(NamedTuple):
    """An object: its members by path. ``source`` is the object as it stands in the file."""

    line: int
    members: dict[str, str]
    source: str


_BETWEEN: Final = re.compile(r"[,\[\]\s]*")

_DECODER: Final = json.JSONDecoder(parse_float=Number, parse_int=Number, parse_constant=Number)


def is_json(text: str) -> bool:
    """Whether ``text`` begins as an object or an array of objects does."""
    start = text[:1000].lstrip()
    return start.startswith("{") or (start.startswith("[") and start[1:].lstrip()[:1] in ("{", "]", ""))


def is_one_document(line: str) -> bool:
    """Whether a table whose first line this is must be one JSON document, and not a line for each object."""
    line = line.strip()
    return line.startswith("[") or (line.startswith("{") and not line.endswith("}"))


def objects_of(text: str, line: int = 1) -> Iterator[Found | Unreadable]:
    """The objects of ``text``, whose first line has the number ``line``; separators between them are passed over.

    An object that cannot be read spoils its own line. Where the text would be read again and again for objects that are
    never closed, from there on each must be on one line.
    """
    at = before = vain = 0
    said = -1
    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        if at >= len(text):
            return
        line += text.count("\n", before, at)
        before = at
        if vain > MOST_IN_VAIN * len(text):
            for number, row in enumerate(text[at:].split("\n"), line):
                yield from objects_of(row, number)
            return
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            failed = error.pos if isinstance(error, json.JSONDecodeError) else len(text)
            vain += at + 10 * (failed - at)  # the error counts the lines before it, which is cheaper than reading
            yield unreadable(line, "json")
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
            continue
        source = text[at:end]
        if not isinstance(found, dict):
            if line != said:  # the elements of a list on one line are one complaint
                yield unreadable(line, "no_object")
            said = line
        elif REPLACED in source:
            yield unreadable(line, "bytes")
        else:
            members = dict(_members(found))
            strange = next(filter(None, map(CONTROL.search, members.values())), None)
            if strange:
                yield unreadable(line, "control", code=f"{ord(strange[0]):04X}")
            else:
                yield Found(line, members, source)
        at = end


def _members(value: dict[str, Any], path: str = "", depth: int = 1) -> Iterator[tuple[str, str]]:
    for name, each in value.items():
        here = f"{path}{name}"
        if isinstance(each, dict) and each and depth < TABLE_DEPTH and len(here) <= TYPED_CHARACTERS:
            yield from _members(each, f"{here}.", depth + 1)
        else:
            yield here, _cell(each)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return Quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False)


# How the bytes of a table become text: which encoding they are in, as far as the bytes themselves tell.

ENCODINGS: Final = {
    "utf-8": "UTF-8", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16 BE", "gb18030": "GB18030 (GBK)", "cp932": "Shift-JIS",
    "big5": "Big5", "euc_kr": "EUC-KR", "cp1252": "Windows-1252", "latin-1": "Latin-1",
}  # fmt: skip
"""The encodings that can be chosen: Python's names, and what people call them. GB18030 includes GBK and GB2312."""

MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
"""Byte order marks, with which a file says its encoding."""

LOOKED_AT: Final = 65_536
"""How many bytes are enough for a guess."""

MOST_ZEROS: Final = 0.3
"""From this share of zero bytes on, and all on one side of the pairs, a text is UTF-16."""

UNDEFINED_IN_1252: Final = frozenset(b"\x81\x8d\x8f\x90\x9d")


def guess_encoding(data: bytes) -> tuple[str, str]:
    """The encoding that ``data`` is probably in, and why: a name below ``tables.encoding_reasons``."""
    for mark, encoding in MARKS:
        if data.startswith(mark):
            return encoding, "mark"
    start = data[:LOOKED_AT]
    half = max(len(start) // 2, 1)
    for encoding, zeros in (("utf-16-le", start[1::2].count(0)), ("utf-16-be", start[::2].count(0))):
        if zeros / half > MOST_ZEROS and start.count(0) < 1.2 * zeros:
            return encoding, "zeros"
    if start.isascii():
        return "utf-8", "ascii"
    if _is_utf8(start):
        return "utf-8", "valid"
    return _of_bytes(start)


def decoded(data: bytes, encoding: str) -> str:
    """The text, without its mark; bytes that ``encoding`` does not have become U+FFFD."""
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _is_utf8(data: bytes) -> bool:
    """Whether ``data`` is UTF-8, but for a character that is cut off at its end."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.end == len(data) and len(data) >= LOOKED_AT - 3 and error.reason == "unexpected end of data"
    return True


def _of_bytes(data: bytes) -> tuple[str, str]:
    """The encoding of bytes that are no UTF-8.

    In Western texts bytes above 127 stand alone between ASCII letters. In Chinese and Japanese ones they come in pairs;
    the first of a pair is above AF for nearly all Chinese characters in use, and below A0 for nearly all Japanese ones.
    """
    runs = list(_runs(data))
    alone = sum(1 for run in runs if run == 1)
    leads = list(_leads(data))
    low = sum(1 for lead in leads if lead < 0xA0)
    if leads and low > len(leads) * 0.6 and _decodes(data, "cp932"):
        return "cp932", "pairs"
    if alone <= len(runs) * 0.4 and _decodes(data, "gb18030"):
        return "gb18030", "pairs"
    return ("latin-1" if UNDEFINED_IN_1252 & set(data) else "cp1252"), "alone"


def _runs(data: bytes) -> Iterator[int]:
    """The lengths of the runs of bytes above 127."""
    length = 0
    for byte in data:
        if byte > 127:
            length += 1
        elif length:
            yield length
            length = 0
    if length:
        yield length


def _leads(data: bytes) -> Iterator[int]:
    """The first bytes of the pairs, if these are pairs."""
    at = 0
    while at < len(data) - 1:
        if data[at] > 0x80 and data[at + 1] >= 0x40:
            yield data[at]
            at += 1
        at += 1


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether ``data`` has only characters of ``encoding``; the last one may be cut off."""
    for cut in range(4):
        try:
            data[: len(data) - cut].decode(encoding)
        except UnicodeDecodeError:
            continue
        return True
    return False
