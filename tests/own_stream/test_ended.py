"""A command that is ended from outside in the midst of its work leaves no process, no temporary folder, no result."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.own_stream.test_bad_input import COLUMNS, GOOD, SCENARIO

_PATIENCE_S = 240

_ENDED_WITH_A_NEW_FOLDER = """
import os, runpy, signal, sys, tempfile
make = tempfile.mkdtemp
def mkdtemp(*arguments, **named):
    folder = make(*arguments, **named)
    os.kill(os.getpid(), signal.SIGTERM)
    return folder
tempfile.mkdtemp = mkdtemp
sys.argv[0] = "spark_bridge"
runpy.run_module("spark_bridge", run_name="__main__")
"""


def _processes_of(session: int) -> list[int]:
    """The processes of a session (field 6 of ``/proc/PID/stat``) that are still at work."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of, *_ = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(of) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


@pytest.mark.spark
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the processes of a session are found in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_a_run_that_is_ended(java: None, tmp_path: Path, number: signal.Signals) -> None:
    data, scenario, temporary = tmp_path / "data.csv", tmp_path / "mine.yaml", tmp_path / "temporary"
    data.write_text(GOOD)
    scenario.write_text(SCENARIO)
    temporary.mkdir()
    before = sorted(tmp_path.iterdir())
    command = ["run", str(scenario), "--data", str(data), *COLUMNS, "--write", str(tmp_path / "deep" / "out")]
    inherited = signal.signal(number, signal.SIG_DFL)  # under nohup the signal would be ignored
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_bridge", *command],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    signal.signal(number, inherited)
    until = time.monotonic() + _PATIENCE_S
    while not any(temporary.glob("tidemark-spark-*")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=_PATIENCE_S)
    assert (process.returncode, out, err) == (128 + number, "", "")
    while _processes_of(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert _processes_of(process.pid) == []
    assert list(temporary.iterdir()) == []
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_made_when_the_end_arrives_is_removed(tmp_path: Path) -> None:
    scenario = "scenarios/a-bound-delays.yaml"
    ended = subprocess.run(
        [sys.executable, "-c", _ENDED_WITH_A_NEW_FOLDER, "check", scenario],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGTERM, "")
    assert list(tmp_path.iterdir()) == []
