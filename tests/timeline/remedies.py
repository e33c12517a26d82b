"""A run that continues: what happens when more items follow the last one of a scenario."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.events import OperatorFailed, PaneFired, TriggerEvaluated
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.scenario.model import (
    DynamicSession,
    EventTimeTrigger,
    Function,
    ProcessingTimeoutTrigger,
    PurgingTrigger,
    Scenario,
    Tumbling,
    Window,
    WindowJoin,
)
from tidemark.simulator.timeline.conditions import conditions
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.ids import window_id

from tests.random_scenarios.flink import Uses, scenarios
from tidemark import simulator


class Standing:
    """A run without its end of input, and the facts that hold after its last item."""

    def __init__(self, scenario: Scenario) -> None:
        assert isinstance(scenario.stream, tuple)
        stream = tuple(item for item in scenario.stream if not isinstance(item, End))
        self.scenario = replace(scenario, stream=stream)
        _, trace = simulator.run_traced(self.scenario)
        self.timeline: Timeline = timeline.build(self.scenario, trace)
        self.failed = any(isinstance(step.event, OperatorFailed) for step in trace)
        self.conditions = [row for row in conditions(self.timeline) if row["until_step"] is None]
        self.clock = next(row["value"] for row in self.now("clock"))

    def now(self, table: str) -> list[Row]:
        """The facts that hold after the last item."""
        return [row for row in self.timeline.tables[table] if row["until_step"] is None]

    def nearest(self, kind: str) -> dict[str, int]:
        """The first ``watermark`` or ``clock`` (ms) that each window waits for; the end of input does not count.

        A timer that was set for a time already past waits for the next watermark, whatever that is.
        """
        nearest: dict[str, int] = {}
        next_one = 1 + max((row["value"] for row in self.now("watermark") if row["value"] is not None), default=0)
        operator = self.scenario.operator
        windows = not self.failed and isinstance(operator, Window | WindowJoin)
        for row in self.conditions if windows else ():
            if row["kind"] == kind and row["phase"] in ("waiting", "past") and row["needs"] < 2**62:
                needs = row["needs"] if row["phase"] == "waiting" else next_one
                nearest[row["of"]] = min(needs, nearest.get(row["of"], needs))
        return nearest

    def record(self, input: str, channel: int, ts: int) -> Record:
        """A record with a key that no other record has."""
        operator = self.scenario.operator
        gap = isinstance(operator, Window) and isinstance(operator.assigner, DynamicSession)
        return Record("another", ts, {"gap": 1000} if gap else 1, input, channel)

    def fires(self, window: str, more: Sequence[Item], method: str) -> bool:
        """Whether ``more`` makes a timer of ``window`` fire it through ``method``, or at its end without a trigger."""
        stream = self.scenario.stream
        assert isinstance(stream, tuple)
        _, trace = simulator.run_traced(replace(self.scenario, stream=(*stream, *more)))
        for step in trace:
            match step.event:
                case TriggerEvaluated(key=key, window=fired) if step.event.method == method and step.event.fires:
                    pass
                case PaneFired(key=key, window=fired) if self.scenario.operator.fires_without_trigger:
                    pass
                case _:
                    continue
            if step.item >= len(stream) and window_id(key, fired) == window:
                return True
        return False

    @property
    def clock_matters(self) -> bool:
        """Whether the clock may decide when the trigger's event-time timers fire.

        It does where it drives the trigger, and where it can make a channel idle: that channel then stops holding the
        watermark back, or loses the one that it would send.
        """
        if any(each.watermark.idle_timeout for each in self.scenario.inputs):
            return True
        trigger: Any = getattr(self.scenario.operator, "trigger", None)
        while isinstance(trigger, PurgingTrigger):
            trigger = trigger.inner
        return (
            isinstance(trigger, ProcessingTimeoutTrigger) or getattr(self.scenario.operator, "time", "") == "processing"
        )


HELD_BACK = Uses(
    items=9,
    keys=(("a",),),
    channels=3,
    generators=("bounded-out-of-orderness", "sql", "punctuated"),
    controls=("status", "watermark"),
    restores=0,
)


def held_back() -> st.SearchStrategy[Scenario]:
    """Event-time windows behind one to three channels, which emit watermarks after each record or periodically."""
    sizes = st.sampled_from([2000, 5000])
    sums = st.builds(lambda size: Window(Tumbling(size), EventTimeTrigger(), Function("aggregate", "sum")), sizes)
    return scenarios(sums, HELD_BACK)
