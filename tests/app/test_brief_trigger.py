"""The brief configuration: it names the trigger only if that is not simply the end of the window."""

import pytest
from tidemark.simulator.scenario import parse
from tidemark.simulator.words import speaking
from tidemark.ui.payload.brief import brief

HEAD = "scenario: 1\nname: any\noperator: {{type: window, function: {{call: aggregate, compute: sum}}, {more}}}\n"
TUMBLING = "assigner: {type: tumbling, size: 5s}"
GLOBAL = "assigner: {type: global}"
EVERY = "{type: processing-time-every, interval: 1s}"
COUNT = "{type: count, max: 3}"


def pieces(more: str, language: str = "en") -> list[str]:
    """The pieces between the watermark and the computation; values are in asterisks."""
    scenario = parse(HEAD.format(more=more) + "stream:\n  - {ts: 1s, key: a, value: 1}\n  - {end: true}\n")
    with speaking(language):
        pieces = brief(scenario)
    return ["".join(f"*{text}*" if value else text for text, value in piece) for piece in pieces[2:-1]]


@pytest.mark.parametrize(
    ("more", "english", "chinese"),
    [
        (TUMBLING, [], []),
        (f"{TUMBLING}, trigger: {{type: event-time}}", [], []),
        (f"{TUMBLING}, time: processing", [], []),
        (f"{TUMBLING}, api: sql", [], []),
        (f"{TUMBLING}, time: processing, trigger: {COUNT}", ["fires every *3* records"], ["每 *3* 条触发"]),
        (f"{TUMBLING}, trigger: {{type: count, max: 1}}", ["fires at every record"], ["每条记录都触发"]),
        (f"{TUMBLING}, trigger: {{type: continuous-event-time, interval: 2s}}",
         ["fires every *2 s* (event time)"], ["按事件时间每 *2 s* 触发"]),
        (f"{TUMBLING}, trigger: {{type: purging, inner: {COUNT}}}",
         ["fires every *3* records, then purges"], ["每 *3* 条触发，随后清空"]),
        (f"{TUMBLING}, trigger: {{type: processing-timeout, inner: {COUNT}, timeout: 2s}}",
         ["fires every *3* records, or after *2 s*"], ["每 *3* 条触发，或等到 *2 s*"]),
        (f"{TUMBLING}, trigger: {{type: delta, threshold: 5}}",
         ["fires on a rise above *5*"], ["升幅超过 *5* 时触发"]),
        (GLOBAL, ["never fires"], ["从不触发"]),
        (f"{TUMBLING}, api: sql, trigger: {{type: after-end-of-window, early: {EVERY}}}",
         ["early *every 1 s (clock)*"], ["提前：*按时钟每 1 s 一次*"]),
        (f"{TUMBLING}, api: sql, allowed_lateness: 5s, trigger: "
         f"{{type: after-end-of-window, early: {EVERY}, late: {{type: every-element}}}}",
         ["lateness *5 s*", "early *every 1 s (clock)*", "late *at every record*"],
         ["允许延迟 *5 s*", "提前：*按时钟每 1 s 一次*", "迟到：*每条记录一次*"]),
    ],
)  # fmt: skip
def test_the_trigger_is_named_unless_it_is_the_default(more: str, english: list[str], chinese: list[str]) -> None:
    assert pieces(more) == english
    assert pieces(more, "zh") == chinese


@pytest.mark.parametrize(("rows", "said"), [(1, "over 1 row before"), (2, "over *2* rows before")])
def test_one_row_before_is_no_plural(rows: int, said: str) -> None:
    over = f"{{type: over, frame: {{rows: {rows}}}, function: {{call: aggregate, compute: sum}}}}"
    text = HEAD.format(more=TUMBLING)
    scenario = parse(text[: text.index("operator:")] + f"operator: {over}\nstream: []\n")
    assert said in ["".join(f"*{text}*" if value else text for text, value in piece) for piece in brief(scenario)]
