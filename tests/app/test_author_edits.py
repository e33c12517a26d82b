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
from tidemark.simulator.engine.values.items import Advance, End, Record
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.editing import text as places
from tidemark.simulator.scenario.tables import look
from tidemark.ui.author import desk
from tidemark.ui.author import draft as drafts
from tidemark.ui.author.desk import reply
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import EditRefused, by_arrival, edited
from tidemark.ui.author.store import Block, blocks

from tests.examples import examples

LIBRARY = [
    text
    for path in sorted(Path("scenarios").glob("*.yaml"))
    if "\noperators:" not in (text := path.read_text(encoding="utf-8"))  # these are not edited on the page
]
FLOW = """scenario: 1
name: in-brackets
inputs: {events: {channels: 2, watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{ts: 1s, key: a, value: 1, at: 1s}, {watermark: 2s}, {ts: 6s, key: "b", value: 2}, {advance: 3s}, {end: true}]
goals: [{rows: pane, at_least: 1}]
walkthrough: [{at: {item: 2}, say: Here.}]
"""
TEXTS = [text for text in (*LIBRARY, FLOW) if "\n  generate:" not in text]

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


# What two authors made of one text, in pieces: what only one changed is decided, what both changed is asked.

LINES = st.lists(st.sampled_from("abcde"), max_size=9).map("\n".join)


def whole(found: list[Block], side: str) -> list[str]:
    return [line for block in found for line in block[side] or []]  # type: ignore[literal-required]


def different(mine: str, theirs: str, base: str | None) -> list[tuple[str, str, str, str]]:
    """Each piece that differs as (base, mine, theirs, taken), its lines joined."""
    return [
        ("".join(each["base"] or []), "".join(each["mine"]), "".join(each["theirs"]), each["taken"])
        for each in blocks(mine, theirs, base)
        if not each["same"]
    ]


def test_what_one_side_changed_is_taken_and_what_both_changed_is_asked() -> None:
    base, mine, theirs = "a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\nE\nf\n", "a\nb\nc\nD\nX\nf\nnew\n"
    assert different(mine, theirs, base) == [
        ("b", "B", "b", "mine"),
        ("de", "dE", "DX", ""),
        ("", "", "new", "theirs"),
    ]


def test_the_same_change_of_both_is_no_difference() -> None:
    assert different("a\nB\nc\n", "a\nB\nc\nd\n", "a\nb\nc\n") == [("", "", "d", "theirs")]


def test_records_that_both_added_at_the_end_can_both_stay() -> None:
    assert different("a\nmine\n", "a\ntheirs\n", "a\n") == [("", "mine", "theirs", "")]


def test_without_what_both_began_with_every_difference_is_asked() -> None:
    found = blocks("a\nb\n", "a\nB\nc\n")
    assert [(each["same"], each["base"], each["taken"]) for each in found] == [(True, None, "mine"), (False, None, "")]


@given(LINES, LINES, LINES)
def test_the_pieces_of_a_side_are_its_text(base: str, mine: str, theirs: str) -> None:
    found = blocks(mine, theirs, base)
    assert whole(found, "base") == base.splitlines()
    assert whole(found, "mine") == mine.splitlines()
    assert whole(found, "theirs") == theirs.splitlines()
    for each in found:
        assert each["same"] == (each["mine"] == each["theirs"])
        assert each["taken"] or (each["mine"] != each["base"] != each["theirs"] and not each["same"])


@given(LINES, LINES)
def test_who_alone_changed_the_text_is_asked_nothing(base: str, mine: str) -> None:
    for found in (blocks(mine, base, base), blocks(base, mine, base)):
        taken = [line for each in found for line in (each["mine"] if each["taken"] == "mine" else each["theirs"])]
        assert taken == mine.splitlines()


# A record that is moved or typed to a place is found there: in the text, in the run and in the picture.

HEAD = """scenario: 1
name: places
inputs: {events: {channels: 2, watermark: {generator: bounded-out-of-orderness, bound: 2s}}}
operator: {type: window, assigner: {type: session, gap: 3s}, function: {call: aggregate, compute: sum}}
stream:
"""
END = 40_000

ARRIVALS = st.lists(st.integers(0, END).map(lambda ms: ms - ms % 500), min_size=2, max_size=8).map(sorted)


def draft(arrivals: list[int]) -> Draft:
    """Records ``a``, ``b``, … that arrive then, and the end of input after them."""
    lines = [
        f"  - {{ts: {at}ms, key: {'abcdefgh'[number]}, value: {number}, at: {at}ms, channel: {number % 2}}}\n"
        for number, at in enumerate(arrivals)
    ]
    return draft_of("".join([HEAD, *lines, f"  - {{end: true, at: {END}ms}}\n"]))


def found(moved: Draft, key: str) -> tuple[int, dict[str, Any]]:
    """The index of the record of ``key`` in the stream, and the record as the picture shows it at the end."""
    assert moved.scenario is not None
    stream = moved.scenario.stream
    assert isinstance(stream, tuple)
    item = next(number for number, each in enumerate(stream) if isinstance(each, Record) and each.key == key)
    facts = run_of(moved.scenario).facts
    assert facts.arrival_axis == "at"
    return item, [row for row in facts.by_name()["records"] if row["item"] == item][-1]


def in_order(moved: Draft) -> bool:
    assert moved.scenario is not None
    stream = moved.scenario.stream
    assert isinstance(stream, tuple)
    at = [item.at for item in stream if isinstance(item, Record) and item.at is not None]
    return at == sorted(at) and isinstance(stream[-1], End)


@settings(max_examples=examples(120), deadline=None)
@given(ARRIVALS, st.integers(0, 7), st.integers(0, END + 5_000), st.integers(0, END))
def test_a_dragged_record_lands_where_it_was_held(arrivals: list[int], number: int, at: int, ts: int) -> None:
    number %= len(arrivals)
    moved, chosen = edited(draft(arrivals), {"kind": "place", "item": number, "at": at, "ts": ts})
    item, record = found(moved, "abcdefgh"[number])
    assert (record["arrival"], record["ts"], item) == (at, ts, chosen)
    assert in_order(moved)


@settings(max_examples=examples(120), deadline=None)
@given(ARRIVALS, st.integers(0, 7), st.integers(0, END + 5_000))
def test_a_record_whose_arrival_was_typed_is_sorted_to_where_it_belongs(
    arrivals: list[int], number: int, at: int
) -> None:
    number %= len(arrivals)
    moved, chosen = edited(draft(arrivals), {"kind": "cell", "item": number, "column": "at", "typed": f"{at}ms"})
    item, record = found(moved, "abcdefgh"[number])
    assert (record["arrival"], item) == (at, chosen)
    assert in_order(moved)


@pytest.mark.parametrize("to", [-3, 1, 7, 10_000])
def test_a_record_moved_by_items_stays_before_the_end_of_input(to: int) -> None:
    text = "".join(
        [HEAD, *(f"  - {{ts: {n}s, key: {key}, value: 1}}\n" for n, key in enumerate("abc")), "  - {end: true}\n"]
    )
    moved, chosen = edited(draft_of(text), {"kind": "place", "item": 0, "to": to})
    assert chosen == min(max(to, 0), 2)
    assert moved.text.rstrip().endswith("- {end: true}")


def test_an_item_without_an_arrival_stays_with_the_one_before_it() -> None:
    items = (Record("a", 0, at=0), Record("b", 0, at=5), Advance(1), Record("c", 0, at=9), End())
    assert by_arrival(items, 0, 6) == 2
    assert by_arrival(items, 3, 6) == 3
    assert by_arrival(items, 3, 2) == 1
    assert by_arrival(items, 0, 99) == 3


def test_freezing_the_run_keeps_the_goals_that_count_events() -> None:
    text = draft([1_000, 2_000]).text + "goals: [{rows: pane, count: 9}, {event: ChannelIdle, at_least: 0}]\n"
    frozen, _ = edited(draft_of(text), {"kind": "freeze"})
    assert frozen.scenario is not None
    assert [(goal.rows, goal.event, goal.count) for goal in frozen.scenario.goals] == [
        ("pane", None, 2),
        (None, "ChannelIdle", None),
    ]
