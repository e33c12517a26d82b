"""The Flink recording of exactly this scenario, if there is one, compared with the current rows."""

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
from tidemark.ui.keeping import keeping
from tidemark.ui.proof.stamps import stamp_of

from tidemark import simulator


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
