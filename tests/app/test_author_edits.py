"""An edit equals editing the file and reading it again, at a cost that is at most linear in the file."""

import gzip
import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.editing import text as places
from tidemark.simulator.scenario.model import Generated
from tidemark.simulator.scenario.tables import look
from tidemark.ui.author import desk
from tidemark.ui.author import draft as drafts
from tidemark.ui.author.desk import reply
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import EditRefused, edited

from tests.examples import examples

LIBRARY = [path.read_text(encoding="utf-8") for path in sorted(Path("scenarios").glob("*.yaml"))]
FLOW = """scenario: 1
name: in-brackets
inputs: {events: {channels: 2, watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{ts: 1s, key: a, value: 1, at: 1s}, {watermark: 2s}, {ts: 6s, key: "b", value: 2}, {advance: 3s}, {end: true}]
goals: [{rows: pane, at_least: 1}]
walkthrough: [{at: {item: 2}, say: Here.}]
"""
TEXTS = [text for text in (*LIBRARY, FLOW) if not isinstance(read_text(text)[0].stream, Generated)]

TYPED = st.sampled_from(
    ["1", "2.5", "-3", "4s", "1m30s", "12:00", "", "a", '"1"', "true", "{gap: 3}", "[1, 2]", "x: y", "# no", "9" * 30]
)
NUMBER = st.integers(-1, 30)
MS = st.integers(-(10**4), 10**5)
EDITS = st.one_of(
    st.fixed_dictionaries({
        "kind": st.just("cell"), "item": NUMBER, "typed": TYPED,
        "column": st.sampled_from(["ts", "key", "value", "at", "in", "channel"]),
    }),
    st.fixed_dictionaries(
        {"kind": st.just("place"), "item": NUMBER}, optional={"ts": MS, "at": MS, "to": NUMBER, "in": st.text()}
    ),
    st.fixed_dictionaries({"kind": st.just("move"), "item": NUMBER, "to": NUMBER}),
    st.fixed_dictionaries({"kind": st.just("remove"), "item": NUMBER}),
    st.fixed_dictionaries({
        "kind": st.just("add"), "after": NUMBER,
        "what": st.sampled_from(["record", "watermark", "status", "advance", "checkpoint", "restore", "end"]),
    }),
)  # fmt: skip


def read_from_scratch(text: str) -> tuple[Any, tuple[Any, ...]]:
    """The scenario (``None`` if it is refused) and the problems of ``text``, without anything from a cache."""
    try:
        scenario, warnings = read_text(text, drafts.CALLED)
    except ScenarioError as error:
        return None, tuple(error.problems)
    return scenario, tuple(warnings)


@settings(max_examples=examples(150), deadline=None)
@given(st.sampled_from(TEXTS), st.lists(EDITS, min_size=1, max_size=4))
def test_successive_edits_equal_reading_the_text_again(text: str, edits: list[dict[str, Any]]) -> None:
    draft = draft_of(text)
    for edit in edits:
        try:
            draft, _ = edited(draft, edit)
        except EditRefused:
            continue
        scenario, problems = read_from_scratch(draft.text)
        assert draft.problems == problems
        assert draft.whole == (scenario is not None)
        assert draft.scenario is not None
        if scenario is not None:
            assert draft.scenario == scenario
            assert dict(draft.scenario.marks) == dict(scenario.marks)
        assert draft.read is not None
        assert draft.read.text == draft.text


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The length of every complete text that is parsed; texts of a single value do not count."""
    lengths: list[int] = []
    parse = places.read_yaml

    def counted(source: Any) -> Any:
        if len(source.text) > 1_000:
            lengths.append(len(source.text))
        return parse(source)

    monkeypatch.setattr(places, "read_yaml", counted)
    return lengths


def stream_of(records: int) -> str:
    head = FLOW.partition("stream:")[0]
    lines = "".join(f"  - {{ts: {number}s, key: a, value: {number}}}\n" for number in range(records))
    return f"{head}stream:\n{lines}  - {{end: true}}\n"


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "cell", "item": 700, "column": "at", "typed": "5"},
        {"kind": "cell", "item": 3, "column": "channel", "typed": "1"},
        {"kind": "add", "after": 600},
        {"kind": "remove", "item": 600},
        {"kind": "move", "item": 600, "to": 3},
        {"kind": "place", "item": 600, "ts": 5_000},
    ],
    ids=lambda edit: str(edit["kind"]),
)
def test_an_edit_parses_only_the_text_that_it_produces(parsed: list[int], edit: dict[str, Any]) -> None:
    draft = draft_of(stream_of(800))
    parsed.clear()
    edited(draft, edit)
    assert len(parsed) == 1


def test_the_records_of_a_file_are_added_with_one_parse(parsed: list[int]) -> None:
    table = "ts,key,value\n" + "".join(f"{number}s,b,1\n" for number in range(300))
    draft_of(stream_of(800))
    parsed.clear()
    choice = look(table.encode()).choice.as_json()
    command = {"name": "records", "content": b64encode(table.encode()).decode(), "choice": choice}
    reply({"number": 1, "text": stream_of(800), "command": command})
    assert len(parsed) == 1


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """What the page makes of the reply."""
    return dict(json.loads(gzip.decompress(reply(question))))


def test_a_request_about_the_text_of_the_last_answer_parses_nothing(parsed: list[int]) -> None:
    text = stream_of(800)
    reply({"number": 1, "text": text, "before": text})
    parsed.clear()
    reply(
        {"number": 2, "text": text, "before": text, "edit": {"kind": "cell", "item": 1, "column": "ts", "typed": "3"}}
    )
    assert len(parsed) == 1


@pytest.mark.parametrize(("typed", "makes"), [("3s", True), ("no time", False)])
def test_an_edit_behind_which_the_next_one_waits_is_made_and_not_run(
    typed: str, makes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = stream_of(50)
    asked = {"text": text, "before": text, "edit": {"kind": "cell", "item": 1, "column": "ts", "typed": typed}}
    shown = answer({**asked, "number": 1})
    monkeypatch.setattr(desk, "facts_of", lambda *_: pytest.fail("it is run"))
    assert answer({**asked, "number": 2, "only_text": True}) == {
        "kind": "reply", "number": 2, "only_text": True, "strings": [],
        **{name: shown[name] for name in ("refused", "chosen", "said", "text")},
    }  # fmt: skip
    assert (shown["text"] != text, shown["refused"] == "") == (makes, makes)


def test_only_a_limited_number_of_drafts_and_runs_is_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    for cache in (drafts._DRAFTS, drafts._RUNS):
        monkeypatch.setattr(cache, "most_weight", cache.most_weight // 10)
    made: list[Draft] = [draft_of(stream_of(100 + number)) for number in range(40)]
    kept = [draft_of(draft.text) is draft for draft in reversed(made)]
    assert kept[0]
    assert not all(kept)
    assert sum(len(text) for _, text in drafts._DRAFTS) <= drafts._DRAFTS.most_weight
    for draft in made[:8]:
        assert draft.scenario is not None
        drafts.run_of_draft(draft.text, draft.scenario)
    assert sum(len(each.run.trace) for each in drafts._RUNS.values()) <= drafts._RUNS.most_weight
