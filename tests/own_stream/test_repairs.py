"""What a cure does to the records: the faults that were put in are gone, record by record, and no other is touched."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.spark_bridge.profile.findings.finding import Rule, applied
from tidemark.spark_bridge.profile.findings.fitting import written_ranges
from tidemark.spark_bridge.profile.findings.judge import judged
from tidemark.spark_bridge.profile.findings.records import Expectations, Records
from tidemark.spark_bridge.profile.findings.whole import rules_of
from tidemark.spark_bridge.profile.repairs import replaced

from tests.own_stream.in_memory import uncounted
from tests.own_stream.test_findings import HOUR, MINUTE

BEGIN = 1_790_000_000_000
NOON = BEGIN + 4 * HOUR
"""Clocks change here: in the middle of the stream."""

ASKED = Expectations(bound=30_000)
Fault = Callable[[Records], np.ndarray]


def sound(arrivals: bool = True, n: int = 12_000, seed: int = 7) -> Records:
    """Eight hours of four channels and fifty keys; one record in a thousand is up to an hour late."""
    rng = np.random.default_rng(seed)
    ts = BEGIN + np.sort(rng.integers(0, 8 * HOUR, n))
    slow = (rng.random(n) < 0.001) * rng.integers(0, HOUR, n) * arrivals
    at = ts + rng.exponential(2000, n).astype(np.int64) + slow
    order = np.argsort(at, kind="stable")
    columns = (rng.integers(0, most, n)[order] for most in (4, 50, 10**6))
    return Records(np.arange(n), ts[order], at[order], *columns)


def west(records: Records) -> np.ndarray:
    assert records.channel is not None
    return records.channel == 1


FAULTS: dict[str, Fault] = {
    "an hour ahead since noon": lambda r: r.ts + HOUR * (west(r) & (r.ts >= NOON)),
    "a channel an hour behind": lambda r: r.ts - HOUR * west(r),
    "a key seven minutes ahead": lambda r: r.ts + 7 * MINUTE * (r.key == 3),
    "a key in microseconds": lambda r: np.where(r.key == 4, r.ts * 1000, r.ts),
    "a channel an hour ahead, in microseconds": lambda r: np.where(west(r), (r.ts + HOUR) * 1000, r.ts),
    "one of 2099": lambda r: np.where(r.item == 9000, 4_070_908_800_000, r.ts),
    "seven of the future": lambda r: r.ts + 5 * HOUR * (r.item % 1700 == 77),
    "a channel an hour behind, a key seven minutes ahead": lambda r: r.ts - HOUR * west(r) + 7 * MINUTE * (r.key == 5),
    "a channel since noon, and the future": lambda r: (
        r.ts + HOUR * (west(r) & (r.ts >= NOON)) + 20 * HOUR * (r.item % 1700 == 77)
    ),
}
WITH_ARRIVALS: dict[str, Fault] = {
    "two hours ahead until noon": lambda r: r.ts + 2 * HOUR * (west(r) & (r.at < NOON)),
    "an hour behind since noon": lambda r: r.ts - HOUR * (west(r) & (r.ts >= NOON)),
    "an hour behind since a deployment at noon": lambda r: r.ts - HOUR * (west(r) & (r.at >= NOON)),
    "two hours ahead for two hours": lambda r: r.ts + 2 * HOUR * (west(r) & (r.at >= NOON) & (r.at < NOON + 2 * HOUR)),
    "all two hours ahead": lambda r: r.ts + 2 * HOUR,
    "a channel seven minutes ahead since noon": lambda r: r.ts + 7 * MINUTE * (west(r) & (r.at >= NOON)),
    "all an hour ahead since noon": lambda r: r.ts + HOUR * (r.at >= NOON),
}


def with_history(live: Records, begin: float, end: float, n: int = 2_500) -> tuple[Records, int]:
    """A day before yesterday, loaded between these shares of the stream; and how many records that are."""
    rng = np.random.default_rng(3)
    assert live.at is not None
    start, last = (int(live.at[min(int(share * len(live)), len(live) - 1)]) for share in (begin, end))
    at = np.concatenate([live.at, np.linspace(start, last, n).astype(np.int64)])
    order = np.argsort(at, kind="stable")
    ts = np.concatenate([live.ts, BEGIN - 26 * HOUR + 1_400 * np.arange(n)])
    columns = {}
    for name, most in (("channel", 4), ("key", 50), ("value", 10**6)):
        columns[name] = np.concatenate([getattr(live, name), rng.integers(0, most, n) + most * (name == "value")])[
            order
        ]
    return Records(np.arange(len(ts)), ts[order], at[order], **columns), n


@pytest.mark.parametrize(("begin", "end"), [(0.3, 0.4), (0.3, 0.7), (0.1, 0.9), (0.0, 1.0)])
def test_a_history_is_left_out_whole_however_much_of_the_stream_it_goes_through(begin: float, end: float) -> None:
    truth = sound()
    both, n = with_history(truth, begin, end)
    assert [each.code for each in judged(both, ASKED)] == ["backfill"]
    _, dropped = cured(both)
    assert not (dropped & (both.ts >= BEGIN)).any(), "no live record is left out"
    assert np.count_nonzero(dropped) >= n - 15  # before the first live ones nothing says that they are old


def cured(records: Records) -> tuple[Records, np.ndarray]:
    """The records as all rules leave them, and which are dropped."""
    found, _, dropped = applied(rules_of(judged(records, ASKED)), records)
    return found, dropped


@pytest.mark.parametrize(
    ("name", "arrivals"),
    [*((name, arrivals) for name in FAULTS for arrivals in (True, False)), *((name, True) for name in WITH_ARRIVALS)],
)
def test_the_cure_puts_every_record_right_and_the_finding_is_gone(name: str, arrivals: bool) -> None:
    truth = sound(arrivals)
    wrong = replace(truth, ts=(FAULTS | WITH_ARRIVALS)[name](truth))
    if not arrivals:
        wrong = replace(wrong, at=None)
    assert judged(wrong, ASKED), "there is a finding"
    found, dropped = cured(wrong)
    assert np.count_nonzero((found.ts != truth.ts) & ~dropped) <= 2
    assert not (dropped & (wrong.ts == truth.ts)).any(), "no right record is left out"
    left = found.where(~dropped)
    again = judged(replace(left, item=np.arange(len(left))), ASKED)
    assert [each.code for each in again] == [each.code for each in judged(replace(truth, at=wrong.at), ASKED)]


@pytest.mark.parametrize("name", ["an hour behind since noon", "an hour behind since a deployment at noon"])
def test_without_arrivals_what_cannot_be_told_apart_is_left_alone(name: str) -> None:
    truth = sound(arrivals=False)
    wrong = replace(truth, ts=WITH_ARRIVALS[name](truth), at=None)
    found, dropped = cured(wrong)
    assert not (dropped | ((found.ts != truth.ts) & (wrong.ts == truth.ts))).any(), "no right record is changed"
    assert np.count_nonzero(found.ts != truth.ts) < 0.4 * np.count_nonzero(wrong.ts != truth.ts)


@pytest.mark.parametrize(
    "name", [each for each in (*FAULTS, *WITH_ARRIVALS) if each != "two hours ahead for two hours"]
)
def test_the_rules_of_a_long_stream_are_those_of_the_whole(name: str) -> None:
    truth = sound(n=40_000)
    wrong = replace(truth, ts=(FAULTS | WITH_ARRIVALS)[name](truth))
    found, _, dropped = applied(rules_of(uncounted(wrong, ASKED, 4)), wrong)
    assert np.count_nonzero((found.ts != truth.ts) & ~dropped) <= 4
    assert not (dropped & (wrong.ts == truth.ts)).any()


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(sorted(FAULTS)), st.sampled_from(sorted(FAULTS)), st.integers(0, 99))
def test_two_causes_at_once_leave_no_right_record_changed(one: str, other: str, seed: int) -> None:
    truth = sound(seed=seed)
    wrong = replace(truth, ts=FAULTS[one](truth))
    both = replace(wrong, ts=np.where(FAULTS[other](truth) != truth.ts, FAULTS[other](wrong), wrong.ts))
    if "microseconds" in one or "microseconds" in other:
        both = wrong
    found, dropped = cured(both)
    untouched = both.ts == truth.ts
    assert np.count_nonzero(untouched & (dropped | (found.ts != truth.ts))) <= 2
    assert np.count_nonzero((found.ts != truth.ts) & ~dropped) <= 0.01 * len(truth)


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), max_size=20))
def test_ranges_of_written_times_hold_no_other_record(rows: list[tuple[int, bool]]) -> None:
    ts = np.array([row[0] for row in rows], np.int64)
    is_it = np.array([row[1] for row in rows], np.bool_)
    ranges = written_ranges(ts, is_it, 0.0)
    if not ranges:
        return
    found = Rule(ts=ranges).of(Records(np.arange(len(ts)), ts))
    assert not (found & ~is_it).any()
    alone = [row[1] and (row[0], False) not in rows for row in rows]
    assert found.tolist() == alone


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ('{"a": 1.50, "t":"2026" }', ("t",), '{"a": 1.50, "t":7 }'),
        (' {"e": {"x": [1, {"t": 3}], "t" : 5}, "t": 6}', ("e", "t"), ' {"e": {"x": [1, {"t": 3}], "t" : 7}, "t": 6}'),
        ('{"e.t": 5, "e": {}}', ("e", "t"), '{"e.t": 7, "e": {}}'),
        ('{"b": "\\"t\\": 1", "t": -1e3}', ("t",), '{"b": "\\"t\\": 1", "t": 7}'),
    ],
)
def test_a_line_keeps_everything_but_its_time(line: str, path: tuple[str, ...], expected: str) -> None:
    assert replaced(line, path, 7) == expected
