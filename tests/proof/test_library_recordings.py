"""For every Flink scenario of the library, the rows of real Flink are recorded for exactly this run and equal ours.

The recording is beside the file (``NAME.flink.jsonl``), or the same run is among those of ``tests/golden``.
"""

import json
from pathlib import Path

import pytest
from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.proof.recordings import (
    BESIDE,
    GOLDEN,
    GOLDEN_VERSION,
    beside,
    compare,
    golden_digests,
    recorded_rows,
)
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.identity import digest_of

from tests.library import shipped
from tidemark import simulator

LIBRARY = GOLDEN.parents[1] / "scenarios"
FLINK = [LIBRARY / f"{name}.yaml" for name, each in shipped().items() if each.engine == "flink"]
RECORDED = sorted(LIBRARY.glob(f"*{BESIDE}"))

NOT_YET = "written after the last recording session; its rows follow the rules that the golden runs check"
OLDER = "by the rules of an older version, whose rows are not beside the file (tests/engine/test_versions.py)"
VISIT = ("first-idle", "first-late", "first-prediction", "first-two-phones", "first-watermark", "first-window")
IN_ZONES = (
    "a-day-by-a-fixed-offset",
    "a-day-of-its-own-length",
    "a-day-that-is-lost",
    "an-hour-that-comes-twice",
    "an-hour-that-is-missing",
)
CHAINED = (
    "is-the-bound-paid-twice",
    "on-time-for-the-join",
    "what-becomes-of-a-correction",
    "when-does-the-total-come",
    "why-does-the-union-stand-still",
)
LATER = (
    "filtered-but-moves-the-watermark",
    "idle-found-late",
    "late-and-over-in-sql",
    "sessions-that-overlap",
    "stuck-after-idle",
    *CHAINED,
    *IN_ZONES,
    *VISIT,
)
OF_OLDER_VERSIONS = {name: OLDER for name, each in shipped().items() if each.flink != NEWEST}
WITHOUT_RECORDING: dict[str, str] = dict.fromkeys(LATER, NOT_YET) | OF_OLDER_VERSIONS
"""Scenarios of the library whose rows are not recorded yet, by name, with the reason; they have no badge."""

MOST_BYTES = 300_000
"""The size limit of a recording in the library; a longer one belongs elsewhere."""

RECORDED_HOW = "by Flink's own operators (RECORDINGS.md describes how); our own rows are not a recording"


def name_of(path: Path) -> str:
    return path.name.removesuffix(BESIDE)


def named_run(path: Path) -> str:
    """The digest of the run that the first line names, or "" if it names none."""
    return next((digest for digest, recording in beside(path.parent).items() if recording.path == path), "")


def stale(path: Path) -> str:
    """What is wrong with the recording ``path`` and how to fix it, or "" if it matches the file beside it."""
    name, file = name_of(path), path.name
    scenario = path.with_name(f"{name}.yaml")
    if not scenario.is_file():
        return (
            f"{file} is the recording of {name}.yaml, which does not exist: rename it with the scenario, or delete it."
        )
    was, now = named_run(path), digest_of(load(scenario))
    if was == now:
        return ""
    recorded = f"was recorded for the run {was[:12]}" if was else "does not name the run that was recorded"
    return (
        f"{file} {recorded}, but {name}.yaml is now the run {now[:12]}. Undo the edit, or delete {file} and have the "
        f"new run recorded {RECORDED_HOW}. Until then name {name} in WITHOUT_RECORDING here."
    )


@pytest.mark.parametrize("path", RECORDED, ids=name_of)
def test_a_recording_is_of_the_file_beside_it(path: Path) -> None:
    assert stale(path) == ""
    assert beside(LIBRARY)[named_run(path)].version == GOLDEN_VERSION
    assert path.stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("path", RECORDED, ids=name_of)
def test_our_rows_are_flinks_rows(path: Path) -> None:
    scenario = load(path.with_name(f"{name_of(path)}.yaml"))
    found = compare(scenario, simulator.run_rows(scenario), recorded_rows(path))
    assert found.same, f"{found.differing} of {found.rows} rows differ; the first, ours and Flink's: {found.first}"


def test_every_flink_scenario_has_a_recording() -> None:
    known = golden_digests().keys() | beside(LIBRARY).keys()
    bare = [path.stem for path in FLINK if digest_of(load(path)) not in known]
    assert bare == sorted(WITHOUT_RECORDING), (
        f"{', '.join(bare)}: Flink's rows are not recorded. Have the run recorded {RECORDED_HOW}, "
        "or name it in WITHOUT_RECORDING with the reason."
    )


def test_no_run_is_recorded_twice() -> None:
    """A golden run needs no second recording, which might contradict the first."""
    assert beside(LIBRARY).keys() & golden_digests().keys() == set()


def test_the_golden_runs_of_the_library_are_the_same() -> None:
    golden = golden_digests()
    for path in FLINK:
        scenario = load(path)
        stem = golden.get(digest_of(scenario))
        if stem is not None:
            rows = recorded_rows(GOLDEN / f"{stem}.jsonl")
            found = compare(scenario, simulator.run_rows(scenario), rows)
            assert found.same, f"{path.stem} is the golden {stem}, and {found.differing} of {found.rows} rows differ"


# --- messages for stale recordings ---------------------------------------------------------------------------------

NAME = "minus-one-ms"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A library of one scenario and its recording."""
    for each in (f"{NAME}.yaml", f"{NAME}{BESIDE}"):
        (tmp_path / each).write_bytes((LIBRARY / each).read_bytes())
    return tmp_path / f"{NAME}{BESIDE}"


def test_a_changed_number_makes_a_recording_stale_but_changed_texts_do_not(recording: Path) -> None:
    scenario = recording.with_name(f"{NAME}.yaml")
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("summary:", "level: expert\nsummary:").replace("level: novice\n", ""), "utf-8")
    assert stale(recording) == ""
    edited = text.replace("size: 10s", "size: 11s")
    assert edited != text
    scenario.write_text(edited, encoding="utf-8")
    problem = stale(recording)
    assert problem.startswith(f"{NAME}{BESIDE} was recorded for the run ")
    assert f"{NAME}.yaml is now the run {digest_of(load(scenario))[:12]}." in problem
    assert f"delete {NAME}{BESIDE} and have the new run recorded by Flink's own operators" in problem
    assert f"name {NAME} in WITHOUT_RECORDING" in problem


def test_a_recording_without_its_first_line_or_scenario_is_reported(recording: Path) -> None:
    rows = recording.read_text(encoding="utf-8").splitlines()[1:]
    assert json.loads(rows[0])["row"]
    recording.write_text("\n".join(rows), encoding="utf-8")
    assert "does not name the run that was recorded" in stale(recording)
    recording.with_name(f"{NAME}.yaml").unlink()
    assert "which does not exist" in stale(recording)
