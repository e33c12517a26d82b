"""How often a window of a key has given a result, and whether the next one is early, on time or late."""

from simulator.values.key import Key
from simulator.values.window import Window


class PaneNumbers:
    """Counts the rows of each (key, window) from 0.

    With ``forgets`` a window that is gone is forgotten, so that a long run stays small; not so where a restore may
    bring its time back, since numbers go on over a restore.
    """

    def __init__(self, forgets: bool) -> None:
        self._forgets = forgets
        self._given: dict[tuple[Key, Window], tuple[int, bool]] = {}

    def next(self, key: Key, window: Window, now: int) -> tuple[int, str]:
        """(number, timing) of the row that is given at ``now``: the watermark, or in processing time the clock (ms).

        ``early`` before ``end - 1``, ``on-time`` the first row at or after it, ``late`` those that follow.
        """
        number, was_on_time = self._given.get((key, window), (0, False))
        if now < window.max_timestamp:
            timing = "early"
        else:
            timing = "late" if was_on_time else "on-time"
        self._given[key, window] = (number + 1, was_on_time or timing == "on-time")
        return number, timing

    def forget(self, key: Key, window: Window) -> None:
        """The window is gone."""
        if self._forgets:
            self._given.pop((key, window), None)

    def snapshot(self) -> dict[tuple[Key, Window], tuple[int, bool]]:
        """All numbering as it is now."""
        return dict(self._given)

    def restore(self, snapshot: dict[tuple[Key, Window], tuple[int, bool]]) -> None:
        """Go on from a snapshot."""
        self._given = dict(snapshot)
