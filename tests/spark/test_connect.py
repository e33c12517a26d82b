"""Checks on a Spark Connect server in a separate process, without Java here and without access to its files."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.find_spark_home import _find_spark_home
from tidemark.spark_bridge.spark.java import NoJava, find_java, java_home

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
from tidemark.spark_bridge.streaming import server
sleeps = []
server.sleep = sleeps.append
server.Server._changes = lambda self, name: [datetime(2026, 1, 1, 12, 0, 5)]
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
