"""Language tags: which are well-formed, and which of several languages suits a reader."""

import pytest
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words.tags import canonical, is_tag, language_for, suited, text_for

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
