"""Runs Python programs one after another in one process, so that the engine starts once: ``running.py FOLDER``.

What FOLDER/NAME.py prints goes to NAME.jsonl, what stops it to NAME.txt. Needs nothing of the project.
"""

import contextlib
import io
import sys
from pathlib import Path


def run(folder):
    """Run each program of the folder as a script of its own."""
    for path in sorted(folder.glob("*.py")):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), {"__name__": "__main__"})
        except Exception as problem:
            text = str(problem)
            path.with_suffix(".txt").write_text(text[max(text.rfind("Caused by:"), 0) :][:500], encoding="utf-8")
        path.with_suffix(".jsonl").write_text(out.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    run(Path(sys.argv[1]))
