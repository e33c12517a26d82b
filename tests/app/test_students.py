"""A student edition holds no notes and no answers: neither its link, nor its page, nor a copy of it."""

import gzip
from pathlib import Path

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.ui.learning.classroom.teacher import question_at
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import pack
from tidemark.ui.payload.students import for_students
from tidemark.ui.share.links import editable, student_text, text_of, token_of

LIBRARY = sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml"))

ASKED = """scenario: 1
name: asked
inputs: {events: {watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 2s}, function: {call: reduce, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 4}    # a remark of the author
  - {ts: 3s, key: a, value: 5}
  - {end: true}
walkthrough:
  - {at: {item: 0}, say: The first one., note: Wait for the class.}
  - at: {event: PaneFired}
    ask: {en: What comes out?, zh: 结果是什么？}
    choices: [{text: five, reply: Five is still on its way.}, four, nine]
    answer: 1
    because: Only the first record is in it.
    note: Most say nine.
  - {at: {item: 2}, predict: windows-that-fire, note: Nobody gets this.}
"""
SECRETS = (
    "Wait for the class",
    "Most say nine",
    "still on its way",
    "Only the first record",
    "Nobody gets this",
    "a remark of",
)


def test_the_text_of_a_student_edition_has_the_questions_alone() -> None:
    text = student_text(scenarios.parse(ASKED))
    assert not [each for each in SECRETS if each in text.text]
    question = scenarios.parse(text.text).walkthrough[1]
    assert question.ask == {"en": "What comes out?", "zh": "结果是什么？"}
    assert (question.answer, [choice.reply for choice in question.choices]) == (0, [None, None, None])


def test_its_link_says_that_it_is_one() -> None:
    text = student_text(scenarios.parse(ASKED))
    token = token_of(text.text, json=text.json, student=text.student)
    assert token.startswith("q")
    assert text_of(token) == text


def test_a_copy_of_it_states_what_was_asked() -> None:
    copy = scenarios.parse(editable(student_text(scenarios.parse(ASKED))).text)
    assert [beat.ask for beat in copy.walkthrough] == [None, None, None]
    assert copy.walkthrough[1].say == {
        "en": "What comes out? (1) five (2) four (3) nine",
        "zh": "结果是什么？ (1) five (2) four (3) nine",
    }


def test_the_page_of_it_has_no_answers_and_asks_no_class() -> None:
    contents = for_students(payload(scenarios.parse(ASKED), predict=True))
    facts = pack({**contents, "badges": [], "visit": None})
    sent = gzip.decompress(facts).decode()
    assert not [each for each in SECRETS if each in sent]
    asked = [each for each in [*contents["beats"], *contents["predictions"]] if each["choices"]]
    assert len(asked) >= 2
    for each in asked:
        assert (each["answer"], each["because"], each["note"]) == (None, "", "")
        assert not any(each["replies"])
    assert question_at(facts, asked[0]["step"]) is None


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_no_note_and_no_reason_of_the_library_is_left(path: Path) -> None:
    scenario = scenarios.load(path)
    left = scenarios.parse(student_text(scenario).text)
    assert left.stream == scenario.stream
    assert len(left.walkthrough) == len(scenario.walkthrough)
    assert all(beat.note is None and beat.because is None and not beat.answer for beat in left.walkthrough)
