"""What a visitor has chosen, uploaded and started: it is there again after a reload, and in another tab.

Streamlit's own state ends with the page that the browser has loaded. So a visit is kept beside it, as long as one page
of the visitor is open or was until a moment ago, and the browser shows its number in a cookie.
"""

import os
import re
import secrets
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final, Protocol

import streamlit as st
from streamlit import config
from streamlit.runtime.scriptrunner import get_script_run_ctx
from tidemark.simulator.limits import OFFERED_FILES
from tidemark.ui.server.background import Task, queue
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.leaving import is_here, when_left
from tidemark.ui.server.on_disk import folded, folder_named, is_inside

# Files that the page may read: those of the folder named at the start, and uploads, which go when they are done
# with.
#
# ``streamlit run app.py -- --data DIR`` names the folder. A file is only ever opened by a name that was found in
# it, so no address and no message reaches anything else.

ARGUMENT: Final = "--data"
VARIABLE: Final = "TIDEMARK_DATA"

ENDINGS: Final = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".parq", ".pq")
PACKED: Final = (".gz", ".zst")

_PREFIX: Final = "tidemark-upload-"


folder_given = partial(folder_named, ARGUMENT, VARIABLE, None)

FOLDER: Final = folder_given(sys.argv[1:], os.environ)
"""The folder named at the start."""


@dataclass(frozen=True)
class Offered:
    """A file of the folder, or a folder of such files in it. ``size`` is in bytes."""

    name: str
    size: int
    is_folder: bool = False


def offered(folder: Path) -> list[Offered]:
    """The files of ``folder`` and the folders in it that hold some, by name. Links that lead out of it do not count."""
    found = []
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        if not is_inside(path, folder) or path.name.startswith((".", "_")):
            continue
        if path.is_dir():
            sizes = [each.stat().st_size for each in _readable(path) if is_inside(each, folder)]
            if sizes:
                found.append(Offered(path.name, sum(sizes), is_folder=True))
        elif _is_data(path.name) and path.is_file():
            found.append(Offered(path.name, path.stat().st_size))
    return found[:OFFERED_FILES]


def path_of(name: str, folder: Path) -> Path | None:
    """The path of what ``offered`` calls ``name``; None for any other name, whatever it looks like."""
    return next((folder / each.name for each in offered(folder) if each.name == name), None)


class Uploaded(Protocol):
    """A file as Streamlit hands it over."""

    name: str

    def getbuffer(self) -> memoryview:
        """Its bytes."""


class Upload:
    """Uploaded files in a folder of their own, which goes with this object or with the process."""

    def __init__(self, files: Sequence[Uploaded]) -> None:
        """Writes ``files``. Raises ``OSError``, and then leaves nothing behind."""
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        try:
            taken: set[str] = set()
            for file in files:
                name = _name_of(file.name, taken)
                taken.add(folded(name))
                (self.folder / name).write_bytes(file.getbuffer())
        except OSError:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove the files; a second time does nothing."""
        self._remove()


def _name_of(given: str, taken: set[str]) -> str:
    """A name that says which file is meant, whatever the browser sends: messages about the file have it."""
    ending = ending_of(given)
    plain = re.split(r"[/\\]", given)[-1]
    stem = re.sub(r"[^\w .()+-]", "_", plain[: len(plain) - len(ending)]).strip(" ._")[:80] or "file"
    names = (f"{stem}{more}{ending}" for more in ("", *(f"-{number}" for number in range(2, len(taken) + 3))))
    return next(name for name in names if folded(name) not in taken)


def without_folders(text: str, folders: Iterable[Path]) -> str:
    """A message in which files are called what the visitor calls them."""
    for folder in folders:
        text = text.replace(f"{folder}{os.sep}", "")
    return text


def ending_of(name: str) -> str:
    """The ending by which a reader knows what is in a file; "" if it is none of those."""
    lower = name.lower()
    packed = next((each for each in PACKED if lower.endswith(each)), "")
    inside = lower.removesuffix(packed)
    return next((each + packed for each in ENDINGS if inside.endswith(each)), "")


def remove_uploads() -> None:
    """Remove the uploads of this process: it ends."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}{os.getpid()}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def remove_orphans() -> None:
    """Remove the uploads of processes that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = path.name.removeprefix(_PREFIX).split("-")[0]
        if process.isdigit() and not _lives(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _readable(folder: Path) -> list[Path]:
    try:
        return [each for each in folder.iterdir() if _is_data(each.name) and each.is_file()]
    except OSError:
        return []


def _is_data(name: str) -> bool:
    return bool(ending_of(name)) and not name.startswith((".", "_"))


Paths = tuple[str, ...]

_NUMBER: Final = "own_stream_visit"


@dataclass
class Work:
    """A profile that was asked for: of which ``files``, what was ``asked``, and the cuts of its findings by place.

    ``stored``: it is that of an example, computed beforehand.
    """

    task: Task
    files: Any
    asked: dict[str, Any]
    cuts: dict[int, Task] = field(default_factory=dict)
    stored: bool = False

    def stop(self) -> None:
        """Stop it and its cuts."""
        for task in (self.task, *self.cuts.values()):
            queue().stop(task)


@dataclass(frozen=True)
class Chosen:
    """The files to read. ``subject`` is what the reader calls them; ``upload`` keeps uploaded files alive."""

    paths: Paths
    subject: str
    upload: Upload | None = None


@dataclass
class Visit:
    """``kept``: what the widgets hold, by key. ``uploaded``: what was uploaded last. ``works``: the profiles by files.

    ``pages``: the files that each page of the visitor shows, by session.
    """

    number: str
    kept: dict[str, Any] = field(default_factory=dict)
    uploaded: Chosen | None = None
    works: dict[Paths, Work] = field(default_factory=dict)
    pages: dict[str, Paths | None] = field(default_factory=dict)

    def show(self, page: str, paths: Paths, is_here: Callable[[str], bool]) -> Work | None:
        """The work on the files that ``page`` shows from now on.

        Work on those that it showed before ends, unless another page shows them and ``is_here``.
        """
        before = self.pages.get(page)
        self.pages[page] = paths
        others = [shown for other, shown in self.pages.items() if other != page and is_here(other)]
        if before != paths and before not in others and before in self.works:
            self.works.pop(before).stop()
        return self.works.get(paths)

    def end(self) -> None:
        """Stop what was started, and remove what was uploaded."""
        for work in self.works.values():
            work.stop()
        if self.uploaded is not None and self.uploaded.upload is not None:
            self.uploaded.upload.remove()


class Visits:
    """The visits of a server, by number."""

    def __init__(self) -> None:
        self._visits: dict[str, Visit] = {}
        self._lock = Lock()

    def join(self, number: str | None, page: str, when_left: Callable[[Callable[[], object]], None]) -> Visit:
        """The visit of that number, or a new one, with one ``page`` more; ``when_left`` is told what to do then."""
        with self._lock:
            found = self._visits.get(number or "")
            if found is None:
                found = Visit(secrets.token_urlsafe(16))
                self._visits[found.number] = found
            is_new = page not in found.pages
            found.pages.setdefault(page, None)
        if is_new:
            when_left(partial(self._leave, found, page))
        return found

    def _leave(self, visit: Visit, page: str) -> None:
        with self._lock:
            visit.pages.pop(page, None)
            if visit.pages:
                return
            self._visits.pop(visit.number, None)
        visit.end()


@keeping()
def _visits() -> Visits:
    return Visits()


def cookie() -> str:
    """The name of the cookie with the number. A browser sends the cookies of one server to all others on a machine."""
    return f"tidemark_visit_{config.get_option('server.port')}"


def shown_number() -> str | None:
    """The number that the browser shows; None if this is its first visit."""
    return st.context.cookies.get(cookie())


def visit() -> Visit:
    """The visit that the running session belongs to."""
    number = st.session_state.get(_NUMBER) or shown_number()
    found = _visits().join(number, _page(), when_left)
    st.session_state[_NUMBER] = found.number
    return found


def work_on(chosen: Chosen) -> Work | None:
    """The work on the files that this page shows now, if there is any; see ``Visit.show``."""
    return visit().show(_page(), chosen.paths, is_here)


def _page() -> str:
    context = get_script_run_ctx()
    return "" if context is None else context.session_id
