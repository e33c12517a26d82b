"""How often a comparison of the engine stood exactly at its boundary: where a wrong ``<`` for ``<=`` would show.

Two sides that are equal say little about a comparison that no record and no watermark brings close to the point where
its answer turns. The trace has every comparison with its numbers (``Rule``), so one run with a trace counts them. It is
cut off after ``MOST_ITEMS`` items, or ``MOST_STEPS`` micro-steps: some seconds at most, beside Spark.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from typing import Any, Final
from unicodedata import east_asian_width

from tidemark.simulator import pipeline_of
from tidemark.simulator.engine.trace.events import Rule, TriggerEvaluated, WindowsAssigned, WindowsMerged
from tidemark.simulator.engine.trace.trace import Step, Trace, TraceTooLong
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.engine.values.window import TimeWindow, Window
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import words

MOST_ITEMS: Final = 50_000
MOST_STEPS: Final = 500_000

SHARE: Final = "borders: 0.1"
"""What makes a generated stream seek them."""

WINDOW: Final = "start <= timestamp < end"
TOUCHING: Final = "start <= other_end"
LATENESS: Final = "max_timestamp + allowed_lateness <= watermark"

_LATE_ANYWAY: Final = "timestamp + allowed_lateness <= watermark"
"""Asked only of a record that no window takes, and then nearly always true: what decided is that these are over."""

_BEFORE, _EXACTLY, _BEHIND = -1, 0, 1
_NEXT_ONE: Final = frozenset(
    {"last", "last_watermark", "last_timer", "channel_watermark", "input_watermark", "count", "threshold"}
)
"""Numbers of comparisons that have no boundary in time: with the last watermark, which only rises, and with no time."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A comparison, in the engine's terms (``formula``), and how often its sides were equal or a millisecond apart.

    ``before``: a millisecond short of equal; ``behind``: a millisecond past it. None where the engine does not tell: of
    most comparisons the trace has only those that hold.
    """

    formula: str
    before: int | None
    exactly: int | None
    behind: int


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The boundaries of a run's first ``items`` items; ``generated``: the stream could seek them."""

    items: int
    found: tuple[Boundary, ...]
    generated: bool = False

    @property
    def missed(self) -> tuple[str, ...]:
        """The boundaries at which nothing stood exactly."""
        return tuple(each.formula for each in self.found if each.exactly == 0)

    def as_json(self) -> Mapping[str, Any]:
        """``items``, ``missed``, and the counts by comparison."""
        counts = [
            {"formula": each.formula, "before": each.before, "exactly": each.exactly, "behind": each.behind}
            for each in self.found
        ]
        return {"items": self.items, "found": counts, "missed": list(self.missed)}

    def as_text(self) -> list[str]:
        """A table, a line for each boundary, and a warning of those that were missed."""
        if not self.found:
            return []
        heads = tuple(words(f"spark.boundaries.{name}") for name in ("before", "exactly", "behind"))
        first = words("spark.boundaries.title", items=f"{self.items:,}")
        width = max(_width(first), *(len(each.formula) + 2 for each in self.found))
        lines = ["  ".join((first + " " * (width - _width(first)), *heads))]
        for each in self.found:
            counts = ("–" if number is None else f"{number:,}" for number in (each.before, each.exactly, each.behind))
            cells = (number.rjust(_width(head)) for number, head in zip(counts, heads, strict=True))
            lines.append("  ".join((f"  {each.formula}".ljust(width), *cells)))
        if self.missed:
            lines.append(words("spark.boundaries.missed", formulas="; ".join(self.missed)))
            if self.generated:
                lines.append(words("spark.boundaries.seek", share=SHARE))
        return lines


def boundaries_of(scenario: Scenario) -> Boundaries:
    """Count them in a run of the first items."""
    counts = _Counts(scenario)
    trace = Trace(scenario.origin, counts.add, MOST_STEPS)
    seen = 0

    def first() -> Iterator[Item]:
        nonlocal seen
        for item in islice(items(scenario), MOST_ITEMS):
            yield item
            seen += 1

    with suppress(TraceTooLong):
        pipeline_of(scenario, lambda row: None, trace).run(first())
    can_seek = isinstance(scenario.stream, Generated) and not scenario.stream.border_millionths
    return Boundaries(seen, counts.found(), can_seek)


class _Counts:
    """Counts while the trace is made."""

    def __init__(self, scenario: Scenario) -> None:
        operator = scenario.operator
        self._lateness = operator.allowed_lateness if operator.keeps_windows else None
        self._merges = operator.merges
        self._counts: dict[str, dict[int, int]] = {}
        self._fails: dict[str, bool] = {}
        self._ts: int | None = None
        self._windows: tuple[Window, ...] = ()

    def found(self) -> tuple[Boundary, ...]:
        """What was counted."""
        return tuple(
            Boundary(
                formula,
                number.get(_BEFORE, 0) if self._fails[formula] else None,
                number.get(_EXACTLY, 0) if self._fails[formula] or not _is_strict(formula) else None,
                number.get(_BEHIND, 0),
            )
            for formula, number in sorted(self._counts.items())
        )

    def add(self, step: Step) -> None:
        """Take a step of the trace."""
        event = step.event
        rule: Rule | None = getattr(event, "rule", None)
        if rule is not None and rule.formula != _LATE_ANYWAY:
            for formula, beyond in _comparisons(rule.formula):
                numbers = dict(rule.numbers)
                if numbers:
                    self._count(formula, beyond(numbers), rule.holds)
        if isinstance(event, TriggerEvaluated):
            if rule is not None and rule.name == "window-end-reached" and self._lateness is not None:
                known = dict(rule.numbers)
                apart = known["watermark"] - known["max_timestamp"] - self._lateness
                self._count(LATENESS, apart, apart >= 0)
        elif isinstance(event, WindowsAssigned):
            self._windows = event.windows
            if not self._merges and self._ts is not None:
                self._assigned(self._ts, event)
        elif isinstance(event, WindowsMerged):
            times = sorted(
                (each.start, each.end) for each in {*event.merged, *self._windows} if isinstance(each, TimeWindow)
            )
            for (_, end), (start, _) in pairwise(times):
                self._count(TOUCHING, end - start, True)
        else:
            self._ts = getattr(event, "ts", self._ts)

    def _assigned(self, ts: int, event: WindowsAssigned) -> None:
        for window in event.windows:
            if isinstance(window, TimeWindow):
                self._count(WINDOW, _BEFORE if ts == window.end - 1 else ts - window.start, False)

    def _count(self, formula: str, apart: float, holds: bool) -> None:
        numbers = self._counts.setdefault(formula, {})
        self._fails[formula] = self._fails.get(formula, False) or not holds
        if apart in (_BEFORE, _EXACTLY, _BEHIND):
            numbers[int(apart)] = numbers.get(int(apart), 0) + 1


def _width(text: str) -> int:
    """How many columns of a terminal it takes: a Chinese character takes two."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def _is_strict(formula: str) -> bool:
    return not re.search("[<>]=", formula)


Beyond = Callable[[Mapping[str, int | float]], float]
"""How far the numbers of a comparison are beyond its boundary."""


@cache
def _comparisons(formula: str) -> tuple[tuple[str, Beyond], ...]:
    """The comparisons in a rule's formula that have a boundary; two if a number is compared with a span."""
    sides = re.split(r" (<=|<|>=|>) ", formula)
    found = []
    for place in range(1, len(sides), 2):
        left, sign, right = sides[place - 1 : place + 2]
        terms = _terms(right, 1) + _terms(left, -1) if "<" in sign else _terms(left, 1) + _terms(right, -1)
        if not {name for _, name in terms} & _NEXT_ONE:
            found.append((f"{left} {sign} {right}", _beyond(terms)))
    return tuple(found)


def _terms(side: str, sign: int) -> list[tuple[int, str]]:
    """``a - b + 1`` as signs and names."""
    words = re.findall(r"(?:([+-]) )?(\w+)", side)
    return [(-sign if minus == "-" else sign, name) for minus, name in words]


def _beyond(terms: list[tuple[int, str]]) -> Beyond:
    def beyond(numbers: Mapping[str, int | float]) -> float:
        return sum(sign * (int(name) if name.isdigit() else numbers[name]) for sign, name in terms)

    return beyond
