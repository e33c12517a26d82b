"""Scenarios with another stream or other watermarks, whose items keep the moments that they belong to."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tidemark.simulator.engine.trace.events import WatermarkEmitted
from tidemark.simulator.engine.values.items import Item, Watermark
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.scenario.model import EACH_RECORD, InputSpec, NoWatermarks, Scenario
from tidemark.simulator.scenario.stream import items

ItemAt = tuple[Item, int]
"""A stream item and its moment."""

Part = tuple[Scenario, Sequence[int]]
"""A scenario, and the moment of each of its items."""


def items_of(truth: Ran) -> list[ItemAt]:
    """The items of a run with their moments."""
    return list(zip(items(truth.scenario), truth.moments, strict=True))


def with_items(truth: Ran, changed: Iterable[ItemAt], inputs: Sequence[InputSpec] | None = None) -> Part:
    """The scenario with these items, and with other ``inputs`` if given."""
    made = list(changed)
    stream = tuple(item for item, _ in made)
    specs = truth.scenario.inputs if inputs is None else tuple(inputs)
    return replace(truth.scenario, stream=stream, inputs=specs), [moment for _, moment in made]


def with_operator(scenario: Scenario, **changed: Any) -> Scenario:
    """The scenario with members of its operator changed."""
    return replace(scenario, operator=replace(scenario.operator, **changed))


def without_generators(truth: Ran) -> tuple[InputSpec, ...]:
    """The inputs without watermark generators."""
    return tuple(replace(each, watermark=NoWatermarks()) for each in truth.scenario.inputs)


def has_steady_watermarks(truth: Ran) -> bool:
    """Whether watermarks come only directly after records, or from the stream itself."""
    specs = [each.watermark for each in truth.scenario.inputs]
    return all(spec.emit == EACH_RECORD and not spec.idle_timeout for spec in specs)


def with_written_watermarks(truth: Ran) -> list[ItemAt]:
    """The items, and after each record, as an item, the watermark that its generator emitted in the true run.

    Only if ``has_steady_watermarks``.
    """
    given: dict[int, list[Watermark]] = {}
    for step in truth.trace:
        if isinstance(step.event, WatermarkEmitted) and step.event.source == "generator":
            event = step.event
            given.setdefault(step.item, []).append(Watermark(event.ts, event.input, event.channel, step.at))
    return [
        (each, moment)
        for number, (item, moment) in enumerate(items_of(truth))
        for each in (item, *given.get(number, ()))
    ]
