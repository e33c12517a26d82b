"""Every cure is applied to its stream and judged again: before and after are shown; what does not help is not."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.files.sample import WrittenStream
from tidemark.spark_bridge.profile import repairs
from tidemark.spark_bridge.profile.findings.finding import Cause, Proof, Rule, Where
from tidemark.spark_bridge.profile.findings.records import Expectations, Records
from tidemark.spark_bridge.profile.findings.wording import price_of, worded
from tidemark.spark_bridge.profile.judging import Judged
from tidemark.spark_bridge.profile.repairs import Healed, proved

from tests.own_stream.test_repairs import FAULTS, sound, with_history

COLUMNS = ("--ts", "time", "--at", "received", "--key", "user", "--value", "id", "--channel", "part")


def written(records: Records, path: Path, unreadable: int = 0) -> list[dict[str, str]]:
    """``records`` as CSV; the rows."""
    names = {"time": "ts", "received": "at", "user": "key", "id": "value", "part": "channel"}
    columns = {name: getattr(records, role).tolist() for name, role in names.items()}
    rows = [dict(zip(columns, map(str, row), strict=True)) for row in zip(*columns.values(), strict=True)]
    for row in rows[:unreadable]:
        row["time"] = "-"
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, columns)
        out.writeheader()
        out.writerows(rows)
    return rows


def profiled(*arguments: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert main(["profile", *arguments, *COLUMNS, "--bound", "30s"], out, err) == 0, err.getvalue()
    return out.getvalue()


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_history_and_a_wrong_zone_are_cured_and_the_proof_says_so(tmp_path: Path) -> None:
    truth = replace(sound(), value=np.arange(12_000))
    wrong, is_history = with_history(replace(truth, ts=FAULTS["an hour ahead since noon"](truth)), 0.3, 0.7)
    written(wrong, tmp_path / "a.csv")
    found = json.loads(profiled(str(tmp_path / "a.csv"), "--json", "--repaired", str(tmp_path / "b.csv")))
    assert [(each["code"], each["proof"]["after"]) for each in found["findings"]] == [
        ("backfill", 0), ("zone-offset", 0)
    ]  # fmt: skip
    assert all(each["proof"]["before"] == each["records"] for each in found["findings"])
    assert found["proof"]["findings"] == [["backfill", "zone-offset"], []]
    assert found["proof"]["records"] == [len(wrong), len(truth)]
    before, after = found["proof"]["recommended"]
    assert after < 30_000 < before

    live = {str(value): ts for value, ts in zip(truth.value.tolist(), truth.ts.tolist(), strict=True)}  # type: ignore[union-attr]
    repaired = {row["id"]: int(row["time"]) for row in rows_of(tmp_path / "b.csv")}
    assert sum(repaired[each] != ts for each, ts in live.items()) <= 2
    assert len(rows_of(tmp_path / "b.csv")) == len(truth) == len(wrong) - is_history


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_a_constant_instead_of_times_becomes_the_arrival(tmp_path: Path) -> None:
    truth = sound(n=3_000)
    written(replace(truth, ts=np.zeros_like(truth.ts)), tmp_path / "a.csv", unreadable=5)
    text = profiled(str(tmp_path / "a.csv"), "--repaired", str(tmp_path / "b.csv"))
    assert "no-timestamps: 3,000 of 3,000 records have no usable timestamp" in text
    assert "judged again: 3,000 records before the cure, 0 after it." in text
    assert "What it costs: No state and no delay" in text
    assert all(row["time"] == row["received"] for row in rows_of(tmp_path / "b.csv"))


HOUR = 3_600_000
AHEAD = Cause("zone-offset", 40, Where(channel=1), "ahead", {"count": 40, "own": 40, "by": HOUR},
              rules=(Rule("channel", (1,), by=HOUR),))  # fmt: skip
FUTURE = Cause("future-timestamps", 9, Where(), "few", {"count": 9, "by": HOUR, "item": 3},
               rules=(Rule(ts=((5 * HOUR, None),), drops=True),))  # fmt: skip


def judged(*causes: Cause) -> Judged:
    found = [worded(each, 5000, ["a", "b"], {}) for each in causes]
    return Judged(found, {"spark": "both"}, [each.cause for each in found])


@pytest.mark.parametrize(("left", "shown"), [(0, True), (39, True), (40, False), (41, False)])
def test_a_cure_that_leaves_as_many_records_is_neither_shown_nor_part_of_the_one_cure(
    monkeypatch: pytest.MonkeyPatch, left: int, shown: bool
) -> None:
    tried: list[int] = []

    def healed(_stream: Any, _asked: Expectations, causes: Any) -> Healed:
        tried.append(len(causes))
        return Healed(100, {5000: 0}, 0, [replace(AHEAD, where=Where(channel="b"), records=left)] if left else [])

    monkeypatch.setattr(repairs, "_healed", healed)
    stream: Any = SimpleNamespace(written=WrittenStream())
    found, after = proved(stream, Expectations(5000), judged(AHEAD, FUTURE))
    assert after is not None
    ahead, future = found.findings
    assert (ahead.proof, future.proof) == (Proof(40, left), Proof(9, 0))
    assert bool(ahead.cures) is shown
    assert tried == ([2] if shown else [2, 1])
    if not shown:
        assert "left as many of these records as before" in ahead.as_json()["cure"]
        assert "3600000" not in found.cure["spark"], "the one cure has no rule of it"
        assert [each.code for each in found.causes] == ["future-timestamps"], "nor has --repaired"


@pytest.mark.parametrize(
    ("cause", "says"),
    [
        (AHEAD, "No state and no delay: each record is put right by itself."),
        (FUTURE, "No state and no delay; these records are left out."),
        (replace(FUTURE, code="backfill"), "the old records need a job of their own."),
        (Cause("bound-too-small", 9, numbers={"needed": 65_000}), "each result is emitted 1 min later"),
        (Cause("idle-channel", 9, numbers={"silent": 40_000}), "up to 10 s. What it sends after its silence may"),
        (Cause("replay", 9, sort="backlog", numbers={"by": 60_000}), "each window is kept for 1 min longer"),
        (Cause("duplicates", 9, numbers={"by": HOUR}), "kept for 2 h by the Java"),
    ],
    ids=lambda value: value.code if isinstance(value, Cause) else "",
)  # fmt: skip
def test_a_cure_says_what_it_costs(cause: Cause, says: str) -> None:
    assert says in price_of(cause, (), 5000)
    assert (
        price_of(cause, [FUTURE], 5000)
        == f"{price_of(cause, (), 5000)} Records that the cures before it leave out are left out here, too."
    )
