"""Files as a file system sees them: which names are one name, what lies in a folder, and which folder is meant."""

import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path


def folder_named(
    option: str, variable: str, unnamed: Path | None, arguments: Sequence[str], environment: Mapping[str, str]
) -> Path | None:
    """The folder named when the app was started, as an absolute path; None where neither names one.

    ``option DIR`` or ``option=DIR`` among the arguments takes precedence over the ``variable`` of the environment; an
    option without DIR gives ``unnamed``.
    """
    for number, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == option:
            named = value if equals else next(iter(arguments[number + 1 :]), "")
            return Path(named).expanduser().absolute() if named else unnamed
    named = environment.get(variable, "")
    return Path(named).expanduser().absolute() if named else None


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
