"""How often a window of a key has emitted a result, and whether the next one is early, on time or late."""

from tidemark.simulator.values.key import Key
from tidemark.simulator.values.rows import Timing
from tidemark.simulator.values.window import Window


class PaneNumbers:
    """Counts the results of each (key, window) from 0.

    With ``forgets`` a window that is gone is forgotten, so that a long run stays small. A run that restores must not
    forget: a window may come back, and its numbers go on from the checkpoint.
    """

    def __init__(self, forgets: bool) -> None:
        self._forgets = forgets
        self._emitted: dict[tuple[Key, Window], tuple[int, bool]] = {}

    def next(self, key: Key, window: Window, now: int) -> tuple[int, Timing]:
        """(number, timing) of the result emitted at ``now`` (ms): the watermark, or in processing time the clock.

        ``early`` before ``end - 1``; ``on-time`` the first at or after it; ``late`` those that follow.
        """
        entry = (key, window)
        number, was_on_time = self._emitted.get(entry, (0, False))
        timing: Timing
        if now < window.max_timestamp:
            timing = "early"
        else:
            timing = "late" if was_on_time else "on-time"
        self._emitted[entry] = (number + 1, was_on_time or timing == "on-time")
        return number, timing

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone."""
        if self._forgets and self._emitted:
            self._emitted.pop((key, window), None)

    def snapshot(self) -> dict[tuple[Key, Window], tuple[int, bool]]:
        """All numbers as they are now."""
        return dict(self._emitted)

    def restore(self, snapshot: dict[tuple[Key, Window], tuple[int, bool]]) -> None:
        """Go on from a snapshot."""
        self._emitted = dict(snapshot)
