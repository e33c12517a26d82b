"""The list in docs/users/TRACE.md: the events with their fields."""

import inspect
from dataclasses import fields

from tidemark.simulator.engine.trace.events import EVENT_TYPES, TraceEvent


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
