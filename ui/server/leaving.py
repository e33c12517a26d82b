"""Visitors who have left: what they uploaded goes, what they started is stopped, their session ends.

Streamlit itself keeps the state of a session that has lost its browser for two minutes, and then until another session
comes or goes: perhaps for ever.
"""

import asyncio
import time
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from tidemark.ui.server.cache import keeping

PATIENCE_SECONDS: Final = 45
"""A browser that comes back within this time has not left: its network was gone, or it slept."""

_EVERY_SECONDS: Final = 5


class Leaving:
    """What is to be done when the visitor of a session has left, and then ``close`` with the session.

    ``is_here`` says whether a session has its browser.
    """

    def __init__(self, is_here: Callable[[str], bool], close: Callable[[str], object] = lambda _: None) -> None:
        self._is_here = is_here
        self._close = close
        self._last_seen: dict[str, float] = {}
        self._then: dict[str, list[Callable[[], object]]] = {}
        self._lock = Lock()

    def came(self, session: str) -> None:
        """The visitor of ``session`` is here."""
        with self._lock:
            self._last_seen[session] = time.monotonic()
            self._then.setdefault(session, [])

    def then(self, session: str, action: Callable[[], object]) -> None:
        """Call ``action`` once the visitor of ``session`` has left; what was to be done before stays to be done."""
        with self._lock:
            self._last_seen[session] = time.monotonic()
            self._then.setdefault(session, []).append(action)

    def look(self, now: float) -> None:
        """See who has left by ``now``, a time of ``time.monotonic``."""
        with self._lock:
            here = [session for session in self._then if self._is_here(session)]
            self._last_seen.update(dict.fromkeys(here, now))
            gone = [session for session in self._then if now - self._last_seen[session] > PATIENCE_SECONDS]
            actions = [action for session in gone for action in self._then.pop(session)]
            for session in gone:
                del self._last_seen[session]
        for action in actions:
            action()
        for session in gone:
            self._close(session)

    def watch(self) -> None:
        """Look every few seconds, for ever."""
        while True:
            time.sleep(_EVERY_SECONDS)
            self.look(time.monotonic())


class _Server:
    loop: asyncio.AbstractEventLoop | None = None


def serve(loop: asyncio.AbstractEventLoop) -> None:
    """From now on ``loop`` serves the sessions; Streamlit ends them there alone."""
    _Server.loop = loop


@keeping()
def _leaving() -> Leaving:
    leaving = Leaving(is_here, _end)
    Thread(target=leaving.watch, name="leaving", daemon=True).start()
    return leaving


def is_here(session: str) -> bool:
    """Whether a browser is connected to ``session``."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def when_left(action: Callable[[], object]) -> None:
    """Call ``action`` once the visitor of the running session has left. Outside a server nobody leaves."""
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        _leaving().then(context.session_id, action)


def ends_when_left() -> None:
    """Once its visitor has left, the running session ends, and with it all that is kept for it."""
    context = get_script_run_ctx()
    if context is not None and runtime.exists():
        _leaving().came(context.session_id)


def _end(session: str) -> None:
    """Have Streamlit forget ``session``, unless its browser has come back meanwhile."""

    def end() -> None:
        if not is_here(session):
            runtime.get_instance().close_session(session)

    if _Server.loop is not None and runtime.exists():
        _Server.loop.call_soon_threadsafe(end)
