"""What a visitor has chosen, uploaded and started: it is there again after a reload, and in another tab.

Streamlit's own state ends with the page that the browser has loaded. So a visit is kept beside it, as long as one page
of the visitor is open or was until a moment ago, and the browser shows its number in a cookie.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final

import streamlit as st
from streamlit import config
from streamlit.runtime.scriptrunner import get_script_run_ctx
from tidemark.ui.server.background import Task, queue
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.leaving import is_here, when_left
from tidemark.ui.spark.your_stream.files import Upload

Paths = tuple[str, ...]

_NUMBER: Final = "own_stream_visit"


@dataclass
class Work:
    """A profile that was asked for: of which ``files``, what was ``asked``, and the cuts of its findings by place."""

    task: Task
    files: Any
    asked: dict[str, Any]
    cuts: dict[int, Task] = field(default_factory=dict)

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
