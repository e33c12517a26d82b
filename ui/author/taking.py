"""Puts the records of a table into a draft: after its last record, or in place of all its records."""

from collections.abc import Sequence

from tidemark.simulator.scenario.editing import Path, Plain, ScenarioText, Value, insert, put, remove, set_list
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.tables import Record
from tidemark.simulator.values.items import End
from tidemark.ui.author.draft import Draft

STREAM: Path = ("stream",)


def with_records(draft: Draft, records: Sequence[Record], *, replace: bool) -> ScenarioText:
    """The text with ``records`` in its stream, and with as many channels as they need.

    A stream that ends does so after them: an end that would arrive before the last of them loses its arrival.
    Raises ``EditError`` if the whole file is written in braces.
    """
    assert draft.scenario is not None
    assert draft.read is not None
    if not records:
        return draft.read
    scenario = draft.scenario
    text = _with_channels(draft.read, scenario, records)
    items = () if isinstance(scenario.stream, Generated) else scenario.stream
    end = next((number for number, item in enumerate(items) if isinstance(item, End)), None)
    if replace or not items:
        ending: list[dict[str, Value]] = [] if end is None else [{"end": True}]
        return set_list(text, "stream", [*records, *ending])
    text = insert(text, STREAM, len(items) if end is None else end, *records)
    if end is not None and any("at" in record for record in records):
        text = _without_arrival(text, end + len(records))
    return text


def _without_arrival(text: ScenarioText, item: int) -> ScenarioText:
    path: Path = (*STREAM, item, "at")
    return remove(text, path) if text.has(path) else text


def _with_channels(text: ScenarioText, scenario: Scenario, records: Sequence[Record]) -> ScenarioText:
    """Each input gets the channels that the records name; each channel has a generator by the input's strategy."""
    for place, each in enumerate(scenario.inputs):
        mine = [
            int(record["channel"])
            for record in records
            if "channel" in record and (len(scenario.inputs) == 1 or (record.get("in") == each.name) or not place)
        ]
        if mine and max(mine) >= each.channels:
            text = put(text, ("inputs", each.name, "channels"), Plain(str(max(mine) + 1)))
    return text
