"""The author's folder: a scenario is saved whole or not at all, and never over what somebody else has saved since.

Saving is off unless the app was started with a folder (``ui.catalogue.CHOSEN``). A save holds the folder's lock
file from the look at what is there to the write, so that no other session or server comes between the two.
"""

from tidemark.simulator.scenario.editing import EditError, Plain, ScenarioText, put
from tidemark.simulator.words import words
from tidemark.ui.author.files import (
    LOCK,
    NAME,
    UNFINISHED,
    Conflict,
    StoreError,
    alone,
    bytes_of,
    digest_of,
    folder,
    locked,
    path_of,
    read,
    save_over,
    text_of,
    told,
)

__all__ = ["LOCK", "UNFINISHED", "Conflict", "StoreError", "digest", "folder", "named", "names", "open_file", "save"]


def digest(text: str) -> str:
    """Equal for equal texts, and for no others."""
    return digest_of(bytes_of(text))


def names() -> list[str]:
    """The names that ``open_file`` accepts, sorted; none while saving is off."""
    chosen = folder()
    if chosen is None or not chosen.is_dir():
        return []
    files = (path for path in chosen.glob("*.yaml") if NAME.fullmatch(path.stem))
    return sorted(path.stem for path in files if path.is_file() and not path.is_symlink())


def open_file(name: str) -> tuple[str, str]:
    """The text of the scenario called ``name`` and its digest. Raises ``StoreError``."""
    path = path_of(name)
    data = read(path)
    if data is None:
        raise StoreError(words("saving.no_such_file", file=path.name))
    return text_of(data, path), digest_of(data)


def save(name: str, text: str, expected: str | None) -> str:
    """Save ``text`` as ``name`` and return its digest.

    ``expected`` is the digest of what the author began with, ``None`` if there should be no file. Raises ``Conflict``
    if the file is another one, ``StoreError`` if it cannot be saved; the folder is then as it was. An equal file is
    not written again.
    """
    path = path_of(name)
    data = bytes_of(text)
    with told(path), locked(path.parent):
        alone(path)
        save_over(path, data, expected)
    return digest_of(data)


def named(text: str, name: str) -> str:
    """``text`` with the name of its file; unchanged if it cannot be read."""
    try:
        text_read = ScenarioText(text)
        return text if text_read.scalar(("name",)) == name else put(text_read, ("name",), Plain(name)).text
    except EditError:
        return text
