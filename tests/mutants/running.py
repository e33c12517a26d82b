"""Faults planted in a copy of the tree, and the finders that run there."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.mutants.finders import arguments_of, finders_of
from tests.mutants.table import ROOT, Fault
from tests.mutants.warm import WITH_SPARK

LONGEST_S: Final = 600
"""A finder that takes longer is ended. The fault is found then: it makes something hang."""

MOST_RUNS: Final = 25
"""After so many runs the process that runs the finders is replaced, since each of them leaves a little behind."""

QUIET: Final = 0
"""The exit code of pytest when all passed. A fault may also break the collection of tests, or the process."""

NOTHING_CHOSEN: Final = 5

PYTEST: Final = (
    *("-x", "-q", "--no-header", "--tb=line", "--durations=0", "-p", "no:cacheprovider"),
    *("--hypothesis-seed=0", "--hypothesis-profile=mutants"),
)


@dataclass(frozen=True)
class Look:
    """What came of one finder: whether it found anything, after how many seconds, and the last lines it printed."""

    finder: str
    found: bool
    seconds: float
    said: str


class Copy:
    """A copy of the tree, with a process that runs tests there. Nothing is ever planted in the checkout itself."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._changes = 0
        self._process: subprocess.Popen[str] | None = None
        self._runs = 0

    @contextmanager
    def with_fault(self, fault: Fault) -> Iterator[None]:
        """The copy has the fault, for a while."""
        path = self.root / fault.file
        sound = path.read_text(encoding="utf-8")
        self._write(path, fault.planted(sound))
        try:
            yield
        finally:
            self._write(path, sound)

    def _write(self, path: Path, text: str) -> None:
        """A new time with every change: Python takes a compiled file for current by its second and size alone."""
        path.write_text(text, encoding="utf-8")
        self._changes += 1
        changed = int(time.time()) + self._changes
        os.utime(path, (changed, changed))

    def look(self, finder: str) -> Look:
        """Run a finder, up to its first failure. Raises ``ValueError`` for one that chooses no test."""
        arguments = [*PYTEST, *arguments_of(finder)]
        began = time.monotonic()
        code, said = self._run([WITH_SPARK, *arguments] if finder.startswith("spark") else arguments)
        if code == NOTHING_CHOSEN:
            raise ValueError(f"{finder} chooses no test")
        return Look(finder, code != QUIET, time.monotonic() - began, said)

    def _run(self, arguments: list[str]) -> tuple[int, str]:
        if self._runs >= MOST_RUNS:
            self.end()
        self._runs += 1
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], LONGEST_S)
        answer = process.stdout.readline() if ready else ""
        if answer:
            code, said = json.loads(answer)
            return code, said
        self.end()
        return -1, f"ended after {LONGEST_S} s" if not ready else "the process broke down"

    def _started(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.warm"],
            cwd=self.root,
            env={name: value for name, value in os.environ.items() if name != "CI"} | {"EXAMPLES": "0.5"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )

    def end(self) -> None:
        """End the process, and whatever it has started, Java included."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()
        self._process, self._runs = None, 0


@contextmanager
def copied() -> Iterator[Copy]:
    """A copy of everything that git knows or would add, changes that are not committed included."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    with TemporaryDirectory(prefix="mutants-") as folder:
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, Path(folder) / name)
        copy = Copy(Path(folder))
        try:
            yield copy
        finally:
            copy.end()


def looks(copy: Copy, fault: Fault) -> list[Look]:
    """What the finders say of a fault, up to the first one that finds it."""
    said: list[Look] = []
    with copy.with_fault(fault):
        for finder in finders_of(fault.file, fault.found_by):
            said.append(copy.look(finder))
            if said[-1].found:
                break
    return said
