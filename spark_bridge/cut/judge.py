"""Which records of a stretch are dropped, one after another."""

from spark_bridge.cut.rules import Levels, Rules


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

    def _lowest(self) -> int | None:
        """The least of the channels' largest timestamps, None while a channel has brought nothing."""
        return min(self._levels.values()) if len(self._levels) >= self._rules.channels else None
