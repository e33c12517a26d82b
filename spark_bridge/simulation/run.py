"""The simulator's side of a check, as the process that carries out the check sees it.

The simulator runs in processes of its own (``spark_bridge.simulation.process``), since another interpreter does not
share a lock with Spark's driver, and can be ended at once. Of a long stream each process works on some of the keys; the
digests of their rows are added.
"""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO, Final

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language
from tidemark.spark_bridge.results.boundaries import Boundaries
from tidemark.spark_bridge.results.digests import Found, added
from tidemark.spark_bridge.simulation.blocks import shares_of
from tidemark.spark_bridge.simulation.process import BOUNDARIES, DIGESTS, ENGINE_FAILS, Order
from tidemark.spark_bridge.spark.stages import EngineFails, simulator_failure

_POLL_SECONDS: Final = 0.2


class _Process:
    """One of the processes. ``reached``: the item that it has reported last."""

    def __init__(self, process: subprocess.Popen[bytes], messages: IO[str], progress: Callable[[], None]) -> None:
        self._process = process
        self._messages = messages
        self._progress = progress
        self.reached = -1
        self.superfluous = False
        self.ended = monotonic()
        self.listener = Thread(target=self._listen, daemon=True)

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError):  # Ctrl-C while this thread was being started: the pipe is closed already
            for line in self._process.stdout:
                self.reached = int(line)
                self._progress()
        self.ended = monotonic()
        if self._process.wait() == 0:
            self.reached = sys.maxsize  # past the last item: all are done
            self._progress()

    @property
    def exit_code(self) -> int | None:
        """None as long as it runs."""
        return self._process.poll()

    @property
    def engine_fails(self) -> bool:
        """Whether it has ended because the engine itself throws, at the item ``reached``."""
        return self.exit_code == ENGINE_FAILS

    def said(self) -> str:
        """What it wrote on stderr."""
        self._messages.seek(0)
        return self._messages.read().strip()

    def stop(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()


class Simulation:
    """The processes, running. Made by ``simulation``."""

    def __init__(self, progress: Callable[[int], None]) -> None:
        self._report = progress
        self._began = monotonic()
        self._processes: list[_Process] = []

    def add(self, process: subprocess.Popen[bytes], messages: IO[str]) -> None:
        """One more process, which writes its messages to that file."""
        self._processes.append(_Process(process, messages, self._progress))

    def listen(self) -> None:
        """Begin to pass on what the processes report."""
        for each in self._processes:
            each.listener.start()

    def _progress(self) -> None:
        reached = min(each.reached for each in self._processes)
        if reached >= 0:
            self._report(reached)

    def wait(self, stopped: Callable[[], bool] = lambda: False) -> float:
        """Wait until the run is over; returns the seconds that it took. It is ended as soon as ``stopped()``.

        Raises ``EngineFails``, and ``CheckFails`` if a process failed otherwise.
        """
        while running := [each for each in self._processes if each.listener.is_alive()]:
            running[0].listener.join(_POLL_SECONDS)
            if stopped():
                self.stop()
            self._end_superfluous()
        failed = [each for each in self._processes if each.exit_code and not each.superfluous]
        for each in failed:
            if not each.engine_fails:
                raise simulator_failure(each.exit_code or 0, each.said())
        if failed:
            raise EngineFails(min(failed, key=lambda each: (each.reached, each.said())).said())
        return max(each.ended for each in self._processes) - self._began

    def _end_superfluous(self) -> None:
        """End what no longer matters: everything once a process was lost, or what is past an item that fails."""
        if any(each.exit_code and not (each.engine_fails or each.superfluous) for each in self._processes):
            first = -2
        else:
            fails = [each.reached for each in self._processes if each.engine_fails]
            if not fails:
                return
            first = min(fails)
        for each in self._processes:
            if each.exit_code is None and each.reached > first:
                each.superfluous = True
                each.stop()

    @property
    def failed(self) -> bool:
        """Whether a process has ended without writing all rows."""
        return any(each.exit_code for each in self._processes)

    def stop(self) -> None:
        """End the processes, whatever they are doing."""
        for each in self._processes:
            each.stop()

    def end(self) -> None:
        """End them, and return when nobody reads from them any more, so that their output can be closed."""
        self.stop()
        for each in self._processes:
            if each.listener.is_alive():
                each.listener.join()


@contextmanager
def simulation(
    scenario: Scenario,
    folder: Path,
    progress: Callable[[int], None],
    wanted: frozenset[int] = frozenset(),
    *,
    sample: int = 1,
) -> Iterator[Simulation]:
    """The simulator running ``scenario``; it reports its item now and then. It ends with the ``with`` block.

    Once ``wait`` has returned, ``folder`` holds what ``digests_in`` and ``rows_in`` read: the digests of all rows, and
    the rows of the buckets ``wanted``. ``sample``: only the rows of one key in so many (``Share``).
    """
    command = [sys.executable, "-m", "tidemark.spark_bridge.simulation.process", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # A run does not need the texts of the file.
    without = replace(scenario, title=None, summary=None, look_for=None, takeaway=None)
    bare = replace(without, goals=(), walkthrough=(), marks={})
    running = Simulation(progress)
    with ExitStack() as stack:
        for share in shares_of(scenario, sample, _processors()):
            messages = stack.enter_context(tempfile.TemporaryFile("w+"))
            process = stack.enter_context(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages, env=environment
                )
            )
            stack.callback(process.kill)
            assert process.stdin is not None
            running.add(process, messages)
            with suppress(BrokenPipeError), process.stdin as stdin:  # if it ended at once, ``wait`` says why
                pickle.dump(Order(bare, share, wanted, current_language()), stdin)
        try:  # from here on, since Ctrl-C may come while the threads are being started
            running.listen()
            yield running
        finally:
            running.end()


def _processors() -> int:
    """How many this process may use; macOS knows only how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def digests_in(folder: Path) -> Found:
    """The digests that a simulation has left in its folder."""
    return added(pickle.loads(file.read_bytes()) for file in sorted(folder.glob(f"{DIGESTS}-*")))


def boundaries_in(folder: Path) -> Boundaries | None:
    """The boundaries that a simulation has met; None before it has ended."""
    file = folder / BOUNDARIES
    return pickle.loads(file.read_bytes()) if file.exists() else None


def rows_in(folder: Path) -> pa.Table:
    """The rows of the wanted buckets that a simulation has left in its folder."""
    return pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("*.parquet"))])
