"""Names in the documents are names in the code: what stands in backticks has not been renamed or removed since."""

import re
from typing import Final

from tests.documents.blocks import ROOT, TEXTS, without_blocks

FOLDERS: Final = ("simulator", "spark_bridge", "ui", "tests", "benchmarks", "scenarios")
CODE: Final = {".py", ".js", ".ts", ".toml", ".css", ".code", ".java", ".lark"}
OF_OTHERS: Final = {
    "docs/EMBEDDING.md": {"jupyter", "nbconvert", "trust", "ipynb"},
    "docs/OWN-STREAM.md": {"hdfs", "startingOffsets", "endingOffsets"},
    "docs/SCENARIOS.md": {"sise"},
    "docs/SPARK.md": {"StreamingQueryProgress", "MemoryStream"},
}
"""Names of other programs, and a mistake that is shown, by document."""


def names_of_the_code() -> tuple[set[str], str]:
    """Every word of the code, and the paths of all files, which a document may name in part."""
    words: set[str] = set()
    paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix and path.is_file()]
    code = [path for path in paths if path.suffix in CODE and path.parent.name != "documents"]
    for path in (*code, ROOT / "Makefile", ROOT / "app.py", ROOT / "pyproject.toml", ROOT / "package.json"):
        words.update(re.findall(r"[A-Za-z_$][\w$]*", path.read_text(encoding="utf-8")))
    return words, "\n".join(path.relative_to(ROOT).as_posix() for path in paths)


def test_every_name_in_backticks_is_in_the_code() -> None:
    words, paths = names_of_the_code()
    assert len(words) > 10_000
    unknown = {}
    for document, text in TEXTS.items():
        quoted = " ".join(re.findall(r"`([^`\n]+)`", without_blocks(text)))
        named = set(re.findall(r"[A-Za-z_$][\w$]{2,}", quoted)) - words
        unknown[document] = {name for name in named if name not in paths}
    assert {document: names for document, names in unknown.items() if names} == OF_OTHERS
