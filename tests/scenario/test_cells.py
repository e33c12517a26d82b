"""Cells of a table: times to the millisecond, and nothing for what is no time; numbers of 64 bits."""

import pytest
from tidemark.simulator.scenario.tables.cells import value_of
from tidemark.simulator.scenario.tables.times import FURTHEST, MOST_MS, Time, read_time

HOUR, DAY = 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("0:00", Time(0)),
        ("23:59:59.999", Time(DAY - 1)),
        ("23:59:59.999000", Time(DAY - 1)),
        ("23:59:59,9999", Time(DAY - 1, "finer")),
        ("12:04 AM", Time(240_000)),
        ("12:04 PM", Time(12 * HOUR + 240_000)),
        ("1:04 p.m.", Time(13 * HOUR + 240_000)),
        ("11:59 am", Time(12 * HOUR - 60_000)),
    ],
)
def test_a_time_of_day(text: str, time: Time) -> None:
    assert read_time(text, "clock", "UTC") == time
    of_day_one = read_time(f"1970-01-01 {text}", "iso", "UTC")
    assert of_day_one == time


@pytest.mark.parametrize("text", ["24:00", "23:60", "23:59:60", "13:00 PM", "0:30 AM", "0:30 pm", "1:2", "12"])
def test_no_time_of_day(text: str) -> None:
    assert read_time(text, "clock", "UTC") is None
    assert read_time(f"1970-01-01 {text}", "iso", "UTC") is None


@pytest.mark.parametrize("most", [MOST_MS, FURTHEST])
def test_a_number_reaches_as_far_as_it_may(most: int) -> None:
    for sign in ("", "-"):
        assert read_time(f"{sign}{most}", "epoch_ms", "UTC", most) == Time(int(f"{sign}{most}"))
        assert read_time(f"{sign}{most + 1}", "epoch_ms", "UTC", most) is None
    assert read_time(f"{most}.9", "epoch_ms", "UTC", most) == Time(most, "finer")
    assert read_time(f"-{most}.1", "epoch_ms", "UTC", most) is None


@pytest.mark.parametrize(
    ("text", "format", "time"),
    [
        ("-1.5", "epoch_ms", Time(-2, "finer")),
        ("-0.0001", "epoch_s", Time(-1, "finer")),
        ("1,5", "epoch_s", Time(1500)),
        ("1999", "epoch_us", Time(1, "finer")),
        ("-1000000", "epoch_ns", Time(-1)),
    ],
)
def test_a_number_is_cut_off_towards_the_past(text: str, format: str, time: Time) -> None:
    assert read_time(text, format, "UTC") == time


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", 2.0**63),
        ("-9223372036854775809", -(2.0**63)),
        ("1e400", "1e400"),
    ],
)
def test_a_number_is_whole_where_64_bits_hold_it(cell: str, value: object) -> None:
    assert value_of(cell, ".") == value
    assert type(value_of(cell, ".")) is type(value)
