"""The fates of a record and how each looks: a shape of its own first, a colour second."""

SHAPE_OF = {
    "on-time": "circle",
    "late-accepted": "triangle-up",
    "arrived": "circle",
    "dropped": "circle",
    "side": "circle",
    "skipped": "circle",
}
"""Fate to the shape of its filled mark; crossed fates are drawn as a cross over it."""

COLOUR_OF = {
    "on-time": "on_time",
    "late-accepted": "late",
    "arrived": "surface",
    "dropped": "dropped",
    "side": "dropped",
    "skipped": "ahead",
}
"""Fate to its colour parameter."""

CROSSED = frozenset({"dropped", "side", "skipped"})
"""Fates drawn as a cross."""
