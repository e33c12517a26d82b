"""Each question has one right answer, taken from the trace, and wrong answers that name their misconception."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from tidemark.simulator.explore.questions import Examiner, Question, Span, arrival
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words

from tests.each import for_each
from tests.examples import examples
from tests.random_scenarios.flink import SHORT, scenarios
from tests.timeline.scenarios import late_but_allowed
from tidemark import simulator

ROOT = Path(__file__).parents[2]
LIBRARY = sorted((ROOT / "scenarios").glob("*.yaml"))
RESTORED = [
    ROOT / "tests" / "golden" / f"checkpoint-{name}.yaml"
    for name in ("generator", "session", "two", "window-join", "processing-replay", "reduce-delta")
]
OF_WATERMARKS = {None, "bound-forgotten", "no-minus-one", "fastest-channel", "after-each-record"}


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return Examiner(run_of(late_but_allowed()))


def question_of(examiner: Examiner, kind: str, item: int) -> Question:
    question = examiner.question(kind, item)
    assert question is not None
    return question


def answers(question: Question) -> dict[str | None, object]:
    """The answers by the belief behind them. ``None`` stands for the right one and for wrong ones without a belief."""
    return {choice.belief: choice.value for choice in question.choices}


def test_the_new_watermark(examiner: Examiner) -> None:
    question = question_of(examiner, "new-watermark", 3)
    assert question.choices[question.right].value == 2699
    assert answers(question)["no-minus-one"] == 2700


def test_the_windows_that_fire(examiner: Examiner) -> None:
    question = question_of(examiner, "windows-that-fire", 5)
    rows = [row for row in simulator.run_rows(late_but_allowed()) if row["row"] == "pane" and row["item"] == 5]
    fired = [{name: row[name] for name in ("key", "start", "end")} for row in rows]
    right = question.choices[question.right].value
    assert sorted(right, key=repr) == sorted(fired, key=repr)


def test_the_fate_of_a_record(examiner: Examiner) -> None:
    question = question_of(examiner, "fate-of-record", 6)
    assert question.choices[question.right].value == "late-accepted"
    assert answers(question)["late-is-out-of-order"] == "dropped"


def test_the_next_timer_is_at_the_last_instant(examiner: Examiner) -> None:
    question = question_of(examiner, "next-timer", 1)
    right = question.choices[question.right].value
    assert (right["timestamp"], right["start"], right["end"]) == (4999, 0, 5000)


def test_a_question_without_sense_is_not_asked(examiner: Examiner) -> None:
    assert examiner.question("fate-of-record", 10) is None  # the end of input is no record
    assert examiner.question("new-watermark", 99) is None


@for_each([*LIBRARY, *RESTORED], lambda file: file.stem)
def test_the_questions_of_the_library_are_correct(file: Path) -> None:
    scenario = load(file)
    if scenario.engine == "flink" and isinstance(scenario.stream, tuple):
        check_questions(Examiner(run_of(scenario)))


@settings(max_examples=examples(20), deadline=None)
@given(scenarios(uses=SHORT))
def test_the_questions_of_any_run_are_correct(scenario: Scenario) -> None:
    check_questions(Examiner(run_of(scenario)))


def check_questions(examiner: Examiner) -> None:
    for question in examiner.suggested():
        values = [json.dumps(choice.value, sort_keys=True) for choice in question.choices]
        assert 2 <= len(values) == len(set(values)) <= 4
        right = question.choices[question.right]
        assert right.belief is None
        assert (question.step, question.until) == own_steps(examiner.truth, question.item)
        assert right.value == true_answer(examiner.truth, question)
        for choice in question.choices:
            assert choice.belief is None or words(f"beliefs.{choice.belief}.claim")
        if question.kind == "new-watermark":
            assert set(answers(question)) <= OF_WATERMARKS


def own_steps(run: Ran, item: int) -> tuple[int, int]:
    """First and last step of the item before another item has any."""
    steps = run.trace.steps
    first = next(step.step for step in steps if step.item == item)
    return first, next((step.step for step in steps[first:] if step.item != item), len(steps)) - 1


def true_answer(run: Ran, question: Question) -> object:
    """The answer from the facts and events of the item's own steps, found without the code that is under test."""
    steps = run.trace.steps[question.step : question.until + 1]
    if question.kind == "new-watermark":
        return steps[-1].watermark
    tables = run.facts.at(question.until)
    if question.kind == "fate-of-record":
        return next(row["fate"] for row in tables["records"] if row["item"] == question.item)
    if question.kind == "state-entries":
        return sum(row["entries"] for row in tables["state"] if row["state"] in ("window-contents", "window-aggs"))
    assert question.kind == "windows-that-fire"
    rows = [row["row"] for row in tables["outputs"] if row["row"]["item"] == question.item]
    fired = [row for row in rows if row["row"] in ("pane", "joined", "group", "ranked")]
    windows = {json.dumps({name: row[name] for name in ("key", "start", "end")}, sort_keys=True) for row in fired}
    return [json.loads(window) for window in sorted(windows)]


def library(name: str) -> Ran:
    return run_of(load(ROOT / "scenarios" / f"{name}.yaml"))


def test_an_answer_is_about_the_time_before_the_restore() -> None:
    examiner = Examiner(library("restart-forgets-the-watermark"))
    watermark = question_of(examiner, "new-watermark", 2)
    assert watermark.choices[watermark.right].value == 6999
    fired = question_of(examiner, "windows-that-fire", 3)
    assert (fired.step, fired.until, fired.choices[fired.right].value) == (15, 23, [])
    fate = question_of(examiner, "fate-of-record", 2)
    assert fate.choices[fate.right].value == "dropped"


def test_no_question_is_settled_before_its_record_arrives() -> None:
    run = library("idle-channel")
    assert question_of(Examiner(run), "windows-that-fire", 4).step == 43  # an author may ask it
    for question in Examiner(run).suggested():
        came = arrival(run, Span(question.step, question.until))
        assert question.kind != "windows-that-fire" or not any(
            question.step <= result.step < came for results in run.results.values() for result in results
        )
    assert 43 not in [question.step for question in Examiner(run).suggested()]


def test_an_authors_question_replaces_the_suggested_one() -> None:
    examiner = Examiner(run_of(late_but_allowed()))
    first = next(examiner.suggested())
    assert first.item not in [question.item for question in examiner.suggested([first.until])]
    assert first.item not in [question.item for question in examiner.suggested([first.step])]


def test_a_question_that_contains_its_answer_is_not_asked() -> None:
    for name in ("early-on-time-late", "the-day-so-far", "a-gap-of-its-own"):
        kinds = [question.kind for question in Examiner(library(name)).suggested()]
        assert "new-watermark" not in kinds


def test_each_wrong_watermark_has_one_belief_or_none() -> None:
    two_clocks = answers(question_of(Examiner(library("two-clocks")), "new-watermark", 1))
    assert (two_clocks["bound-forgotten"], two_clocks["no-minus-one"]) == (3000, -7000)
    assert set(two_clocks) == {None, "bound-forgotten", "no-minus-one"}


def test_the_fastest_channel_is_among_the_answers() -> None:
    run = library("late-but-allowed")
    question = question_of(Examiner(run), "new-watermark", 3)
    channels = run.facts.at(question.until, "channels")["channels"]
    assert answers(question)["fastest-channel"] == max(row["watermark"] for row in channels) == 4199


def test_the_values_that_are_counted_are_those_in_the_windows() -> None:
    question = question_of(Examiner(library("session-grows")), "state-entries", 1)
    assert question.choices[question.right].value == 1  # one sum; which state window it is in does not count


def test_without_windows_no_record_counts_in_a_further_result() -> None:
    question = question_of(Examiner(library("car-trace")), "fate-of-record", 3)
    assert {choice.value for choice in question.choices} == {"dropped", "on-time"}


def test_the_answers_have_the_same_order_every_time() -> None:
    one, other = (list(Examiner(run_of(late_but_allowed())).suggested()) for _ in range(2))
    assert one == other
