"""Items that a Why card names, put into the stream after the item that is shown: what would fire a window."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from simulator.scenario import editing
from simulator.scenario.editing import EditError, Path, Plain, ScenarioText, Value
from simulator.scenario.editing.beats import renumber
from simulator.scenario.model import Generated, Scenario
from simulator.timeline.conditions import firings
from simulator.timeline.facts import Timeline
from simulator.trace.trace import Trace
from simulator.values.duration import format_duration
from simulator.values.items import End, Item, Record, Watermark
from ui.author.cells import Clock, value_of

STREAM: Final[Path] = ("stream",)

MOST_AT_ONCE: Final = 10
"""How many items are put in at once: one for each channel, and the clock."""


def inserted(text: ScenarioText, scenario: Scenario, clock: Clock, edit: Mapping[str, Any]) -> ScenarioText:
    """``text`` with the ``items`` of ``edit`` after its item number ``after``.

    Each is {what, input, channel} with ``ts`` (ms) for a record or a watermark, ``key`` for a record of a certain key,
    and ``by`` (ms) for ``advance``. They have no arrival of their own: they arrive with the item before them. A record
    has a value like the one before it on its input. Raises ``EditError`` where nothing can be put in, ``KeyError``,
    ``TypeError`` or ``ValueError`` for what is no such item.
    """
    after, asked = int(edit["after"]), edit["items"]
    items = scenario.stream
    if isinstance(items, Generated) or not 0 <= after < len(items) or isinstance(items[after], End):
        raise EditError("no_such_place")
    if not 0 < len(asked) <= MOST_AT_ONCE:
        raise EditError("no_such_place")
    maker = _Maker(text, scenario, clock, items[: after + 1])
    new = editing.insert(text, STREAM, after + 1, *[maker.make(each) for each in asked])
    return renumber(new, lambda item: item + len(asked) * (item > after))


def step_of_firing(facts: Timeline, trace: Trace, window: str, edit: Mapping[str, Any]) -> int | None:
    """The step at which an item that ``edit`` has put in makes ``window`` fire with a result; None if none does."""
    added = range(int(edit["after"]) + 1, int(edit["after"]) + 1 + len(edit["items"]))
    fired = (row["step"] for row in firings(facts, trace) if row["window"] == window and row["gave"])
    return next((step for step in fired if trace.steps[step].item in added), None)


class _Maker:
    """Writes items as those ``before`` them are written."""

    def __init__(self, text: ScenarioText, scenario: Scenario, clock: Clock, before: Sequence[Item]) -> None:
        self.text = text
        self.scenario = scenario
        self.clock = clock
        self.before = before

    def make(self, asked: Mapping[str, Any]) -> dict[str, Value]:
        match asked["what"]:
            case "record":
                return self._record(asked)
            case "watermark":
                return {"watermark": self._time(int(asked["ts"]), Watermark, "watermark"), **self._where(asked)}
            case "idle":
                return {"status": Plain("idle"), **self._where(asked)}
            case "advance":
                return {"advance": Plain(format_duration(int(asked["by"])))}
            case "end":
                return {"end": True}
            case _:
                raise EditError("no_such_place")

    def _where(self, asked: Mapping[str, Any]) -> dict[str, Value]:
        input, channel = str(asked["input"]), int(asked["channel"])
        where: dict[str, Value] = {"in": Plain(input)} if len(self.scenario.inputs) > 1 else {}
        return where | ({"channel": channel} if channel else {})

    def _record(self, asked: Mapping[str, Any]) -> dict[str, Value]:
        like = next(self._like(str(asked["input"])), None)
        key = asked.get("key", getattr(like, "key", "a"))
        fields: dict[str, Value] = {}
        if asked.get("ts") is not None:
            fields["ts"] = self._time(int(asked["ts"]), Record, "ts")
        fields["key"] = value_of(key) if isinstance(key, str) and key.isidentifier() else key
        value = getattr(like, "value", 1)
        if value is not None:
            fields["value"] = 1 if isinstance(value, int | float) else value
        return fields | self._where(asked)

    def _like(self, input: str) -> Iterator[Record]:
        """The records before it, the latest first; where its input has none, those that follow."""
        assert not isinstance(self.scenario.stream, Generated)
        for item in (*reversed(self.before), *self.scenario.stream):
            if isinstance(item, Record) and item.input == input:
                yield item

    def _time(self, ms: int, kind: type[Item], member: str) -> Value:
        """``ms`` in the way in which the item of this ``kind`` before it has its own."""
        places = (number for number in reversed(range(len(self.before))) if isinstance(self.before[number], kind))
        place = next(places, None)
        return self.clock.written(ms, None if place is None else self.text.scalar((*STREAM, place, member)))
