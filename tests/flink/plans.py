"""The SQL tests and Flink's planner: what is read has the plan beside it; what Flink refuses, it refuses."""

import json
import tomllib
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from tidemark.simulator.sql.plan_nodes import plan_node

from tests.flink.environment import Environment, call

SQL = Path(__file__).parents[1] / "sql"

REFUSED_BY_FLINK = {"refused", "digits", "unit", "no_table", "reserved_word", "never_closed", "ends_early", "frame_end",
                    "session_fires", "group_position", "group_alias", "enforced", "other_window", "row_column",
                    "rowtime_precision", "rowtime_type"}  # fmt: skip
"""Reasons that say of a statement that Flink does not take it."""


def _queries(file: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((SQL / file).read_text(encoding="utf-8"))["query"])


def _statements(sql: str) -> list[str]:
    return [each.strip() for each in sql.split(";") if each.strip()]


def _node(query: dict[str, Any]) -> str:
    return plan_node(YAML(typ="safe").load(query["operator"]))[0] + "("


def plans(given: Environment, folder: Path) -> tuple[int, list[str]]:
    """How many statements there are, and what the planner says otherwise than the tests."""
    folder.mkdir(parents=True)
    read = _queries("read.toml")
    refused = [each for each in _queries("refused.toml") if each["why"] in REFUSED_BY_FLINK]
    asked = {
        "tables": _statements((SQL / "tables.sql").read_text(encoding="utf-8")),
        "queries": [_statements(each["sql"]) for each in (*read, *refused)],
    }
    (folder / "queries.json").write_text(json.dumps(asked), encoding="utf-8")
    runner = str(Path(__file__).with_name("planning.py"))
    if not call([str(given.python), runner, str(folder)], given, folder / "plans.log"):
        return 0, ["the planner did not run"]
    answers = json.loads((folder / "plans.json").read_text(encoding="utf-8"))
    different = []
    for query, answer in zip((*read, *refused), answers, strict=True):
        if "plan" not in query and "plan" in answer:
            different.append(f"{query['sql']}: refused as `{query['why']}`, but Flink plans it")
        elif "plan" in query and not all(each in answer.get("plan", "") for each in (query["plan"], _node(query))):
            said = answer.get("error") or answer["plan"].rpartition("== Optimized Execution Plan ==")[2]
            different.append(f"{query['sql']}: no {query['plan']} in {' '.join(said.split())}")
    return len(answers), different
