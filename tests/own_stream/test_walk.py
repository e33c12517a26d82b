"""The walk of OWN-STREAM.md, command by command: it prints what the document shows; … stands for anything."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from tidemark.spark_bridge.commands import main, parser
from tidemark.spark_bridge.examples import main as make_examples
from tidemark.spark_bridge.examples import stored_profile
from tidemark.spark_bridge.files.request import files_of
from tidemark.spark_bridge.profile.profile import as_text
from tidemark.spark_bridge.stream_page import first_rows

from tests.test_project import make, needs_make

ROOT = Path(__file__).parents[2]
CLICKS = "web-clicks"
PLACE = "/tmp/try"
"""What the document calls the reader's folder; the test puts its own there."""
WALK = (ROOT / "docs/users/OWN-STREAM.md").read_text(encoding="utf-8").split("\n## A walk from file to cure\n")[1]


def steps(text: str) -> list[tuple[str, str, str]]:
    """``("save", NAME, scenario)`` for each scenario and ``("run", command, output)`` for each command, in order."""
    found = []
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "yaml":
            named = re.search(r"^name: (.+)$", block, re.MULTILINE)
            assert named
            found.append(("save", named[1], block))
        else:
            joined = block.replace("\\\n", " ")
            found += [("run", *each) for each in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", joined, re.MULTILINE)]
    return found


def printed(command: str, folder: Path) -> str:
    """What ``command`` prints on stdout. Spark's commands run here, where a session is open; others in a shell."""
    if command.startswith("make examples "):
        assert command == f"make examples OUT={folder}"
        command = f"python -m spark_bridge.examples {folder}"
    if not command.startswith("python -m spark_bridge "):
        there = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        return subprocess.run(
            command, shell=True, cwd=ROOT, env=os.environ | there, stdout=subprocess.PIPE, text=True, check=True
        ).stdout
    command, _, file = command.partition(" > ")
    if "profile " in command and f"{CLICKS}.jsonl" in command:
        return of_clicks(command)
    out = StringIO()
    with redirect_stdout(out):
        assert main(shlex.split(command)[3:]) == 0
    if not file:
        return out.getvalue()
    Path(file).write_text(out.getvalue(), encoding="utf-8")
    return ""


def of_clicks(command: str) -> str:
    """The stored profile of these columns: ``test_examples`` shows that Spark computes it."""
    files = files_of(parser().parse_args(shlex.split(command)[3:]))
    assert files.columns.named == first_rows(files.paths).columns.named
    return as_text(stored_profile(CLICKS))


@pytest.mark.spark
def test_the_walk_prints_what_the_document_says(spark: Any, tmp_path: Path) -> None:
    walk = steps(WALK.replace(PLACE, str(tmp_path)))
    assert len(walk) >= 9
    for kind, name, text in walk:
        if kind == "save":
            (tmp_path / f"{name}.yaml").write_text(text, encoding="utf-8")
        else:
            shown, out = text.rstrip(), printed(name, tmp_path).rstrip()
            assert re.fullmatch(re.escape(shown).replace("…\\\n", r"(?s:.*?)"), out), f"{name}\n{out}"


@needs_make
def test_examples_go_where_the_reader_wants_them() -> None:
    assert '-m spark_bridge.examples "/data/try"' in make("-n", "examples", "OUT=/data/try").stdout
    assert '-m spark_bridge.examples "build/examples"' in make("-n", "examples").stdout
    assert '-m ui.site "build/site"' in make("-n", "site").stdout


def test_examples_are_refused_where_they_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert make_examples([str(tmp_path / "file")]) == 2
    assert make_examples([]) == make_examples(["--elsewhere"]) == 2
    assert not Path("--elsewhere").exists()
    assert capsys.readouterr().err.splitlines() == [
        f"{tmp_path / 'file'}: File exists",
        "python -m spark_bridge.examples DIR",
        "python -m spark_bridge.examples DIR",
    ]
    assert make_examples(["--help"]) == 0
