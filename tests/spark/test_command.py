"""The command line: what it prints, and its four exit codes."""

import errno
import json
import os
from io import StringIO
from pathlib import Path

import pytest
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.lengthened import with_events
from tidemark.spark_bridge.commands import main

from tests.spark.spark_sides import MASTER

HEAD = """\
scenario: 1
name: command
inputs:
  events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: sum}
"""
LIST = HEAD + "stream:\n  - {ts: 1s, key: a, value: 4}\n  - {end: true}\n"
GENERATED = HEAD + "stream: {generate: {events: 50, seed: 1, keys: 2, every: 100ms, end: true}}\n"
HUGE = LIST.replace("  - {end", "  - {ts: 1s, key: a, value: 9223372036854775807}\n  - {end")
REFUSED = LIST.replace("tumbling", "tumblign")


def ran(text: str, folder: Path, *options: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of ``check`` on a file with that text."""
    file = folder / "command.yaml"
    file.write_text(text)
    out, err = StringIO(), StringIO()
    code = main(["check", str(file), "--master", MASTER, *options], out, err)
    return code, out.getvalue(), err.getvalue()


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_equal(tmp_path: Path, kept_checks: Path) -> None:
    code, out, err = ran(LIST, tmp_path)
    assert (code, err) == (0, "")
    assert "equal" in out
    kept = spark_checks.recall(digest_of(parse(LIST)))
    assert kept is not None
    assert (kept.comparison.unit, kept.comparison.equal, kept.comparison.total) == ("panes", 1, 1)
    assert len(list(kept_checks.iterdir())) == 1


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_not_equal(tmp_path: Path, kept_checks: Path) -> None:
    code, out, _ = ran(GENERATED, tmp_path, "--plant", "value", "--json", "--events", "70")
    assert not kept_checks.exists(), "a planted fault says nothing about the scenario"
    report = json.loads(out)
    assert code == 1
    assert list(report) == [
        *("equal", "engine", "way", "events", "panes", "differing", "first_difference", "seconds", "spark_version"),
        *("java_version", "stages", "counts", "boundaries", "plant"),
    ]
    assert (report["equal"], report["engine"], report["events"], report["differing"]) == (False, "batch", 70, 1)
    first = report["first_difference"]
    assert first["spark"]["value"] == first["simulator"]["value"] + 1


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_planted_fault_that_changes_nothing_is_never_called_equal(tmp_path: Path) -> None:
    code, out, _ = ran(LIST, tmp_path, "--plant", "idle")
    assert code == 4
    assert "the planted fault `idle` changed no row, so this check has shown nothing" in out


def test_refused_with_json_says_why_as_an_object(tmp_path: Path) -> None:
    code, out, err = ran(REFUSED, tmp_path, "--json")
    assert json.loads(out) == {"equal": None, "exit": code, "problem": err.strip()}
    assert code == 2


def test_refused(tmp_path: Path) -> None:
    code, out, err = ran(REFUSED, tmp_path)
    assert (code, out) == (2, "")
    assert "command.yaml:7:" in err


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    err = StringIO()
    assert main(["check", str(tmp_path / "none.yaml")], StringIO(), err) == 2
    assert "none.yaml" in err.getvalue()


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_events_with_a_list_are_other_records_and_prove_nothing_of_the_list(tmp_path: Path) -> None:
    code, out, err = ran(LIST, tmp_path, "--events", "50", "--json")
    assert (code, json.loads(out)["events"]) == (0, 50)
    assert err == "command: 50 records are generated to suit the scenario, in place of those in its list\n"
    assert spark_checks.recall(digest_of(parse(LIST))) is None
    assert spark_checks.recall(digest_of(with_events(parse(LIST), 50))) is not None


def test_events_with_records_of_a_file_are_not_covered(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text("ts,key,value\n1000,a,4\n")
    stream = "stream: {data: {path: records.csv, ts: ts, value: value}}\n"
    code, out, err = ran(HEAD + stream, tmp_path, "--events", "5")
    assert (code, out) == (3, "")
    assert "the records are those of a file" in err
    code, _, err = ran(LIST, tmp_path, "--events", "5", "--data", str(tmp_path / "records.csv"), "--ts", "ts")
    assert (code, "the records are those of a file" in err) == (3, True)


@pytest.mark.parametrize("asked", ["-1", "x", "1000000001"])
def test_an_invalid_number_of_events_is_refused_with_the_range(asked: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check", "any.yaml", "--events", asked])
    assert ended.value.code == 2
    assert (
        f"`{asked}` is not a valid number of records; write a whole number from 0 to 1,000,000,000"
        in capsys.readouterr().err
    )


def test_an_invalid_scenario_is_refused_even_if_it_is_not_covered_either(tmp_path: Path) -> None:
    code, out, err = ran(HUGE + "goals: [{rows: pane, count: 7}]\n", tmp_path)
    assert (code, out) == (2, "")
    assert "the goal is not met" in err


def test_a_full_disk_is_not_reported_as_a_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    class Equal:
        equal = True
        notes = ()

        def as_json(self) -> dict[str, bool]:
            return {"equal": True}

    monkeypatch.setattr("tidemark.spark_bridge.commands.check", lambda *_, **__: Equal())
    monkeypatch.setattr(spark_checks, "remember", lambda *_: None)
    file, err = tmp_path / "command.yaml", StringIO()
    file.write_text(LIST)
    assert main(["check", str(file), "--json"], Full(), err) == 2
    assert err.getvalue().startswith("standard output cannot be written (No space left on device)")


@pytest.mark.parametrize(("text", "options"), [(HUGE, []), (LIST, ["--engine", "streaming"])])
def test_not_covered(text: str, options: list[str], tmp_path: Path) -> None:
    code, out, err = ran(text, tmp_path, *options)
    assert (code, out) == (3, "")
    assert "not covered" in err
