"""What an upgrade of Flink changes for a stream: by the command, and again by the simulator on the stream it prints."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.versions import NEWEST, VERSIONS
from tidemark.simulator.scenario import parse
from tidemark.spark_bridge.commands import main

SILENT_FROM, SECONDS = 100, 300


@pytest.fixture
def gateways(tmp_path: Path) -> str:
    """The records of two gateways, one a second; one of them stops."""
    rows = [
        f"{second * 1000},{second * 1000 + 300},{gateway}"
        for second in range(SECONDS)
        for gateway in ("north", "south")
        if gateway == "north" or second < SILENT_FROM
    ]
    path = tmp_path / "gateways.csv"
    path.write_text("\n".join(["time,arrived,gateway", *rows]) + "\n", encoding="utf-8")
    return str(path)


def profiled(path: str, *arguments: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    columns = ["--ts", "time", "--ts-unit", "ms", "--at", "arrived", "--channel", "gateway"]
    assert main(["profile", path, *columns, "--bound", "1s", "--window", "10s", *arguments], out, err) == 0
    return out.getvalue()


@pytest.mark.usefixtures("spark")
def test_an_upgrade_changes_what_the_advised_idle_timeout_does(gateways: str) -> None:
    upgrade: dict[str, Any] = json.loads(profiled(gateways, "--flink", "1.18", "--json"))["upgrade"]
    assert (upgrade["from"], upgrade["to"], upgrade["records"]) == ("1.18", NEWEST, SECONDS + SILENT_FROM)
    (rule,) = upgrade["rules"]
    assert (rule["ticket"], rule["since"], rule["job"]) == ("FLINK-34252", "1.19", "window")
    assert (rule["rows"], rule["others"]) == (6, 0), "no record is lost, but results come at another time"
    scenario = parse(rule["scenario"])
    assert scenario.flink == "1.18"
    assert run_rows(scenario) != run_rows(replace(scenario, flink=NEWEST))


@pytest.mark.usefixtures("spark")
def test_the_text_says_which_job_was_run(gateways: str) -> None:
    text = " ".join(profiled(gateways, "--flink", "1.18").split())
    assert "windows of 10s in SQL with a bound of 1s and an idle timeout of" in text
    assert "over the first 400 records (a run is limited to 20,000, and in time): 6 results are emitted" in text


@pytest.mark.usefixtures("spark")
def test_where_nothing_changes_there_is_one_line(gateways: str) -> None:
    empty, line = profiled(gateways, "--flink", "1.20").splitlines()[-2:]
    assert empty == ""
    assert line.startswith(f"Upgrade from Flink 1.20 to {NEWEST}: nothing changes. No rule between them can show")


@pytest.mark.usefixtures("spark")
def test_times_before_1970_are_not_overlooked(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_text("time,arrived,gateway\n-16000,0,north\n-6000,0,north\n", encoding="utf-8")
    (rule,) = json.loads(profiled(str(path), "--flink", "1.13", "--json"))["upgrade"]["rules"]
    assert (rule["ticket"], rule["others"]) == ("FLINK-26334", 2)


def test_a_version_to_upgrade_from_is_known_and_older(capsys: pytest.CaptureFixture[str]) -> None:
    for version in ("1.9", NEWEST):
        with pytest.raises(SystemExit):
            main(["profile", "gateways.csv", "--flink", version])
        message = capsys.readouterr().err
        assert (
            f"argument --flink: invalid choice: '{version}' (choose from {', '.join(map(repr, VERSIONS[:-1]))})"
            in message
        )
        assert message.count("\n") == 1
