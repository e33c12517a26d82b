"""Generated programs in real Flink, one virtual machine or process for all of an engine."""

from pathlib import Path

from tests.flink.environment import Environment, call
from tests.programs.comparing import RUNNER, Outcome, compare, compare_all, python_programs, written


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
        compare(scenario, folder / package / "out.jsonl", folder / package / "error.txt", outcome)
    return outcome


def _package(name: str) -> str:
    """A scenario's name as a Java package."""
    return f"scenario_{name.replace('-', '_')}"


def sql(given: Environment, folder: Path) -> Outcome:
    """Run every program of Flink SQL in one process."""
    outcome = Outcome()
    found = python_programs("pyflink-sql", folder, outcome)
    call([str(given.python), str(RUNNER), str(folder)], given, folder / "sql.log")
    compare_all(found, folder, outcome)
    return outcome
