"""docs/users/LIMITS.md, from simulator/limits.py: its sections, numbers and the texts below them."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from tidemark.simulator import limits

SOURCE: Final = Path(limits.__file__).read_text(encoding="utf-8")

HEAD: Final = """# Limits

Each number is the most of what stands behind it. Whatever exceeds a limit is refused or cut, with a message.
`make reference` writes this page from `simulator/limits.py`.
"""


class Limit(NamedTuple):
    """One limit; ``section`` is the comment that it stands below."""

    section: str
    name: str
    number: int | float
    text: str


def limits_of(source: str) -> Iterator[Limit]:
    """The limits of the module, in its order."""
    sections = [
        (source.count("\n", 0, each.start()) + 1, each[1]) for each in re.finditer(r"^# --- (.+?) -+$", source, re.M)
    ]
    body = ast.parse(source).body
    for limit, text in pairwise(body):
        if isinstance(limit, ast.AnnAssign) and isinstance(limit.target, ast.Name):
            assert isinstance(text, ast.Expr), f"{limit.target.id} has no text"
            assert isinstance(text.value, ast.Constant), f"{limit.target.id} has no text"
            section = max(each for each in sections if each[0] < limit.lineno)[1]
            yield Limit(section, limit.target.id, getattr(limits, limit.target.id), str(text.value.value))


def shown(name: str, number: float) -> str:
    """A number with its unit, which the end of its name tells."""
    if name.endswith("_PER_S"):
        return f"{number:g} a second"
    if name.endswith("_S"):
        return next(
            f"{number / unit:g} {called}"
            for unit, called in ((3600, "hours"), (60, "minutes"), (1, "s"))
            if number > unit
        )
    if name.endswith("MEGABYTES"):
        return f"{number} MB"
    if name.endswith("BYTES"):
        units = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"), (1, "bytes"))
        return next(f"{number // unit:,} {called}" for unit, called in units if number % unit == 0)
    return f"{number:,}"


def document() -> str:
    """The whole page."""
    text, section = HEAD, ""
    for limit in limits_of(SOURCE):
        if limit.section != section:
            section = limit.section
            text += f"\n## {section}\n\n"
        text += f"- **{shown(limit.name, limit.number)}**: {' '.join(limit.text.split())}\n"
    return text
