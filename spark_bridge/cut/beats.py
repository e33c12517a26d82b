"""The walkthrough of a cut: where the watermark moves, what becomes of the record, and a question before it."""

from collections.abc import Callable, Iterator
from typing import Final

from tidemark.simulator import Trace
from tidemark.simulator.engine.trace.events import LateDropped, PaneFired, TraceEvent
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.scenario.model import Beat, Place, Text
from tidemark.spark_bridge.cut.case import Case
from tidemark.spark_bridge.cut.choosing import Chosen
from tidemark.spark_bridge.cut.records import Written

Say = Callable[[str], Text]
"""The text of the beat of that name."""

WAITING: Final = ("waits", "silent", "unfinished")
"""The stories in which the window does not fire; the last beat of each has the same name."""


def beats_of(kind: str, case: Case, chosen: Chosen, made: Written, trace: Trace, say: Say) -> list[Beat]:
    """The beats of the story ``kind`` in the order of the run ``trace``, each at a step of its own."""
    found: dict[int, Beat] = {}
    for step, beat in sorted(_beats(kind, case, chosen, made, trace, say), key=lambda each: each[0]):
        found.setdefault(step, beat)
    return list(found.values())


def _beats(kind: str, case: Case, chosen: Chosen, made: Written, trace: Trace, say: Say) -> Iterator[tuple[int, Beat]]:
    steps = list(trace)
    number, last = chosen.records.index(case.in_question), len(chosen.records) - 1
    decider = None if case.decider is None else chosen.records.index(case.decider)

    def at_item(name: str, item: int) -> tuple[int, Beat]:
        return _last(steps, item).step, Beat(Place(item=item), say=say(name))

    def before_item(predict: str, item: int) -> tuple[int, Beat]:
        return next(step.step for step in steps if step.item == item), Beat(Place(item=item), predict=predict)

    if case.fires:
        key, start = made.items[number].key, case.window.start - made.shift
        yield from _at_event(steps, say("fires"), lambda event: _gives(event, key, start))
    if kind in ("dropped", "late"):
        if decider is not None:
            yield at_item("moved", decider)
        yield before_item("fate-of-record", number)
    else:
        yield at_item("in_time", number)
    if kind == "dropped":
        yield from _at_event(steps, say("dropped"), _drops, number)
        if number != last and case.also:
            yield from _at_event(steps, say("also"), _drops, last)
    elif kind == "late":
        yield at_item("late", number)
    elif kind in WAITING:
        yield at_item(kind, last)
    elif decider is not None:
        yield before_item("windows-that-fire", decider)


def _gives(event: TraceEvent, key: object, start: int) -> bool:
    return isinstance(event, PaneFired) and event.key == key and event.window.start == start


def _drops(event: TraceEvent) -> bool:
    return isinstance(event, LateDropped)


def _at_event(
    steps: list[Step], text: Text, wanted: Callable[[TraceEvent], bool], item: int | None = None
) -> Iterator[tuple[int, Beat]]:
    """A beat at the first event that is wanted, of stream item ``item`` if that is given."""
    found = next((each for each in steps if item in (None, each.item) and wanted(each.event)), None)
    if found is not None:
        name = type(found.event).__name__
        occurrence = sum(type(each.event).__name__ == name for each in steps[: found.step + 1])
        yield found.step, Beat(Place(event=name, occurrence=occurrence), say=text)


def _last(steps: list[Step], item: int) -> Step:
    return [step for step in steps if step.item == item][-1]
