"""Which records of a stretch are dropped, one after another."""

from tidemark.spark_bridge.cut.rules import Levels, Rules


class Judge:
    """Goes through records in order, from ``levels``: what the channels have brought before."""

    def __init__(self, rules: Rules, levels: Levels) -> None:
        self._rules = rules
        self._levels = dict(levels)
        self._least = self._lowest()

    def drops(self, channel: int, ts: int) -> bool:
        """Whether the next record is dropped."""
        rules, least = self._rules, self._least
        dropped = least is not None and ts < least and rules.over_from(rules.window_of(ts)) <= least
        known = self._levels.get(channel)
        if known is None or ts > known:
            self._levels[channel] = ts
            if known is None or known == least:
                self._least = self._lowest()
        return dropped

    def passes(self, highest: Levels, lowest: int) -> bool:
        """Go past the next records at once, if none of them can be dropped; else nothing happens.

        ``highest``: their largest timestamp on each channel; ``lowest``: the smallest of all.
        """
        levels = dict(self._levels)
        for channel, ts in highest.items():
            levels[channel] = max(ts, levels.get(channel, ts))
        least = min(levels.values()) if len(levels) >= self._rules.channels else None
        if least is not None and self._rules.over_from(self._rules.window_of(lowest)) <= least:
            return False
        self._levels, self._least = levels, least
        return True

    def _lowest(self) -> int | None:
        """The least of the channels' largest timestamps, None while a channel has brought nothing."""
        return min(self._levels.values()) if len(self._levels) >= self._rules.channels else None
