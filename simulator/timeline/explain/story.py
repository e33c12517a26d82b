"""What a micro-step is about: the names of its sentences and their raw fields, and what later sentences need of it.

A story's rule is named in sentences, and its comparison is written with its numbers: ``7999 <= 8999``, two times.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.trace.event import COMPARISONS, Sign, Term
from tidemark.simulator.engine.trace.events import Rule, TraceEvent
from tidemark.simulator.engine.trace.trace import Step, plain
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import wrap
from tidemark.simulator.engine.values.window import Namespace, SideNamespace, TimeWindow, Window
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.explain.fields import COUNTS, DURATIONS, KINDS, Kind
from tidemark.simulator.timeline.facts import Facts
from tidemark.simulator.timeline.ids import window_id
from tidemark.simulator.timeline.rows import BufferFacts, RowFacts

Raw = dict[str, Any]
"""A part of a field: JSON, times in ms (``simulator/timeline/explain/fields.py`` lists what there is)."""


class Decided(NamedTuple):
    """A rule, and the step that evaluated it."""

    rule: Rule
    step: int


@dataclass(frozen=True, slots=True)
class Story:
    """``what`` names its sentence in the catalogue, ``fields`` the fields that the event has itself (``fields_of``).

    ``why`` names a sentence too; with "" a rule's sentence is the why: of the rule that ``decided`` in an earlier step,
    or else of the event's own, if it has one. ``more``: fields that the event has not.
    """

    what: str
    fields: str = ""
    why: str = ""
    more: Raw = field(default_factory=dict)
    decided: Decided | None = None


@dataclass(slots=True)
class Teller:
    """Makes raw fields, and remembers what the current item has brought so far.

    ``assigned``: the windows of the record, ``late_windows`` those that did not take it. ``timer``: the rule by
    which the last timer went off. ``decision``: why the trigger answered as it did last: the name of a sentence, or
    "", and the rule. ``cause``: what removes things now, ``merge``, ``cleanup`` or "" for neither. ``forwarded``:
    the steps that passed a watermark on. ``elements``: what a window of a key holds now, for the operators that
    keep whole records. ``buffers`` and ``rows`` know which record left; micro-batches have neither.
    """

    scenario: Scenario
    facts: Facts
    assigned: tuple[Window, ...] = ()
    late_windows: list[Window] = field(default_factory=list)
    timer: Decided | None = None
    decision: tuple[str, Decided | None] = ("", None)
    cause: str = ""
    forwarded: set[int] = field(default_factory=set)
    elements: Callable[[Key, Window], Sequence[Any]] = lambda key, window: ()
    buffers: BufferFacts | None = None
    rows: RowFacts | None = None

    def window_of_state(self, key: Key, namespace: Namespace) -> Raw:
        """The window whose contents are kept under ``namespace``: a session that has grown keeps its first one."""
        if not isinstance(namespace, TimeWindow):
            return window_of_key(key, namespace)
        row = self.facts.get(window_id(key, namespace))
        while row is not None and row["status"] == "merged":
            row = self.facts.get(row["merged_into"])
        return window_of_key(key, namespace if row is None else TimeWindow(row["start"], row["end"]))

    def channel(self, input: str, channel: int) -> Raw:
        """A channel by what tells it from the others: its number, its input's name where there are two, or nothing."""
        inputs = self.scenario.inputs
        alone = self.scenario.input(input).channels == 1
        return {"input": input if len(inputs) > 1 else None, "channel": None if alone else channel}


def window_of_key(key: Key, window: Namespace) -> Raw:
    """A window of a key; the key alone outside windows, with the side in a buffer of a join."""
    if isinstance(window, SideNamespace):
        return {"key": plain(key), "side": window.side}
    if window is None:
        return {"key": plain(key)}
    return {"key": plain(key), "start": window.start, "end": window.end}


def bounds(window: Window) -> Raw:
    """A window without its key."""
    return {"start": window.start, "end": window.end}


def all_bounds(windows: Iterable[Window]) -> list[Raw]:
    """Windows without their key."""
    return [bounds(window) for window in windows]


def record(key: Key, ts: int | None, value: Any) -> Raw:
    """A record; ``ts`` and ``value`` are None where it has none."""
    return {"key": plain(key), "ts": ts, "value": plain(value)}


def value_at(value: Any, ts: int | None) -> Raw:
    """A value and the time of its record, None where there is none."""
    return {"value": plain(value), "ts": ts}


Tell = Story | Callable[[Teller, Step, Any], Story]
"""The story of a kind of event, or what makes it: may look at what is true now and keep what later sentences need."""

Stories = Mapping[type[TraceEvent], Tell]

Read = Callable[[Teller, Step, Any], Any]

SOURCES: Final[Mapping[str, Read]] = {
    "item": lambda teller, step, event: step.item,
    "record": lambda teller, step, event: record(event.key, event.ts, event.value),
    "channel": lambda teller, step, event: teller.channel(event.input, getattr(event, "channel", 0)),
    "compute": lambda teller, step, event: teller.scenario.operator.compute or "several",
    "lateness": lambda teller, step, event: teller.scenario.operator.allowed_lateness,
    "state_window": lambda teller, step, event: teller.window_of_state(event.key, event.namespace),
    "displaced": lambda teller, step, event: teller.rows and teller.rows.gone["item"],
    "emitted": lambda teller, step, event: teller.rows and teller.rows.given,
    "popped": lambda teller, step, event: teller.buffers and teller.buffers.popped["item"],
}
"""What is no single attribute of an event."""

BY_KIND: Final[Mapping[Kind, Callable[[Any, Any], Any]]] = {
    "window_of_key": lambda event, window: window_of_key(event.key, window),
    "bounds": lambda event, window: bounds(window),
    "bounds_list": lambda event, windows: all_bounds(windows),
    "windows": lambda event, windows: all_bounds(windows),
    "value_at": lambda event, element: value_at(element.value, element.timestamp),
    "values": lambda event, elements: [plain(each.value) for each in elements],
}
"""How an attribute of an event becomes a field of this kind; of other kinds it is as in JSON."""


def fields_of(teller: Teller, step: Step, event: TraceEvent, names: str) -> Raw:
    """The fields of these names: ``item window until=kept_until`` has three, the last from ``event.kept_until``."""
    return {name: read(teller, step, event) for name, read in _readers(names)}


@cache
def _readers(names: str) -> list[tuple[str, Read]]:
    split = [each.partition("=") for each in names.split()]
    return [(name, SOURCES.get(source or name) or _attribute(name, source or name)) for name, _, source in split]


def _attribute(name: str, source: str) -> Read:
    made = BY_KIND.get(KINDS[name])
    if made is None:
        return lambda teller, step, event: plain(getattr(event, source))
    return lambda teller, step, event: made(event, getattr(event, source))


NEGATED: Final[dict[Sign, Sign]] = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}


def predicate(rule: Rule) -> Raw | None:
    """{kind, sides, signs}: the rule with each side added up, turned round where it does not hold, so that it is true.

    The sides are times or lengths of time (ms) or counts, as ``kind`` says; between two of them stands a sign. None
    where the rule is no plain comparison.
    """
    comparison = COMPARISONS.get(rule.formula)
    if comparison is None or (len(comparison.signs) > 1 and not rule.holds):
        return None
    signs = comparison.signs if rule.holds else [NEGATED[sign] for sign in comparison.signs]
    numbers: dict[str, Any] = dict(rule.numbers)
    sides = [_side(side, numbers) for side in comparison.sides]
    return {"kind": sides[0][0], "sides": [total for _, total in sides], "signs": list(signs)}


def _side(terms: tuple[Term, ...], numbers: dict[str, Any]) -> tuple[Kind, Any]:
    """``max_timestamp + allowed_lateness`` as one number: a time, a length of time, or a count."""
    total, points_in_time = 0, 0
    for of, factor in terms:
        total += factor * (numbers[of] if isinstance(of, str) else of)
        if isinstance(of, str) and of not in DURATIONS:
            points_in_time += factor
    if not numbers.keys().isdisjoint(COUNTS):
        return "value", total
    return ("exact", wrap(total)) if points_in_time else ("span", total)


def rule_name(rule: Rule) -> str:
    """Its name in the catalogue: with ``_fails`` where the condition does not hold.

    Some have a variant that reads better: timers by their clock, the interval that is the last, no bound.
    """
    name = rule.name.replace("-", "_")
    numbers = dict(rule.numbers)
    if rule.name == "timer-due":
        name = "timer_due_clock" if "clock" in numbers else name
    if rule.name == "timer-at-interval" and numbers.get("timer", 0) == numbers.get("max_timestamp"):
        name = "timer_at_window_end"
    if numbers.get("bound") == 0:
        name += "_no_bound"
    return name if rule.holds else f"{name}_fails"
