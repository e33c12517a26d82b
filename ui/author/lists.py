"""Items put into the lists of a file (stream, goals, walkthrough), each on lines of its own, also where none is yet."""

from simulator.scenario.editing import EditError, Value, insert
from simulator.scenario.editing.places import Places
from simulator.scenario.editing.written import written
from simulator.scenario.reading.nodes import MappingNode, SequenceNode


def appended(text: str, name: str, value: Value) -> str:
    """``text`` with ``value`` behind the others of the list called ``name``, which is made where there is none.

    Raises ``EditError`` where the file is written within braces.
    """
    places = Places(text)
    root = places.root
    node = root.entries[name].value if isinstance(root, MappingNode) and name in root.entries else None
    if isinstance(node, SequenceNode) and node.items:
        return insert(text, (name,), len(node.items), value)
    return with_lines(text, name, [written(value)])


def with_lines(text: str, name: str, lines: list[str]) -> str:
    """``text`` with a list of these items, already written, as ``name``; what stood there is gone."""
    places = Places(text)
    root = places.root
    if not isinstance(root, MappingNode) or places.is_flow(root):
        raise EditError("not_simple")
    listed = f"{name}:\n" + "".join(f"  - {line}\n" for line in lines) if lines else f"{name}: []\n"
    entry = root.entries.get(name)
    if entry is None:
        before = places.text if places.text.endswith("\n") else f"{places.text}\n"
        return before + listed
    end = places.line_end(places.end(entry.value, places.is_flow(entry.value)))
    return places.text[: places.line_start(entry.at)] + listed + places.text[end:]
