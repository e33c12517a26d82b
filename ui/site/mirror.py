"""A reader's folder as Python in a browser sees it: files come with a question, changes go back with the answer.

The code that saves, renames and deletes is that of the app (``ui.author.store``); it works on a copy here, and the
page writes what has changed into the folder itself (``folder.ts``).
"""

import base64
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tidemark.ui import catalogue
from tidemark.ui.author.moves import TRASH
from tidemark.ui.lessons import FILE

NAME: Final = re.compile(rf"({re.escape(TRASH)}/)?[^/\\\x00.][^/\\\x00]{{0,199}}\.(yaml|json|jsonl|toml)")
"""The files of a folder that matter here: those that the page sends, and the only ones that go back."""

_ROOT: Final = Path(tempfile.gettempdir()) / "tidemark-folders"
_PICKED: Final = _ROOT / "picked"
_LENT: Final = _ROOT / "lent"

Changes = dict[str, str | None]
"""The new contents of files as base64, None for those that are gone."""


@contextmanager
def mirrored(folder: Mapping[str, Any] | None) -> Iterator[Changes]:
    """Have ``folder`` be the folder of the author; the changes are known when the block is over.

    {files}: the reader has picked it, and it remains the author's folder. {lent}: only ``lessons.toml`` for this one
    question, as the library has it unless {files} brings another one. None: nothing changes.
    """
    changes: Changes = {}
    if folder is None:
        yield changes
        return
    lent, before = bool(folder.get("lent")), catalogue.CHOSEN
    root = _LENT if lent else _PICKED
    files = folder.get("files")
    _put(root, {**(_shipped() if lent else {}), **_bytes_of(files if isinstance(files, Mapping) else {})})
    there = _contents(root)
    catalogue.CHOSEN = root
    try:
        yield changes
    finally:
        if lent:
            catalogue.CHOSEN = before
        now = _contents(root)
        changes |= {name: base64.b64encode(now[name]).decode() for name in now if there.get(name) != now[name]}
        changes |= dict.fromkeys(there.keys() - now.keys())


def _shipped() -> dict[str, bytes]:
    path = next((folder / FILE for folder in catalogue.folders() if (folder / FILE).is_file()), None)
    return {} if path is None else {FILE: path.read_bytes()}


def _bytes_of(files: Mapping[Any, Any]) -> dict[str, bytes]:
    return {str(name): base64.b64decode(str(text)) for name, text in files.items() if NAME.fullmatch(str(name))}


def _contents(root: Path) -> dict[str, bytes]:
    found = {path.relative_to(root).as_posix(): path for path in (*root.glob("*"), *root.glob(f"{TRASH}/*"))}
    return {name: path.read_bytes() for name, path in found.items() if path.is_file() and NAME.fullmatch(name)}


def _put(root: Path, files: Mapping[str, bytes]) -> None:
    """Make ``root`` hold ``files``; one that is there already is left alone, so that it need not be read again."""
    root.mkdir(parents=True, exist_ok=True)
    there = _contents(root)
    for name in there.keys() - files.keys():
        (root / name).unlink()
    for name, content in files.items():
        if there.get(name) != content:
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_bytes(content)
