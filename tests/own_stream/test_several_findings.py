"""Several findings of one code: each is shown by records of its own, on the page and on the command line."""

from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import parse
from tidemark.spark_bridge import stream_page
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.files.request import Columns, Files

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

HOUR = 3_600_000


def quiet(*_: Any) -> None:
    """Progress that nobody watches."""


def test_each_of_two_wrong_zones_is_shown_by_its_own_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(5)
    at = 10**12 + np.sort(random.integers(0, HOUR, 3000))
    sources = {"north": 0, "south": 0, "west": 8 * HOUR, "east": -90 * 60_000}
    rows = [
        f"{when - int(random.exponential(300)) + sources[source]},{when},k{random.integers(5)},{source}"
        for when, source in zip(at.tolist(), random.choice(list(sources), len(at)).tolist(), strict=True)
    ]
    file = tmp_path / "day.csv"
    file.write_text("\n".join(["time,arrival,key,source", *rows]) + "\n")
    columns = {"ts": "time", "at": "arrival", "key": "key", "channel": "source"}
    files = Files((str(file),), Columns(**columns))
    found = stream_page.profile(files, stream_page.asked({"bounds": (2000,)}), quiet, Event())
    zones = [each for each in found.findings if each.code == "zone-offset"]
    assert {each.where["channel"] for each in zones} == {"west", "east"}

    shown = [stream_page.cut(files, each, found.asked, quiet, Event()) for each in zones]
    for finding, text in zip(zones, shown, strict=True):
        own = {int(row.split(",")[0]) for row in rows if row.endswith(str(finding.where["channel"]))}
        stream = parse(text).stream
        assert isinstance(stream, tuple)
        assert own & {each.ts for each in stream if isinstance(each, Record)}, text
    assert shown[0] != shown[1]

    options = [part for role, name in columns.items() for part in (f"--{role}", name)]
    asked = ["cut", str(file), *options, "--bound", "2s", "--around"]
    assert main([*asked, "finding:zone-offset:2"]) == 0
    assert capsys.readouterr().out == shown[1].replace('"cut-zone-offset"', '"cut-zone-offset-2"')
    assert main([*asked, "finding:zone-offset:3"]) == 2
    assert "of the findings `zone-offset` there is no number 3 in this stream" in capsys.readouterr().err
