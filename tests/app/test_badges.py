"""Badges are true: they refer to exactly the scenario that was recorded or checked, and an edit removes them."""

import gzip
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.proof import recordings, spark_checks
from tidemark.simulator.scenario import load
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library, walkable
from tidemark.ui.payload import badges
from tidemark.ui.payload import badges as payload_badges
from tidemark.ui.payload.badges import badges_of
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.share import links

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = recordings.GOLDEN
STEM = "tumbling-allowed-lateness"
TITLE = 'title: "Late within the allowed lateness: the window fires again, updated"'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own library, of which Spark has checked nothing yet."""
    made = tmp_path / "scenarios"
    made.mkdir()
    monkeypatch.setattr(catalogue, "FOLDER", made)
    monkeypatch.setattr(spark_checks, "FOLDER", tmp_path / "checks")
    return made


def entry(folder: Path, old: str = "", new: str = "", name: str = "twin") -> Entry:
    """A library file that is the golden one under another name, with ``old`` replaced by ``new``."""
    text = (GOLDEN / f"{STEM}.yaml").read_text(encoding="utf-8").replace(f"name: {STEM}", f"name: {name}")
    assert old in text
    (folder / f"{name}.yaml").write_text(text.replace(old, new) if old else text, encoding="utf-8")
    return next(each for each in library(folder) if each.name == name)


def shown(of: Entry) -> list[dict[str, Any]]:
    return json.loads(badges_of(of))


def spark_report(equal: bool = True) -> Any:
    pane = {"row": "pane", "key": "a", "start": 0, "end": 5000, "value": 7, "item": 1, "watermark": 4999}
    wrong = (SimpleNamespace(simulator=pane, spark={**pane, "value": 8}),)
    return SimpleNamespace(
        engine="batch", events=6, differing=0 if equal else 1, differences=() if equal else wrong,
        counts={side: {"pane": 4} for side in ("simulator", "spark")},
        spark_version=spark_checks.spark_version(), java_version="21",
    )  # fmt: skip


# --- Flink --------------------------------------------------------------------------------------------------------


def test_a_copy_of_a_golden_scenario_has_its_badge(folder: Path) -> None:
    (badge,) = shown(entry(folder))
    assert (badge["engine"], badge["good"], badge["label"]) == ("flink", True, "Flink 2.3.0 · 4 of 4 panes")
    assert ["Recorded rows", f"{STEM}.jsonl"] in badge["facts"]
    assert badge["difference"] is None


def test_one_result_is_written_in_the_singular(folder: Path) -> None:
    file = ROOT / "scenarios" / "car-trace.yaml"
    for each in (file, file.with_name(f"car-trace{recordings.BESIDE}")):
        shutil.copy(each, folder)
    (badge,) = shown(library(folder)[0])
    assert badge["head"] == "Flink 2.3.0: 1 of 1 record matches"
    assert badge["spoken"] == "Flink 2.3.0: 1 of 1 record matches. What was compared"
    assert badge["label"] == "Flink 2.3.0 · 1 of 1 record"


def test_other_titles_and_texts_do_not_remove_the_badge(folder: Path) -> None:
    words = f'{TITLE[:-1]} again"\nsummary: Another text\ngoals: [{{rows: pane, at_least: 1}}]'
    assert len(shown(entry(folder, TITLE, words))) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("size: 5s", "size: 5001ms"),
        ("allowed_lateness: 2s", "allowed_lateness: 2001ms"),
        ("value: 16", "value: 17"),
        ("{watermark: 6998}", "{watermark: 6997}"),
        ("ts: 1500", "ts: 1501"),
        ("  - {end: true}\n", ""),
    ],
)
def test_one_changed_number_removes_the_badge(folder: Path, old: str, new: str) -> None:
    assert shown(entry(folder)) != []
    assert shown(entry(folder, old, new)) == []
    assert shown(entry(folder)) != [], "undoing the edit restores the badge"


def test_rows_that_differ_are_not_hidden(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    golden = tmp_path / "golden"
    golden.mkdir()
    for suffix in (".yaml", ".jsonl"):
        shutil.copy(GOLDEN / f"{STEM}{suffix}", golden)
    rows = (golden / f"{STEM}.jsonl").read_text(encoding="utf-8")
    (golden / f"{STEM}.jsonl").write_text(rows.replace('"value": 7', '"value": 70', 1), encoding="utf-8")
    monkeypatch.setattr(badges, "GOLDEN", golden)
    monkeypatch.setattr(payload_badges, "GOLDEN", golden)
    (badge,) = shown(entry(folder))
    assert (badge["good"], badge["label"]) == (False, "Flink 2.3.0 · 3 of 4 panes")
    differing = [row["cells"] for row in badge["difference"]["rows"] if row["differs"]]
    assert differing == [["value", "7", "70"]]


def test_a_copy_without_tests_has_no_badge(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(badges, "GOLDEN", tmp_path / "tests" / "golden")
    monkeypatch.setattr(payload_badges, "GOLDEN", tmp_path / "tests" / "golden")
    assert shown(entry(folder)) == []


def test_a_truncated_run_is_compared_in_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The walkthrough shows only the first items; the badge is about all of them."""
    monkeypatch.setattr(walkable, "WALK_STEPS", 20)
    twin = entry(folder)
    assert twin.scenario is not None
    assert len(walkable.shortened(twin.scenario).stream) < len(twin.scenario.stream)
    assert shown(twin)[0]["label"] == "Flink 2.3.0 · 4 of 4 panes"


def test_a_readers_own_file_has_a_badge_only_while_unedited(folder: Path) -> None:
    text = (GOLDEN / f"{STEM}.yaml").read_text(encoding="utf-8")
    assert [each["label"] for each in shown(links.of_file("mine.yaml", text).entry)] == ["Flink 2.3.0 · 4 of 4 panes"]
    assert shown(links.of_file("mine.yaml", text.replace("size: 5s", "size: 5001ms")).entry) == []


# --- Spark --------------------------------------------------------------------------------------------------------


def test_a_spark_badge_belongs_only_to_the_run_that_was_checked(folder: Path) -> None:
    assert [each["engine"] for each in shown(entry(folder))] == ["flink"]
    spark_checks.remember(load(entry(folder).path), spark_report())
    flink_badge, spark_badge = shown(entry(folder))
    assert (flink_badge["engine"], spark_badge["good"]) == ("flink", True)
    assert spark_badge["label"] == f"Spark {spark_checks.spark_version()} · 4 of 4 panes"
    assert spark_badge["link"]["scenario"] == "twin"
    assert shown(entry(folder, "size: 5s", "size: 5001ms")) == []


def test_a_badge_says_when_spark_differs(folder: Path) -> None:
    spark_checks.remember(load(entry(folder).path), spark_report(equal=False))
    _, badge = shown(entry(folder))
    assert (badge["good"], badge["short"].rpartition(" · ")[2]) == (False, "3 of 4")
    assert [row["cells"] for row in badge["difference"]["rows"] if row["differs"]] == [["value", "7", "8"]]


def test_a_new_check_reaches_the_walkthrough_without_a_restart(folder: Path) -> None:
    def sent(of: Entry) -> list[str]:
        contents = json.loads(gzip.decompress(packed(of, of.name, of.stamp, choices_of([of]))[0]))
        return [each["engine"] for each in contents["badges"]]

    assert sent(entry(folder)) == ["flink"]
    spark_checks.remember(load(entry(folder).path), spark_report())
    assert sent(entry(folder)) == ["flink", "spark"]
    for file in spark_checks.FOLDER.iterdir():
        file.write_text("{")
    assert sent(entry(folder)) == ["flink"]


# --- the library --------------------------------------------------------------------------------------------------


def test_a_card_names_the_engines_with_the_same_rows(folder: Path) -> None:
    entry(folder)
    entry(folder, "size: 5s", "size: 5001ms", name="edited")
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.run()
    app.switch_page("ui/pages/library.py").run()
    (sent,) = [
        each.proto for each in app.get("bidi_component") if each.proto.component_name.endswith("tidemark_library")
    ]
    proofs = {card["name"]: card["proofs"] for card in json.loads(sent.json)["cards"]}
    tick = "Flink 2.3.0: 4 of 4 panes match"
    assert proofs == {"twin": [{"name": "Flink", "good": True, "tick": tick}], "edited": []}
