"""The Compare page between two versions of Flink: the rules that differ, and what a side takes back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tidemark.simulator.engine.values.versions import NEWEST
from tidemark.simulator.scenario import load
from tidemark.ui.compare.choice import Choice, with_known
from tidemark.ui.compare.contents import contents
from tidemark.ui.compare.desk import telling

ROOT = Path(__file__).resolve().parents[2]


def between(name: str, flink: str | None = None) -> dict[str, Any]:
    """A scenario of the library beside itself by the rules of ``flink``, or of what the page finds first."""
    scenario = load(ROOT / "scenarios" / f"{name}.yaml")
    choice = Choice(name, flink=flink) if flink else telling(Choice(name), scenario)
    return contents(choice, scenario, scenario, {})


def test_a_scenario_of_an_older_version_stands_beside_the_newest_with_the_rule_between_them() -> None:
    comparison = between("the-first-row-taken-back")
    assert comparison["address"] == {"scenario": "the-first-row-taken-back", "flink": NEWEST}
    assert comparison["about"] == "the same 2 records by the rules of Flink 2.0 (A) and Flink 2.3 (B), one cursor"
    assert comparison["versions"]["names"] == ["2.0", NEWEST]
    (rule,) = comparison["versions"]["rules"]
    assert (rule["ticket"], rule["rows"]) == ("FLINK-37005", 3)
    assert comparison["differing"] == 3
    found = [(row["left"] and row["left"]["withdrawn"], row["text"]) for row in comparison["rows"]]
    assert (True, "only in A: a retraction") in found


def test_one_record_is_not_counted_in_the_plural() -> None:
    scenario = load(ROOT / "scenarios" / "the-first-row-taken-back.yaml")
    lone = replace(scenario, stream=scenario.stream[:1])
    comparison = contents(Choice(scenario.name, flink=NEWEST), lone, lone, {})
    assert comparison["about"] == "the same record by the rules of Flink 2.0 (A) and Flink 2.3 (B), one cursor"


def test_between_two_versions_only_rules_are_named_that_can_show() -> None:
    assert between("late-but-allowed", "1.18")["versions"] == {"names": [NEWEST, "1.18"], "rules": []}
    (rule,) = between("a-glance-each-second", "1.19")["versions"]["rules"]
    assert (rule["ticket"], rule["rows"]) == ("FLINK-35069", 0), "it can show, but not on these records"
    assert between("the-first-row-taken-back", "1.20")["versions"]["rules"] == []


def test_a_version_without_what_side_b_has_is_refused_and_its_own_is_none() -> None:
    name = "sessions-that-overlap"
    scenario = load(ROOT / "scenarios" / f"{name}.yaml")
    choice, (error,) = with_known(Choice(name, flink="1.18"), {"a": scenario, "b": scenario})
    assert choice == Choice(name)
    assert error.message.startswith(
        "Side B cannot run by the rules of Flink 1.18: Flink has sessions as a window table"
    )
    assert with_known(Choice(name, flink=NEWEST), {"a": scenario, "b": scenario}) == (Choice(name), [])
