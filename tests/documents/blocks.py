"""The code blocks of README and the other documents, and the commands in them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
DOCUMENTS: Final = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")))

COMMAND: Final = re.compile(r"`((?:[A-Z_]+=\S+ )*(?:make|python3?|streamlit|sudo|npm|pip) [^`]+)`")
"""A command inside a sentence."""


class Block(NamedTuple):
    """A fenced block: ``language`` is what stands behind its fence, ``line`` that of its first line of text."""

    document: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """What a failing test shows."""
        return f"{self.document}:{self.line}"


class Command(NamedTuple):
    """One command, in a block of a shell or inside a sentence, without its comment."""

    place: str
    text: str

    @property
    def words(self) -> list[str]:
        """The command as a shell splits it, without a redirection; an ellipsis stands for more of the same."""
        return shlex.split(self.text.replace("…", " ").partition(" > ")[0], comments=True)


def blocks_of(document: str, text: str) -> Iterator[Block]:
    """The blocks of ``text``; of one in Markdown, those inside it as well."""
    fence = re.compile(r"^ *(?P<fence>`{3,}|~{3,})(?P<language>[^`\n]*)\n(?P<text>.*?)^ *(?P=fence) *$", re.M | re.S)
    for found in fence.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        yield Block(document, line, found["language"].strip(), found["text"])
        if found["language"] == "markdown":
            for inner in blocks_of(document, found["text"]):
                yield inner._replace(line=line + inner.line - 1)


def without_blocks(text: str) -> str:
    """The sentences of a document: each block is replaced by its empty lines."""
    return re.sub(r"^ *(`{3,}|~{3,}).*?^ *\1 *$", lambda found: "\n" * found[0].count("\n"), text, flags=re.M | re.S)


def commands_of(block: Block) -> Iterator[Command]:
    """The commands of a block of a shell. Where one begins with ``$``, the other lines are what it prints."""
    lines = block.text.replace("\\\n", "  ").splitlines()
    shown = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")] or lines
    for line in shown:
        if shlex.split(line, comments=True):
            yield Command(block.place, line)


TEXTS: Final = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in DOCUMENTS}
BLOCKS: Final = [block for document, text in TEXTS.items() for block in blocks_of(document, text)]


def in_sentences() -> Iterator[Command]:
    """The commands in backticks."""
    for document, text in TEXTS.items():
        plain = without_blocks(text)
        for found in COMMAND.finditer(plain):
            yield Command(f"{document}:{plain.count(chr(10), 0, found.start()) + 1}", found[1].replace("\n", " "))


COMMANDS: Final = [
    *(command for block in BLOCKS if block.language == "sh" for command in commands_of(block)),
    *in_sentences(),
]
