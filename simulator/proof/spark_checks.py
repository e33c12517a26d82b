"""The last check of a scenario by Spark, kept as a small file so that its result can be shown later.

A kept check is a statement about exactly one run: this scenario (its digest), the code of both sides, and the versions
of Spark and Python. If any of these changes, there is no statement. A file that is incomplete or not a kept check is
skipped; nothing here fails because of a file.
"""

import contextlib
import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Protocol

from tidemark.simulator.places import BUILD, ROOT
from tidemark.simulator.proof.recordings import ROWS, UNITS, Comparison, Pair, counted
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Generated, Scenario

FOUND: Final = Path(os.environ.get("TIDEMARK_CHECKS") or BUILD)
"""The folder of all kept results: the one that the environment names, else one inside the project."""
FOLDER: Final = FOUND / "spark-checks"
"""The folder of the last check of each scenario."""

MOST_BYTES: Final = 1_000_000

_SIDES: Final = ("simulator", "spark_bridge")
_TEXTS_ONLY: Final = ("simulator/words/", "simulator/timeline/", "simulator/proof/")
"""Parts of both sides on which no row depends."""


class Report(Protocol):
    """The part of the bridge's report that is kept."""

    @property
    def engine(self) -> str: ...
    @property
    def events(self) -> int: ...
    @property
    def differing(self) -> int: ...
    @property
    def differences(self) -> Any: ...
    @property
    def counts(self) -> Mapping[str, Mapping[str, int]]: ...
    @property
    def spark_version(self) -> str: ...
    @property
    def java_version(self) -> str: ...


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """The result of a check (``comparison``), the versions that made it, and ``when`` (ISO 8601, UTC).

    ``scenario`` is the digest of what was checked, ``name`` its name at that time.
    """

    scenario: str
    name: str
    code: str
    spark: str
    python: str
    java: str
    engine: str
    events: int
    when: str
    comparison: Comparison


def remember(scenario: Scenario, report: Report, folder: Path | None = None) -> None:
    """Keep the result of a check of ``scenario`` in place of an older one, in ``folder`` instead of ``FOLDER`` if
    given.

    A generated stream is kept with the number of records that were checked. If the folder cannot be written, nothing is
    kept.
    """
    stream = scenario.stream
    if isinstance(stream, Generated):
        scenario = replace(scenario, stream=replace(stream, events=report.events))
    kept = KeptCheck(
        scenario=digest_of(scenario),
        name=scenario.name,
        code=code_digest(),
        spark=report.spark_version,
        python=platform.python_version(),
        java=report.java_version,
        engine=report.engine,
        events=report.events,
        when=datetime.now(UTC).isoformat(timespec="seconds"),
        comparison=_comparison(report),
    )
    with contextlib.suppress(OSError):
        _write_whole(_path(kept.scenario, folder or FOLDER), json.dumps(asdict(kept)))


def recall(digest: str, folder: Path | None = None) -> KeptCheck | None:
    """The check of exactly the scenario with this digest, by this code and these versions; None if there is none."""
    path = _path(digest, folder or FOLDER)
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        kept = _read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    here = (digest, code_digest(), spark_version(), platform.python_version())
    return kept if (kept.scenario, kept.code, kept.spark, kept.python) == here else None


@cache
def spark_version() -> str | None:
    """The version of Spark that is installed; None without one. Spark itself is not imported."""
    try:
        return metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        return None


@cache
def code_digest(root: Path = ROOT) -> str:
    """The digest of the code of both sides, as 16 hex digits; computed once in a process."""
    found = hashlib.sha256()
    for side in _SIDES:
        for path in sorted((root / side).rglob("*.py")):
            name = path.relative_to(root).as_posix()
            if not name.startswith(_TEXTS_ONLY):
                found.update(f"{name}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def _comparison(report: Report) -> Comparison:
    """The report's counts.

    If not every difference was fetched, the kinds that differ are unknown, so all rows count.
    """
    sides = (report.counts.get("simulator", {}), report.counts.get("spark", {}))
    totals = {kind: max(side.get(kind, 0) for side in sides) for kind in dict.fromkeys([*sides[0], *sides[1]])}
    pairs: list[Pair] = [(each.simulator, each.spark) for each in report.differences]
    first = pairs[0] if pairs else None
    if len(pairs) < report.differing:
        rows = sum(totals.values())
        return Comparison(ROWS, max(rows - report.differing, 0), rows, rows, report.differing, first)
    equal = dict(totals)
    for ours, theirs in pairs:
        kind = (ours or theirs or {}).get("row", "")
        equal[kind] = max(equal.get(kind, 0) - 1, 0)
    return counted(totals, equal, first)


def _read(found: Any) -> KeptCheck:
    """A kept check from JSON; ``KeyError``, ``TypeError`` or ``ValueError`` for anything else."""
    inner = found["comparison"]
    first = inner["first"]
    if first is not None:
        ours, theirs = first
        if not all(side is None or isinstance(side, dict) for side in (ours, theirs)):
            raise TypeError(first)
        first = (ours, theirs)
    numbers = {name: inner[name] for name in ("equal", "total", "rows", "differing")} | {"events": found["events"]}
    names = ("scenario", "name", "code", "spark", "python", "java", "engine", "when")
    texts = {name: found[name] for name in names} | {"unit": inner["unit"]}
    if not all(type(each) is int and each >= 0 for each in numbers.values()):
        raise TypeError(numbers)
    if not all(isinstance(each, str) for each in texts.values()):
        raise TypeError(texts)
    datetime.fromisoformat(texts["when"])
    unit, events = texts.pop("unit"), numbers.pop("events")
    if unit not in (ROWS, *UNITS.values()) or numbers["equal"] > numbers["total"]:
        raise ValueError(unit)
    return KeptCheck(**texts, events=events, comparison=Comparison(unit=unit, first=first, **numbers))


def _path(digest: str, folder: Path) -> Path:
    return folder / f"{digest[:32]}.json"


def _write_whole(path: Path, text: str) -> None:
    """Write the file whole or not at all, even if somebody else is writing it now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(unfinished, path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
