"""Temporary folders: the next process removes those of a killed one; all others stay."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tidemark.spark_bridge.spark.folders import new_folder, remove_orphans, remove_own, spark_place, temporary_folder

MAKES_ONE = "from tidemark.spark_bridge.spark.folders import new_folder; print(new_folder('check'))"


def test_the_folder_of_a_dead_process_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", MAKES_ONE], cwd=root, capture_output=True, text=True, check=True)
    orphan, own = Path(done.stdout.strip()), new_folder("check")
    (orphan / "spill").write_text("left")
    other_host = tmp_path / orphan.name.replace("tidemark-check-", "tidemark-check-another")
    other_host.mkdir()
    unlike = tmp_path / "tidemark-anything"
    unlike.mkdir()
    remove_orphans()
    assert sorted(tmp_path.iterdir()) == sorted([own, other_host, unlike])


def test_a_server_that_ends_removes_its_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (new_folder("spark") / "spill").write_text("left")
    another = tmp_path / new_folder("check").name.replace(f"-{os.getpid()}-", "-1-")
    another.mkdir()
    assert remove_own()
    assert list(tmp_path.iterdir()) == [another]


def test_a_folder_is_removed_at_the_end_of_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder("check") as folder:
        (folder / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_spark_lies_in_its_local_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert spark_place() is None
    local = tmp_path / "disk" / "spark"
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{local}, {tmp_path / 'other'}")
    made = new_folder("spark", spark_place())
    assert made.parent == local
    (local / made.name.replace(f"-{os.getpid()}-", f"-{2**31 - 1}-")).mkdir()
    remove_orphans()
    assert list(local.iterdir()) == [made], "that of a dead process is gone"
    assert remove_own()
    assert list(local.iterdir()) == []
