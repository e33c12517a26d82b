"""The same examples at every run, for tests that are too slow to draw new ones, or that share theirs among them."""

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

T = TypeVar("T")


def drawn(strategy: st.SearchStrategy[T], number: int) -> list[T]:
    """The ``number`` examples that a law would see, or fewer; several in a row may be variations of one."""
    examples: list[T] = []

    @seed(1)
    @settings(
        max_examples=number,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def law(example: T) -> None:
        examples.append(example)

    law()
    return examples
