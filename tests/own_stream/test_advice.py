"""What the text of a profile advises: no bound that only covers up a fault, and no time that nobody waits."""

from dataclasses import replace

import pytest
from tidemark.spark_bridge.profile.counts.figures import Spread, Windows
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, Where
from tidemark.spark_bridge.profile.profile import (
    ChannelProfile,
    Profile,
    ProfileRequest,
    WindowProfile,
    tables_of,
    windows_of,
)

HOUR = 3_600_000
SPREAD = Spread(0, 10, 200, 900, HOUR)
SOUND = Profile(
    asked=ProfileRequest((2000,), window=60_000),
    records=1000, unreadable=0, keys=3, times=(0, HOUR), arrivals=None,
    channels=(ChannelProfile(0, 1000, 0, HOUR, 1000, SPREAD),), behind=SPREAD,
    late=((0, 300), (1000, 1), (2000, 1), (HOUR, 0)), recommended=900, lateness_instead=0,
    windows=WindowProfile(Windows(60_000, 2000), 1, 0, (2100, 9000)),
)  # fmt: skip


def finding(code: str) -> Finding:
    return Finding(code, 12, {}, "", {}, Cause(code, 12, Where()))


def test_a_healthy_stream_is_told_which_bound_is_enough() -> None:
    assert windows_of(SOUND)[-2:] == [
        "With a bound of 900ms, at most 0.1 % of the records are late.",
        "With a bound of 2s, an allowed lateness of 0s keeps what windows drop within 0.1 %.",
    ]


@pytest.mark.parametrize(
    ("code", "advises"), [("bound-too-small", True), ("future-timestamps", False), ("replay", False)]
)
def test_a_bound_that_covers_a_fault_is_a_figure_and_no_advice(code: str, advises: bool) -> None:
    lines = windows_of(replace(SOUND, recommended=HOUR + 789, findings=(finding(code),)))
    assert ("With a bound of 1h1m, at most 0.1 % of the records are late." in lines) is advises
    assert ("As it is, 1h789ms is the smallest bound with at most 0.1 % late records." in lines) is not advises
    assert any("allowed lateness of 0s keeps" in line for line in lines) is advises


@pytest.mark.parametrize(
    ("wait", "line"),
    [
        ((2100, 9000), "from the end of a window to its result: half of them take up to 2s100ms, 99 % up to 9s"),
        ((-3595386, 4000),
         "half of the results come 59m55s386ms or more before their window ends: the event times are ahead of the "
         "arrivals"),
        (None, "no window fires, so nothing is waited for"),
    ],
)  # fmt: skip
def test_a_wait_is_a_time_that_somebody_waits(wait: tuple[int, int] | None, line: str) -> None:
    windows = WindowProfile(Windows(60_000, 2000), 1, 0, wait)
    assert f"  {line}" in windows_of(replace(SOUND, windows=windows))


def test_bounds_that_all_lose_the_same_are_said_to() -> None:
    told = "Choosing among bounds of up to 2s changes nothing: with each of them 87.5 % of the records are late."
    alike = replace(SOUND, late=((0, 875), (1000, 875), (2000, 875), (5 * HOUR, 0)))
    assert told in windows_of(alike)
    assert not any("Choosing among" in line for line in windows_of(SOUND))


def test_the_table_of_bounds_ends_where_no_record_is_late() -> None:
    """Also where that is no round number: the last one before it may be far below the longest delay."""
    minutes = ((0, 300), (2_000_000, 40), (3_200_000, 2), (4_000_000, 0))
    _, (_, *rows) = tables_of(replace(SOUND, asked=ProfileRequest(), late=minutes))[1]
    assert rows == [["0s", "300", "30 %"], ["33m20s", "40", "4 %"], ["1h6m40s", "0", "0 %"]]
