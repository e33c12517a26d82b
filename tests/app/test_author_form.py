"""The form of the Author page: every part of the format is set there and read back, and a choice keeps what it can."""

from collections.abc import Iterator
from typing import Any

import pytest
from tidemark.simulator.scenario.editing.choosing import (
    ELSEWHERE,
    INPUT_NAME,
    OTHERS,
    STARTS,
    Member,
    fits,
    inputs_in,
    members,
)
from tidemark.simulator.scenario.editing.text import Path
from tidemark.simulator.scenario.format.document import SCENARIO, Inputs, Language, Origin, Translated, Zone
from tidemark.simulator.scenario.format.kinds import Choice, Duration, DurationOr, Kind, Number, Text, Whole, WholeOr
from tidemark.simulator.scenario.format.operators import OneOrSeveral, OperatorKind
from tidemark.simulator.scenario.format.stream import Fraction, Range, StreamKind
from tidemark.simulator.scenario.format.structs import ListOf, Named, Struct, Texts, Variant
from tidemark.simulator.words import LANGUAGES, speaking
from tidemark.ui.author.desk import templates
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import Edited, EditRefused, edit_of
from tidemark.ui.author.form import GROUPS, form, label_of, name_of, names_of, shown, typed_value

TEMPLATES = {each.name: each.text for each in templates()}


def draft(name: str = "tumbling-windows") -> Draft:
    return draft_of(TEMPLATES[name])


def set_field(before: Draft, name: str, value: str) -> Edited:
    return edit_of(before, {"kind": "member", "name": name, "value": value})


def after(before: Draft, *steps: tuple[str, str]) -> Draft:
    for name, value in steps:
        before = set_field(before, name, value).draft
    assert before.scenario is not None
    return before


def field(of: Draft, name: str) -> dict[str, Any]:
    return next(each for group in form(of) for each in group["fields"] if each["name"] == name)


@pytest.mark.parametrize(
    ("typed", "share"), [("12.3456 %", 0.123456), ("0,0001%", 0.000001), ("100", 1.0), ("7", 0.07), ("0 %", 0.0)]
)
def test_a_share_keeps_all_the_decimals_that_the_format_has(typed: str, share: float) -> None:
    assert typed_value(Fraction(), typed) == share


def test_a_version_is_written_in_quotes_so_that_no_reader_takes_it_for_a_number() -> None:
    assert '\nflink: "1.20"\n' in after(draft(), ("flink", "1.20")).text


# --- the tables are the form -----------------------------------------------------------------------------------------


Way = tuple[str, ...]
"""The keys that lead to a part, with what is chosen on the way, and without the name of the input."""


def parts_of(kind: Kind, way: Way = (), seen: frozenset[int] = frozenset()) -> Iterator[Way]:
    """Every part that the tables know."""
    yield way
    match kind:
        case Named() if id(kind) not in seen:
            assert kind.kind is not None
            yield from parts_of(kind.kind, way, seen | {id(kind)})
        case OperatorKind():
            yield from parts_of(kind.operators, way, seen)
        case Inputs():
            yield from parts_of(kind.input, way, seen)
        case StreamKind():
            yield from parts_of(kind.generated.kinds["generate"], (*way, "generate"), seen)
        case Variant():
            for name, case in kind.cases.items():
                yield from parts_of(case, (*way, name), seen)
        case Struct():
            for key, each in kind.kinds.items():
                if way[1:] or key not in ELSEWHERE:
                    yield from parts_of(each, (*way, key), seen)


def ways(of: Draft) -> Iterator[tuple[Member, Way, Way]]:
    """The members of a draft, each with its way, without and with what is chosen there."""
    assert of.read is not None
    found = list(members(of.read))
    chosen: dict[Path, list[str]] = {}
    for member in found:
        if isinstance(member.kind, Variant):
            written = of.read.scalar(member.path) or member.kind.default
            chosen.setdefault(member.path[:-1], []).extend([] if written is None else [str(written)])
    for member in found:
        way: list[str] = []
        for depth in range(len(member.path) + 1):
            way += chosen.get(member.path[:depth], [])
            last = depth == len(member.path) - 1 and isinstance(member.kind, Variant)
            if depth < len(member.path) and not last and (member.path[0] != "inputs" or depth != 1):
                way.append(str(member.path[depth]))
        here = len(chosen.get(member.path[:-1], ())) if isinstance(member.kind, Variant) else 0
        yield member, tuple(way[: len(way) - here]), tuple(way)


def typed(kind: Kind) -> str:
    """Something to type that every such member takes."""
    match kind:
        case Language():
            return "en"
        case Zone():
            return "Asia/Shanghai"
        case Origin():
            return "0"
        case Range():
            return "2 – 5"
        case Fraction():
            return "10 %"
        case DurationOr() | Duration():
            return "4 s"
        case Whole() | WholeOr() | Number():
            return "3"
        case ListOf():
            return "one, two"
        case Translated() | Text():
            return "some-text"
        case _:
            raise TypeError(type(kind))


BEGUN = ("tumbling-windows", "count-trigger", "early-and-late-results", "window-join", "interval-join")


def test_every_part_of_the_format_is_set_by_the_form_and_read_back() -> None:
    found: set[Way] = {()}
    tried: set[tuple[Way, str]] = set()
    for name in BEGUN:
        explore(draft(name), found, tried)
    missing = set(parts_of(SCENARIO)) - found
    assert missing == {("flink", "inputs", each) for each in ("columns", "select", "where", "key")}


def test_where_there_are_columns_the_filter_and_the_key_have_fields() -> None:
    text = TEMPLATES["tumbling-windows"].replace("events: {", "events: {columns: {v: INT}, ", 1)
    made = set_field(draft_of(text), "inputs.events.where", "v > 0").draft
    assert made.read is not None
    assert made.read.scalar(("inputs", "events", "where")) == "v > 0"


def explore(begun: Draft, found: set[Way], tried: set[tuple[Way, str]]) -> None:
    """Sets every member that the form has, reads it back, and goes on with what each choice brings along."""
    for member, before, way in list(ways(begun)):
        if member.path.count("inner") > 1:
            continue
        found.update(way[:length] for length in range(len(way) + 1))
        for value in names_of(member.kind) or (typed(member.kind),):
            there = (*(before if isinstance(member.kind, Variant) else way), str(member.path[-1])), value
            if there in tried:
                continue
            try:
                made = set_field(begun, name_of(member.path), value).draft
            except EditRefused:
                continue
            tried.add(there)
            assert read_back(made, member, value), (member.path, value)
            if isinstance(member.kind, Variant | StreamKind):
                explore(made, found, tried)


def read_back(made: Draft, member: Member, value: str) -> bool:
    assert made.read is not None
    if isinstance(member.kind, Translated | StreamKind):
        return made.scenario is not None
    if member.kind is INPUT_NAME:
        return made.scenario is not None and inputs_in(made.read) == (value,)
    now = shown(made.read, member)
    default = str(getattr(member.kind, "default", None) or "")
    return now == value or (not now and value == default) or isinstance(member.kind, Origin)


def test_each_member_at_the_top_has_its_group() -> None:
    for top in SCENARIO.cases.values():
        assert isinstance(top, Struct)
        grouped = [key for keys in GROUPS.values() for key in keys]
        of_flink = {"flink"} - set(top.kinds)
        assert sorted({*grouped, *ELSEWHERE} - {"engine", "shown"} - of_flink) == sorted(top.kinds)


def test_each_field_has_a_label_in_both_languages() -> None:
    chosen = {"generate", "disorder"}
    for language in LANGUAGES:
        with speaking(language):
            for kind in (*SCENARIO.cases.values(),):
                assert all(label_of(path) for path in leaves(kind) if path[-1] not in chosen)


def leaves(kind: Kind, path: Path = (), depth: int = 0) -> Iterator[Path]:
    """The path of every field, whatever is chosen; triggers within triggers once."""
    match kind:
        case Named() if depth < 2:
            assert kind.kind is not None
            yield from leaves(kind.kind, path, depth + 1)
        case OperatorKind():
            yield from leaves(kind.operators, path, depth)
        case Inputs():
            yield from leaves(kind.input, (*path, "events"), depth)
        case StreamKind():
            yield path
            yield from leaves(kind.generated.kinds["generate"], (*path, "generate"), depth)
        case Texts():
            pass  # written in the text alone
        case Variant():
            yield (*path, kind.key)
            for case in kind.cases.values():
                yield from leaves(case, path, depth)
        case Struct():
            for key, each in kind.kinds.items():
                if path or key not in ELSEWHERE:
                    yield from leaves(each, (*path, key), depth)
        case _ if depth < 2:
            yield path


def test_what_is_chosen_can_begin() -> None:
    def structs(kind: Kind, seen: set[int]) -> Iterator[Struct]:
        if id(kind) in seen:
            return
        seen.add(id(kind))
        if isinstance(kind, OperatorKind):
            yield from structs(kind.operators, seen)
        elif isinstance(kind, Named) and kind.kind is not None:
            yield from structs(kind.kind, seen)
        elif isinstance(kind, Variant):
            for case in kind.cases.values():
                yield from structs(case, seen)
        elif isinstance(kind, Struct):
            yield kind
            for each in kind.kinds.values():
                yield from structs(each, seen)

    for top in SCENARIO.cases.values():
        assert isinstance(top, Struct)
        for struct in structs(top.kinds["operator"], set()):
            for key in struct.required:
                kind = struct.kinds[key]
                starts = [each[key] for each in (STARTS, OTHERS) if key in each]
                assert isinstance(kind, Choice | OneOrSeveral) or any(fits(kind, each) for each in starts), key


# --- what a choice keeps ---------------------------------------------------------------------------------------------


def test_comments_and_layout_stay() -> None:
    text = TEMPLATES["tumbling-windows"].replace("operator:\n", "operator:  # what runs\n")
    new = after(draft_of(text), ("operator.assigner.type", "session"), ("operator.evictor.type", "count")).text
    kept = [line for line in text.splitlines() if "assigner" not in line]
    assert [line for line in kept if line not in new.splitlines()] == []
    assert "assigner: {type: session, gap: 5s}" in new
    assert "evictor: {type: count, max: 3}" in new


def test_a_trigger_that_no_longer_fits_goes_and_the_author_is_told() -> None:
    begun = after(draft(), ("operator.trigger.type", "continuous-event-time"), ("operator.allowed_lateness", "2 s"))
    made = set_field(begun, "operator.type", "interval-join")
    assert made.draft.scenario is not None
    assert "Trigger" in made.said
    assert "Allowed lateness" in made.said
    assert "left and right in turn" in made.said


def test_a_trigger_takes_the_one_before_it_in() -> None:
    begun = after(draft("count-trigger"), ("operator.trigger.type", "purging"))
    assert "trigger: {type: purging, inner: {type: count, max: 3}}" in begun.text
    assert "trigger: {type: count, max: 3}" in after(begun, ("operator.trigger.type", "count")).text
    assert "inner: {type: event-time}" in after(draft(), ("operator.trigger.type", "purging")).text


def test_a_refused_choice_says_why_and_changes_nothing() -> None:
    begun = after(draft("session-windows"))
    with pytest.raises(EditRefused, match="cannot merge"):
        set_field(begun, "operator.trigger.type", "delta")
    with pytest.raises(EditRefused, match="whole number"):
        set_field(begun, "inputs.events.channels", "two")


def test_fewer_channels_take_their_records_along() -> None:
    made = set_field(draft("two-channels"), "inputs.events.channels", "1")
    assert made.draft.scenario is not None
    assert "moved to the last one" in made.said


def test_a_join_and_back_is_one_input_again() -> None:
    joined = after(draft(), ("operator.type", "window-join"))
    assert joined.scenario is not None
    assert (joined.text.count("in: left"), joined.text.count("in: right")) == (3, 2)
    alone = after(joined, ("operator.type", "window"))
    assert alone.scenario is not None
    assert [each.name for each in alone.scenario.inputs] == ["events"]
    assert alone.scenario.inputs[0].watermark == draft().scenario.inputs[0].watermark  # type: ignore[union-attr]


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_each_template_changes_engines_and_back(name: str) -> None:
    begun = draft(name)
    assert begun.scenario is not None
    other = "spark" if begun.scenario.engine == "flink" else "flink"
    there = after(begun, ("engine", other))
    assert there.scenario is not None
    assert there.scenario.engine == other
    assert after(there, ("engine", begun.scenario.engine)).scenario is not None


def test_leaving_out_takes_the_empty_part_along() -> None:
    made = after(draft(), ("inputs.events.watermark.emit", "200 ms"), ("inputs.events.watermark.emit", ""))
    assert made.text == draft().text
    made = after(draft("spark-micro-batches"), ("operator.output_mode", "update"))
    assert "delay" not in after(made, ("inputs.events.watermark.delay", "")).text.partition("operator:")[0]


def test_the_form_mends_a_text_that_does_not_run() -> None:
    broken = draft_of(TEMPLATES["tumbling-windows"].replace("size: 5s", "size: soon"))
    assert broken.scenario is None
    assert "duration" in field(broken, "operator.assigner.size")["problem"]
    assert after(broken, ("operator.assigner.size", "5 s")).text == TEMPLATES["tumbling-windows"]


# --- goals and beats -------------------------------------------------------------------------------------------------


def test_a_goal_counts_an_event_and_outlives_freezing() -> None:
    begun = edit_of(draft(), {"kind": "goal", "what": "PaneFired", "how": "at_least", "number": 2}).draft
    assert "- {event: PaneFired, at_least: 2}" in begun.text
    assert "- {event: PaneFired, at_least: 2}" in edit_of(begun, {"kind": "freeze"}).draft.text
    with pytest.raises(EditRefused):
        edit_of(draft(), {"kind": "goal", "what": "Nothing", "how": "count", "number": 2})


def test_a_beat_moves_to_the_step_that_is_shown() -> None:
    edit = {"kind": "beat", "number": 0, "step": 0, "fields": {"say": "Here."}}
    begun = draft()
    assert begun.scenario is not None
    stays = edit_of(begun, edit).draft.scenario
    moves = edit_of(begun, {**edit, "move": True}).draft.scenario
    assert stays is not None
    assert moves is not None
    assert stays.walkthrough[0].at == begun.scenario.walkthrough[0].at != moves.walkthrough[0].at
