"""Files of the author's folder: renamed, duplicated, deleted and restored, and lessons.toml follows."""

import errno
import os
from pathlib import Path

import pytest
from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.ui import catalogue
from tidemark.ui.author import moves, store
from tidemark.ui.author.moves import delete, deleted, duplicate, filed, rename, renamed, restore
from tidemark.ui.author.store import StoreError

SCENARIO = """# mine
scenario: 1
name: late   # the name
operator: {type: window, assigner: {type: tumbling, size: 1s}, function: {call: reduce, compute: sum}}
stream: [{ts: 0, key: k, value: 1}]
"""

LESSONS = """# the course, by week
[course]          # not ours
teacher = "Ada"

[lecture]
title = "Today"
about = "Late things"
minutes = 45
scenarios = [
  "late",   # first
  "other",
]

[visit]
title = "First"
about = "First"
scenarios = ["late"]
onward = ["late", {scenario = "late", about = "late"}]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "course"
    made.mkdir()
    monkeypatch.setattr(catalogue, "CHOSEN", made)
    (made / "late.yaml").write_text(SCENARIO, "utf-8")
    return made


def listed(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name[0] != ".")


def test_a_renamed_scenario_is_one_scenario_everywhere(folder: Path) -> None:
    (folder / "lessons.toml").write_text(LESSONS, "utf-8")
    (folder / "late.flink.jsonl").write_text("rows", "utf-8")
    digest = rename("late", "very-late")
    assert listed(folder) == ["lessons.toml", "very-late.flink.jsonl", "very-late.yaml"]
    text = SCENARIO.replace("name: late ", "name: very-late ")
    assert store.open_file("very-late") == (text, digest)
    assert (folder / "lessons.toml").read_text("utf-8") == (
        LESSONS.replace('"late"', '"very-late"').replace('about = "very-late"', 'about = "late"')
    )
    assert renamed("lessons = [", "a", "b") == "lessons = ["


def test_rows_that_flink_has_produced_for_another_scenario_stay_as_they_are(folder: Path) -> None:
    (folder / "late.flink.jsonl").write_text("rows", "utf-8")
    (folder / "later.flink.jsonl").write_text("rows of one that was deleted", "utf-8")
    rename("late", "later")
    assert (folder / "later.flink.jsonl").read_text("utf-8") == "rows of one that was deleted"
    assert (folder / "late.flink.jsonl").read_text("utf-8") == "rows"


def test_a_name_that_is_taken_or_wrong_is_refused(folder: Path) -> None:
    for name in ("taken", "linked", "twin"):
        (folder / f"{name}.{'json' if name == 'twin' else 'yaml'}").write_text(SCENARIO, "utf-8")
    (folder / "linked.yaml").unlink()
    (folder / "linked.yaml").symlink_to("nowhere")
    before = listed(folder)
    for new in ("taken", "linked", "twin", "late", "../out", "a" * 101, "Upper", ""):
        with pytest.raises(StoreError):
            rename("late", new)
        if new:
            with pytest.raises(StoreError):
                duplicate("late", new)
    for act in (rename, duplicate):
        with pytest.raises(StoreError, match=r"no gone\.yaml"):
            act("gone", "new")
    assert listed(folder) == before


def test_a_duplicate_has_the_next_free_name(folder: Path) -> None:
    assert [duplicate("late"), duplicate("late"), duplicate("late-3", "copy")] == ["late-2", "late-3", "copy"]
    assert "\nname: late-3   # the name\n" in store.open_file("late-3")[0]
    assert listed(folder) == ["copy.yaml", "late-2.yaml", "late-3.yaml", "late.yaml"]


def test_what_was_deleted_can_be_restored(folder: Path) -> None:
    trashed = delete("late")
    assert store.names() == []
    assert [(each["id"], each["name"]) for each in deleted()] == [(trashed, "late")]
    assert restore(trashed) == "late"
    assert (store.open_file("late")[0], deleted()) == (SCENARIO, [])

    again = delete("late")
    store.save("late", SCENARIO.replace("# mine", "# hers"), None)
    assert restore(again) == "late-2"
    assert store.open_file("late-2")[0] == SCENARIO.replace("name: late ", "name: late-2 ")
    assert store.open_file("late")[0].startswith("# hers")
    with pytest.raises(StoreError, match="no longer in the trash"):
        restore(again)


def test_what_was_deleted_in_one_moment_can_all_be_restored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.author.moves.time.time", lambda: 1_700_000_000.0)
    first = delete("late")
    store.save("late", SCENARIO.replace("# mine", "# hers"), None)
    second = delete("late")
    assert [each["id"] for each in deleted()] == [second, first]
    assert (restore(first), restore(second)) == ("late", "late-2")
    assert store.open_file("late")[0] == SCENARIO


def test_a_file_that_is_too_large_for_a_scenario_is_refused_whole(folder: Path) -> None:
    """Its first part may well be a scenario by itself."""
    (folder / "late.yaml").write_text(SCENARIO + "#" * (SCENARIO_BYTES - len(SCENARIO)), "utf-8")
    assert len(store.open_file("late")[0]) == SCENARIO_BYTES
    with (folder / "late.yaml").open("a", encoding="utf-8") as file:
        file.write("#")
    for act in (lambda: store.open_file("late"), lambda: rename("late", "new"), lambda: duplicate("late")):
        with pytest.raises(StoreError, match="at most 512 KiB"):
            act()
    assert listed(folder) == ["late.yaml"]


def test_the_trash_is_no_way_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "1700000000000-late.yaml").write_text("secret", "utf-8")
    (folder / moves.TRASH).symlink_to(outside)
    assert deleted() == []
    for act in (lambda: delete("late"), lambda: restore("1700000000000-late"), lambda: restore("../late")):
        with pytest.raises(StoreError):
            act()
    assert (listed(folder), listed(outside)) == (["late.yaml"], ["1700000000000-late.yaml"])


@pytest.mark.parametrize(("number", "message"), [(errno.ENOSPC, "no space left"), (errno.EROFS, "not writable")])
def test_a_disk_that_refuses_leaves_the_folder_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    def refuses(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    for call in (lambda: rename("late", "new"), lambda: duplicate("late")):
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", refuses)
            with pytest.raises(StoreError, match=message):
                call()
        assert listed(folder) == ["late.yaml"]


@pytest.mark.parametrize("asked", [{}, {"name": []}, {"name": "delete"}, {"name": "rename", "to": 7}])
def test_what_no_page_asks_is_refused(folder: Path, asked: dict[str, object]) -> None:
    with pytest.raises(StoreError):
        filed(asked)
    assert listed(folder) == ["late.yaml"]
