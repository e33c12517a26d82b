"""The author's folder as files: one lock, whole writes, no way out of it, and messages where the system refuses."""

import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.values.errors import shown_in_message
from tidemark.simulator.words import words
from tidemark.ui import catalogue, roles
from tidemark.ui.on_disk import folded

NAME: Final = re.compile(r"(?!-|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$)[a-z0-9-]{1,100}")
"""A name that the format allows, short enough for every file system, and neither an option nor a device of Windows."""

LOCK: Final = ".tidemark.lock"
UNFINISHED: Final = ".tidemark-"
WAIT_S: Final = 5.0
"""How long a save waits for another one."""


class StoreError(Exception):
    """Why nothing was read or saved, in words for the author."""


class Conflict(Exception):
    """The file is not the one that the author began with; nothing was saved.

    ``their_digest`` is what ``save`` expects in order to replace it: ``None`` if the file has been deleted.
    """

    def __init__(self, their_digest: str | None, their_text: str) -> None:
        super().__init__(words("saving.conflict"))
        self.their_digest = their_digest
        self.their_text = their_text


def folder() -> Path | None:
    """Where scenarios are saved; ``None`` if saving is off: ``why_off`` says why."""
    return catalogue.CHOSEN if roles.is_teacher() else None


def why_off() -> str:
    """Why this visitor cannot save: nobody can, or the teacher alone."""
    return words("saving.off" if roles.is_teacher() else "saving.teacher")


def folder_now() -> Path:
    """The folder, which is there. Raises ``StoreError`` if saving is off or the folder is gone."""
    chosen = folder()
    if chosen is None:
        raise StoreError(why_off())
    if not chosen.is_dir():
        raise StoreError(words("saving.no_folder", folder=chosen))
    return chosen


def path_of(name: str) -> Path:
    """The path of the scenario ``name``: directly in the folder, and no link out of it. Raises ``StoreError``."""
    if folder() is not None and not NAME.fullmatch(name):
        raise StoreError(words("saving.name"))
    return folder_now() / f"{name}.yaml"


def alone(path: Path) -> None:
    """Raise ``StoreError`` where another file is, or on other systems would be, the scenario of that name."""
    for there in os.listdir(path.parent):
        stem, _, ending = folded(there).rpartition(".")
        if stem == path.stem and ending in ("yaml", "json") and there != path.name:
            raise StoreError(words("saving.taken", file=shown_in_message(there)))


def read(path: Path) -> bytes | None:
    """The contents of ``path``, at most one byte more than a scenario may have; ``None`` if there is no file."""
    with told(path):
        try:
            file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return None
        with open(file, "rb") as opened:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise StoreError(words("saving.no_file", file=path.name))
            return opened.read(SCENARIO_BYTES + 1)


def save_over(path: Path, data: bytes, expected: str | None) -> None:
    """Put ``data`` at ``path`` while the lock is held. ``expected``: the digest of what should be there.

    Raises ``Conflict`` if something else is there. Equal contents are not written again.
    """
    there = read(path)
    theirs = None if there is None else digest_of(there)
    if theirs != digest_of(data):
        if theirs != expected:
            raise Conflict(theirs, (there or b"").decode("utf-8", "replace"))
        replace(path, data)


def replace(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path`` in one move: it is on the disk before the name points to it."""
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    for left in path.parent.glob(f"{UNFINISHED}{'[0-9a-f]' * 16}"):  # by a server that was killed with the lock held
        if left.is_file():
            left.unlink(missing_ok=True)
    unfinished = path.parent / f"{UNFINISHED}{secrets.token_hex(8)}"
    file = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(file, "wb") as out:
            with suppress(FileNotFoundError):
                os.fchmod(file, stat.S_IMODE(path.stat().st_mode))
            out.write(data)
            out.flush()
            os.fsync(file)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    flush(path.parent)


def flush(where: Path) -> None:
    """Wait until the names in the folder ``where`` are on the disk."""
    entry = os.open(where, os.O_RDONLY)
    try:
        os.fsync(entry)
    finally:
        os.close(entry)


@contextmanager
def locked(where: Path) -> Iterator[None]:
    """Hold the folder's lock. The system releases it even if the server is killed."""
    file = os.open(where / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        until = time.monotonic() + WAIT_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise StoreError(words("saving.busy")) from None
                time.sleep(0.02)
        yield
    finally:
        os.close(file)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn refusals of the system into messages."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise StoreError(words("saving.link", file=path.name)) from None
        if error.errno == errno.ENOENT and not path.parent.is_dir():
            raise StoreError(words("saving.no_folder", folder=path.parent)) from None
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise StoreError(words("saving.read_only", folder=path.parent)) from None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreError(words("saving.disk_full", folder=path.parent)) from None
        reason = error.strerror or str(error)
        raise StoreError(words("saving.refused", file=path.name, reason=reason)) from None


def bytes_of(text: str) -> bytes:
    """``text`` as UTF-8, of the size that a scenario may have. Raises ``StoreError``."""
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise StoreError(words("saving.no_text")) from None
    if len(data) > SCENARIO_BYTES:
        raise StoreError(words("saving.too_large", limit=SCENARIO_BYTES // 1024))
    return data


def text_of(data: bytes, path: Path) -> str:
    """What ``read`` has found at ``path``, as text. Raises ``StoreError``."""
    if len(data) > SCENARIO_BYTES:
        raise StoreError(words("saving.too_large", limit=SCENARIO_BYTES // 1024))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise StoreError(words("saving.not_utf8", file=path.name)) from None


def digest_of(data: bytes) -> str:
    """Equal for equal contents, and for no others."""
    return hashlib.sha256(data).hexdigest()
