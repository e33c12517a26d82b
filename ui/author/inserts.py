"""Items that a Why card names, put into the stream after the item that is shown: what would fire a window.

Or what would release a record that waits in a queue or a buffer, or give it a partner.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import End, Item, Record, Watermark
from tidemark.simulator.scenario import editing
from tidemark.simulator.scenario.editing import EditError, Path, Plain, ScenarioText, Value
from tidemark.simulator.scenario.editing.beats import renumber
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.timeline.conditions import firings, values_that_fire
from tidemark.simulator.timeline.facts import Timeline
from tidemark.ui.author.cells import Clock, value_of

STREAM: Final[Path] = ("stream",)

MOST_AT_ONCE: Final = 10
"""How many items are put in at once: one for each channel and the clock, or the records that a count lacks."""

EFFECTS: Final = ("fires", "leaves", "matches")
"""What a Why card asks for: a window fires with a result, a record leaves its queue or buffer, a record is joined."""


def inserted(text: ScenarioText, scenario: Scenario, clock: Clock, edit: Mapping[str, Any]) -> ScenarioText:
    """``text`` with the ``items`` of ``edit`` after its item number ``after``.

    Each is {what, input, channel} with ``ts`` (ms) for a record or a watermark, ``key`` for a record of a certain key,
    and ``by`` (ms) for ``advance``. ``records`` stands for those that meet the trigger's own way to fire, {kind, needs,
    has}. They have no arrival of their own: they arrive with the item before them. A record without a ``value`` or a
    ``ts`` has one like the record before it on its input. Raises ``EditError`` where nothing can be put in,
    ``KeyError``, ``TypeError`` or ``ValueError`` for what is no such item.
    """
    after, asked = int(edit["after"]), asked_for(scenario, edit)
    items = scenario.stream
    if isinstance(items, Generated) or not 0 <= after < len(items) or isinstance(items[after], End):
        raise EditError("no_such_place")
    count = len(asked)
    if not 0 < count <= MOST_AT_ONCE:
        raise EditError("no_such_place")
    maker = _Maker(text, scenario, clock, items[: after + 1])
    new = editing.insert(text, STREAM, after + 1, *[maker.make(each) for each in asked])
    return renumber(new, lambda item: item + count * (item > after))


def asked_for(scenario: Scenario, edit: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The items of ``edit``, with the records that meet a trigger's own way one by one; at most one too many."""
    found: list[Mapping[str, Any]] = []
    for each in edit["items"]:
        found += _meeting(scenario, each) if each["what"] == "records" else [each]
    return found[: MOST_AT_ONCE + 1]


def _meeting(scenario: Scenario, asked: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if scenario.operator.trigger is None:
        raise ValueError(asked)
    values = values_that_fire(scenario.operator, str(asked["kind"]), asked["needs"], asked["has"])
    return [{**asked, "what": "record", "value": value} for value in islice(values, MOST_AT_ONCE + 1)]


def step_of_effect(facts: Timeline, trace: Trace, wanted: Mapping[str, Any]) -> int | None:
    """The step at which an item that the ``edit`` of ``wanted`` has put in has the effect; None if none has it.

    For ``wanted`` see ``steps_of_effect``.
    """
    edit = wanted["edit"]
    added = range(int(edit["after"]) + 1, int(edit["after"]) + 1 + len(asked_for(facts.scenario, edit)))
    return next((step for step in steps_of_effect(facts, trace, wanted) if trace.steps[step].item in added), None)


def steps_of_effect(facts: Timeline, trace: Trace, wanted: Mapping[str, Any]) -> list[int]:
    """The steps at which ``wanted``: {window, effect} happens.

    ``window`` is the id of a window, or of a record in a queue or a buffer; ``effect`` one of ``EFFECTS``, ``fires`` if
    it is missing.
    """
    id = str(wanted["window"])
    match wanted.get("effect", "fires"):
        case "fires":
            return [row["step"] for row in firings(facts, trace) if row["window"] == id and row["gave"]]
        case "leaves":
            kept = [row for name in ("queue", "buffers") for row in facts.tables[name] if row["id"] == id]
            return [row["until_step"] for row in kept if row["until_step"] is not None]
        case "matches":
            record = next((row for row in facts.tables["buffers"] if row["id"] == id), None)
            joined = (row for row in facts.tables["outputs"] if row["row"]["row"] == "joined")
            return [row["from_step"] for row in joined if record is not None and _has(row["row"], record)]
        case _:
            raise ValueError(wanted)


def _has(joined: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Whether the joined row is one of the buffered ``record``."""
    own = joined[record["side"]]
    return (
        own is not None
        and joined["key"] == record["key"]
        and (own["ts"], own["value"]) == (record["ts"], record["value"])
    )


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
        ts = getattr(like, "ts", None) if asked.get("ts") is None else int(asked["ts"])
        if ts is not None:
            fields["ts"] = self._time(ts, Record, "ts")
        fields["key"] = value_of(key) if isinstance(key, str) and key.isidentifier() else key
        value = getattr(like, "value", 1)
        if isinstance(asked.get("value"), int | float):
            fields["value"] = asked["value"]
        elif value is not None:
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
