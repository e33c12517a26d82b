"""Programs for Flink's DataStream API: what they say, what they refuse, and that no text of a scenario becomes code.

`make flink` runs them.
"""

import re
from pathlib import Path

import pytest
from tidemark.simulator.commands import main
from tidemark.simulator.programs import NotExpressible, program
from tidemark.simulator.programs.java_text import comment, duration, literal, string
from tidemark.simulator.scenario import load, parse

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted([*(ROOT / "scenarios").glob("*.yaml"), *(ROOT / "tests" / "golden").glob("*.yaml")])

STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')


def java(operator: str, stream: str, *, inputs: str = "{}", title: str = "T") -> str:
    text = f"scenario: 1\nname: x\ntitle: {title}\ninputs: {inputs}\noperator: {operator}\nstream:\n{stream}"
    return program(parse(text), "flink-java")


def code_of(text: str) -> str:
    """The program without its strings and comments."""
    without = STRING.sub('""', re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL))
    return re.sub(r"//.*", "", without)


SUM = "{type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}"


def test_every_scenario_has_a_program_or_a_reason() -> None:
    programs = reasons = 0
    for path in SCENARIOS:
        try:
            text = program(load(path), "flink-java")
        except NotExpressible as reason:
            reasons += bool(str(reason))
        else:
            programs += 1
            assert text.isascii(), path
            code = code_of(text)
            assert "\\" not in code.replace("'\\\\'", ""), path
            for opening, closing in ("{}", "()"):
                assert code.count(opening) == code.count(closing), path
    assert programs > 20
    assert reasons > 10


def test_a_window_reads_as_an_engineer_writes_it() -> None:
    text = java(
        "{type: window, assigner: {type: tumbling, size: 5s, offset: -1s}, trigger: {type: count, max: 3}, "
        "allowed_lateness: 1500ms, late_output: side, function: {call: reduce, compute: max}}",
        "- {ts: 1s, key: a, value: 4}\n- {end: true}",
        inputs="{events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}}",
    )
    assert (
        """\
        SingleOutputStreamOperator<String> results = events.keyBy(event -> event.key)
                .window(TumblingEventTimeWindows.of(Duration.ofSeconds(5), Duration.ofSeconds(-1))) // size, offset
                .trigger(CountTrigger.of(3)) // fires whenever this many records have come
                .allowedLateness(Duration.ofMillis(1500)) // how long the window still takes records after its end
                .sideOutputLateData(LATE)
                .reduce((one, other) -> other.value > one.value ? other : one, new Pane());
        results.print();
        results.getSideOutput(LATE).map(event -> lateRow("events", event)).print();
"""
        in text
    )
    assert "private static final long BOUND = 2000L; // 2s" in text
    assert 'new Event("a", 1000L, 4L)' in text
    assert "import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;" in text
    assert "EventTimeTrigger" not in text
    assert "HoldEndBack" not in text


def test_a_stream_without_an_end_gets_none_from_the_source() -> None:
    text = java(SUM, "- {ts: 1s, key: a, value: 4}")
    # Behind the generator it would be too late: the last watermark makes an idle channel active there.
    assert text.index("new HoldEndBack()") < text.index(".assignTimestampsAndWatermarks")
    ended = java(SUM, "- {ts: 1s, key: a, value: 4}\n- {watermark: 9223372036854775807}")
    assert "HoldEndBack" not in ended
    assert "Event.watermark(Long.MAX_VALUE)" in ended


def test_watermarks_of_a_channel_that_is_idle_are_lost() -> None:
    text = java(SUM, "- {ts: 1s, key: a, value: 4}\n- {status: idle}\n- {watermark: 5s}\n- {status: active}")
    assert "Event.idle(true),\n                Event.watermark(5000L),\n                Event.idle(false)" in text
    assert "if (!idle) {\n                    output.emitWatermark(new Watermark(event.watermark));" in text
    assert ".filter(Event::isRecord)" in text


def test_channels_are_streams_whose_order_is_left_to_the_engine() -> None:
    text = java(SUM, "- {ts: 1s, key: a, value: 4, channel: 1}", inputs="{events: {channels: 2}}")
    assert "DataStream<Event> events = events0.union(events1);" in text
    assert "the engine's" in text.partition("*/")[0]


def test_a_channel_without_records_is_a_source_whose_only_record_is_dropped() -> None:
    text = java(SUM, "- {ts: 1s, key: a, value: 4, channel: 1}", inputs="{events: {channels: 2}}")
    assert text.count(".filter(event -> false)") == 1
    assert text.count("new Event();") == 0
    assert text.count("new Event());") == 1


@pytest.mark.parametrize(
    ("operator", "call"),
    [
        ("{type: window-join, assigner: {type: tumbling, size: 5s}}", ".apply(new Pair())"),
        ("{type: window-join, assigner: {type: session, gap: 5s}}", "left.union(right)"),
        ("{type: co-group, assigner: {type: sliding, size: 4s, slide: 2s}, join: left}", "if (!group.left.isEmpty())"),
        (
            "{type: interval-join, lower: -2s, upper: 1s, upper_exclusive: true, late_output: side}",
            ".between(Duration.ofSeconds(-2), Duration.ofSeconds(1)) // right time - left time",
        ),
    ],
)
def test_joins_are_those_of_the_api_where_it_gives_what_a_row_needs(operator: str, call: str) -> None:
    assert call in java(operator, "- {ts: 1s, key: a, value: 4, in: left}\n- {ts: 1s, key: a, value: 5, in: right}")


def test_values_that_no_type_holds_travel_as_json() -> None:
    collect = "{type: window, assigner: {type: tumbling, size: 5s}, function: {call: process, compute: collect}}"
    mixed = java(collect, '- {ts: 1, key: a, value: {x: 1, "\\"": 二}}\n- {ts: 2, key: a, value: 5}')
    assert r'new Event("a", 1L, "{\"x\": 1, \"\\\"\": \"\\u4e8c\"}")' in mixed
    assert "value.add(new Json(each.value));" in mixed
    doubles = java(collect, "- {ts: 1, key: 1, value: 2.5}\n- {ts: 2, key: 1, value: 2}\n- {ts: 3, key: 1}")
    assert [line for line in doubles.splitlines() if "new Event(1L" in line] == [
        "                new Event(1L, 1L, 2.5),",
        "                new Event(1L, 2L, 2.0),",
        "                new Event(1L, 3L, null));",
    ]


HOSTILE = (
    '"; System.exit(1); //',
    "*/ static { } /*",
    "\\u002a\\u002f static { }",
    "\\u000a class Main { }",
    "line\none\r\u2028two",
    "\\",
    "\x01\x7f\t",
    "𝄞 \ud800 水位线",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_stays_a_text(text: str) -> None:
    said = comment(text)
    assert not set(said) & set("\\\n\r")
    assert "*/" not in said
    written = string(text)
    assert written.isascii()
    assert STRING.fullmatch(written)
    # No escape that Java would read before it finds the ends of strings may be a quote, a backslash or a line's end.
    for escape in re.findall(r"(?<!\\)(?:\\\\)*\\u([0-9a-f]{4})", written):
        assert int(escape, 16) > 127


def test_hostile_titles_keys_and_values_are_escaped_in_the_program() -> None:
    text = java(
        SUM.replace("aggregate, compute: sum", "process, compute: collect"),
        r'- {ts: 1, key: "\\u0022; evil(); \"", value: "*/ \\"}',
        title=r'"\\u002a/ evil(); */ class"',
    )
    assert r'new Event("\\u0022; evil(); \"", 1L, "*/ \\")' in text
    assert "evil" not in code_of(text)
    assert text.startswith("/*\n * /u002a/ evil(); * / class\n")


def test_numbers_are_written_as_java_writes_them() -> None:
    assert [duration(ms) for ms in (0, 86_400_000, 5_400_000, -1, 2**40)] == [
        "Duration.ofMillis(0)",
        "Duration.ofDays(1)",
        "Duration.ofMinutes(90)",
        "Duration.ofMillis(-1)",
        "Duration.ofMillis(1099511627776L)",
    ]
    assert [literal(each) for each in (None, True, -(2**63), 1e300, -0.5)] == [
        "null", "true", "-9223372036854775808L", "1e+300", "-0.5",
    ]  # fmt: skip


def test_long_streams_stay_within_the_limits_of_a_method() -> None:
    stream = "\n".join(f"- {{ts: {i}, key: a, value: 1}}" for i in range(600))
    text = java(SUM, stream)
    assert text.count("events.addAll(eventsPart") == 3
    assert text.count("new Event(") == 600


@pytest.mark.parametrize(
    ("operator", "stream", "reason"),
    [
        ("{type: window, time: processing, assigner: {type: tumbling, size: 5s}, function: "
         "{call: aggregate, compute: sum}}", "[]", "clock of the machine"),
        (SUM, "[{checkpoint: a}]", "checkpoint"),
        (SUM, "[{end: true}, {ts: 1, key: a, value: 1}]", "middle of the stream"),
        (SUM, "[{ts: 1, key: a, value: 1}, {ts: 1, key: 1, value: 1}]", "keys of several kinds"),
        ("{type: process, function: {call: event-sort}}", f"[{{ts: 1, key: {'a' * 10_001}}}]", "10000 characters"),
        (SUM.replace(
            "function", "trigger: {type: continuous-processing-time, interval: 1s}, function"),
         "[]", "clock of the machine"),
    ],
)  # fmt: skip
def test_what_the_api_cannot_do_is_refused_with_the_reason(operator: str, stream: str, reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        java(operator, f"  {stream}")


def test_the_command_prints_a_program_or_says_why_there_is_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["code", str(ROOT / "scenarios" / "first-late.yaml"), "--to", "flink-java"]) == 0
    assert capsys.readouterr().out.startswith("/*\n")
    for scenario in ("patience", "a-glance-each-second"):
        file = str(ROOT / "scenarios" / f"{scenario}.yaml")
        assert main(["code", file, "--to", "flink-java"]) == 3
        shown = capsys.readouterr()
        assert not shown.out
        assert shown.err.startswith(f"{file}: ")
    refused = tmp_path / "refused.yaml"
    refused.write_text("scenario: 1\nname: refused\n")
    assert main(["code", str(refused), "--to", "flink-java"]) == 2
    assert not capsys.readouterr().out


def test_a_version_without_the_methods_of_the_program_is_refused() -> None:
    path = ROOT / "scenarios" / "the-window-waits.yaml"
    assert program(load(path, flink="1.19"), "flink-java") == program(load(path), "flink-java")
    with pytest.raises(NotExpressible, match=r"uses methods that Flink has since 1\.19; 1\.18 lacks them"):
        program(load(path, flink="1.18"), "flink-java")
