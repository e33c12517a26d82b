"""A few processes, and the line of those who wait for one.

An order comes with its visitor, who has one order at a time: a new one takes the place of the old. Whoever waits is
told how many are before them, and may leave at any moment; what was begun for them is then ended. An order that takes
too long is ended as well.

The line goes round the machines that the orders come from: each round has one order of each. So somebody who opens the
same link in twenty tabs waits for themselves, and not everybody else for them. Where the line is
full, an order of a machine that has fewer takes the place of the last one. Behind a proxy all are one machine, and the
line is one by arrival.

Each order runs in the thread of the visitor who waits for it anyway, so the pool has no thread of its own: the thread
waits for its turn, takes a process that is free, sends the order and waits for the answer. Of a process that was told
to stop nothing is used again: it is killed, and the next order starts another.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from operator import attrgetter
from threading import Condition, get_ident
from typing import Any, Final, TypeVar

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from tidemark.simulator.limits import ORDER_BYTES, ORDER_S, ORDERS_WAITING
from tidemark.simulator.places import ROOT
from tidemark.simulator.words import current_language, words
from tidemark.ui.server.orders import NotDone, connect

Made = TypeVar("Made")

PROCESSES: Final = max(1, (os.cpu_count() or 2) - 1)

START_S: Final = 60.0
"""How long a process may take to start, on a machine that is busy."""

ORDERS_OF_A_PROCESS: Final = 20
"""After so many orders a process ends, and with it what they have left in its memory."""

LOOKS_S: Final = 0.25
"""How often a waiting visitor is told the place, and asked whether they are still there."""


class TakesTooLong(Exception):
    """The order took longer than ``ORDER_S``, or more memory than there is."""


class Busy(Exception):
    """``ORDERS_WAITING`` orders wait already, and each of them comes first."""


class Replaced(Exception):
    """The same visitor has ordered something else."""


@dataclass(eq=False)
class _Order:
    """``visitor``: who wants it, from which ``machine``.

    ``round``: in which it is done. ``replaced``: they want something else by now; ``crowded_out``: the line was full,
    and another one came first.
    """

    visitor: str
    machine: str
    round: int
    replaced: bool = False
    crowded_out: bool = False


class _Process:
    """One process, and the orders that it has done."""

    def __init__(self, environment: dict[str, str]) -> None:
        ours, theirs = Pipe()
        with theirs:
            command = [sys.executable, "-m", "tidemark.ui.server.process", str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, pass_fds=(theirs.fileno(),), cwd=ROOT, env={**os.environ, **environment},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip
        self.connection: Connection = ours
        self.is_new = True
        self.done = 0

    def end(self) -> None:
        """End it now, whatever it does."""
        self.connection.close()
        self._process.kill()
        self._process.wait()


class Pool:
    """The processes of a server. ``environment``: what they need to know beside the server's own environment."""

    def __init__(self, environment: dict[str, str], *, processes: int = PROCESSES, longest_s: float = ORDER_S) -> None:
        self._environment = environment
        self._most = processes
        self._longest_s = longest_s
        self._line: list[_Order] = []  # those that wait, in order of arrival
        self._running: list[_Order] = []
        self._round = 0  # of the order that was begun last
        self._free: list[_Process] = []
        self._changed = Condition()

    def do(
        self,
        visitor: str,
        waiting: Callable[[int], None],
        function: Callable[..., Made],
        *arguments: Any,
        machine: str = "",
    ) -> Made:
        """``function(*arguments)``, made by a process; function, arguments and result can be pickled.

        ``machine``: the address that the visitor comes from.

        ``waiting`` is called again and again with the number of orders that come first, 0 while it runs; what it raises
        ends the order. Raises ``TakesTooLong``, ``Busy``, ``Replaced``, and what the function raises.
        """
        order = self._enter(visitor, machine)
        try:
            process = self._turn(order, waiting)
            try:
                answered, made = self._made(process, order, waiting, function, arguments)
            except BaseException:
                process.end()
                raise
            self._give_back(process)
        finally:
            self._leave(order)
        if not answered:
            raise made
        result: Made = made
        return result

    def close(self) -> None:
        """End the processes that rest."""
        with self._changed:
            while self._free:
                self._free.pop().end()

    def _enter(self, visitor: str, machine: str) -> _Order:
        with self._changed:
            for each in (*self._line, *self._running):
                each.replaced = each.replaced or each.visitor == visitor
            rounds = [each.round for each in (*self._line, *self._running) if each.machine == machine]
            order = _Order(visitor, machine, max(rounds) + 1 if rounds else self._round)
            self._line.append(order)
            self._changed.notify_all()
            if len(self._line) > ORDERS_WAITING:
                last = self._in_turn()[-1]
                self._line.remove(last)
                last.crowded_out = True
            if order.crowded_out:
                raise Busy
            return order

    def _in_turn(self) -> list[_Order]:
        """The line in the order in which it is worked on."""
        return sorted(self._line, key=attrgetter("round"))  # stable: within a round by arrival

    def _turn(self, order: _Order, waiting: Callable[[int], None]) -> _Process:
        """Wait until it is the order's turn; the process that will do it."""
        while True:
            with self._changed:
                if order.replaced:
                    raise Replaced
                if order.crowded_out:
                    raise Busy
                place = self._in_turn().index(order)
                if place == 0 and len(self._running) < self._most:
                    self._line.remove(order)
                    self._running.append(order)
                    self._round = max(self._round, order.round)
                    self._changed.notify_all()
                    return self._free.pop() if self._free else _Process(self._environment)
                before = place + len(self._running)
            waiting(before)
            with self._changed:
                self._changed.wait(LOOKS_S)

    def _made(
        self, process: _Process, order: _Order, waiting: Callable[[int], None],
        function: Callable[..., Any], arguments: tuple[Any, ...],
    ) -> tuple[bool, Any]:  # fmt: skip
        try:
            process.connection.send((current_language(), function, arguments))
            if process.is_new:
                self._heard(process, order, waiting, START_S)
                process.is_new = False
            answered, made = self._heard(process, order, waiting, self._longest_s)
        except (EOFError, BrokenPipeError, ConnectionResetError):  # it was killed: for its memory, most likely
            raise TakesTooLong from None
        if not answered and isinstance(made, MemoryError):
            raise TakesTooLong
        return answered, made

    def _heard(self, process: _Process, order: _Order, waiting: Callable[[int], None], longest_s: float) -> Any:
        """What the process says next."""
        until = time.monotonic() + longest_s
        while not process.connection.poll(LOOKS_S):
            waiting(0)
            if order.replaced:
                raise Replaced
            if time.monotonic() > until:
                raise TakesTooLong
        return process.connection.recv()

    def _give_back(self, process: _Process) -> None:
        process.done += 1
        if process.done >= ORDERS_OF_A_PROCESS:
            process.end()
            return
        with self._changed:
            self._free.append(process)

    def _leave(self, order: _Order) -> None:
        with self._changed:
            for each in (self._line, self._running):
                if order in each:
                    each.remove(order)
            self._changed.notify_all()


# The server's pool: who orders, what they see while they wait, and what they read if nothing comes of it.

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
        # A fragment that runs alone cannot write outside of itself: there the page's own script says that it waits.
        alone = context is None or context.fragment_ids_this_run
        slot = None if alone else st.session_state.get(_SLOT)
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
        if served:
            st.session_state.get(_SLOT)  # where the visitor has asked for something else, Streamlit ends this run here
        if self._slot is None or time.monotonic() - self._began < SILENT_S:
            return
        text = words("heavy.waits", before=before) if before else words("heavy.computes")
        if text != self._said:
            self._said = text
            self._slot.html(f"<p class='tm-waiting' role='status'>{text}</p>")
