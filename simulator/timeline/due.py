"""When a timer is due: the one vocabulary of the table ``timers`` and of the phases in ``conditions``."""

from typing import Final

WAITING: Final = "waiting"
"""The watermark or the clock has not come that far."""

DUE: Final = "due"
"""It has: the timer fires in this advance, after those before it."""

PAST: Final = "past"
"""Its time was past when it was set: it fires in the next advance, however far that goes."""


def event_status(timestamp: int, watermark: int | None, *, advancing: bool) -> str:
    """The status of an event-time timer for ``timestamp`` at ``watermark`` (ms).

    ``advancing``: the operator is still firing the timers of this watermark, so that a new one of the past fires too.
    Source: ``InternalTimerServiceImpl.advanceWatermark``, which looks at the head of the queue again each time.
    """
    if watermark is None or timestamp > watermark:
        return WAITING
    return DUE if advancing else PAST
