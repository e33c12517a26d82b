"""Generated streams that seek borders on the clock: a share of the records comes where the clock decides something."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import ScenarioError, parse
from tidemark.simulator.scenario.generated import Arrivals, ClockGrid, arrivals_in
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items

from tidemark import simulator

SORT = "{type: process, function: {call: event-sort}}"
BY_CLOCK = (
    "{type: window, time: processing, assigner: {type: tumbling, size: 1s}, function: {call: aggregate, compute: sum}}"
)
SESSION = BY_CLOCK.replace("tumbling, size: 1s", "session, gap: 700ms")
TICKS = "{channels: 3, watermark: {generator: bounded-out-of-orderness, bound: 2s, emit: 200ms, idle_timeout: 250ms}}"
NO_TICKS = "{watermark: {generator: bounded-out-of-orderness, bound: 2s}}"


def scenario(operator: str, inputs: str, borders: float = 0.4, every: str = "70ms") -> Scenario:
    return parse(
        f"scenario: 1\nname: clock\ninputs: {{events: {inputs}}}\noperator: {operator}\nstream:\n  generate: "
        f"{{events: 3000, seed: 7, keys: 10, every: {every}, disorder: {{max: 4s}}, borders: {borders}}}\n"
    )


def times(of: Scenario) -> list[int]:
    return [each.at or 0 for each in items(of) if isinstance(each, Record)]


def test_records_come_at_a_tick_and_a_millisecond_beside_it() -> None:
    """At a tick of the same millisecond the tick is first, so the record is counted by the next one only."""

    def beside(borders: float) -> Counter[int]:
        return Counter((at + 1) % 200 - 1 for at in times(scenario(SORT, TICKS, borders)))

    assert beside(0)[-1] == beside(0)[1] == 0
    assert min(beside(0.4)[each] for each in (-1, 0, 1)) > 30


def test_a_channel_is_found_idle_at_the_tick_before_which_its_record_would_have_come() -> None:
    of = scenario(SORT, TICKS)
    plain = scenario(SORT, TICKS, 0)
    assert [each for each in simulator.run_rows(of) if each["row"] == "watermark"] != [
        each for each in simulator.run_rows(plain) if each["row"] == "watermark"
    ]


@pytest.mark.parametrize(("operator", "step"), [(BY_CLOCK, 1000), (SESSION, 700)])
def test_records_come_where_a_window_of_the_clock_ends(operator: str, step: int) -> None:
    beside = Counter((at + 1) % step - 1 for at in times(scenario(operator, NO_TICKS)))
    assert min(beside[each] for each in (-1, 0, 1)) >= 5


def test_timestamps_and_all_else_stay_what_they_are() -> None:
    def rest(borders: float) -> list[tuple[object, ...]]:
        made = items(scenario(BY_CLOCK, NO_TICKS, borders))
        return [(each.key, each.ts, each.value) for each in made if isinstance(each, Record)]

    assert rest(0.4) == rest(0)


def test_nothing_that_looks_at_no_clock_comes_at_another_time() -> None:
    assert times(scenario(SORT, NO_TICKS)) == times(scenario(SORT, NO_TICKS, 0))


def test_no_record_can_come_later_within_a_millisecond() -> None:
    with pytest.raises(ScenarioError, match="make `every` at least 2 ms"):
        scenario(BY_CLOCK, NO_TICKS, every="1ms")


GRIDS = st.lists(st.builds(ClockGrid, st.integers(1, 300), st.integers(0, 300)), max_size=3).map(tuple)


@given(
    st.builds(Arrivals, st.integers(-500, 500), st.integers(2, 200), st.integers(0, 9), st.just(500_000), GRIDS),
    st.lists(st.integers(-600, 4000), max_size=20),
)
def test_the_clock_never_goes_back_and_the_first_record_at_a_time_is_found(of: Arrivals, clocks: list[int]) -> None:
    comes = [of.at(index) for index in range(5000 // of.every + 2)]
    assert comes == sorted(comes)
    assert all(-1 <= at - (of.origin + index * of.every) < of.every - 1 for index, at in enumerate(comes))
    for clock in clocks:
        if clock <= comes[-1]:
            assert of.first_at(clock) == next(index for index, at in enumerate(comes) if at >= clock)


def test_a_stream_has_its_arrivals_from_its_scenario() -> None:
    of = scenario(SORT, TICKS)
    assert times(of) == [arrivals_in(of).at(index) for index in range(3000)]
