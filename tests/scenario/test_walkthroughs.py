"""Walkthroughs and goals: the step of a beat, the text of a beat, and what ``check`` finds wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator import run_traced
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.languages import TemplateError, fill, names
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.teaching.lint import problems_of_run
from tidemark.simulator.timeline.stops import ResolvedBeat, UnknownNameError, resolve_beats
from tidemark.simulator.timeline.wording import time_format
from tidemark.ui.payload.times import TimeStyle

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


def beats(walkthrough: str) -> list[ResolvedBeat]:
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
    first, second = beats("- {at: {event: PaneFired}, say: one}\n- {at: {event: PaneFired, occurrence: 2}, say: two}\n")
    fired = [number for number, (event, _) in enumerate(events(scenario_with(""))) if event == "PaneFired"]
    assert [first.step, second.step] == fired
    assert [first.text, second.text] == ["one", "two"]


def test_a_beat_on_an_item_is_at_its_last_step_and_a_prediction_before_its_first() -> None:
    say, predict = beats("- {at: {item: 2}, say: x}\n- {at: {item: 2}, predict: windows-that-fire}\n")
    steps = [number for number, (_, item) in enumerate(events(scenario_with(""))) if item == 2]
    assert (predict.step, say.step) == (steps[0], steps[-1])
    assert (say.kind, predict.kind, predict.predict) == ("say", "predict", "windows-that-fire")


def test_names_in_a_text_are_filled_with_the_fields_of_the_event() -> None:
    (beat,) = beats(
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
    assert beats("- {at: {step: 0}, say: '{watermark}'}\n")[0].text == "none"


def test_a_question_has_choices_and_a_reason() -> None:
    (beat,) = beats(
        "- {at: {event: LateDropped}, ask: 'Why {ts}?', choices: [a, '{key}b'], answer: 1, because: 'wm {watermark}',"
        " note: n}\n"
    )
    assert beat == ResolvedBeat(
        0, beat.step, "ask", "Why <1000>?", ("a", "ab"), (None, None), 1, "wm <4999>", None, "n"
    )


def test_a_choice_may_have_a_reply_filled_like_every_text() -> None:
    (beat,) = beats(
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
        beats("- {at: {event: PaneFired}, say: '{windw}'}\n")


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
