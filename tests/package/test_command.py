"""The command ``tidemark``: forms of rows and problems, and what a CI does with it."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from tidemark.simulator.engine.values.errors import Problem
from tidemark.simulator.forms import problems_as

from tidemark import __main__ as command

ROOT = Path(__file__).parents[2]
LATE = str(ROOT / "scenarios" / "late-and-dropped.yaml")
Capture = pytest.CaptureFixture[str]

QUERY = """CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND);
SELECT k, {what} FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
GROUP BY k, window_start, window_end;
"""


def printed(capsys: Capture, *arguments: str) -> str:
    """What the command prints, which must end well."""
    assert command.main(arguments) == 0
    return capsys.readouterr().out


def test_a_pipe_receives_the_rows_of_the_simulator_and_a_table_has_the_same(capsys: Capture) -> None:
    lines = printed(capsys, "run", LATE)
    assert lines == printed(capsys, "run", LATE, "--format", "jsonl")
    rows = [json.loads(line) for line in lines.splitlines()]
    table = printed(capsys, "run", LATE, "--format", "table").splitlines()
    assert table[0].split()[:3] == ["row", "ts", "at"]
    assert [line.split()[0] for line in table[2:]] == [row["row"] for row in rows]
    cells = list(csv.DictReader(io.StringIO(printed(capsys, "run", LATE, "--format", "csv"))))
    assert [cell["value"] for cell in cells] == [str(row.get("value", "")) for row in rows]


def test_a_narrow_terminal_loses_columns_and_no_cell(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    table = printed(capsys, "run", LATE)
    assert "item" not in table.splitlines()[0]
    assert "…" not in table
    assert "dropped" in table


def test_a_table_obeys_no_control_character(capsys: Capture, tmp_path: Path) -> None:
    text = Path(LATE).read_text(encoding="utf-8").replace("key: a,", 'key: "\\x1b[31m",')
    (tmp_path / "late-and-dropped.yaml").write_text(text, encoding="utf-8")
    assert "\x1b" not in printed(capsys, "run", str(tmp_path / "late-and-dropped.yaml"), "--format", "table")


def test_check_reads_queries_and_reports_the_place(capsys: Capture, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.sql", tmp_path / "bad.sql"
    good.write_text(QUERY.format(what="SUM(v)"), encoding="utf-8")
    bad.write_text(QUERY.format(what="SUM(w)"), encoding="utf-8")
    assert command.main(["check", str(good), str(bad)]) == 2
    out = capsys.readouterr()
    assert out.out == f"{good}: sound\n"
    assert out.err.startswith(f"{bad}:2:")


def test_problems_as_sarif_and_as_annotations() -> None:
    problems = [Problem("a b.yaml", 3, 7, "100% wrong:\nhere"), Problem("c,d.sql", None, None, "unreadable", True)]
    log = json.loads(problems_as("sarif", problems))
    (run,) = log["runs"]
    first, second = run["results"]
    assert (first["level"], second["level"]) == ("error", "warning")
    place = first["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a%20b.yaml"}, "region": {"startLine": 3, "startColumn": 7}}
    assert {each["id"] for each in run["tool"]["driver"]["rules"]} == {first["ruleId"], second["ruleId"]}
    assert problems_as("github", problems) == (
        "::error file=a b.yaml,line=3,col=7::100%25 wrong:%0Ahere\n::warning file=c%2Cd.sql::unreadable\n"
    )


def test_the_action_checks_what_a_change_touches(tmp_path: Path) -> None:
    """The last step of action.yml in a repository: a broken scenario and a broken query were added."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "tidemark").write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m tidemark "$@"\n')
    (tools / "tidemark").chmod(0o755)
    project = tmp_path / "project"
    project.mkdir()

    def git(*arguments: str) -> str:
        settings = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
        done = subprocess.run(["git", *settings, *arguments], cwd=project, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    (project / "old.yaml").write_text("scenario: 1\nname: old\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-qm", "before")
    base = git("rev-parse", "HEAD")
    (project / "late-and-dropped.yaml").write_text(
        Path(LATE).read_text(encoding="utf-8").replace("tumbling", "tumblin")
    )
    (project / "molecule.yml").write_text("scenario:\n  name: default\n")
    (project / "dump.sql").write_bytes("CREATE TABLE café;".encode("utf-16"))
    (project / "query.sql").write_text(QUERY.format(what="SUM(w)"))
    git("add", ".")
    git("commit", "-qm", "after")

    action = YAML(typ="safe").load(ROOT / "action.yml")
    step = action["runs"]["steps"][-1]
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "RUNNER_TEMP": str(tmp_path),
        "FILES": action["inputs"]["files"]["default"],
        "ALL": "false",
        "BASE": base,
    }
    line = ["bash", "-c", step["run"]]
    done = subprocess.run(line, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert [line.partition(",")[0] for line in done.stdout.splitlines()] == [
        "::error file=late-and-dropped.yaml", "::error file=query.sql"
    ]  # fmt: skip
    report = (tmp_path / "output").read_text(encoding="utf-8").strip().removeprefix("sarif=")
    assert len(json.loads(Path(report).read_text(encoding="utf-8"))["runs"][0]["results"]) == 2


def test_a_name_of_the_library_stands_for_its_file(capsys: Capture, tmp_path: Path) -> None:
    assert printed(capsys, "run", "late-and-dropped") == printed(capsys, "run", LATE)
    assert command.main(["check", "late-and-droped"]) == 2
    assert "did you mean `late-and-dropped`?" in capsys.readouterr().err
    assert command.main(["check", str(tmp_path / "late-and-dropped")]) == 2, "a path is no name"


def test_rows_that_replace_a_file_are_said_to(capsys: Capture, tmp_path: Path) -> None:
    for said in ("", f"{tmp_path / 'late-and-dropped.jsonl'}: replaced\n"):
        assert command.main(["run", LATE, "--out", str(tmp_path)]) == 0
        assert capsys.readouterr().err == said


def test_the_records_of_a_query_may_stand_before_it(capsys: Capture, tmp_path: Path) -> None:
    query, records = str(tmp_path / "query.sql"), str(tmp_path / "t.csv")
    Path(query).write_text(QUERY.format(what="SUM(v) AS v"), encoding="utf-8")
    Path(records).write_text("k,v,ts\na,1,2026-01-01 00:00:00\n", encoding="utf-8")
    assert printed(capsys, "sql", "--records", records, query) == printed(capsys, "sql", query, "--records", records)


@pytest.mark.parametrize("name", ["d.yaml/", "", "a.yml", "Big.yaml"])
def test_a_file_that_cannot_be_a_scenario_is_not_made(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command.main(["new", name]) == 2
    assert name in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_completion_knows_the_commands(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        command.main(["--print-completion", "bash"])
    script = capsys.readouterr().out
    for name in ("run", "check", "verify", "profile", "app", "new"):
        assert f"_shtab_tidemark_{name}_" in script
    ask = "COMP_WORDS=(tidemark run late-and-d); COMP_CWORD=2; _shtab_tidemark; echo ${COMPREPLY[@]}"
    done = subprocess.run(["bash", "-c", f"{script}\n{ask}"], capture_output=True, text=True, check=True)
    assert done.stdout == "late-and-dropped\n"


def test_versions_are_one() -> None:
    import tidemark

    citation = YAML(typ="safe").load(ROOT / "CITATION.cff")
    assert citation["version"] == tidemark.__version__
    assert f"## {tidemark.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
