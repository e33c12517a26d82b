"""Runs in the environment of Flink, without the project: ``in_flink.py programs|plans FOLDER``.

``programs``: every FOLDER/NAME.py, in one process; what it prints goes to NAME.jsonl, what stops it to NAME.txt.
``plans``: the statements of FOLDER/queries.json; their plans, or what the planner says against them, to plans.json.
"""

import contextlib
import io
import json
import sys
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment


def run_programs(folder):
    """Run each program as a script of its own."""
    for path in sorted(folder.glob("*.py")):
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), {"__name__": "__main__"})
        except Exception as problem:
            path.with_suffix(".txt").write_text(_cause(problem), encoding="utf-8")
        path.with_suffix(".jsonl").write_text(out.getvalue(), encoding="utf-8")


def plan(folder):
    """Plan each query: all its statements but the last are executed, the last is explained."""
    asked = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    plans = []
    for statements in asked["queries"]:
        flink = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        flink.get_config().set("table.optimizer.agg-phase-strategy", "ONE_PHASE")
        try:
            for each in (*asked["tables"], *statements[:-1]):
                flink.execute_sql(each)
            plans.append({"plan": flink.explain_sql(statements[-1])})
        except Exception as problem:
            plans.append({"error": _cause(problem)})
    (folder / "plans.json").write_text(json.dumps(plans), encoding="utf-8")


def _cause(problem):
    text = str(problem)
    return text[max(text.rfind("Caused by:"), 0) :][:500]


if __name__ == "__main__":
    {"programs": run_programs, "plans": plan}[sys.argv[1]](Path(sys.argv[2]))
