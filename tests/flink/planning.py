"""Plans queries in the environment of Flink, without the project: ``planning.py FOLDER``.

The statements of FOLDER/queries.json; their plans, or what the planner says against them, to plans.json.
"""

import json
import sys
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment


def plan(folder):
    """Plan each query: all its statements but the last are executed, the last is explained."""
    asked = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    plans = []
    for statements in asked["queries"]:
        flink = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        flink.get_config().set("table.optimizer.agg-phase-strategy", "ONE_PHASE")
        try:
            for each in (*asked["tables"], *statements[:-1]):
                if each.startswith("SET "):
                    key, _, value = (part.strip(" '") for part in each.removeprefix("SET ").partition("="))
                    flink.get_config().set(key, value)
                else:
                    flink.execute_sql(each)
            plans.append({"plan": flink.explain_sql(statements[-1])})
        except Exception as problem:
            plans.append({"error": _cause(problem)})
    (folder / "plans.json").write_text(json.dumps(plans), encoding="utf-8")


def _cause(problem):
    text = str(problem)
    return text[max(text.rfind("Caused by:"), 0) :][:500]


if __name__ == "__main__":
    plan(Path(sys.argv[1]))
