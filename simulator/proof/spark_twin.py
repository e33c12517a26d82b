"""A scenario by Flink's rules, rewritten for Spark: the same records, cut into micro-batches.

Not every scenario has such a twin; ``why_no_twin`` names the obstacles. What Spark does not have, and what can be left
out without changing the question (allowed lateness, several channels, the end of the input), is left out. ``Twin.lost``
names it, since it may be a reason why the two differ.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, cast

from tidemark.simulator.engine.values.items import (
    Advance,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.limits import COMPARED_ITEMS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.stream import items

REFUSED: Final = (
    "not_flink", "operator", "processing_time", "assigner", "trigger", "evictor", "retractions", "compute",
    "no_delay", "explicit_watermark", "restore", "no_timestamp", "empty_interval", "too_long",
)  # fmt: skip
"""Why there is no twin; the words are ``side_by_side.no_twin.<name>``."""

LOST: Final = (
    "end_of_input",
    "allowed_lateness",
    "channels",
    "idleness",
    "periodic",
    "one_millisecond",
    "session_zone",
)
"""What a twin leaves out; the words are ``side_by_side.lost.<name>``."""

RECORDS_A_BATCH: Final = 3
"""The records in a micro-batch where nobody has chosen another number: few, so that a short scenario has several."""

_COMPUTES: Final = ("sum", "count", "min", "max", "avg")


@dataclass(frozen=True, slots=True)
class Twin:
    """The same records by Spark's rules. ``lost``: see ``LOST``.

    ``origin_of`` maps each item of the twin's stream to the item of the original (None for the end of a batch),
    ``last_items`` each micro-batch to the last item of the original that had arrived by its end.
    """

    scenario: model.Scenario
    origin_of: tuple[int | None, ...]
    last_items: tuple[int, ...]
    lost: tuple[str, ...]


class NoTwin(Exception):
    """There is no twin; ``names`` are members of ``REFUSED``."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(", ".join(names))
        self.names = names


def twin_of(scenario: model.Scenario, *, size: int | None = None, interval: int | None = None) -> Twin:
    """The twin, with ``size`` records a batch, or with a batch for each ``interval`` (ms) of arrival.

    Exactly one of the two is given, and is at least 1. By arrival, there is a batch without records where nothing
    arrived in an interval, as for Spark's trigger; several of these in a row are one. Raises ``NoTwin``.
    """
    if (size is None) == (interval is None) or (size or interval or 0) < 1:
        raise ValueError((size, interval))
    if names := why_no_twin(scenario):
        raise NoTwin(names)
    stream: list[Item] = []
    origins: list[int | None] = []
    last_items: list[int] = []
    waiting = last = 0
    batch, clock = 0, scenario.origin

    def end_batch(item: int) -> None:
        nonlocal waiting
        stream.append(BatchEnd())
        origins.append(None)
        last_items.append(item)
        waiting = 0

    for index, item in enumerate(items(scenario)):
        clock = _clock_after(clock, item)
        if interval is not None and (due := (clock - scenario.origin) // interval) > batch:
            if waiting or last_items:  # before the first record there is nothing to trigger on
                end_batch(last)
                if due > batch + 1:
                    end_batch(last)
            batch = due
        last = index
        if isinstance(item, Record):
            stream.append(Record(item.key, item.ts, item.value, item.input))
            origins.append(index)
            waiting += 1
            if waiting == size:
                end_batch(index)
    if waiting:
        last_items.append(last)
    operator = cast(model.Operator, scenario.operator.in_spark)
    twin = replace(
        scenario,
        engine="spark",
        operator=operator,
        inputs=tuple(_input(each) for each in scenario.inputs),
        stream=tuple(stream),
        goals=(),
        walkthrough=(),
        marks={},
    )
    return Twin(twin, tuple(origins), tuple(last_items), tuple(_lost(scenario)))


def why_no_twin(scenario: model.Scenario) -> list[str]:
    """The obstacles to a twin, members of ``REFUSED``; empty if there is one."""
    if scenario.engine != "flink":
        return ["not_flink"]
    found = list(_against_operator(scenario.operator))
    if found:
        return found
    if not all(each.watermark.makes_watermarks and not each.watermark.is_conditional for each in scenario.inputs):
        found.append("no_delay")
    stream = scenario.stream
    if (stream.events if isinstance(stream, model.Generated) else len(stream)) > COMPARED_ITEMS:
        found.append("too_long")
    elif not isinstance(stream, model.Generated):
        kinds = ((Watermark, "explicit_watermark"), (Checkpoint | Restore, "restore"))
        found += [name for kind, name in kinds if any(isinstance(item, kind) for item in stream)]
        if any(isinstance(item, Record) and item.ts is None for item in stream):
            found.append("no_timestamp")
    return found


def _against_operator(operator: model.Operator) -> Iterator[str]:
    if operator.in_spark is None:
        yield "operator"
        return
    if operator.bounds is not None:
        if operator.bounds[0] > operator.bounds[1]:
            yield "empty_interval"
        return
    if operator.time != "event":
        yield "processing_time"
    if not _has_window(operator.assigner):
        yield "assigner"
    if operator.trigger not in (model.EventTimeTrigger(), model.AfterEndOfWindow()):
        yield "trigger"
    if operator.evictor is not None:
        yield "evictor"
    if operator.updates:
        yield "retractions"
    if operator.compute not in _COMPUTES:
        yield "compute"


def _has_window(assigner: model.Assigner | None) -> bool:
    match assigner:
        case model.Tumbling(size, offset):
            return abs(offset) < size
        case model.Sliding(size, slide, offset):
            return slide <= size and abs(offset) < slide
        case model.Session():
            return True
        case _:
            return False


def _input(source: model.InputSpec) -> model.InputSpec:
    return model.InputSpec(source.name, delay=source.watermark.bound)


def _clock_after(clock: int, item: Item) -> int:
    if item.at is not None:
        clock = max(clock, item.at)
    return clock + item.by if isinstance(item, Advance) else clock


def _lost(scenario: model.Scenario) -> Iterator[str]:
    stream, specs = scenario.stream, [each.watermark for each in scenario.inputs]
    if stream.end if isinstance(stream, model.Generated) else any(isinstance(item, End) for item in stream):
        yield "end_of_input"
    if scenario.operator.allowed_lateness:
        yield "allowed_lateness"
    if any(each.channels > 1 for each in scenario.inputs):
        yield "channels"
    listed = () if isinstance(stream, model.Generated) else stream
    if any(spec.idle_timeout for spec in specs) or any(isinstance(item, Status) for item in listed):
        yield "idleness"
    if any(spec.emit for spec in specs):
        yield "periodic"
    if any(spec.makes_watermarks and spec.ahead == spec.bound for spec in specs):
        yield "one_millisecond"
    if scenario.operator.session_zone is not None:
        yield "session_zone"
