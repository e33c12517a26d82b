"""Generated streams that seek borders: a share of the records is where a comparison of the operator turns."""

from collections import Counter

import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import ScenarioError, parse
from tidemark.simulator.scenario.generated import borders_of
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml

from tidemark import simulator

TUMBLING = "{type: window, assigner: {type: tumbling, size: 5s}, allowed_lateness: 3s, function: {call: aggregate, compute: sum}}"  # noqa: E501
JOIN = "{type: interval-join, lower: -2s, upper: 3s}"
SORT = "{type: process, function: {call: event-sort}}"
BOUNDED = "{watermark: {generator: bounded-out-of-orderness, bound: 2s}}"


def scenario(operator: str = TUMBLING, borders: object = 0.1, inputs: str = f"{{events: {BOUNDED}}}") -> Scenario:
    return parse(
        f"scenario: 1\nname: borders\ninputs: {inputs}\noperator: {operator}\nstream:\n  generate: {{events: 30000, "
        f"seed: 7, keys: 100, every: 10ms, disorder: {{max: 4s}}, late: {{fraction: 0.02, by: 20s}}, "
        f"borders: {borders}}}\n"
    )


def records(of: Scenario) -> list[Record]:
    return [each for each in items(of, 5000) if isinstance(each, Record)]


def test_the_other_records_stay_what_they_are() -> None:
    seeking, plain = records(scenario()), records(scenario(borders=0))
    moved = [number for number, pair in enumerate(zip(seeking, plain, strict=True)) if pair[0] != pair[1]]
    assert 450 < len(moved) < 550
    assert all(
        (one.key, one.value, one.at) == (two.key, two.value, two.at) for one, two in zip(seeking, plain, strict=True)
    )


def test_a_record_that_seeks_lies_at_a_border_or_a_millisecond_beside_it() -> None:
    every = records(scenario(borders=1))
    # The ends of windows; the records by which the watermark reaches them, and the end of the lateness 3 s later.
    places = Counter(((each.ts or 0) + 2) % 5000 - 2 for each in every)
    assert set(places) <= {-2, -1, 0, 1, 1999, 2000, 2001}


def test_the_watermark_stands_exactly_at_the_end_of_the_lateness_and_beside_it() -> None:
    """``lateness + 1``, or ``<`` for ``<=``, changes these rows; without borders there are none."""

    def found(borders: float) -> Counter[tuple[str, int]]:
        counted: Counter[tuple[str, int]] = Counter()
        for row in simulator.run_rows(scenario(borders=borders)):
            if row["row"] == "dropped":
                counted["dropped", row["watermark"] - (row["ts"] // 5000 * 5000 + 7999)] += 1
            elif row.get("timing") == "late":
                counted["fires again", row["watermark"] - (row["end"] + 2999)] += 1
        return counted

    plain, seeking = found(0), found(0.1)
    assert plain["dropped", 0] == plain["fires again", -1] == 0
    assert seeking["dropped", 0] > 10
    assert seeking["dropped", 1] > 10
    assert seeking["fires again", -1] > 10
    assert seeking["fires again", 0] == 0


def test_pairs_of_a_join_lie_exactly_at_its_bounds() -> None:
    rows = simulator.run_rows(scenario(JOIN, 0.3, f"{{left: {BOUNDED}, right: {BOUNDED}}}"))
    apart = Counter(row["right"]["ts"] - row["left"]["ts"] for row in rows if row["row"] == "joined")
    assert min(apart[each] for each in (-2000, -1999, 2999, 3000)) > 5
    assert set(apart) <= set(range(-2000, 3001))


def test_the_watermark_of_several_channels_reaches_borders_too() -> None:
    of = scenario(SORT, 0.1, f"{{events: {{channels: 3, {BOUNDED[1:]}}}")
    stream = of.stream
    assert isinstance(stream, Generated)
    borders = borders_of(of.operator, of.inputs, stream)
    assert borders is not None
    step = borders.grids[0].step
    steps = [row["ts"] % step for row in simulator.run_rows(of) if row["row"] == "watermark"]
    assert min(steps.count(each) for each in (0, 1, step - 1)) > 10


def test_records_never_come_further_ahead_or_behind_than_is_said() -> None:
    of = scenario(borders=0.5)
    assert isinstance(of.stream, Generated)
    borders = borders_of(of.operator, of.inputs, of.stream)
    assert borders is not None
    delays = [(each.at or 0) - (each.ts or 0) for each in records(of)]
    assert -borders.ahead <= min(delays) < 0
    assert max(delays) <= 24_000 + borders.behind


@pytest.mark.parametrize("operator", [TUMBLING, SORT, JOIN])
def test_how_far_a_record_can_move_is_exact(operator: str) -> None:
    inputs = f"{{left: {BOUNDED}, right: {BOUNDED}}}" if operator == JOIN else f"{{events: {BOUNDED}}}"
    of = scenario(operator, 0.5, inputs)
    assert isinstance(of.stream, Generated)
    borders = borders_of(of.operator, of.inputs, of.stream)
    assert borders is not None
    moved = [
        borders.time(arrival, arrival, side, number, offset) - arrival
        for arrival in range(6000)
        for side in range(len(of.inputs))
        for number in range(len(borders.grids))
        for offset in (-1, 0, 1)
    ]
    assert (max(moved), min(moved)) == (borders.ahead, -borders.behind)


GLOBAL = TUMBLING.replace("tumbling, size: 5s", "global").replace(
    "allowed_lateness: 3s", "trigger: {type: count, max: 3}"
)


@pytest.mark.parametrize(
    ("operator", "share", "said"),
    [
        (GLOBAL, 0.1, "no borders to seek"),
        (TUMBLING, 1.5, "from 0 to 1"),
        (TUMBLING, "10%", "from 0 to 1"),
    ],
)
def test_what_has_no_borders_is_refused(operator: str, share: object, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        scenario(operator, share)


def test_a_stream_is_written_as_it_was_read() -> None:
    of = scenario(borders=0.25)
    assert '"borders": 0.25' in as_yaml(of)
    assert parse(as_yaml(of)).stream == of.stream
