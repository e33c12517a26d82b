"""The edits: each replaces the smallest piece of the text, and its result is read before it is returned.

The result has to say what the text said before, with this one change; otherwise there is an ``EditError`` and no text.
So no edit makes a readable file unreadable or touches a value that it was not asked for. An edit reads the text that
it makes, and no other: its cost grows with the file, never with the file times the number of values.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.scenario.editing.text import (
    EditError,
    Path,
    Places,
    ScenarioText,
    Value,
    block,
    entry,
    key_written,
    same_shape,
    shape,
    value_of,
    written,
)
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode

TOP: Final = (
    "scenario", "name", "language", "engine", "flink", "title", "summary", "look_for", "takeaway", "teaches",
    "level", "lesson", "minutes", "zone", "origin", "inputs", "operator", "operators", "shown", "stream", "goals",
    "walkthrough",
)  # fmt: skip
"""The keys at the top of a file in their usual order."""


def set_value(text: ScenarioText, path: Path, value: Value) -> ScenarioText:
    """``text`` with ``value`` at ``path``.

    A key that does not exist yet goes after the others of its mapping; at the top of a file to where it is usual.
    """
    places = text.places
    parent, key = places.find(path[:-1]), path[-1]
    if not isinstance(parent, MappingNode) or not isinstance(key, str) or key in parent.entries:
        return replace(text, {path: value})
    said = _said(value)
    count = len(parent.entries) if len(path) > 1 else _usual_place(parent, key)
    edited = _with_entry(places, path[:-1], parent, count, entry(key, value))
    return _sound(places, edited, path[:-1], _put_at(count, key, said))


def set_anew(text: ScenarioText, key: str, value: Value) -> ScenarioText:
    """``text`` with ``value`` on one line at the top-level ``key``; what stood there goes with all its lines."""
    return set_value(remove(text, (key,)) if text.has((key,)) else text, (key,), value)


def replace(text: ScenarioText, values: Mapping[Path, Value]) -> ScenarioText:
    """``text`` with other values at places that exist, none within another."""
    places = text.places
    pieces = sorted(_replacement(places, path, value) for path, value in values.items())
    said = {path: _said(value) for path, value in values.items()}

    def change(root: Any) -> None:
        for path, each in said.items():
            path = places.whole(path)
            _put(path[-1], each)(_part(root, path[:-1]))

    edited, here = [], 0
    for start, end, new in pieces:
        if start < here:
            raise EditError("no_such_place")
        edited += [places.text[here:start], new]
        here = end
    return _sound(places, "".join([*edited, places.text[here:]]), (), change)


def set_values(text: ScenarioText, values: Mapping[Path, Value]) -> ScenarioText:
    """``text`` with each of ``values`` at its path: those that replace another one in a single edit."""
    there = {path: value for path, value in values.items() if text.has(path)}
    text = replace(text, there) if there else text
    for path, value in values.items():
        if path not in there:
            text = set_value(text, path, value)
    return text


def put(text: ScenarioText, path: Path, value: Value) -> ScenarioText:
    """As ``set_value``; mappings that ``path`` leads through and that are not written yet are made."""
    for depth in range(1, len(path)):
        if not text.has(path[:depth]) or text.scalar(path[:depth]) is not None:
            for name in reversed(path[depth:]):
                value = {str(name): value}
            return set_value(text, path[:depth], value)
    return set_value(text, path, value)


def rename_key(text: ScenarioText, path: Path, name: str) -> ScenarioText:
    """``text`` with the key at ``path`` called ``name``; its value stays. Raises ``EditError`` if it is taken."""
    places = text.places
    parent, key = places.find(path[:-1]), path[-1]
    if not isinstance(parent, MappingNode) or key not in parent.entries or name in parent.entries:
        raise EditError("no_such_place")
    there = parent.entries[str(key)]
    end = there.at + len(str(key)) if there.plain else places.end_of_quoted(there.at)
    edited = places.text[: there.at] + key_written(name) + places.text[end:]

    def change(old: Any) -> None:
        members = [(name if each == key else each, value) for each, value in old.items()]
        old.clear()
        old.update(members)

    return _sound(places, edited, path[:-1], change)


def insert(text: ScenarioText, path: Path, index: int, *values: Value) -> ScenarioText:
    """``text`` with ``values`` before item ``index`` of the list at ``path``; the length of the list is its end."""
    places = text.places
    sequence = places.list_at(path)
    if not 0 <= index <= len(sequence.items):
        raise EditError("no_such_place")
    new = [_written(value) for value in values]
    if places.is_flow(sequence):
        if index < len(sequence.items):
            at, piece = sequence.items[index].at, "".join(f"{each}, " for each in new)
        elif sequence.items:
            at, piece = places.end(sequence.items[-1], True), "".join(f", {each}" for each in new)
        else:
            at, piece = sequence.at + 1, ", ".join(new)
        edited = places.text[:at] + piece + places.text[at:]
    else:
        indent = " " * places.indentation(sequence.items)
        lines = "".join(f"{indent}- {each}\n" for each in new)
        edited = _with_lines(places, _line_of(places, sequence, index), lines)
    said = [_said(value) for value in values]

    def change(items: Any) -> None:
        items[index:index] = said

    return _sound(places, edited, path, change)


def append(text: ScenarioText, key: str, value: Value) -> ScenarioText:
    """``text`` with ``value`` after the other items of the list at the top-level ``key``, which is made if needed."""
    length = text.length((key,))
    return insert(text, (key,), length, value) if length else set_list(text, key, [value])


def set_list(text: ScenarioText, key: str, values: Sequence[Value]) -> ScenarioText:
    """``text`` with a list of these items, one on each line, at the top-level ``key``; what stood there is gone.

    Raises ``EditError`` if the whole file is written in braces.
    """
    places = text.places
    root = _block_mapping(places)
    lines = "".join(f"  - {_written(value)}\n" for value in values)
    listed = f"{key}:\n{lines}" if lines else f"{key}: []\n"
    said = [_said(value) for value in values]
    there = root.entries.get(key)
    if there is None:
        edited = _with_lines(places, len(places.text), listed)
        return _sound(places, edited, (), _put(key, said))
    end = places.line_end(places.end(there.value, places.is_flow(there.value)))
    edited = places.text[: places.line_start(there.at)] + listed + places.text[end:]
    return _sound(places, edited, (), _put(key, said))


def insert_block(text: ScenarioText, key: str, index: int, members: dict[str, Value]) -> ScenarioText:
    """``text`` with an item of several lines in the list at the top-level ``key``, which comes last if it is new."""
    places = text.places
    there = _block_mapping(places).entries.get(key)
    if there is None:
        edited = _with_lines(places, len(places.text), f"{key}:\n{_lines(members, 2)}")
        return _sound(places, edited, (), _put(key, [_said(members)]))
    sequence = places.list_at((key,))
    if places.is_flow(sequence) and sequence.items:
        return insert(text, (key,), index, members)
    if not 0 <= index <= len(sequence.items):
        raise EditError("no_such_place")
    if sequence.items:
        lines = _lines(members, places.indentation(sequence.items))
        edited = _with_lines(places, _line_of(places, sequence, index), lines)
    else:
        start, end = places.text.rfind(":", 0, sequence.at) + 1, places.line_end(places.end(sequence, True))
        edited = f"{places.text[:start]}\n{_lines(members, 2)}{places.text[end:]}"
    return _sound(places, edited, (key,), lambda old: old.insert(index, _said(members)))


def remove(text: ScenarioText, path: Path) -> ScenarioText:
    """``text`` without the item or the key at ``path``; in a block with the comment on its line."""
    places = text.places
    parent, key = places.find(path[:-1]), path[-1]
    node = places.find(path)
    flow = places.in_flow(path[:-1])
    members = _members(parent)
    here = next(number for number, (_, each) in enumerate(members) if each is node)
    if len(members) == 1:
        opened = "[]" if isinstance(parent, SequenceNode) else "{}"
        start, end, new = parent.at, places.end(parent, flow), opened
        if places.text[end - 1] == "\n":
            new += "\n"
    elif flow and here:
        start, end, new = places.end(members[here - 1][1], flow), places.end(node, flow), ""
    elif flow:
        start, end, new = members[0][0], members[1][0], ""
    else:
        at = places.dash(node) if isinstance(parent, SequenceNode) else members[here][0]
        start, end, new = places.line_start(at), places.line_end(places.end(node, flow)), ""
    return _sound(places, places.text[:start] + new + places.text[end:], path[:-1], _without(key))


def move(text: ScenarioText, path: Path, old: int, new: int) -> ScenarioText:
    """``text`` with item ``old`` of the list at ``path`` taken to ``new``; its comments go along in a block."""
    places = text.places
    sequence = places.list_at(path)
    count = len(sequence.items)
    if not (0 <= old < count and 0 <= new < count):
        raise EditError("no_such_place")
    if old == new:
        return text
    if places.is_flow(sequence):
        return insert(remove(text, (*path, old)), path, new, value_of(sequence.items[old]))
    start = places.line_start(places.dash(sequence.items[old]))
    end = places.line_end(places.end(sequence.items[old], False))
    lines = places.text[start:end]
    target = _line_of(places, sequence, new if new < old else new + 1)
    if new < old:
        edited = places.text[:target] + _closed(lines) + places.text[target:start] + places.text[end:]
    else:
        edited = places.text[:start] + _closed(places.text[end:target]) + lines + places.text[target:]
    return _sound(places, edited, path, lambda items: items.insert(new, items.pop(old)))


def blank(text: ScenarioText, key: str) -> ScenarioText:
    """``text`` with empty lines in place of the top-level ``key``: everything else stays on its line.

    Raises ``EditError`` if there is no such key, or the whole file is written in braces.
    """
    places = text.places
    there = _block_mapping(places).entries.get(key)
    if there is None:
        raise EditError("no_such_place")
    start, end = places.line_start(there.at), places.line_end(places.end(there.value, False))
    return ScenarioText(places.text[:start] + "\n" * places.text.count("\n", start, end) + places.text[end:])


# --- pieces of the text --------------------------------------------------------------------------------------------


def _replacement(places: Places, path: Path, value: Value) -> tuple[int, int, str]:
    """Where the value at ``path`` begins and ends, and what is to stand there instead."""
    node = places.find(path)
    end = places.end(node, places.in_flow(path[:-1]))
    new = _written(value)
    if isinstance(node, ScalarNode) and end == node.at:  # nothing is written there yet
        before = "" if places.text[node.at - 1] in " \t" else " "
        new = f"{before}{new} " if places.text[end : end + 1] == "#" else before + new
    elif end > node.at and places.text[end - 1] == "\n":
        new += "\n"
    return node.at, end, new


def _usual_place(parent: MappingNode, key: str) -> int:
    """Behind how many of the keys at the top of a file a new one goes: behind the last that usually precedes it."""
    before = TOP[: TOP.index(key)] if key in TOP else TOP
    return max((number for number, each in enumerate(parent.entries, 1) if each in before), default=len(parent.entries))


def _with_entry(places: Places, path: Path, parent: MappingNode, count: int, new: str) -> str:
    """The text with the entry ``new`` after the first ``count`` of ``parent``, which is at ``path``."""
    entries = list(parent.entries.values())[:count]
    if places.in_flow(path):
        at = places.end(entries[-1].value, True) if entries else parent.at + 1
        return places.text[:at] + (", " if entries else "") + new + places.text[at:]
    column = entries[0].at - places.line_start(entries[0].at)
    at = _behind(places, parent, count)
    return _with_lines(places, at, f"{' ' * column}{new}\n")


def _behind(places: Places, parent: MappingNode, count: int) -> int:
    """The line behind the first ``count`` entries of a block; where their end is unknown, that of the next one."""
    entries = list(parent.entries.values())
    try:
        return places.line_end(places.end(entries[count - 1].value, False))
    except EditError:
        if count == len(entries):
            raise
        return places.line_start(entries[count].at)


def _members(parent: Node) -> list[tuple[int, Node]]:
    """The members of a collection, each with where it begins: an entry at its key."""
    if isinstance(parent, MappingNode):
        return [(each.at, each.value) for each in parent.entries.values()]
    assert isinstance(parent, SequenceNode)
    return [(each.at, each) for each in parent.items]


def _line_of(places: Places, sequence: SequenceNode, index: int) -> int:
    """Where the line of item ``index`` begins; after the last item the line behind it."""
    if index < len(sequence.items):
        return places.line_start(places.dash(sequence.items[index]))
    return places.line_end(places.end(sequence.items[-1], False))


def _with_lines(places: Places, at: int, lines: str) -> str:
    """The text with ``lines`` at ``at``, which begins a line or is the end of the text."""
    before = places.text[:at]
    return (_closed(before) if before else "") + lines + places.text[at:]


def _closed(lines: str) -> str:
    return lines if lines.endswith("\n") else f"{lines}\n"


def _block_mapping(places: Places) -> MappingNode:
    """The top of the file. Raises ``EditError`` if that is not a mapping of one key a line."""
    if not isinstance(places.root, MappingNode) or places.is_flow(places.root):
        raise EditError("not_simple")
    return places.root


def _written(value: Value) -> str:
    try:
        return written(value)
    except (TypeError, ValueError):
        raise EditError("no_value") from None


def _lines(members: dict[str, Value], indent: int) -> str:
    try:
        return block(members, indent)
    except (TypeError, ValueError):
        raise EditError("no_value") from None


# --- what the result has to say ------------------------------------------------------------------------------------


def _said(value: Value) -> Any:
    """What ``value`` says once it is written."""
    return shape(Places(f"[{_written(value)}]").find((0,)))


def _put(key: str | int, said: Any) -> Callable[[Any], None]:
    def change(old: Any) -> None:
        old[key] = said

    return change


def _put_at(place: int, key: str, said: Any) -> Callable[[Any], None]:
    """Puts a key behind the first ``place`` others."""

    def change(old: Any) -> None:
        behind = list(old.items())[place:]
        for each, _ in behind:
            del old[each]
        old.update([(key, said), *behind])

    return change


def _without(key: str | int) -> Callable[[Any], None]:
    def change(old: Any) -> None:
        del old[key]

    return change


def _part(whole: Any, path: Path) -> Any:
    """What is at ``path`` of a shape."""
    for step in path:
        whole = whole[step]
    return whole


def _sound(places: Places, edited: str, path: Path, change: Callable[[Any], None]) -> ScenarioText:
    """``edited``, if it says what ``places`` says with ``change`` made to what is at ``path``."""
    wanted = shape(places.root)
    change(_part(wanted, places.whole(path)))
    text = ScenarioText(edited)
    if not same_shape(shape(text.places.root), wanted):
        raise EditError("not_simple")
    return text
