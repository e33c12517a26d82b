"""A record as it is kept in a list of state, with its timestamp."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple


class Element(NamedTuple):
    """``timestamp`` in ms, None if the record has none; ``input`` is the side of a join."""

    timestamp: int | None
    value: Any
    input: str = ""


new_element: Callable[[tuple[int | None, Any, str]], Element] = partial(tuple.__new__, Element)
"""``Element(*fields)`` in a third of the time, for joins: there each record is kept."""
