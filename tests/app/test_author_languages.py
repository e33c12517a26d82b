"""An author edits one language, and every other one stays as it was written."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing import ScenarioText
from tidemark.simulator.scenario.languages import languages_of, older, stamp_of, texts_of
from tidemark.simulator.teaching.hints import warnings_of
from tidemark.simulator.words import speaking, words
from tidemark.ui.author import desk
from tidemark.ui.author.desk import in_one_language
from tidemark.ui.author.draft import draft_of
from tidemark.ui.author.edits import EditRefused, edited
from tidemark.ui.author.telling import written_text
from tidemark.ui.author.translating import side_by_side
from tidemark.ui.catalogue import text_of

from tests.examples import examples

LIBRARY = [
    text
    for path in sorted(Path("scenarios").glob("*.yaml"))
    if "\noperators:" not in (text := path.read_text(encoding="utf-8"))  # these are not edited on the page
]
TRANSLATED = [text for text in LIBRARY if parse(text).walkthrough]
HEAD = """scenario: 1
name: told
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{ts: 1s, key: a, value: 1}, {end: true}]
"""
ENGLISH = HEAD + "title: A window\nwalkthrough: [{at: {item: 0}, say: It waits.}]\n"
ASKED = (
    HEAD
    + """walkthrough:
  - at: {item: 0}
    ask: {en: When?, zh: 何时？}
    choices: [{en: Now, zh: 现在}, {en: Later, zh: 以后}, {en: Never, zh: 从不}]
    answer: 1
    note: {en: Wait., zh: 等一等。}
"""
)


def saying(text: str, edit: dict[str, Any], language: str) -> str:
    with speaking(language):
        return edited(draft_of(text), edit)[0].text


def beat(number: int, **fields: Any) -> dict[str, Any]:
    return {"kind": "beat", "number": number, "fields": fields}


def test_a_beat_edited_in_chinese_keeps_its_english_text() -> None:
    text = saying(ENGLISH, beat(0, say="它在等。", note=""), "zh")
    assert parse(text).walkthrough[0].say == {"en": "It waits.", "zh": "它在等。"}
    text = saying(text, beat(0, say="Still it waits.", note=""), "en")
    assert parse(text).walkthrough[0].say == {"en": "Still it waits.", "zh": "它在等。"}


def test_a_title_edited_in_chinese_keeps_its_english_text() -> None:
    text = saying(ENGLISH, {"kind": "texts", "texts": {"title": "一个窗口"}}, "zh")
    assert parse(text).title == {"en": "A window", "zh": "一个窗口"}


def test_what_is_written_in_chinese_alone_is_edited_in_place() -> None:
    text = saying(HEAD + "title: 一个窗口\n", {"kind": "texts", "texts": {"title": "两个窗口"}}, "zh")
    assert text == HEAD + "title: 两个窗口\n"


def test_a_choice_taken_away_takes_only_its_own_translation() -> None:
    fields = {"ask": "何时？", "choices": [{"text": "以后"}, {"text": "从不"}], "answer": 0, "note": "等一等。"}
    [now] = parse(saying(ASKED, beat(0, **fields), "zh")).walkthrough
    assert [each.text for each in now.choices] == [{"en": "Later", "zh": "以后"}, {"en": "Never", "zh": "从不"}]


def test_an_emptied_translation_goes_alone_and_the_original_goes_last() -> None:
    fields = {
        "ask": "何时？",
        "choices": [{"text": each} for each in ("现在", "以后", "从不")],
        "answer": 1,
        "note": "",
    }
    text = saying(ASKED, beat(0, **fields), "zh")
    assert parse(text).walkthrough[0].note == {"en": "Wait."}
    fields = {
        "ask": "When?",
        "choices": [{"text": each} for each in ("Now", "Later", "Never")],
        "answer": 1,
        "note": "",
    }
    with pytest.raises(EditRefused, match="translations"):
        saying(ASKED, beat(0, **fields), "en")
    assert parse(saying(text, beat(0, **fields), "en")).walkthrough[0].note is None


@settings(max_examples=examples(60), deadline=None)
@given(
    st.sampled_from(TRANSLATED),
    st.sampled_from(["en", "zh"]),
    st.sampled_from(["", "x", "两", "It is {watermark}", "a: b", "- no", '"'])
    | st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=9),
    st.integers(0, 9),
)
def test_an_edit_in_one_language_leaves_every_other_one(text: str, language: str, typed: str, number: int) -> None:
    scenario = parse(text)
    told = scenario.walkthrough[number % len(scenario.walkthrough)]
    edit = {"kind": "texts", "texts": {"title": typed, "summary": typed, "takeaway": typed}}
    if told.say is not None and number % 2:
        edit = beat(number % len(scenario.walkthrough), say=typed, note=typed)
    try:
        after = parse(saying(text, edit, language))
    except (EditRefused, ScenarioError):  # a mistake in braces leaves a draft that runs
        return

    def others(of: Any) -> list[Any]:
        return [(path, name, each) for path, by in texts_of(of) for name, each in by.items() if name != language]

    kept = others(after)
    new = [each for each in kept if each not in others(scenario)]
    assert [each for each in others(scenario) if each not in kept] == []
    assert all(not any(path == old for old, _ in texts_of(scenario)) for path, _, _ in new)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", desk.NAMES)
def test_a_template_brings_the_texts_of_one_language(name: str, language: str) -> None:
    whole = (desk.FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    with speaking(language):
        only, left_out = in_one_language(whole)
    before, after = parse(whole), parse(only)
    assert languages_of(after) == [language]
    assert [left_out, after.language] == [[each for each in ("en", "zh") if each != language], language]
    assert [(path, text[language].strip()) for path, text in texts_of(after)] == [
        (path, text[language].strip()) for path, text in texts_of(before)
    ]


def test_a_story_begun_from_a_template_in_chinese_stays_in_chinese() -> None:
    whole = (desk.FOLDER / "late-to-the-side.yaml").read_text(encoding="utf-8")
    with speaking("zh"):
        text, _ = in_one_language(whole)
    text = saying(text, {"kind": "texts", "texts": {"title": "课堂"}}, "zh")
    assert parse(text).title == {"zh": "课堂"}
    assert "title: 课堂" in text


def test_a_scenario_is_written_in_german_and_portuguese() -> None:
    text = HEAD.replace("name: told\n", "name: told\nlanguage: de\n") + "title: Ein Fenster\nsummary: Es wartet.\n"
    edit = {"kind": "translate", "path": ["title"], "language": "pt-br", "text": "Uma janela"}
    text = saying(text, edit, "en")
    assert parse(text).title == {"de": "Ein Fenster", "pt-BR": "Uma janela"}
    with speaking("pt"):
        assert text_of(parse(text).title) == "Uma janela"
        assert text_of(parse(text).summary) == "Es wartet."
    assert words_in("pt-BR", "author.languages.title") == "Languages"
    assert words_in("zh-Hant", "author.languages.title") == "语言"
    without = saying(text, {"kind": "unlanguage", "language": "pt-BR"}, "en")
    assert languages_of(parse(without)) == ["de"]


def words_in(language: str, name: str) -> str:
    with speaking(language):
        return words(name)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"language": "german"}, "language tag"),
        ({"language": "en", "text": ""}, "translations"),
        ({"path": ["walkthrough", 7, "say"]}, "."),
        ({"path": ["operator"]}, "."),
    ],
)
def test_a_translation_that_cannot_be_is_refused(change: dict[str, Any], said: str) -> None:
    edit = {"kind": "translate", "path": ["walkthrough", 0, "note"], "language": "de", "text": "Warte."}
    with pytest.raises(EditRefused, match=said):
        saying(ASKED, edit | change, "en")


@settings(max_examples=examples(15), deadline=None)
@given(
    st.sampled_from(TRANSLATED),
    st.sampled_from(["en", "zh", "pt-BR"]),
    st.integers(0, 99),
    st.text("x: {}", max_size=5),
)
def test_a_translation_leaves_every_other_text(text: str, language: str, number: int, typed: str) -> None:
    before = list(texts_of(parse(text)))
    path, _ = before[number % len(before)]
    try:
        after = parse(
            saying(text, {"kind": "translate", "path": list(path), "language": language, "text": typed}, "en")
        )
    except (EditRefused, ScenarioError):
        return
    now = dict(texts_of(after))
    for where, by_language in before:
        kept = {name: each for name, each in by_language.items() if (where, name) != (path, language)}
        assert {name: now[where][name] for name in kept} == kept


def test_the_texts_stand_side_by_side() -> None:
    facts = side_by_side(parse(ASKED))
    assert (facts["original"], facts["languages"]) == ("en", ["en", "zh"])
    assert [each["label"] for each in facts["texts"]][:2] == ["Beat 1: question", "Beat 1: choice 1"]
    assert facts["texts"][0]["texts"] == {"en": "When?", "zh": "何时？"}


def older_in(text: str) -> dict[str, tuple[str, str]]:
    return {".".join(map(str, each.path)): (each.language, each.then) for each in older(parse(text))}


def translate(text: str, language: str, typed: str, *path: str | int) -> str:
    return saying(text, {"kind": "translate", "path": list(path), "language": language, "text": typed}, "en")


def test_a_translation_older_than_its_original_says_so_until_it_is_translated_again() -> None:
    text = translate(ASKED, "de", "Warte.", "walkthrough", 0, "note")
    assert older_in(text) == {}
    assert f"translated_from: {{de: {stamp_of('Wait.')}}}" in text
    text = translate(text, "en", "Wait a little.", "walkthrough", 0, "note")
    assert {each.language for each in older(parse(text))} == {"de", "zh"}
    assert {each.then for each in older(parse(text))} == {"Wait."}
    text = translate(text, "zh", "等一会儿。", "walkthrough", 0, "note")
    assert older_in(text) == {"walkthrough.0.note": ("de", "Wait.")}
    text = translate(text, "en", "Wait for a while.", "walkthrough", 0, "note")
    assert {(each.language, each.then) for each in older(parse(text))} == {("de", "Wait."), ("zh", "Wait a little.")}
    assert older_in(translate(text, "en", "Wait.", "walkthrough", 0, "note")) == {
        "walkthrough.0.note": ("zh", "Wait a little.")
    }


def test_what_is_still_right_is_said_with_one_edit() -> None:
    text = translate(ASKED, "en", "At what time?", "walkthrough", 0, "ask")
    edit = {"kind": "still_right", "path": ["walkthrough", 0, "ask"], "language": "zh"}
    text = saying(text, edit, "en")
    assert older_in(text) == {}
    assert parse(text).walkthrough[0].ask == {"en": "At what time?", "zh": "何时？"}
    with pytest.raises(EditRefused):
        saying(text, edit | {"language": "de"}, "en")


def test_an_original_changed_in_another_editor_is_noticed_by_its_stamp() -> None:
    text = saying(ENGLISH, beat(0, say="它在等。", note=""), "zh")
    assert older_in(text) == {}
    changed = text.replace("It waits.", "It waits no longer.")
    assert older_in(changed) == {"walkthrough.0.say": ("zh", "")}
    assert side_by_side(parse(changed))["texts"][1]["older"] == {"zh": ""}
    assert older_in(text.replace("It waits.", '"It  waits."')) == {}


def test_a_beat_edited_keeps_what_its_translations_were_made_from() -> None:
    text = translate(ASKED, "en", "Right now", "walkthrough", 0, "choices", 0)
    fields = {"ask": "When?", "answer": 0, "because": "", "note": "Wait."}
    fields["choices"] = [{"text": "Later"}, {"text": "Right now"}]
    text = saying(text, beat(0, **fields), "en")
    assert older_in(text) == {"walkthrough.0.choices.1": ("zh", "Now")}
    [asked] = parse(text).walkthrough
    assert [each.text["zh"] for each in asked.choices] == ["以后", "现在"]


def test_a_translation_that_says_the_same_is_one_where_the_file_says_so() -> None:
    for from_it, known in ((f", translated_from: {{de: {stamp_of('Start')}}}", {"title": ("de", "Start")}), ("", {})):
        text = HEAD + f"title: {{en: Start, de: Start{from_it}}}\n"
        assert older_in(text) == {}
        assert older_in(translate(text, "en", "The beginning", "title")) == known


def test_nothing_is_known_of_a_file_that_says_nothing() -> None:
    assert older_in(ASKED.replace("When?", "At what time?")) == {}
    choices = [{"text": each} for each in ("现在", "以后", "从不", "明年")]
    copied = saying(ASKED, beat(0, ask="何时？", choices=choices, answer=1, note="等一等。"), "zh")
    assert parse(copied).walkthrough[0].choices[3].text == {"en": "明年", "zh": "明年"}
    assert older_in(translate(copied, "en", "Next year", "walkthrough", 0, "choices", 3)) == {}


def test_check_warns_of_older_translations() -> None:
    text = translate(ASKED, "en", "At what time?", "walkthrough", 0, "ask")
    warnings = [str(each) for each in warnings_of(parse(text))]
    assert [each for each in warnings if "`zh` is older than the original" in each]
    text = translate(text, "en", "Wait a little.", "walkthrough", 0, "note")
    assert [each for each in warnings_of(parse(text)) if each.text.startswith("2 texts in `zh` are older")]


def test_the_field_of_a_text_shows_the_language_that_suits_best() -> None:
    read = ScenarioText("title: {de: Ein Fenster, zh: 窗口, translated_from: {zh: Fenster}}\nsummary: Es wartet.\n")
    for language, title in (("zh-Hant", "窗口"), ("de-AT", "Ein Fenster"), ("fr", "Ein Fenster")):
        with speaking(language):
            assert (written_text(read, "title"), written_text(read, "summary")) == (title, "Es wartet.")
    with speaking("en"):
        assert written_text(ScenarioText("title: {zh: 窗口, en: A window}\n"), "title") == "A window"
        assert written_text(ScenarioText("title: [1]\n"), "title") == ""


def test_a_choice_keeps_its_belief_when_another_one_goes() -> None:
    choices = "choices: [{en: Now, zh: 现在}, {text: {en: Later, zh: 以后}, belief: wall-clock}, {en: Never, zh: 从不}]"
    text = ASKED.replace("choices: [{en: Now, zh: 现在}, {en: Later, zh: 以后}, {en: Never, zh: 从不}]", choices)
    fields = {"ask": "When?", "because": "", "note": "Wait."}
    kept = saying(
        text.replace("answer: 1", "answer: 0"),
        beat(0, **fields, choices=[{"text": "Later"}, {"text": "Never"}], answer=1),
        "en",
    )
    assert [each.belief for each in parse(kept).walkthrough[0].choices] == ["wall-clock", None]
    right = saying(kept, beat(0, **fields, choices=[{"text": "Later"}, {"text": "Never"}], answer=0), "en")
    assert [each.belief for each in parse(right).walkthrough[0].choices] == [None, None]


@settings(max_examples=examples(25), deadline=None)
@given(st.sampled_from(TRANSLATED), st.lists(st.tuples(st.sampled_from(["en", "zh"]), st.integers(0, 99)), max_size=4))
def test_exactly_what_is_older_is_marked(text: str, edits: list[tuple[str, int]]) -> None:
    wanted: dict[Any, str] = {}
    for number, (language, place) in enumerate(edits):
        texts = list(texts_of(parse(text)))
        path, by_language = texts[place % len(texts)]
        text = translate(text, language, f"new {number}", *path)
        if language == "zh":
            wanted.pop(path, None)
        else:
            wanted.setdefault(path, by_language["en"].strip())
    assert {each.path: each.then for each in older(parse(text))} == wanted
