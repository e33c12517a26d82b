"""Durations and instants: what is read, what is refused, and that writing and reading are inverse."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.values.duration import (
    InstantError,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
)
from tidemark.simulator.engine.values.time import MAX, MIN

DURATIONS = {
    "200ms": 200,
    "5s": 5_000,
    "1m30s": 90_000,
    "2h": 7_200_000,
    "1d": 86_400_000,
    "-8h": -28_800_000,
    "1d2h3m4s5ms": 93_784_005,
    "1m5ms": 60_005,
    "0s": 0,
    "-0ms": 0,
    "007s": 7_000,
}


@pytest.mark.parametrize(("text", "milliseconds"), DURATIONS.items())
def test_a_duration_is_whole_numbers_with_units(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text", ["", "-", "5", "s", "1.5s", "1s1m", "1s1s", "1 s", " 1s", "+5s", "5S", "--5s", "1m-5s", "٥s", "1s\n", "1us"]
)
def test_other_texts_are_not_durations(text: str) -> None:
    assert parse_duration(text) is None


@given(st.integers(MIN, MAX))
def test_a_written_duration_reads_back(milliseconds: int) -> None:
    assert parse_duration(format_duration(milliseconds)) == milliseconds


INSTANTS = {
    "1970-01-01T00:00:00Z": 0,
    "2017-01-20T06:15:13Z": 1_484_892_913_000,
    "2017-01-20T06:15:13.250+08:00": 1_484_864_113_250,
    "2017-01-20T06:15Z": 1_484_892_900_000,
    "2017-01-20T06:15:13.25Z": 1_484_892_913_250,
    "2017-01-20T06:15:13.250000Z": 1_484_892_913_250,
    "1969-12-31T23:59:59.999Z": -1,
    "2024-02-29T00:00:00Z": 1_709_164_800_000,
}


@pytest.mark.parametrize(("text", "milliseconds"), INSTANTS.items())
def test_an_instant_has_a_date_a_time_and_a_zone(text: str, milliseconds: int) -> None:
    assert parse_instant(text) == milliseconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2017-01-20T06:15:13", "no_zone"),
        ("2017-01-20T06:15:13.2501Z", "too_fine"),
        ("2017-02-29T00:00:00Z", "no_such_instant"),
        ("1900-02-29T00:00:00Z", "no_such_instant"),
        ("2017-13-01T00:00:00Z", "no_such_instant"),
        ("2017-00-01T00:00:00Z", "no_such_instant"),
        ("2017-01-01T24:00:00Z", "no_such_instant"),
        ("2017-01-01T00:00:60Z", "no_such_instant"),
        ("2017-01-01T00:00:00+99:00", "no_such_instant"),
    ],
)
def test_an_impossible_instant_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(InstantError) as refusal:
        parse_instant(text)
    assert refusal.value.reason == reason


@pytest.mark.parametrize("text", ["", "2017-01-20", "20170120T061513Z", "2017-01-20 06:15:13Z", "now"])
def test_other_texts_are_not_instants(text: str) -> None:
    assert parse_instant(text) is None


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001 - the zone is added below
def test_the_calendar_agrees_with_the_standard_library(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    assert parse_instant(moment.isoformat(timespec="milliseconds")) == milliseconds
    assert parse_instant(format_instant(milliseconds)) == milliseconds


@given(st.integers(MIN, MAX))
def test_every_time_can_be_written(milliseconds: int) -> None:
    written = format_instant(milliseconds)
    assert written == str(milliseconds) or parse_instant(written) == milliseconds
