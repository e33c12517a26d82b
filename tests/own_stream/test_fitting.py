"""The rules of a clock that changes: exact to the record, whoever arrives beside the change."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.profile.findings.cures import rounded_up
from tidemark.spark_bridge.profile.findings.finding import Cause, Rule, Where, applied, put_right
from tidemark.spark_bridge.profile.findings.fitting import fitted
from tidemark.spark_bridge.profile.findings.records import Records
from tidemark.spark_bridge.profile.judging import separated
from tidemark.spark_bridge.profile.profile import Humps

from tests.examples import examples

BEGIN = 1_790_000_000_000
HOUR = 3_600_000
EVERY = 20_000
MINUTE = 60_000


@settings(max_examples=examples(200), deadline=None)
@given(
    size=st.integers(200, 400),
    first=st.integers(0, 399),
    count=st.integers(1, 400),
    by=st.sampled_from([-HOUR, HOUR]),
    delay=st.sampled_from([1, 60_000, 600_000]),
    batch=st.sampled_from([1, 60_000]),
    by_arrival=st.booleans(),
    seed=st.integers(0, 9),
)
def test_a_clock_that_is_wrong_for_a_while_is_put_right_to_the_record(
    size: int, first: int, count: int, by: int, delay: int, batch: int, by_arrival: bool, seed: int
) -> None:
    """Over more than an hour: written times alone tell nothing. In batches right and wrong ones arrive at once."""
    ts = BEGIN + np.arange(size) * EVERY
    at = -(-(ts + np.random.default_rng(seed).integers(0, delay, size)) // batch) * batch
    order = np.argsort(at, kind="stable")
    ts, at = ts[order], at[order]
    clock = at if by_arrival else ts
    begins = BEGIN + first % size * EVERY
    is_it = (clock >= begins) & (clock < begins + count * EVERY)
    assume(0.1 < is_it.mean() < 0.9)  # of fewer it is judged that they are slow
    wrong = Records(np.arange(size), ts + by * is_it, at)
    cause = Cause("zone-offset", 1, Where(), "ahead" if by > 0 else "behind", {"by": HOUR})
    right, _, dropped = applied(fitted(cause, wrong, is_it).rules, wrong)
    assert right.ts.tolist() == ts.tolist()
    assert not dropped.any()


def test_clocks_in_turns_are_told_apart_between_the_two_kinds_though_each_has_one_that_is_nearly_the_other() -> None:
    size = 200
    is_it = np.arange(size) % 2 == 1
    off = np.where(is_it, HOUR, 0)
    off[100], off[101] = 40 * MINUTE, 50 * MINUTE
    at = BEGIN + np.arange(size) * EVERY
    for by in (1, -1):
        records = Records(np.arange(size), at + by * off, at)
        cause = Cause("zone-offset", 1, Where(), "ahead" if by > 0 else "behind", {"by": HOUR})
        assert applied(fitted(cause, records, is_it).rules, records)[1].tolist() == is_it.tolist()


def test_of_several_clocks_the_finding_says_the_first_change_and_the_last() -> None:
    size = 4000
    ts = BEGIN + np.arange(size) * 1000
    key = np.arange(size) % 4
    limits = {1: (500, 2000), 2: (1000, 3000)}
    is_it = np.logical_or.reduce([
        (key == each) & (np.arange(size) >= low) & (np.arange(size) < high) for each, (low, high) in limits.items()
    ])  # fmt: skip
    cause = Cause("zone-offset", 1, Where(key=1, more=(2,)), "ahead", {"by": HOUR})
    numbers = fitted(cause, Records(np.arange(size), ts + HOUR * is_it, ts, key=key), is_it).numbers
    wrong = ts[is_it]
    assert (numbers["since"], numbers["until"]) == (wrong[0], wrong[-1] + 1)
    assert numbers["own"] == size // 2


OFFS = st.lists(st.integers(-3 * HOUR, 3 * HOUR) | st.integers(-3, 3), min_size=1, max_size=20)


def off_by(own: list[int], others: list[int]) -> tuple[Records, np.ndarray]:
    """Records with these distances from their arrivals, and which of them are ``own``."""
    off = np.array([*own, *others], np.int64)
    at = np.full(len(off), BEGIN)
    return Records(np.arange(len(off)), at + off, at), np.arange(len(off)) < len(own)


@given(OFFS, OFFS)
def test_records_of_the_future_are_those_beyond_a_limit_ahead_of_the_clock(some: list[int], others: list[int]) -> None:
    limit = max(0, *others)
    records, is_it = off_by([limit + 1 + abs(each) for each in some], others)
    (rule,) = fitted(Cause("future-timestamps", 1, Where()), records, is_it).rules
    assert applied([rule], records)[2].tolist() == is_it.tolist()
    assert rule.off[0] is not None
    assert rule.off[0] > 0, "what comes in time is never of the future"
    if limit < MINUTE and all(each + limit + 1 > MINUTE for each in map(abs, some)):
        assert rule.off[0] == MINUTE


@given(OFFS, OFFS)
def test_records_of_a_history_are_those_that_arrive_later_than_any_other(some: list[int], others: list[int]) -> None:
    records, is_it = off_by([min(0, *others) - 1 - abs(each) for each in some], others)
    (rule,) = fitted(Cause("backfill", 1, Where()), records, is_it).rules
    assert applied([rule], records)[2].tolist() == is_it.tolist()


def test_what_a_cause_has_taken_and_no_rule_puts_right_is_judged_no_further() -> None:
    records, is_it = off_by([HOUR, 2 * HOUR], [0])
    right, left = put_right([Rule(by=HOUR, off=(HOUR, 2 * HOUR))], records, np.array([True, True, True]), is_it)
    assert (right.ts - BEGIN).tolist() == [0, 2 * HOUR, 0]
    assert left.tolist() == [True, False, True]


def test_what_is_left_out_keeps_its_time() -> None:
    records, _ = off_by([HOUR], [0])
    right, changed, dropped = applied([Rule(off=(HOUR, None), drops=True), Rule(by=7)], records)
    assert (right.ts - BEGIN).tolist() == [HOUR, -7]
    assert (changed.tolist(), dropped.tolist()) == ([False, True], [True, False])


# Delays with two humps, and a column that nobody has named whose sources they belong to.


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
