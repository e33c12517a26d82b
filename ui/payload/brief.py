"""The configuration and the contents of a scenario in the fewest words that still say everything."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.simulator.timeline.ids import key_id
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import pieces, words
from tidemark.ui.payload.sentence import Parts, beside_the_end, in_pieces, setting_values


def brief(scenario: model.Scenario) -> list[Parts]:
    """``tumbling **5 s**``, ``bound **2 s**``, ``sum per key`` and the like: each piece with its values marked."""
    operator = scenario.operator
    told = [
        _windows(operator),
        _zone(operator),
        _watermark(scenario),
        _lateness(operator),
        *_trigger(operator),
        _computed(operator),
    ]
    return [piece for piece in told if piece]


def _windows(operator: model.Operator) -> Parts:
    if operator.assigner is not None:
        return in_pieces(operator.assigner, "brief")
    if operator.joins_by_time:
        values = {"lower": "–", "upper": "–"} | setting_values(operator)
        return pieces(words("player.brief.interval"), values)
    return pieces(words(f"player.brief.{operator.said_briefly}"), setting_values(operator))


def _zone(operator: model.Operator) -> Parts:
    zone = operator.session_zone
    return [] if zone is None else pieces(words("player.brief.in_zone"), {"zone": zone})


def _watermark(scenario: model.Scenario) -> Parts:
    if scenario.engine == "spark":
        delays = [each.delay for each in scenario.inputs if each.delay is not None]
        return pieces(words("player.brief.watermark.delay"), {"bound": duration(delays[0])}) if delays else []
    if scenario.operator.time == "processing":
        return pieces(words("player.brief.watermark.processing"), {})
    specs = list(dict.fromkeys(each.watermark for each in scenario.inputs))
    parts: Parts = []
    for number, spec in enumerate(specs):
        parts += [(" / ", False)] if number else []
        parts += in_pieces(spec, "brief")
    return parts


def _lateness(operator: model.Operator) -> Parts:
    lateness = operator.allowed_lateness
    if not lateness or operator.time == "processing":
        return []
    return pieces(words("player.brief.lateness"), {"lateness": duration(lateness)})


def _trigger(operator: model.Operator) -> list[Parts]:
    """What makes a window fire, if that is not simply its end; in SQL, what fires early and late."""
    trigger = operator.trigger
    if trigger is None:
        return []
    if isinstance(trigger, model.AfterEndOfWindow):
        return list(beside_the_end(trigger))
    usual = model.ProcessingTimeTrigger() if operator.time == "processing" else model.EventTimeTrigger()
    return [] if trigger == usual and not isinstance(operator.assigner, model.Global) else [in_pieces(trigger, "brief")]


def _computed(operator: model.Operator) -> Parts:
    values = setting_values(operator)
    if operator.result_briefly:
        return pieces(words(f"player.brief.{operator.result_briefly}"), values)
    if "compute" not in values:
        return []
    compute = values["compute"] if operator.compute is None else values["compute"].lower()
    return [(words("player.brief.compute", compute=compute), False)]


# What a scenario contains, in a few words, and how far a channel's watermark is below its largest timestamp.

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
