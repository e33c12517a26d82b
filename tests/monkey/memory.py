"""How much memory the server takes, and whether it grows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.app import resident_mb

SHORTEST: Final = 8
"""So many samples are needed before anything can be said."""

RATIO, MB = 1.1, 25.0
"""Growth is more than both: a tenth, and what the caches may still take in."""


def children(process: int) -> list[int]:
    """The processes that a process has started, and theirs (Linux; none elsewhere)."""
    parents: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text(encoding="utf-8").rpartition(")")[2].split()[1])
        except OSError:  # it has ended meanwhile
            continue
        parents.setdefault(parent, []).append(int(status.parent.name))
    found = list(parents.get(process, ()))
    for each in found:
        found += parents.get(each, ())
    return found


def taken_mb(process: int) -> tuple[float, float]:
    """The resident memory of a process, and that of its children."""
    return resident_mb(process), sum(map(resident_mb, children(process)))


def grows(samples: Sequence[float]) -> bool:
    """Whether a server under the same load takes more and more (``samples``: MB at equal distances).

    The first quarter fills the caches. Then the least of the second is compared with the least of the last: what is
    taken at all times, not what the busiest moment took.
    """
    if len(samples) < SHORTEST:
        return False
    quarter = len(samples) // 4
    before, after = min(samples[quarter : 2 * quarter]), min(samples[-quarter:])
    return after > before * RATIO and after > before + MB
