"""The author's folder: a scenario is saved whole or not at all, and never over what somebody else has saved since.

Saving is off unless the app was started with a folder (``ui.catalogue.CHOSEN``). A save holds the folder's lock
file from the look at what is there to the write, so that no other session or server comes between the two.
"""

import errno
import fcntl
import hashlib
import os
import re
import secrets
import stat
import time
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final, TypedDict

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.simulator.scenario.editing import EditError, Plain, ScenarioText, put, set_value
from tidemark.simulator.words import words
from tidemark.ui import catalogue
from tidemark.ui.server import roles
from tidemark.ui.server.on_disk import folded

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


__all__ = ["LOCK", "UNFINISHED", "Conflict", "StoreError", "digest", "folder", "named", "names", "open_file", "save"]


def digest(text: str) -> str:
    """Equal for equal texts, and for no others."""
    return digest_of(bytes_of(text))


def names() -> list[str]:
    """The names that ``open_file`` accepts, sorted; none while saving is off."""
    chosen = folder()
    if chosen is None or not chosen.is_dir():
        return []
    files = (path for path in chosen.glob("*.yaml") if NAME.fullmatch(path.stem))
    return sorted(path.stem for path in files if path.is_file() and not path.is_symlink())


def open_file(name: str) -> tuple[str, str]:
    """The text of the scenario called ``name`` and its digest. Raises ``StoreError``."""
    path = path_of(name)
    data = read(path)
    if data is None:
        raise StoreError(words("saving.no_such_file", file=path.name))
    return text_of(data, path), digest_of(data)


def save(name: str, text: str, expected: str | None) -> str:
    """Save ``text`` as ``name`` and return its digest.

    ``expected`` is the digest of what the author began with, ``None`` if there should be no file. Raises ``Conflict``
    if the file is another one, ``StoreError`` if it cannot be saved; the folder is then as it was. An equal file is
    not written again.
    """
    path = path_of(name)
    data = bytes_of(text)
    with told(path), locked(path.parent):
        alone(path)
        save_over(path, data, expected)
    return digest_of(data)


def named(text: str, name: str) -> str:
    """``text`` with the name of its file; unchanged if it cannot be read."""
    try:
        text_read = ScenarioText(text)
        return text if text_read.scalar(("name",)) == name else put(text_read, ("name",), Plain(name)).text
    except EditError:
        return text


# Names for scenarios that begin as copies of others.

_NUMBERED: Final = re.compile(r"(.*?)(?:-(\d{1,6}))?")


def fork(text: str, taken: Collection[str]) -> str:
    """``text`` with a name that is not ``taken``; unchanged if it cannot be read."""
    try:
        read = ScenarioText(text)
        name = read.scalar(("name",))
        if name is None or name not in taken:
            return text
        return set_value(read, ("name",), Plain(free_name(name, taken))).text
    except EditError:
        return text


def free_name(name: str, taken: Collection[str]) -> str:
    """``name`` with the first free number after it: ``late-2``."""
    stem = _stem(name)[:90]
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"


def original_of(name: str, known: Collection[str]) -> str | None:
    """The one of ``known`` that a copy called ``name`` was made from, by its name: ``late`` of ``late-2``."""
    stem = _stem(name)
    return stem if stem != name and stem in known else None


def _stem(name: str) -> str:
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else name


Lines = list[str]


class Block(TypedDict):
    """Lines of either text; equal ones are the ``same`` on both sides. A side may have none.

    ``base``: what both began with; ``None`` where that is unknown. ``taken``: the only side that changed it, ``mine``
    or ``theirs``; "" where both did, so that one must choose.
    """

    same: bool
    base: Lines | None
    mine: Lines
    theirs: Lines
    taken: str


def blocks(mine: str, theirs: str, base: str | None = None) -> list[Block]:
    """The two texts in pieces: joined, all lines of one side give its text, with any line ends written as ``\\n``.

    ``base`` is the text that both began with. A piece that only one side changed is that side's; without ``base``
    nothing can be decided.
    """
    ours, others = mine.splitlines(), theirs.splitlines()
    if base is None:
        matcher = SequenceMatcher(None, ours, others, autojunk=False)
        return [_block(None, ours[i:j], others[k:n]) for _, i, j, k, n in matcher.get_opcodes()]
    began = base.splitlines()
    found: list[Block] = []
    at, place, other = 0, 0, 0
    for start, i, k, size in _common(began, ours, others):
        found.append(_block(began[at:start], ours[place:i], others[other:k]))
        at, place, other = start + size, i + size, k + size
        found.append(_block(began[start:at], ours[i:place], others[k:other]))
    return _joined(found)


def _block(base: Lines | None, mine: Lines, theirs: Lines) -> Block:
    same = mine == theirs
    taken = "theirs" if mine == base else "mine" if same or theirs == base else ""
    return {"same": same, "base": base, "mine": mine, "theirs": theirs, "taken": taken}


def _common(base: Lines, mine: Lines, theirs: Lines) -> Iterator[tuple[int, int, int, int]]:
    """The runs of lines that all three have: (start in base, in mine, in theirs, length); last an empty one at the end.

    They are where both comparisons with ``base`` found the same of its lines.
    """
    left, right = _matches(base, mine), _matches(base, theirs)
    starts = [start for start, _, _ in right]
    for start, place, size in left:
        for begin, other, length in right[max(bisect_right(starts, start) - 1, 0) :]:
            low, high = max(start, begin), min(start + size, begin + length)
            if begin >= start + size:
                break
            if low < high:
                yield low, place + low - start, other + low - begin, high - low
    yield len(base), len(mine), len(theirs), 0


def _matches(base: Lines, text: Lines) -> list[tuple[int, int, int]]:
    found = SequenceMatcher(None, base, text, autojunk=False).get_matching_blocks()
    return [(start, place, size) for start, place, size in found if size]


def _joined(found: Sequence[Block]) -> list[Block]:
    """Without the empty pieces; equal neighbours are one."""
    joined: list[Block] = []
    for each in found:
        if not (each["base"] or each["mine"] or each["theirs"]):
            continue
        before = joined[-1] if joined else None
        if before is not None and before["same"] and each["same"]:
            base = (before["base"] or []) + (each["base"] or [])
            joined[-1] = _block(base, before["mine"] + each["mine"], before["theirs"] + each["theirs"])
        else:
            joined.append(each)
    return joined
