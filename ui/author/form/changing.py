"""Edits by the form: a member gets another value, or another kind is chosen, and the rest is made to fit.

A choice keeps what the new kind also takes. What it does not take goes, and the author is told what that was.
"""

from typing import Final, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import BatchEnd, End, Record
from tidemark.simulator.scenario.editing import (
    EditError,
    Path,
    Plain,
    ScenarioText,
    Value,
    put,
    rename_key,
    set_anew,
    set_value,
)
from tidemark.simulator.scenario.editing.choosing import Chosen, adapted, choose, leave_out
from tidemark.simulator.scenario.editing.members import (
    GENERATE,
    INPUT_NAME,
    Member,
    engine_of,
    members,
    operators_of,
    optional_around,
)
from tidemark.simulator.scenario.format.document import SCENARIO
from tidemark.simulator.scenario.format.operators import JOINS
from tidemark.simulator.scenario.format.stream import StreamKind
from tidemark.simulator.scenario.format.structs import Variant
from tidemark.simulator.scenario.format.texts import Translated
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.words import listed as comma_listed
from tidemark.simulator.words import words
from tidemark.ui.author.cells import CellError, clock_of, listed
from tidemark.ui.author.draft import Draft, draft_of_edit
from tidemark.ui.author.form.fields import effective, label_of
from tidemark.ui.author.form.typed import LISTED, names_of, typed_value
from tidemark.ui.author.telling import texts_edited

ADAPTING: Final = ("type", "generator", "engine", "api", "time", "channels", "gap_field")
"""Members on which inputs and stream depend."""

FRAME: Final = ("operator", "frame")
"""An OVER frame is counted in rows or in time, never in both: to set the one takes the other away."""

MOST_REPAIRS: Final = 6


class Changed(NamedTuple):
    """The draft after an edit, and what the author is told beside what is seen; "" for nothing."""

    draft: Draft
    said: str


def by_form(draft: Draft, name: str, typed: str) -> Changed:
    """The draft with ``typed`` in the field ``name``, or with that chosen; "" leaves the member out.

    Raises ``CellError`` or ``EditError`` where that cannot be written. The result may be unsound.
    """
    text = draft.read
    if text is None:
        raise EditError("unreadable")
    member = next((each for each in members(text) if name_of(each.path) == name), None)
    if member is None:
        raise EditError("no_such_place")
    new, gone, said = _edited(draft, text, member, typed)
    if member.path[-1] in ADAPTING:
        new, names = adapted(text, new)
        said = (*said, *names)
        return _repaired(text, new, member.path, gone, said)
    return Changed(draft_of_edit(new), _told(gone, said))


def name_of(path: Path) -> str:
    """The name of the field for the member at ``path``."""
    return ".".join(map(str, path))


def _other_end(path: Path) -> Path:
    return (*path[:-1], "range" if path[-1] == "rows" else "rows")


Edited = tuple[ScenarioText, tuple[Path, ...], tuple[str, ...]]
"""A new text, what went, and the names of what was changed besides."""


def _edited(draft: Draft, text: ScenarioText, member: Member, typed: str) -> Edited:
    kind = member.kind
    if typed and (names := names_of(kind)) and typed not in names:
        raise CellError("no_choice")
    if isinstance(kind, Translated):
        return texts_edited(text, _run(draft), {"texts": {member.path[0]: typed}}), (), ()
    if isinstance(kind, StreamKind):
        return _stream(draft, text, typed)
    if not typed.strip():
        if member.required:
            raise CellError("needed_text")
        return leave_out(text, member.whole, True), (), ()
    if isinstance(kind, Variant) and typed == (text.scalar(member.path) or kind.default):
        return text, (), ()
    if kind is SCENARIO:
        return *_engine(text, typed), ()
    if isinstance(kind, Variant):
        return *choose(_with_default(draft, text, member, kind), kind, member.path[:-1], typed), ()
    if kind is INPUT_NAME:
        name = typed.strip()
        if text.has(member.path):
            return (rename_key(text, member.path, name) if name != member.path[-1] else text), (), ()
        return put(text, (*member.path[:-1], name), {}), (), ()
    if member.path[:-1] == FRAME:
        text = leave_out(text, other, True) if text.has(other := _other_end(member.path)) else text
    value = typed_value(kind, typed)
    if value == []:
        return leave_out(text, member.whole, not member.required), (), ()
    return put(text, member.path, value), (), ()


def _with_default(draft: Draft, text: ScenarioText, member: Member, kind: Variant) -> ScenarioText:
    """``text`` with what applies as long as nothing is written: another kind may take that in."""
    if text.has(member.whole) or draft.scenario is None:
        return text
    name = getattr(effective(draft.scenario, member), kind.key, None)
    return choose(text, kind, member.whole, name).text if name in kind.cases else text


def _run(draft: Draft) -> Scenario:
    if draft.scenario is None:
        raise CellError("unsound")
    return draft.scenario


# --- choices that reach further --------------------------------------------------------------------------------------


def _engine(text: ScenarioText, name: str) -> Chosen:
    operators = operators_of(name)
    kind = text.scalar(("operator", "type")) or ""
    others = operators_of(engine_of(text)).keys()
    text = set_value(text, (SCENARIO.key,), Plain(name))
    nearest = kind if kind in operators.cases else _nearest(kind)
    return choose(text, operators, ("operator",), nearest, others)


def _nearest(kind: str) -> str:
    """The operator of the other engine that is nearest to one that a single engine has."""
    return "window" if kind not in JOINS else "window-join" if kind == "stream-join" else "stream-join"


def _stream(draft: Draft, text: ScenarioText, typed: str) -> Edited:
    scenario = _run(draft)
    generated = isinstance(scenario.stream, Generated)
    if typed == LISTED and generated:
        return listed(text, scenario, clock_of(scenario)), (), ()
    if typed == GENERATE and not generated:
        return set_anew(text, "stream", {GENERATE: _like(scenario)}), (), ("generated",)
    return text, (), ()


def _like(scenario: Scenario) -> dict[str, Value]:
    """The settings of a generator whose stream is about as long, and about as dense, as the written one."""
    assert not isinstance(scenario.stream, Generated)
    records = [each for each in scenario.stream if isinstance(each, Record)]
    times = sorted(time for each in records if (time := each.at if each.ts is None else each.ts) is not None)
    every = (times[-1] - times[0]) // (len(times) - 1) if len(times) > 1 else 1_000
    settings: dict[str, Value] = {
        "events": max(len(records), 20),
        "seed": 1,
        "keys": max(len({(type(each.key), each.key) for each in records}), 1),
        "every": Plain(format_duration(max(every // 100 * 100, 100))),
        "disorder": {"max": Plain("2s")},
    }
    if scenario.engine == "spark":
        batches = sum(isinstance(each, BatchEnd) for each in scenario.stream)
        return settings | {"batch_every": max(len(records) // max(batches, 1), 1)}
    return settings | ({"end": True} if any(isinstance(each, End) for each in scenario.stream) else {})


# --- the rest is made to fit -----------------------------------------------------------------------------------------


def _repaired(
    before: ScenarioText, text: ScenarioText, kept: Path, gone: tuple[Path, ...], said: tuple[str, ...]
) -> Changed:
    """Leaves out what the operator can do without and no longer fits it, one part after the other.

    ``kept`` was just chosen: if that is what does not fit, the author hears why.
    """
    draft = draft_of_edit(text)
    for _ in range(MOST_REPAIRS):
        if draft.scenario is not None:
            break
        places = ((each.line or 0, each.column or 0) for each in draft.problems if not each.warning)
        unfit = next((path for place in places if (path := optional_around(text, *place)) is not None), None)
        if unfit is None or kept[: len(unfit)] == unfit:
            break
        gone = (*gone, unfit) if before.has(unfit) else gone
        text = leave_out(text, unfit, True)
        draft = draft_of_edit(text)
    return Changed(draft, _told(gone, said))


def _told(gone: tuple[Path, ...], said: tuple[str, ...]) -> str:
    names = dict.fromkeys(label_of(path) for path in gone)
    sentences = [words(f"form.said.{name}") for name in said]
    if names:
        sentences.append(words("form.said.gone", names=comma_listed(names)))
    return words("form.said.between").join(sentences)
