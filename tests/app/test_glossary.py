"""The glossary: a sentence for every mark of the legend, in every language, and names that no two terms share."""

import pytest
from tidemark.simulator.words import section


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_mark_of_the_legend_is_explained(language: str) -> None:
    explained = section("player.glossary.marks", language=language)
    shown = {kind for kind in section("player.marks", language=language) if not kind.startswith("view_")}
    assert shown == set(explained)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_name_means_one_thing(language: str) -> None:
    terms = section("player.glossary.terms", language=language).values()
    names = [name for term in terms for name in term["names"].split("|")]
    assert len(names) == len(set(names))


def test_the_languages_explain_the_same_terms() -> None:
    english, chinese = (set(section("player.glossary.terms", language=language)) for language in ("en", "zh"))
    assert english == chinese
