"""The recorded rows of real Flink: where they are, and for exactly which scenario each file was recorded.

There are two places. In ``tests/golden/`` a recording is a pair: a scenario (``NAME.yaml``) and its rows
(``NAME.jsonl``). Beside a library file ``NAME.yaml`` it is ``NAME.flink.jsonl``, whose first line names the version
and the scenario by its digest, ``{"flink": "2.3.0", "scenario": "9f3c…"}``. So the rows still belong to the scenario
for which they were recorded when the file beside them is edited. A copy of the project without tests has no golden
files. How they were made: docs/ARCHITECTURE.md, "Where the recordings of the library come from".
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.proof.comparison import Row
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.identity import digest_of

GOLDEN: Final = Path(__file__).resolve().parents[2] / "tests" / "golden"
GOLDEN_VERSION: Final = "2.3.0"
"""The version of Flink with which ``GOLDEN`` was recorded."""

BESIDE: Final = ".flink.jsonl"
"""The suffix of a recording beside a library file."""

MOST_BYTES: Final = 64_000_000
"""The most bytes of a recording; a larger file is not one."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A file of rows and the version of Flink that emitted them."""

    path: Path
    version: str


class UnreadableRecordingError(ValueError):
    """The file does not exist any more, or does not consist of rows."""


def golden_digests(folder: Path = GOLDEN) -> dict[str, str]:
    """The stem of each recording in ``folder`` by the digest of its scenario; a file that cannot be read has none."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        if not path.with_suffix(".jsonl").is_file():
            continue
        try:
            found.setdefault(digest_of(load(path)), path.stem)
        except (ScenarioError, OSError):
            continue
    return found


def beside(folder: Path) -> dict[str, Recording]:
    """The recordings beside library files in ``folder`` by the digest of the scenario that they name."""
    found = {}
    for path in sorted(folder.glob(f"*{BESIDE}")):
        head = _head(path) if path.is_file() else None
        if head is not None:
            found[head["scenario"]] = Recording(path, head["flink"])
    return found


def recorded_rows(path: Path) -> list[Row]:
    """The rows of a recording, without a first line that is not a row. Raises ``UnreadableRecordingError``."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UnreadableRecordingError(path)
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise UnreadableRecordingError(path) from error
    rows = [line for line in lines[:1] if not _is_head(line)] + lines[1:]
    if not all(_is_row(row) for row in rows):
        raise UnreadableRecordingError(path)
    return rows


def _head(path: Path) -> Mapping[str, str] | None:
    try:
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline(4096))
    except (OSError, ValueError):
        return None
    return head if _is_head(head) else None


def _is_head(line: Any) -> bool:
    return isinstance(line, dict) and isinstance(line.get("flink"), str) and isinstance(line.get("scenario"), str)


def _is_row(line: Any) -> bool:
    return isinstance(line, dict) and type(line.get("item")) is int and isinstance(line.get("row"), str)
