"""A short text that changes whenever one of the files behind the badges does."""

import hashlib
import os
from pathlib import Path


def stamp_of(*folders: Path) -> str:
    """A digest of names, sizes and times of all files in ``folders``; it takes about 1 ms for the golden ones."""
    found = hashlib.sha256()
    for folder in folders:
        try:
            with os.scandir(folder) as entries:
                lines = sorted(f"{each.name}/{_times(each)}" for each in entries)
        except OSError:
            lines = []
        found.update(("\n".join(lines) + "\0").encode(errors="surrogateescape"))
    return found.hexdigest()[:16]


def _times(entry: os.DirEntry[str]) -> str:
    try:
        status = entry.stat()
    except OSError:  # removed since it was listed
        return ""
    return f"{status.st_mtime_ns}/{status.st_size}"
