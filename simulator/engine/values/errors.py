"""The two ways to fail: a scenario that cannot be run, and an operator that fails while it runs."""

from typing import Final, NamedTuple

SHOWN: Final = 60
"""Characters of a value that a message shows."""


class Fix(NamedTuple):
    """A fix that an editor can offer: ``write`` at this place (line and column from 1), instead of ``found`` there.

    An empty ``found``: nothing is replaced.
    """

    line: int
    column: int
    found: str
    write: str


class Problem(NamedTuple):
    """One thing that is wrong with a scenario file; its text form is ``FILE:LINE:COLUMN: text``.

    ``fix`` is there if the reader knows what was probably meant; ``text`` says it in words as well.
    """

    file: str
    line: int | None
    column: int | None
    text: str
    warning: bool = False
    fix: Fix | None = None

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"
        return f"{place}: {'warning: ' if self.warning else ''}{self.text}"


class ScenarioError(Exception):
    """A scenario is refused; ``problems`` holds everything that is wrong with it, in file order."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems

    def __reduce__(self) -> tuple[type["ScenarioError"], tuple[list[Problem]]]:
        """Pickled by its problems: it may be raised in one process and shown by another."""
        return type(self), (self.problems,)


LIMIT_EXCEEDED: Final = "LimitExceeded"
"""The type of a failure that Flink has not: it would go on."""


class EngineFailure(Exception):
    """The operator fails as the real engine would; the run ends with an ``error`` row.

    ``java_type`` is the simple name of the exception that Flink throws there, or ``LIMIT_EXCEEDED``; ``place``: the
    method that throws it, where that is not the operator's.
    """

    def __init__(self, java_type: str, message: str, place: str = "") -> None:
        super().__init__(message)
        self.java_type = java_type
        self.message = message
        self.place = place


def shown_in_message(value: object) -> object:
    """``value`` as a message may show it: short, on one line, control characters escaped. Numbers stay as they are."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**20:
        return value
    text = value if isinstance(value, str) else str(value)
    if len(text) > SHOWN * 3:
        text = text[:SHOWN] + "…"
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
