"""The edits: each replaces the smallest piece of the text, and is looked at again before it is given.

What an edit gives is read, and has to say what the text said before with this one change; otherwise there is an
``EditError`` and no text. So no edit makes a readable file unreadable or touches a value that it was not asked for.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from simulator.scenario.editing.places import EditError, Path, Places
from simulator.scenario.editing.written import Value, block, entry, shape, written
from simulator.scenario.reading.nodes import MappingNode, ScalarNode, SequenceNode


def set_value(text: str, path: Path, value: Value) -> str:
    """``text`` with ``value`` at ``path``. A key that is not there yet comes behind the others of its mapping."""
    places = Places(text)
    parent = places.find(path[:-1])
    key = path[-1]
    told = _told(value)
    if isinstance(parent, MappingNode) and isinstance(key, str) and key not in parent.entries:
        edited = _add(places, path[:-1], parent, entry(key, value))
        return _sound(places, edited, path[:-1], lambda old: old[1].append((key, told)))
    node = places.find(path)
    end = places.end(node, places.in_flow(path[:-1]))
    new = _written(value)
    if isinstance(node, ScalarNode) and end == node.at:
        before = "" if places.text[node.at - 1] in " \t" else " "
        new = f"{before}{new} " if places.text[end : end + 1] == "#" else before + new
    elif end > node.at and places.text[end - 1] == "\n":
        new += "\n"
    return _sound(places, places.text[: node.at] + new + places.text[end:], path[:-1], _put(key, told))


def insert(text: str, path: Path, index: int, value: Value) -> str:
    """``text`` with ``value`` as item ``index`` of the list at ``path``; the length of the list is its end."""
    places = Places(text)
    sequence = _list(places, path)
    if not 0 <= index <= len(sequence.items):
        raise EditError("no_such_place")
    new = _written(value)
    if places.is_flow(sequence):
        if index < len(sequence.items):
            at, new = sequence.items[index].at, f"{new}, "
        elif sequence.items:
            at, new = places.end(sequence.items[-1], True), f", {new}"
        else:
            at = sequence.at + 1
        edited = places.text[:at] + new + places.text[at:]
    else:
        first = places.dash(sequence.items[0])
        line = " " * (first - places.line_start(first)) + f"- {new}\n"
        edited = _with_lines(places, _line_of(places, sequence, index), line)
    return _sound(places, edited, path, lambda old: old.insert(index, _told(value)))


def insert_block(text: str, key: str, index: int, members: dict[str, Value]) -> str:
    """``text`` with an item of several lines in the list at the top-level ``key``; a missing one comes last."""
    places = Places(text)
    if not isinstance(places.root, MappingNode) or places.in_flow(()):
        raise EditError("not_simple")
    there = places.root.entries.get(key)
    if there is None:
        edited = _with_lines(places, len(places.text), f"{key}:\n{_lines(members, 2)}")
        return _sound(places, edited, (), lambda old: old[1].append((key, [_told(members)])))
    sequence = _list(places, (key,))
    if places.is_flow(sequence) and sequence.items:
        return insert(text, (key,), index, members)
    if not 0 <= index <= len(sequence.items):
        raise EditError("no_such_place")
    if sequence.items:
        first = places.dash(sequence.items[0])
        indent = first - places.line_start(first)
        edited = _with_lines(places, _line_of(places, sequence, index), _lines(members, indent))
    else:
        start, end = places.text.rfind(":", 0, sequence.at) + 1, places.line_end(places.end(sequence, True))
        edited = f"{places.text[:start]}\n{_lines(members, 2)}{places.text[end:]}"
    return _sound(places, edited, (key,), lambda old: old.insert(index, _told(members)))


def remove(text: str, path: Path) -> str:
    """``text`` without the item or the key at ``path``; in a block with its comment on the same line."""
    places = Places(text)
    parent, key = places.find(path[:-1]), path[-1]
    node = places.find(path)
    flow = places.in_flow(path[:-1])
    starts, ends, here = _extents(places, parent, key, flow)
    if len(starts) == 1:
        opened = "[]" if isinstance(parent, SequenceNode) else "{}"
        start, end, new = parent.at, places.end(parent, flow), opened
        if places.text[end - 1] == "\n":
            new += "\n"
    elif flow:
        start, end = (ends[here - 1], ends[here]) if here else (starts[0], starts[1])
        new = ""
    else:
        at = places.dash(node) if isinstance(parent, SequenceNode) else starts[here]
        start, end, new = places.line_start(at), places.line_end(ends[here]), ""
    return _sound(places, places.text[:start] + new + places.text[end:], path[:-1], _without(key))


def move(text: str, path: Path, old: int, new: int) -> str:
    """``text`` with item ``old`` of the block list at ``path`` taken to ``new``, with the comments on its lines."""
    places = Places(text)
    sequence = _list(places, path)
    count = len(sequence.items)
    if places.is_flow(sequence) or not (0 <= old < count and 0 <= new < count):
        raise EditError("no_such_place")
    start = places.line_start(places.dash(sequence.items[old]))
    end = places.line_end(places.end(sequence.items[old], False))
    lines = places.text[start:end]
    target = _line_of(places, sequence, new if new < old else new + 1)
    if old == new:
        return places.text
    if new < old:
        edited = places.text[:target] + _closed(lines) + places.text[target:start] + places.text[end:]
    else:
        edited = places.text[:start] + _closed(places.text[end:target]) + lines + places.text[target:]
    return _sound(places, edited, path, lambda items: items.insert(new, items.pop(old)))


def _add(places: Places, path: Path, parent: MappingNode, new: str) -> str:
    """``new`` behind the entries of ``parent``."""
    entries = list(parent.entries.values())
    if places.in_flow(path):
        at = places.end(entries[-1].value, True) if entries else parent.at + 1
        return places.text[:at] + (", " if entries else "") + new + places.text[at:]
    column = entries[0].at - places.line_start(entries[0].at)
    at = places.line_end(places.end(entries[-1].value, False))
    return _with_lines(places, at, f"{' ' * column}{new}\n")


def _extents(places: Places, parent: Any, key: str | int, flow: bool) -> tuple[list[int], list[int], int]:
    """Where the members of ``parent`` begin and end, and which of them is ``key``."""
    if isinstance(parent, MappingNode):
        values = [each.value for each in parent.entries.values()]
        starts, here = [each.at for each in parent.entries.values()], list(parent.entries).index(str(key))
    else:
        values = parent.items
        starts, here = [each.at for each in values], int(key)
    return starts, [places.end(each, flow) for each in values], here


def _line_of(places: Places, sequence: SequenceNode, index: int) -> int:
    """Where the line of item ``index`` begins; behind the last item the line after it."""
    if index < len(sequence.items):
        return places.line_start(places.dash(sequence.items[index]))
    return places.line_end(places.end(sequence.items[-1], False))


def _with_lines(places: Places, at: int, lines: str) -> str:
    before = places.text[:at]
    return (_closed(before) if before else "") + lines + places.text[at:]


def _closed(lines: str) -> str:
    return lines if lines.endswith("\n") else f"{lines}\n"


def _list(places: Places, path: Path) -> SequenceNode:
    node = places.find(path)
    if not isinstance(node, SequenceNode):
        raise EditError("no_such_place")
    return node


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


def _told(value: Value) -> Any:
    """What ``value`` says once it is written."""
    return shape(Places(f"[{_written(value)}]").find((0,)))


def _put(key: str | int, told: Any) -> Callable[[Any], None]:
    def change(old: Any) -> None:
        if isinstance(key, int):
            old[key] = told
        else:
            old[1][:] = [(name, told if name == key else each) for name, each in old[1]]

    return change


def _without(key: str | int) -> Callable[[Any], None]:
    def change(old: Any) -> None:
        if isinstance(key, int):
            del old[key]
        else:
            old[1][:] = [pair for pair in old[1] if pair[0] != key]

    return change


def _sound(places: Places, edited: str, path: Path, change: Callable[[Any], None]) -> str:
    """``edited``, if it says what ``places`` says with ``change`` made to what is at ``path``."""
    wanted = deepcopy(shape(places.root))
    part = wanted
    for step in path:
        part = part[step] if isinstance(step, int) else dict(part[1])[step]
    change(part)
    if shape(Places(edited).root) != wanted:
        raise EditError("not_simple")
    return edited
