"""Beats are inserted at a place of the run, changed and removed, while every other byte of the file stays."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.editing import EditError, ScenarioText
from tidemark.simulator.scenario.editing.beats import (
    NewBeat,
    NewChoice,
    add_beat,
    place_of_step,
    remove_beat,
    renumber,
    set_beat,
)
from tidemark.simulator.scenario.model import Beat, Choice, Place
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.timeline.stops import StepIndex

LIBRARY = sorted(Path("scenarios").glob("*.yaml"))

PLAIN = """\
scenario: 1   # the format
name: mine
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: reduce, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 1}  # the first
  - {ts: 2s, key: b, value: 2}
  - {end: true}
"""
FIRED = Place(event="PaneFired")
SAY = NewBeat("say", "The window fires with {value}.")
CHOICES = (NewChoice("This", "Not {key}."), NewChoice("That"), NewChoice({"en": "None", "zh": "都不是"}))
ASK = NewBeat("ask", "Which one?", CHOICES, 2, "Because {key}.", "Wait.")


def edit(function: Callable[..., ScenarioText], text: str, *arguments: Any, **more: Any) -> str:
    """The text after an edit of ``text``."""
    return function(ScenarioText(text), *arguments, **more).text


def beats(text: str) -> tuple[Beat, ...]:
    scenario = parse(text)
    assert not problems_of_run(scenario)
    return scenario.walkthrough


# --- in, changed, out ----------------------------------------------------------------------------------------------


def test_the_first_beat_creates_the_walkthrough() -> None:
    edited = edit(add_beat, PLAIN, FIRED, SAY)
    assert (
        edited
        == f"{PLAIN}walkthrough:\n  - at: {{event: PaneFired}}\n    say: The window fires with {{value}}.\n".replace(
            "say: The window fires with {value}.", 'say: "The window fires with {value}."'
        )
    )
    assert edit(remove_beat, edited, 0) == PLAIN


def test_another_beat_goes_after_before_or_between() -> None:
    text = edit(add_beat, edit(add_beat, PLAIN, FIRED, SAY), Place(item=1), NewBeat("say", "Second"))
    text = edit(add_beat, text, Place(event="PaneFired", occurrence=2), NewBeat("say", "Between"), 1)
    assert [beat.at for beat in beats(text)] == [FIRED, Place(event="PaneFired", occurrence=2), Place(item=1)]
    assert "  - at: {event: PaneFired, occurrence: 2}\n    say: Between\n" in text
    text = edit(remove_beat, text, 0)
    assert [beat.say for beat in beats(text)] == [{"en": "Between"}, {"en": "Second"}]


def test_a_question_with_every_member() -> None:
    (beat,) = beats(edit(add_beat, PLAIN, FIRED, ASK))
    assert beat.ask == {"en": "Which one?"}
    assert beat.choices == (
        Choice({"en": "This"}, {"en": "Not {key}."}),
        Choice({"en": "That"}),
        Choice({"en": "None", "zh": "都不是"}),
    )
    assert (beat.answer, beat.because, beat.note) == (2, {"en": "Because {key}."}, {"en": "Wait."})


def test_a_reply_comes_changes_and_goes() -> None:
    def asked(*choices: NewChoice) -> NewBeat:
        return NewBeat("ask", "Which?", choices, 0)

    text = f"{PLAIN}walkthrough:\n  - at: {{event: PaneFired}}\n    ask: Which?\n    answer: 0\n    choices:\n"
    plain = text + "      - This  # right\n      - {en: That, zh: 那个}  # wrong\n"
    that = {"en": "That", "zh": "那个"}
    replied = edit(set_beat, plain, 0, asked(NewChoice("This", "not kept"), NewChoice(that, "No.")))
    assert "- This  # right" in replied
    assert beats(replied)[0].choices == (Choice({"en": "This"}), Choice(that, {"en": "No."}))
    changed = edit(set_beat, replied, 0, asked(NewChoice("This"), NewChoice(that, {"en": "No.", "zh": "不。"})))
    assert beats(changed)[0].choices[1].reply == {"en": "No.", "zh": "不。"}
    assert beats(edit(set_beat, changed, 0, asked(NewChoice("This"), NewChoice(that))))[0].choices[1] == Choice(that)
    assert beats(edit(set_beat, changed, 0, asked(NewChoice("This"), NewChoice("That"))))[0].choices[1] == Choice(
        {"en": "That"}
    )


def test_a_belief_comes_stays_and_goes() -> None:
    def asked(*choices: NewChoice) -> NewBeat:
        return NewBeat("ask", "Which?", choices, 0)

    wrong = NewChoice("That", "No.", "wall-clock")
    text = edit(add_beat, PLAIN, FIRED, asked(NewChoice("This", "", "wall-clock"), wrong))
    this, that = beats(text)[0].choices
    assert (this.belief, that.reply, that.belief) == (None, {"en": "No."}, "wall-clock")
    longer = edit(set_beat, text, 0, asked(NewChoice("This"), NewChoice("Other", "", "end-inclusive"), wrong))
    assert [each.belief for each in beats(longer)[0].choices] == [None, "end-inclusive", "wall-clock"]
    without = edit(set_beat, text, 0, asked(NewChoice("This"), NewChoice("That", "No.")))
    assert beats(without)[0].choices[1] == Choice({"en": "That"}, {"en": "No."})


def test_how_a_class_answers_a_prediction() -> None:
    text = edit(add_beat, PLAIN, Place(item=0), NewBeat("predict", "fate-of-record", way="drag"))
    assert beats(text)[0].answer == "drag"
    assert beats(edit(set_beat, text, 0, NewBeat("predict", "fate-of-record")))[0].answer is None
    assert beats(edit(set_beat, text, 0, NewBeat("predict", "new-watermark", way="enter")))[0].answer == "enter"
    with pytest.raises(EditError):
        edit(set_beat, text, 0, NewBeat("predict", "next-timer", way="drag"))


def test_a_prediction() -> None:
    (beat,) = beats(edit(add_beat, PLAIN, Place(item=2), NewBeat("predict", "windows-that-fire", note="Hands up")))
    assert (beat.predict, beat.note) == ("windows-that-fire", {"en": "Hands up"})


def test_a_beat_changes_its_kind_and_keeps_its_place() -> None:
    text = edit(add_beat, PLAIN, FIRED, SAY).replace("at: {event: PaneFired}", "at: {event: PaneFired}   # here")
    asked = edit(set_beat, text, 0, ASK)
    (beat,) = beats(asked)
    assert (beat.at, beat.say, beat.ask) == (FIRED, None, {"en": "Which one?"})
    assert "# here" in asked
    text = edit(set_beat, asked, 0, NewBeat("say", "Done."), Place(item=2))
    assert beats(text) == (Beat(at=Place(item=2), say={"en": "Done."}),)


def test_unchanged_members_are_not_rewritten() -> None:
    text = f"""{PLAIN}walkthrough:
  - at: {{event: PaneFired}}  # c
    say: >
      Folded {{value}}
      text.
    note: 'N'
"""
    assert edit(set_beat, text, 0, NewBeat("say", "Folded {value} text.", note="N")) == text
    assert edit(set_beat, text, 0, NewBeat("say", "Folded {value} text.", note="M")) == text.replace("'N'", "M")


def test_one_of_two_languages_changes() -> None:
    text = PLAIN + "walkthrough:\n  - at: {event: PaneFired}\n    say:\n      en: One   # e\n      zh: 一\n"
    edited = edit(set_beat, text, 0, NewBeat("say", {"en": "One", "zh": "二"}))
    assert edited == text.replace("一", "二")
    edited = edit(set_beat, text, 0, NewBeat("say", {"en": "One", "zh": ""}))
    assert edited == text.replace("      zh: 一\n", "")
    (beat,) = beats(edit(set_beat, text, 0, NewBeat("say", "Alone")))
    assert beat.say == {"en": "Alone"}


@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: file.stem)
def test_in_every_file_of_the_library(file: Path) -> None:
    """A beat that is inserted and removed again leaves no trace; members that exist already are not rewritten."""
    text, scenario = file.read_text("utf-8"), load(file)
    edited = edit(add_beat, text, Place(item=0), SAY, 0)
    assert parse(edited).walkthrough[1:] == scenario.walkthrough
    assert edit(remove_beat, edited, 0) == text
    for number, beat in enumerate(scenario.walkthrough):
        if beat.say is not None:
            stripped = {language: each.strip() for language, each in beat.say.items()}
            note = {language: each.strip() for language, each in (beat.note or {}).items()}
            assert edit(set_beat, text, number, NewBeat("say", stripped, note=note or ""), beat.at) == text


@pytest.mark.parametrize(
    "text",
    [
        "<img src=x onerror=alert(1)>",
        "a: b # c",
        "- x",
        "true",
        "12",
        "  blanks  ",
        "two\nlines",
        '"',
        "{{x}}",
        "é\u2028",
    ],
)
def test_any_text_reads_back_unchanged(text: str) -> None:
    (beat,) = beats(edit(add_beat, PLAIN, FIRED, NewBeat("say", text)))
    assert beat.say is not None
    assert beat.say["en"] == text


# --- places --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", LIBRARY[::6], ids=lambda file: file.stem)
def test_a_beat_is_placed_where_it_was_put(file: Path) -> None:
    _, trace = run_traced(load(file))
    index = StepIndex(trace)
    for step in range(0, len(trace), 7):
        assert index.find(place_of_step(trace, step)) == step
        asked = place_of_step(trace, step, predict=True)
        assert asked.item == trace.steps[step].item


@pytest.mark.parametrize("anchor", ["event", "item", "step"])
def test_a_beat_is_tied_to_what_its_author_chose(anchor: str) -> None:
    _, trace = run_traced(parse(PLAIN))
    index = StepIndex(trace)
    for step in range(len(trace)):
        place = place_of_step(trace, step, anchor=anchor)
        assert getattr(place, anchor) is not None
        there = index.find(place)
        assert there is not None
        assert there == step or (anchor == "item" and trace.steps[there].item == trace.steps[step].item)
    with pytest.raises(EditError):
        place_of_step(trace, 0, anchor="line")


def test_a_place_survives_an_edit_of_the_numbers() -> None:
    _, trace = run_traced(parse(PLAIN))
    fired = next(step.step for step in trace if type(step.event).__name__ == "PaneFired")
    assert place_of_step(trace, fired) == FIRED
    text = edit(add_beat, PLAIN, place_of_step(trace, fired), SAY)
    _, other = run_traced(parse(text.replace("{ts: 2s", "{ts: 8s")))
    assert type(other.steps[StepIndex(other).find(FIRED) or 0].event).__name__ == "PaneFired"


def test_beats_move_with_their_items() -> None:
    text = edit(add_beat, edit(add_beat, PLAIN, Place(item=1), SAY), FIRED, SAY)
    edited = edit(renumber, text, lambda item: item + 1 if item >= 1 else item)
    assert [beat.at for beat in parse(edited).walkthrough] == [Place(item=2), FIRED]
    assert edit(renumber, text, lambda item: item) == text
    assert edit(renumber, PLAIN, lambda item: 0) == PLAIN


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "beat",
    [
        NewBeat("say", " "),
        NewBeat("say", {"zh": "一"}),
        NewBeat("ask", "Which?", CHOICES[:1]),
        NewBeat("ask", "Which?", CHOICES[:2], 2),
        NewBeat("predict", "the-weather"),
        NewBeat("sing", "la"),
    ],
)
def test_a_beat_that_the_format_refuses_is_not_inserted(beat: NewBeat) -> None:
    with pytest.raises(EditError):
        edit(add_beat, PLAIN, FIRED, beat)


def test_a_beat_that_does_not_exist_cannot_be_edited() -> None:
    with pytest.raises(EditError):
        edit(remove_beat, PLAIN, 0)
    with pytest.raises(EditError):
        edit(set_beat, edit(add_beat, PLAIN, FIRED, SAY), 1, SAY)
    _, trace = run_traced(parse(PLAIN))
    with pytest.raises(EditError):
        place_of_step(trace, len(trace))


def test_a_walkthrough_in_flow_style() -> None:
    text = edit(add_beat, PLAIN + "walkthrough: []\n", FIRED, SAY)
    assert text == edit(add_beat, PLAIN, FIRED, SAY)
    text = edit(add_beat, PLAIN + "walkthrough: [{at: {item: 0}, say: One}]\n", FIRED, SAY)
    assert [beat.at for beat in beats(text)] == [Place(item=0), FIRED]
