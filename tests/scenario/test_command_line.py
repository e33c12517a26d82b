"""``python -m simulator``: what it prints, where it prints it, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.versions import VERSIONS

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
SOUND = GOLDEN / "session-late.yaml"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    file = tmp_path / "broken.yaml"
    file.write_text("scenario: 1\nname: broken\noperator: {type: windw}\nstream: []\n")
    return file


def rows(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_run_prints_one_row_per_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(SOUND)]) == 0
    printed = capsys.readouterr()
    assert rows(printed.out) == rows(SOUND.with_suffix(".jsonl").read_text())
    assert printed.err == ""


def test_run_keeps_only_the_rows_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(SOUND), "--rows", "pane,late"]) == 0
    assert {row["row"] for row in rows(capsys.readouterr().out)} == {"pane", "late"}


@pytest.mark.parametrize("command", ["run", "trace", "check"])
def test_a_refused_file_prints_nothing_but_the_reason(
    command: str, broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, str(broken)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == f"{broken}:3:18: `windw` is not known here; did you mean `window`?\n"


@pytest.mark.parametrize("command", ["run", "trace", "check"])
def test_a_missing_file_has_no_line(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "none.yaml"]) == 2
    assert capsys.readouterr().err == "none.yaml: there is no such file\n"


@pytest.mark.parametrize("command", ["run", "trace", "check"])
def test_a_goal_that_is_not_met_is_refused_by_every_command(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "goal.yaml"
    operator = "operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: reduce, compute: sum}}"
    goals = "goals: [{rows: pane, count: 3}]"
    file.write_text(f"scenario: 1\nname: goal\n{operator}\nstream: [{{ts: 1, key: a, value: 1}}]\n{goals}\n")
    assert main([command, str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "goal.yaml:5:9: the goal is not met" in printed.err


def test_many_files_go_into_a_directory_and_a_bad_one_does_not_stop_the_others(
    broken: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [GOLDEN / "tumbling-size-1.yaml", broken, SOUND]
    out = tmp_path / "deep" / "out"
    assert main(["run", *map(str, files), "--out", str(out)]) == 2
    assert sorted(file.name for file in out.iterdir()) == ["session-late.jsonl", "tumbling-size-1.jsonl"]
    assert rows((out / "session-late.jsonl").read_text()) == rows(SOUND.with_suffix(".jsonl").read_text())
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "broken.yaml:3:18" in printed.err


def test_a_result_is_written_completely_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "session-late.jsonl").write_text("before\n")

    def fails_half_way(scenario: object, sink: Any) -> None:
        sink({"row": "pane"})
        raise RuntimeError("half way")

    monkeypatch.setattr("tidemark.simulator.commands.run", fails_half_way)
    with pytest.raises(RuntimeError, match="half way"):
        main(["run", str(SOUND), "--out", str(tmp_path)])
    assert [file.name for file in tmp_path.iterdir()] == ["session-late.jsonl"]
    assert (tmp_path / "session-late.jsonl").read_text() == "before\n"


def test_a_directory_that_cannot_be_written_to_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["run", str(SOUND), "--out", str(tmp_path / "file")]) == 2
    assert "session-late.jsonl: cannot be written: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", str(SOUND), str(SOUND)], "several files need --out DIR"),
        (["run", str(SOUND), "--rows", "panes"], "there are no rows `panes`; there are `pane`"),
        (["trace", str(SOUND), str(SOUND)], "unrecognized arguments"),
        ([], "required"),
    ],
)
def test_a_wrong_command_says_what_is_right(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", ["run", "trace"])
def test_an_infinite_sum_is_still_valid_json(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "far.yaml"
    file.write_text(
        "{scenario: 1, name: far, operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call:"
        " aggregate, compute: sum}}, stream: [{ts: 1, key: a, value: 1.0e308}, {ts: 1, key: a, value: 1.0e308},"
        " {end: true}]}",
        encoding="utf-8",
    )
    assert main([command, str(file)]) == 0

    def no_number(constant: str) -> None:
        raise AssertionError(constant)

    lines = [json.loads(line, parse_constant=no_number) for line in capsys.readouterr().out.splitlines()]
    assert "Infinity" in [line.get("value") for line in lines]


def test_trace_prints_numbered_steps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(SOUND)]) == 0
    steps = rows(capsys.readouterr().out)
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert steps[0]["event"] == "RecordArrived"
    assert set(steps[0]) >= {"step", "event", "item", "at", "watermark", "key", "ts", "value"}
    assert steps[0]["watermark"] is None


def test_check_names_sound_files_and_continues_after_a_broken_one(
    broken: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(broken), str(SOUND)]) == 2
    assert capsys.readouterr().out == f"{SOUND}: sound\n"
    assert main(["check", str(SOUND)]) == 0


def test_a_file_without_a_query_and_records_without_a_name_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    empty, tables = tmp_path / "empty.sql", tmp_path / "tables.sql"
    empty.write_text("-- nothing yet\n", encoding="utf-8")
    tables.write_text("CREATE TABLE t (v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n", encoding="utf-8")
    for file in (empty, tables):
        assert main(["check", str(file)]) == 2
        assert f"{file}:1:1: there is no query" in capsys.readouterr().err
        assert main(["check", "--skip-others", str(file)]) == 0
    for records in ("t=", "=t.csv"):
        assert main(["sql", str(tables), "--records", records]) == 2
        assert f"--records takes FILE or TABLE=FILE, and a name is missing in {records}" in capsys.readouterr().err


def test_check_warns_without_refusing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "warned.yaml"
    file.write_text(
        "scenario: 1\nname: warned\noperator:\n  type: window\n  api: sql\n  assigner: {type: session, gap: 1s}\n"
        "  allowed_lateness: 1s\n  function: {call: aggregate, compute: sum}\nstream: []\n"
    )
    assert main(["check", str(file)]) == 0
    assert f"{file}:7:21: warning: Flink's SQL planner allows no lateness" in capsys.readouterr().err


def test_a_reader_that_stops_early_gets_no_error(tmp_path: Path) -> None:
    file = tmp_path / "endless.yaml"
    file.write_text(
        "scenario: 1\nname: endless\ninputs: {e: {watermark: {generator: monotonous}}}\noperator:\n  type: window\n"
        "  assigner: {type: tumbling, size: 1s}\n  function: {call: aggregate, compute: sum}\n"
        "stream: {generate: {events: 1000000000, seed: 1, keys: 3, every: 100ms}}\n"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "simulator", "run", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["row"] == "watermark"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(30) == 0


def sh(command: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run ``command`` in a shell, where ``$0`` is Python and the arguments are ``$1`` and following."""
    called = ["bash", "-c", command, sys.executable, *map(str, arguments)]
    return subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=False)


def test_a_closed_pipe_does_not_hide_a_refused_file() -> None:
    done = sh('"$0" -m simulator check "$1" none.yaml | true; exit "${PIPESTATUS[0]}"', SOUND)
    assert (done.returncode, done.stderr) == (2, "none.yaml: there is no such file\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
@pytest.mark.parametrize("command", ["run", "trace", "check"])
def test_a_full_disk_yields_one_message(command: str) -> None:
    done = sh('"$0" -m simulator "$1" "$2" >/dev/full', command, SOUND)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("standard output cannot be written (No space left on device)")


@pytest.mark.parametrize("command", ["run", "trace", "check"])
def test_a_closed_output_yields_one_message(command: str) -> None:
    done = sh('"$0" -m simulator "$1" "$2" >&-', command, SOUND)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("standard output cannot be written")


def test_errors_do_not_go_to_stdout_when_stderr_is_closed() -> None:
    done = sh('"$0" -m simulator check none.yaml 2>&-')
    assert (done.returncode, done.stdout) == (2, "")


def test_two_files_of_the_same_name_are_refused_before_any_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / SOUND.name
    other.write_text(SOUND.read_text())
    with pytest.raises(SystemExit) as ended:
        main(["run", str(SOUND), str(other), "--out", str(tmp_path / "out")])
    assert ended.value.code == 2
    assert f"{SOUND} and {other} would both be written to " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(["run", str(SOUND), str(SOUND), "--out", str(tmp_path / "out")]) == 0, (
        "the same file given twice counts once"
    )


@pytest.mark.parametrize("name", ["a copy of it.yaml", "other.yml", "scenario.txt"])
def test_a_scenario_under_another_file_name_runs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / name
    copy.write_text(SOUND.read_text())
    for command in (["run"], ["trace"], ["code", "--to", "flink-java"]):
        printed = []
        for file in (SOUND, copy):
            assert main([*command, str(file)]) == 0
            printed.append(capsys.readouterr())
        assert printed[0] == printed[1]
    assert main(["check", str(copy)]) == 0, "a copy is sound; the warning says what a library needs"
    assert f"{copy}:" in capsys.readouterr().err
    assert main(["run", str(SOUND), str(copy), "--out", str(tmp_path / "out")]) == 0
    rows = [(tmp_path / "out" / f"{file.stem}.jsonl").read_text() for file in (SOUND, copy)]
    assert rows[0] == rows[1], "each file has rows of its own"


INTERRUPTED_WHILE_IMPORTING = """
import os, runpy, signal, sys

class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == "tidemark.simulator.engine.trace":
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal; a job in the background ignores it
sys.meta_path.insert(0, Interrupting())
module = sys.argv[1]
sys.argv, sys.orig_argv = ["-m", "check", "none.yaml"], [sys.executable, "-m", module, "check", "none.yaml"]
runpy.run_module(module, run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("module", ["simulator", "spark_bridge"])
def test_an_interrupt_during_the_imports_ends_without_a_traceback(module: str) -> None:
    called = [sys.executable, "-c", INTERRUPTED_WHILE_IMPORTING, module]
    done = subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_after_the_imports_an_interrupt_raises_as_usual() -> None:
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    code += "sys.argv[0] = '-m'; sys.orig_argv = ['', '-m', 'simulator']; import tidemark.simulator.commands; "
    code += "print(signal.getsignal(signal.SIGINT) is not signal.default_int_handler); "
    code += "tidemark.simulator.commands.main(['check', 'none.yaml']); "
    code += "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "True\nTrue\n"


KEEPS_FIRST = """
{scenario: 1, name: first, operator: {type: deduplicate, keep: first},
 stream: [{ts: 2, key: a, value: 2}, {ts: 1, key: a, value: 1}, {watermark: 3}]}
"""


def test_a_version_takes_the_place_of_the_one_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "first.yaml"

    def changes(*arguments: str) -> list[str]:
        assert main(["run", str(file), *arguments]) == 0
        return [row["change"] for row in rows(capsys.readouterr().out) if row["row"] == "emitted"]

    file.write_text(KEEPS_FIRST, encoding="utf-8")
    assert changes() == changes("--flink", "2.1") == ["+I"]
    assert changes("--flink", "2.0") == ["+I", "-U", "+U"]
    file.write_text(KEEPS_FIRST.replace("name: first", "name: first, flink: 1.17"), encoding="utf-8")
    assert changes() == ["+I", "-U", "+U"]
    assert changes("--flink", "2.3") == ["+I"]
    assert main(["trace", str(file), "--flink", "2.3"]) == 0
    assert "RowTimeDeduplicateKeepFirstRowFunction" in capsys.readouterr().out


def test_an_unknown_version_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", str(SOUND), "--flink", "1.12"])
    assert ", ".join(map(repr, VERSIONS)) in capsys.readouterr().err


def test_two_versions_are_told_apart_by_their_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "first.yaml"
    file.write_text(KEEPS_FIRST, encoding="utf-8")
    assert main(["differ", str(file), "--flink", "2.0", "--flink", "2.3", "--seconds", "5"]) == 1
    assert "Between the versions: since Flink 2.1, a deduplication" in capsys.readouterr().out
    assert main(["differ", str(file), "--flink", "2.2", "--records", "1", "--seconds", "5"]) == 0


def test_sql_is_read_for_a_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "q.sql"
    file.write_text(
        "CREATE TABLE t (ts TIMESTAMP(3), k STRING, v INT, WATERMARK FOR ts AS ts);"
        "SELECT k, SUM(v) FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECONDS))"
        " GROUP BY k, window_start, window_end;"
    )
    assert main(["from-sql", str(file), "--flink", "1.20"]) == 0
    assert '\nflink: "1.20"\n' in capsys.readouterr().out
    assert main(["from-sql", str(file), "--flink", "1.18"]) == 2
    assert "q.sql: Flink has sessions as a window table function since 1.19" in capsys.readouterr().err
