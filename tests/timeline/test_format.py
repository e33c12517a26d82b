"""How times are written: in seconds near the epoch, as local date and time elsewhere."""

import pytest
from tidemark.simulator.engine.values.items import Item, Record, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, TimeWindow
from tidemark.simulator.scenario.model import EventTimeTrigger, Function, Generated, Scenario, Tumbling, Window
from tidemark.simulator.timeline.wording import TimeFormat, duration, time_format

OPERATOR = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"))
NINE = 1484902800000
"""2017-01-20T09:00:00Z"""


def format_of(*items: Item, zone: str = "UTC", origin: int = 0) -> TimeFormat:
    return time_format(Scenario("times", OPERATOR, items, zone=zone, origin=origin))


SECONDS = format_of(Record("a", 2800), Watermark(MAX))


@pytest.mark.parametrize(
    ("ms", "record", "exact"),
    [
        (0, "0.0 s", "0.000"),
        (2800, "2.8 s", "2.800"),
        (8999, "8.999 s", "8.999"),
        (-1, "−0.001 s", "−0.001"),
        (-1500, "−1.5 s", "−1.500"),
    ],
)
def test_records_have_few_decimals_and_watermarks_three(ms: int, record: str, exact: str) -> None:
    assert SECONDS.record(ms) == record
    assert SECONDS.exact(ms) == exact


def test_the_ends_of_time_are_infinite() -> None:
    assert SECONDS.exact(MAX) == "+∞"
    assert SECONDS.exact(MIN) == "−∞"


def test_windows_are_half_open_and_the_global_one_has_no_bounds() -> None:
    assert SECONDS.window(TimeWindow(0, 5000)) == "[0, 5)"
    assert SECONDS.window(TimeWindow(-500, 1250)) == "[−0.5, 1.25)"
    assert SECONDS.window(GLOBAL_WINDOW) == ""


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 s"),
        (200, "200 ms"),
        (2000, "2 s"),
        (2500, "2.5 s"),
        (-60000, "−1 min"),
        (90000, "1 min 30 s"),
        (60250, "1 min 250 ms"),
        (600000, "10 min"),
        (8 * 3600000, "8 h"),
        (86400000, "1 d"),
    ],
)
def test_durations_are_split_by_their_units(ms: int, text: str) -> None:
    assert duration(ms) == text


def test_real_dates_are_written_in_local_time() -> None:
    times = format_of(Record("a", NINE + 2800), zone="Asia/Shanghai")
    assert times.record(NINE + 2800) == "17:00:02.8"
    assert times.exact(NINE + 8999) == "17:00:08.999"
    assert times.window(TimeWindow(NINE, NINE + 3600000)) == "[17:00, 18:00)"
    assert times.window(TimeWindow(NINE, NINE + 5000)) == "[17:00, 17:00:05)"


def test_the_date_is_written_only_if_there_are_several() -> None:
    one_day = format_of(Record("a", NINE))
    several = format_of(Record("a", NINE), Record("a", NINE + 86400000))
    assert one_day.record(NINE) == "09:00:00"
    assert one_day.record(NINE + 86400000) == "01-21 09:00:00"
    assert several.record(NINE) == "01-20 09:00:00"


def test_a_time_zone_or_a_late_origin_selects_local_time() -> None:
    assert format_of(Record("a", 0), zone="Europe/Berlin").record(0) == "01:00:00"
    generated = Scenario("generated", OPERATOR, Generated(10, 7, 2, 100), origin=NINE)
    assert time_format(generated).record(NINE) == "09:00:00"


def test_a_time_outside_the_calendar_is_still_written() -> None:
    assert format_of(Record("a", 2**62)).record(2**62) == "4611686018427387.904 s"


def test_a_stream_without_times_uses_seconds() -> None:
    assert format_of().style == "seconds"
