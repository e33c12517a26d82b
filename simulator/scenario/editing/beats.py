"""Edits of the walkthrough: a beat is added where it happens, changed, or removed; all else in the text stays.

A beat stands at the n-th event of a type, or at a stream item: both still mean what the author meant when numbers of
the scenario change. When items come or go, ``renumber`` takes the beats along.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.scenario.editing.edits import insert_block, remove, replace, set_value
from tidemark.simulator.scenario.editing.text import EditError, Path, Plain, ScenarioText, Value, text_value, written
from tidemark.simulator.scenario.format.document import PREDICTIONS, WAYS
from tidemark.simulator.scenario.languages import TRANSLATED_FROM
from tidemark.simulator.scenario.model import Place
from tidemark.simulator.scenario.reading import nodes
from tidemark.simulator.scenario.reading.scalars import resolve
from tidemark.simulator.words import DEFAULT_LANGUAGE

WALKTHROUGH: Final = "walkthrough"

Words = str | Mapping[str, str]
"""A text in the language of the file, or texts by language (that one always there); "" for none."""

ORDER: Final = ("at", "say", "ask", "choices", "answer", "because", "predict", "note")

TELLING: Final = frozenset(
    (
        "BatchEnded", "BatchStarted", "BufferAdded", "BufferRemoved", "ChannelActive", "ChannelIdle", "CheckpointTaken",
        "ElementSilentlySkipped", "ElementsEvicted", "GroupFired", "JoinMatched", "LateDropped", "LateSideOutput",
        "OperatorFailed", "PaneEmitted", "PaneFired", "QueuePopped", "QueuePushed", "RecordFiltered", "Restored",
        "RowsWithdrawn", "SessionsMerged", "StateAdded", "StateEvicted", "StateMerged", "WatermarkCombined",
        "WatermarkMoved", "WindowCleaned", "WindowSkippedLate", "WindowsAssigned", "WindowsMerged",
    )
)  # fmt: skip
"""Events that are a reason to stop. The others happen so often that their count changes with nearly every edit."""


class NewChoice(NamedTuple):
    """An answer to a question. ``reply``: what is said to somebody who picks it; the right one has none.

    ``belief``: the name of the misconception that leads to it, "" for none; the right one has none.
    """

    text: Words
    reply: Words = ""
    belief: str = ""


@dataclass(frozen=True, slots=True)
class NewBeat:
    """What a beat says or asks. ``kind``: ``say``, ``ask`` (with ``choices`` and ``answer``) or ``predict``.

    ``text`` is what is said or asked; with ``predict`` it is one of the kinds of predictions, and ``way`` says how a
    class answers it, "" for the usual way.
    """

    kind: str
    text: Words
    choices: Sequence[NewChoice] = ()
    answer: int = 0
    because: Words = ""
    note: Words = ""
    way: str = ""


def place_of_step(trace: Trace, step: int, *, predict: bool = False, anchor: str = "") -> Place:
    """The place of a beat at ``step``; with ``anchor`` by its ``event``, its ``item`` or its ``step``.

    Without one the place that is likeliest to survive later edits: the event if it is one to stop at; the item for a
    prediction, or for the item's last step; otherwise the event again. An ``item`` stands for its last step, for its
    first one in a prediction. Raises ``EditError`` for a step that the run does not have, or another anchor.
    """
    if not 0 <= step < len(trace) or anchor not in ("", "event", "item", "step"):
        raise EditError("no_such_place")
    here = trace.steps[step]
    event = type(here.event).__name__
    if anchor == "step":
        return Place(step=step)
    is_last = step + 1 == len(trace) or trace.steps[step + 1].item != here.item
    runs_once = all(each.item != here.item for each in trace.steps[step + 1 :])
    fits = predict or (event not in TELLING and is_last and runs_once)
    if anchor == "item" or (fits and not anchor):
        return Place(item=here.item)
    return Place(event=event, occurrence=sum(type(each.event).__name__ == event for each in trace.steps[: step + 1]))


def add_beat(text: ScenarioText, place: Place, beat: NewBeat, index: int | None = None) -> ScenarioText:
    """``text`` with ``beat`` at ``place``, as beat ``index`` of the file; by default the last one."""
    members = _members(place, beat, language_of_file(text))
    return insert_block(text, WALKTHROUGH, len(_beats(text)) if index is None else index, members)


def set_beat(text: ScenarioText, number: int, beat: NewBeat, place: Place | None = None) -> ScenarioText:
    """``text`` with beat ``number`` (from 0) changed; it keeps its ``place`` unless one is given."""
    wanted = _members(place, beat, language_of_file(text))
    path = (WALKTHROUGH, number)
    if not 0 <= number < len(_beats(text)):
        raise EditError("no_such_place")
    for key, value in wanted.items():
        text = _set(text, (*path, key), value)
    there = text.places.find(path)
    assert isinstance(there, nodes.MappingNode)
    for key in [each for each in there.entries if each in ORDER and each not in wanted and each != "at"]:
        text = remove(text, (*path, key))
    return text


def remove_beat(text: ScenarioText, number: int) -> ScenarioText:
    """``text`` without beat ``number``; with the last one goes the walkthrough."""
    count = len(_beats(text))
    if not 0 <= number < count:
        raise EditError("no_such_place")
    return remove(text, (WALKTHROUGH,) if count == 1 else (WALKTHROUGH, number))


def renumber(text: ScenarioText, moved: Callable[[int], int]) -> ScenarioText:
    """``text`` with the beats at stream items taken along: ``moved`` returns the new index of an item."""
    changed: dict[Path, Value] = {}
    for number in range(len(_beats(text))):
        path = (WALKTHROUGH, number, "at", "item")
        item = text.scalar(path)
        if item is not None and item.isdecimal() and moved(int(item)) != int(item):
            changed[path] = moved(int(item))
    return replace(text, changed) if changed else text


def language_of_file(text: ScenarioText) -> str:
    """The language of the texts in ``text`` that are not written by language."""
    return text.scalar(("language",)) or DEFAULT_LANGUAGE


def _beats(text: ScenarioText) -> Sequence[nodes.Node]:
    """The beats as they stand in ``text``; none if there is no walkthrough."""
    return text.places.list_at((WALKTHROUGH,)).items if text.has((WALKTHROUGH,)) else ()


def _members(place: Place | None, beat: NewBeat, language: str) -> dict[str, Value]:
    members: dict[str, Value] = {} if place is None else {"at": _at(place)}
    if beat.kind == "predict":
        if beat.text not in PREDICTIONS or beat.way not in ("", *WAYS[str(beat.text)]):
            raise EditError("no_value")
        members["predict"] = Plain(str(beat.text))
        if beat.way:
            members["answer"] = Plain(beat.way)
    else:
        members[beat.kind] = _words(beat.text, language)
    if beat.kind == "ask":
        if len(beat.choices) < 2 or not 0 <= beat.answer < len(beat.choices):
            raise EditError("no_value")
        choices = [_choice(each, language, right=number == beat.answer) for number, each in enumerate(beat.choices)]
        members |= {"choices": choices, "answer": beat.answer}
        if beat.because:
            members["because"] = _words(beat.because, language)
    elif beat.kind not in ("say", "predict"):
        raise EditError("no_value")
    if beat.note:
        members["note"] = _words(beat.note, language)
    return members


def _at(place: Place) -> Value:
    if place.event is not None:
        once: dict[str, Value] = {"event": Plain(place.event)}
        return once if place.occurrence == 1 else {**once, "occurrence": place.occurrence}
    return {"item": place.item} if place.item is not None else {"step": place.step}


def _choice(choice: NewChoice, language: str, *, right: bool) -> Value:
    text = _words(choice.text, language)
    if right or not (choice.reply or choice.belief):
        return text
    reply: dict[str, Value] = {"reply": _words(choice.reply, language)} if choice.reply else {}
    return {"text": text, **reply, **({"belief": Plain(choice.belief)} if choice.belief else {})}


def _words(given: Words, original: str) -> Value:
    """Raises ``EditError`` where the text in the ``original`` language is missing: the format requires one."""
    if isinstance(given, str):
        if not given.strip():
            raise EditError("no_value")
        return text_value(given)
    by_language = {language: text_value(each) for language, each in given.items() if each.strip()}
    if original not in by_language:
        raise EditError("no_value")
    return by_language[original] if len(by_language) == 1 else dict(by_language)


def _set(text: ScenarioText, path: Path, value: Value) -> ScenarioText:
    """``value`` at ``path``, unless it stands there already; of texts in several languages only those that differ."""
    if not text.has(path):
        return set_value(text, path, value)
    there, language = text.places.find(path), language_of_file(text)
    if _says(there, language) == _says(ScenarioText(f"[{written(value)}]").places.find((0,)), language):
        return text
    if isinstance(value, list) and isinstance(there, nodes.SequenceNode) and len(value) == len(there.items):
        for number, each in enumerate(value):
            text = _set(text, (*path, number), each)
        return text
    if isinstance(there, nodes.MappingNode) and path[-1] != "at":  # a text by language stays one
        members = value if isinstance(value, dict) else {"text" if "text" in there.entries else language: value}
        if ("text" in members) == ("text" in there.entries):
            for name, each in members.items():
                text = _set(text, (*path, name), each)
            for name in [each for each in there.entries if each not in members and each != TRANSLATED_FROM]:
                text = remove(text, (*path, name))
            return text
    return set_value(text, path, value)


def _says(node: nodes.Node, language: str) -> object:
    """What a value says, however it is written; blanks around a text do not count."""
    if isinstance(node, nodes.ScalarNode):
        return resolve(node.text) if node.plain else node.text.strip()
    if isinstance(node, nodes.MappingNode):
        said = {key: _says(each.value, language) for key, each in node.entries.items() if key != TRANSLATED_FROM}
        return said[name] if (name := next(iter(said), "")) in (language, "text") and len(said) == 1 else said
    return [_says(each, language) for each in node.items]
