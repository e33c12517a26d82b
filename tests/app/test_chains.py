"""Several operators in the player: what the strip says, where results lead, and what opens each operator."""

import gzip
import json
from typing import Any

from tidemark.simulator.scenario import parse
from tidemark.simulator.words import words
from tidemark.ui.author.desk import reply, start_of
from tidemark.ui.catalogue import find
from tidemark.ui.pages.opening.named import named
from tidemark.ui.payload.contents import payload
from tidemark.ui.share import links

NAME = "what-becomes-of-a-correction"


def chain(name: str) -> dict[str, Any]:
    entry = find(name)
    assert entry is not None
    assert entry.scenario is not None
    found: dict[str, Any] = payload(entry.scenario)["chain"]
    return found


def test_a_result_leads_to_the_record_that_it_becomes_and_back() -> None:
    above, below = chain(f"{NAME}.counts"), chain(NAME)
    assert [(each["behind"], each["fate"]) for each in above["becomes"]] == [
        (False, "on-time"), (True, "on-time"), (False, "on-time"), (True, "dropped"),
    ]  # fmt: skip
    there = payload(find(NAME).scenario)["tables"]["steps"]  # type: ignore[union-attr,arg-type]
    made = {each["item"]: each for each in below["made"]}
    for each in above["becomes"]:
        item = there[each["step"]]["item"]
        assert there[each["step"]]["event"] == "RecordArrived"
        assert made[item]["operator"] == "counts"


def test_the_strip_counts_what_waits_and_what_is_out() -> None:
    counts, totals = chain(NAME)["operators"]
    assert (counts["name"], counts["sources"], totals["sources"]) == ("counts", ["clicks"], ["counts"])
    assert [each["shown"] for each in (counts, totals)] == [False, True]
    assert counts["waiting"][:3] == [[0, 1], [1, 2], [2, 1]]
    assert (counts["results"], totals["results"]) == ([2, 3, 4, 5], [4])
    assert counts["watermarks"][-1] == [4, 30999]


def test_each_operator_opens_by_name_and_from_a_link() -> None:
    assert find(f"{NAME}.nothing") is None
    assert find("late-and-dropped.counts") is None
    entry = find(NAME)
    assert entry is not None
    own = links.of_file("own.yaml", entry.path.read_text(encoding="utf-8"))
    assert len(own.entry.addresses) == 2
    for address, name in zip(own.entry.addresses, ("counts", "totals"), strict=True):
        opened = named(dict([address]), []).entry.scenario
        assert opened is not None
        assert opened.chain is not None
        assert opened.chain.shown == name


def test_what_is_changed_and_exported_is_the_operator_that_is_shown() -> None:
    for name in (NAME, f"{NAME}.counts"):
        opened = named({"scenario": name}, [])
        alone = parse(opened.source().decode())
        assert alone.chain is None
        assert opened.entry.scenario is not None
        assert alone.stream == opened.entry.scenario.stream


def author(name: str) -> str:
    start = start_of({"scenario": name})
    assert start is not None
    return str(start["text"])


def after(text: str, **edit: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(gzip.decompress(reply({"number": 1, "text": text, "edit": edit or None})))
    return made


def lines_changed(before: str, after: str) -> list[str]:
    return [line.strip() for line in after.split("\n") if line not in before.split("\n")]


def test_an_author_gets_all_operators_and_edits_the_one_that_is_shown() -> None:
    for name, shown, size in ((NAME, "totals", "30s"), (f"{NAME}.counts", "counts", "10s")):
        text = author(name)
        scenario = parse(text)
        assert scenario.chain is not None
        assert scenario.chain.shown == shown
        made = after(text, kind="member", name="operator.assigner.size", value="15s")
        assert made["sound"]
        assert lines_changed(text, made["text"]) == ["assigner: {type: tumbling, size: 15s}"]
        assert made["text"].count("size: 15s") == text.count(f"size: {size}") == 1
    made = after(author(NAME), kind="member", name="shown", value="counts")
    assert parse(made["text"]).chain.shown == "counts"  # type: ignore[union-attr]


def test_records_are_edited_where_the_stream_has_them_one_by_one() -> None:
    typed = {"kind": "cell", "item": 1, "column": "value", "typed": "9"}
    text = author(f"{NAME}.counts")
    assert lines_changed(text, after(text, **typed)["text"]) == ["- {ts: 5s, key: a, value: 9, at: 5300}"]
    text = author(NAME)
    refused = after(text, **typed)
    assert (refused["text"], refused["refused"]) == (text, words("author.refused.chain_records", operator="totals"))
    shown = refused["facts"]["stream"]["rows"]
    assert [row["cells"][1] for row in shown if row["kind"] == "record"] == ["a"] * 4
    paid_twice = author("is-the-bound-paid-twice")
    assert after(paid_twice, kind="control", name="bound", value="3s")["text"] == paid_twice


def test_a_mistake_in_any_operator_is_shown_at_its_line() -> None:
    text = author(NAME).replace("size: 30s", "size: 30")
    made = after(text.replace("allowed_lateness: 30s", "allowed_lateness: soon"))
    assert not made["sound"]
    line = next(n for n, each in enumerate(text.split("\n"), 1) if "allowed_lateness" in each)
    assert line in [each["line"] for each in made["problems"]]
