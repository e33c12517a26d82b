"""What a class answered, as a file without names: JSON for a program, CSV for a spreadsheet."""

import csv
import io
import json
from collections.abc import Sequence
from typing import Any, Final

from tidemark.ui.classroom.votes import Tally
from tidemark.ui.classroom.ways import Answer
from tidemark.ui.share.cells import text_cell

FORMS: Final = {"json": "application/json", "csv": "text/csv"}

HEAD: Final = (
    "question",
    "number",
    "text",
    "way",
    "choice",
    "right",
    "belief",
    "first_vote",
    "second_vote",
    "moved_to",
)
"""The columns of the CSV file: one row for each choice. ``moved_to``: how many went from it to which choice."""


def written(tallies: Sequence[Tally], form: str) -> bytes:
    """The file of ``form``, one of ``FORMS``."""
    if form == "json":
        return json.dumps([as_json(each) for each in tallies], ensure_ascii=False, indent=1).encode(errors="replace")
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(HEAD)
    for tally in tallies:
        out.writerows([text_cell(each) if isinstance(each, str) else each for each in row] for row in _rows(tally))
    # Spreadsheets take a file without this mark for one in the encoding of their country.
    return text.getvalue().encode("utf-8-sig", errors="replace")


def as_json(tally: Tally) -> dict[str, Any]:
    """A question with the counts of its votes."""
    question = tally.question
    return {
        "question": question.id,
        "number": tally.number,
        "text": question.text,
        "way": question.answering.name,
        "choices": list(question.choices),
        "right": question.answer,
        "beliefs": [belief or None for belief in _beliefs(tally)],
        "votes": [list(counts) for counts in tally.counts],
        "given": [[{"answer": shown(tally, answer), "count": n} for answer, n in votes] for votes in tally.given],
        "moved": [list(row) for row in tally.moved],
    }


def shown(tally: Tally, answer: Answer) -> str | list[str]:
    """An answer in words: the windows, the place, or the number."""
    told = tally.question.answering.told()
    if isinstance(answer, tuple):
        return [told["windows"][index]["text"] for index in answer]
    if "places" in told:
        return str(told["places"][answer])
    scale = int(told.get("scale", 1))
    return str(answer) if scale == 1 else f"{answer / scale:.3f}"


def _beliefs(tally: Tally) -> tuple[str, ...]:
    return tally.question.beliefs or ("",) * len(tally.question.choices)


def _rows(tally: Tally) -> list[list[Any]]:
    question = tally.question
    rows: list[list[Any]] = []
    for choice, text in enumerate(question.choices):
        votes = [counts[choice] for counts in tally.counts]
        moved = [f"{to + 1}: {count}" for to, count in enumerate(tally.moved[choice] if tally.moved else ()) if count]
        rows.append(
            [question.id, tally.number, question.text, question.answering.name, f"{choice + 1}. {text}",
             int(choice == question.answer), _beliefs(tally)[choice], votes[0], votes[1] if len(votes) > 1 else "",
             ", ".join(moved)]
        )  # fmt: skip
    return rows
