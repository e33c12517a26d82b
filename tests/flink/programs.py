"""Generated programs in real Flink: every one of the library and of the golden scenarios, rows compared."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from simulator.programs import NotExpressible, program
from simulator.scenario import load
from simulator.scenario.model import Scenario
from tests.flink.environment import Environment, call
from tests.flink.orders import Rows, canonical, is_open, rows_of

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "scenarios", ROOT / "tests" / "golden")


@dataclass
class Outcome:
    """What came of one engine's programs. ``open``: those whose rows depend on the order of channels."""

    equal: int = 0
    open: int = 0
    different: list[str] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)


def scenarios() -> Iterator[Scenario]:
    """The library and the golden scenarios."""
    for folder in FOLDERS:
        yield from (load(path) for path in sorted(folder.glob("*.yaml")))


def written(to: str, outcome: Outcome) -> dict[str, tuple[Scenario, str]]:
    """The programs for the engine ``to``, by name."""
    found: dict[str, tuple[Scenario, str]] = {}
    for scenario in scenarios():
        try:
            found[scenario.name] = scenario, program(scenario, to)
        except NotExpressible as reason:
            outcome.reasons[re.sub(r"`[^`]*`", "`…`", str(reason))] += 1
    return found


def java(given: Environment, folder: Path) -> Outcome:
    """Compile every program for the DataStream API and run them in one virtual machine."""
    outcome = Outcome()
    found = {_package(name): each for name, each in written("flink-java", outcome).items()}
    for package, (_, text) in found.items():
        (folder / package).mkdir(parents=True)
        (folder / package / "Main.java").write_text(f"package {package};\n\n{text}", encoding="ascii")
    sources = [str(folder / package / "Main.java") for package in found]
    classes = str(folder / "classes")
    compiling = [given.tool("javac"), "-nowarn", "-cp", given.classpath, "-d", classes]
    if not call([*compiling, str(Path(__file__).with_name("Runner.java")), *sources], given, folder / "javac.log"):
        outcome.different.append("the programs do not compile")
        return outcome
    where = f"{given.classpath}:{classes}"
    call([given.tool("java"), "-cp", where, "Runner", str(folder), *found], given, folder / "java.log")
    for package, (scenario, _) in found.items():
        _compare(scenario, folder / package / "out.jsonl", folder / package / "error.txt", outcome)
    return outcome


def _package(name: str) -> str:
    """A scenario's name as a Java package."""
    return f"scenario_{name.replace('-', '_')}"


def sql(given: Environment, folder: Path) -> Outcome:
    """Run every program of Flink SQL in one process."""
    outcome = Outcome()
    folder.mkdir(parents=True)
    found = written("pyflink-sql", outcome)
    for name, (_, text) in found.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    runner = str(Path(__file__).with_name("in_flink.py"))
    call([str(given.python), runner, "programs", str(folder)], given, folder / "sql.log")
    for name, (scenario, _) in found.items():
        _compare(scenario, folder / f"{name}.jsonl", folder / f"{name}.txt", outcome)
    return outcome


def _compare(scenario: Scenario, out: Path, error: Path, outcome: Outcome) -> None:
    if error.exists() or not out.exists():
        said = error.read_text(encoding="utf-8", errors="replace") if error.exists() else "it did not run"
        outcome.different.append(f"{scenario.name}: {' '.join(said.split())}")
        return
    lines = out.read_text(encoding="utf-8").splitlines()
    got: Rows = Counter(canonical(json.loads(line)) for line in lines)
    wanted = rows_of(scenario)
    if got == wanted:
        outcome.equal += 1
    elif is_open(scenario):
        outcome.open += 1
    else:
        missing, more = list((wanted - got).elements())[:2], list((got - wanted).elements())[:2]
        outcome.different.append(f"{scenario.name}: missing {missing}, unexpected {more}")
