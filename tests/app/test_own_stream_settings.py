"""The settings of *Your stream* as they are typed: what is taken, and what is refused in words."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from tidemark.ui.spark.your_stream import questions

DURATION = partial(questions._duration, "bound", "", "")
WHOLE = partial(questions._whole, "channels")
SHARE = partial(questions._share, "target")


@pytest.mark.parametrize(
    ("ask", "text", "answer"),
    [
        (DURATION, "", None), (DURATION, "0s", 0), (DURATION, "1m30s", 90_000),
        (DURATION, "-1s", False), (DURATION, "soon", False),
        (WHOLE, "", None), (WHOLE, "1", 1), (WHOLE, "99999", 99_999),
        (WHOLE, "0", False), (WHOLE, "100000", False), (WHOLE, "-1", False), (WHOLE, "٣", False),
        (SHARE, "0.1%", Fraction(1, 1000)), (SHARE, "0", Fraction(0)), (SHARE, "1", Fraction(1)),
        (SHARE, "100 %", Fraction(1)), (SHARE, "101%", False), (SHARE, "-1%", False), (SHARE, "1/0", False),
        (SHARE, "1e9", False), (SHARE, "x", False),
    ],
)  # fmt: skip
def test_what_is_typed_is_taken_or_refused(
    ask: Callable[[], Any], text: str, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(questions, "_text", lambda *_: text)
    monkeypatch.setattr(questions, "say", said.append)
    found = ask()
    assert (found, found is False) == (answer, answer is False)
    assert len(said) == (answer is False)
