"""Edits of a scenario's text: the requested change is made, every other byte stays, and the file remains readable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator import run_traced
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.editing import (
    EditError,
    Plain,
    ScenarioText,
    insert,
    move,
    remove,
    rename_key,
    set_value,
)
from tidemark.simulator.scenario.editing.beats import (
    NewBeat,
    NewChoice,
    add_beat,
    place_of_step,
    remove_beat,
    renumber,
    set_beat,
)
from tidemark.simulator.scenario.languages import TemplateError, fill, names
from tidemark.simulator.scenario.model import Beat, Choice, Place, Scenario
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.timeline.stops import ResolvedBeat, StepIndex, UnknownNameError, resolve_beats
from tidemark.simulator.timeline.wording import time_format
from tidemark.ui.payload.times import TimeStyle

from tests.each import for_each
from tests.examples import examples

LIBRARY = [
    path
    for path in sorted(Path("scenarios").glob("*.yaml"))
    if "\noperators:" not in path.read_text(encoding="utf-8")  # these are not edited
]

TEXT = """\
# a file with comments
name: small   # its name
summary: >
  Folded,
  two lines.
operator: {type: window, assigner: {type: tumbling, size: 5s}}
stream:
  # the first one
  - {ts: 1s, key: a, value: 4}  # early
  - {ts: 3s, key: "b", value: 5}
  - ts: 4s
    key: c
"""


def edit(function: Callable[..., ScenarioText], text: str, *arguments: Any, **more: Any) -> str:
    """The text after an edit of ``text``."""
    return function(ScenarioText(text), *arguments, **more).text


def test_only_the_cell_is_replaced():
    edited = edit(set_value, TEXT, ("stream", 0, "ts"), Plain("1s500ms"))
    assert edited == TEXT.replace("{ts: 1s,", "{ts: 1s500ms,")


def test_a_text_that_looks_like_a_number_stays_a_text():
    assert '{ts: 3s, key: "1", value: 5}' in edit(set_value, TEXT, ("stream", 1, "key"), "1")


def test_a_new_key_goes_after_the_others():
    assert "value: 4, at: 2s}  # early" in edit(set_value, TEXT, ("stream", 0, "at"), Plain("2s"))
    assert "    key: c\n    value: 1\n" in edit(set_value, TEXT, ("stream", 2, "value"), 1)
    assert "size: 5s}, allowed_lateness: 3s}\n" in edit(set_value, TEXT, ("operator", "allowed_lateness"), Plain("3s"))


def test_a_folded_text_is_replaced_entirely():
    assert edit(set_value, TEXT, ("summary",), "New.") == TEXT.replace(">\n  Folded,\n  two lines.\n", '"New."\n')


def test_a_record_is_added_removed_and_moved_with_its_comment():
    with_one = edit(insert, TEXT, ("stream",), 1, {"ts": Plain("2s"), "key": "z"})
    assert '# early\n  - {ts: 2s, key: "z"}\n  - {ts: 3s' in with_one
    assert edit(remove, with_one, ("stream", 1)) == TEXT
    moved = edit(move, TEXT, ("stream",), 0, 2)
    assert moved.endswith("    key: c\n  - {ts: 1s, key: a, value: 4}  # early\n")
    assert edit(move, moved, ("stream",), 2, 0).splitlines()[8] == TEXT.splitlines()[8]


def test_a_record_is_added_to_a_text_without_a_final_line_break():
    assert edit(insert, "stream:\n  - {ts: 1}", ("stream",), 1, {"ts": 2}) == "stream:\n  - {ts: 1}\n  - {ts: 2}\n"


def test_removing_the_last_record_leaves_an_empty_list():
    assert edit(remove, "stream:\n  - {ts: 1}\nname: x\n", ("stream", 0)) == "stream:\n  []\nname: x\n"


def test_a_key_gets_another_name_and_its_place_stays():
    text = "inputs:\n  'a b': {channels: 2}  # both\n  c: {}\n"
    renamed = edit(rename_key, text, ("inputs", "a b"), "clicks")
    assert renamed == text.replace("'a b'", "clicks")
    assert edit(rename_key, renamed, ("inputs", "clicks"), "點 擊") == text.replace("'a b'", '"點 擊"')
    with pytest.raises(EditError):
        edit(rename_key, text, ("inputs", "c"), "a b")


@pytest.mark.parametrize("path", [("nothing", "there"), ("stream", 9, "ts"), ("name", 0)])
def test_a_place_that_does_not_exist_is_refused(path):
    with pytest.raises(EditError):
        edit(set_value, TEXT, path, 1)


def test_a_value_that_yaml_cannot_write_simply_is_refused():
    for text in ("a: b", "x}", "- x", "{", "a\nb", ""):
        with pytest.raises(EditError):
            edit(set_value, TEXT, ("name",), Plain(text))


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_random_edits_of_the_library_stay_readable_and_can_be_undone(data):
    text = data.draw(st.sampled_from(LIBRARY)).read_text(encoding="utf-8")
    stream = parse(text).stream
    if not isinstance(stream, tuple) or len(stream) < 2:
        return
    place = st.integers(0, len(stream) - 1)
    here, there = data.draw(place), data.draw(place)
    assert edit(move, edit(move, text, ("stream",), here, there), ("stream",), there, here).split() == text.split()
    record = {"ts": data.draw(st.integers(0, 10**6)), "key": data.draw(st.text(max_size=5))}
    try:
        more = edit(insert, text, ("stream",), here, record)
    except EditError:
        assert any(not each.isprintable() for each in record["key"])
        return
    assert edit(remove, more, ("stream", here)) == text
    assert more.count("\n") == text.count("\n") + 1


# Beats are inserted at a place of the run, changed and removed, while every other byte of the file stays.

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


@for_each(LIBRARY, lambda file: file.stem)
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


# Walkthroughs and goals: the step of a beat, the text of a beat, and what ``check`` finds wrong.

HEAD = """scenario: 1
name: story
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 1s, key: a, value: 2}
  - {ts: 2s, key: b, value: 4}
  - {watermark: 4999}
  - {ts: 1s, key: a, value: 8}
"""


def scenario_with(more: str) -> Scenario:
    return parse(HEAD + more, "story.yaml")


def resolved(walkthrough: str) -> list[ResolvedBeat]:
    scenario = scenario_with("walkthrough:\n" + walkthrough)
    return resolve_beats(scenario, run_traced(scenario)[1], format_time=lambda time, bare: f"<{time}>")


def named(name: str, bare: bool) -> str:
    return name


def in_the_player(scenario: Scenario) -> list[str]:
    style = TimeStyle(time_format(scenario))
    return [beat.text for beat in resolve_beats(scenario, run_traced(scenario)[1], format_time=style.told)]


def events(scenario: Scenario) -> list[tuple[str, int]]:
    return [(type(step.event).__name__, step.item) for step in run_traced(scenario)[1]]


def test_a_beat_is_at_the_nth_event_of_its_type() -> None:
    first, second = resolved(
        "- {at: {event: PaneFired}, say: one}\n- {at: {event: PaneFired, occurrence: 2}, say: two}\n"
    )
    fired = [number for number, (event, _) in enumerate(events(scenario_with(""))) if event == "PaneFired"]
    assert [first.step, second.step] == fired
    assert [first.text, second.text] == ["one", "two"]


def test_a_beat_on_an_item_is_at_its_last_step_and_a_prediction_before_its_first() -> None:
    say, predict = resolved("- {at: {item: 2}, say: x}\n- {at: {item: 2}, predict: windows-that-fire}\n")
    steps = [number for number, (_, item) in enumerate(events(scenario_with(""))) if item == 2]
    assert (predict.step, say.step) == (steps[0], steps[-1])
    assert (say.kind, predict.kind, predict.predict) == ("say", "predict", "windows-that-fire")


def test_names_in_a_text_are_filled_with_the_fields_of_the_event() -> None:
    (beat,) = resolved(
        "- at: {event: PaneFired}\n"
        "  say: 'Window [{start}, {end}) of {key} gives {value} ({timing}) at item {item}; {watermark}, {at}, {{x}}.'\n"
    )
    assert beat.text == "Window [<0>, <5000>) of a gives 2 (on-time) at item 2; <4999>, <0>, {x}."


def test_a_time_has_its_unit_once_and_none_within_a_window() -> None:
    said = in_the_player(
        scenario_with(
            "walkthrough:\n"
            "- at: {event: PaneFired}\n"
            "  say: 'At {watermark} (not {end}) [{start}, {end}) fires: {end} s, {end}s, {end} seconds, {end} 秒.'\n"
        )
    )
    assert said == ["At 4.999 s (not 5 s) [0, 5) fires: 5 s, 5s, 5 seconds, 5 秒."]


def test_the_end_of_input_is_no_number_and_a_time_of_day_has_no_unit() -> None:
    text = HEAD.replace("  - {ts: 1s, key: a, value: 8}\n", "  - {end: true}\n")
    beat = "walkthrough: [{at: {event: WatermarkCombined, occurrence: 2}, say: 'At {watermark} after {before}.'}]\n"
    assert in_the_player(parse(text + beat, "story.yaml")) == ["At +∞ after 4.999 s."]
    assert in_the_player(parse(f"zone: Europe/Berlin\n{text}{beat}", "story.yaml")) == ["At +∞ after 01:00:04.999."]


def test_a_field_without_a_value_reads_none() -> None:
    assert resolved("- {at: {step: 0}, say: '{watermark}'}\n")[0].text == "none"


def test_a_question_has_choices_and_a_reason() -> None:
    (beat,) = resolved(
        "- {at: {event: LateDropped}, ask: 'Why {ts}?', choices: [a, '{key}b'], answer: 1, because: 'wm {watermark}',"
        " note: n}\n"
    )
    assert beat == ResolvedBeat(
        0, beat.step, "ask", "Why <1000>?", ("a", "ab"), (None, None), 1, "wm <4999>", None, "n"
    )


def test_a_choice_may_have_a_reply_filled_like_every_text() -> None:
    (beat,) = resolved(
        "- at: {event: LateDropped}\n  ask: Why?\n  answer: 1\n"
        "  choices: [{text: a, reply: 'Not {ts}.'}, {text: {en: b, zh: 乙}}, {en: c, zh: 丙}]\n"
    )
    assert beat.choices == ("a", "b", "c")
    assert beat.replies == ("Not <1000>.", None, None)


def test_a_text_is_in_the_requested_language_or_in_english() -> None:
    scenario = scenario_with("walkthrough: [{at: {step: 0}, say: {en: hello, zh: 你好}}, {at: {step: 0}, say: only}]\n")
    trace = run_traced(scenario)[1]
    assert [beat.text for beat in resolve_beats(scenario, trace, language="zh")] == ["你好", "only"]


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        resolved("- {at: {event: PaneFired}, say: '{windw}'}\n")


WRONG = {
    "walkthrough: [{at: {event: WindowsMerged}, say: x}]": (
        "12:20: this run has 0 `WindowsMerged` steps, so number 1 is never reached; choose another place"
    ),
    "walkthrough: [{at: {event: PaneFired, occurrence: 3}, say: x}]": "12:20: this run has 2 `PaneFired` steps",
    "walkthrough: [{at: {item: 4}, say: x}]": "12:20: no step belongs to item 4",
    "walkthrough: [{at: {step: 999}, say: x}]": "12:20: there is no step 999; the last is",
    "walkthrough: [{at: {event: PaneFired}, say: '{strat}'}]": (
        "12:45: `strat` is not known at this `PaneFired`; did you mean `start`?"
    ),
    "walkthrough: [{at: {step: 0}, ask: x, choices: [a, '{wxyz}'], answer: 0}]": "12:52: `wxyz` is not known at this",
    "walkthrough: [{at: {step: 0}, ask: x, choices: [a, {text: b, reply: '{wxyz}'}], answer: 0}]": (
        "12:69: `wxyz` is not known"
    ),
    "walkthrough: [{at: {step: 0}, say: {en: x, zh: '{wxyz}'}}]": "12:48: `wxyz` is not known",
    "goals: [{rows: dropped, count: 2}]": "12:9: the goal is not met: exactly 2 dropped rows, but the run has 1",
    "goals: [{rows: pane, at_least: 3}]": "12:9: the goal is not met: at least 3 pane rows, but the run has 2",
    "goals: [{rows: pane, at_most: 1}]": "12:9: the goal is not met: at most 1 pane rows, but the run has 2",
    "goals: [{event: TimerFired, count: 0}]": "12:9: the goal is not met: exactly 0 TimerFired events",
}


@pytest.mark.parametrize(("more", "message"), WRONG.items())
def test_check_reports_what_the_run_contradicts(more: str, message: str) -> None:
    (problem,) = problems_of_run(scenario_with(more + "\n"))
    assert str(problem).startswith("story.yaml:" + message)


def test_the_same_problem_at_the_same_place_is_reported_once() -> None:
    (problem,) = problems_of_run(scenario_with("walkthrough: [{at: {step: 0}, say: '{wxyz} {wxyz} {wxyz}'}]\n"))
    assert problem.text.startswith("`wxyz` is not known")


def test_of_very_many_problems_the_first_are_listed_and_the_rest_counted() -> None:
    letters = "abcdefghij"
    names = "".join(f"{{wxyz_{a}{b}{c}}}" for a in letters for b in letters for c in letters)
    found = problems_of_run(scenario_with(f"walkthrough: [{{at: {{step: 0}}, say: '{names}'}}]\n"))
    assert len(found) == 101
    assert str(found[-1]) == "story.yaml: and 900 more problems; fix those above first"


def test_goals_that_are_met_are_not_problems() -> None:
    assert (
        problems_of_run(
            scenario_with("goals: [{rows: dropped, count: 1}, {event: PaneFired, at_least: 1, at_most: 2}]\n")
        )
        == []
    )


@pytest.mark.parametrize("goal", ["rows: pane", "event: PaneFired"])
def test_a_run_that_is_too_long_to_count_is_refused_at_its_goals(goal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.simulator.teaching.lint.COUNTED_STEPS", 3_000)
    generated = "stream: {generate: {events: 1000000000, seed: 1, keys: 3, every: 1s, end: true}}"
    endless = f"{HEAD.partition('stream:')[0]}{generated}\ngoals: [{{{goal}, at_least: 1}}]\n"
    with pytest.raises(ScenarioError, match=r"^story.yaml:8:9: the run has more than 3,000 micro-steps"):
        problems_of_run(parse(endless, "story.yaml"))


def test_a_template_has_names_and_doubled_braces_only() -> None:
    assert fill("a {x} {{y}} {{{z}}}", lambda name, bare: name.upper()) == "a X {y} {Z}"
    assert names("{a}{b}{a}") == ["a", "b", "a"]


@pytest.mark.parametrize(
    "text", ["{", "}", "{}", "{a.b}", "{a[0]}", "{a!r}", "{a:>9}", "{0}", "{A}", "{ a }", "{{a}", "{a}}"]
)
def test_anything_else_in_braces_is_refused(text: str) -> None:
    with pytest.raises(TemplateError):
        fill(text, named)


@given(st.text())
def test_doubled_braces_become_plain_ones(text: str) -> None:
    assert fill(text.replace("{", "{{").replace("}", "}}"), named) == text
