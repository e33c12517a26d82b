"""Writes out a generated stream: a line for each record, with times in the draft's own form."""

from typing import Final

from tidemark.simulator.scenario.editing import EditError, Plain, ScenarioText, Value, set_list
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.values.items import End, Record
from tidemark.ui.author.cells import CellError, Clock

MOST: Final = 400
"""How many records are written out at most."""


def listed(text: ScenarioText, scenario: Scenario, clock: Clock) -> ScenarioText:
    """``text`` with its records instead of their generator. Raises ``CellError`` if there are too many."""
    stream = scenario.stream
    if not isinstance(stream, Generated):
        raise EditError("no_such_place")
    if stream.events > MOST:
        raise CellError("too_many_records")
    return set_list(text, "stream", [_item(item, scenario, clock) for item in items(scenario)])


def _item(item: object, scenario: Scenario, clock: Clock) -> dict[str, Value]:
    if isinstance(item, End):
        return {"end": True}
    if not isinstance(item, Record):
        return {"batch": Plain("end")}
    assert item.ts is not None
    said: dict[str, Value] = {"ts": clock.written(item.ts, None), "key": Plain(str(item.key)), "value": item.value}
    if len(scenario.inputs) > 1:
        said["in"] = Plain(item.input)
    if item.channel:
        said["channel"] = item.channel
    if item.at is not None:
        said["at"] = clock.written(item.at, None)
    return said
