"""A Spark Connect server, in a process of its own: checked from here without a Java, and without the server's files."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.find_spark_home import _find_spark_home

from spark_bridge.java import NoJava, find_java, java_home

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"

CHECKS = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from simulator.scenario import load
from spark_bridge import Cancelled, CheckFails, check
work = []
for file in sys.argv[2:]:
    report = check(load(file), distributions=file is sys.argv[2], work=work.append)
    print(report.scenario, report.way, report.equal, report.panes, report.distributions is not None)
print(any(each.stages for each in work), any(each.read_bytes for each in work))
stop = threading.Event()
try:
    check(load(sys.argv[1] + "/scenarios/three-hundred.yaml"), 50_000_000, work=lambda _: stop.set(), cancelled=stop)
except Cancelled:
    print("cancelled")
"""
"""``SPARK_REMOTE`` says where. The path to the code is this process's own."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server on this host that has never heard of this project."""
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
@pytest.mark.alone
def test_checks_behind_a_server(server: str, tmp_path: Path) -> None:
    """A keyed scenario with its distributions, a native one over idle channels; the server's figures are told, and
    cancelling reaches it."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    files = [str(GOLDEN / f"{name}.yaml") for name in ("session-late", "watermark-idle-channel")]
    told = subprocess.run(
        [sys.executable, "-c", CHECKS, str(ROOT), *files], text=True, capture_output=True, check=False, cwd=temporary,
        env=os.environ | {"TMPDIR": str(temporary), "SPARK_REMOTE": server},
    )  # fmt: skip
    assert told.stderr == ""
    assert told.stdout.splitlines() == [
        "session-late keyed True 1 True",
        "watermark-idle-channel ordered True 2 False",
        "True True",
        "cancelled",
    ]
    assert list(temporary.iterdir()) == []
