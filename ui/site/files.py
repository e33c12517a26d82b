"""The files of a site: those that many pages share are named after their contents, so a browser keeps them for good."""

import ctypes
import gzip
import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

FOLDER: Final = "files"
"""Where the files lie that have their contents in their name."""


class Folder:
    """The folder of a site while it is made. Raises ``OSError`` where a file cannot be written."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.written: list[str] = []
        """The paths of all shared files so far, in order."""

    def page(self, path: str, text: str) -> None:
        """Write a file that keeps its name from version to version."""
        file = self._out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def shared(self, name: str, content: bytes) -> str:
        """Write a file with a digest in its name; returns its path from the root of the site. Counted once."""
        stem, dot, suffix = name.rpartition(".")
        path = f"{FOLDER}/{stem}-{hashlib.sha256(content).hexdigest()[:12]}{dot}{suffix}"
        file = self._out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        if path not in self.written:
            self.written.append(path)
        return path

    def copy(self, source: Path, path: str) -> None:
        """Copy a file to ``path`` below the shared files."""
        file = self._out / FOLDER / path
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, file)
        self.written.append(f"{FOLDER}/{path}")

    def data(self, name: str, contents: Any) -> str:
        """Write gzipped JSON; ``.bin``, because a server that sees ``.gz`` may unpack it on the way."""
        text = json.dumps(contents, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return self.shared(f"{name}.bin", gzip.compress(text.encode(), compresslevel=9, mtime=0))


# A folder that is replaced as a whole: the new one is made beside it, and takes its place in one step when it is
# done.
#
# Whoever is killed meanwhile leaves the old folder as it was, and beside it the unfinished one, which the next run
# removes.

_HERE: Final = -100
"""``AT_FDCWD`` of Linux: paths count from the current folder."""

_EXCHANGE: Final = 2
"""``RENAME_EXCHANGE`` of Linux, and ``RENAME_SWAP`` of macOS."""


@contextmanager
def replacing(folder: Path, gone: str) -> Iterator[Path]:
    """An empty folder beside ``folder``, which takes its place when the block has ended without an error.

    What else was in ``folder`` comes along, such as a ``CNAME`` or ``.git``, but nothing below ``gone``. Where nothing
    can be made beside it, or it cannot be renamed (it is mounted), it is ``folder`` itself. Raises ``OSError``.
    """
    folder = folder.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.is_mount() or not os.access(folder.parent, os.W_OK):
        shutil.rmtree(folder / gone, ignore_errors=True)
        yield folder
        return
    _remove_leftovers(folder)
    made = folder.with_name(f".{folder.name}-{os.getpid()}.unfinished")
    made.mkdir()
    try:
        yield made
        if folder.exists():
            shutil.copymode(folder, made)
            _bring_along(folder, made, gone)
            _exchange(made, folder)
        else:
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _remove_leftovers(folder: Path) -> None:
    """Remove what processes that are gone have left beside ``folder``; an old one that was in its way comes back."""
    pattern = re.compile(rf"\.{re.escape(folder.name)}-(\d+)\.unfinished(\.old)?")
    for beside in sorted(folder.parent.iterdir()):
        if (found := pattern.fullmatch(beside.name)) and not _is_there(int(found[1])):
            if found[2] and not folder.exists():
                beside.rename(folder)
            else:
                shutil.rmtree(beside, ignore_errors=True)


def _is_there(process: int) -> bool:
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it belongs to somebody else
        return True
    return True


def _bring_along(old: Path, new: Path, gone: str) -> None:
    """Give ``new`` every file of ``old`` that it does not have, except those in the folder ``gone`` of it."""
    for place, folders, files in os.walk(old):
        here = Path(place).relative_to(old)
        if here == Path():
            folders[:] = [each for each in folders if each != gone]
        for name in (*files, *(each for each in folders if (old / here / each).is_symlink())):
            target = new / here / name
            if not os.path.lexists(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                _link(old / here / name, target)


def _link(source: Path, target: Path) -> None:
    """The same file under a second name; a copy where the file system knows no such thing."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _exchange(new: Path, old: Path) -> None:
    """Let two folders exchange their names, in one step where the system can do that."""
    if not _exchanged(os.fsencode(new), os.fsencode(old)):
        away = new.with_name(f"{new.name}.old")
        old.rename(away)
        try:
            new.rename(old)
        except OSError:
            away.rename(old)
            raise
        shutil.rmtree(away, ignore_errors=True)


def _exchanged(one: bytes, other: bytes) -> bool:
    with suppress(OSError, AttributeError):
        system = ctypes.CDLL(None)
        if sys.platform == "darwin":
            return bool(system.renamex_np(one, other, _EXCHANGE) == 0)
        return bool(system.renameat2(_HERE, one, _HERE, other, _EXCHANGE) == 0)
    return False
