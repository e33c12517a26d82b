"""``python -m spark_bridge profile``: small files through Spark, beside plain loops over the same records."""

import io
import json
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.simulator import run_rows
from tidemark.spark_bridge import stream_page
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.files import opening
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.profile.counts.figures import Windows

from tests.own_stream.test_behind import Records, plain
from tests.own_stream.test_figures import scenario_of

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def stream() -> tuple[Records, list[int]]:
    """Two channels, of which one is slow; arrivals 10 ms apart, two of them equal."""
    random = Random(5)
    channels = [random.choice((3, 8)) for _ in range(600)]
    ats = [place // 2 * 20 for place in range(600)]
    return [(c, at - random.randint(0, 300) - 40 * (c == 8)) for c, at in zip(channels, ats, strict=True)], ats


def csv(path: Path, records: Records, ats: list[int]) -> None:
    rows = [
        f"{ts},{at},k{place % 2},{channel}" for place, ((channel, ts), at) in enumerate(zip(records, ats, strict=True))
    ]
    path.write_text("\n".join(["ts,at,key,partition", *rows, ""]))


def profiled(*arguments: str) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    assert main(["profile", *arguments, "--json"], out, err) == 0, err.getvalue()
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def test_every_moment_belongs_to_a_stage_that_the_page_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, ats = stream()
    csv(tmp_path / "a.csv", records, ats)
    told: list[str] = []
    looked_at = opening.open_files

    def opened(*given: Any, **named: Any) -> Any:
        told.append("the files are looked at")
        return looked_at(*given, **named)

    monkeypatch.setattr(opening, "open_files", opened)
    stream_page.profile(
        Files((str(tmp_path / "a.csv"),), Columns("ts")),
        stream_page.asked({}),
        lambda stage, done, total: told.append(f"{stage} {done}/{total}"),
        Event(),
    )
    stages = [part for name in stream_page.STREAM_STAGES for part in (f"{name} 0/1", f"{name} 1/1")]
    stages.insert(stages.index("open 1/1"), "the files are looked at")
    assert list(dict.fromkeys(told)) == stages


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_missing_key_is_the_empty_text_as_in_a_run(tmp_path: Path, name: str) -> None:
    rows = [{"ts": 0, "key": None}, {"ts": 10_000, "key": ""}, {"ts": 500, "key": ""}]
    if name == "a.jsonl":
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / name)
    found = profiled(str(tmp_path / name), "--ts", "ts", "--key", "key", "--window", "1s", "--lateness", "1m")
    assert (found["keys"], found["windows"]["late_firings"]) == (1, 1)


def test_files_in_order_and_files_to_be_sorted_have_the_figures_of_a_plain_loop(tmp_path: Path) -> None:
    records, ats = stream()
    for name, places in (("a", range(300)), ("b", range(300, 600))):
        csv(tmp_path / f"{name}.csv", [records[place] for place in places], [ats[place] for place in places])
    columns = ("--ts", "ts", "--ts-unit", "ms", "--at", "at", "--key", "key", "--channel", "partition")
    windows = ("--bound", "100ms", "--lateness", "50ms", "--window", "1s")
    found = profiled(str(tmp_path), *columns, *windows)

    behind, holders, _ = plain(records, 1)
    assert (found["records"], found["unreadable"]) == (600, 0)
    assert found["keys"] == 2
    assert (found["first_ts"], found["last_ts"]) == (min(ts for _, ts in records), max(ts for _, ts in records))
    assert (found["first_at"], found["last_at"]) == (0, ats[-1])
    assert [each["channel"] for each in found["channels"]] == [3, 8]
    assert [each["holds_share"] for each in found["channels"]] == [holders.count(each) / 600 for each in (3, 8)]
    assert {each["bound"]: each["late"] for each in found["bounds"]}[100] == sum(each > 100 for each in behind)
    assert found["behind"]["max"] == max(behind)

    rows = run_rows(scenario_of([((3, 8).index(channel), ts) for channel, ts in records], 2, Windows(1000, 100, 50)))
    assert found["windows"]["dropped"] == sum(row["row"] == "dropped" for row in rows)
    assert found["windows"]["late_firings"] == sum(row.get("timing") == "late" for row in rows) > 0
    assert found["recommended"]["lateness_instead"] > 50

    (tmp_path / "b.csv").rename(tmp_path / "0.csv")
    assert profiled(str(tmp_path), *columns, *windows) == found

    # Parquet in several row groups is read without Spark.
    names = {"key": [f"k{place % 2}" for place in range(600)], "partition": [str(channel) for channel, _ in records]}
    times = {"ts": [ts for _, ts in records], "at": ats}
    table = pa.table({name: pa.array(column, pa.timestamp("ms", "UTC")) for name, column in times.items()} | names)
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=170)
    columns = ("--ts", "ts", "--at", "at", "--key", "key", "--channel", "partition")
    typed = profiled(str(tmp_path / "all.parquet"), *columns, *windows)
    # The code reads another type.
    for one, of_text in ((typed, found), *zip(typed["findings"], found["findings"], strict=True)):
        assert one.pop("cure") != of_text.pop("cure")
    assert typed == found
