"""A cache in ``build/`` for what takes a second or two to make and never changes."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

BUILD = Path(__file__).resolve().parent.parent / "build"


def kept(name: str, made_from: str, make: Callable[[], bytes]) -> bytes:
    """The bytes that ``make`` returns, read from ``build/`` if they were made from the same input before.

    If that folder cannot be written, the next process makes them again.
    """
    stem, _, suffix = name.partition(".")
    path = BUILD / f"{stem}-{hashlib.sha256(made_from.encode()).hexdigest()[:12]}.{suffix}"
    if path.is_file():
        return path.read_bytes()
    made = make()
    try:
        BUILD.mkdir(exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")  # another process may be making the same
        part.write_bytes(made)
        part.replace(path)
    except OSError:
        pass
    return made
