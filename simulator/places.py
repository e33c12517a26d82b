"""Where files lie: the same in a checkout and in an installed package, where ``tidemark`` is the folder of all."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import BinaryIO, Final

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder with ``simulator``, ``ui``, ``spark_bridge`` and ``scenarios``."""

IS_CHECKOUT: Final = (ROOT / "pyproject.toml").is_file()


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".cache") / "tidemark"


BUILD: Final = ROOT / "build" if IS_CHECKOUT else _cache()
"""What can be made again: inside a checkout, else in the user's cache. Whoever writes here goes on where it cannot."""


def opened(path: Path) -> AbstractContextManager[BinaryIO]:
    """The file at ``path``, or standard input for ``-``. Raises ``OSError``."""
    return nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb")
