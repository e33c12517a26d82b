"""Cells as keys, values and members of values."""

import math
import re
from typing import Final

from tidemark.simulator.scenario.tables.rows import Quoted

Scalar = str | int | float | bool

_PLAIN: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?", re.ASCII)
_GROUPED: Final = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_WHOLE: Final = re.compile(r"[-+]?\d{1,19}", re.ASCII)
_CANONICAL: Final = re.compile(r"0|-?[1-9]\d{0,18}", re.ASCII)
_SWAPPED: Final = str.maketrans(".,", ",.")

LOWEST: Final = -(2**63)
HIGHEST: Final = 2**63 - 1


def number_text(cell: str, decimal: str) -> str | None:
    """A number as Python writes it; None if ``cell`` is none. ``1.234,50`` is one where ``decimal`` is a comma."""
    text = cell.translate(_SWAPPED) if decimal == "," else cell
    if _PLAIN.fullmatch(text):
        return text
    return text.replace(",", "") if _GROUPED.fullmatch(text) else None


def value_of(cell: str, decimal: str) -> Scalar:
    """A number if ``cell`` says one that the format has, else the text."""
    text = number_text(cell, decimal)
    if text is None or len(text) > 40:
        return str(cell)
    if _WHOLE.fullmatch(text) and LOWEST <= int(text) <= HIGHEST:
        return int(text)
    number = float(text)
    return number if math.isfinite(number) else str(cell)


def member_of(cell: str, decimal: str) -> Scalar:
    """A member of a value: as a value, and it may be true or false."""
    if cell in ("true", "false") and not isinstance(cell, Quoted):
        return cell == "true"
    return value_of(cell, decimal)


def key_of(cell: str) -> Scalar:
    """An integer or a boolean in its usual form, unless it is quoted; else the text: ``007`` and ``1.5`` are texts."""
    if isinstance(cell, Quoted):
        return str(cell)
    if cell in ("true", "false"):
        return cell == "true"
    if _CANONICAL.fullmatch(cell) and LOWEST <= int(cell) <= HIGHEST:
        return int(cell)
    return str(cell)
