"""The Flink recording of exactly this scenario, if there is one, compared with the current rows."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from tidemark.simulator.proof.comparison import Comparison, compare
from tidemark.simulator.proof.recordings import (
    GOLDEN,
    GOLDEN_VERSION,
    Recording,
    UnreadableRecordingError,
    beside,
    golden_digests,
    recorded_rows,
)
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.server.cache import keeping

from tidemark import simulator

# A short text that changes whenever one of the files behind the badges does.


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


@dataclass(frozen=True)
class FlinkProof:
    """A comparison: the recording (the name of its file, the version of Flink) and the outcome."""

    file: str
    version: str
    comparison: Comparison


def flink_proof(scenario: Scenario, digest: str, library: Path) -> FlinkProof | None:
    """The rows of the whole ``scenario`` against those recorded for its ``digest``; None without a recording."""
    recording = _beside(library, stamp_of(library)).get(digest)
    if recording is None:
        stem = _golden(GOLDEN, stamp_of(GOLDEN)).get(digest)
        if stem is None:
            return None
        recording = Recording(GOLDEN / f"{stem}.jsonl", GOLDEN_VERSION)
    try:
        recorded = recorded_rows(recording.path)
    except UnreadableRecordingError:
        return None
    found = compare(scenario, simulator.run_rows(scenario), recorded)
    return FlinkProof(recording.path.name, recording.version, found)


@keeping(4)
def _golden(folder: Path, stamp: str) -> dict[str, str]:
    """All golden scenarios, read once (0.1 s for 129) at the first request."""
    return golden_digests(folder)


@keeping(4)
def _beside(folder: Path, stamp: str) -> dict[str, Recording]:
    return beside(folder)
