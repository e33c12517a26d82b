"""How much memory the server takes, and whether it grows: seen from outside, and as it counts itself (``inside``)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.app import resident_mb

SHORTEST: Final = 8
"""So many samples are needed before anything can be said."""

RATIO, MB = 1.1, 25.0
"""Growth is more than both: a tenth, and what the caches may still take in."""

USED_MB: Final = 15.0
"""Of what is in use less may come: nothing that was freed and may be used again is in it."""


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


def each_mb(process: int) -> dict[str, float]:
    """The resident memory of each of its children, by process id and what it runs."""
    found = {}
    for child in children(process):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:  # it has ended meanwhile
            continue
        found[f"{child} {command[-60:].strip()}"] = round(resident_mb(child), 1)
    return found


def grows(samples: Sequence[float], least_mb: float = MB) -> bool:
    """Whether a server under the same load takes more and more (``samples``: MB at equal distances).

    The first quarter fills the caches. Then the least of the second is compared with the least of the last: what is
    taken at all times, not what the busiest moment took. Growth is more than a tenth and more than ``least_mb``.
    """
    if len(samples) < SHORTEST:
        return False
    quarter = len(samples) // 4
    before, after = min(samples[quarter : 2 * quarter]), min(samples[-quarter:])
    return after > before * RATIO and after > before + least_mb


def used_mb(records: Path) -> list[float]:
    """What the server had handed out (MB), from the lines that ``inside`` has written."""
    lines = records.read_text(encoding="utf-8").splitlines() if records.is_file() else []
    return [json.loads(line)["used"] for line in lines if line.endswith("}")]
