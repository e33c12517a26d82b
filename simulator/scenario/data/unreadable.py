"""Rows of a file that are no records: counted, the first of them named, and left out only if somebody asks for it."""

from typing import Final

from tidemark.simulator.scenario.data.described import Unread
from tidemark.simulator.values.errors import Problem, ScenarioError
from tidemark.simulator.words import words

UNREADABLE: Final = 3
"""The exit code of a command that would have left out rows without having been asked to."""


class UnreadableRecords(ScenarioError):
    """Rows of a file are no records."""


def unreadable_records(
    path: str, unreadable: int, rows: int, why: Unread, line: int | None, row: int = 0
) -> UnreadableRecords:
    """So many of the ``rows`` of ``path`` are no records. ``why``, and the ``line``, are those of the first of them.

    ``line`` is None for a file without lines; ``row`` is then the number of that row, from 1.
    """
    place = words("problems.data_in_row", row=f"{row:,}") if line is None else ""
    place = place or words("problems.data_in_line", line=f"{line:,}")
    number = {"unreadable": f"{unreadable:,}", "rows": f"{rows:,}"}
    text = words("problems.data_unreadable", place=place, why=why.text, **number)
    return UnreadableRecords([Problem(path, line, line and 1, text)])


def rows_left_out(number: int) -> str:
    """That so many rows are no records, in words; "" for none."""
    return words("own_run.unreadable", number=f"{number:,}") if number else ""
