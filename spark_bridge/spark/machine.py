"""The Java process of Spark's driver: started here, so that it can be watched and ended at any moment.

PySpark starts one by itself, but keeps the process for itself until it answers. This one has a process group and a
folder of its own for its temporary files: ending it leaves neither a process nor a file, whatever its state.
"""

import atexit
import contextlib
import os
import shlex
import shutil
import signal
import struct
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from time import sleep

from tidemark.spark_bridge.spark.failures import CheckFails, failure_of, telling_line
from tidemark.spark_bridge.spark.folders import new_folder, spark_place
from tidemark.spark_bridge.spark.stages import Cancelled

_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 5.0
_TAIL = 4000


class Machine:
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
) -> Machine:
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
    machine = Machine(process, folder)
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


def _refusal(machine: Machine, code: int) -> CheckFails:
    return CheckFails("java_refuses", code=str(code), text=telling_line(machine.said()) or "-")
