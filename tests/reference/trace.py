"""The lists of docs/maintainers/TRACE.md: the events with their fields, and the rules with their formulas."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

from tidemark.simulator.engine.trace import events
from tidemark.simulator.engine.trace.events import EVENT_TYPES, TraceEvent

SOURCES = Path(events.__file__).parents[1]


def members(event: type[TraceEvent]) -> list[str]:
    """The names of an event's own members in JSON."""
    names: list[str] = []
    for field in fields(event):
        if field.name in ("window", "namespace"):
            names += ["start", "end"]
        elif field.name != "place":
            names.append(field.name)
    return names


def events_table() -> str:
    """One line for each event."""
    lines = []
    for event in EVENT_TYPES:
        meaning = " ".join((inspect.getdoc(event) or "").split()).replace("``", "`")
        lines.append(f"- **`{event.__name__}`** (`{', '.join(members(event))}`): {meaning}")
    return "\n".join(lines)


@cache
def rules() -> dict[str, set[str]]:
    """The formulas of each rule by its name, collected from every place that creates one."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            node.targets[0].id: node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        }
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Name(id="Rule") | ast.Attribute(attr="decided"),
                    args=[ast.Constant(value=str(name)), formula, *_],
                ):
                    found.setdefault(name, set()).update(_texts(formula, names))
    return found


def _texts(node: ast.expr, names: dict[str, ast.expr]) -> Iterator[str]:
    """The texts to which an expression may evaluate."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body, names)
        yield from _texts(node.orelse, names)
    elif isinstance(node, ast.Name) and node.id in names:
        yield from _texts(names[node.id], names)


def rules_table() -> str:
    """One line for each rule."""
    return "\n".join(
        f"- `{name}`: {', '.join(f'`{formula}`' for formula in sorted(formulas))}"
        for name, formulas in sorted(rules().items())
    )
