"""The result that a firing of each window would emit now: the function over what the state holds."""

from collections.abc import Sequence
from typing import Any, Final

from tidemark.simulator.engine.functions import AGGREGATES, AggregateFunction
from tidemark.simulator.engine.trace.trace import plain
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.window import Window
from tidemark.simulator.scenario import model
from tidemark.simulator.spark_rules.aggregation import aggregate
from tidemark.simulator.timeline.operator import buffers_rows, keeps_lists, keeps_panes

Entry = tuple[Key, Window]

FAILS: Final = object()
"""Stands for an accumulator with which a firing would fail: a sum outside 64 bits."""


def _aggregate(scenario: model.Scenario) -> AggregateFunction | None:
    """The function over the values; None if the state holds the result itself, or only a firing shows it."""
    operator = scenario.operator
    if not isinstance(operator, model.Window) or operator.evictor is not None or operator.function.call == "reduce":
        return None
    return AGGREGATES.get(operator.function.compute or "")


def result_of(scenario: model.Scenario, held: Any) -> Any:
    """The result of the one value that the state holds, as JSON."""
    aggregate = _aggregate(scenario)
    return plain(held if aggregate is None else aggregate.result(held))


def shown_result(operator: model.SparkWindow, held: Any) -> Any:
    """The result of what a window of Spark's holds, as JSON."""
    return plain(aggregate(operator.function.compute or "", doubles=False).result(held))


class Results:
    """Results by (key, state window), kept up to date at each change, so that none is computed over a whole list."""

    def __init__(self, scenario: model.Scenario) -> None:
        self._aggregate = _aggregate(scenario)
        self._accumulates = keeps_lists(scenario) or keeps_panes(scenario) or buffers_rows(scenario.operator)
        self._accumulators: dict[Entry, Any] = {}

    def get(self, entry: Entry) -> Any:
        """The result as JSON; None when nothing is there, and where only a firing shows it: ``collect``, evictors."""
        accumulator = self._accumulators.get(entry)
        if accumulator is None or accumulator is FAILS:
            return None
        return plain(accumulator if self._aggregate is None else self._aggregate.result(accumulator))

    def add(self, entry: Entry, value: Any, after: Any) -> None:
        """``value`` was added; ``after`` is what the state holds now."""
        if not self._accumulates:
            self._accumulators[entry] = after
        elif self._aggregate is not None:
            self._accumulate(entry, (value,))

    def merge(self, target: Entry, sources: Sequence[Entry], after: Any) -> None:
        """What the ``sources`` hold went to ``target``; ``after`` is what the state holds there now."""
        for entry in (target, *sources):
            self.clear(entry)
        if not self._accumulates:
            self._accumulators[target] = after
        elif self._aggregate is not None:
            self._accumulate(target, after or ())

    def clear(self, entry: Entry) -> None:
        """Forget the entry."""
        self._accumulators.pop(entry, None)

    def save(self) -> dict[Entry, Any]:
        """A copy of the accumulators."""
        return dict(self._accumulators)

    def restore(self, saved: dict[Entry, Any]) -> None:
        """Go back to what was saved."""
        self._accumulators = dict(saved)

    def _accumulate(self, entry: Entry, values: Sequence[Any]) -> None:
        function = self._aggregate
        assert function is not None
        held = self._accumulators.get(entry, function.create_accumulator())
        if held is FAILS:
            return
        try:
            for value in values:
                held = function.add(held, value)
        except EngineFailure:
            held = FAILS
        self._accumulators[entry] = held
