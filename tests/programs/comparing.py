"""Generated programs in a real engine: every one of the library and of the golden scenarios, rows compared."""

import json
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tidemark.simulator.programs import NotExpressible, program
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql import SqlProblem, from_sql

from tests.programs.orders import Rows, canonical, is_open, rows_of

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "scenarios", ROOT / "tests" / "golden", ROOT / "tests" / "golden_spark")
QUERIES = ROOT / "tests" / "sql" / "queries"

RUNNER = Path(__file__).with_name("running.py")
"""Runs the Python programs of a folder; of an engine's environment it needs nothing but its interpreter."""


@dataclass
class Outcome:
    """What came of one engine's programs. ``open``: those whose rows depend on the order of channels."""

    equal: int = 0
    open: int = 0
    different: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def tell(self, engine: str) -> int:
        """Print it; how many programs differ."""
        print(f"{engine}: {self.equal} programs with equal rows, {len(self.different)} with others", end="")
        print(f", {self.open} whose rows depend on the order of channels" if self.open else "")
        for each in self.different:
            print(f"  {each}")
        for reason, number in self.reasons.most_common():
            print(f"  {number} cannot be written: {reason}")
        sys.stdout.flush()
        return len(self.different)


def scenarios() -> Iterator[Scenario]:
    """The library, the golden scenarios and the queries of the SQL tests, each under a name of its own."""
    for folder in FOLDERS:
        yield from (load(path) for path in sorted(folder.glob("**/*.yaml")))
    for path in sorted(QUERIES.glob("*.toml")):
        with suppress(SqlProblem):  # only rows: no scenario says it
            yield first_stage(path.stem)


def first_stage(name: str) -> Scenario:
    """The first operator of a query of the SQL tests, over the records of the test."""
    query = tomllib.loads((QUERIES / f"{name}.toml").read_text(encoding="utf-8"))
    files = {table: text.encode() for table, text in query["records"].items()} or None
    return parse(from_sql(query["sql"], name, files, query.get("query"), 1))


def written(to: str, outcome: Outcome) -> dict[str, tuple[Scenario, str]]:
    """The programs for the engine ``to``, by name."""
    found: dict[str, tuple[Scenario, str]] = {}
    for scenario in scenarios():
        if scenario.engine == "spark" and to != "pyspark":
            continue
        try:
            name = scenario.name if scenario.engine == "flink" else f"{scenario.name}-by-spark"
            found[name] = scenario, program(scenario, to)
        except NotExpressible as reason:
            outcome.reasons[re.sub(r"`[^`]*`", "`…`", str(reason))] += 1
    return found


def python_programs(to: str, folder: Path, outcome: Outcome) -> dict[str, Scenario]:
    """Write the Python programs for the engine ``to`` into ``folder``; their scenarios by the name of the file."""
    folder.mkdir(parents=True)
    found = written(to, outcome)
    for name, (_, text) in found.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return {name: scenario for name, (scenario, _) in found.items()}


def compare_all(found: dict[str, Scenario], folder: Path, outcome: Outcome) -> None:
    """Compare what ``running.py`` has left in ``folder`` with the rows of each scenario."""
    for name, scenario in found.items():
        compare(scenario, folder / f"{name}.jsonl", folder / f"{name}.txt", outcome)


def compare(scenario: Scenario, out: Path, error: Path, outcome: Outcome) -> None:
    """Compare what a program has printed to ``out`` with the rows of ``scenario``; ``error`` says what stopped it."""
    if error.exists() or not out.exists():
        said = error.read_text(encoding="utf-8", errors="replace") if error.exists() else "it did not run"
        outcome.different.append(f"{scenario.name}: {' '.join(said.split())}")
        return
    lines = out.read_text(encoding="utf-8").splitlines()
    got: Rows = Counter(canonical(json.loads(line)) for line in lines)
    wanted = rows_of(scenario)
    if got == wanted:
        outcome.equal += 1
    elif scenario.engine == "flink" and is_open(scenario):
        outcome.open += 1
    else:
        missing, more = list((wanted - got).elements())[:2], list((got - wanted).elements())[:2]
        outcome.different.append(f"{scenario.name}: missing {missing}, unexpected {more}")
