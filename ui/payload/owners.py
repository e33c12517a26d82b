"""Whose each step is: the key and the window that its event names, so that steps can be found by them."""

import json
from typing import Any

from simulator.trace.trace import Trace, event_fields


def owners(trace: Trace) -> dict[str, list[Any]]:
    """``names``: every [key, start, end] that occurs, once; ``of``: for each step its place there, or -1 for none.

    A step whose event names no key belongs to none. ``start`` and ``end`` are null where the event names no window.
    """
    places: dict[str, int] = {}
    names: list[list[Any]] = []
    of: list[int] = []
    for step in trace:
        fields = event_fields(step.event)
        if "key" not in fields:
            of.append(-1)
            continue
        name = [fields["key"], fields.get("start"), fields.get("end")]
        sign = json.dumps(name)
        if sign not in places:
            places[sign] = len(names)
            names.append(name)
        of.append(places[sign])
    return {"names": names, "of": of}
