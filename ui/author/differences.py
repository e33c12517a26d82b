"""Two texts side by side, line by line: what is the same, and where one side must be chosen."""

from difflib import SequenceMatcher
from typing import TypedDict


class Block(TypedDict):
    """Lines of either text; equal ones are the ``same`` on both sides. A side may have none."""

    same: bool
    mine: list[str]
    theirs: list[str]


def blocks(mine: str, theirs: str) -> list[Block]:
    """The two texts in pieces: joined, all lines of one side give its text, with any line ends written as ``\\n``."""
    ours, others = mine.splitlines(), theirs.splitlines()
    matcher = SequenceMatcher(None, ours, others, autojunk=False)
    return [
        {"same": tag == "equal", "mine": ours[i:j], "theirs": others[k:n]} for tag, i, j, k, n in matcher.get_opcodes()
    ]
