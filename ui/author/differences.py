"""Two texts that began as the same one, line by line: what is equal, what one side changed, and what both did."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TypedDict

Lines = list[str]


class Block(TypedDict):
    """Lines of either text; equal ones are the ``same`` on both sides. A side may have none.

    ``base``: what both began with; ``None`` where that is unknown. ``taken``: the only side that changed it, ``mine``
    or ``theirs``; "" where both did, so that one must choose.
    """

    same: bool
    base: Lines | None
    mine: Lines
    theirs: Lines
    taken: str


def blocks(mine: str, theirs: str, base: str | None = None) -> list[Block]:
    """The two texts in pieces: joined, all lines of one side give its text, with any line ends written as ``\\n``.

    ``base`` is the text that both began with. A piece that only one side changed is that side's; without ``base``
    nothing can be decided.
    """
    ours, others = mine.splitlines(), theirs.splitlines()
    if base is None:
        matcher = SequenceMatcher(None, ours, others, autojunk=False)
        return [_block(None, ours[i:j], others[k:n]) for _, i, j, k, n in matcher.get_opcodes()]
    began = base.splitlines()
    found: list[Block] = []
    at, place, other = 0, 0, 0
    for start, i, k, size in _common(began, ours, others):
        found.append(_block(began[at:start], ours[place:i], others[other:k]))
        at, place, other = start + size, i + size, k + size
        found.append(_block(began[start:at], ours[i:place], others[k:other]))
    return _joined(found)


def _block(base: Lines | None, mine: Lines, theirs: Lines) -> Block:
    same = mine == theirs
    taken = "theirs" if mine == base else "mine" if same or theirs == base else ""
    return {"same": same, "base": base, "mine": mine, "theirs": theirs, "taken": taken}


def _common(base: Lines, mine: Lines, theirs: Lines) -> Iterator[tuple[int, int, int, int]]:
    """The runs of lines that all three have: (start in base, in mine, in theirs, length); last an empty one at the end.

    They are where both comparisons with ``base`` found the same of its lines.
    """
    left, right = _matches(base, mine), _matches(base, theirs)
    starts = [start for start, _, _ in right]
    for start, place, size in left:
        for begin, other, length in right[max(bisect_right(starts, start) - 1, 0) :]:
            low, high = max(start, begin), min(start + size, begin + length)
            if begin >= start + size:
                break
            if low < high:
                yield low, place + low - start, other + low - begin, high - low
    yield len(base), len(mine), len(theirs), 0


def _matches(base: Lines, text: Lines) -> list[tuple[int, int, int]]:
    found = SequenceMatcher(None, base, text, autojunk=False).get_matching_blocks()
    return [(start, place, size) for start, place, size in found if size]


def _joined(found: Sequence[Block]) -> list[Block]:
    """Without the empty pieces; equal neighbours are one."""
    joined: list[Block] = []
    for each in found:
        if not (each["base"] or each["mine"] or each["theirs"]):
            continue
        before = joined[-1] if joined else None
        if before is not None and before["same"] and each["same"]:
            base = (before["base"] or []) + (each["base"] or [])
            joined[-1] = _block(base, before["mine"] + each["mine"], before["theirs"] + each["theirs"])
        else:
            joined.append(each)
    return joined
