"""Every Flink scenario of the library has the rows that real Flink gave for exactly this run, and they are ours.

The rows lie beside the file (``NAME.flink.jsonl``), or the same run is among those of ``tests/golden``.
"""

import json
from pathlib import Path

import pytest

import simulator
from simulator.proof.comparison import compare
from simulator.proof.recordings import BESIDE, GOLDEN, GOLDEN_VERSION, beside, golden_digests, recorded_rows
from simulator.scenario import load
from simulator.scenario.identity import digest_of

LIBRARY = GOLDEN.parents[1] / "scenarios"
FLINK = [path for path in sorted(LIBRARY.glob("*.yaml")) if load(path).engine == "flink"]
RECORDED = sorted(LIBRARY.glob(f"*{BESIDE}"))

WITHOUT_RECORDING: dict[str, str] = {}
"""Scenarios of the library whose rows nobody has recorded yet, by name, with the reason; they have no badge."""

MOST_BYTES = 300_000
"""A recording is read beside its scenario; a longer one belongs elsewhere."""

RECORDED_HOW = "by Flink's own operators (docs/ARCHITECTURE.md tells how that was done); our rows are no recording"


def name_of(path: Path) -> str:
    return path.name.removesuffix(BESIDE)


def said(path: Path) -> str:
    """The digest of the run that the first line names, "" where it names none."""
    return next((digest for digest, recording in beside(path.parent).items() if recording.path == path), "")


def stale(path: Path) -> str:
    """What is wrong with the recording ``path`` and how it is mended; "" where it belongs to the file beside it."""
    name, file = name_of(path), path.name
    scenario = path.with_name(f"{name}.yaml")
    if not scenario.is_file():
        return f"{file} is the recording of {name}.yaml, which is not there: rename it with the scenario, or delete it."
    was, now = said(path), digest_of(load(scenario))
    if was == now:
        return ""
    told = f"was recorded for the run {was[:12]}" if was else "does not say which run was recorded"
    return (
        f"{file} {told}, {name}.yaml is the run {now[:12]} now. Take the edit back, or delete {file} and have the "
        f"new run recorded {RECORDED_HOW}. Until then name {name} in WITHOUT_RECORDING here."
    )


@pytest.mark.parametrize("path", RECORDED, ids=name_of)
def test_a_recording_is_of_the_file_beside_it(path: Path) -> None:
    assert stale(path) == ""
    assert beside(LIBRARY)[said(path)].version == GOLDEN_VERSION
    assert path.stat().st_size <= MOST_BYTES


@pytest.mark.parametrize("path", RECORDED, ids=name_of)
def test_flink_and_we_give_the_same_rows(path: Path) -> None:
    scenario = load(path.with_name(f"{name_of(path)}.yaml"))
    found = compare(scenario, simulator.run_rows(scenario), recorded_rows(path))
    assert found.same, f"{found.differing} of {found.rows} rows differ; the first, ours and Flink's: {found.first}"


def test_every_flink_scenario_has_a_recording() -> None:
    known = golden_digests().keys() | beside(LIBRARY).keys()
    bare = [path.stem for path in FLINK if digest_of(load(path)) not in known]
    assert bare == sorted(WITHOUT_RECORDING), (
        f"{', '.join(bare)}: no rows of Flink are recorded. Have the run recorded {RECORDED_HOW}, "
        "or name it in WITHOUT_RECORDING with the reason."
    )


def test_no_run_is_recorded_twice() -> None:
    """A run that is among the golden ones needs no second file, which might say something else."""
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


# --- what a stale recording is told --------------------------------------------------------------------------------

NAME = "minus-one-ms"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """A library of one scenario and its recording."""
    for each in (f"{NAME}.yaml", f"{NAME}{BESIDE}"):
        (tmp_path / each).write_bytes((LIBRARY / each).read_bytes())
    return tmp_path / f"{NAME}{BESIDE}"


def test_another_number_makes_it_stale_and_another_word_does_not(recording: Path) -> None:
    scenario = recording.with_name(f"{NAME}.yaml")
    text = scenario.read_text(encoding="utf-8")
    scenario.write_text(text.replace("summary:", "level: expert\nsummary:").replace("level: novice\n", ""), "utf-8")
    assert stale(recording) == ""
    edited = text.replace("size: 10s", "size: 11s")
    assert edited != text
    scenario.write_text(edited, encoding="utf-8")
    problem = stale(recording)
    assert problem.startswith(f"{NAME}{BESIDE} was recorded for the run ")
    assert f"{NAME}.yaml is the run {digest_of(load(scenario))[:12]} now" in problem
    assert f"delete {NAME}{BESIDE} and have the new run recorded by Flink's own operators" in problem
    assert f"name {NAME} in WITHOUT_RECORDING" in problem


def test_one_without_a_first_line_or_without_a_scenario_is_told(recording: Path) -> None:
    rows = recording.read_text(encoding="utf-8").splitlines()[1:]
    assert json.loads(rows[0])["row"]
    recording.write_text("\n".join(rows), encoding="utf-8")
    assert "does not say which run was recorded" in stale(recording)
    recording.with_name(f"{NAME}.yaml").unlink()
    assert "which is not there" in stale(recording)
