"""Files as a file system sees them: which names are one name, and what lies in a folder."""

import unicodedata
from pathlib import Path


def folded(name: str) -> str:
    """Equal for two names that some file system takes for one: macOS and Windows ignore case, macOS also how an
    accented letter is composed."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_inside(path: Path, folder: Path) -> bool:
    """Whether ``path`` lies in ``folder`` after all symbolic links; False for a link to nothing."""
    try:
        return path.resolve(strict=True).is_relative_to(folder.resolve(strict=True))
    except (OSError, RuntimeError, ValueError):
        return False
