"""Earlier checks as small files: a report as plain data, and a folder that keeps the newest jobs across restarts."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.proof.spark_checks import FOUND

FOLDER: Final = FOUND / "spark-runs"

KEPT: Final = 60
"""The number of finished jobs that are kept; the oldest are removed first."""

MOST_BYTES: Final = 1_000_000
_WHOLE: Final = ("events", "panes", "differing")
_TEXTS: Final = ("engine", "way", "spark_version", "java_version")


@dataclass(frozen=True)
class Difference:
    """A row on which the sides disagree; None for a side that has none. ``members``: the fields that differ."""

    simulator: Mapping[str, Any] | None
    spark: Mapping[str, Any] | None
    members: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """The result of a check as the page shows it, from the bridge's report or from a file."""

    engine: str
    way: str
    events: int
    panes: int
    differing: int
    seconds: float
    spark_version: str
    java_version: str
    counts: Mapping[str, Mapping[str, int]]
    differences: tuple[Difference, ...] = ()
    stages: Mapping[str, float] = field(default_factory=dict)
    distributions: Mapping[str, Any] | None = None

    @property
    def equal(self) -> bool:
        """Whether both sides emitted the same rows."""
        return self.differing == 0

    @property
    def rows(self) -> int:
        """The number of compared rows of each side."""
        return max((sum(side.values()) for side in self.counts.values()), default=self.panes)


def plain(report: Any) -> dict[str, Any]:
    """The bridge's report, or a ``Result``, as plain data."""
    shape = report.distributions
    if shape is not None and not isinstance(shape, Mapping):
        shape = shape.as_json()
    return {
        **{name: getattr(report, name) for name in (*_TEXTS, *_WHOLE, "seconds")},
        "counts": {side: dict(kinds) for side, kinds in report.counts.items()},
        "differences": [[each.simulator, each.spark, list(each.members)] for each in report.differences],
        "stages": dict(report.stages),
        "distributions": None if shape is None else dict(shape),
    }


def result_of(found: Mapping[str, Any]) -> Result:
    """The result from plain data. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else."""
    whole: dict[str, Any] = {name: _whole(found[name]) for name in _WHOLE}
    texts: dict[str, Any] = {name: _text(found[name]) for name in _TEXTS}
    differences = tuple(
        Difference(_row(ours), _row(theirs), tuple(map(_text, members)))
        for ours, theirs, members in found["differences"]
    )
    counts = {side: {_text(kind): _whole(n) for kind, n in kinds.items()} for side, kinds in found["counts"].items()}
    return Result(
        **whole,
        **texts,
        seconds=float(found["seconds"]),
        counts=counts,
        differences=differences,
        stages={_text(name): float(seconds) for name, seconds in found["stages"].items()},
        distributions=_shape(found["distributions"]),
    )


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(value)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _row(value: Any) -> Mapping[str, Any] | None:
    if value is not None and not (isinstance(value, dict) and "row" in value):
        raise TypeError(value)
    return value


def _shape(value: Any) -> Mapping[str, Any] | None:
    if value is None:
        return None
    numbers = {name: _whole(value[name]) for name in ("delay_width", "keys", "results_width")}
    if not numbers["delay_width"] or not numbers["results_width"]:
        raise ValueError(numbers)
    tables = {name: _table(value[name], width) for name, width in (("delays", 4), ("firings", 2), ("results", 2))}
    top = [(_text(key), _whole(number)) for key, number in value["top"]]
    return {**numbers, **tables, "top": top}


def _table(rows: Any, width: int) -> list[tuple[int, ...]]:
    made = [tuple(row) for row in rows]
    if any(len(row) != width or any(type(each) is not int for each in row) for row in made):
        raise TypeError(rows)
    return made


def read_all(folder: Path) -> tuple[list[dict[str, Any]], int]:
    """The files of ``folder`` as plain data, oldest first, and the number of unreadable ones."""
    found, broken = [], 0
    for path in _files(folder):
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ValueError(path)
            value = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(value, dict):
                raise TypeError(path)
            found.append(value)
        except (OSError, ValueError, TypeError, RecursionError):
            broken += 1
    return found, broken


def write(folder: Path, id: str, value: Mapping[str, Any]) -> None:
    """Save ``value`` whole or not at all, whoever else writes; if the folder cannot be written, not at all."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(value, ensure_ascii=False)
        if len(text.encode()) > MOST_BYTES:
            return
        handle, unfinished = tempfile.mkstemp(dir=folder, prefix=".unfinished-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(unfinished, folder / f"{id}.json")
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise


def forget_old(folder: Path) -> None:
    """Remove the oldest files beyond ``KEPT``."""
    for path in _files(folder)[:-KEPT]:
        with contextlib.suppress(OSError):
            path.unlink()


def _files(folder: Path) -> list[Path]:
    """Oldest first."""

    def aged() -> Iterator[tuple[int, Path]]:
        for path in folder.glob("*.json"):
            with contextlib.suppress(OSError):  # removed since it was listed
                yield path.stat().st_mtime_ns, path

    return [path for _, path in sorted(aged())]
