"""Where files lie: the same in a checkout and in an installed package, where ``tidemark`` is the folder of all."""

import json
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

LIBRARY: Final = ROOT / "scenarios"
"""The scenarios that the project ships."""


def package_with(extra: str) -> str:
    """What pip installs: this package with ``extra``, from where it came: a checkout, an address or a registry."""
    if IS_CHECKOUT:
        return f"{ROOT}[{extra}]"
    # Imported here: it takes longer than the rest of a command's start.
    from importlib.metadata import Distribution, PackageNotFoundError

    try:
        origin = json.loads(Distribution.from_name("tidemark").read_text("direct_url.json") or "{}")
    except PackageNotFoundError:
        origin = {}
    address = "+".join(filter(None, (origin.get("vcs_info", {}).get("vcs"), origin.get("url"))))
    return f"tidemark[{extra}]" + (f" @ {address}" if address else "")


def in_library(path: Path) -> Path:
    """The scenario of the library that is called ``path``, unless that is a file; else ``path`` as it is."""
    shipped = LIBRARY / f"{path}.yaml"
    is_name = path.parent == Path() and not os.path.exists(path) and os.path.isfile(shipped)
    return shipped if is_name else path


def opened(path: Path) -> AbstractContextManager[BinaryIO]:
    """The file at ``path``, or standard input for ``-``. Raises ``OSError``."""
    return nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb")
