"""One test for many values: as many tests would take longer to be collected and reported than to run."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar

import pytest

T = TypeVar("T")


def for_each(
    values: Iterable[T], name: Callable[[T], object] = repr
) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Decorate the test of one value. All values are tried, and those that fail are named."""

    all_of_them = list(values)

    def decorated(test: Callable[[T], None]) -> Callable[[], None]:
        @wraps(test)
        def tested() -> None:
            failed: list[BaseException] = []
            for each in all_of_them:
                try:
                    test(each)
                except (Exception, pytest.fail.Exception) as problem:
                    problem.add_note(f"of {name(each)}")
                    failed.append(problem)
                    if isinstance(problem, pytest.fail.Exception):  # it may be the limit of time, for all of them
                        break
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} fail", failed)

        del tested.__wrapped__  # type: ignore[attr-defined]  # pytest would look for a fixture of its parameter's name
        return tested

    return decorated
