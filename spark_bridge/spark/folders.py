"""Temporary folders whose names say whose they are: what a killed process has left behind, the next one removes.

The name holds the host and the process: ``tidemark-KIND-HOST-PID-…``. A folder of another host (a container has a name
of its own) or of another user is never touched.

The end of a process that does not come to Python's own end, as a server that is told to end by a signal.
"""

import atexit
import os
import re
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

_HOST: Final = re.sub(r"[^A-Za-z0-9.]", "", socket.gethostname()) or "host"


def spark_place() -> Path | None:
    """The folder that Spark's own files are asked to go to, the first of SPARK_LOCAL_DIRS; None without any."""
    first = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0].strip()
    return Path(first) if first else None


def new_folder(kind: str, place: Path | None = None) -> Path:
    """Make a new folder, in ``place`` or where temporary files go, which the caller removes. Raises ``OSError``."""
    if place is not None:
        place.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f"tidemark-{kind}-{_HOST}-{os.getpid()}-", dir=place))


@contextmanager
def temporary_folder(kind: str) -> Iterator[Path]:
    """A new folder that exists as long as the block. Raises ``OSError``."""
    folder = new_folder(kind)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_orphans() -> None:
    """Remove the folders of processes of this host that are gone; one that cannot be removed stays."""
    with suppress(OSError):  # no temporary folder at all: whoever needs one reports it
        for folder in _folders(f"tidemark-*-{_HOST}-*"):
            owner = folder.name.removesuffix("-" + folder.name.rpartition("-")[2]).rpartition("-")[2]
            if owner.isdecimal() and not _is_there(int(owner)):
                shutil.rmtree(folder, ignore_errors=True)


def remove_folders() -> bool:
    """Remove the folders of this process. Whether none is left."""
    own = f"tidemark-*-{_HOST}-{os.getpid()}-*"
    folders = _folders(own)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    return not any(folder.exists() for folder in folders)


def _folders(names: str) -> list[Path]:
    """The folders of these names in all places that there are."""
    places = {Path(tempfile.gettempdir()), spark_place()} - {None}
    return [folder for place in places if place is not None for folder in place.glob(names)]


def _is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it belongs to somebody else
        return True
    return True


_PATIENCE_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.05


def end() -> None:
    """End Spark's Java and remove the temporary folders of this process; whatever still works with them fails."""
    session = sys.modules.get(
        "tidemark.spark_bridge.spark.session"
    )  # imported where there is a session, and pyspark with it
    if session is not None:
        session.kill_java()
    until = monotonic() + _PATIENCE_SECONDS
    while not remove_folders() and monotonic() < until:  # a process that is being ended may still write
        sleep(_POLL_SECONDS)


def end_with_process() -> None:
    """Have this process leave no other process and no temporary folder behind, also when it is ended from outside.

    After `nohup` the end of the terminal is ignored, and stays so.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda number, frame: sys.exit(128 + number))
    # Last of all: a signal may arrive when a folder is there and nobody knows of it yet.
    atexit.register(end)
