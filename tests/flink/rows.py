"""The queries of the SQL tests in Flink: each emits the rows that stand beside it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from tests.flink.environment import Environment, call

QUERIES = Path(__file__).parents[1] / "sql" / "queries"

_PARTS = re.compile(r"'[^']*+'|`[^`]*+`|--[^\n]*+|[();]|[^'`();-]++|-")
_QUERY = re.compile(r"\b(?:SELECT|WITH)\b", re.IGNORECASE)


def rows(given: Environment, folder: Path) -> tuple[int, list[str]]:
    """How many queries there are, and those of which Flink emits other rows than the tests."""
    folder.mkdir(parents=True)
    texts, expected = [], {}
    for file in sorted(QUERIES.glob("*.toml")):
        query = tomllib.loads(file.read_text(encoding="utf-8"))
        if "METADATA" in query["sql"].upper():  # only some connectors have it
            continue
        for table, records in query["records"].items():
            (folder / f"{file.stem}.{table}.jsonl").write_text(records.strip() + "\n", encoding="utf-8")
        texts.append(_statements(query, file.stem))
        expected[file.stem] = [json.loads(line) for line in query["rows"].strip().split("\n")]
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    runner = str(Path(__file__).with_name("emitting.py"))
    if not call([str(given.python), runner, str(folder)], given, folder / "emitting.log"):
        return 0, ["the queries did not run"]
    different = []
    emitted = json.loads((folder / "emitted.json").read_text(encoding="utf-8"))
    for (name, wanted), found in zip(expected.items(), emitted, strict=True):
        if isinstance(found, str):
            different.append(f"{name}: {' '.join(found.split())}")
        elif sorted(map(json.dumps, found)) != sorted(map(json.dumps, wanted)):
            different.append(f"{name}: Flink emits {found[:3]} …, and the test has {wanted[:3]} …")
    return len(expected), different


def _statements(query: dict[str, Any], name: str) -> list[str]:
    """The statements before the query, with files for tables, and the query."""
    before, queries = [], []
    for each in _split(query["sql"]):
        kind = each.split(None, 1)[0].upper()
        if kind == "CREATE" and re.match(r"CREATE\s+(?:TEMPORARY\s+)?TABLE\b", each, re.IGNORECASE):
            before.append(_of_file(each, name, query["records"]))
        elif kind in ("SET", "CREATE"):
            before.append(each)
        elif found := _QUERY.search(each):  # perhaps behind INSERT INTO
            queries.append(each[found.start() :])
    return [*before, queries[query.get("query", 1) - 1]]


def _split(sql: str) -> list[str]:
    pieces = [""]
    for part in _PARTS.findall(sql):
        if part == ";":
            pieces.append("")
        elif not part.startswith("--"):
            pieces[-1] += part
    return [each.strip() for each in pieces if each.strip()]


def _of_file(statement: str, name: str, records: dict[str, str]) -> str:
    """``CREATE TABLE`` over the file of its records."""
    depth, columns = 0, ""
    for part in _PARTS.findall(statement):
        columns += part
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == ")" and not depth:
            break
    table = re.split(r"[\s(]+", re.split(r"\bTABLE\s+", columns, maxsplit=1, flags=re.IGNORECASE)[1])[0].strip("`")
    if table not in records:
        return f"{columns} WITH ('connector' = 'blackhole')"
    options = {"connector": "filesystem", "path": f"FOLDER/{name}.{table}.jsonl", "format": "json",
               "json.timestamp-format.standard": "SQL"}  # fmt: skip
    return f"{columns} WITH ({', '.join(f'{key!r} = {value!r}' for key, value in options.items())})"
