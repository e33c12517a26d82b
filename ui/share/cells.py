"""Text in the cell of a spreadsheet: it is never a formula, whatever an author or a record says."""

from typing import Final

_STARTS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def text_cell(text: str) -> str:
    """``text`` with an apostrophe in front where a spreadsheet would compute it, or where it has one already."""
    return f"'{text}" if text.startswith((*_STARTS_A_FORMULA, "'")) else text
