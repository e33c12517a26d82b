"""What a timeline shows of a temporal join, OVER and a deduplication: rows, versions, frames, sentences."""

from tidemark.simulator.engine.values.items import DELETE, Checkpoint, Record, Restore, Watermark
from tidemark.simulator.scenario.model import Deduplicate, Frame, Function, Over, TemporalJoin

from tests.timeline.test_other_operators import after, columns, sentences, timeline_of

BOTH = ("left", "right")
SUM = Function("aggregate", "sum")


def test_versions_follow_one_another_and_a_left_row_meets_the_one_of_its_time() -> None:
    timeline = timeline_of(
        TemporalJoin("left"),
        Record("a", 1000, "old", "right"),
        Record("a", 3000, None, "right", op=DELETE),
        Record("a", 2999, "order", "left"),
        Record("a", 3000, "late order", "left"),
        Watermark(9000, "left"),
        Watermark(3000, "right"),
        inputs=BOTH,
    )
    found = columns(after(timeline, 1, "versions"), "ts", "until", "op")
    assert sorted(found) == [(1000, 3000, "upsert"), (3000, None, DELETE)]
    assert columns(after(timeline, 4, "queue"), "ts", "item") == [(2999, 2), (3000, 3)], "one side has no watermark"
    assert sentences(timeline, "LeftRowJoined") == [
        (
            "Left record #2 of key a, order at 2.999 s, meets the version old at 1.0 s.",
            "The version from 1.000 is the last one that begins at or before 2.999.",
        ),
        (
            "Left record #3 of key a, late order at 3.0 s, meets no version and is emitted without one.",
            "The version had ended at 3.000, and none has begun by 3.000.",
        ),
    ]
    assert columns(after(timeline, 5, "versions"), "ts") == [(3000,)]
    assert after(timeline, 5, "queue") == []


def test_a_row_at_the_watermark_is_late_and_joined_all_the_same() -> None:
    timeline = timeline_of(
        TemporalJoin("left"),
        Watermark(3000, "left"),
        Watermark(3000, "right"),
        Record("a", 3000, "late", "left"),
        Record("a", 3001, "in time", "left"),
        Watermark(9000, "left"),
        Watermark(9000, "right"),
        inputs=BOTH,
    )
    assert columns(after(timeline, 3, "records"), "ts", "fate") == [(3000, "late-accepted"), (3001, "on-time")]
    assert len(sentences(timeline, "LeftRowUnmatched")) + len(sentences(timeline, "LeftRowJoined")) == 2


def test_a_row_moves_from_those_that_wait_into_the_frame_and_out_of_it() -> None:
    timeline = timeline_of(
        Over(Frame(range=1000), SUM),
        Record("a", 2500, 4),
        Record("a", 1000, 1),
        Watermark(1999),
        Record("a", 2000, 2),
        Watermark(2500),
    )
    assert columns(after(timeline, 2, "frames"), "ts") == [(1000,)]
    assert columns(after(timeline, 3, "queue"), "ts", "item") == [(2500, 0), (2000, 3)]
    assert columns(after(timeline, 4, "frames"), "ts", "item") == [(2000, 3), (2500, 0)]
    assert sentences(timeline, "FrameMoved")[-1] == (
        "The frame of key a takes in 4 and lets go of 1: sum 6.",
        "The frame holds the records from 1.500 on.",
    )
    assert sentences(timeline, "OverEmitted")[-1][0] == "Record #0 gets the sum of its frame, 6: key a, 2.5 s, value 4."


def test_the_first_row_so_far_waits_and_gives_way_to_an_earlier_one() -> None:
    timeline = timeline_of(Deduplicate("first"), Record("a", 2000, 1), Record("a", 1000, 2), Watermark(1000))
    assert columns(after(timeline, 1, "queue"), "ts", "item") == [(1000, 1)]
    assert sentences(timeline, "RowDisplaced") == [
        (
            "Record #0 is no longer the first of its key: key a, 2.0 s, value 1.",
            "1.000 is earlier than 2.000, the record that waits.",
        )
    ]
    assert columns(after(timeline, 2, "records"), "fate") == [("on-time",), ("on-time",)]


def test_rows_of_a_boolean_key_are_found_again_after_a_restore() -> None:
    timeline = timeline_of(
        Over(Frame(range=0), SUM),
        Record(True, 100, 1),
        Checkpoint("c1"),
        Record("a", 200, 2),
        Restore("c1"),
        Watermark(100),
    )
    assert columns(after(timeline, 1, "queue"), "key") == [(True,)]
    assert columns(after(timeline, 4, "queue"), "key") == [("a",)]
