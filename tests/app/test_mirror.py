"""A reader's folder in a browser: its files come with a question, and the answer says what becomes of them."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui import catalogue
from tidemark.ui.site import engine
from tidemark.ui.site.engine import answered

ROOT = Path(__file__).resolve().parents[2]
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
