"""A Flink scenario by Spark's rules: the micro-batches in which Spark gives the same rows, if there are any.

Spark's watermark moves between micro-batches, and its filter for late records follows one batch behind. With one
record a batch and an empty batch behind each, both have moved by the next record, as Flink's has. What is left of the
difference is looked at, not argued: the simulator runs both, and a scenario whose rows differ has no program.
"""

from collections import Counter
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.programs.facts import Facts, NotExpressible
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    BoundedOutOfOrderness,
    EventTimeTrigger,
    InputSpec,
    IntervalJoin,
    MonotonousTimestamps,
    Punctuated,
    Scenario,
    Session,
    Sliding,
    SparkJoin,
    SparkWindow,
    SqlWatermark,
    Tumbling,
    Window,
    session_zone_of,
)  # fmt: skip
from tidemark.simulator.values.items import BatchEnd, Item, Record
from tidemark.simulator.values.json_text import json_text

END: Final = "\x00end"
"""The key of a last record that only moves the watermark; no program prints it."""


def by_spark(facts: Facts) -> Scenario:
    """The scenario by Spark's rules that gives the rows of ``facts``. Raises ``NotExpressible`` if there is none."""
    scenario = facts.scenario
    if any(not isinstance(each, Record) for each in facts.items):
        raise NotExpressible("spark_watermarks")
    if any(each.channels > 1 for each in scenario.inputs):
        raise NotExpressible("spark_channels")
    if (zone := session_zone_of(scenario.operator)) is not None:
        raise NotExpressible("spark_zone", zone=zone)
    operator = _operator(facts)
    inputs = tuple(InputSpec(each.name, delay=_delay(each)) for each in scenario.inputs)
    items: list[Item] = []
    for record in facts.records():
        items += [record._replace(at=None, channel=0), BatchEnd(), BatchEnd()]
    made = replace(scenario, operator=operator, inputs=inputs, stream=tuple(items), engine="spark", goals=(),
                   walkthrough=())  # fmt: skip
    if facts.ends and isinstance(operator, SparkWindow):
        # A join has given its pairs by then.
        made = _ended(made, operator)
    if _compared(_rows(made)) != _compared(list(facts.rows)):
        raise NotExpressible("spark_differs")
    return made


def _operator(facts: Facts) -> SparkWindow | SparkJoin:
    match facts.scenario.operator:
        case Window() as window:
            fires_once = isinstance(window.trigger, EventTimeTrigger) or (
                isinstance(window.trigger, AfterEndOfWindow)
                and window.trigger.early is None
                and window.trigger.late is None
            )
            if not fires_once or window.evictor is not None:
                raise NotExpressible("spark_trigger")
            if not isinstance(window.assigner, Tumbling | Sliding | Session):
                raise NotExpressible("spark_assigner", assigner=window.assigner.type)
            if isinstance(window.assigner, Sliding) and window.assigner.slide > window.assigner.size:
                raise NotExpressible("spark_slide")
            if window.function.compute not in ("sum", "count", "min", "max", "avg"):
                raise NotExpressible("sql_function", function=window.function.compute)
            return SparkWindow(window.assigner, replace(window.function, call="aggregate"))
        case IntervalJoin() as join:
            # Spark's bounds belong to the interval, so a bound that does not moves by the least step.
            return SparkJoin(join.lower + join.lower_exclusive, join.upper - join.upper_exclusive)
        case other:
            raise NotExpressible("spark_operator", operator=other.type)


def _delay(given: InputSpec) -> int:
    """Spark's ``withWatermark``: a window goes when its end, and not its end - 1, is at or below the watermark."""
    match given.watermark:
        case BoundedOutOfOrderness(bound=bound):
            return bound
        case MonotonousTimestamps():
            return 0
        case SqlWatermark(bound=bound) | Punctuated(bound=bound) if bound:
            return bound - 1
    raise NotExpressible("spark_strategy", input=given.name)


def _ended(scenario: Scenario, operator: SparkWindow) -> Scenario:
    """``scenario`` with a last record so far ahead that the watermark passes every window but its own."""
    assert isinstance(scenario.stream, tuple)
    times = [each.ts or 0 for each in scenario.stream if isinstance(each, Record)]
    (given,) = scenario.inputs
    assigner = operator.assigner
    assert isinstance(assigner, Tumbling | Sliding | Session)
    reach = assigner.gap if isinstance(assigner, Session) else assigner.size
    later = max(times, default=0) + (given.delay or 0) + 2 * reach + 86_400_000
    return replace(scenario, stream=(*scenario.stream, Record(END, later, 0, given.name), BatchEnd()))


def _rows(scenario: Scenario) -> list[Any]:
    rows: list[Any] = []
    run(scenario, lambda row: rows.append(row) if row["row"] in ("pane", "joined", "error") else None)
    return [row for row in rows if row.get("key") != END]


def _compared(rows: list[Any]) -> Counter[str]:
    names = ("row", "key", "start", "end", "left", "right")
    found: Counter[str] = Counter()
    for row in rows:
        value = row.get("value")
        number = float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        found[json_text({**{name: row.get(name) for name in names}, "value": number})] += 1
    return found
