"""Files that the page may read: those of the folder named at the start, and uploads, which go when they are done with.

``streamlit run app.py -- --data DIR`` names the folder. A file is only ever opened by a name that was found in it, so
no address and no message reaches anything else.
"""

import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tidemark.simulator.limits import OFFERED_FILES
from tidemark.ui.server.on_disk import folded, is_inside

ARGUMENT: Final = "--data"
VARIABLE: Final = "TIDEMARK_DATA"

ENDINGS: Final = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".parq", ".pq")
PACKED: Final = (".gz", ".zst")

_PREFIX: Final = "tidemark-upload-"


def folder_given(arguments: Sequence[str], environment: Mapping[str, str]) -> Path | None:
    """The folder named when the app was started; None without one. The command line wins over the environment."""
    for number, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == ARGUMENT:
            named = value if equals else next(iter(arguments[number + 1 :]), "")
            return Path(named).expanduser().absolute() if named else None
    named = environment.get(VARIABLE, "")
    return Path(named).expanduser().absolute() if named else None


FOLDER: Final = folder_given(sys.argv[1:], os.environ)
"""The folder named at the start."""


@dataclass(frozen=True)
class Offered:
    """A file of the folder, or a folder of such files in it. ``size`` is in bytes."""

    name: str
    size: int
    is_folder: bool = False


def offered(folder: Path) -> list[Offered]:
    """The files of ``folder`` and the folders in it that hold some, by name. Links that lead out of it do not count."""
    found = []
    for path in sorted(folder.iterdir() if folder.is_dir() else ()):
        if not is_inside(path, folder) or path.name.startswith((".", "_")):
            continue
        if path.is_dir():
            sizes = [each.stat().st_size for each in _readable(path) if is_inside(each, folder)]
            if sizes:
                found.append(Offered(path.name, sum(sizes), is_folder=True))
        elif _is_data(path.name) and path.is_file():
            found.append(Offered(path.name, path.stat().st_size))
    return found[:OFFERED_FILES]


def path_of(name: str, folder: Path) -> Path | None:
    """The path of what ``offered`` calls ``name``; None for any other name, whatever it looks like."""
    return next((folder / each.name for each in offered(folder) if each.name == name), None)


class Uploaded(Protocol):
    """A file as Streamlit hands it over."""

    name: str

    def getbuffer(self) -> memoryview:
        """Its bytes."""


class Upload:
    """Uploaded files in a folder of their own, which goes with this object or with the process."""

    def __init__(self, files: Sequence[Uploaded]) -> None:
        """Writes ``files``. Raises ``OSError``, and then leaves nothing behind."""
        self.folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        try:
            taken: set[str] = set()
            for file in files:
                name = _name_of(file.name, taken)
                taken.add(folded(name))
                (self.folder / name).write_bytes(file.getbuffer())
        except OSError:
            self.remove()
            raise

    def remove(self) -> None:
        """Remove the files; a second time does nothing."""
        self._remove()


def _name_of(given: str, taken: set[str]) -> str:
    """A name that says which file is meant, whatever the browser sends: messages about the file have it."""
    ending = ending_of(given)
    plain = re.split(r"[/\\]", given)[-1]
    stem = re.sub(r"[^\w .()+-]", "_", plain[: len(plain) - len(ending)]).strip(" ._")[:80] or "file"
    names = (f"{stem}{more}{ending}" for more in ("", *(f"-{number}" for number in range(2, len(taken) + 3))))
    return next(name for name in names if folded(name) not in taken)


def without_folders(text: str, folders: Iterable[Path]) -> str:
    """A message in which files are called what the visitor calls them."""
    for folder in folders:
        text = text.replace(f"{folder}{os.sep}", "")
    return text


def ending_of(name: str) -> str:
    """The ending by which a reader knows what is in a file; "" if it is none of those."""
    lower = name.lower()
    packed = next((each for each in PACKED if lower.endswith(each)), "")
    inside = lower.removesuffix(packed)
    return next((each + packed for each in ENDINGS if inside.endswith(each)), "")


def remove_uploads() -> None:
    """Remove the uploads of this process: it ends."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}{os.getpid()}-*"):
        shutil.rmtree(folder, ignore_errors=True)


def remove_orphans() -> None:
    """Remove the uploads of processes that were killed."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        process = path.name.removeprefix(_PREFIX).split("-")[0]
        if process.isdigit() and not _lives(int(process)):
            shutil.rmtree(path, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _readable(folder: Path) -> list[Path]:
    try:
        return [each for each in folder.iterdir() if _is_data(each.name) and each.is_file()]
    except OSError:
        return []


def _is_data(name: str) -> bool:
    return bool(ending_of(name)) and not name.startswith((".", "_"))
