"""Which listings a scenario walks through: those of its operator, its triggers, and the way of its watermarks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tidemark.simulator.engine.triggers.base import ConfiguredTrigger, TriggerFacts
from tidemark.simulator.engine.values.items import Checkpoint, Restore
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.model import Scenario

# The listings: short pseudo-code of Flink's operators in our own words, as files beside this one.
#
# A file holds sections, ``[name] Flink's own class and method`` and under it lines ``id | text``. The id says which
# micro-step stands there; a line without one only helps to read. They hold no words: names in them are Flink's
# terms.

_HEAD = re.compile(r"\[([\w.]+)\] (.+)")


@dataclass(frozen=True, slots=True)
class Line:
    """``id`` is "" where no micro-step stands; ``text`` keeps its indentation of two spaces a level."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Method:
    """``flink``: the class and method of Flink that these lines retell, in Java's spelling."""

    flink: str
    lines: tuple[Line, ...]


@cache
def methods() -> dict[str, Method]:
    """All sections of all files by their names; ``ValueError`` for a name that comes twice or a line without a bar."""
    found: dict[str, Method] = {}
    for path in sorted(files(__package__).joinpath("texts").iterdir(), key=lambda each: each.name):
        if path.name.endswith(".code"):
            _read(path.read_text(encoding="utf-8"), path.name, found)
    return found


def _read(text: str, where: str, found: dict[str, Method]) -> None:
    for section in re.split(r"\n(?=\[)", text):
        head, *rest = section.strip().splitlines()
        match = _HEAD.fullmatch(head)
        if match is None:
            continue  # what stands before the first section is a note
        name, flink = match.groups()
        if name in found or not all("|" in line for line in rest):
            message = f"{where}: section {name}"
            raise ValueError(message)
        parts: list[Any] = [line.partition("|") for line in rest]
        found[name] = Method(flink, tuple(Line(id.strip(), text[1:]) for id, _, text in parts))


@dataclass(frozen=True, slots=True)
class Part:
    """A chapter of the walk. ``name``: ``batch``, ``operator``, ``trigger``, ``watermark`` or ``recovery``."""

    name: str
    methods: tuple[Method, ...]


def walk(scenario: Scenario) -> list[Part]:
    """The chapters in reading order; every line id is there once at most within a trigger, and once elsewhere."""
    chapters = _of_batches(scenario) if scenario.engine == "spark" else _chapters(scenario)
    known = methods()
    return [
        Part(name, tuple(known[each] for each in dict.fromkeys(sections)))
        for name, sections in chapters.items()
        if sections
    ]


def _chapters(scenario: Scenario) -> dict[str, list[str]]:
    return {
        "operator": scenario.operator.code_walk(),
        "trigger": [each for name in trigger_names(scenario) for each in _of_trigger(name)],
        "watermark": list(_watermark(scenario)),
        "recovery": _recovery(scenario),
    }


def _of_batches(scenario: Scenario) -> dict[str, list[str]]:
    """Without a watermark nothing is read for one, and nothing is filtered by it."""
    marked = any(each.delay is not None for each in scenario.inputs)
    operator = [each for each in scenario.operator.code_walk() if marked or each != "batch.filter"]
    return {
        "batch": ["batch.trigger"],
        "operator": [*(["batch.read"] if marked else []), *operator],
        "watermark": ["batch.watermark"] if marked else [],
    }


def trigger_names(scenario: Scenario) -> list[str]:
    """The classes of the triggers, the outer one first."""
    operator = scenario.operator
    if operator.trigger is None or not operator.asks_trigger:
        return []
    # As it is written, also a late trigger that the table runtime drops.
    return list(_classes(operator.trigger, is_event_time=operator.time == "event"))


def _classes(trigger: TriggerFacts | ConfiguredTrigger, *, is_event_time: bool) -> Iterator[str]:
    inside: Sequence[TriggerFacts] | Sequence[ConfiguredTrigger]
    if isinstance(trigger, ConfiguredTrigger):
        yield type(trigger.in_time(is_event_time=is_event_time)).__name__
        inside = trigger.written()
    else:
        yield type(trigger).__name__
        inside = trigger.nested()
    for each in inside:
        yield from _classes(each, is_event_time=is_event_time)


def _of_trigger(name: str) -> list[str]:
    return [each for each in (f"{name}.element", f"{name}.timer") if each in methods()]


def _watermark(scenario: Scenario) -> Iterator[str]:
    for spec in (each.watermark for each in scenario.inputs):
        yield from _source(spec)
    yield "source.end"
    yield "input"
    yield "valve.watermark"
    yield "valve.status"
    if scenario.operator.combines_watermarks:
        yield "valve.two_inputs"
        yield "operator.combined"
    else:
        yield "valve.minimum"
    yield from ("operator.watermark", "timers.event", "timers.processing", "clock")


def _source(spec: model.WatermarkSpec) -> Iterator[str]:
    if not spec.makes_watermarks:
        return
    if spec.in_table_runtime:
        yield from ("source.sql", "source.sql_advance")
        if spec.idle_timeout:
            yield "source.sql_idle"
        return
    # What only ascends is bounded by nothing: AscendingTimestampsWatermarks extends the bounded generator.
    own = f"generator.{spec.type}"
    yield from ("source.record", own if own in methods() else "generator.bounded")
    if spec.idle_timeout:
        yield "generator.idleness"
    yield "source.emit"


def _recovery(scenario: Scenario) -> list[str]:
    items = scenario.stream if isinstance(scenario.stream, tuple | list) else ()
    sections = []
    if any(isinstance(item, Checkpoint) for item in items):
        sections.append("checkpoint.snapshot")
    if any(isinstance(item, Restore) for item in items):
        sections.append("checkpoint.restore")
        if scenario.operator.is_table_function:
            sections += ["slice.restore", "slice.watermark"]
        sections.append("checkpoint.abort")
    return [*sections, "task"]
