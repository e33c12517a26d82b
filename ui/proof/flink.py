"""The Flink recording of exactly this scenario, if there is one, beside what is computed now."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

import simulator
from simulator.proof.comparison import Comparison, compare
from simulator.proof.recordings import (
    GOLDEN,
    GOLDEN_VERSION,
    Recording,
    UnreadableRecordingError,
    beside,
    golden_digests,
    recorded_rows,
)
from simulator.scenario.model import Scenario
from ui.proof.stamps import stamp_of


@dataclass(frozen=True)
class FlinkProof:
    """What was compared: the recording (its file's name and the version of Flink), and how it went."""

    file: str
    version: str
    comparison: Comparison


def flink_proof(scenario: Scenario, digest: str, library: Path) -> FlinkProof | None:
    """The rows of the whole ``scenario`` beside those recorded for its ``digest``; None where none were recorded."""
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


@st.cache_resource(show_spinner=False, max_entries=4)
def _golden(folder: Path, stamp: str) -> dict[str, str]:
    """All golden scenarios are read once (a tenth of a second for 129), when the first scenario asks."""
    return golden_digests(folder)


@st.cache_resource(show_spinner=False, max_entries=4)
def _beside(folder: Path, stamp: str) -> dict[str, Recording]:
    return beside(folder)
