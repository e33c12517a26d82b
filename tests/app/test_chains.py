"""Several operators in the player: what the strip says, where results lead, and what opens each operator."""

from typing import Any

from tidemark.simulator.scenario import parse
from tidemark.ui.author.desk import start_of
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
    start = start_of({"scenario": NAME})
    assert start is not None
    assert parse(start["text"]).chain is None
