"""Delays with two humps, and a column that nobody has named whose sources they belong to."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.profile.findings.cures import rounded_up
from tidemark.spark_bridge.profile.judging import Humps, separated


def counts(**regions: tuple[int, int]) -> list[tuple[int, str, str, int]]:
    """(records in time, records an hour off) of each region, beside a column that says nothing."""
    near = [(0, "region", name, each[0]) for name, each in regions.items()]
    far = [(4, "region", name, each[1]) for name, each in regions.items() if each[1]]
    total = [sum(each[place] for each in regions.values()) for place in (0, 1)]
    return [(step, "app", app, total[step // 4] // 2) for step in (0, 4) for app in "ab"] + near + far


def test_a_column_that_separates_the_humps_is_found_also_where_half_of_its_records_are_right() -> None:
    found = separated(counts(west=(100, 100), east=(200, 0), north=(100, 0)), ("app", "region"))
    assert found == Humps("region", ("west",), 100, 3_600_000)


def test_one_hump_or_one_that_all_sources_share_says_nothing() -> None:
    assert separated(counts(west=(100, 0), east=(200, 0)), ("app", "region")) is None
    assert separated(counts(west=(100, 50), east=(100, 50)), ("app", "region")) is None
    spread = [(step, "region", "west", 50) for step in range(5)] + [(0, "region", "east", 100)]
    assert separated(spread, ("region",)) is None


def test_one_hump_on_both_sides_of_a_quarter_of_an_hour_is_one() -> None:
    beside = [(0, "region", "west", 100), (1, "region", "east", 100), (0, "region", "north", 100)]
    assert separated(beside, ("region",)) is None


def test_of_two_sources_one_may_be_off_and_slow_records_of_the_other_are_no_part_of_its_hump() -> None:
    off = [(0, "region", "east", 200), (2, "region", "west", 100)]
    assert separated(off, ("region",)) == Humps("region", ("west",), 100, 1_800_000)
    slow = [*off, (1, "region", "east", 5)]
    assert separated(slow, ("region",)) == Humps("region", ("west",), 100, 1_800_000)
    slower = [(0, "region", "east", 200), (1, "region", "east", 120), (4, "region", "west", 100)]
    assert separated(slower, ("region",)) == Humps("region", ("west",), 100, 3_600_000)


@given(st.integers(1, 10**12))
def test_advice_is_never_less_than_needed_and_hardly_more(ms: int) -> None:
    assert ms <= rounded_up(ms) <= ms * 1.1 + 1


def test_advice_has_two_digits() -> None:
    pairs = ((80_722, 81_000), (836_219, 840_000), (0, 0), (7, 7), (999, 1000), (5_405_082, 5_460_000))
    for ms, said in pairs:
        assert rounded_up(ms) == said, ms


@pytest.mark.spark
def test_guessed_columns_name_the_source_whose_clock_is_off(
    spark: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = []
    for number in range(1200):
        at = 1_760_000_000_000 + number * 10_000
        region = ("west", "east", "north")[number % 3]
        off = 3_600_000 if region == "west" and number > 600 else 0
        event = {"occurred_at": at - off - number % 7 * 100, "received_at": at, "user": f"u{number % 50}"}
        lines.append(json.dumps(event | {"area": region, "took": number % 11}))
    data = tmp_path / "mobile.jsonl"
    data.write_text("\n".join(lines))
    assert main(["profile", str(data)]) == 0
    said = capsys.readouterr().out
    assert "arrive about 1h apart from the others, and they are those of column `area`: west." in said
    assert "With a bound of" not in said
    assert "No findings" not in said
    assert main(["profile", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["humps"]["column"] == "area"
