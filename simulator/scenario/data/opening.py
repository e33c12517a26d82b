"""The file of a stream, opened: where it may lie, what it is packed with, and its rows one after another."""

import csv
import gzip
import hashlib
import io
import json
import os
import stat
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, NoReturn

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import LINE_CHARACTERS
from tidemark.simulator.scenario.data.columns import DataError, joined, pair_of
from tidemark.simulator.scenario.reading.nodes import NEWLINE

SEPARATED: Final = (".csv", ".tsv", ".txt")
JSON_LINES: Final = (".jsonl", ".ndjson", ".json")
OF_SPARK: Final = (".parquet", ".zst", ".orc", ".avro")
"""The endings of files that the simulator cannot read, and Spark can."""

_LOOKED_AT: Final = 65_536

Row = tuple[int, Sequence[str | None]]
"""The number of its line, and the cells of the wanted columns; None for one that is missing or null."""


def place_of(folder: Path, name: str) -> Path:
    """The file called ``name`` in ``folder``. Raises ``DataError`` for whatever could lie elsewhere or is no file."""
    if not name.isprintable() or name.startswith(".") or any(each in name for each in "/\\:"):
        raise DataError("data_name", name=shown_in_message(name))
    file = folder / name
    try:
        if file.resolve(strict=True).parent != folder.resolve(strict=True):
            raise DataError("data_link", name=name)
        if not file.is_file():
            raise DataError("data_no_file", name=name)
    except FileNotFoundError:
        raise DataError("data_missing", name=name) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise DataError("unreadable", reason=shown_in_message(str(error))) from None
    return file


def needs_spark(name: str) -> bool:
    """Whether only Spark reads a file of that name."""
    return name.lower().endswith(OF_SPARK)


def version_of(file: Path) -> tuple[int, int]:
    """Size and time of the last change: another one is another file. Raises ``DataError``."""
    try:
        found = file.stat()
    except OSError as error:
        raise DataError("unreadable", reason=error.strerror or str(error)) from None
    return found.st_size, found.st_mtime_ns


class _Hashing(io.RawIOBase):
    """Reads through ``file`` and hashes what comes by."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sha = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        found = self._file.read(len(into))
        self.sha.update(found)
        into[: len(found)] = found
        return len(found)


class Table:
    """The rows of an open table. ``digest`` is that of the file once all of them have been read.

    ``broken``: the number of the first line that is no row, and why, a name below ``problems``; the cells of all such
    lines are None.
    """

    def __init__(self, name: str, raw: _Hashing) -> None:
        self._raw = raw
        self.broken: tuple[int, str] = (0, "")
        plain = name.lower().removesuffix(".gz")
        self.is_json = plain.endswith(JSON_LINES)
        data: Any = io.BufferedReader(raw, 1 << 18)
        if data.peek(2)[:2] == b"\x1f\x8b":
            data = io.BufferedReader(gzip.GzipFile(fileobj=data), 1 << 18)
        head = data.peek(_LOOKED_AT)
        if head[:4] == b"PAR1":
            raise DataError("data_needs_spark")
        if b"\0" in head or not head.strip():
            raise DataError("data_binary" if head.strip() else "data_empty")
        self.head = head[:_LOOKED_AT].decode("utf-8-sig", "replace")
        self._text = io.TextIOWrapper(data, encoding="utf-8-sig", newline="")

    @property
    def digest(self) -> str:
        """SHA-256 of the whole file, packed as it is."""
        while self._raw.read(1 << 18):
            pass
        return self._raw.sha.hexdigest()

    def rows(self, names: Sequence[str | None], texts: Collection[str] = ()) -> Iterator[Row]:
        """The rows, with the cells of the columns called ``names``. Raises ``DataError``.

        ``texts``: those of them where an empty cell is None, unless it stands in quotes.
        """
        line = [1]
        try:
            yield from self._objects(names, line) if self.is_json else self._separated(names, line, texts)
        except UnicodeDecodeError as error:  # somewhere in the block that was read ahead
            raise DataError("data_not_utf8", byte=f"{error.object[error.start]:02X}") from None
        except csv.Error as error:
            raise DataError("data_no_csv", line[0], reason=str(error)) from None
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise DataError("data_broken_gzip") from None
        except OSError as error:
            raise DataError("unreadable", reason=error.strerror or str(error)) from None

    def _lines(self, line: list[int]) -> Iterator[str]:
        read: Callable[[int], str] = self._text.readline
        while found := read(LINE_CHARACTERS + 1):
            if len(found) > LINE_CHARACTERS:
                raise DataError("data_long_line", line[0], limit=f"{LINE_CHARACTERS:,}")
            yield found
            line[0] += 1

    def _separated(self, names: Sequence[str | None], line: list[int], texts: Collection[str]) -> Iterator[Row]:
        from tidemark.simulator.scenario.tables.rows import (  # see ``reading``
            guess_delimiter,
            leading_comments,
            lines_of,
        )

        source: list[str] = []

        def kept(lines: Iterator[str]) -> Iterator[str]:
            for each in lines:
                source.append(each)
                yield each

        csv.field_size_limit(LINE_CHARACTERS)
        comments = leading_comments(NEWLINE.sub("\n", self.head))
        lines = self._lines(line)
        for _ in range(comments):
            next(lines)
        delimiter = guess_delimiter(lines_of(self.head))
        found = csv.reader(kept(lines) if texts else lines, delimiter=delimiter)
        header = [cell.strip() for cell in next(found, [])]
        places = [None if name is None else _places(header, name) for name in names]
        last = max((each for place in places if place is not None for each in place), default=0)
        of_texts = [(at, place[0]) for at, place in enumerate(places) if place is not None and names[at] in texts]
        before = found.line_num
        source.clear()
        for cells in found:
            at, before = before + 1, found.line_num
            if not cells:
                source.clear()
                continue
            if len(cells) <= last:
                cells += [""] * (last + 1 - len(cells))
            row = [None if place is None else _cell(cells, place) for place in places]
            if of_texts:
                written = _as_written("".join(source), delimiter, cells)
                source.clear()
                for number, place in of_texts:
                    row[number] = _text(written[place])
            yield at + comments, row

    def _objects(self, names: Sequence[str | None], line: list[int]) -> Iterator[Row]:
        from tidemark.simulator.scenario.tables.rows import is_one_document

        missing = {name for name in names if name is not None}
        decode = json.JSONDecoder(parse_constant=_no_number, parse_float=str).decode
        seen: dict[str, None] = {}
        for text in self._lines(line):
            if text.isspace():
                continue
            try:
                members = decode(text)
            except _NoNumber:
                raise DataError("data_nan", line[0]) from None
            except (ValueError, RecursionError):
                members = None
            if not isinstance(members, dict):
                if is_one_document(text) and not seen and not self.broken[0]:
                    raise DataError("data_not_lines", line[0])
                if not self.broken[0]:
                    self.broken = line[0], "data_no_json" if members is None else "data_no_object"
                yield line[0], [None] * len(names)
                continue
            cells = [None if name is None else _member_or_pair(members, name, text) for name in names]
            if missing:
                missing -= {name for name, cell in zip(names, cells, strict=True) if cell is not None}
                seen |= dict.fromkeys(members)
            yield line[0], cells
        if missing - seen.keys() and seen:
            _lacks(min(missing - seen.keys()), list(seen))


class _NoNumber(ValueError):
    """NaN or Infinity, which JSON does not have."""


def _no_number(text: str) -> NoReturn:
    raise _NoNumber(text)


def _as_written(source: str, delimiter: str, cells: list[str]) -> list[str]:
    """The cells of a row, of which those in quotes are ``Quoted``."""
    from tidemark.simulator.scenario.tables.rows import Unreadable, rows_of

    found = next(rows_of(NEWLINE.sub("\n", source), delimiter), None) if '"' in source else None
    if found is None or isinstance(found, Unreadable) or len(found.cells) > len(cells):
        return cells
    return [*found.cells, *cells[len(found.cells) :]]


def _text(cell: str) -> str | None:
    from tidemark.simulator.scenario.tables.rows import Quoted

    return str(cell) if isinstance(cell, Quoted) else cell.strip() or None


def _cell(cells: list[str], place: tuple[int, ...]) -> str:
    """The cell at ``place``, or the time of two cells."""
    return cells[place[0]].strip() if len(place) == 1 else joined(cells[place[0]], cells[place[1]])


def _places(header: list[str], name: str) -> tuple[int, ...]:
    return tuple(_column(header, each) for each in pair_of(name, header) or (name,))


def _column(header: list[str], name: str) -> int:
    if header.count(name) > 1:
        raise DataError("data_column_twice", 1, column=shown_in_message(name))
    if name not in header:
        from tidemark.simulator.scenario.tables.rows import names_in_comment  # see ``reading``

        if header and names_in_comment(header[0]):
            raise DataError("data_header_in_comment", 1, found=shown_in_message(header[0]))
        _lacks(name, header)
    return header.index(name)


def _lacks(name: str, header: Sequence[str]) -> NoReturn:
    from tidemark.simulator.scenario.format.kinds import listed

    raise DataError("data_no_column", 1, column=shown_in_message(name), names=listed(tuple(header)))


def _member_or_pair(members: Any, name: str, line: str) -> str | None:
    """The member called ``name``, or the time of two members, in the object that is ``line``."""
    found = _member(members, name, line)
    if found is None and "," in name:
        names = {each for at in range(len(name)) for each in (name[:at], name[at + 1 :])}
        cells = {each.strip(): cell for each in names if (cell := _member(members, each.strip(), line)) is not None}
        if pair := pair_of(name, cells):
            return joined(cells[pair[0]], cells[pair[1]])
    return found


def _member(members: Any, path: str, line: str) -> str | None:
    """The member called ``path``, a dotted one in the objects inside, as a text; numbers as the line writes them."""
    found = _found(members, path)
    if isinstance(found, dict | list):
        found = _found(json.loads(line), path)
    return found if found is None or isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def _found(members: Any, path: str) -> Any:
    while path not in members:
        first, _, path = path.partition(".")
        members = members.get(first)
        if not path or not isinstance(members, dict):
            return None
    return members[path]


@contextmanager
def opened(file: Path) -> Iterator[Table]:
    """The table in ``file``. Raises ``DataError`` if it cannot be read."""
    try:
        # A link that was put there meanwhile is not followed, and a pipe is not waited for.
        number = os.open(file.resolve(), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(number, "rb") as raw:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise DataError("data_no_file", name=file.name)
            try:
                table = Table(file.name, _Hashing(raw))
            except (EOFError, zlib.error, gzip.BadGzipFile):
                raise DataError("data_broken_gzip") from None
            yield table
    except OSError as error:
        raise DataError("unreadable", reason=error.strerror or str(error)) from None
