"""Durations and instants: what is read, what is refused, and that writing and reading are inverse."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.values.duration import (
    InstantError,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
)
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.format.kinds import ABBREVIATIONS, is_zone, near_zone
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words.tags import canonical, is_tag, language_for, suited, text_for

DURATIONS = {
    "200ms": 200,
    "5s": 5_000,
    "1m30s": 90_000,
    "2h": 7_200_000,
    "1d": 86_400_000,
    "-8h": -28_800_000,
    "1d2h3m4s5ms": 93_784_005,
    "1m5ms": 60_005,
    "0s": 0,
    "-0ms": 0,
    "007s": 7_000,
}


@pytest.mark.parametrize(("text", "milliseconds"), DURATIONS.items())
def test_a_duration_is_whole_numbers_with_units(text: str, milliseconds: int) -> None:
    assert parse_duration(text) == milliseconds


@pytest.mark.parametrize(
    "text", ["", "-", "5", "s", "1.5s", "1s1m", "1s1s", "1 s", " 1s", "+5s", "5S", "--5s", "1m-5s", "٥s", "1s\n", "1us"]
)
def test_other_texts_are_not_durations(text: str) -> None:
    assert parse_duration(text) is None


@given(st.integers(MIN, MAX))
def test_a_written_duration_reads_back(milliseconds: int) -> None:
    assert parse_duration(format_duration(milliseconds)) == milliseconds


INSTANTS = {
    "1970-01-01T00:00:00Z": 0,
    "2017-01-20T06:15:13Z": 1_484_892_913_000,
    "2017-01-20T06:15:13.250+08:00": 1_484_864_113_250,
    "2017-01-20T06:15Z": 1_484_892_900_000,
    "2017-01-20T06:15:13.25Z": 1_484_892_913_250,
    "2017-01-20T06:15:13.250000Z": 1_484_892_913_250,
    "1969-12-31T23:59:59.999Z": -1,
    "2024-02-29T00:00:00Z": 1_709_164_800_000,
}


@pytest.mark.parametrize(("text", "milliseconds"), INSTANTS.items())
def test_an_instant_has_a_date_a_time_and_a_zone(text: str, milliseconds: int) -> None:
    assert parse_instant(text) == milliseconds


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2017-01-20T06:15:13", "no_zone"),
        ("2017-01-20T06:15:13.2501Z", "too_fine"),
        ("2017-02-29T00:00:00Z", "no_such_instant"),
        ("1900-02-29T00:00:00Z", "no_such_instant"),
        ("2017-13-01T00:00:00Z", "no_such_instant"),
        ("2017-00-01T00:00:00Z", "no_such_instant"),
        ("2017-01-01T24:00:00Z", "no_such_instant"),
        ("2017-01-01T00:00:60Z", "no_such_instant"),
        ("2017-01-01T00:00:00+99:00", "no_such_instant"),
    ],
)
def test_an_impossible_instant_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(InstantError) as refusal:
        parse_instant(text)
    assert refusal.value.reason == reason


@pytest.mark.parametrize("text", ["", "2017-01-20", "20170120T061513Z", "2017-01-20 06:15:13Z", "now"])
def test_other_texts_are_not_instants(text: str) -> None:
    assert parse_instant(text) is None


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001 - the zone is added below
def test_the_calendar_agrees_with_the_standard_library(moment: datetime) -> None:
    moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000, tzinfo=UTC)
    milliseconds = (moment - EPOCH) // timedelta(milliseconds=1)
    assert parse_instant(moment.isoformat(timespec="milliseconds")) == milliseconds
    assert parse_instant(format_instant(milliseconds)) == milliseconds


@given(st.integers(MIN, MAX))
def test_every_time_can_be_written(milliseconds: int) -> None:
    written = format_instant(milliseconds)
    assert written == str(milliseconds) or parse_instant(written) == milliseconds


# Names that are no time zones: the zone that was probably meant, and none where that would be a guess.


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


# Language tags: which are well-formed, and which of several languages suits a reader.

WELL_FORMED = "en zh de pt-BR zh-Hant zh-Hant-TW sr-Latn-RS es-419 de-CH-1996 sl-rozaj-biske zh-cmn-Hans-CN en-x-us"
MALFORMED = ["", "e", "german", "en_US", "en-", "-en", "pt BR", "zh-Hant-", "12", "de-" + "x" * 40]


@pytest.mark.parametrize("tag", WELL_FORMED.split())
def test_a_well_formed_tag_may_name_a_language(tag: str) -> None:
    assert is_tag(tag)
    assert canonical(tag.upper()) == tag


@pytest.mark.parametrize(
    "text", ["", "e", "german", "en_US", "en-", "-en", "pt BR", "zh-Hant-", "12", "de-" + "x" * 40]
)
def test_anything_else_does_not(text: str) -> None:
    assert not is_tag(text)


@pytest.mark.parametrize(
    ("wanted", "languages", "found"),
    [
        ("zh-Hant", ["en", "zh", "zh-Hant"], "zh-Hant"),
        ("zh-Hant", ["en", "zh"], "zh"),
        ("zh-Hant", ["de", "en"], "en"),
        ("pt", ["en", "pt-BR", "pt-PT"], "pt-BR"),
        ("pt-br", ["en", "pt-BR"], "pt-BR"),
        ("fr", ["de", "zh"], "de"),
    ],
)
def test_a_reader_gets_the_nearest_language(wanted: str, languages: list[str], found: str) -> None:
    assert language_for(wanted, languages) == found
    assert text_for(wanted, {each: each.upper() for each in languages}) == found.upper()


def test_no_language_suits_a_reader_of_another_one() -> None:
    assert suited("fr", ["en", "de"]) is None


def test_a_file_names_the_language_of_its_texts() -> None:
    text = """scenario: 1
name: erzählt
language: de
title: Ein Fenster
summary: {de: Es wartet., en: It waits., pt-BR: Ela espera.}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{ts: 1s, key: a, value: 1}, {end: true}]
""".replace("erzählt", "erzaehlt")
    scenario = parse(text)
    assert scenario.title == {"de": "Ein Fenster"}
    assert scenario.summary == {"de": "Es wartet.", "en": "It waits.", "pt-BR": "Ela espera."}
    assert parse(as_yaml(scenario)) == scenario
