"""A save is whole or not at all: where the server is killed, the disk is full or the folder goes away meanwhile.

A child process does what an author asks for and ends at its n-th call to the file system, for every n: nothing that was
saved is ever half there or gone, and the next save finds a folder that it can work with.
"""

import builtins
import os
import resource
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from tidemark.ui import catalogue
from tidemark.ui.author import moves, store
from tidemark.ui.author.store import StoreError
from tidemark.ui.catalogue.lessons_file import FILE, lessons_of
from tidemark.ui.server.on_disk import folded
from tidemark.ui.spark.your_stream.visits import Upload

BEFORE = "scenario: 1\nname: late\n" + "# before\n" * 2000
AFTER = "scenario: 1\nname: late\n" + "# after\n" * 3000
LECTURE = '[lecture]\ntitle = "One"\nabout = "Two"\nminutes = 45\nscenarios = ["{}"]\n'
CALLS = ("open", "fsync", "replace", "rename", "unlink", "mkdir")
KILLED = 9


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(catalogue, "CHOSEN", tmp_path / "course")
    return refilled(tmp_path / "course")


def refilled(folder: Path) -> Path:
    """The folder with one scenario, as it was saved, and a lecture that names it."""
    folder.mkdir(exist_ok=True)
    for path in (path for path in sorted(folder.rglob("*")) if path.is_file()):
        path.unlink()
    store.save("late", BEFORE, None)
    (folder / FILE).write_text(LECTURE.format("late"), "utf-8")
    return folder


def killed_at(number: int, act: Callable[[], object]) -> bool:
    """Do ``act`` in a child that ends at its ``number``-th call to the file system; whether it came that far."""
    child = os.fork()
    if child == 0:
        left = [number]

        def counted(call: Callable[..., object]) -> Callable[..., object]:
            def counts(*given: object, **named: object) -> object:
                left[0] -= 1
                if left[0] < 0:
                    os._exit(KILLED)
                return call(*given, **named)

            return counts

        for module, name in (*((os, name) for name in CALLS), (builtins, "open")):
            setattr(module, name, counted(getattr(module, name)))
        try:
            act()
            os._exit(0)
        except BaseException:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, KILLED)
    return code == KILLED


def texts(folder: Path) -> dict[str, str]:
    """The scenarios of the folder and its trash."""
    return {path.stem: path.read_text("utf-8") for path in sorted(folder.rglob("*.yaml"))}


def kills(folder: Path, act: Callable[[], object]) -> list[dict[str, str]]:
    """What is in the folder after each kill, from the first call to the last."""
    found = []
    number = 0
    while killed_at(number, act):
        found.append(texts(folder))
        assert lessons_of(folder).problem == ""
        store.save("next", AFTER, None)
        assert not list(folder.glob(f"{store.UNFINISHED}*")), "the next save removes what is left half written"
        refilled(folder)
        number += 1
    return found


def test_a_save_that_is_killed_is_whole_or_not_there(folder: Path) -> None:
    found = kills(folder, lambda: store.save("late", AFTER, store.digest(BEFORE)))
    assert len(found) >= 5
    assert {text for each in found for text in each.values()} == {BEFORE, AFTER}
    assert found[0] == {"late": BEFORE}
    assert found[-1] == {"late": AFTER}


def test_a_rename_that_is_killed_loses_nothing(folder: Path) -> None:
    found = kills(folder, lambda: moves.rename("late", "new"))
    renamed = BEFORE.replace("name: late", "name: new")
    assert [
        each for each in found if each not in ({"late": BEFORE}, {"late": BEFORE, "new": renamed}, {"new": renamed})
    ] == []
    assert len({len(each) for each in found}) == 2


def test_a_deletion_and_its_way_back_lose_nothing_when_killed(folder: Path) -> None:
    for act in (lambda: moves.delete("late"), lambda: moves.restore(moves.delete("late"))):
        found = kills(folder, act)
        assert {tuple(each.values()) for each in found} == {(BEFORE,)}


def test_a_disk_that_takes_only_a_part_leaves_the_folder_as_it_was(folder: Path) -> None:
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(BEFORE) // 2, most[1]))
    try:
        for act in (
            lambda: store.save("late", AFTER, store.digest(BEFORE)),
            lambda: moves.rename("late", "new"),
            lambda: moves.duplicate("late"),
        ):
            with pytest.raises(StoreError, match="nothing was saved"):
                act()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert texts(folder) == {"late": BEFORE}
    assert not list(folder.glob(f"{store.UNFINISHED}*"))


def test_a_rename_is_undone_where_the_lessons_cannot_follow(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = os.replace

    def refuses(source: object, target: Path) -> None:
        if Path(target).name == FILE:
            raise OSError(28, "No space left on device")
        whole(source, target)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "replace", refuses)
    with pytest.raises(StoreError, match="no space left"):
        moves.rename("late", "new")
    assert texts(folder) == {"late": BEFORE}
    assert (folder / FILE).read_text("utf-8") == LECTURE.format("late")


def test_a_rename_is_undone_where_the_old_file_cannot_go(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / f"late{moves.RECORDED}").write_text("rows", "utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    whole = Path.unlink

    def refuses(path: Path, missing_ok: bool = False) -> None:
        if path.name == "late.yaml":
            raise PermissionError(13, "Permission denied")
        whole(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuses)
    with pytest.raises(StoreError):
        moves.rename("late", "new")
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_a_folder_that_goes_away_during_a_save_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: folder.exists() and folder.rename(folder.with_name("away")))
    with pytest.raises(StoreError, match="no longer exists"):
        store.save("late", AFTER, store.digest(BEFORE))
    assert (folder.with_name("away") / "late.yaml").read_text("utf-8") == BEFORE


# --- one name --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("there", ["Talk.yaml", "TALK.JSON", "tal\N{KELVIN SIGN}.yaml", "talk.json"])
def test_a_name_that_some_system_takes_for_another_is_taken(folder: Path, there: str) -> None:
    (folder / there).write_text("hers", "utf-8")
    for act in (lambda: store.save("talk", AFTER, None), lambda: moves.rename("late", "talk")):
        with pytest.raises(StoreError, match="there is already a"):
            act()
    assert texts(folder)["late"] == BEFORE
    assert (folder / there).read_text("utf-8") == "hers"


def test_uploads_whose_names_are_one_name_elsewhere_stay_apart() -> None:
    class File:
        def __init__(self, name: str) -> None:
            self.name = name

        def getbuffer(self) -> memoryview:
            return memoryview(self.name.encode())

    names = ["Café.csv", "cafe\u0301.CSV", "CAFÉ.csv"]
    upload = Upload([File(name) for name in names])
    kept = sorted(path.name for path in upload.folder.iterdir())
    upload.remove()
    assert len({folded(name) for name in names}) == 1
    assert len({folded(unicodedata.normalize("NFD", name)) for name in kept}) == 3


# --- symbolic links --------------------------------------------------------------------------------------------------


def test_the_library_follows_no_link_out_of_the_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text(BEFORE, "utf-8")
    (tmp_path / "course.toml").write_text(LECTURE.format("secret"), "utf-8")
    (folder / "secret.yaml").symlink_to(tmp_path / "secret.yaml")
    (folder / FILE).unlink()
    (folder / FILE).symlink_to(tmp_path / "course.toml")
    (own,) = [entry for entry in catalogue.library(folder) if entry.name == "secret"]
    assert own.scenario is None
    assert "leads out of the folder" in own.problem
    assert "leads out of the folder" in lessons_of(folder).problem
    assert lessons_of(folder).lecture is None
