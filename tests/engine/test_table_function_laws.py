"""Window table functions against a second, naive model, and against the group windows of SQL."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from tidemark.simulator.engine.functions import aggregate_of
from tidemark.simulator.engine.values.items import Checkpoint, End, Record, Restore, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import model

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import table_functions, table_windows, window_top_ns
from tests.random_scenarios.windows import any_of
from tidemark import simulator

LAWS = settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
WRITTEN = Uses(channels=1, generators=("none",), ticks=False, clock=False, controls=("watermark", "watermark"))
"""One channel whose watermarks stand in the stream, with restores."""
EVENT = ("event",)
SLICES = table_functions(times=EVENT).filter(lambda each: not each.assigner.merges)


@LAWS
@given(scenarios(table_functions(times=EVENT), uses=Uses(restores=0)))
def test_without_a_restore_the_rows_are_those_of_group_windows(scenario: model.Scenario) -> None:
    assert isinstance(scenario.operator, model.Window)
    group_windows = replace(scenario, operator=replace(scenario.operator, api="sql"))
    assert comparable(scenario) == comparable(group_windows)


@LAWS
@given(scenarios(table_windows(zones=("UTC",))))
def test_group_windows_in_the_local_time_of_utc_are_those_without_a_zone(scenario: model.Scenario) -> None:
    """The one takes the way of instants and local times, the other knows one time only."""
    assert isinstance(scenario.operator, model.Window)
    plain = replace(scenario, operator=replace(scenario.operator, session_zone=None))
    assert simulator.run_rows(scenario) == simulator.run_rows(plain)


@LAWS
@given(scenarios(any_of(SLICES, window_top_ns()), uses=WRITTEN))
def test_a_second_model_gives_the_same_rows(scenario: model.Scenario) -> None:
    assert comparable(scenario) == shown(Naive(scenario).rows())


def comparable(scenario: model.Scenario) -> list[str]:
    return shown(simulator.run_rows(scenario))


def shown(rows: list[dict[str, Any]]) -> list[str]:
    """Rows of one item as a multiset, numbers without their last digits: slices add doubles in another order."""
    return sorted(str((row["item"], sorted({**row, "value": _rounded(row.get("value"))}.items()))) for row in rows)


def _rounded(value: Any) -> Any:
    return round(value, 6) + 0.0 if isinstance(value, int | float) else value


class Naive:
    """Every record is kept, with the item at which it came; a window looks at all of them when it ends."""

    def __init__(self, scenario: model.Scenario) -> None:
        self.operator: Any = scenario.operator
        self.stream = scenario.stream
        self.at = scenario.origin

    def rows(self) -> list[dict[str, Any]]:
        self.kept: dict[Any, list[Record]] = defaultdict(list)
        self.watermark, self.valve = MIN, MIN
        out: list[dict[str, Any]] = []
        saved: dict[str, Any] = {}
        assert isinstance(self.stream, tuple)
        for index, item in enumerate(self.stream):
            if isinstance(item, Checkpoint):
                kept = {key: list(held) for key, held in self.kept.items()}
                saved[item.name] = index, kept, self.watermark, len(out)
            elif isinstance(item, Restore):
                begun, kept, self.watermark, count = saved[item.name]
                self.kept = defaultdict(list, {key: list(held) for key, held in kept.items()})
                self.valve = MIN
                del out[count:]
                saved = {name: each for name, each in saved.items() if each[0] <= begun}
                for number in range(begun + 1, index):
                    out += self.step(number, self.stream[number])
            else:
                out += self.step(index, item)
        return out

    def step(self, index: int, item: Any) -> Iterator[dict[str, Any]]:
        common = {"at": self.at, "item": index}
        if isinstance(item, Record):
            yield from self.record(item, common)
        elif isinstance(item, Watermark | End):
            ts = MAX if isinstance(item, End) else item.ts
            if ts > self.valve:
                self.valve = ts
                yield from self.advance(ts, common)

    def record(self, item: Record, common: dict[str, Any]) -> Iterator[dict[str, Any]]:
        known = None if self.watermark == MIN else self.watermark
        assert item.ts is not None
        windows = self.windows(item.ts)
        open_windows = [window for window in windows if window[1] - 1 > self.watermark]
        lost = {"row": "dropped", "input": "events", "key": item.key, "ts": item.ts, "value": item.value}
        if isinstance(self.operator, model.WindowTopN):
            for start, end in windows:
                if (start, end) not in open_windows:
                    yield {**lost, "start": start, "end": end, "watermark": known, **common}
        elif not open_windows:
            yield {**lost, "watermark": known, **common}
        for window in open_windows:
            self.kept[repr(item.key), window].append(item)

    def windows(self, ts: int) -> list[tuple[int, int]]:
        """All windows that hold ``ts``."""
        match self.operator.assigner:
            case model.Tumbling(size, offset):
                first = ts - (ts - offset) % size
                return [(first, first + size)]
            case model.Sliding(size, slide, offset):
                last = ts - (ts - offset) % slide
                return [(start, start + size) for start in range(last, ts - size, -slide)]
            case model.Cumulative(max_size, step, offset):
                first = ts - (ts - offset) % max_size
                return [(first, end) for end in range(first + step, first + max_size + 1, step) if end > ts]
        raise TypeError(self.operator)

    def advance(self, ts: int, common: dict[str, Any]) -> Iterator[dict[str, Any]]:
        if ts > self.watermark:
            self.watermark = ts
            for (key, (start, end)), held in sorted(self.kept.items(), key=lambda each: each[0][1][1]):
                if end - 1 <= ts:
                    del self.kept[key, (start, end)]
                    yield from self.fire(start, end, held, common)
        yield {"row": "watermark", "ts": self.watermark, **common}

    def fire(self, start: int, end: int, held: list[Record], common: dict[str, Any]) -> Iterator[dict[str, Any]]:
        moment = {"watermark": self.watermark, **common}
        operator = self.operator
        if isinstance(operator, model.WindowTopN):
            ordered = sorted(held, key=lambda each: each.value if operator.order == "asc" else -each.value)
            for rank, each in enumerate(ordered[: operator.n], 1):
                found = {"row": "ranked", "key": each.key, "start": start, "end": end, "rank": rank}
                yield {**found, "ts": each.ts, "value": each.value, **moment}
            return
        value = aggregate_of(operator.function.compute, [each.value for each in held])
        pane = {"row": "pane", "key": held[0].key, "start": start, "end": end, "timing": "on-time", "pane": 0}
        yield {**pane, "value": value, "timestamp": end - 1, **moment}
