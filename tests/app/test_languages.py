"""Two languages: every text exists in both, readers see only their own, and two readers do not interfere."""

import gzip
import importlib
import json
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Formatter
from threading import Barrier, Thread
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import LANGUAGES, catalogue, current_language, section, speak, speaking, words
from tidemark.ui.catalogue import Entry, library
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.compare.choice import choice_of
from tidemark.ui.compare.contents import contents
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.server.tags import COOKIE
from tidemark.ui.share.page import shell

from tests.timeline.in_words import in_words

ROOT = Path(__file__).resolve().parents[2]

SAME = {
    *(f"player.glossary.terms.{name}.names" for name in section("player.glossary.terms") if name.startswith("code-")),
    "player.page_title",
    "player.code_out.flink-java",
    "player.code_out.pyflink-sql",
    "player.code_out.pyspark",
    "player.code_out.columns.flink-java",
    "player.code_out.columns.pyflink-sql",
    "player.code_out.columns.pyspark",
    "own_page.download_json",
    "player.glossary.terms.current-watermark.names",
    "own_page.engines.flink_sql",
    "own_page.engines.spark",
    "app.name",
    "author.sql.text",
    "author.text.title",
    "sql.records.row",
    "pages.library.kinds.co-group",
    "pages.spark.columns.spark",
    "pages.sql.name",
    "pages.sql.text",
    "pages.sql.title",
    "pages.symptoms.code.sql",
    "player.find.placeholder",
    "problems.wanted.true",
}
"""Texts that are names, or are written as in a file: the same in every language."""

CHINESE = re.compile("[\u2e80-\u9fff\uff00-\uffef]")
ENGLISH = re.compile(r"[A-Za-z]{2,}(?: [a-z]{2,})+")
"""Two consecutive English words."""

OF_EACH_KIND = (
    "late-but-allowed", "session-bridge", "interval-join-keeps", "outer-join-waits", "car-trace",
    "early-on-time-late", "restart-forgets-the-watermark", "replayed-by-the-clock", "spark-one-batch-behind",
)  # fmt: skip

NOT_WORDS = frozenset(
    {"code", "spec", "library", "title", "name", "place", "predicate", "lines", "rule", "places", "event", "fields"}
)
"""Members of a payload that hold code, names of the engine, or texts by the author of the scenario."""


def texts_of(table: Mapping[str, Any], at: str = "") -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from texts_of(value, f"{at}{name}.")
        else:
            yield f"{at}{name}", value


TEXTS = {language: dict(texts_of(catalogue(language))) for language in LANGUAGES}


def fields_of(text: str) -> set[str]:
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError:  # an unmatched brace: the text has no fields
        return set()


def test_both_languages_have_the_same_texts_with_the_same_fields() -> None:
    english, chinese = TEXTS["en"], TEXTS["zh"]
    assert sorted(english.keys() - chinese.keys()) == [], "not in simulator/words/zh"
    assert sorted(chinese.keys() - english.keys()) == [], "in simulator/words/zh alone"
    assert [name for name in english if fields_of(english[name]) != fields_of(chinese[name])] == []


def has_words(text: str) -> bool:
    return re.search("[A-Za-z]{2}", re.sub(r"\{\w*\}", "", text)) is not None


def test_no_text_is_left_in_the_other_language() -> None:
    english, chinese = TEXTS["en"], TEXTS["zh"]
    worded = [name for name in english if has_words(english[name]) and name not in SAME]
    assert [name for name in worded if chinese[name] == english[name]] == []
    assert [name for name in worded if has_words(chinese[name]) and not CHINESE.search(chinese[name])] == []
    assert [name for name in english if CHINESE.search(english[name])] == []


def strings(part: Any, name: str = "") -> Iterator[str]:
    """Every text of a payload, or of a part of one, that a reader may see."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Mapping):
        for key, each in part.items():
            if key not in NOT_WORDS:
                yield from strings(each, str(key))
    elif isinstance(part, list | tuple):
        for each in part:
            yield from strings(each, name)


def left_in_english(shown: dict[str, Any], scenario: Scenario) -> set[str]:
    """English texts in ``shown``, without names and without values of the scenario's records."""
    records = [item for item in items(scenario) if isinstance(item, Record)]
    known = {str(record.value) for record in records} | {f"{record.key} {record.value}" for record in records}
    known |= {TEXTS["en"][name] for name in SAME}
    return {text for text in strings(shown) if ENGLISH.search(text) and not CHINESE.search(text)} - known


def without_the_authors_own(shown: dict[str, Any]) -> dict[str, Any]:
    """Without what is English in every language: an author's own texts, and the query as code."""
    query = {"query": shown["query"]["forms"]["sentence"]}
    return {**shown, **query, "beats": [beat for beat in shown["beats"] if "until" in beat]}


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_a_walkthrough_has_no_english_sentence(name: str) -> None:
    scenario = scenarios.load(ROOT / "scenarios" / f"{name}.yaml")
    with speaking("zh"):
        shown = without_the_authors_own(payload(scenario, predict=True))
    assert left_in_english(shown, scenario) == set()
    assert any(CHINESE.search(row["what"]) for row in in_words(timeline.build(*walked(scenario)), language="zh"))


@pytest.mark.parametrize("query", [{}, {"belief": "reaches-the-end"}, {"b.bound": "5000"}, {"spark": "3"}])
def test_a_comparison_has_no_english_sentence(query: dict[str, str]) -> None:
    scenario = scenarios.load(ROOT / "scenarios" / "late-and-dropped.yaml")
    choice = choice_of({"scenario": "late-and-dropped", **query}, "late-and-dropped")
    with speaking("zh"):
        shown = contents(choice, scenario, scenario, {"sweep": "bound"})
    assert left_in_english(shown, scenario) == set()


def test_a_scenario_is_cached_for_each_language() -> None:
    path = ROOT / "scenarios" / "two-clocks.yaml"
    entry = Entry(path.stem, path, "for each language", scenarios.load(path))

    def opened(language: str) -> dict[str, Any]:
        with speaking(language):
            return json.loads(gzip.decompress(packed(entry, entry.name, entry.stamp, choices_of([entry]))[0]))

    first, chinese, again = opened("en"), opened("zh"), opened("en")
    assert first == again
    assert (first["words"]["play"], chinese["words"]["play"]) == (words("player.play"), TEXTS["zh"]["player.play"])
    assert CHINESE.search(chinese["about"])
    with speaking("zh"):
        assert '<html lang="zh-Hans">' in shell()


def test_a_problem_of_a_file_is_reported_in_the_readers_language(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("scenario: 1\nname: broken\noperator: {type: windo}\nstream: []\n")
    (tmp_path / "lessons.toml").write_text("lessons = 1\n")
    shown = {}
    for language in ("en", "zh", "en"):
        with speaking(language):
            shown[language] = library(tmp_path)[0].problem
    assert not CHINESE.search(shown["en"])
    assert CHINESE.search(shown["zh"])


def test_two_languages_at_once_do_not_interfere() -> None:
    begin, heard = Barrier(2), {}

    def reader(language: str) -> None:
        speak(language)
        begin.wait()
        heard[language] = {words("player.play") for _ in range(2_000)}

    threads = [Thread(target=reader, args=(language,)) for language in LANGUAGES]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == {language: {TEXTS[language]["player.play"]} for language in LANGUAGES}
    assert current_language() == "en", "the language of another thread has not changed"


def test_a_missing_text_falls_back_to_english(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"en": {"a": {"here": "here", "gone": "gone"}}, "zh": {"a": {"here": "这里"}}}
    module = importlib.import_module("tidemark.simulator.words")
    monkeypatch.setattr(module, "catalogue", known.__getitem__)
    module._texts.cache_clear()
    try:
        assert [words(f"a.{name}", language="zh") for name in ("here", "gone")] == ["这里", "gone"]
    finally:
        module._texts.cache_clear()


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(ValueError, match="klingon"):
        speak("klingon")


def switch(app: AppTest) -> dict[str, Any]:
    """The data of the switch in the header."""
    found = [each.proto for each in app.get("bidi_component") if each.proto.component_name == "tidemark_language"]
    return json.loads(found[0].json)


def test_a_link_chooses_the_language_and_the_session_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "scenarios" / "two-clocks.yaml", tmp_path)
    monkeypatch.setattr("tidemark.ui.catalogue.FOLDER", tmp_path)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    assert switch(app.run())["current"] == "en"
    app.query_params["lang"] = "zh"
    shown = switch(app.run())
    assert (shown["current"], shown["keep"], shown["cookie"]) == ("zh", True, COOKIE)
    app.query_params.clear()
    app.query_params["scenario"] = "nothing-like-this"
    assert switch(app.run())["current"] == "zh"
    assert CHINESE.search(app.text[0].value)
    app.query_params["lang"] = "klingon"
    assert switch(app.run())["current"] == "zh"


# The glossary: a sentence for every mark of the legend, in every language, and names that no two terms share.


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


# One word for one thing: what the word list bans stands in no word, scenario or document.

WRITTEN = sorted(
    each
    for pattern in (
        "simulator/words/*/*.toml", "scenarios/*.yaml", "scenarios/*.toml", "ui/**/*.toml", "ui/author/templates/*",
        "README.md", "docs/*/*.md",
    )
    for each in ROOT.glob(pattern)
    if each.is_file()
)  # fmt: skip

WORD_LIST: list[dict[str, Any]] = tomllib.loads((ROOT / "simulator/words/word_list.toml").read_text(encoding="utf-8"))[
    "terms"
]

BANNED = {
    pattern: term["because"] for term in WORD_LIST for language in LANGUAGES for pattern in term["instead_of"][language]
}

ELSEWHERE = {
    "scenarios/first-of-each-key.yaml": "a deduplication has no window: there it says what the operator compares",
    "ui/library/symptoms/late.toml": "what people type into the search",
}
"""Where other words are right."""

PLANTED = (
    "Late means at or below the watermark, and that is 3 s.",
    "A record is late if the watermark had already passed its time when it arrived.",
    "A record is late only if it is behind the watermark; out of order is in time.",
    "Elements with timestamp <= {watermark} are late from now on.",
    "A watermark is a promise, and this record breaks it.",
    "It is late, accepted.",
    "The window has fired and is gone.",
    "At {watermark} the window gives its first result.",
    "[{start}, {end}) of {key} gives {value}.",
    "The pair comes out at once.",
    "Nobody knows how far time has come.",
    "One more record. What becomes of it?",
    "迟到是指不高于水位线；水位线落后三秒。",
    "在水位线之后才来的才算迟到。",
    "水位线是一个承诺，这条记录违背了它。",
    "Flink 2.3.0：4 个窗格一致。",
)


def banned(text: str) -> list[str]:
    """What ``text`` says in other words than those of the list, with the reason."""
    flowing = " ".join(text.split())
    return [
        f"{found.group()!r}: {because}"
        for pattern, because in BANNED.items()
        for found in re.finditer(pattern, flowing, re.IGNORECASE)
    ]


def test_no_text_says_what_the_word_list_bans() -> None:
    assert len(WRITTEN) > 150
    found = {
        str(each.relative_to(ROOT)): wrong for each in WRITTEN if (wrong := banned(each.read_text(encoding="utf-8")))
    }
    assert {name: wrong for name, wrong in found.items() if name not in ELSEWHERE} == {}
    assert ELSEWHERE.keys() <= found.keys(), "an exception that nothing needs any more"


@pytest.mark.parametrize("said", PLANTED)
def test_a_planted_expression_is_found(said: str) -> None:
    assert banned(said)


@pytest.mark.parametrize("term", WORD_LIST, ids=lambda term: term["word"]["en"])
def test_a_term_of_the_word_list_is_explained_in_the_glossary(term: dict[str, Any]) -> None:
    for language in LANGUAGES:
        assert catalogue(language)["player"]["glossary"]["terms"][term["glossary"]]["about"]
