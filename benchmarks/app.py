"""The app under measurement: a separate server on a free port, with scenarios of given lengths."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

SCENARIO = """
scenario: 1
name: {name}
title: {records} records
lesson: engines-and-scale
inputs:
  events: {{watermark: {{generator: bounded-out-of-orderness, bound: 2s}}}}
operator:
  type: window
  assigner: {{type: tumbling, size: 5s}}
  allowed_lateness: 3s
  function: {{call: aggregate, compute: sum}}
stream:
  generate:
    events: {records}
    seed: 7
    keys: 10
    every: 100ms
    disorder: {{max: 4s}}
    late: {{fraction: 0.02, by: 20s}}
    values: [1, 9]
    end: true
walkthrough:
  - at: {{step: 9}}
    ask: What now?
    choices: [this, that, neither]
    answer: 1
"""
"""A scenario with about eight micro-steps per record, ten keys, and a question at step 9."""


@contextmanager
def serving(records: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """Serve generated scenarios, with ``records`` records by name; yield the server's address and process id."""
    with tempfile.TemporaryDirectory() as folder:
        for name, count in records.items():
            Path(folder, f"{name}.yaml").write_text(SCENARIO.format(name=name, records=count), encoding="utf-8")
        with serving_folder(folder) as served:
            yield served


@contextmanager
def serving_folder(
    scenarios: str, said: Path | None = None, streamlit: Sequence[str] = ("streamlit",), **more: str
) -> Iterator[tuple[str, int]]:
    """Serve the scenarios of a folder; yield the server's address and process id.

    ``said``: the file that gets what the server prints; ``streamlit``: the module that is run as Streamlit, and its
    first arguments; ``more``: environment variables.
    """
    with tempfile.TemporaryDirectory() as folder:
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
        command = [sys.executable, "-m", *streamlit, "run", "app.py", "--server.port", str(port)]
        environment = {**os.environ, "TIDEMARK_SCENARIOS": scenarios, **more}
        log = said or Path(folder, "log.txt")
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/_stcore/health", process, log)
            yield address, process.pid
        finally:
            process.terminate()
            process.wait(30)


def _wait(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise SystemExit(f"the app did not start:\n{log.read_text(errors='replace')}")


def resident_mb(process: int) -> float:
    """The resident memory of a process in MB (Linux; 0 elsewhere)."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


def processor_s(process: int) -> float:
    """The processor time (s) that a process and its ended children have used (Linux; 0 elsewhere)."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
