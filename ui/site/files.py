"""The files of a site: those that many pages share are named after their contents, so a browser keeps them for good."""

import gzip
import hashlib
import json
import shutil
from pathlib import Path
from typing import Any, Final

FOLDER: Final = "files"
"""Where the files lie that have their contents in their name."""


class Folder:
    """The folder of a site while it is made. Raises ``OSError`` where a file cannot be written."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self.written: list[str] = []
        """The paths of all shared files so far, in order."""

    def page(self, path: str, text: str) -> None:
        """Write a file that keeps its name from version to version."""
        file = self._out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def shared(self, name: str, content: bytes) -> str:
        """Write a file with a digest in its name; returns its path from the root of the site. Counted once."""
        stem, dot, suffix = name.rpartition(".")
        path = f"{FOLDER}/{stem}-{hashlib.sha256(content).hexdigest()[:12]}{dot}{suffix}"
        file = self._out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
        if path not in self.written:
            self.written.append(path)
        return path

    def copy(self, source: Path, path: str) -> None:
        """Copy a file to ``path`` below the shared files."""
        file = self._out / FOLDER / path
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, file)
        self.written.append(f"{FOLDER}/{path}")

    def data(self, name: str, contents: Any) -> str:
        """Write gzipped JSON; ``.bin``, because a server that sees ``.gz`` may unpack it on the way."""
        text = json.dumps(contents, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return self.shared(f"{name}.bin", gzip.compress(text.encode(), compresslevel=9, mtime=0))
