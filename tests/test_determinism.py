"""The same file yields the same rows and the same steps in every process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

PRINT_ALL = """
import json, sys
from tidemark.simulator import run_traced
from tidemark.simulator.scenario import load
from tidemark.simulator.engine.trace.trace import step_as_json

for file in sys.argv[1:]:
    rows, trace = run_traced(load(file))
    print(json.dumps([file, rows, [step_as_json(step) for step in trace]]))
"""


def output_of(hash_seed: int, files: list[str]) -> list[str]:
    """Rows and steps of each file, printed by a process with the given seed for the hashes of strings."""
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, "-c", PRINT_ALL, *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_nothing_depends_on_the_order_of_pythons_hashes() -> None:
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "scenarios").glob("*.yaml"))
    assert files
    first, second = output_of(1, files), output_of(2, files)
    assert len(first) == len(files)
    assert first == second
