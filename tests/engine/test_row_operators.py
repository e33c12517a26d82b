"""Operators without windows: the numbers of the rules, and random streams against a plain model."""

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record, Watermark
from tidemark.simulator.scenario import model, parse

from tests.engine.plain_rows import plain_rows
from tests.engine.transcript import row_lines, scenario_text
from tests.examples import examples
from tests.random_scenarios.borders import step_of
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import event_sorts, interval_joins
from tidemark import simulator

PLAIN = Uses(items=40, channels=1, generators=("none",), ticks=False, clock=False, controls=("watermark",), restores=0)

JOIN = "{type: temporal-join, kind: left}"
INNER = "{type: temporal-join}"
FIRST = "{type: deduplicate, keep: first}"
LAST = "{type: deduplicate, keep: last}"


def over(frame: str, compute: str = "sum") -> str:
    return f"{{type: over, frame: {{{frame}}}, function: {{call: aggregate, compute: {compute}}}}}"


def given_rows(operator: str, stream: str, inputs: str = "") -> list[str]:
    """The rows without watermarks; of a pair the times of both, of OVER the value."""
    rows = simulator.run_rows(parse(scenario_text(operator, stream, inputs), "transcript.yaml"))
    shown = []
    for row in rows:
        if row["row"] == "joined":
            right = row["right"]
            shown.append(f"{row['left']['ts']} with {None if right is None else right['ts']}")
        elif row["row"] == "emitted":
            change = f"{row['change']} " if "change" in row else ""
            shown.append(f"{change}{row['key']}@{row['ts']} = {row['value']}")
        elif row["row"] != "watermark":
            shown.append(f"{row['row']} {row['key']}@{row['ts']}")
    return shown


def both(watermark: int) -> str:
    return f"- {{in: left, watermark: {watermark}}}\n- {{in: right, watermark: {watermark}}}\n"


def left(*times: int) -> str:
    return "".join(f"- {{in: left, ts: {ts}, key: a}}\n" for ts in times)


def versions(*times: int) -> str:
    return "".join(f"- {{in: right, ts: {ts}, key: a, value: {ts}}}\n" for ts in times)


END = "- {end: true}\n"


# --- temporal join -------------------------------------------------------------------------------------------------


def test_a_late_left_row_finds_the_old_version_until_a_timer_of_the_key_cleans_up() -> None:
    stream = versions(1000, 3000) + left(1500) + both(2000) + left(1500) + both(2001) + both(4000) + left(1500) + END
    assert given_rows(JOIN, stream) == ["1500 with 1000", "1500 with 1000", "1500 with 1000"]


def test_of_the_versions_at_or_before_the_watermark_only_the_newest_is_kept() -> None:
    stream = versions(1000, 2000, 9000) + both(5000) + left(1500) + both(6000) + left(5500) + END
    assert given_rows(JOIN, stream) == ["1500 with None", "5500 with 2000"]


def test_left_rows_come_out_in_order_of_arrival_when_both_watermarks_have_passed() -> None:
    stream = versions(1000) + left(1500, 500) + "- {in: left, watermark: 3000}\n- {in: right, watermark: 2000}\n"
    assert given_rows(JOIN, stream) == ["1500 with 1000", "500 with None"]
    assert given_rows(INNER, stream) == ["1500 with 1000"]


def test_a_delete_ends_the_version_and_its_value_is_ignored() -> None:
    stream = versions(1000) + "- {in: right, ts: 2000, key: a, op: delete, value: 7}\n" + left(1999, 2000) + END
    assert given_rows(JOIN, stream) == ["1999 with 1000", "2000 with None"]


def test_a_version_that_comes_again_replaces_the_first() -> None:
    stream = versions(1000) + "- {in: right, ts: 1000, key: a, value: new}\n" + left(1000) + END
    assert row_lines(JOIN, stream, kinds="joined") == ["joined a None with new"]


def test_nothing_comes_while_one_side_stands_still_and_an_idle_side_does_not_hold_back() -> None:
    stream = left(1000) + "- {in: left, watermark: 9000}\n"
    assert given_rows(JOIN, stream) == []
    assert given_rows(JOIN, stream + "- {in: right, status: idle}\n" + versions(500)) == ["1000 with None"]


# --- OVER ----------------------------------------------------------------------------------------------------------


def test_a_bounded_frame_never_looks_at_the_watermark() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {ts: 5000, key: a, value: 2}
        - {watermark: 3000}
        - {ts: 1000, key: a, value: 4}
        - {ts: 1001, key: a, value: 8}
        - {ts: 2000, key: b, value: 16}
        - {watermark: 3001}
        - {ts: 2000, key: b, value: 16}
        - {ts: 1500, key: a, value: 32}
        - {end: true}
    """
    assert given_rows(over("rows: 1"), stream) == [
        "a@1000 = 1",
        "dropped a@1000",
        "a@1001 = 9",
        "b@2000 = 16",
        "dropped b@2000",
        "a@1500 = 40",
        "a@5000 = 34",
    ]
    unbounded = ["a@1000 = 1", "dropped a@1000", "dropped a@1001", "dropped b@2000", "dropped b@2000", "dropped a@1500"]
    assert given_rows(over("rows: unbounded"), stream) == [*unbounded, "a@5000 = 3"]


def test_both_ends_of_a_range_belong_to_it() -> None:
    rows = zip((1000, 1999, 2000, 2001, 3001), (1, 2, 4, 8, 16), strict=True)
    stream = "".join(f"- {{ts: {ts}, key: a, value: {value}}}\n" for ts, value in rows) + END
    assert [line.rpartition(" ")[2] for line in given_rows(over("range: 1s"), stream)] == ["1", "3", "7", "14", "24"]


def test_a_silent_key_forgets_its_last_timer_and_takes_old_rows_again() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 2500}
        - {ts: 1000, key: a, value: 2}
        - {watermark: 2501}
        - {ts: 1000, key: a, value: 4}
        - {watermark: 2502}
        - {ts: 900, key: a, value: 8}
        - {watermark: 2503}
    """
    assert given_rows(over("range: 1s"), stream) == ["a@1000 = 1", "dropped a@1000", "a@1000 = 4", "a@900 = 8"]


def test_a_bounded_frame_drops_what_is_not_after_the_epoch() -> None:
    stream = "".join(f"- {{ts: {ts}, key: a, value: 1}}\n" for ts in (-1000, 0, 1)) + END
    assert given_rows(over("rows: 0"), stream) == ["dropped a@-1000", "dropped a@0", "a@1 = 1"]
    assert given_rows(over("range: 0"), stream) == ["dropped a@-1000", "dropped a@0", "a@1 = 1"]
    assert given_rows(over("range: unbounded"), stream) == ["a@-1000 = 1", "a@0 = 2", "a@1 = 3"]


def test_rows_of_one_time_are_peers_by_range_only() -> None:
    stream = "".join(f"- {{ts: {ts}, key: a, value: {v}}}\n" for ts, v in ((1000, 1), (500, 8), (1000, 2), (1000, 4)))
    values = {"rows: 1": [8, 9, 3, 6], "range: unbounded": [8, 15, 15, 15], "rows: unbounded": [8, 9, 11, 15]}
    for frame, wanted in values.items():
        assert [int(line.rpartition(" ")[2]) for line in given_rows(over(frame), stream + END)] == wanted, frame


def test_a_sum_fails_when_it_leaves_64_bits_and_not_because_of_a_value_that_has_left() -> None:
    stream = "".join(f"- {{ts: {ts}, key: a, value: {2**63 - 1}}}\n" for ts in (1, 2)) + END
    assert row_lines(over("rows: 1"), stream)[-1] == "error ArithmeticException"
    assert len(given_rows(over("rows: 0"), stream)) == 2


def test_after_a_restore_only_an_unbounded_frame_takes_what_was_late() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 1000}
        - {checkpoint: c}
        - {restore: c}
        - {ts: 1000, key: a, value: 2}
        - {end: true}
    """
    assert given_rows(over("rows: 1"), stream) == ["a@1000 = 1", "dropped a@1000"]
    assert given_rows(over("rows: unbounded"), stream) == ["a@1000 = 1", "a@1000 = 3"]


# --- deduplication -------------------------------------------------------------------------------------------------


def test_the_first_row_waits_and_a_row_at_the_watermark_is_not_late() -> None:
    stream = """
        - {ts: 2000, key: a, value: 1}
        - {ts: 1000, key: a, value: 2}
        - {ts: 1000, key: a, value: 4}
        - {watermark: 1000}
        - {ts: 1000, key: a, value: 8}
        - {ts: 999, key: a, value: 16}
        - {ts: 3000, key: b, value: 1}
        - {watermark: 2999}
        - {ts: 2999, key: b, value: 2}
        - {watermark: 3000}
    """
    assert given_rows(FIRST, stream) == ["+I a@1000 = 2", "dropped a@999", "+I b@2999 = 2"]


def test_the_last_row_is_a_stream_of_updates_without_a_watermark() -> None:
    stream = "".join(f"- {{ts: {ts}, key: a, value: {v}}}\n" for ts, v in ((2, 1), (1, 2), (2, 1), (3, 4)))
    assert given_rows(LAST, "- {watermark: 9}\n" + stream) == [
        "+I a@2 = 1", "-U a@2 = 1", "+U a@2 = 1", "-U a@2 = 1", "+U a@3 = 4",
    ]  # fmt: skip


# --- random streams ------------------------------------------------------------------------------------------------


def as_plain(row: Any) -> tuple[Any, ...]:
    key = (row["item"], row["row"], row["key"])
    if row["row"] == "joined":
        right = row["right"] or {"ts": None, "value": None}
        return (*key, row["left"]["ts"], row["left"]["value"], right["ts"], right["value"])
    return (*key, row["ts"], row["value"])


def comparable(rows: list[tuple[Any, ...]]) -> Counter[str]:
    return Counter(repr([round(each, 9) if isinstance(each, float) else each for each in row]) for row in rows)


def equals_the_plain_model(scenario: model.Scenario) -> None:
    rows = [as_plain(row) for row in simulator.run_rows(scenario) if row["row"] != "watermark"]
    whole = [(*row[:3], *(float(each) if type(each) is int else each for each in row[3:])) for row in rows]
    expected = [
        (*row[:3], *(float(each) if type(each) is int else each for each in row[3:])) for row in plain_rows(scenario)
    ]
    assert comparable(whole) == comparable(expected)


PLAINLY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("operators", [interval_joins(), event_sorts()], ids=["interval joins", "event sorts"])
@settings(PLAINLY, max_examples=examples(80))
@given(data=st.data())
def test_the_rows_are_those_of_a_plain_model(operators: st.SearchStrategy[model.Operator], data: st.DataObject) -> None:
    """Often with all times on one grid, where records meet watermarks and bounds exactly."""
    scenario = data.draw(scenarios(operators, PLAIN))
    step = data.draw(st.sampled_from([step_of(scenario.operator), 1]))
    stream = tuple(
        _at(item, item.ts // step * step) if isinstance(item, Record | Watermark) and item.ts is not None else item
        for item in scenario.stream
    )
    equals_the_plain_model(replace(scenario, stream=stream))


def _at(item: Record | Watermark, ts: int) -> Record | Watermark:
    return item._replace(ts=ts) if isinstance(item, Record) else replace(item, ts=ts)


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "stream", "message"),
    [
        ("{type: temporal-join, kind: full}", "[]", "3:39: `full` is not known here; choose one of `inner`, `left`"),
        ("{type: temporal-join, lower: 1s}", "[]", "`lower` is not allowed with `type: temporal-join`"),
        ("{type: over, function: {call: aggregate, compute: sum}}", "[]", "`frame` is missing here"),
        (over("rows: 1, range: 1s"), "[]", "write exactly one of `rows`, `range`"),
        (over(""), "[]", "write exactly one of `rows`, `range`"),
        (over("rows: -1"), "[]", "-1 is too small; the minimum is 0"),
        (over("range: -1s"), "[]", "`-1s` is too short; the minimum is 0s"),
        (over("rows: unbound"), "[]", "did you mean `unbounded`?"),
        (over("rows: 1", "collect"), "[]", "`collect` is not known here"),
        (over("rows: 1"), "[{ts: 1, key: a, value: x}]", "with `compute: sum` each record needs a number"),
        ("{type: deduplicate}", "[]", "`keep` is missing here"),
        ("{type: deduplicate, keep: any}", "[]", "`any` is not known here; choose one of `first`, `last`"),
        ("{type: deduplicate, keep: first, time: processing}", "[]", "`time` is not allowed with `type: deduplicate`"),
        (INNER, "[{in: left, ts: 1, key: a, op: delete}]", "`op` is only for records on the right side"),
        (INNER, "[{in: right, ts: 1, key: a, op: remove}]", "choose one of `upsert`, `delete`"),
        (FIRST, "[{ts: 1, key: a, op: upsert}]", "`op` is only for records on the right side"),
        (INNER, "[{ts: 1, key: a}]", "`in` is missing here"),
    ],
)
def test_what_is_refused(operator: str, stream: str, message: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        parse(f"scenario: 1\nname: a\noperator: {operator}\nstream: {stream}\n", "a.yaml")
    assert message in str(refused.value)


TTL = "{type: deduplicate, keep: last, state_ttl: 5s}"
UPDATES = st.lists(st.tuples(st.integers(0, 3_000), st.sampled_from("ab"), st.integers(1, 4)), max_size=12)


@given(UPDATES)
def test_a_key_is_new_again_when_its_row_has_expired(updates: list[tuple[int, str, int]]) -> None:
    """As if it had another name from then on: state is what the clock says of its last write."""
    clock, written, names, items, apart = 0, dict[str, int](), dict[str, int](), list[str](), list[str]()
    for ts, (pause, key, value) in enumerate(updates):
        clock += pause
        expired = key in written and written[key] + 5_000 <= clock
        names[key] = names.get(key, 0) + expired
        written[key] = clock  # timestamps rise, so each record is kept
        items.append(f"- {{ts: {ts}, key: {key}, value: {value}, at: {clock}}}")
        apart.append(f"- {{ts: {ts}, key: {key}{names[key]}, value: {value}, at: {clock}}}")
    expiring = row_lines(TTL, "\n".join(items) or "[]")
    for_ever = row_lines(TTL.replace(", state_ttl: 5s", ""), "\n".join(apart) or "[]")
    assert expiring == [re.sub(r"([ab])\d+", r"\1", line) for line in for_ever]
