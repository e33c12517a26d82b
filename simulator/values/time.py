"""Event time and processing time as Flink keeps them: signed 64-bit milliseconds with Java's arithmetic."""

from typing import Annotated, Final

Milliseconds = Annotated[int, "ms"]
"""A length of time. The fields of parts that have this type are put into words as durations."""

MIN: Final = -(2**63)
"""``Long.MIN_VALUE``: as a watermark "none yet", as a timestamp "no timestamp"."""

MAX: Final = 2**63 - 1
"""``Long.MAX_VALUE``: the end-of-input watermark, and the last instant of the global window."""


def wrap(number: int) -> int:
    """The 64-bit two's complement value of ``number``, as a Java ``long`` holds it after an overflow."""
    if MIN <= number <= MAX:
        return number
    return (number + 2**63) % 2**64 - 2**63


def remainder(dividend: int, divisor: int) -> int:
    """Java's ``%``: the sign is the dividend's (Python's own ``%`` takes the divisor's)."""
    result = abs(dividend) % abs(divisor)
    return -result if dividend < 0 else result


def window_start(timestamp: int, offset: int, size: int) -> int:
    """Start (ms, inclusive) of the window of ``size`` ms on the grid of ``offset`` that holds ``timestamp``.

    Source: ``TimeWindow.getWindowStartWithOffset`` since FLINK-26334.
    """
    if MIN <= timestamp - offset <= MAX:
        return wrap(timestamp - (timestamp - offset) % size)
    rest = remainder(wrap(timestamp - offset), size)
    return wrap(timestamp - (rest + size)) if rest < 0 else wrap(timestamp - rest)
