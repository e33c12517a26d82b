"""Event time and processing time as Flink keeps them: signed 64-bit milliseconds with Java's arithmetic."""

from collections.abc import Callable
from typing import Annotated, Final

from tidemark.simulator.engine.values.errors import EngineFailure

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


def window_start_before_1_14(timestamp: int, offset: int, size: int) -> int:
    """The same as ``TimeWindow.getWindowStartWithOffset`` had it before FLINK-26334.

    For a timestamp of more than ``size`` before ``offset`` it is the next point of the grid, not the last one: such a
    window does not hold it.
    """
    return wrap(timestamp - remainder(wrap(timestamp - offset + size), size))


WindowStart = Callable[[int, int, int], int]
"""``window_start``, or that of an old version."""


# The arithmetic of the functions: Java's 64-bit integers until the first double comes, then doubles.

Number = int | float


def add(left: Number, right: Number) -> Number:
    """The sum; of two integers an integer. Raises ``EngineFailure`` (ArithmeticException) if it leaves 64 bits."""
    total = left + right
    if MIN <= total <= MAX or type(total) is not int:
        return total
    raise EngineFailure("ArithmeticException", "long overflow")


def subtract(left: Number, right: Number) -> Number:
    """The difference, by the same rules."""
    rest = left - right
    if MIN <= rest <= MAX or type(rest) is not int:
        return rest
    raise EngineFailure("ArithmeticException", "long overflow")


def smaller(left: Number, right: Number) -> Number:
    """The smaller number as it was written; ``left`` if both are equal."""
    return right if right < left else left


def larger(left: Number, right: Number) -> Number:
    """The larger number as it was written; ``left`` if both are equal."""
    return right if right > left else left
