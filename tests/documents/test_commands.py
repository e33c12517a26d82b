"""Every command in the documents runs, or, where it needs more than this process, is one that exists."""

import argparse
import contextlib
import re
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from tidemark.simulator.commands import main as simulator
from tidemark.simulator.inventory.__main__ import main as inventory
from tidemark.simulator.inventory.gain import RUNNABLE, simulated_class
from tidemark.spark_bridge.commands import parser as of_bridge
from tidemark.ui.catalogue import ARGUMENT as SCENARIOS
from tidemark.ui.command import parser as of_package
from tidemark.ui.spark.your_stream.visits import ARGUMENT as DATA

from benchmarks.__main__ import parser as of_benchmarks
from tests.documents.blocks import BLOCKS, COMMANDS, ROOT, Command

WALK: Final = "/tmp/try"
"""The folder of the walk in docs/users/OWN-STREAM.md."""

ONLY_READ: Final = {
    "make": "installs, serves or measures: the target and its variables exist",
    "python -m spark_bridge": "needs Spark: the options are right. tests/own_stream/test_walk.py runs the walk",
    "python -m benchmarks": "measures for minutes: the options are right",
    "python -m tests": "a test of its own: the module exists",
    "python -m ui": "needs Chromium or a server: the module exists",
    "python3 -m http.server": "serves: the module is Python's own",
    "streamlit": "serves: the file and the options exist",
    WALK: "tests/own_stream/test_walk.py runs every command of the walk, and compares what it prints",
    "tidemark": "the same code as `python -m simulator`: the options are right",
    "pip": "installs: the extra exists",
    "uvx": "installs: the command behind it is right",
    "docker": "needs a server: the Dockerfile has the argument and the folder",
    "source": "changes the shell",
    "export": "changes the shell: the version in it is the installed one",
    "mkdir": "makes the reader's own folder",
    "sudo": "installs a package of the system",
}
"""What is not run here, with the reason. Any other command is run, or the test fails."""

PROJECT: Final = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
MAKEFILE: Final = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS: Final = frozenset(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.MULTILINE))
VARIABLES: Final = frozenset(re.findall(r"^([A-Z_]+) \?=", MAKEFILE, re.MULTILINE))
ENVIRONMENT: Final = frozenset(
    name
    for path in (ROOT / "tests").rglob("*.py")
    for name in re.findall(r'environ(?:\.get\(|\[)"([A-Z_]+)"', path.read_text(encoding="utf-8"))
)
"""What the tests read of the environment."""

EXAMPLE: Final = next(block.text for block in BLOCKS if block.document == "README.md" and block.language == "yaml")
QUERY: Final = next(block.text for block in BLOCKS if block.document == "docs/users/SQL.md" and block.language == "sql")
NAME: Final = "twice-then-dropped.yaml"
PLACEHOLDERS: Final = {"FILE": NAME, "FILE.sql": "query.sql", "scenarios/NAME.yaml": NAME}


def kind(command: Command) -> str | None:
    """The entry of ``ONLY_READ`` that a command belongs to: the longest one; None for one that is run."""
    text = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command.text)
    if f" {WALK}/" in text and text.startswith("python "):
        return WALK
    found = [name for name in ONLY_READ if re.match(rf"{re.escape(name)}(?:[ .]|$)", text)]
    return max(found, key=len, default=None)


def complaint(command: Command) -> str | None:
    """What is wrong with a command that is only read."""
    words = command.words
    while re.fullmatch(r"[A-Z_]+=.*", words[0]):
        name = words.pop(0).partition("=")[0]
        if name not in ENVIRONMENT:
            return f"nothing reads {name}"
    match kind(command), words:
        case "make", [_, *rest]:
            asked = [word for word in rest if "=" not in word]
            given = {word.partition("=")[0] for word in rest if "=" in word}
            wrong = [*sorted(set(asked) - TARGETS), *sorted(given - VARIABLES - {"PYTHON", "FLINK_PYTHON"})]
            return f"the Makefile has no {', '.join(wrong)}" if wrong else None
        case _, [_, _, "spark_bridge", *rest]:
            return refusal(of_bridge(), rest if rest[1:] else [*rest, "--help"])
        case "python -m benchmarks", [_, _, _, *rest]:
            return refusal(of_benchmarks(), rest)
        case name, _ if name == WALK:
            return None
        case ("python -m tests" | "python -m ui" | "python3 -m http.server", _):
            return None if find_spec(words[2]) else f"there is no module {words[2]}"
        case "streamlit", [_, _, file, *rest]:
            options = set(rest[1::2]) if rest[:1] == ["--"] else set(rest)
            return None if (ROOT / file).is_file() and options <= {SCENARIOS, DATA} else "no such file or option"
        case "tidemark", [_, *rest]:
            return refusal(of_package()[0], rest if rest[1:] else [*rest, "--help"])
        case "pip", [_, "install", *what]:
            extra = "".join(what).removeprefix(".").strip("[]")
            return None if not extra or f"\n{extra} = [" in PROJECT else f"there is no extra {extra}"
        case "uvx", ["uvx", "--from", ".", "tidemark", *rest]:
            return refusal(of_package()[0], rest)
        case "docker", [_, "build" | "run", *rest]:
            return None if rest[-1] in (".", "tidemark") and (ROOT / "Dockerfile").is_file() else "another image"
        case "source", [_, file]:
            return None if file == ".venv/bin/activate" else "another environment than the Makefile's"
        case "export", [_, setting]:
            of_spark = set(re.findall(r"\d+\.\d+\.\d+", setting))
            return None if of_spark <= {version("pyspark")} else f"Spark is {version('pyspark')} here"
        case "sudo", [_, "apt", "install", *_]:
            return None
        case "mkdir", [_, "-p", _]:
            return None
    return "not understood"


def refusal(parser: argparse.ArgumentParser, arguments: list[str]) -> str | None:
    """What a command's own parser says about arguments."""
    try:
        parser.parse_args(arguments)
    except SystemExit as end:
        return f"exit code {end.code}" if end.code else None
    return None


def test_every_command_that_is_not_run_here_exists() -> None:
    found = {f"{each.place}: {each.text}": complaint(each) for each in COMMANDS if kind(each)}
    assert len(found) > 70
    assert {command: says for command, says in found.items() if says} == {}


def test_each_reason_not_to_run_a_command_is_needed() -> None:
    assert {kind(command) for command in COMMANDS} - {None} == set(ONLY_READ)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a reader who follows the documents."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "scenarios").symlink_to(ROOT / "scenarios")
    (folder / NAME).write_text(EXAMPLE, encoding="utf-8")
    (folder / "query.sql").write_text(QUERY, encoding="utf-8")
    (folder / "orders.csv").write_text(
        "shop,amount,ordered\nnorth,5,2026-03-01 08:00:01\nsouth,7,2026-03-01 08:00:09\n"
    )
    (folder / "cut-dropped.yaml").write_text(
        EXAMPLE.replace(NAME.removesuffix(".yaml"), "cut-dropped"), encoding="utf-8"
    )
    (folder / "answers").mkdir()
    for name, text in simulated_class(RUNNABLE[:2]):
        (folder / "answers" / name).write_text(text, encoding="utf-8")
    return folder


RUN: Final = [each for each in COMMANDS if not kind(each)]


def test_the_commands_of_the_simulator_do_what_the_documents_say(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(RUN) > 15
    with contextlib.chdir(folder):
        for command in RUN:
            assert run(command, capsys) == 0, f"{command.place}: {command.text}"


def run(command: Command, capsys: pytest.CaptureFixture[str]) -> int:
    """The exit code. What is printed goes to the file behind ``>``, if there is one."""
    file = command.text.partition(" > ")[2]
    program, _, module, *rest = command.words
    assert program == "python", command
    arguments = [PLACEHOLDERS.get(word, word) for word in rest]
    if module == "simulator.inventory":
        code = inventory([str(path) for path in Path().glob("answers/*.json")] if arguments else [])
    else:
        assert module == "simulator", command
        code = simulator(arguments if arguments[1:] else [*arguments, NAME])
    printed = capsys.readouterr()
    assert printed.out or "--out" in arguments, command
    if file:
        Path(file.strip()).write_text(printed.out, encoding="utf-8")
    return code


# --- planted faults ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("make brew", "brew"),
        ("make run PROT=8600", "PROT"),
        ("SLOW_PAEG=1 make test", "SLOW_PAEG"),
        ("python -m spark_bridge check FILE --enigne batch", "exit code 2"),
        ("python -m benchmarks teapot", "exit code 2"),
        ("python -m tests.teapot", "no module"),
        ("streamlit run app.py -- --scenario ~/course", "no such"),
        ('export PYSPARK_SUBMIT_ARGS="--packages a:b:3.0.1"', "Spark is"),
    ],
)
def test_a_wrong_command_is_found(text: str, says: str) -> None:
    assert says in str(complaint(Command("", text)))
