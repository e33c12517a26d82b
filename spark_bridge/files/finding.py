"""Which files a path means, and what is in them, by their names and first bytes."""

import glob
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tidemark.simulator.scenario.tables.rows import is_json
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.request import Files

CSV: Final = "csv"
JSON: Final = "json"
PARQUET: Final = "parquet"
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


def _format_of(path: str, asked: str | None) -> str:
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
    format = asked or by_name or _format_of_text(start, ending in PACKED)
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
