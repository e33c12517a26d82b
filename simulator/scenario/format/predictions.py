"""What a beat may have predicted, and how a class answers it."""

from typing import Any, Final

from tidemark.simulator.scenario.format.kinds import JsonSchema, Leaf, Reader
from tidemark.simulator.scenario.reading.nodes import Node

WAYS: Final = {
    "new-watermark": ("enter", "choose"),
    "windows-that-fire": ("tap", "choose"),
    "fate-of-record": ("choose", "drag"),
    "state-entries": ("enter", "choose"),
    "next-timer": ("choose",),
}
"""How a class may answer each prediction, the usual way first."""

PREDICTIONS: Final = tuple(WAYS)
ALL_WAYS: Final = ("choose", "tap", "drag", "enter")


class RightOrWay(Leaf):
    """``answer``: the index of the right choice of an ``ask``; how a class answers a ``predict``."""

    wanted = "answer"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if (type(value) is int and value >= 0) or (isinstance(value, str) and value in ALL_WAYS):
            return value
        return self.refused(reader, node)

    def schema(self) -> JsonSchema:
        return {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": list(ALL_WAYS)}]}
