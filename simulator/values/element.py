"""A record as it is kept in a list of state, with its timestamp."""

from typing import Any, NamedTuple


class Element(NamedTuple):
    """``timestamp`` in ms, None if the record has none; ``input`` is the side of a join."""

    timestamp: int | None
    value: Any
    input: str = ""
