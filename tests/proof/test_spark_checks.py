"""Stored Spark checks: found again for exactly the same run, ignored if anything about them differs."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.proof.spark_checks import recall, remember
from tidemark.simulator.scenario import load, model
from tidemark.simulator.scenario.identity import digest_of

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = load(ROOT / "scenarios" / "late-but-allowed.yaml")
GENERATED = load(ROOT / "scenarios" / "three-hundred.yaml")
PANE = {"row": "pane", "key": "a", "value": 1, "item": 3}


def report(**changes: Any) -> Any:
    """The report of a Spark check, as far as it is stored."""
    counts = {"simulator": {"pane": 7, "dropped": 1}, "spark": {"pane": 7, "dropped": 1}}
    fields = {
        "engine": "batch",
        "events": 12,
        "differing": 0,
        "differences": (),
        "counts": counts,
        "java_version": "21",
    }
    return SimpleNamespace(**fields | {"spark_version": spark_checks.spark_version()} | changes)


def difference(simulator: Any, spark: Any) -> Any:
    return SimpleNamespace(simulator=simulator, spark=spark)


def test_a_check_is_found_again(tmp_path: Path) -> None:
    remember(SCENARIO, report(), tmp_path)
    kept = recall(digest_of(SCENARIO), tmp_path)
    assert kept is not None
    assert kept.comparison.same
    assert (kept.comparison.unit, kept.comparison.equal, kept.comparison.total, kept.comparison.rows) == (
        "panes",
        7,
        7,
        8,
    )
    assert (kept.name, kept.engine, kept.events, kept.java) == ("late-but-allowed", "batch", 12, "21")


def test_only_for_the_same_run(tmp_path: Path) -> None:
    remember(SCENARIO, report(), tmp_path)
    edited = replace(SCENARIO, operator=replace(SCENARIO.operator, allowed_lateness=3001))
    assert recall(digest_of(edited), tmp_path) is None
    assert recall(digest_of(replace(SCENARIO, name="renamed")), tmp_path) is not None


def test_more_records_than_in_the_file_make_another_run(tmp_path: Path) -> None:
    remember(GENERATED, report(events=20_000), tmp_path)
    assert recall(digest_of(GENERATED), tmp_path) is None
    assert isinstance(GENERATED.stream, model.Generated)
    checked = replace(GENERATED, stream=replace(GENERATED.stream, events=20_000))
    assert recall(digest_of(checked), tmp_path) is not None


@pytest.mark.parametrize("changed", ["code_digest", "spark_version"])
def test_only_for_the_same_code_and_spark(changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(SCENARIO, report(), tmp_path)
    monkeypatch.setattr(spark_checks, changed, lambda: "another")
    assert recall(digest_of(SCENARIO), tmp_path) is None


def test_only_with_the_same_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(SCENARIO, report(), tmp_path)
    monkeypatch.setattr(spark_checks.platform, "python_version", lambda: "3.99.0")
    assert recall(digest_of(SCENARIO), tmp_path) is None


def test_a_difference_is_stored_with_its_rows(tmp_path: Path) -> None:
    found = (difference(PANE, PANE | {"value": 2}),)
    remember(SCENARIO, report(differing=1, differences=found), tmp_path)
    kept = recall(digest_of(SCENARIO), tmp_path)
    assert kept is not None
    assert (kept.comparison.equal, kept.comparison.total, kept.comparison.same) == (6, 7, False)
    assert kept.comparison.first == (PANE, PANE | {"value": 2})


def test_with_more_differences_than_are_listed_rows_are_counted(tmp_path: Path) -> None:
    remember(SCENARIO, report(differing=5, differences=(difference(PANE, None),)), tmp_path)
    kept = recall(digest_of(SCENARIO), tmp_path)
    assert kept is not None
    assert (kept.comparison.unit, kept.comparison.equal, kept.comparison.total) == ("rows", 3, 8)


def test_a_newer_check_replaces_the_older(tmp_path: Path) -> None:
    remember(SCENARIO, report(differing=1, differences=(difference(PANE, None),)), tmp_path)
    remember(SCENARIO, report(), tmp_path)
    kept = recall(digest_of(SCENARIO), tmp_path)
    assert kept is not None
    assert kept.comparison.same
    assert len(list(tmp_path.iterdir())) == 1


def broken(text: str, way: str) -> str:
    """A stored check, damaged in one of several ways."""
    found = json.loads(text)
    ways: dict[str, Any] = {
        "cut": text[: len(text) // 2],
        "empty": "",
        "list": "[]",
        "less": {name: value for name, value in found.items() if name != "when"},
        "other": found | {"scenario": "0" * 64},
        "time": found | {"when": "yesterday"},
        "number": found | {"comparison": found["comparison"] | {"equal": "7"}},
        "minus": found | {"comparison": found["comparison"] | {"equal": -1}},
        "unit": found | {"comparison": found["comparison"] | {"unit": 7}},
        "strange": found | {"comparison": found["comparison"] | {"unit": "bananas"}},
        "first": found | {"comparison": found["comparison"] | {"first": [1, 2]}},
        "flat": found | {"comparison": 7},
        "huge": found | {"when": found["when"] + " " * 2_000_000},
        "bytes": "\udcff",
    }
    made = ways[way]
    return made if isinstance(made, str) else json.dumps(made)


WAYS = (
    "cut", "empty", "list", "less", "other", "time", "number", "minus", "unit", "strange", "first", "flat", "huge",
    "bytes",
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_or_foreign_file_is_ignored(way: str, tmp_path: Path) -> None:
    remember(SCENARIO, report(), tmp_path)
    (file,) = tmp_path.iterdir()
    file.write_text(broken(file.read_text(), way), errors="surrogateescape")
    assert recall(digest_of(SCENARIO), tmp_path) is None


def test_an_unwritable_folder_is_not_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    remember(SCENARIO, report(), blocked / "checks")
    assert recall(digest_of(SCENARIO), blocked / "checks") is None


def test_the_digest_covers_the_code_of_both_sides_but_not_texts(tmp_path: Path) -> None:
    def digest(**files: str) -> str:
        spark_checks.code_digest.cache_clear()
        for name, text in {
            "simulator/engine/values/a.py": "1",
            "spark_bridge/b.py": "2",
            "simulator/words/c.py": "3",
            **files,
        }.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return spark_checks.code_digest(tmp_path)

    before = digest()
    assert digest(**{"simulator/words/c.py": "4"}) == before
    assert digest(**{"simulator/engine/values/a.py": "5"}) != before
    assert digest(**{"spark_bridge/b.py": "5"}) != before
    spark_checks.code_digest.cache_clear()
