"""Names that are no time zones: the zone that was probably meant, and none where that would be a guess."""

from zoneinfo import ZoneInfo

import pytest
from tidemark.simulator.scenario.format.zones import ABBREVIATIONS, is_zone, near_zone


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("PST", "America/Los_Angeles"),
        ("edt", "America/New_York"),
        ("BST", "Europe/London"),
        ("CEST", "CET"),
        ("Europe/Berln", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("Berlin", "Europe/Berlin"),
        ("Los Angeles", "America/Los_Angeles"),
        ("America/LosAngeles", "America/Los_Angeles"),
        ("Asia/Beijing", "Asia/Shanghai"),
        ("Shangai", "Asia/Shanghai"),
        ("UTC+8", "Etc/GMT-8"),
        ("-05:00", "Etc/GMT+5"),
        ("gmt-0", "UTC"),
    ],
)
def test_a_name_that_is_no_zone_leads_to_the_one_that_was_meant(typed: str, meant: str) -> None:
    assert near_zone(typed) == meant
    assert is_zone(meant)


@pytest.mark.parametrize("typed", ["IST", "CST", "AST", "ABCT", "+05:30", "UTC+15", "Mars/Olympus", "x" * 300, ""])
def test_nothing_is_guessed(typed: str) -> None:
    assert near_zone(typed) is None


def test_an_abbreviation_is_no_zone_and_leads_to_one() -> None:
    for zone in ABBREVIATIONS.values():
        assert ZoneInfo(zone).key == zone
