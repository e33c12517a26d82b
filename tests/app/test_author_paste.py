"""Rows of a spreadsheet, pasted into the table of the Author page."""

import pytest
from tidemark.simulator.words import section
from tidemark.ui.author.desk import templates
from tidemark.ui.author.draft import draft_of
from tidemark.ui.author.edits import EditRefused, edited

TEXT = next(each.text for each in templates() if each.name == "tumbling-windows")


def pasted(text: str, column: str = "at") -> list[str]:
    """The lines that are new, each with the number of its item."""
    new = edited(draft_of(TEXT), {"kind": "paste", "after": 2, "column": column, "text": text})[0].text
    items = [line.strip() for line in new.splitlines() if line.startswith(("  - {ts", "  - {end"))]
    return [f"{number} {line[2:]}" for number, line in enumerate(items) if f"  {line}" not in TEXT.splitlines()]


def test_rows_go_where_they_arrive_and_decimal_commas_are_read() -> None:
    assert pasted("9.5\tc\t4\t7\n4,5\td\t3,5\t8\n") == [
        "3 {ts: 3s500ms, key: d, value: 8, at: 4s500ms}",
        "6 {ts: 4s, key: c, value: 7, at: 9s500ms}",
    ]


def test_rows_without_arrivals_go_after_the_chosen_row() -> None:
    rows = "c\t4\t7\nd\t5\t8\n"
    assert pasted(rows, "key") == ["3 {ts: 4s, key: c, value: 7}", "4 {ts: 5s, key: d, value: 8}"]


def test_a_first_row_may_name_the_columns() -> None:
    assert pasted("city\ttime\tid\tvalue\n\t4\tx\t1\n") == ["3 {ts: 4s, key: x, value: 1}"]


@pytest.mark.parametrize("suffix", ["", "_s"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_names_that_the_table_itself_shows_name_its_columns(language: str, suffix: str) -> None:
    names = section("author.table.columns", language=language)
    head = "\t".join(names[name] for name in (f"ts{suffix}", f"at{suffix}", "key", "value"))
    assert pasted(f"{head}\n4\t9.5\tx\t1\n") == ["5 {ts: 4s, key: x, value: 1, at: 9s500ms}"]


def test_beats_stay_with_their_items() -> None:
    text = TEXT + "  - at: {item: 3}\n    say: Here.\n"
    new = edited(draft_of(text), {"kind": "paste", "after": 0, "column": "key", "text": "c\t4\t7\nd\t5\t8"})[0].text
    assert "{item: 5}" in new


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("c\t4\t7\nd\tsoon\t7", "Row 2: This is not a time."),
        ("c\t4\t7\t8\t9", "more columns than the table"),
        ("c\t\t7", "Row 1 has no time."),
        ("c\t4\thot", "needs a number as its value"),
        ("c\t4\t7\n" * 501, "At most 500 rows"),
        ("city\ttime\tid\nRome\t4\tx", "no column “city”"),
        ("time\tid\tchannel\n4\tx\t1", "no column “channel”"),
    ],
)
def test_what_cannot_be_pasted_is_refused_whole(text: str, problem: str) -> None:
    with pytest.raises(EditRefused, match=problem):
        pasted(text, "key")
