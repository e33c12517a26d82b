"""Edits of a draft: what somebody typed, dragged or chose becomes a change of the text that leaves the rest alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import Checkpoint, End, Item, Record, Watermark
from tidemark.simulator.limits import TYPED_CHARACTERS
from tidemark.simulator.scenario import editing
from tidemark.simulator.scenario.editing import EditError, Path, Plain, ScenarioText, Value, put
from tidemark.simulator.scenario.editing.beats import renumber
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.timeline.conditions import firings, values_that_fire
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError, Clock, clock_of, listed, span_written, value_of
from tidemark.ui.author.controls import controls_of
from tidemark.ui.author.draft import Draft, draft_of_edit
from tidemark.ui.author.form import by_form
from tidemark.ui.author.rows import MEMBER, EditRefused, pasted, refusing
from tidemark.ui.author.telling import beat_edited, dropped, frozen, goal_added, texts_edited
from tidemark.ui.author.translating import stamped, still_right, translated, without_language

# Items that a Why card names, put into the stream after the item that is shown: what would fire a window.
#
# Or what would release a record that waits in a queue or a buffer, or give it a partner.

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
            return [row["step"] for row in firings(facts) if row["window"] == id and row["gave"]]
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


# Where an item of the stream belongs: items stand in order of arrival, and none stands behind the end of input.


def after_move(item: int, old: int, new: int) -> int:
    """The index of ``item`` after item ``old`` has moved to ``new``."""
    if item == old:
        return new
    return item - (old < item <= new) + (new <= item < old)


def end_of(items: Sequence[Item], number: int) -> int:
    """The last index that item ``number`` can have: before the end of input, which itself stays where it is."""
    if isinstance(items[number], End):
        return number
    others = _without(items, number)
    return next((place for place, item in enumerate(others) if isinstance(item, End)), len(others))


def clock_there(items: Sequence[Item], number: int, to: int) -> dict[str, int]:
    """The new ``at`` (if it has one) of an item that moves: it arrives when those around it do."""
    if _at(items[number]) is None or to == number:
        return {}
    beside = (_at(item) for item in _without(items, number)[max(to - 1, 0) : to + 1])
    around = [at for at in beside if at is not None]
    return {"at": sum(around) // len(around)} if around else {}


def by_arrival(items: Sequence[Item], number: int, at: int) -> int:
    """The index at which an item that arrives at ``at`` (ms) keeps arrivals ascending; never behind the end of input.

    An item without an arrival of its own arrives with the one before it, and stays with that.
    """
    arrivals = [_at(item) for item in _without(items, number)]
    before = [arrival for arrival in arrivals[:number] if arrival is not None]
    behind = [arrival for arrival in arrivals[number : end_of(items, number)] if arrival is not None]
    if max(before, default=at) <= at <= min(behind, default=at):
        return number
    to = max((place + 1 for place, arrival in enumerate(arrivals) if arrival is not None and arrival <= at), default=0)
    while to < len(arrivals) and to != number and arrivals[to] is None:
        to += 1
    return min(to, end_of(items, number))


def _without(items: Sequence[Item], number: int) -> list[Item]:
    return [item for place, item in enumerate(items) if place != number]


def _at(item: Any) -> int | None:
    at: int | None = getattr(item, "at", None)
    return at


STREAM: Final[Path] = ("stream",)
A_SECOND: Final = 1_000

MOST_LOOKED_AT: Final = 50
"""How many items are searched for one that shows how times are written here."""

Edit = Mapping[str, Any]


class Editor:
    """Makes edits of one sound draft."""

    def __init__(self, draft: Draft) -> None:
        assert draft.scenario is not None
        assert draft.read is not None
        self.text = draft.read
        self.scenario = draft.scenario
        self.clock = clock_of(draft.scenario)
        self.chosen: int | None = None
        """The index that the edited item has now."""
        self.known: Sequence[Item | None] = ()
        """After an edit of one item all others as they were, and ``None`` in its place; empty after any other edit."""

    def make(self, edit: Edit) -> ScenarioText:
        """The new text.

        Raises ``EditError`` or ``CellError`` if there is none, ``KeyError`` or ``TypeError`` for what is no edit.
        """
        kinds: dict[str, Callable[[Edit], ScenarioText]] = {
            "cell": self._cell, "place": self._place, "add": self._add, "remove": self._remove, "move": self._move,
            "control": self._control, "list": self._as_list, "name": self._name,
            "goal": lambda edit: goal_added(self.text, self.scenario, edit),
            "freeze": lambda edit: frozen(self.text, self.scenario),
            "drop": lambda edit: dropped(self.text, self.scenario, edit),
            "beat": lambda edit: beat_edited(self.text, self.scenario, edit),
            "insert": lambda edit: inserted(self.text, self.scenario, self.clock, edit),
            "paste": self._paste,
            "texts": lambda edit: texts_edited(self.text, self.scenario, edit),
            "translate": lambda edit: translated(self.text, self.scenario, edit),
            "still_right": lambda edit: still_right(self.text, self.scenario, edit),
            "unlanguage": lambda edit: without_language(self.text, self.scenario, edit),
        }  # fmt: skip
        return kinds[edit["kind"]](edit)

    # --- records -------------------------------------------------------------------------------------------------

    def _items(self) -> tuple[Item, ...]:
        if isinstance(self.scenario.stream, Generated):
            raise EditError("no_such_place")
        return tuple(self.scenario.stream)

    def _way(self, member: str, number: int = 0) -> str | None:
        """How item ``number`` writes ``member``; if it does not, how the first of the others does that has it."""
        for item in (number, *range(min(len(self._items()), MOST_LOOKED_AT))):
            written = self.text.scalar((*STREAM, item, member))
            if written is not None:
                return written
        return None

    def _cell(self, edit: Edit) -> ScenarioText:
        number, column, typed = int(edit["item"]), str(edit["column"]), str(edit["typed"])[:TYPED_CHARACTERS]
        item = self._items()[number]
        self.chosen = number
        member = MEMBER.get(type(item), column) if column == "ts" else column
        path = (*STREAM, number, member)
        self._keep_others(number, number)
        if not typed.strip():
            return self._without(path, member)
        value = self._typed(item, number, member, typed)
        if member == "at" and not isinstance(item, End):
            to = by_arrival(self._items(), number, self.clock.read(typed, self._near(item)))
            return self._taken(editing.set_value(self.text, path, value), number, to)
        return editing.set_value(self.text, path, value)

    def _without(self, path: Path, member: str) -> ScenarioText:
        """An empty cell removes the member; a key and a time are required."""
        if member not in ("value", "at", "channel", "op"):
            raise CellError("needed")
        return editing.remove(self.text, path) if self.text.has(path) else self.text

    def _typed(self, item: Item, number: int, member: str, typed: str) -> Value:
        match member:
            case "at" | "ts" | "watermark":
                return self.clock.written(self.clock.read(typed, self._near(item)), self._way(member, number))
            case "advance":
                return span_written(typed)
            case "channel":
                if not typed.strip().isdecimal():
                    raise CellError("no_whole")
                return int(typed.strip())
            case _:
                return value_of(typed)

    def _near(self, item: Item) -> int:
        """A time (ms) that one typed for ``item`` is likely to be near to."""
        return next((t for t in (getattr(item, "ts", None), getattr(item, "at", None)) if t is not None), 0)

    def _place(self, edit: Edit) -> ScenarioText:
        """A record gets another event time or arrival, another place in the stream, or the other input of a join."""
        number = int(edit["item"])
        items = self._items()
        if "in" in edit:
            self._to_input(number, str(edit["in"]))
        times = {"ts": int(edit["ts"])} if "ts" in edit else {}
        to = number
        if "at" in edit:
            times["at"] = int(edit["at"])
            to = by_arrival(items, number, times["at"])
        elif "to" in edit:
            to = min(max(int(edit["to"]), 0), end_of(items, number))
            times |= clock_there(items, number, to)
        return self._moved(number, to, times)

    def _to_input(self, number: int, name: str) -> None:
        if name not in {each.name for each in self.scenario.inputs}:
            raise EditError("no_such_place")
        self.text = editing.set_value(self.text, (*STREAM, number, "in"), Plain(name))

    def _moved(self, old: int, new: int, times: Mapping[str, int]) -> ScenarioText:
        """Item ``old`` with other ``times`` (ms, by member) at the place ``new``."""
        written: dict[Path, Value] = {
            (*STREAM, old, member): self.clock.written(ms, self._way(member, old)) for member, ms in times.items()
        }
        return self._taken(editing.set_values(self.text, written), old, new)

    def _taken(self, text: ScenarioText, old: int, new: int) -> ScenarioText:
        """``text`` with item ``old``, which it has changed, taken to the place ``new``; beats at items go along."""
        self.chosen = new
        self._keep_others(old, new)
        if old == new:
            return text
        return renumber(editing.move(text, STREAM, old, new), lambda item: after_move(item, old, new))

    def _keep_others(self, old: int, new: int) -> None:
        """Item ``old`` alone is to be read again, at ``new``."""
        known: list[Item | None] = list(self._items())
        del known[old]
        known.insert(new, None)
        self.known = known

    def _move(self, edit: Edit) -> ScenarioText:
        number, to = int(edit["item"]), int(edit["to"])
        items = self._items()
        if not (0 <= number < len(items) and 0 <= to < len(items)):
            raise EditError("no_such_place")
        return self._moved(number, to, clock_there(items, number, to))

    def _remove(self, edit: Edit) -> ScenarioText:
        number = int(edit["item"])
        self.chosen = min(number, len(self._items()) - 2)
        last = max(len(self._items()) - 2, 0)
        new = editing.remove(self.text, (*STREAM, number))
        self.known = [item for place, item in enumerate(self._items()) if place != number]
        return renumber(new, lambda item: min(item - (item > number), last))

    def _add(self, edit: Edit) -> ScenarioText:
        """Add a record like the one before it, a little later, but before the end of input."""
        items = self._items()
        after = min(int(edit["after"]), len(items) - 1)
        if after >= 0 and isinstance(items[after], End):
            after -= 1
        self.chosen = after + 1
        what = str(edit.get("what", "record"))
        value = self._next(items, after) if what == "record" else self._other(what, items[: after + 1])
        if not items:
            return editing.append(self.text, "stream", value)
        new = editing.insert(self.text, STREAM, after + 1, value)
        self.known = [*items[: after + 1], None, *items[after + 1 :]]
        return renumber(new, lambda item: item + (item > after))

    def _paste(self, edit: Edit) -> ScenarioText:
        return pasted(self.text, self.scenario, self.clock, self._way, edit)

    def _other(self, what: str, before: tuple[Item, ...]) -> dict[str, Value]:
        """An item that is no record, with the most likely contents."""
        joins = len(self.scenario.inputs) > 1
        where: dict[str, Value] = {"in": Plain(self.scenario.inputs[0].name)} if joins else {}
        if what == "watermark":
            newest = max((item.ts for item in before if isinstance(item, Record) and item.ts is not None), default=None)
            ts = self.scenario.origin + A_SECOND if newest is None else newest
            return {"watermark": self.clock.written(ts, self._way("watermark")), **where}
        taken = [item.name for item in before if isinstance(item, Checkpoint)]
        others: dict[str, dict[str, Value]] = {
            "status": {"status": Plain("idle"), **where},
            "advance": {"advance": Plain("1s")},
            "checkpoint": {"checkpoint": Plain(f"c{len(taken) + 1}")},
            "restore": {"restore": taken[-1] if taken else "c1"},
            "end": {"end": True},
            "batch": {"batch": Plain("end")},
        }
        return others[what]

    def _next(self, items: tuple[Item, ...], after: int) -> dict[str, Value]:
        """A record a second later on both clocks, or half way to the next arrival."""
        before = [item for item in items[: after + 1] if isinstance(item, Record)]
        like = before[-1] if before else next((item for item in items if isinstance(item, Record)), None)
        ts, at = (getattr(like, name, None) for name in ("ts", "at"))
        following = next((i.at for i in items[after + 1 :] if getattr(i, "at", None) is not None), None)
        step = A_SECOND if before else 0
        if at is not None and following is not None:
            step = min(step, max((following - at) // 2, 0))
        fields: dict[str, Value] = {}
        if ts is not None or self.scenario.operator.time == "event":
            later = self.scenario.origin + A_SECOND if ts is None else ts + step
            fields["ts"] = self.clock.written(later, self._way("ts"))
        key = getattr(like, "key", "a")
        fields["key"] = value_of(key) if isinstance(key, str) and key.isidentifier() else key
        value = getattr(like, "value", 1)
        if value is not None:
            fields["value"] = 1 if isinstance(value, int | float) else value
        if len(self.scenario.inputs) > 1:
            fields["in"] = Plain(getattr(like, "input", self.scenario.inputs[0].name))
        if at is not None:
            fields["at"] = self.clock.written(at + step, self._way("at"))
        channel = getattr(like, "channel", 0)
        return fields | ({"channel": channel} if channel else {})

    def _as_list(self, edit: Edit) -> ScenarioText:
        """A generated stream becomes the list of its records, so that each can be moved."""
        return listed(self.text, self.scenario, self.clock)

    # --- everything else -----------------------------------------------------------------------------------------

    def _control(self, edit: Edit) -> ScenarioText:
        control = controls_of(self.scenario)[str(edit["name"])]
        typed = str(edit["value"])[:TYPED_CHARACTERS]
        if control.kind == "choice" and typed not in {value for value, _ in control.choices}:
            raise CellError("no_choice")
        new = control.write(self.text, typed)
        if control.name != "assigner":
            return new
        return new if draft_of_edit(new).scenario else _with_default_trigger(new)

    def _name(self, edit: Edit) -> ScenarioText:
        return put(self.text, ("name",), Plain(str(edit["value"])[:100]))


def _with_default_trigger(text: ScenarioText) -> ScenarioText:
    """``text`` without a trigger, which another kind of window may not accept."""
    try:
        return editing.remove(text, ("operator", "trigger"))
    except EditError:
        return text


class Edited(NamedTuple):
    """A draft after an edit. ``chosen``: the item that it was about; ``said``: what it changed besides, in words."""

    draft: Draft
    chosen: int | None = None
    said: str = ""


def edited(draft: Draft, edit: Edit) -> tuple[Draft, int | None]:
    """The draft after ``edit``, and the item that it was about.

    Raises ``EditRefused`` if it cannot be made, or would leave a sound draft unsound.
    """
    return edit_of(draft, edit)[:2]


def _with_stamps(before: Draft, after: Draft) -> Draft:
    """Drafts of which a part cannot be read have texts that nobody knows, so nothing is said about those either."""
    if before.scenario is None or after.scenario is None or after.read is None or not (before.whole and after.whole):
        return after
    read = stamped(after.read, before.scenario, after.scenario)
    return after if read is after.read else draft_of_edit(read)


def _kind(edit: object) -> object:
    """What kind of an edit is asked for; anything can be asked."""
    return edit.get("kind") if isinstance(edit, Mapping) else None


OF_STREAM: Final = ("cell", "place", "add", "remove", "move", "list", "insert", "paste")
"""The edits of records."""


def _check_chain(draft: Draft, edit: Edit) -> None:
    """Of several operators the one that is shown may get records that are not written one by one."""
    chain = draft.scenario.chain if draft.scenario else None
    if chain is None or draft.read is None or _kind(edit) not in OF_STREAM:
        return
    if chain.of_shown.seqs != tuple(range(draft.read.length(STREAM))):
        raise EditRefused(words("author.refused.chain_records", operator=chain.shown))


def _inputs(draft: Draft) -> list[str]:
    read = draft.read
    found = read.value(("inputs",)) if read is not None and read.has(("inputs",)) else None
    return list(found) if isinstance(found, dict) else []


def edit_of(draft: Draft, edit: Edit) -> Edited:
    """As ``edited``, with what the edit changed besides. The form also takes edits of a draft that does not run."""
    by_field = _kind(edit) == "member"
    if draft.scenario is None and (draft.read is None or not by_field):
        raise EditRefused(words("author.refused.unsound"))
    with refusing():
        if by_field:
            made = by_form(draft, str(edit["name"]), str(edit["value"])[:TYPED_CHARACTERS])
            new = Edited(made.draft, None, made.said)
        else:
            _check_chain(draft, edit)
            editor = Editor(draft)
            new = Edited(draft_of_edit(editor.make(edit), editor.known), editor.chosen)
    if draft.read is not None and draft.read.operators and _inputs(new.draft) != _inputs(draft):
        raise EditRefused(words("author.refused.chain_inputs"))
    if _kind(edit) != "still_right":
        new = new._replace(draft=_with_stamps(draft, new.draft))
    if new.draft.scenario is None and draft.scenario is not None:
        raise EditRefused(next((each.text for each in new.draft.problems if not each.warning), ""))
    return new
