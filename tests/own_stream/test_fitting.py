"""The rules of a clock that changes: exact to the record, whoever arrives beside the change."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tidemark.spark_bridge.profile.findings.finding import Cause, Rule, Where, applied, put_right
from tidemark.spark_bridge.profile.findings.fitting import fitted
from tidemark.spark_bridge.profile.findings.records import Records

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
