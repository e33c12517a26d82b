"""Badges are true: they refer to exactly the scenario that was recorded or checked, and an edit removes them."""

import gzip
import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator.proof import recordings, spark_checks
from tidemark.simulator.scenario import load
from tidemark.simulator.timeline.wording import CLOCK, TimeFormat
from tidemark.ui import catalogue
from tidemark.ui.catalogue import Entry, library, walkable
from tidemark.ui.payload import badges
from tidemark.ui.payload import badges as payload_badges
from tidemark.ui.payload.badges import badges_of
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.share import links
from tidemark.ui.spark import views
from tidemark.ui.spark.html import lateness
from tidemark.ui.spark.jobs import Asked, Difference, Job, Result
from tidemark.ui.spark.views import Small, agreed, rows
from tidemark.ui.spark.views import small as small_of

from tidemark import simulator

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
    assert (badge["engine"], badge["good"], badge["label"]) == ("flink", True, "Same as real Flink (4 of 4 results)")
    assert ["Recorded rows", f"{STEM}.jsonl"] in badge["facts"]
    assert badge["difference"] is None


def test_one_result_is_written_in_the_singular(folder: Path) -> None:
    file = ROOT / "scenarios" / "car-trace.yaml"
    for each in (file, file.with_name(f"car-trace{recordings.BESIDE}")):
        shutil.copy(each, folder)
    (badge,) = shown(library(folder)[0])
    assert badge["head"] == "Flink 2.3.0: 1 of 1 record matches"
    assert badge["spoken"] == "Flink 2.3.0: 1 of 1 record matches. What was compared"
    assert badge["label"] == "Same as real Flink (1 of 1 record)"


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
    assert (badge["good"], badge["label"]) == (False, "Flink 2.3.0 differs (3 of 4 results)")
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
    assert shown(twin)[0]["label"] == "Same as real Flink (4 of 4 results)"


def test_a_readers_own_file_has_a_badge_only_while_unedited(folder: Path) -> None:
    text = (GOLDEN / f"{STEM}.yaml").read_text(encoding="utf-8")
    assert [each["label"] for each in shown(links.of_file("mine.yaml", text).entry)] == [
        "Same as real Flink (4 of 4 results)"
    ]
    assert shown(links.of_file("mine.yaml", text.replace("size: 5s", "size: 5001ms")).entry) == []


# --- Spark --------------------------------------------------------------------------------------------------------


def test_a_spark_badge_belongs_only_to_the_run_that_was_checked(folder: Path) -> None:
    assert [each["engine"] for each in shown(entry(folder))] == ["flink"]
    spark_checks.remember(load(entry(folder).path), spark_report())
    flink_badge, spark_badge = shown(entry(folder))
    assert (flink_badge["engine"], spark_badge["good"]) == ("flink", True)
    assert spark_badge["label"] == "Same as real Spark (4 of 4 results)"
    assert spark_badge["link"]["scenario"] == "twin"
    assert shown(entry(folder, "size: 5s", "size: 5001ms")) == []


def test_a_badge_says_when_spark_differs(folder: Path) -> None:
    spark_checks.remember(load(entry(folder).path), spark_report(equal=False))
    _, badge = shown(entry(folder))
    assert (badge["good"], badge["short"].endswith("differs (3 of 4)")) == (False, True)
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
    tick = "Flink 2.3.0: 4 of 4 results match"
    assert proofs == {"twin": [{"name": "Flink", "good": True, "tick": tick}], "edited": []}


# The rows of a check side by side: rows count as equal only for the very run that was checked.

ROWS = tuple({"row": "pane", "key": key, "value": value} for key, value in (("a", 1), ("b", 2), ("b", 2)))
OTHER = {"row": "watermark", "ts": 4}


def small() -> Small:
    return Small((*ROWS[:1], OTHER, *ROWS[1:]), {}, {}, ())


def result(panes: int, differing: int, *differences: Difference) -> Result:
    counts = {"simulator": {"pane": panes, "dropped": 0}, "spark": {"pane": panes}}
    return Result("batch", "native", 3, panes, differing, 1.0, "4", "17", counts, differences)


def equal_rows(of: Result) -> list[Any]:
    return list(agreed(of, small()))


def test_all_rows_of_an_equal_run_are_equal() -> None:
    assert equal_rows(result(3, 0)) == list(ROWS)


def test_rows_that_differ_are_left_out() -> None:
    differing = Difference(ROWS[1], {**ROWS[1], "value": 3}, ("value",))
    assert equal_rows(result(3, 1, differing)) == [ROWS[0], ROWS[2]]


def test_no_row_counts_as_equal_if_differences_are_unknown_or_the_run_is_another() -> None:
    assert equal_rows(result(3, 7, Difference(ROWS[1], None, ()))) == []
    assert equal_rows(result(4, 0)) == []
    assert list(agreed(result(3, 0), None)) == []


def test_records_without_event_time_are_called_neither_late_nor_on_time() -> None:
    assert "no timestamp" in lateness({"delays": (), "delay_width": 1}, 2, (), 2)
    assert "<b>2</b> ahead" in lateness({"delays": ((0, 3, 1, 0),), "delay_width": 1}, 5, (), 5)


def test_a_record_behind_the_watermark_does_not_look_like_a_late_one() -> None:
    """Such a record may still be on time for its window, so it does not have the mark of a fate."""
    shown = lateness({"delays": ((0, 6, 3, 1),), "delay_width": 1}, 6, (), 6)
    assert "<i class='tm-fate tm-behind'></i><b>2</b> behind it" in shown
    assert "tm-late" not in shown
    assert "tm-on-time" not in shown


def job(state: str = "done", found: Result | None = None, fault: str | None = None) -> Job:
    asked = Asked("tiny", "Tiny", ("scenario", "tiny"), fault=fault)
    made = Job("1a2b", asked, datetime(2026, 1, 1, tzinfo=UTC), state=state)
    made.result = found
    made.stages = {"session": [0.0, 1.0], "spark": [1.0, None]}
    return made


DIFFERING = result(3, 1, Difference(ROWS[1], {**ROWS[1], "value": 3}, ("value",)))


def everything(of: Job) -> str:
    """The verdict, the stages, the run in the list, and the rows of a run that completed."""
    shown = [views.verdict(of, 0), views.progress(of, ("session", "spark")), views.earlier([of], of, 0)]
    return "".join([*shown, rows(of, None, TimeStyle(TimeFormat(CLOCK, UTC, None)))] if of.result else shown)


def test_finding_a_planted_fault_is_not_a_failure() -> None:
    planted = job(found=DIFFERING, fault="less")
    planted.stages["spark"][1] = 2.0
    shown = everything(planted)
    assert "<h1 aria-live='polite'>The planted fault (a value 1 too low) was found: 1 of 3 rows</h1>" in shown
    assert "with a planted fault: a value 1 too low" in shown
    assert shown.count("tm-planted") == 3
    assert "tm-no" not in shown
    assert "tm-bad" not in shown
    assert "1 row differs" in views.verdict(job(found=DIFFERING), 0)
    assert "tm-no" in views.verdict(job(found=DIFFERING), 0)


@pytest.mark.parametrize("state", ["cancelled", "interrupted"])
def test_a_stopped_run_is_neither_equal_nor_different(state: str) -> None:
    shown = everything(job(state))
    assert shown.count("tm-stopped") == 3
    assert "tm-no" not in shown
    assert "tm-bad" not in shown
    assert "tm-no" in everything(job("failed"))


def test_heading_and_list_call_rows_of_every_kind_rows() -> None:
    found = replace(result(7, 0), counts={side: {"pane": 7, "dropped": 1} for side in ("simulator", "spark")})
    shown = views.verdict(job(found=found), 0) + views.earlier([job(found=found)], job(), 0)
    assert "8 of 8 rows match" in shown
    assert "all 8 rows match" in shown
    assert "panes" not in shown


def test_a_rate_is_shown_only_for_thousands_of_records() -> None:
    assert "records a second" not in views.verdict(job(found=result(3, 0)), 0)
    large = job(found=replace(result(3, 0), events=5_000))
    large.took = 2.5
    assert "2\N{NARROW NO-BREAK SPACE}000 records a second" in views.verdict(large, 0)


def test_heading_progress_and_list_agree_on_the_time_even_after_waiting_for_spark() -> None:
    waited = job(found=replace(result(3, 0), seconds=2.5))
    waited.took = 16.1
    for shown in (views.verdict(waited, 0), views.progress(waited, ["session"]), views.earlier([waited], waited, 0)):
        assert "16.1 s" in shown
        assert "2.5 s" not in shown


def test_the_first_start_of_spark_is_shown_while_it_lasts() -> None:
    running = job("running")
    running.stages = {"session": [0.0, None]}
    assert "10 to 40 s" in views.progress(running, ("session", "spark"))
    running.stages = {"session": [0.0, 0.1], "spark": [0.1, None]}
    assert "10 to 40 s" not in views.progress(running, ("session", "spark"))


def test_rows_that_a_restore_withdraws_are_not_shown() -> None:
    """Every remaining row has its step: that of the run that counts."""
    file = Path(__file__).parents[2] / "scenarios" / "replayed-by-the-clock.yaml"
    scenario = load(file)
    found = small_of(Entry(scenario.name, file, "withdrawn", scenario))
    assert [dict(row) for row in found.rows] == simulator.run_rows(scenario)
    first, second = (found.step_of(row, None) or -1 for row in found.rows)
    assert 0 <= first < second
