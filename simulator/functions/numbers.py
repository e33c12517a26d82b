"""The arithmetic of the functions: Java's 64-bit integers until the first double comes, then doubles."""

from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.time import MAX, MIN

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
