"""The table of the faults fits the code, and a fault can be found."""

from pathlib import Path

import pytest

from tests.mutants.finders import FINDERS, finders_of
from tests.mutants.running import Copy, looks
from tests.mutants.table import ROOT, Fault, WrongTable, faults

TABLE = faults()


@pytest.mark.parametrize("file", sorted({fault.file for fault in TABLE}))
def test_every_fault_has_one_place_and_still_compiles(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    for fault in TABLE:
        if fault.file == file:
            compile(fault.planted(text), file, "exec")


def test_there_are_enough_and_few_survive() -> None:
    assert len(TABLE) >= 60
    assert len({(fault.file, fault.old, fault.new) for fault in TABLE}) == len(TABLE)
    assert len([fault for fault in TABLE if not fault.survives]) >= 0.95 * len(TABLE)


def test_finders_are_files_that_exist() -> None:
    named = [each for arguments in FINDERS.values() for each in arguments if each.startswith("tests/")]
    assert [each for each in named if not (ROOT / each.partition("::")[0]).exists()] == []


def test_a_line_that_has_gone_or_come_twice_is_an_error() -> None:
    fault = Fault("some.py", "a < b", "a <= b", "a border", ("rows",))
    assert fault.planted("if a < b:") == "if a <= b:"
    for text in ("if a > b:", "if a < b or a < b + 1:"):
        with pytest.raises(WrongTable, match=r"some\.py"):
            fault.planted(text)


def test_a_fault_is_found_or_not_and_the_copy_is_sound_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a process: who looks is asked in order, until one finds something."""
    folder = tmp_path / "simulator"
    folder.mkdir()
    (folder / "some.py").write_text("late = ts < watermark\n")
    copy, asked = Copy(tmp_path), list[str]()

    def run(arguments: list[str]) -> tuple[int, str]:
        asked.append(arguments[-1])
        broken = "<=" in (folder / "some.py").read_text()
        return int(broken and "tests/engine" in arguments), "said"

    monkeypatch.setattr(copy, "_run", run)
    said = looks(copy, Fault("simulator/some.py", "ts < w", "ts <= w", "a border", ("files",)))
    assert [(look.finder, look.found) for look in said] == [("files", False), ("rows", False), ("engine", True)]
    assert "<=" not in (folder / "some.py").read_text()
    assert len(asked) == 3
    assert finders_of("spark_bridge/some.py", ("keyed",))[:2] == ["keyed", "spark"]
