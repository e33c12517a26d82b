"""When a window of a window table function is over, which is all that lateness means there."""

from typing import Final

from tidemark.simulator.trace.events import Rule, WindowSkippedLate
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MAX
from tidemark.simulator.values.window import TimeWindow

FIRED: Final = "window-fired"
"""The name of the rule."""
FIRED_FORMULA: Final = "max_timestamp <= watermark"


def has_fired(window: TimeWindow, watermark: int) -> bool:
    """Whether the window ended at or before ``watermark`` (ms). Source: ``TimeWindowUtil.isWindowFired``."""
    return window.end != MAX and window.max_timestamp <= watermark


def fired_rule(window: TimeWindow, watermark: int) -> Rule:
    """That the window is over, for the trace."""
    numbers = (("max_timestamp", window.max_timestamp), ("watermark", watermark))
    return Rule(FIRED, FIRED_FORMULA, numbers, True)


def traced_late(key: Key, window: TimeWindow, watermark: int) -> WindowSkippedLate:
    """The event that ``window`` does not take the row."""
    return WindowSkippedLate("TimeWindowUtil.is_window_fired", key, window, fired_rule(window, watermark))
