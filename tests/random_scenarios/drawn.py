"""The same examples in every run, for tests that are too slow to draw new ones or that share their examples."""

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

T = TypeVar("T")


def drawn(strategy: st.SearchStrategy[T], number: int) -> list[T]:
    """At most ``number`` examples, as a law would see them; consecutive ones may be variations of each other."""
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
