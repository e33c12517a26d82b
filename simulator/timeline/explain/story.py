"""What a micro-step tells, before it is put into words; and the memory that a sentence needs of earlier steps."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.scenario.model import Scenario
from simulator.timeline.facts import Facts
from simulator.timeline.format import TimeFormat, duration
from simulator.timeline.ids import window_id
from simulator.trace.events import Rule
from simulator.trace.trace import Step, plain
from simulator.values.key import Key
from simulator.values.time import MAX
from simulator.values.window import Namespace, SideNamespace, TimeWindow, Window
from simulator.words import words
from simulator.words.filling import filled

MOST_LETTERS = 60
"""A longer value is cut in sentences; tables show the whole."""


@dataclass(frozen=True, slots=True)
class Story:
    """``what`` names its sentence in the catalogue, ``why`` too ("" where nothing was decided); ``fields`` fill both.

    With ``rule`` the sentence of that rule is the why.
    """

    what: str
    why: str = ""
    rule: Rule | None = None
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Teller:
    """How things are called in a sentence, and what the current item has brought so far.

    ``late_windows``: the windows that did not take the record. ``timer``: the rule by which the last timer went off.
    ``decision``: why the trigger answered as it did last, as in a story. ``cause``: what removes things now, ``merge``,
    ``cleanup`` or "" for neither. ``forwarded``: the steps that passed a watermark on. ``elements``: what a window of a
    key holds now, for the operators that keep whole records.
    """

    scenario: Scenario
    facts: Facts
    times: TimeFormat
    language: str
    late_windows: list[Window] = field(default_factory=list)
    timer: Rule | None = None
    decision: tuple[str, Rule | None] = ("", None)
    cause: str = ""
    forwarded: set[int] = field(default_factory=set)
    elements: Callable[[Key, Window], Sequence[Any]] = lambda key, window: ()

    def part(self, name: str, **fields: Any) -> str:
        """A piece of a sentence, from the catalogue."""
        return filled(words(f"explain.parts.{name}", language=self.language), fields)

    def list(self, parts: Sequence[str]) -> str:
        """``a``, ``a and b``, ``a, b and c``."""
        if len(parts) < 2:
            return "".join(parts)
        return self.part("list", before=self.part("list_comma").join(parts[:-1]), last=parts[-1])

    def value(self, value: Any) -> str:
        """A value as text, cut where it is long; of a mapping each field with its name."""
        if value is None:
            return self.part("nothing")
        if isinstance(value, dict):
            return self.part("comma").join(f"{name} {self._field(name, each)}" for name, each in value.items())
        text = value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)
        return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"

    def _field(self, name: str, value: Any) -> str:
        """The gap that a record brings along is a length of time (ms)."""
        assigner = getattr(self.scenario.operator, "assigner", None)
        if name == getattr(assigner, "gap_field", None) and isinstance(value, int):
            return duration(value)
        return self.value(value)

    def window(self, window: Window) -> str:
        """``window [0, 5)``."""
        bounds = self.times.window(window)
        return self.part("window", window=bounds) if bounds else self.part("global_window")

    def window_of_key(self, key: Key, window: Namespace) -> str:
        """``window [0, 5) of key a``; ``key a`` or ``the left side of key a`` elsewhere."""
        if isinstance(window, SideNamespace):
            return self.part("side_of_key", side=self.side(window.side), key=self.value(key))
        if window is None:
            return self.part("key", key=self.value(key))
        return self.part("window_of_key", window=self.window(window), key=self.value(key))

    def window_of_state(self, key: Key, namespace: Namespace) -> str:
        """The window whose contents are kept under ``namespace``: a session that has grown keeps its first one."""
        if not isinstance(namespace, TimeWindow):
            return self.window_of_key(key, namespace)
        row = self.facts.get(window_id(key, namespace))
        while row is not None and row["status"] == "merged":
            row = self.facts.get(row["merged_into"])
        return self.window_of_key(key, namespace if row is None else TimeWindow(row["start"], row["end"]))

    def channel(self, input: str, channel: int) -> str:
        """``channel 0``, with its input's name where there are two; ``the source`` where it is the only one."""
        inputs = self.scenario.inputs
        if len(inputs) > 1:
            if self.scenario.input(input).channels == 1:
                return self.part("input", input=self.side(input))
            return self.part("channel_of_input", channel=channel, input=self.side(input))
        return self.part("only_channel") if inputs[0].channels == 1 else self.part("channel", channel=channel)

    def side(self, name: str) -> str:
        """What the input ``left`` or ``right`` of a join is called."""
        return self.part(f"sides.{name}")

    def record(self, key: Key, ts: int | None, value: Any) -> str:
        """``key b, 2.8 s, value 9``: what is written of a record; no time or value where there is none."""
        parts = [self.part("key", key=self.value(key))]
        if ts is not None:
            parts.append(self.times.record(ts))
        if isinstance(value, dict):
            parts.append(self.value(value))
        elif value is not None:
            parts.append(self.part("value", value=self.value(value)))
        return self.part("comma").join(parts)

    def stands(self, watermark: int | None) -> str:
        """Where the operator's watermark is, as a clause."""
        if watermark is None:
            return self.part("no_watermark")
        if watermark == MAX:
            return self.part("input_ended")
        return self.part("watermark_at", watermark=self.times.exact(watermark))


Tell = Callable[[Teller, Step, Any], Story]
"""Makes the story of one event; may look at what is true now and keep what later sentences need."""
