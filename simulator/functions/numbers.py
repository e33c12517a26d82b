"""Arithmetic as the functions do it: Java's 64-bit integers until the first double comes, then doubles."""

from simulator.values.errors import EngineFailure
from simulator.values.time import MAX, MIN

Number = int | float


def add(left: Number, right: Number) -> Number:
    """The sum; of two integers an integer. Raises ``EngineFailure`` (ArithmeticException) when it leaves 64 bits."""
    total = left + right
    if type(total) is int and not MIN <= total <= MAX:
        raise EngineFailure("ArithmeticException", "long overflow")
    return total


def smaller(left: Number, right: Number) -> Number:
    """The smaller number as it was written; of equal ones ``left``."""
    return right if right < left else left


def larger(left: Number, right: Number) -> Number:
    """The larger number as it was written; of equal ones ``left``."""
    return right if right > left else left
