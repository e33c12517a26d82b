# ruff: noqa: E501 - the tables below have one case per line
"""What ``check`` refuses: for each rule a file that breaks it, and the place that the message names.

A file has a window operator unless ``engine``, ``inputs``, ``operator`` or ``stream`` are given. Line 1 is the version,
2 the name, 3 the inputs, 4 the operator, 5 the stream; everything else follows.
"""

from typing import Any

import pytest
from tidemark.simulator.scenario import ScenarioError, load, parse, read

from tests.each import for_each

WINDOW = "assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}"
COUNTING = "assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}"
GLOBAL = "assigner: {type: global}, function: {call: aggregate, compute: sum}"
SESSION = "assigner: {type: session, gap: 5s}, function: {call: aggregate, compute: sum}"
PROCESS = "{type: process, function: {call: event-sort}}"


def text(
    inputs: str = "{}",
    operator: str = WINDOW,
    stream: str = "[]",
    more: str = "",
    engine: str = "flink",
    name: str = "a",
) -> str:
    if not operator.startswith("{"):
        operator = f"{{type: window, {operator}}}"
    return (
        f"{{scenario: 1, engine: {engine},\nname: {name},\ninputs: {inputs},\noperator: {operator},\n"
        f"stream: {stream},\n{more}}}"
    )


def problems(**parts: Any) -> list[str]:
    try:
        parse(text(**parts), "a.yaml")
    except ScenarioError as refusal:
        return [str(problem) for problem in refusal.problems]
    return []


def operator(rest: str) -> dict[str, str]:
    return {"operator": rest}


def stream(items: str, **more: str) -> dict[str, str]:
    return {"stream": items, **more}


SQL = "api: sql, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}"
SQL_SESSION = "api: sql, assigner: {type: session, gap: 5s}, function: {call: aggregate, compute: sum}"
TICKING = "{e: {watermark: {generator: monotonous, emit: 1ms}}}"
GENERATE = "events: 2, seed: 1, keys: 1, every: 1s"

REFUSED: list[tuple[str, dict[str, str], str]] = [
    # the top
    ("unknown key", {"more": "tite: x"}, "a.yaml:6:1: there is no key `tite` here; did you mean `title`?"),
    ("unknown key, nothing near", {"more": "wxyz: x"}, "a.yaml:6:1: there is no key `wxyz` here; there are"),
    ("engine", {"engine": "sparc"}, "a.yaml:1:23: `sparc` is not known here; did you mean `spark`?"),
    ("version of Flink", {"more": "flink: 1.12"}, "a.yaml:6:8: `1.12` is no version of Flink that is known here; write one of `1.13`, `1.14`, `1.15`, `1.16`, `1.17`, `1.18`, `1.19`, `1.20`, `2.0`, `2.1`, `2.2`, `2.3`"),
    ("version of Flink as a number", {"more": "flink: 1.2"}, "a.yaml:6:8: `1.2` is not known here; did you mean `1.20`?"),
    ("version of Flink with its patch", {"more": 'flink: "1.18.1"'}, "did you mean `1.18`?"),
    ("version of Flink, a list", {"more": "flink: [2.3]"}, "a.yaml:6:8: a list is no version of Flink"),
    ("version of Flink for Spark", {"engine": "spark", "more": 'flink: "1.18"'}, "a.yaml:6:1: `flink` is not allowed with `engine: spark`; delete it"),
    ("name", {"name": "A b"}, "a.yaml:2:7: `A b` is here instead of a name"),
    ("name is a number", {"name": "12"}, "a.yaml:2:7: `12` is here instead of a name"),
    ("title is a number", {"more": "title: 5"}, "a.yaml:6:8: `5` is here instead of a text of one line"),
    ("title of two lines", {"more": 'title: "a\\nb"'}, "a.yaml:6:8: "),
    ("zone", {"more": "zone: Europe/Berlim"}, "a.yaml:6:7: `Europe/Berlim` is not known here; did you mean `Europe/Berlin`?"),
    ("many choices", {"more": "goals: [{event: wxyzwxyz, count: 1}]"}, "a.yaml:6:17: `wxyzwxyz` is not known here; choose one of `RowStored`, `RowDisplaced`, `RowIgnored`, `DeduplicateEmitted`, `VersionStored`, `VersionsRemoved`, `LeftRowJoined`, `LeftRowUnmatched`, `FrameMoved`, …"),
    ("zone of the machine", {"more": "zone: localtime"}, "a.yaml:6:7: `localtime` is not known here; write a time zone of the IANA database, such as"),
    ("zone of POSIX", {"more": "zone: posixrules"}, "a.yaml:6:7: "),
    ("zone, nothing near", {"more": "zone: wxyzwxyzwxyz"}, "write a time zone of the IANA database, such as Europe/Berlin, Asia/Shanghai or UTC"),
    ("zone is a path", {"more": "zone: ../../etc/passwd"}, "a.yaml:6:7: "),
    ("origin without zone", {"more": "origin: 2017-01-20T06:15:13"}, "a.yaml:6:9: `2017-01-20T06:15:13` has no zone"),
    ("origin too fine", {"more": "origin: 2017-01-20T06:15:13.0001Z"}, "is more precise than a millisecond"),
    ("origin that cannot be", {"more": "origin: 2017-02-30T06:15:13Z"}, "is not a date and time that exists"),
    ("level", {"more": "level: beginner"}, "a.yaml:6:8: `beginner` is not known here; choose one of `novice`"),
    ("minutes", {"more": "minutes: five"}, "a.yaml:6:10: `five` is here instead of a number"),
    ("tags", {"more": "teaches: late"}, "a.yaml:6:10: `late` is here instead of a list"),
    ("text without English", {"more": "title: {zh: x}"}, "a.yaml:6:8: `en` is missing here"),
    ("text without its language", {"more": "language: de,\ntitle: {en: x}"}, "a.yaml:7:8: `de` is missing here"),
    ("language", {"more": "language: german"}, "a.yaml:6:11: `german` is here instead of a language tag"),
    ("text in another language", {"more": "title: {en: x, german: y}"}, "a.yaml:6:16: `german` is no language tag"),
    ("text with a comma", {"more": "title: {en: Late, but allowed}"}, "a.yaml:6:19: `but allowed` is no language tag; if it belongs to the text before it, put that text into quotes"),
    # inputs
    ("two inputs", {"inputs": "{a: {}, b: {}}"}, "a.yaml:3:17: `b` is a second input"),
    ("input of a join", {"inputs": "{lefd: {}}", **operator("{type: interval-join, lower: 0, upper: 1}")}, "did you mean `left`?"),
    ("input's name", {"inputs": "{1: {}}"}, "a.yaml:3:10: the key `1` must be a text"),
    ("channels", {"inputs": "{e: {channels: 0}}"}, "a.yaml:3:24: 0 is too small; the minimum is 1"),
    ("generator", {"inputs": "{e: {watermark: {generator: bounded}}}"}, "a.yaml:3:37: `bounded` is not known here"),
    ("bound missing", {"inputs": "{e: {watermark: {generator: sql}}}"}, "a.yaml:3:25: `bound` is missing here"),
    ("bound refused", {"inputs": "{e: {watermark: {generator: monotonous, bound: 1s}}}"}, "`bound` is not allowed with `generator: monotonous`"),
    ("bound negative", {"inputs": "{e: {watermark: {generator: sql, bound: -1s}}}"}, "`-1s` is too short; the minimum is 0s"),
    ("emit refused", {"inputs": "{e: {watermark: {generator: punctuated, bound: 0, emit: 1s}}}"}, "`emit` is not allowed with"),
    ("emit 0", {"inputs": "{e: {watermark: {generator: monotonous, emit: 0}}}"}, "`0` is too short; the minimum is 1ms"),
    ("none takes nothing", {"inputs": "{e: {watermark: {idle_timeout: 1s}}}"}, "`idle_timeout` is not allowed with `generator: none`"),
    ("delay is Spark's", {"inputs": "{e: {watermark: {delay: 1s}}}"}, "there is no key `delay` here"),
    # operators
    ("operator type", operator("{type: windw}"), "a.yaml:4:18: `windw` is not known here; did you mean `window`?"),
    ("operator without type", operator("{lower: 1}"), "a.yaml:4:11: `type` is missing here; choose one of `window`"),
    ("api", operator(f"api: table, {WINDOW}"), "`table` is not known here"),
    ("function missing", operator("assigner: {type: global}"), "a.yaml:4:11: `function` is missing here"),
    ("compute missing", operator("assigner: {type: global}, function: {call: reduce}"), "`compute` is missing here"),
    ("compute of reduce", operator("assigner: {type: global}, function: {call: reduce, compute: avg}"), "`avg` is not known here"),
    ("call of sql", operator("api: sql, assigner: {type: session, gap: 1}, function: {call: reduce, compute: sum}"), "`reduce` is not known here"),
    ("call of process", operator("{type: process, function: {call: event-sort, compute: sum}}"), "there is no key `compute` here; there are `call`"),
    ("assigner of the other api", operator("assigner: {type: cumulative, max_size: 4, step: 2}, function: {call: aggregate, compute: sum}"), "`cumulative` is not known"),
    ("global in sql", operator("api: sql, assigner: {type: global}, function: {call: aggregate, compute: sum}"), "`global` is not known"),
    ("size 0", operator(WINDOW.replace("5s", "0")), "`0` is too short; the minimum is 1ms"),
    ("size is a number with a point", operator(WINDOW.replace("5s", "5.0")), "`5.0` is here instead of a duration"),
    ("size is no duration", operator(WINDOW.replace("5s", "5 s")), "`5 s` is here instead of a duration"),
    ("size is quoted", operator(WINDOW.replace("5s", '"5"')), "the text `5` is here instead of a duration"),
    ("gap of tumbling", operator(WINDOW.replace("size: 5s", "size: 5s, gap: 1s")), "`gap` is not allowed with `type: tumbling`"),
    ("offset", operator(WINDOW.replace("size: 5s", "size: 5s, offset: -5s")), "the offset -5s is not smaller than the size, 5s"),
    ("offset of sliding", operator("assigner: {type: sliding, size: 9s, slide: 3s, offset: 3s}, function: {call: aggregate, compute: sum}"), "not smaller than the slide, 3s"),
    ("too many windows", operator("assigner: {type: sliding, size: 10001, slide: 1}, function: {call: aggregate, compute: sum}"), "more than 10000 windows"),
    ("cumulative", operator("api: sql, assigner: {type: cumulative, max_size: 5, step: 2}, function: {call: aggregate, compute: sum}"), "`max_size` must be a multiple of `step`, 2ms"),
    ("evictor in sql", operator(f"{SQL}, evictor: {{type: count, max: 1}}"), "`evictor` is not allowed with `type: window`, `api: sql`"),
    ("side output in sql", operator(f"{SQL}, late_output: side"), "`side` is not known here"),
    ("updates outside sql", operator(f"{WINDOW}, updates: true"), "`updates` is not allowed with"),
    ("late in processing time", operator(f"{SQL}, time: processing, trigger: {{type: after-end-of-window, late: {{type: every-element}}}}"), "in processing time nothing is late"),
    ("trigger of the other api", operator(f"{SQL}, trigger: {{type: event-time}}"), "`event-time` is not known here"),
    ("count 0", operator(f"{WINDOW}, trigger: {{type: count, max: 0}}"), "0 is too small; the minimum is 1"),
    ("event-time on global", operator(f"{GLOBAL}, trigger: {{type: event-time}}"), "`event-time` waits for the window's end"),
    ("processing-time inside, on global", operator(f"{GLOBAL}, trigger: {{type: purging, inner: {{type: processing-time}}}}"), "`processing-time` waits"),
    ("never off global", operator(f"{WINDOW}, trigger: {{type: never}}"), "`never` is only for the global window"),
    ("delta on session", operator(f"{SESSION}, trigger: {{type: delta, threshold: 1}}"), "`delta` cannot merge"),
    ("timeout inside, on session", operator(f"{SESSION}, trigger: {{type: purging, inner: {{type: processing-timeout, inner: {{type: count, max: 1}}, timeout: 1}}}}"), "`processing-timeout` cannot merge"),
    ("for ever", {**operator(f"{GLOBAL}, trigger: {{type: purging, inner: {{type: continuous-event-time, interval: 1s}}}}"), **stream("[{end: true}]")}, "would fire forever"),
    ("lateness negative", operator(f"{WINDOW}, allowed_lateness: -1"), "`-1` is too short; the minimum is 0s"),
    ("function in a join", operator("{type: window-join, assigner: {type: global}, function: {call: reduce, compute: sum}}"), "`function` is not allowed with `type: window-join`"),
    ("join kind of a window join", operator("{type: window-join, assigner: {type: global}, join: full}"), "`join` is not allowed with"),
    ("bounds", operator("{type: interval-join, lower: 2s, upper: 1s}"), "`lower` is above `upper`, 1s"),
    ("one bound", operator("{type: interval-join, lower: 2s}"), "`upper` is missing here"),
    # the stream
    ("stream is a text", stream("none"), "a.yaml:5:9: `none` is here instead of a list of items"),
    ("item is a number", stream("[1]"), "a.yaml:5:10: `1` is here instead of an item"),
    ("item of no kind", stream("[{watrmark: 5}]"), "a.yaml:5:11: there is no key `watrmark` here; did you mean `watermark`?"),
    ("item of two kinds", stream("[{ts: 1, key: a, value: 1, watermark: 3}]"), "a.yaml:5:36: a record does not have `watermark`"),
    ("watermark with a value", stream("[{watermark: 3, value: 3}]"), "`value` is not allowed with `watermark: …`"),
    ("no key", stream("[{ts: 1, value: 1}]"), "a.yaml:5:10: `key` is missing here"),
    ("no timestamp", stream("[{key: a, value: 1}]"), "a.yaml:5:10: `ts` is missing here"),
    ("key is a number with a point", stream("[{ts: 1, key: 1.5, value: 1}]"), "`1.5` is here instead of a key"),
    ("key is null", stream("[{ts: 1, key: , value: 1}]"), "nothing is here instead of a key"),
    ("value is nested", stream("[{ts: 1, key: a, value: {a: {b: 1}}}]", operator=COUNTING), "a mapping is here instead of a number, a text"),
    ("value is a boolean", stream("[{ts: 1, key: a, value: true}]", operator=COUNTING), "`true` is here instead of a value"),
    ("value is no number", stream("[{ts: 1, key: a, value: x}]"), "a.yaml:5:33: with `compute: sum` each record needs a number"),
    ("value is absent", stream("[{ts: 1, key: a}]"), "a.yaml:5:10: with `compute: sum`"),
    ("value under a delta trigger", stream("[{ts: 1, key: a, value: x}]", operator=f"{COUNTING}, trigger: {{type: delta, threshold: 1}}"), "with `trigger: {type: delta}`"),
    ("value under a delta evictor", stream("[{ts: 1, key: a, value: x}]", operator=f"{COUNTING}, evictor: {{type: delta, threshold: 1}}"), "with `evictor: {type: delta}`"),
    ("number beyond 64 bits", stream("[{ts: 1, key: a, value: 9223372036854775808}]"), "a.yaml:5:33: this number is beyond 64 bits"),
    ("no finite number", stream("[{ts: 1, key: a, value: .nan}]"), "a.yaml:5:33: numbers must be finite"),
    ("infinite by its exponent", stream("[{ts: 1, key: a, value: 1e999}]"), "numbers must be finite"),
    ("gap field", stream("[{ts: 1, key: a, value: {gap: 1.5}}]", operator="assigner: {type: dynamic-session, gap_field: gap}, function: {call: aggregate, compute: count}"), "needs the gap in `gap`"),
    ("generated gap field", stream(f"{{generate: {{{GENERATE}}}}}", operator="assigner: {type: dynamic-session, gap_field: gap}, function: {call: aggregate, compute: count}"), "needs the gap in `gap`"),
    ("side in a window", stream("[{ts: 1, key: a, value: 1, in: left}]"), "a record does not have `in`"),
    ("no side in a join", stream("[{ts: 1, key: a}]", operator="{type: window-join, assigner: {type: session, gap: 1}}"), "`in` is missing here"),
    ("channel", stream("[{ts: 1, key: a, value: 1, channel: 1}]"), "a.yaml:5:45: there is no channel 1; the input has 1"),
    ("time beyond 64 bits", stream("[{ts: 1ms, key: a, value: 1}]", more="origin: 9223372036854775807"), "a.yaml:5:15: `1ms`, counted from origin"),
    ("status", stream("[{status: idl}]"), "`idl` is not known here; did you mean `idle`?"),
    ("advance back", stream("[{advance: -1s}]"), "`-1s` is too short"),
    ("end is false", stream("[{end: false}]"), "`false` is here instead of true"),
    ("restore of nothing", stream("[{restore: c}]"), "a.yaml:5:20: no checkpoint `c` is taken before this"),
    ("restore of a void one", stream("[{checkpoint: a}, {checkpoint: b}, {restore: a}, {restore: b}]"), "the checkpoint `b` is void"),
    ("ticks", stream("[{advance: 1001s}]", inputs=TICKING), "a.yaml:5:10: the generators would tick 1001000 times"),
    ("ticks on the way to an item", stream("[{ts: 0, key: a, value: 1, at: 1001s}]", inputs=TICKING), "a.yaml:5:10: the generators would tick"),
    ("the end of the clock", stream("[{ts: 0, key: a, value: 1, at: 9223372036854775807}, {advance: 1}]"), "a.yaml:5:62: the clock passes the end of 64 bits"),
    ("panes", operator("api: sql, assigner: {type: sliding, size: 1h, slide: 3599999}, function: {call: aggregate, compute: sum}"), "would consist of 3600000 panes"),
    ("ticks of a generated stream", stream("{generate: {events: 100, seed: 1, keys: 1, every: 1h}}", inputs=TICKING), "would tick"),
    ("events", stream("{generate: {events: 1000000001, seed: 1, keys: 1, every: 1s}}"), "1000000001 is too large"),
    ("keys", stream("{generate: {events: 1, seed: 1, keys: 0, every: 1s}}"), "0 is too small; the minimum is 1"),
    ("seed missing", stream("{generate: {events: 1, keys: 1, every: 1s}}"), "`seed` is missing here"),
    ("fraction", stream(f"{{generate: {{{GENERATE}, late: {{fraction: 1.5}}}}}}"), "`1.5` is here instead of a fraction from 0 to 1"),
    ("decimals", stream(f"{{generate: {{{GENERATE}, late: {{fraction: 0.1234567}}}}}}"), "at most six decimals"),
    ("range", stream(f"{{generate: {{{GENERATE}, values: [9, 1]}}}}"), "the lowest value, 9, is above the highest, 1"),
    ("generated times", stream("{generate: {events: 1000000000, seed: 1, keys: 1, every: 9999999d}}"), "the generated times would leave 64 bits"),
    ("batches are Spark's", stream("[{batch: end}]"), "there is no key `batch`"),
    # walkthrough and goals
    ("beat without a place", {"more": "walkthrough: [{say: x}]"}, "a.yaml:6:15: `at` is missing here"),
    ("beat of no kind", {"more": "walkthrough: [{at: {step: 1}}]"}, "write exactly one of `say`, `ask`, `predict`"),
    ("beat of two kinds", {"more": "walkthrough: [{at: {step: 1}, say: x, predict: next-timer}]"}, "write exactly one of"),
    ("two places", {"more": "walkthrough: [{at: {step: 1, item: 1}, say: x}]"}, "write exactly one of `event`, `item`, `step`"),
    ("event", {"more": "walkthrough: [{at: {event: PanFired}, say: x}]"}, "did you mean `PaneFired`?"),
    ("occurrence 0", {"more": "walkthrough: [{at: {event: PaneFired, occurrence: 0}, say: x}]"}, "0 is too small"),
    ("one choice", {"more": "walkthrough: [{at: {step: 1}, ask: x, choices: [a], answer: 0}]"}, "this list needs at least 2 items"),
    ("answer", {"more": "walkthrough: [{at: {step: 1}, ask: x, choices: [a, b], answer: 2}]"}, "`answer` is an index into `choices`, from 0 to 1"),
    ("choices of a say", {"more": "walkthrough: [{at: {step: 1}, say: x, choices: [a, b]}]"}, "`choices` goes with `ask`"),
    ("placeholder", {"more": "walkthrough: [{at: {step: 1}, say: 'a {key.__class__} b'}]"}, "is not a placeholder"),
    ("goal of nothing", {"more": "goals: [{count: 1}]"}, "write exactly one of `rows`, `event`"),
    ("goal without a number", {"more": "goals: [{rows: pane}]"}, "write at least one of `count`"),
    ("rows of a goal", {"more": "goals: [{rows: panes, count: 1}]"}, "did you mean `pane`?"),
    # Spark's own rules
    ("append without watermark", {"engine": "spark"}, "`append` needs a watermark"),
    ("session in update mode", {"engine": "spark", **operator(f"{SESSION}, output_mode: update")}, "no session windows in update mode"),
    ("slide above size", {"engine": "spark", **operator("assigner: {type: sliding, size: 1s, slide: 2s}, function: {call: aggregate, compute: sum}")}, "the slide is longer than the size, 1s"),
    ("one bound of a stream join", {"engine": "spark", **operator("{type: stream-join, lower: 1s}")}, "`upper` is missing here"),
    ("watermark item", {"engine": "spark", **stream("[{watermark: 1}]")}, "there is no key `watermark`"),
    ("channel", {"engine": "spark", **stream("[{ts: 1, key: a, value: 1, channel: 0}]")}, "a record does not have `channel` here"),
    ("trigger", {"engine": "spark", **operator(f"{WINDOW}, trigger: {{type: event-time}}")}, "there is no key `trigger`"),
]  # fmt: skip


@for_each(REFUSED, lambda case: case[0])
def test_a_broken_rule_is_reported_at_its_place(case: tuple[str, dict[str, str], str]) -> None:
    _, parts, message = case
    found = problems(**parts)
    assert found
    assert message in "\n".join(found)


ACCEPTED: list[tuple[str, dict[str, str]]] = [
    ("the plainest", {}),
    ("an empty stream in processing time", operator(f"{WINDOW}, time: processing")),
    ("a record without ts in processing time", {**operator(f"{WINDOW}, time: processing"), **stream("[{key: a, value: 1}]")}),
    ("any offset in sql", operator(SQL.replace("size: 5s", "size: 5s, offset: 1h"))),
    ("10,000 windows", operator("assigner: {type: sliding, size: 10000, slide: 1}, function: {call: aggregate, compute: sum}")),
    ("1,000,000 ticks", stream("[{advance: 1000s}]", inputs=TICKING)),
    ("continuous on global without an end", operator(f"{GLOBAL}, trigger: {{type: continuous-event-time, interval: 1s}}")),
    ("a checkpoint taken again", stream("[{checkpoint: a}, {checkpoint: b}, {restore: a}, {checkpoint: b}, {restore: b}]")),
    ("keys of every kind", stream("[{ts: 1, key: 1, value: 1}, {ts: 1, key: '1', value: 1}, {ts: 1, key: true, value: 1}]")),
    ("any value is counted", stream("[{ts: 1, key: a, value: {x: 1, y: null, z: true}}, {ts: 1, key: a}]", operator=COUNTING)),
    ("an interval join keeps any value", stream("[{in: left, ts: 1, key: a, value: x}]", operator="{type: interval-join, lower: 0, upper: 0}")),
    ("texts in two languages", {"more": "title: {en: a, zh: b}"}),
    ("braces in a text", {"more": "walkthrough: [{at: {step: 0}, say: '{{ {watermark} }}'}]"}),
    ("spark with a watermark", {"engine": "spark", "inputs": "{e: {watermark: {delay: 1s}}}", **stream("[{ts: 1, key: a, value: 1}, {batch: end}]")}),
    ("a sort", operator(PROCESS)),
]  # fmt: skip


@pytest.mark.parametrize("parts", [case[1] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
def test_everything_that_the_format_allows_is_accepted(parts: dict[str, str]) -> None:
    assert problems(**parts) == []


def test_all_problems_are_reported_at_once_in_the_order_of_the_file() -> None:
    found = problems(
        inputs="{e: {chanels: 2}}",
        operator=f"{WINDOW}, trigger: {{type: never}}",
        stream="[{ts: 1, key: a, value: x}, {wm: 2}, {ts: 1.5, key: a}]",
        more="lvl: 1",
    )
    places = [problem.split(": ")[0] for problem in found]
    assert places == ["a.yaml:3:14", "a.yaml:4:116", "a.yaml:5:38", "a.yaml:5:51", "a.yaml:6:1"]


def test_values_in_messages_are_short_and_show_no_control_characters() -> None:
    (found,) = problems(name='"' + "x\\e[31m" * 1000 + '"')
    assert len(found) < 250
    assert "\x1b" not in found


@pytest.mark.parametrize(
    ("more", "warning"),
    [
        ("allowed_lateness: 1s", ": warning: Flink's SQL planner allows no lateness"),
        (
            "trigger: {type: after-end-of-window, early: {type: every-element}}",
            "warning: Flink's SQL planner allows no early",
        ),
    ],
)
def test_a_warning_does_not_refuse_the_file(more: str, warning: str, tmp_path: Any) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(text(operator=f"{SQL_SESSION}, {more}"))
    _, warnings = read(file)
    assert [warning in str(each) for each in warnings] == [True]


def test_a_file_that_is_called_json_is_json(tmp_path: Any) -> None:
    file = tmp_path / "a.json"
    file.write_text(text())
    with pytest.raises(ScenarioError):
        load(file)


OTHER_NAMES = [
    (
        "b.yaml",
        "by the name of its file, which is another one here; rename the file to `a.yaml`, or the scenario to `b`",
    ),
    ("my_query.yaml", "by the name of its file, which is another one here; rename the file to `a.yaml`"),
    ("b.yml", "by the name of its file, which is another one here; rename the file to `a.yaml`"),
    ("a.yml", "a library has only files that end in .yaml or .json; rename the file to `a.yaml`"),
    ("a", "a library has only files that end in .yaml or .json; rename the file to `a.yaml`"),
    ("a.yaml.bak", "rename the file to `a.yaml`"),
]


@pytest.mark.parametrize(("name", "advice"), OTHER_NAMES)
def test_a_file_that_was_renamed_is_read_with_a_warning(name: str, advice: str, tmp_path: Any) -> None:
    file = tmp_path / name
    file.write_text(text())
    scenario, (warning,) = read(file)
    assert scenario.name == "a"
    assert warning.warning
    assert warning.text.endswith(advice)


@pytest.mark.parametrize(("name", "advice"), OTHER_NAMES)
def test_in_a_library_a_scenario_has_the_name_of_its_file(name: str, advice: str, tmp_path: Any) -> None:
    file = tmp_path / name
    file.write_text(text())
    with pytest.raises(ScenarioError) as refusal:
        load(file, of_library=True)
    assert refusal.value.problems[0].text.endswith(advice)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (
            operator(WINDOW.replace("assigner", "asigner")),
            "a.yaml:4:26: there is no key `asigner` here; did you mean `assigner`?",
        ),
        (
            operator("{tpye: window, assigner: {type: global}}"),
            "a.yaml:4:12: there is no key `tpye` here; did you mean `type`?",
        ),
        (stream("[{ts: 1, kye: a, value: 1}]"), "a.yaml:5:18: there is no key `kye` here; did you mean `key`?"),
    ],
)
def test_a_mistyped_key_is_not_reported_as_missing(parts: dict[str, str], problem: str) -> None:
    assert problems(**parts) == [problem]
