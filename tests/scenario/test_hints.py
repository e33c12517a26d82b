"""Hints: an author's likely mistake is reported with its place and the fix; what was intended is left alone."""

from pathlib import Path

import pytest
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.errors import Fix
from tidemark.simulator.scenario import Problem, ScenarioError, load, parse
from tidemark.simulator.teaching.hints import Hint, goals_now, hints
from tidemark.simulator.words import speaking

FOLDER = Path(__file__).parents[2] / "scenarios"

PLAIN = """scenario: 1
name: mine
title: {title}
teaches: [{tags}]
inputs: {{events: {{watermark: {{generator: bounded-out-of-orderness, bound: 1s}}}}}}
operator: {{type: window, assigner: {{type: tumbling, size: 5s}}, function: {{call: reduce, compute: sum}}{operator}}}
stream:
{stream}
"""
IN_ORDER = ("{ts: 1s, key: a, value: 1}", "{ts: 7s, key: a, value: 2}", "{end: true}")
DROPPED = ("{ts: 1s, key: a, value: 1}", "{ts: 7s, key: a, value: 2}", "{ts: 2s, key: a, value: 3}", "{end: true}")


def text(*stream: str, title: str = "Mine", tags: str = "", operator: str = "", more: str = "") -> str:
    items = "\n".join(f"  - {item}" for item in stream)
    return PLAIN.format(title=title, tags=tags, operator=operator, stream=items) + more


def found(written: str) -> list[Hint]:
    return hints(parse(written))


def kinds(written: str) -> list[str]:
    return [hint.kind for hint in found(written)]


# --- titles and tags -----------------------------------------------------------------------------------------------


def test_a_title_promises_a_late_record_and_there_is_none() -> None:
    (hint,) = found(text(*IN_ORDER, title="Late and lost"))
    assert (hint.kind, hint.line, hint.path) == ("title", 3, ("title", "en"))
    assert hint.message == "the title says “Late”, but no record arrives behind the watermark"
    assert not found(text(*DROPPED, title="Late and lost"))


@pytest.mark.parametrize("title", ["Out of order is not late", "Nothing is late", "It is never late", "A later hour"])
def test_a_negated_title_promises_nothing(title: str) -> None:
    late_in_order = ("{ts: 2s, key: a, value: 1}", "{ts: 1s500ms, key: a, value: 1}", *IN_ORDER[1:])
    assert not found(text(*late_in_order, title=title))


def test_a_title_in_chinese() -> None:
    (hint,) = found(text(*IN_ORDER, title="{en: Mine, zh: 迟到的记录}"))
    assert (hint.kind, hint.path) == ("title", ("title", "zh"))
    assert not found(text(*IN_ORDER, title="{en: Mine, zh: 没有迟到}"))
    with speaking("zh"):
        (hint,) = found(text(*IN_ORDER, title="{en: Mine, zh: 迟到的记录}"))
    assert hint.message == "标题说到“迟到”，但没有记录落在水位线之后"


@pytest.mark.parametrize(
    ("tag", "missing"),
    [
        ("session-window", "the windows are not sessions"),
        ("merging", "no windows merge"),
        ("side-output", "no record goes to the side output"),
        ("allowed-lateness", "`allowed_lateness` is 0"),
        ("checkpoint", "no checkpoint is taken"),
        ("interval-join", "the operator is not a join"),
        ("retraction", "no result is retracted"),
        ("out-of-order", "every record arrives in order"),
    ],
)
def test_a_tag_is_a_promise_too(tag: str, missing: str) -> None:
    (hint,) = found(text(*IN_ORDER, tags=f"tumbling-window, {tag}"))
    assert (hint.kind, hint.path) == ("tag", ("teaches", 1))
    assert hint.message == f"the tag `{tag}` is set, but {missing}"


# --- results that do not come --------------------------------------------------------------------------------------


def test_the_last_window_needs_an_end() -> None:
    (hint,) = found(text(*IN_ORDER[:-1]))
    assert (hint.kind, hint.line, hint.path) == ("unfired", 9, ("stream", 1))
    assert hint.message == "the run ends before the last windows fire; records are still waiting in a [5, 10)"
    assert "{end: true}" in hint.fix
    assert "9.999 s" in hint.fix
    assert not found(text(*IN_ORDER))
    assert not found(text(*IN_ORDER[:-1], "{watermark: 9999}"))
    assert kinds(text(*IN_ORDER[:-1], "{watermark: 9998}")) == ["unfired"]


def test_no_window_ever_fires() -> None:
    (hint,) = found(text("{ts: 1s, key: a, value: 1}", "{ts: 2s, key: b, value: 1}"))
    assert hint.kind == "none_fires"
    assert "a [0, 5), b [0, 5)" in hint.message


def test_many_windows_are_counted() -> None:
    (hint,) = found(text(*(f"{{ts: 1s, key: k{n}, value: 1}}" for n in range(9))))
    assert hint.message.endswith("k0 [0, 5), k1 [0, 5), k2 [0, 5), 6 more")


@pytest.mark.parametrize(
    ("operator", "fix"),
    [
        (", time: processing", "Move the clock to 5.000 s"),
        (", trigger: {type: count, max: 9}", "change the trigger"),
    ],
)
def test_what_would_fire_depends_on_the_trigger(operator: str, fix: str) -> None:
    written = text("{ts: 1s, key: a, value: 1, at: 1s}", operator=operator).replace(
        "{generator: bounded-out-of-orderness, bound: 1s}", "{generator: none}"
    )
    (hint,) = found(written)
    assert fix in hint.fix


def test_a_goal_that_counts_the_results_shows_intention() -> None:
    assert not found(text(*IN_ORDER[:-1], more="goals: [{rows: pane, count: 1}]\n"))
    assert kinds(text(*IN_ORDER[:-1], more="goals: [{rows: pane, count: 2}]\n")) == ["unfired"]


def test_a_stream_without_records_gets_no_hint() -> None:
    assert not found(text("{end: true}"))


def test_a_join_without_a_match() -> None:
    written = text("{ts: 1s, key: a, in: left}", "{ts: 9s, key: a, in: right}", "{end: true}")
    operator = "operator: {type: interval-join, lower: 0, upper: 2s}"
    written = "\n".join(operator if line.startswith("operator") else line for line in written.splitlines())
    assert kinds(written.replace("inputs: {events: ", "inputs: {left: ")) == ["no_match"]


# --- slips and settings --------------------------------------------------------------------------------------------


def test_seconds_written_as_milliseconds() -> None:
    hint = found(text("{ts: 1, key: a, value: 1}", "{ts: 3, key: a, value: 1}", "{ts: 12, key: a, value: 1}"))[0]
    assert (hint.kind, hint.path) == ("units", ("stream", 0))
    assert hint.message == "all records are within 12 ms, and a window is 5 s long"


@pytest.mark.parametrize(("language", "unit"), [("en", "write 4s for seconds."), ("zh", "请写 4s。")])
def test_a_length_lacks_its_unit(language: str, unit: str) -> None:
    seconds = text(*IN_ORDER[:2], "{ts: 9s, key: a, value: 1}", IN_ORDER[2])
    with speaking(language):
        (hint,) = found(seconds.replace("bound: 1s", "bound: 4"))
    assert (hint.kind, hint.path) == ("tiny_span", ("inputs", "events", "watermark", "bound"))
    assert "`bound`" in hint.message
    assert hint.fix.endswith(unit)


def test_the_same_record_twice() -> None:
    twice = (IN_ORDER[0], *IN_ORDER)
    (hint,) = found(text(*twice))
    assert (hint.kind, hint.path) == ("twin", ("stream", 1))
    assert not found(text(*twice, tags="duplicates"))


def test_a_channel_that_holds_back_all_others() -> None:
    written = text(*IN_ORDER[:-1]).replace("{events: {", "{events: {channels: 2, ")
    hint = found(written)[0]
    assert (hint.kind, hint.path) == ("silent_channel", ("inputs", "events"))
    assert hint.message.startswith("channel 1 of `events` never sends anything")
    assert "silent_channel" not in kinds(written.replace("bound: 1s", "bound: 1s, idle_timeout: 5s"))


def test_settings_without_effect() -> None:
    assert kinds(text(*IN_ORDER, operator=", allowed_lateness: 3s")) == ["unused_lateness"]
    assert not found(text(*DROPPED, operator=", allowed_lateness: 3s"))
    assert kinds(text(*IN_ORDER, operator=", late_output: side")) == ["no_side_output"]
    assert not found(text(*DROPPED, operator=", late_output: side"))


def test_a_prediction_without_a_question() -> None:
    more = "walkthrough: [{at: {item: 2}, predict: fate-of-record}]\n"
    (hint,) = found(text(*IN_ORDER, more=more))
    assert (hint.kind, hint.path) == ("no_question", ("walkthrough", 0, "predict"))
    assert not found(text(*IN_ORDER, more=more.replace("fate-of-record", "windows-that-fire")))


# --- goals, and the command line -----------------------------------------------------------------------------------


def test_goals_report_their_state() -> None:
    more = "goals: [{rows: dropped, count: 1}, {event: PaneFired, at_least: 3}]\n"
    one, other = goals_now(parse(text(*DROPPED, more=more)))
    assert (one.met, one.found, one.words) == (True, 1, "exactly 1 dropped rows: the run has 1")
    assert (other.met, other.found) == (False, 2)
    assert other.words == "at least 3 PaneFired events wanted, but the run has 2"
    assert goals_now(parse(text(*DROPPED))) == []


def test_the_library_needs_no_hint() -> None:
    found_in = {file.stem: [hint.kind for hint in hints(load(file))] for file in sorted(FOLDER.glob("*.yaml"))}
    assert {name: kinds for name, kinds in found_in.items() if kinds} == {}


def test_check_warns_and_accepts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text(*IN_ORDER, title="Late", more="walkthrough: [{at: {item: 0}, say: Look.}]\n"), "utf-8")
    assert main(["check", str(file)]) == 0
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{file}:3:8: warning: the title says “Late”, but no record")
    assert "sound" in printed.out


# Problems that carry their fix as data: what to write, and where. An editor offers the fix on a button.

SOUND = """\
scenario: 1
name: small
zone: Europe/Berlin
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 4}
  - {end: true}
"""


def problems_of(text: str) -> list[Problem]:
    try:
        parse(text)
    except ScenarioError as refusal:
        return refusal.problems
    return []


def fixed(text: str, fix: Fix) -> str:
    """The text with the fix applied."""
    lines = text.split("\n")
    line, start = lines[fix.line - 1], fix.column - 1
    assert line.startswith(fix.found, start)
    lines[fix.line - 1] = line[:start] + fix.write + line[start + len(fix.found) :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("right", "wrong", "fix"),
    [
        ("tumbling", "Tumbling", Fix(4, 43, "Tumbling", "tumbling")),
        ("function:", "functoin:", Fix(4, 64, "functoin", "function")),
        ("type: window", "tpye: window", Fix(4, 12, "tpye", "type")),
        ("key: a", "kye: a", Fix(6, 14, "kye", "key")),
        ("Berlin", "Berln", Fix(3, 7, "Europe/Berln", "Europe/Berlin")),
        ("compute: sum}}", "compute: sum}", Fix(4, 105, "", "}")),
        ("value: 4}", "value: 4", Fix(6, 30, "", "}")),
    ],
)
def test_a_fix_makes_the_file_sound_again(right: str, wrong: str, fix: Fix) -> None:
    text = SOUND.replace(right, wrong)
    (problem,) = problems_of(text)
    assert problem.fix == fix
    assert fixed(text, fix) == SOUND


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("key: a", '"kye": a'),  # in quotes: the fix would have to find where they end
        ("tumbling", "sideways"),  # no similar name
        ("value: 4}", "value: 4  # the last"),  # the comment would swallow the bracket
        ("value: 4}", 'value: "4'),  # a quote is open, not a bracket
        ("size: 5s}", "size: -5s}"),  # the intended size is unknown
    ],
)
def test_there_is_no_fix_where_the_intention_is_unknown(right: str, wrong: str) -> None:
    found = problems_of(SOUND.replace(right, wrong))
    assert found
    assert all(problem.fix is None for problem in found)


def test_a_fix_agrees_with_its_message() -> None:
    (problem,) = problems_of(SOUND.replace("tumbling", "Tumbling"))
    assert str(problem) == "scenario.yaml:4:43: `Tumbling` is not known here; did you mean `tumbling`?"
