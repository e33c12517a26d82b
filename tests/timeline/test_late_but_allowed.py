"""The timeline of one run as a transcript: one record within the allowed lateness, and one that is too late."""

from dataclasses import replace

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.timeline import Timeline, build
from tidemark.simulator.timeline.facts import Row

from tests.timeline.in_words import in_words
from tests.timeline.scenarios import late_but_allowed


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    scenario = late_but_allowed()
    return build(scenario, run_traced(scenario)[1])


def steps(timeline: Timeline, item: int) -> list[Row]:
    return [step for step in in_words(timeline) if step["item"] == item]


def sentences(timeline: Timeline, item: int) -> list[str]:
    return [step["what"] for step in steps(timeline, item)]


def last(timeline: Timeline, item: int) -> int:
    number: int = steps(timeline, item)[-1]["step"]
    return number


def one(timeline: Timeline, step: int, table: str, **columns: object) -> Row:
    (row,) = [each for each in timeline.at(step, table)[table] if columns.items() <= each.items()]
    return row


def test_a_late_record_within_the_lateness_fires_the_window_again(timeline: Timeline) -> None:
    assert sentences(timeline, 6) == [
        "The clock moves to 10.3 s.",
        "Record #6 arrives on channel 0: key a, 3.9 s, value 6.",
        "Record #6 belongs to window [0, 5).",
        "Record #6 goes into window [0, 5) of key a: sum 22 so far.",
        "The trigger fires window [0, 5) of key a.",
        "Window [0, 5) of key a fires again: result 22.",
    ]
    fired = steps(timeline, 6)[-1]
    assert fired["why"] == (
        "The watermark is at 5.199, and the window reaches up to 4.999: each late record fires it at once."
    )
    assert fired["trail"] == ["arrived", "added", "fired"]
    assert in_words(timeline, level="source")[fired["step"]]["trail"] == [
        "clock",
        "arrived",
        "windows assigned",
        "added",
        "trigger decides",
        "fired",
    ]


def test_a_record_that_is_too_late_is_dropped_and_the_reason_has_its_numbers(timeline: Timeline) -> None:
    *_, skipped, dropped = steps(timeline, 9)
    assert skipped["what"] == "Record #9 is too late for window [0, 5) of key b."
    assert skipped["predicate"] == "7.999 <= 8.999"
    assert skipped["rule"] == {
        "name": "window-late",
        "formula": "max_timestamp + allowed_lateness <= watermark",
        "numbers": {"max_timestamp": 4999, "allowed_lateness": 3000, "watermark": 8999},
        "holds": True,
    }
    assert dropped["what"] == "Record #9 is dropped: key b, 2.8 s, value 9."
    assert dropped["why"] == "Its window [0, 5) was cleaned up: the watermark had passed the end plus the lateness."
    assert dropped["predicate"] == "5.800 <= 8.999"
    assert dropped["touches"] == ["record:9", "output:9", "counters"]


def test_without_lateness_the_reason_does_not_mention_it() -> None:
    scenario = late_but_allowed(lateness=0)
    *_, dropped = steps(build(scenario, run_traced(scenario)[1]), 9)
    assert dropped["why"] == "Its window [0, 5) was cleaned up: the watermark had passed its end."


def test_a_rule_that_does_not_hold_is_shown_as_its_negation(timeline: Timeline) -> None:
    waits = next(step for step in steps(timeline, 3) if step["event"] == "TriggerEvaluated")
    assert waits["rule"]["holds"] is False
    assert waits["predicate"] == "9.999 > 1.399"
    assert waits["why"] == "The window reaches up to 9.999, and the watermark is at 1.399."


def test_a_fate_is_known_only_from_the_step_that_decides_it(timeline: Timeline) -> None:
    def fates(step: int) -> str:
        return " ".join(row["fate"] for row in sorted(timeline.at(step, "records")["records"], key=lambda r: r["item"]))

    assert fates(0) == " ".join(["ahead"] * 10)
    assert fates(last(timeline, 4)) == " ".join(["on-time"] * 5 + ["ahead"] * 5)
    assert fates(last(timeline, 10)) == " ".join([*["on-time"] * 6, "late-accepted", "on-time", "on-time", "dropped"])
    arrives = next(step["step"] for step in steps(timeline, 9) if step["event"] == "RecordArrived")
    assert fates(arrives).endswith("on-time arrived")


def test_out_of_order_is_a_matter_of_arrival_not_a_fate(timeline: Timeline) -> None:
    end = timeline.number_of_steps - 1
    out_of_order = [row["item"] for row in timeline.at(end, "records")["records"] if row["out_of_order"]]
    assert out_of_order == [4, 6, 9]
    record = one(timeline, end, "records", item=4)
    assert one(timeline, end, "records", item=0)["newest_ts"] is None
    assert (record["fate"], record["newest_ts"], record["newest_arrival"]) == ("on-time", 7200, 7400)


def test_a_record_of_the_same_time_as_the_newest_is_in_order() -> None:
    scenario = replace(late_but_allowed(), stream=(Record("a", 1000, 1), Record("a", 1000, 2)))
    timeline = build(scenario, run_traced(scenario)[1])
    assert [row["out_of_order"] for row in timeline.at(20, "records")["records"]] == [False, False]
    assert timeline.arrival_axis == "item"


def test_a_window_fires_twice_is_cleaned_up_and_remains_in_the_tables(timeline: Timeline) -> None:
    def window(item: int) -> Row:
        return one(timeline, last(timeline, item), "windows", key="a", start=0)

    states = [(window(item)["status"], window(item)["firings"], window(item)["result"]) for item in (0, 4, 5, 6, 8)]
    assert states == [("open", 0, 4), ("open", 0, 16), ("fired", 1, 16), ("fired", 2, 22), ("cleared", 2, None)]
    assert window(0)["kept_until"] == 7999


def test_contents_and_firings_are_found_by_the_window(timeline: Timeline) -> None:
    step = last(timeline, 6)
    window = one(timeline, step, "windows", key="a", start=0)
    contents = [row for row in timeline.at(step, "contents")["contents"] if row["holder"] == window["holder"]]
    assert [(row["item"], row["value"], row["late"]) for row in contents] == [
        (0, 4, False),
        (1, 5, False),
        (4, 7, False),
        (6, 6, True),
    ]
    firings = [row["row"] for row in timeline.at(step, "outputs")["outputs"] if row["window"] == window["id"]]
    assert [(row["timing"], row["value"]) for row in firings] == [("on-time", 16), ("late", 22)]


def test_the_watermark_is_a_step_line_over_arrival(timeline: Timeline) -> None:
    assert timeline.arrival_axis == "at"
    moves = [(row["arrival"], row["before"], row["value"]) for row in timeline.tables["watermark"]]
    assert moves[:3] == [(None, None, None), (3600, None, -1001), (4900, -1001, 1399)]


def test_the_channel_that_holds_the_watermark_is_marked(timeline: Timeline) -> None:
    def holder(item: int) -> int:
        channel: int = one(timeline, last(timeline, item), "channels", holds=True)["channel"]
        return channel

    assert [holder(item) for item in (0, 1, 2, 7, 8)] == [1, 0, 1, 0, 1]
    assert steps(timeline, 8)[10]["why"].endswith("The slowest channel decides: channel 1.")


def test_timers_wait_in_the_order_in_which_they_fire(timeline: Timeline) -> None:
    waiting = sorted(
        timeline.at(last(timeline, 2), "timers")["timers"], key=lambda row: (row["timestamp"], row["order"])
    )
    assert [(row["timestamp"], row["key"], row["purpose"]) for row in waiting] == [
        (4999, "a", "fire"),
        (4999, "b", "fire"),
        (7999, "a", "cleanup"),
        (7999, "b", "cleanup"),
    ]
