"""What a scenario contains, in a few words, and how far a channel's watermark is below its largest timestamp."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.simulator.timeline.ids import key_id
from tidemark.simulator.words import words

Row = dict[str, Any]


def with_taken(row: Row, scenario: Scenario) -> Row:
    """A channel's fact with ``taken``: the lengths of time (ms) that its watermark is below its largest timestamp.

    [] where that timestamp has not been sent yet: then the sum would give another number than the one beside it. None
    where the watermark comes from no timestamp at all.
    """
    spec, delay = scenario.input(row["input"]).watermark, scenario.input(row["input"]).delay
    seen = row["max_timestamp"]
    if delay is not None and seen is not None and seen - delay == row["watermark"]:
        return {**row, "taken": [delay]}
    if seen is None or not spec.makes_watermarks or row["emitted"] == MAX or row["watermark"] != row["emitted"]:
        return {**row, "taken": None}
    sent = seen - sum(spec.takes_off) == row["watermark"]
    return {**row, "taken": list(spec.takes_off) if sent else []}


def about(scenario: Scenario, tables: Mapping[str, list[Row]], whole: int, left_out: int = 0) -> str:
    """``12 records · 2 keys · 2 channels``; of a stream that was cut, how many of the ``whole``.

    ``left_out``: so many rows of a file beside the scenario are no records.
    """
    records = {row["id"]: row for row in tables["records"]}
    keys = {key_id(row["key"]) for row in records.values()}
    counts = {"record": len(records), "key": len(keys)}
    if scenario.engine == "spark":
        counts["batch"] = len({row["id"] for row in tables["batches"]})
    else:
        counts["channel"] = sum(each.channels for each in scenario.inputs)
    parts = [words(f"player.about.{n}_{'one' if c == 1 else 'many'}", count=c) for n, c in counts.items()]
    if len(records) < whole:
        parts[0] = words("player.about.first", count=len(records), whole=whole)
    if left_out:
        parts.insert(1, words(f"player.about.left_out_{'one' if left_out == 1 else 'many'}", count=left_out))
    if isinstance(scenario.stream, Generated):
        parts.append(words("player.about.generated", seed=scenario.stream.seed))
    return " · ".join(parts)


def records_in(scenario: Scenario) -> int:
    """The number of records in the stream."""
    if isinstance(scenario.stream, Generated):
        return scenario.stream.events
    if isinstance(scenario.stream, Data):
        return scenario.stream.known.records
    return sum(isinstance(item, Record) for item in scenario.stream)
