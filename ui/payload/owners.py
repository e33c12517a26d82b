"""The key and the window of each step, so that steps can be found by them."""

from tidemark.simulator.timeline.ids import bounds, scope_id
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.key import Key, plain_key
from tidemark.simulator.values.window import Namespace
from tidemark.ui.payload.schema import Owners


def owners(trace: Trace) -> Owners:
    """Each key and window once, and for each step its place among them.

    A step whose event names no key has none.
    """
    places: dict[str, int] = {}
    found: Owners = {"names": [], "of": []}
    for step in trace:
        key: Key | None = getattr(step.event, "key", None)
        if key is None:
            found["of"].append(-1)
            continue
        namespace: Namespace = getattr(step.event, "window", getattr(step.event, "namespace", None))
        start, end = bounds(namespace).values()
        owner = scope_id(key, start, end)
        if owner not in places:
            places[owner] = len(places)
            found["names"].append((plain_key(key), start, end))
        found["of"].append(places[owner])
    return found
