"""The scenarios of the library and the recorded ones: a process reads them once for all files of tests."""

from functools import cache
from pathlib import Path
from typing import Final

from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario

ROOT: Final = Path(__file__).parents[1]


@cache
def shipped() -> dict[str, Scenario]:
    """The library, by name."""
    return _read(ROOT / "scenarios")


@cache
def recorded() -> dict[str, Scenario]:
    """The scenarios whose rows real Flink has printed (``tests/golden``), by name."""
    return _read(ROOT / "tests" / "golden")


def _read(folder: Path) -> dict[str, Scenario]:
    return {file.stem: load(file) for file in sorted(folder.glob("*.yaml"))}
