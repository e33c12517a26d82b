"""What a scenario holds, in a few words, and the sum that a channel's watermark comes from."""

from collections.abc import Mapping
from typing import Any

from simulator.scenario.model import Generated, Scenario
from simulator.timeline.format import duration
from simulator.timeline.ids import key_id
from simulator.values.items import Record
from simulator.values.time import MAX
from simulator.words import words
from ui.times import TimeStyle

Row = dict[str, Any]


def with_formula(row: Row, scenario: Scenario, style: TimeStyle) -> Row:
    """A channel's fact with the sum that its own watermark comes from: ``11.000 − 2.000 − 0.001``.

    Where the largest time has not been sent yet, the sum would give another number than the one beside it: then that
    time alone. Of times on the clock only what is taken off, ``− 30 s``, or nothing: the drawer has the whole.
    """
    spec, delay = scenario.input(row["input"]).watermark, scenario.input(row["input"]).delay
    seen = row["max_timestamp"]
    if delay is not None and seen is not None and seen - delay == row["watermark"]:
        return {**row, "formula": f"{style.exact(seen)} − {style.format.span(delay)}"}
    if seen is None or not spec.makes_watermarks or row["emitted"] == MAX or row["watermark"] != row["emitted"]:
        return {**row, "formula": ""}
    taken = spec.takes_off
    if seen - sum(taken) != row["watermark"]:
        told = words("player.seen_not_sent", time=style.exact(seen)) if style.in_seconds else ""
        return {**row, "formula": told}
    if not style.in_seconds:
        return {**row, "formula": " ".join(f"− {duration(ms)}" for ms in taken)}
    return {**row, "formula": " − ".join([style.exact(seen), *map(style.format.span, taken)])}


def about(scenario: Scenario, tables: Mapping[str, list[Row]], whole: int) -> str:
    """``12 records · 2 keys · 2 channels``; of a stream that was cut, how many of the ``whole``."""
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
    if isinstance(scenario.stream, Generated):
        parts.append(words("player.about.generated", seed=scenario.stream.seed))
    return " · ".join(parts)


def records_in(scenario: Scenario) -> int:
    """How many records the stream holds."""
    if isinstance(scenario.stream, Generated):
        return scenario.stream.events
    return sum(isinstance(item, Record) for item in scenario.stream)
