"""The simulator's side of a check: a process of its own that writes the digests of its rows, and on request those
rows that lie in certain buckets; by Spark's rules it writes all rows, to a file of JSON lines.

It is a process because a second interpreter does not share a lock with Spark's driver, and can be ended at once.
It holds one chunk of rows at a time. ``python -m spark_bridge.simulate FOLDER`` takes the pickled scenario, the buckets
and the language of its messages on stdin, and reports the item that it has reached, now and then, as a line on stdout.
The folder is read by the process that started this one, never by Spark.
"""

import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from simulator.scenario.model import Scenario
from simulator.words import current_language, speak, words
from spark_bridge.canonical import COLUMNS, COMPARED, TEXTS, Columns, columns_of
from spark_bridge.digests import Digests, Found
from spark_bridge.failures import simulator_failure
from spark_bridge.stages import EngineFails

CHUNK: Final = 50_000
"""The most rows in memory, and in one file."""

SCHEMA: Final = pa.schema(
    [
        (name, pa.string() if name in TEXTS else pa.float64() if name == "value_number" else pa.int64())
        for name in COLUMNS
    ]
)

LINES: Final = "rows.jsonl"
"""The file of a scenario by Spark's rules: its rows as the contract writes them, batch after batch."""

_DIGESTS: Final = "digests"
_TELL_SECONDS: Final = 0.5
_POLL_SECONDS: Final = 0.2
_ENGINE_FAILS: Final = 3
"""The exit code that says so."""


class Writer:
    """A sink for the simulator's rows: digests those that are compared.

    Rows in the buckets ``wanted`` are written out, chunk by chunk.
    """

    def __init__(self, folder: Path, progress: Callable[[int], None], wanted: frozenset[int]) -> None:
        self._folder = folder
        self._progress = progress
        self._wanted = wanted
        self._digests = Digests()
        self._rows: list[Columns] = []
        self._files = 0
        self._tell_at = monotonic()

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Take one row. Raises ``EngineFails`` for the row with which a failing engine ends."""
        if row["row"] == "error":
            raise EngineFails(words("spark.engine_fails", item=row["item"], type=row["type"], text=row["message"]))
        if row["row"] in COMPARED:
            columns = columns_of(row)
            if self._digests.add(columns) in self._wanted:
                self._rows.append(columns)
                if len(self._rows) == CHUNK:
                    self._write()
        if monotonic() > self._tell_at:
            self._tell_at = monotonic() + _TELL_SECONDS
            self._progress(row["item"])

    def flush(self) -> None:
        """The run is over: write what is left."""
        if self._wanted:
            self._write()
        with (self._folder / _DIGESTS).open("wb") as file:
            pickle.dump(self._digests.found(), file)

    def _write(self) -> None:
        columns = list(zip(*self._rows, strict=True)) or [()] * len(COLUMNS)
        arrays = [pa.array(values, type=each.type) for values, each in zip(columns, SCHEMA, strict=True)]
        pq.write_table(pa.table(arrays, schema=SCHEMA), self._folder / f"{self._files:06}.parquet")
        self._files += 1
        self._rows.clear()


class LineWriter:
    """A sink for the rows of a scenario by Spark's rules: writes them all, and reports each batch that is done."""

    def __init__(self, folder: Path, progress: Callable[[int], None], _: frozenset[int]) -> None:
        self._file = (folder / LINES).open("w", encoding="utf-8")
        self._progress = progress
        self._tell_at = monotonic()

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Take one row, also an error row, since Spark's query fails in the same batch."""
        self._file.write(json.dumps(row, ensure_ascii=False) + "\n")
        if row["row"] == "batch" and monotonic() > self._tell_at:
            self._tell_at = monotonic() + _TELL_SECONDS
            self._progress(row["batch"])

    def flush(self) -> None:
        """The run is over: close the file."""
        self._file.close()


class Simulation:
    """The process, running. Made by ``simulation``."""

    def __init__(self, process: subprocess.Popen[bytes], messages: IO[str], progress: Callable[[int], None]) -> None:
        self._process = process
        self._messages = messages
        self._progress = progress
        self._began = self._ended = monotonic()
        self._listener = Thread(target=self._listen, daemon=True)

    def listen(self) -> None:
        """Begin to pass on what the process reports."""
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with suppress(ValueError):  # Ctrl-C while this thread was being started: the pipe is closed already
            for line in self._process.stdout:
                self._progress(int(line))
        self._ended = monotonic()
        if self._process.wait() == 0:
            self._progress(sys.maxsize)  # past the last item: all are done

    def wait(self, stopped: Callable[[], bool] = lambda: False) -> float:
        """Wait until the run is over; returns the seconds that it took. The process is ended as soon as ``stopped()``.

        Raises ``EngineFails``, and ``CheckFails`` if the process failed otherwise.
        """
        while self._listener.is_alive():
            self._listener.join(_POLL_SECONDS)
            if stopped():
                self.stop()
        if (exit_code := self._process.wait()) != 0:
            self._messages.seek(0)
            said = self._messages.read().strip()
            raise EngineFails(said) if exit_code == _ENGINE_FAILS else simulator_failure(exit_code, said)
        return self._ended - self._began

    @property
    def failed(self) -> bool:
        """Whether it has ended without writing all rows."""
        return self._process.poll() not in (None, 0)

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()

    def end(self) -> None:
        """End the process, and return when nobody reads from it any more, so that its output can be closed."""
        self.stop()
        if self._listener.is_alive():
            self._listener.join()


@contextmanager
def simulation(
    scenario: Scenario, folder: Path, progress: Callable[[int], None], wanted: frozenset[int] = frozenset()
) -> Iterator[Simulation]:
    """The simulator running ``scenario``; it reports its item now and then. It ends with the ``with`` block.

    Once ``wait`` has returned, ``folder`` holds what ``digests_in`` and ``rows_in`` read: the digests of all rows, and
    the rows of the buckets ``wanted``.
    """
    command = [sys.executable, "-m", "spark_bridge.simulate", str(folder)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with (
        tempfile.TemporaryFile("w+") as messages,
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages, env=environment
        ) as process,
    ):
        assert process.stdin is not None
        # A run does not need the texts of the file. If the process ended at once, ``wait`` says why.
        without = replace(scenario, title=None, summary=None, look_for=None, takeaway=None)
        bare = replace(without, goals=(), walkthrough=(), marks={})
        with suppress(BrokenPipeError), process.stdin as stdin:
            pickle.dump((bare, wanted, current_language()), stdin)
        running = Simulation(process, messages, progress)
        try:  # from here on, since Ctrl-C may come while the thread is being started
            running.listen()
            yield running
        finally:
            running.end()


def digests_in(folder: Path) -> Found:
    """The digests that a simulation has left in its folder."""
    with (folder / _DIGESTS).open("rb") as file:
        found: Found = pickle.load(file)
    return found


def rows_in(folder: Path) -> pa.Table:
    """The rows of the wanted buckets that a simulation has left in its folder."""
    return pa.concat_tables([pq.read_table(file) for file in sorted(folder.glob("*.parquet"))])


def _main() -> None:
    from simulator import run

    scenario, wanted, language = pickle.load(sys.stdin.buffer)
    speak(language)
    make = LineWriter if scenario.engine == "spark" else Writer
    writer = make(Path(sys.argv[1]), lambda done: print(done, flush=True), wanted)
    try:
        run(scenario, writer)
    except EngineFails as failure:
        print(failure, file=sys.stderr)
        sys.exit(_ENGINE_FAILS)
    writer.flush()


if __name__ == "__main__":
    _main()
