"""The limit that stops a trigger which would fire for ever."""

from tidemark.simulator.limits import FIRINGS_WITHIN_AN_ITEM
from tidemark.simulator.operators.runtime import Output
from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.window import Window


class FiringLimit:
    """Counts the firings that timers cause; a record causes no more than one for each window."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._item = -1
        self._counts: dict[tuple[Key, Window], int] = {}

    def fired(self, key: Key, window: Window) -> None:
        """Count one firing; raises ``EngineFailure`` (LimitExceeded) beyond the limit."""
        if self._item != self._output.item:
            self._item = self._output.item
            self._counts.clear()
        count = self._counts.get((key, window), 0) + 1
        self._counts[key, window] = count
        if count > FIRINGS_WITHIN_AN_ITEM:
            message = f"a trigger fired more than {FIRINGS_WITHIN_AN_ITEM} times for one key and window within one item"
            raise EngineFailure("LimitExceeded", message)
