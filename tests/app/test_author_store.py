"""The author's folder: a saved file is complete, another author's work is never lost, and no path leaves the folder."""

import base64
import errno
import gzip
import json
import multiprocessing
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.limits import SCENARIO_BYTES
from tidemark.ui import catalogue
from tidemark.ui.author import moves, store
from tidemark.ui.author.moves import delete, deleted, duplicate, filed, rename, renamed, restore
from tidemark.ui.author.store import Conflict, StoreError
from tidemark.ui.site import engine
from tidemark.ui.site.engine import answered

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "course"
    made.mkdir()
    monkeypatch.setattr(catalogue, "CHOSEN", made)
    return made


def files(folder: Path) -> dict[str, str]:
    """The files in the folder, without the lock."""
    return {path.name: path.read_text("utf-8") for path in folder.iterdir() if path.name != store.LOCK}


# --- one author ----------------------------------------------------------------------------------------------------


def test_a_saved_scenario_is_opened_again_and_overwritten(folder: Path) -> None:
    first = store.save("my-first", "title: Å\n", None)
    assert store.open_file("my-first") == ("title: Å\n", first)
    second = store.save("my-first", "title: B\n", first)
    assert second == store.digest("title: B\n") != first
    assert store.names() == ["my-first"]
    assert files(folder) == {"my-first.yaml": "title: B\n"}


def test_the_library_shows_a_saved_scenario_at_once(folder: Path) -> None:
    text = (ROOT / "ui/author/templates/tumbling-windows.yaml").read_text("utf-8")
    digest = store.save("tumbling-windows", text, None)
    found = catalogue.find("tumbling-windows")
    assert found is not None
    assert found.title == "Tumbling windows"
    store.save("tumbling-windows", text.replace("en: Tumbling windows", "en: Mine"), digest)
    assert [entry.title for entry in catalogue.library() if entry.own] == ["Mine"]
    store.save("broken", "scenario: 1\n", None)
    assert {entry.name: bool(entry.problem) for entry in catalogue.library() if entry.own} == {
        "tumbling-windows": False,
        "broken": True,
    }


def test_the_shipped_library_stands_beside_the_folder(folder: Path) -> None:
    text = (ROOT / "scenarios/two-clocks.yaml").read_text("utf-8")
    store.save("two-clocks", text, None)
    store.save("mine", text.replace("name: two-clocks", "name: mine"), None)
    entries = catalogue.library()
    assert {entry.name: entry.replaces for entry in entries if entry.own} == {"two-clocks": True, "mine": False}
    assert [entry.own for entry in entries if entry.name == "two-clocks"] == [True]
    assert entries[-1].path.parent == ROOT / "scenarios"
    assert catalogue.lessons().lecture is not None


def test_saving_the_same_again_is_no_conflict(folder: Path) -> None:
    digest = store.save("twice", "a\n", None)
    assert store.save("twice", "a\n", None) == digest == store.save("twice", "a\n", "an older digest")


def test_a_saved_file_keeps_its_mode(folder: Path) -> None:
    digest = store.save("shared", "a\n", None)
    (folder / "shared.yaml").chmod(0o664)
    store.save("shared", "b\n", digest)
    assert (folder / "shared.yaml").stat().st_mode & 0o777 == 0o664


def test_without_a_folder_nothing_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "CHOSEN", None)
    assert store.folder() is None
    assert store.names() == []
    for refused in (lambda: store.save("a", "b", None), lambda: store.open_file("late-but-allowed")):
        with pytest.raises(StoreError, match="SCENARIOS=DIR"):
            refused()


# --- two authors ---------------------------------------------------------------------------------------------------


def test_the_second_of_two_authors_sees_the_conflict_and_can_choose(folder: Path) -> None:
    both_began_with = store.save("talk", "one\n", None)
    hers = store.save("talk", "hers\n", both_began_with)
    with pytest.raises(Conflict) as raised:
        store.save("talk", "his\n", both_began_with)
    assert (raised.value.their_digest, raised.value.their_text) == (hers, "hers\n")
    assert files(folder) == {"talk.yaml": "hers\n"}
    store.save("talk", "his\n", raised.value.their_digest)
    assert files(folder) == {"talk.yaml": "his\n"}


def test_a_new_scenario_does_not_take_the_name_of_another(folder: Path) -> None:
    store.save("taken", "hers\n", None)
    with pytest.raises(Conflict):
        store.save("taken", "his\n", None)
    assert files(folder) == {"taken.yaml": "hers\n"}


def test_a_file_that_was_deleted_in_the_meantime_is_a_conflict_too(folder: Path) -> None:
    digest = store.save("gone", "a\n", None)
    (folder / "gone.yaml").unlink()
    with pytest.raises(Conflict) as raised:
        store.save("gone", "b\n", digest)
    assert raised.value.their_digest is None
    store.save("gone", "b\n", raised.value.their_digest)
    assert files(folder) == {"gone.yaml": "b\n"}


def _save_many(folder: Path, who: str, times: int, results: Any) -> None:
    """Runs in another server: saves lines behind the others' repeatedly, and returns the number of conflicts."""
    catalogue.CHOSEN = folder
    conflicts = 0
    for number in range(times):
        while True:
            text, digest = store.open_file("race")
            try:
                store.save("race", f"{text}{who}{number}\n", digest)
                break
            except Conflict:
                conflicts += 1
    results.put(conflicts)


def test_two_servers_and_two_sessions_lose_nothing(folder: Path) -> None:
    store.save("race", "", None)
    spawn = multiprocessing.get_context("fork")
    results = spawn.Queue()
    other = spawn.Process(target=_save_many, args=(folder, "p", 12, results))
    here = threading.Thread(target=_save_many, args=(folder, "t", 12, results))
    other.start()
    here.start()
    _save_many(folder, "m", 12, results)
    other.join(60)
    here.join(60)
    lines = store.open_file("race")[0].splitlines()
    assert sorted(lines) == sorted(f"{who}{number}" for who in "ptm" for number in range(12))


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "",
        "../up",
        "a/b",
        "/etc/passwd",
        "a.yaml",
        "Upper",
        "a b",
        "a\n",
        "ä",
        "..",
        ".x",
        "a" * 101,
        "a\0b",
        "--help",
        "con",
        "lpt1",
    ],
)
def test_only_names_that_the_format_allows(folder: Path, name: str) -> None:
    with pytest.raises(StoreError, match="a–z"):
        store.save(name, "a", None)
    with pytest.raises(StoreError, match="a–z"):
        store.open_file(name)
    assert not files(folder)


def test_symbolic_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.yaml"
    secret.write_text("secret", "utf-8")
    (folder / "link.yaml").symlink_to(secret)
    assert store.names() == []
    with pytest.raises(StoreError, match="is a symbolic link"):
        store.open_file("link")
    with pytest.raises(StoreError, match="is a symbolic link"):
        store.save("link", "mine", None)
    assert secret.read_text("utf-8") == "secret"


def test_anything_but_a_file_is_left_alone(folder: Path) -> None:
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "twin.json").write_text("{}", "utf-8")
    for name in ("folder", "pipe", "twin"):
        with pytest.raises(StoreError, match=name):
            store.save(name, "mine", None)
    assert store.names() == []


def test_limits_of_the_format(folder: Path) -> None:
    with pytest.raises(StoreError, match="512 KiB"):
        store.save("large", "a" * (SCENARIO_BYTES + 1), None)
    with pytest.raises(StoreError, match="surrogate"):
        store.save("half", "\ud800", None)
    (folder / "found.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match="UTF-8"):
        store.open_file("found")
    with pytest.raises(Conflict):
        store.save("found", "mine", None)


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.ENOSPC, "no space left"), (errno.EROFS, "is not writable"), (errno.EIO, "nothing was saved")],
)
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fails_leaves_the_folder_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, message: str
) -> None:
    digest = store.save("kept", "before\n", None)

    def fails(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(os, call, fails)
        with pytest.raises(StoreError, match=message):
            store.save("kept", "after\n", digest)
    assert files(folder) == {"kept.yaml": "before\n"}
    store.save("kept", "after\n", digest)
    assert files(folder) == {"kept.yaml": "after\n"}


def test_a_folder_that_disappeared_is_reported(folder: Path) -> None:
    folder.rmdir()
    with pytest.raises(StoreError, match="no longer exists"):
        store.save("a", "b", None)


def test_the_next_save_removes_what_a_stopped_server_left_half_written(folder: Path) -> None:
    (folder / f"{store.UNFINISHED}0123456789abcdef").write_text("half", "utf-8")
    store.save("a", "b", None)
    assert files(folder) == {"a.yaml": "b"}


def test_what_no_server_has_left_stays_and_blocks_no_save(folder: Path) -> None:
    (folder / f"{store.UNFINISHED}0123456789abcdef").mkdir()
    (folder / f"{store.UNFINISHED}0123456789abcde0").symlink_to(folder)
    (folder / f"{store.UNFINISHED}notes").write_text("mine", "utf-8")
    there = set(os.listdir(folder))
    store.save("a", "b", None)
    assert set(os.listdir(folder)) - {store.LOCK} == there | {"a.yaml"}


# --- the folder chosen at the start ---------------------------------------------------------------------------------


def test_the_folder_comes_from_the_argument_then_from_the_environment(tmp_path: Path) -> None:
    folder_of, variable = catalogue.folder_given, catalogue.VARIABLE
    assert folder_of([], {}) is None
    assert folder_of([], {variable: str(tmp_path)}) == tmp_path
    assert folder_of(["--scenarios", "/a b"], {variable: str(tmp_path)}) == Path("/a b")
    assert folder_of(["-x", "--scenarios=/a"], {}) == Path("/a")
    assert folder_of(["--scenarios", "course"], {}) == Path.cwd() / "course"
    assert folder_of(["--scenarios"], {}) == Path()


@pytest.mark.parametrize(
    ("chosen", "message"),
    [(Path("/no/such/folder"), "does not exist"), (Path(__file__), "is not a folder"), (Path(), "needs a folder")],
)
def test_an_unusable_folder_is_reported_once_on_every_page(
    monkeypatch: pytest.MonkeyPatch, chosen: Path, message: str
) -> None:
    monkeypatch.setattr(catalogue, "CHOSEN", chosen)
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not at.exception
    assert [message in text.value for text in at.text] == [True]


# Files of the author's folder: renamed, duplicated, deleted and restored, and lessons.toml follows.

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
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "course"
    made.mkdir()
    monkeypatch.setattr(catalogue, "CHOSEN", made)
    (made / "late.yaml").write_text(SCENARIO, "utf-8")
    return made


def listed(course: Path) -> list[str]:
    return sorted(str(path.relative_to(course)) for path in course.rglob("*") if path.is_file() and path.name[0] != ".")


def test_a_renamed_scenario_is_one_scenario_everywhere(course: Path) -> None:
    (course / "lessons.toml").write_text(LESSONS, "utf-8")
    (course / "late.flink.jsonl").write_text("rows", "utf-8")
    digest = rename("late", "very-late")
    assert listed(course) == ["lessons.toml", "very-late.flink.jsonl", "very-late.yaml"]
    text = SCENARIO.replace("name: late ", "name: very-late ")
    assert store.open_file("very-late") == (text, digest)
    assert (course / "lessons.toml").read_text("utf-8") == (
        LESSONS.replace('"late"', '"very-late"').replace('about = "very-late"', 'about = "late"')
    )
    assert renamed("lessons = [", "a", "b") == "lessons = ["


def test_rows_that_flink_has_produced_for_another_scenario_stay_as_they_are(course: Path) -> None:
    (course / "late.flink.jsonl").write_text("rows", "utf-8")
    (course / "later.flink.jsonl").write_text("rows of one that was deleted", "utf-8")
    rename("late", "later")
    assert (course / "later.flink.jsonl").read_text("utf-8") == "rows of one that was deleted"
    assert (course / "late.flink.jsonl").read_text("utf-8") == "rows"


def test_a_name_that_is_taken_or_wrong_is_refused(course: Path) -> None:
    for name in ("taken", "linked", "twin"):
        (course / f"{name}.{'json' if name == 'twin' else 'yaml'}").write_text(SCENARIO, "utf-8")
    (course / "linked.yaml").unlink()
    (course / "linked.yaml").symlink_to("nowhere")
    before = listed(course)
    for new in ("taken", "linked", "twin", "late", "../out", "a" * 101, "Upper", ""):
        with pytest.raises(StoreError):
            rename("late", new)
        if new:
            with pytest.raises(StoreError):
                duplicate("late", new)
    for act in (rename, duplicate):
        with pytest.raises(StoreError, match=r"no gone\.yaml"):
            act("gone", "new")
    assert listed(course) == before


def test_a_duplicate_has_the_next_free_name(course: Path) -> None:
    assert [duplicate("late"), duplicate("late"), duplicate("late-3", "copy")] == ["late-2", "late-3", "copy"]
    assert "\nname: late-3   # the name\n" in store.open_file("late-3")[0]
    assert listed(course) == ["copy.yaml", "late-2.yaml", "late-3.yaml", "late.yaml"]


def test_what_was_deleted_can_be_restored(course: Path) -> None:
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


def test_what_was_deleted_in_one_moment_can_all_be_restored(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.ui.author.moves.time.time", lambda: 1_700_000_000.0)
    first = delete("late")
    store.save("late", SCENARIO.replace("# mine", "# hers"), None)
    second = delete("late")
    assert [each["id"] for each in deleted()] == [second, first]
    assert (restore(first), restore(second)) == ("late", "late-2")
    assert store.open_file("late")[0] == SCENARIO


def test_a_file_that_is_too_large_for_a_scenario_is_refused_whole(course: Path) -> None:
    """Its first part may well be a scenario by itself."""
    (course / "late.yaml").write_text(SCENARIO + "#" * (SCENARIO_BYTES - len(SCENARIO)), "utf-8")
    assert len(store.open_file("late")[0]) == SCENARIO_BYTES
    with (course / "late.yaml").open("a", encoding="utf-8") as file:
        file.write("#")
    for act in (lambda: store.open_file("late"), lambda: rename("late", "new"), lambda: duplicate("late")):
        with pytest.raises(StoreError, match="at most 512 KiB"):
            act()
    assert listed(course) == ["late.yaml"]


def test_the_trash_is_no_way_out_of_the_folder(course: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "1700000000000-late.yaml").write_text("secret", "utf-8")
    (course / moves.TRASH).symlink_to(outside)
    assert deleted() == []
    for act in (lambda: delete("late"), lambda: restore("1700000000000-late"), lambda: restore("../late")):
        with pytest.raises(StoreError):
            act()
    assert (listed(course), listed(outside)) == (["late.yaml"], ["1700000000000-late.yaml"])


@pytest.mark.parametrize(("number", "message"), [(errno.ENOSPC, "no space left"), (errno.EROFS, "not writable")])
def test_a_disk_that_refuses_leaves_the_folder_as_it_was(
    course: Path, monkeypatch: pytest.MonkeyPatch, number: int, message: str
) -> None:
    def refuses(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    for call in (lambda: rename("late", "new"), lambda: duplicate("late")):
        with monkeypatch.context() as broken:
            broken.setattr(os, "fsync", refuses)
            with pytest.raises(StoreError, match=message):
                call()
        assert listed(course) == ["late.yaml"]


@pytest.mark.parametrize("asked", [{}, {"name": []}, {"name": "delete"}, {"name": "rename", "to": 7}])
def test_what_no_page_asks_is_refused(course: Path, asked: dict[str, object]) -> None:
    with pytest.raises(StoreError):
        filed(asked)
    assert listed(course) == ["late.yaml"]


# A reader's folder in a browser: its files come with a question, and the answer says what becomes of them.

TEXT = (ROOT / "scenarios" / "late-but-allowed.yaml").read_text(encoding="utf-8")
MINE = TEXT.replace("name: late-but-allowed", "name: mine")


@pytest.fixture(autouse=True)
def browser(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No folder was named at the start, and copies lie in a place of their own."""
    monkeypatch.setattr(catalogue, "CHOSEN", None)
    monkeypatch.setattr(engine, "_PICKED", tmp_path / "picked")
    monkeypatch.setattr(engine, "_LENT", tmp_path / "lent")


def ask(**question: Any) -> tuple[dict[str, Any], bytes]:
    answer = answered(json.dumps(question))
    length = int.from_bytes(answer[:4], "big")
    return json.loads(answer[4 : 4 + length]), answer[4 + length :]


def base64_of(files: dict[str, str]) -> dict[str, str]:
    return {name: base64.b64encode(text.encode()).decode() for name, text in files.items()}


def changed(said: dict[str, Any]) -> dict[str, str | None]:
    """The changes of an answer, as text."""
    told = said.get("folder", {})
    return {name: None if text is None else base64.b64decode(text).decode() for name, text in told.items()}


def command(files: dict[str, str], **more: Any) -> tuple[dict[str, str | None], dict[str, Any]]:
    """What becomes of ``files`` by a command of the Author page, and what the page is told."""
    asked = {"number": 1, "text": MINE, "edit": None, "before": None, "command": more}
    said, body = ask(do="author", asked=asked, folder={"files": base64_of(files)})
    return changed(said), dict(json.loads(gzip.decompress(body)))["told"]


def test_a_draft_is_saved_and_never_over_what_somebody_else_has_saved() -> None:
    saved, told = command({}, name="save", file="mine", expected=None)
    assert (saved, told["saved"]) == ({"mine.yaml": MINE}, True)
    saved, told = command({"mine.yaml": "theirs: 1\n"}, name="save", file="mine", expected=told["digest"])
    assert saved == {}
    assert told["conflict"]["text"] == "theirs: 1\n"


def test_a_file_is_renamed_with_its_recording_and_deleted_into_the_trash() -> None:
    files = {"mine.yaml": MINE, "mine.flink.jsonl": "{}\n"}
    saved, _ = command(files, name="rename", file="mine", to="ours")
    assert saved["ours.yaml"] == MINE.replace("name: mine", "name: ours")
    assert (saved["ours.flink.jsonl"], saved["mine.yaml"], saved["mine.flink.jsonl"]) == ("{}\n", None, None)
    saved, told = command({"mine.yaml": MINE}, name="delete", file="mine")
    trashed = f".trash/{told['deleted'][0]['id']}.yaml"
    assert saved == {"mine.yaml": None, trashed: MINE}
    saved, _ = command({trashed: MINE}, name="restore", file=told["deleted"][0]["id"])
    assert saved == {"mine.yaml": MINE, trashed: None}


def test_files_beside_the_scenarios_never_come_in() -> None:
    saved, told = command({"../mine.yaml": MINE, ".trash/../x.yaml": MINE, ".env": "x", "a/b.yaml": MINE}, name="names")
    assert (saved, told["names"]) == ({}, [])


def test_the_folder_stays_for_questions_that_bring_no_files() -> None:
    said, body = ask(do="library", folder={"files": base64_of({"mine.yaml": MINE})})
    assert "folder" not in said
    shown = json.loads(body)
    card = next(each for each in shown["cards"] if each["name"] == "mine")
    assert (card["own"], card["edit"], bool(card["picture"])) == (True, {"file": "mine"}, True)
    assert next(each for each in shown["cards"] if not each["own"])["picture"] is None
    assert (shown["saving"], shown["ordering"], shown["packages"]) == (True, True, "made")
    assert ask(do="open", query={"scenario": "mine"})[0]["address"] == {"scenario": "mine"}


def test_lessons_without_a_folder_begin_with_those_of_the_library_and_are_handed_back() -> None:
    first, _ = ask(do="lessons", folder={"files": {}, "lent": True})
    assert first["text"] == (ROOT / "scenarios" / "lessons.toml").read_text(encoding="utf-8")
    asked = {"number": 1, "text": first["text"] + "# mine\n", "plan": None, "expected": first["digest"]}
    said, _ = ask(do="lessons", asked=asked, folder={"files": {}, "lent": True})
    assert changed(said) == {"lessons.toml": asked["text"]}
    assert catalogue.CHOSEN is None
