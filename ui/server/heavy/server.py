"""The server's pool: who orders, what they see while they wait, and what they read if nothing comes of it."""

import time
from collections.abc import Callable
from threading import get_ident
from typing import Any, Final

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from tidemark.simulator.limits import ORDER_BYTES, ORDER_S
from tidemark.simulator.words import words
from tidemark.ui.server.heavy.order import NotDone, connect
from tidemark.ui.server.heavy.pool import Busy, Pool, Replaced, TakesTooLong

_SLOT: Final = "tidemark_waiting"

SILENT_S: Final = 1.0
"""How long nothing is said: most work is done by then."""


def waiting_slot() -> None:
    """The place on the page where it says that something is being computed; ``frame`` makes it."""
    st.session_state[_SLOT] = st.empty()


def serve(environment: dict[str, str]) -> Pool:
    """Have long work done by processes, which get ``environment`` as well."""
    pool = Pool(environment)

    def do(function: Callable[..., Any], *arguments: Any) -> Any:
        context = get_script_run_ctx()
        # Work outside of a session (a lesson to download) is of a visitor of its own: none takes another's place.
        visitor = context.session_id if context is not None else f"thread-{get_ident()}"
        slot = st.session_state.get(_SLOT) if context is not None else None
        try:
            telling = _Telling(context.session_id if context else None, slot)
            return pool.do(visitor, telling, function, *arguments, machine=_machine(served=context is not None))
        except TakesTooLong:
            raise NotDone(words("heavy.too_long", seconds=round(ORDER_S), memory=ORDER_BYTES // 2**30)) from None
        except Busy:
            raise NotDone(words("heavy.busy")) from None
        except Replaced:
            raise NotDone(words("heavy.replaced")) from None
        finally:
            if slot is not None:
                slot.empty()

    connect(do)
    return pool


def _machine(*, served: bool) -> str:
    """The address that the visitor of this thread comes from; "" if it is not known, as on the server's own machine."""
    return (st.context.ip_address or "") if served else ""


class _Telling:
    """Tells a visitor the place in the line, and notices when they have left."""

    def __init__(self, session: str | None, slot: Any) -> None:
        self._session = session
        self._slot = slot
        self._began = time.monotonic()
        self._said = ""

    def __call__(self, before: int) -> None:
        served = self._session is not None and runtime.exists()
        if served and not runtime.get_instance().is_active_session(str(self._session)):
            st.stop()  # the visitor has left
        if self._slot is None or time.monotonic() - self._began < SILENT_S:
            return
        text = words("heavy.waits", before=before) if before else words("heavy.computes")
        if text != self._said:
            self._said = text
            self._slot.html(f"<p class='tm-waiting' role='status'>{text}</p>")
