"""Which files and columns a stream is made of: as asked for, as found, and what is wrong with them.

The command line names them by the same arguments for every subcommand. What is wrong is one sentence that names the
file and the cure.
"""

import argparse
import atexit
import glob
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.places import opened
from tidemark.simulator.scenario.tables.rows import is_json
from tidemark.simulator.scenario.tables.times import zone_of
from tidemark.simulator.words import words
from tidemark.spark_bridge.spark.stages import CheckFails, unreadable_file

PACKAGES: Final = {"kafka": "spark-sql-kafka-0-10", "avro": "spark-avro"}
"""Formats whose readers Spark has in a package of its own."""

_MOST: Final = 200


class FilesError(CheckFails):
    """``kind`` is a name below ``own_files.problems`` in the catalogue."""

    def __init__(self, kind: str, **fields: Any) -> None:
        RuntimeError.__init__(self, words(f"own_files.problems.{kind}", **fields))
        self.kind = kind


def refusal(error: BaseException, what: str, spark: str = "") -> CheckFails | None:
    """What Spark says of files that it cannot read, in words for people; None if ``error`` is about something else.

    ``what``: the files, where Spark names none. ``spark``: its version.
    """
    if (file := unreadable_file(error)) is not None:
        return file
    text = _text_of(error)
    if found := re.search(
        r"Failed to find (?:the )?data source: ([\w.]+)|DATA_SOURCE_NOT_FOUND\S{0,99} .{0,200}?`?([\w.]{1,99})`?\.",
        text,
    ):
        format = (found[1] or found[2]).rstrip(".")
        if package := PACKAGES.get(format):
            return FilesError("no_package", format=format, package=f"org.apache.spark:{package}_2.13:{spark}")
        return FilesError("no_format", format=format)
    if found := re.search(
        r"(?:PATH_NOT_FOUND\S* Path does not exist: |FileNotFoundException: File )(\S+?)\.?(?:\s|$)", text
    ):
        return FilesError("missing", path=_path(found[1]))
    if found := re.search(r"COLUMN_ALREADY_EXISTS\S* The column `(.+?)` already", text):
        return FilesError("two_columns", path=what, name=found[1])
    if re.search(r"Permission denied|AccessControlException|AccessDenied", text) and "tidemark-" not in text:
        return FilesError("unreadable", path=what, reason=_reason(text))
    if found := re.search(
        r"(?:AnalysisException|IllegalArgumentException|KafkaException|TimeoutException|SQLException|NotFoundException)\W+(.+)",
        text,
    ):
        return FilesError("spark_says", path=what, text=found[1][:_MOST])
    return None


def _path(uri: str) -> str:
    return unquote(re.sub(r"^file:/+", "/", uri))


def _reason(text: str) -> str:
    """The innermost cause that Java names."""
    causes = re.findall(r"Caused by: (?:[\w$.]+\.)?([\w$]+(?:: .*)?)", text)
    return str(causes[-1][:_MOST]) if causes else "-"


def _text_of(error: BaseException) -> str:
    """The text of an error, and of the Java error behind it."""
    behind = getattr(error, "_stackTrace", None) or getattr(error, "java_exception", None) or ""
    try:
        return f"{type(error).__name__}: {error}\n{behind}"
    except Exception:  # the Java that has its text is gone
        return ""


UNITS: Final = ("s", "ms", "us", "ns", "iso", "date")
"""How a time may be written: a number since 1970 in one of four units, ISO 8601, or a date without a time of day."""

DATES: Final = ("dmy", "mdy", "named")
"""Other ways to write a date, which are guessed and cannot be asked for; see ``tables.times.FORMATS``."""

DEFAULT_ZONE: Final = "UTC"

SECONDS_TODAY: Final = (1_200_000_000, 2_300_000_000)
"""Seconds since 1970, from 2008 to 2042: what records of today have. As ms they would all be in January 1970."""

ROLES: Final = ("ts", "at", "key", "value", "channel")


@dataclass(frozen=True)
class Columns:
    """The name of the column for each role; None: there is none, or it is to be guessed.

    ``ts_unit``, ``at_unit``: of ``UNITS`` (or ``DATES``); None: to be guessed, or the column's own type says it.
    ``zone``: of times that are written without one, None for UTC. ``at_unit`` has no option: it is always guessed.
    """

    ts: str | None = None
    ts_unit: str | None = None
    zone: str | None = None
    at: str | None = None
    key: str | None = None
    value: str | None = None
    channel: str | None = None
    at_unit: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """The columns that there are, by role."""
        return {role: name for role in ROLES if (name := getattr(self, role)) is not None}


@dataclass(frozen=True)
class Files:
    """``paths``: files, folders, globs or addresses. ``format``: what they are, None to see by itself.

    ``options``: those of Spark's own reader for that format.
    """

    paths: tuple[str, ...]
    columns: Columns = field(default_factory=Columns)
    format: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)


def add_files(parser: argparse.ArgumentParser, *, flag: str | None = None) -> None:
    """Add PATH… and the options for columns. ``flag`` (``--data``): an option that takes the paths instead."""
    about = words("own_files.help.path")
    if flag is None:
        parser.add_argument("paths", metavar="PATH", nargs="*", help=about)
    else:
        parser.add_argument(flag, dest="paths", metavar="PATH", nargs="+", help=about)
    columns = parser.add_argument_group(words("own_files.help.columns"))
    columns.add_argument("--ts", metavar="NAME", help=words("own_files.help.ts"))
    columns.add_argument("--ts-unit", choices=UNITS, help=words("own_files.help.ts_unit"))
    columns.add_argument("--zone", type=_zone, metavar="ZONE", help=words("own_files.help.zone"))
    columns.add_argument("--at", metavar="NAME", help=words("own_files.help.at"))
    columns.add_argument("--key", metavar="NAME", help=words("own_files.help.key"))
    columns.add_argument("--value", metavar="NAME", help=words("own_files.help.value"))
    columns.add_argument("--channel", metavar="NAME", help=words("own_files.help.channel"))
    columns.add_argument(
        "--format" if flag is None else "--data-format",
        dest="data_format",
        metavar="FORMAT",
        help=words("own_files.help.format"),
    )
    columns.add_argument(
        "--option",
        dest="data_options",
        type=_option,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=words("own_files.help.option"),
    )


def files_of(options: argparse.Namespace) -> Files:
    """What was asked for with the arguments of ``add_files``."""
    columns = Columns(
        ts=options.ts, ts_unit=options.ts_unit, zone=options.zone, at=options.at,
        key=options.key, value=options.value, channel=options.channel,
    )  # fmt: skip
    paths = tuple(_standard_input() if path == "-" else path for path in options.paths or ())
    return Files(paths, columns, options.data_format, dict(options.data_options))


def _standard_input() -> str:
    """A file with what stands on standard input, until this process ends: Spark reads files, and twice."""
    folder = tempfile.mkdtemp(prefix="tidemark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = Path(folder, "standard-input")
    with opened(Path("-")) as source, path.open("wb") as file:
        shutil.copyfileobj(source, file)
    return str(path)


def _zone(text: str) -> str:
    if zone_of(text) is None:
        raise argparse.ArgumentTypeError(words("own_files.problems.zone", zone=shown_in_message(text)))
    return text


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(words("own_files.problems.option", text=shown_in_message(text)))
    return name, value


CSV: Final = "csv"
JSON: Final = "json"
PARQUET: Final = "parquet"
VIEW: Final = "tidemark-view"
"""A DataFrame of the calling program, which the session finds by the name of its view."""

BYTES: Final = "bytes"
"""The option of a view that says how much it holds, where that is known."""

OURS: Final = (CSV, JSON, PARQUET)
"""The formats whose files are looked at here; any other name goes to Spark."""

ENDINGS: Final = {
    ".csv": CSV, ".tsv": CSV, ".json": JSON, ".jsonl": JSON, ".ndjson": JSON,
    ".parquet": PARQUET, ".parq": PARQUET, ".pq": PARQUET,
}  # fmt: skip

PACKED: Final = {".gz": b"\x1f\x8b", ".zst": b"\x28\xb5\x2f\xfd"}
"""The endings by which Spark knows that a text is compressed, and how such a file begins."""

ALIASES: Final = {"jsonl": JSON, "ndjson": JSON, "tsv": CSV}

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_LOOKED_AT: Final = 4096


@dataclass(frozen=True)
class Found:
    """``paths``: in the order of their names. ``here``: they are files of this machine, each with its ``stamps``."""

    format: str
    paths: tuple[str, ...]
    here: tuple[tuple[int, int, int], ...] = ()

    @property
    def is_here(self) -> bool:
        """Whether the paths are files of this machine; else they are addresses, which Spark alone can read."""
        return len(self.here) == len(self.paths) > 0

    def require_unchanged(self) -> None:
        """Raise ``FilesError`` if a file of this machine is not as it was when it was found, or is there no more."""
        for path, before in zip(self.paths, self.here, strict=True) if self.is_here else ():
            try:
                now = _stamp(path)
            except FileNotFoundError as error:
                raise FilesError("gone", path=path) from error
            except OSError as error:
                raise _unreadable(path, error) from error
            if now != before:
                raise FilesError("changed", path=path)


def find(files: Files) -> Found:
    """The files that ``files`` names. Raises ``FilesError``."""
    format = files.format and ALIASES.get(files.format.lower(), files.format.lower())
    addresses = [path for path in files.paths if _ADDRESS.match(path) and not path.startswith("file:")]
    if format is not None and format not in OURS:
        return Found(format, files.paths)
    if not files.paths:
        raise FilesError("no_path")
    if addresses:
        if len(addresses) < len(files.paths):
            raise FilesError("here_and_there", path=addresses[0])
        return Found(format or _format_of_address(addresses), tuple(addresses))
    paths = sorted({os.path.abspath(each) for path in files.paths for each in _expanded(_local(path))})
    filled = [path for path in paths if _size(path)]
    if not filled:
        raise FilesError("empty", path=paths[0])
    formats = {_format_of(path, format): path for path in reversed(filled)}
    if len(formats) > 1:
        one, other, *_ = formats.values()
        raise FilesError("mixed", one=one, other=other)
    return Found(next(iter(formats)), tuple(filled), stamps(filled))


def stamps(paths: Iterable[str]) -> tuple[tuple[int, int, int], ...]:
    """The size, the time of the last change (ns) and the inode of each file. Raises ``FilesError``."""
    found = []
    for path in paths:
        try:
            found.append(_stamp(path))
        except OSError as error:
            raise _unreadable(path, error) from error
    return tuple(found)


def _stamp(path: str) -> tuple[int, int, int]:
    stat = os.stat(path)
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _local(path: str) -> str:
    return unquote(urlsplit(path).path) if path.startswith("file:") else path


def _expanded(path: str) -> list[str]:
    """The files of a path: itself, the folder's own, or those that a pattern matches."""
    if os.path.isdir(path):
        return _in_folder(path)
    if os.path.exists(path):
        return [path]
    if glob.has_magic(path):
        found = [each for each in glob.glob(path) if not _hidden(each)]
        if files := [each for each in found if os.path.isfile(each)]:
            return files
        if len(found) == 1:
            return _in_folder(found[0])
        raise FilesError("no_match", path=path)
    raise FilesError("missing", path=path)


def _in_folder(path: str) -> list[str]:
    try:
        found = [os.path.join(path, name) for name in os.listdir(path) if not _hidden(name)]
    except OSError as error:
        raise _unreadable(path, error) from error
    files = [each for each in found if os.path.isfile(each)]
    if not files:
        raise FilesError("no_files", path=path)
    return files


def _hidden(path: str) -> bool:
    """Whether Spark leaves the file out: its own notes begin like this."""
    return os.path.basename(path).startswith((".", "_"))


def _size(path: str) -> int:
    return stamps([path])[0][0]


def _unreadable(path: str, error: OSError) -> FilesError:
    return FilesError("unreadable", path=path, reason=error.strerror or error)


def _format_of(path: str, declared: str | None) -> str:
    """What is in a file. Raises ``FilesError`` if Spark would read something else or nothing."""
    if _hidden(path):
        raise FilesError("hidden", path=path)
    start = _start_of(path)
    ending = Path(path).suffix.lower()
    for packed, mark in PACKED.items():
        if start.startswith(mark) != (ending == packed):
            raise FilesError("packed_name" if start.startswith(mark) else "not_packed", path=path, ending=packed)
    if start.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise FilesError("workbook", path=path)
    name = Path(path).stem if ending in PACKED else path
    by_name = ENDINGS.get(Path(name).suffix.lower())
    format = declared or by_name or _format_of_text(start, ending in PACKED)
    if (format == PARQUET) != start.startswith(b"PAR1"):
        raise FilesError("not_parquet" if format == PARQUET else "is_parquet", path=path)
    return format


def _format_of_text(start: bytes, packed: bool) -> str:
    if start.startswith(b"PAR1"):
        return PARQUET
    return JSON if not packed and is_json(start.decode("utf-8", "replace").removeprefix("\ufeff")) else CSV


def _start_of(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_LOOKED_AT)
    except OSError as error:
        raise _unreadable(path, error) from error


def _format_of_address(addresses: list[str]) -> str:
    """What an address holds, by its ending."""
    found = set()
    for address in addresses:
        name = Path(urlsplit(address).path)
        name = name.with_suffix("") if name.suffix.lower() in PACKED else name
        found.add(ENDINGS.get(name.suffix.lower(), ""))
    if len(found) > 1 or found == {""}:
        raise FilesError("format_unknown", path=addresses[0])
    return found.pop()
