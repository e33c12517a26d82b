"""Which part of a text a stage comes from: its SELECT without those within it, or what it joins."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from tidemark.simulator.sql.syntax import Place

_COMMENT: Final = r"--[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*(?:\*/|\Z)"
_TOKEN: Final = re.compile(
    r"(?P<skip>'[^']*+(?:'|\Z)|`[^`]*+(?:`|\Z))|(?P<blank>" + _COMMENT + r")"
    r"|(?P<within>\(\s*+(?:SELECT|WITH)\b)|(?P<open>\()|(?P<close>\))|(?P<end>;)|(?P<word>\w++)|.",
    re.IGNORECASE | re.DOTALL,
)
_JOINS: Final = frozenset(("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"))
_UNITES: Final = frozenset(("UNION", "EXCEPT", "INTERSECT"))
_AFTER_JOIN: Final = _UNITES | {"WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "SELECT",
                                "JOIN", "INNER", "LEFT", "CROSS"}  # fmt: skip
"""Words that begin what follows a clause."""


class Clause(NamedTuple):
    """``parts``: where its pieces begin and end in the text, as indexes; ``line``: all of it in one line."""

    parts: tuple[tuple[int, int], ...]
    line: str


def clause_at(text: str, place: Place, subqueries: int = 0) -> Clause:
    """The clause that begins at ``place`` of ``text``. What lies within more than ``subqueries`` of these is left out:
    it has a stage of its own, or is no more than the table that the clause reads.

    >>> clause_at("SELECT a FROM (SELECT b FROM t) WHERE a > ';' -- which\\n;", Place(1, 1)).line
    "SELECT a FROM (…) WHERE a > ';'"
    >>> clause_at("SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE a.v > 0", Place(1, 27)).line
    'LEFT JOIN b ON a.k = b.k'
    """
    start = sum(len(line) + 1 for line in text.split("\n")[: place.line - 1]) + place.column - 1
    join, after = _join_before(text, start), start
    # What is joined may be a subquery itself.
    start, ends = (start, _UNITES) if join is None else (join, _AFTER_JOIN)
    parts = tuple(_parts(text, start, 0 if join is None else after, ends, subqueries))
    pieces = (re.sub(_COMMENT, " ", text[first:last]) for first, last in parts)
    return Clause(parts, " ".join("…".join(pieces).split()).replace("( …", "(…").replace("… )", "…)"))


def _join_before(text: str, start: int) -> int | None:
    """Where the ``LEFT JOIN`` begins whose right side begins at ``start``; None if there is none."""
    end = len(text[:start].rstrip())
    if text[end - 1 : end] == "(":
        end = len(text[: end - 1].rstrip())
    found, words = None, frozenset(("JOIN",))
    while True:
        begin = end
        while begin and text[begin - 1].isalpha():
            begin -= 1
        if text[begin:end].upper() not in words:
            return found
        found, words = begin, _JOINS
        end = len(text[:begin].rstrip())


def _parts(text: str, start: int, after: int, ends: frozenset[str], subqueries: int) -> Iterator[tuple[int, int]]:
    """The pieces from ``start`` on; no word before ``after`` ends the last one."""
    opened: list[bool] = []  # of each parenthesis whether a subquery is in it
    begun, last, out = start, start, 0
    for token in _TOKEN.finditer(text, start):
        kind = token.lastgroup
        if kind in ("open", "within"):
            opened.append(kind == "within")
            if sum(opened) > subqueries and kind == "within" and not out:
                yield begun, token.start() + 1
                out = len(opened)
        elif kind == "close":
            if not opened:
                break
            if len(opened) == out:
                begun, out = token.start(), 0
            opened.pop()
        elif kind == "end" or (kind == "word" and not opened and token.start() >= after and token[0].upper() in ends):
            break
        if kind != "blank" and not token[0].isspace() and not out:
            last = token.end()
    if not out and last > begun:
        yield begun, last
