"""How the app writes times: as the sentences of the timeline do, with words for "none yet" and the global window.

``ui/player/base/format.ts`` does the same in the browser.
"""

from dataclasses import dataclass
from typing import Any

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.timeline.wording import SECONDS, TimeFormat
from tidemark.simulator.words import words


@dataclass(frozen=True)
class TimeStyle:
    """The scenario's time format, as pages and charts use it."""

    format: TimeFormat

    @property
    def in_seconds(self) -> bool:
        """Whether times are plain seconds; otherwise they are clock times of the scenario's zone."""
        return self.format.style == SECONDS

    def as_json(self) -> dict[str, Any]:
        """What the browser needs to write times alike."""
        day = self.format.day
        shown: dict[str, Any] = {
            "style": self.format.style,
            "zone": str(self.format.zone),
            "day": day.isoformat() if day else None,
        }
        if self.format.session is not None:
            shown["clocks"] = [list(each) for each in self.format.clocks]
        if self.format.milliseconds:
            shown["milliseconds"] = True
        return shown

    def exact(self, ms: int | None) -> str:
        """A watermark or timer, to the millisecond; None and Long.MIN are "none yet"."""
        return words("player.none_yet") if ms is None or ms == MIN else self.format.exact(ms)

    def round(self, ms: int) -> str:
        """A watermark or timer for a novice: one that lies a millisecond before a time is at that time, unless the
        scenario has milliseconds of its own.
        """
        if self.format.milliseconds:
            return self.exact(ms)
        return words("player.none_yet") if ms == MIN else self.format.instant(ms + (ms % 10 == 9))

    def short(self, ms: int) -> str:
        """A record's time or an arrival, without its unit."""
        return self.format.record(ms).removesuffix(" s")

    def of_day(self, ms: int) -> str:
        """``short`` without a date or the seconds of a whole minute, for a place beside an axis that shows the day."""
        text = self.short(ms)
        if ":" not in text:
            return text
        time = text.rpartition(" ")[2]
        return time.removesuffix(":00") if ms % 60_000 == 0 and time.count(":") > 1 else time

    def bound(self, ms: int) -> str:
        """The start or end of a window."""
        return self.window(ms, ms)[1:].partition(",")[0]

    def on_axis(self, start: int | None, end: int | None) -> tuple[int | None, int | None]:
        """The instants between which a window lies on an axis; None for the global window."""
        return (start, end) if start is None or end is None else self.format.instants(start, end)

    def tick(self, ms: int) -> str:
        """An instant at an axis of event time or of arrival."""
        return self.format.tick(ms)

    def told(self, ms: int, bare: bool) -> str:
        """A time in what an author says: ``5 s``, or ``5`` for ``bare``; the end of input is ``+∞``."""
        if ms in (MIN, MAX):
            return self.exact(ms)
        return f"{self.bound(ms)} s" if self.in_seconds and not bare else self.bound(ms)

    def window(self, start: int | None, end: int | None) -> str:
        """``[0, 5)``, or the words for the global window."""
        if start is None or end is None:
            return words("player.global_window")
        return self.format.window(TimeWindow(start, end))
