"""The form for the browser: groups of fields, each with its label, what it is now, and what is wrong with it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration, parse_duration
from tidemark.simulator.engine.values.items import BatchEnd, End, Record
from tidemark.simulator.scenario.editing import (
    EditError,
    Path,
    Plain,
    ScenarioText,
    Value,
    is_plain,
    put,
    rename_key,
    set_anew,
    set_value,
    text_value,
)
from tidemark.simulator.scenario.editing.choosing import (
    GENERATE,
    INPUT_NAME,
    Chosen,
    Member,
    adapted,
    choose,
    engine_of,
    leave_out,
    members,
    operators_of,
    optional_around,
)
from tidemark.simulator.scenario.format import kinds
from tidemark.simulator.scenario.format.document import SCENARIO, Language, Origin, Translated
from tidemark.simulator.scenario.format.operators import JOINS
from tidemark.simulator.scenario.format.stream import Fraction, Range, StreamKind
from tidemark.simulator.scenario.format.structs import ListOf, Variant
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.timeline.wording import duration
from tidemark.simulator.words import listed as comma_listed
from tidemark.simulator.words import section, words
from tidemark.ui.author.cells import CellError, clock_of, listed, span_written
from tidemark.ui.author.draft import Draft, draft_of_edit
from tidemark.ui.author.telling import texts_edited, written_text

# How a form shows a value of each kind, and what is written for what somebody typed or chose there.

_NUMBER: Final = re.compile(r"-?\d{1,15}(?:\.\d{1,12})?", re.ASCII)
_SHARE: Final = re.compile(r"(\d{1,3}(?:[.,]\d{1,4})?)\s*%?", re.ASCII)
_RANGE: Final = re.compile(r"(-?\d{1,19})(?:\s*+(?:-|–|…|\.\.|,|;|to|至|到)\s*+|\s++)(-?\d{1,19})", re.ASCII)
_COMMA: Final = re.compile(r"[,，、;；\n]")

YES, NO = "yes", "no"
LISTED: Final = "listed"
"""A stream that is written out, in contrast to one that a generator makes."""

FORMS: Final[Sequence[tuple[type[kinds.Kind], str]]] = (
    (Variant, "choice"),
    (kinds.Choice, "choice"),
    (kinds.Boolean, "choice"),
    (StreamKind, "choice"),
    (kinds.DurationOr, "span"),
    (kinds.Duration, "span"),
    (kinds.WholeOr, "whole"),
    (kinds.Whole, "whole"),
    (kinds.Number, "number"),
    (Fraction, "share"),
    (Range, "range"),
    (Origin, "text"),
    (kinds.Zone, "text"),
    (Language, "text"),
    (kinds.Text, "text"),
    (ListOf, "text"),
    (Translated, "long"),
)
"""The control for each kind of value. A kind that is missing here has no place in the form, and a test fails."""


def control_of(kind: kinds.Kind) -> str:
    """The name of the control for values of ``kind``. Raises ``TypeError`` for a kind without one."""
    if isinstance(kind, Translated) and kind.text.pattern is not None:
        return "text"
    for each, name in FORMS:
        if isinstance(kind, each):
            return name
    raise TypeError(type(kind).__name__)


def names_of(kind: kinds.Kind) -> tuple[str, ...]:
    """What can be chosen; empty for what is typed."""
    match kind:
        case Variant():
            return tuple(kind.cases)
        case kinds.Choice():
            return kind.names
        case kinds.Boolean():
            return NO, YES
        case StreamKind():
            return LISTED, GENERATE
        case _:
            return ()


def shown(text: ScenarioText, member: Member) -> str:
    """The value of ``member`` as the form shows it; "" if it is not written."""
    kind, path = member.kind, member.path
    if isinstance(kind, StreamKind):
        return GENERATE if text.has((*path, GENERATE)) else LISTED
    if kind is INPUT_NAME:
        return str(path[-1])
    if not text.has(path):
        return ""
    written = text.scalar(path)
    if written is None:
        value = text.value(path)
        return _listed(kind, value) if isinstance(value, list) else ""
    match kind:
        case kinds.Boolean():
            return {"true": YES, "false": NO}.get(written, written)
        case kinds.Duration() | kinds.DurationOr():
            ms = int(written) if written.lstrip("-").isdecimal() and len(written) < 19 else parse_duration(written)
            return written if ms is None else duration(ms)
        case Fraction():
            return f"{float(written) * 100:g} %" if _NUMBER.fullmatch(written) else written
        case _:
            return written


def shown_default(kind: kinds.Kind, value: object) -> str:
    """A value of the model, as ``shown`` would show it if it were written; "" for none."""
    if value is None or value == ():
        return ""
    match kind:
        case kinds.Boolean():
            return YES if value else NO
        case kinds.OrWord() if value == kind.value:
            return kind.word
        case kinds.Duration() | kinds.DurationOr() if isinstance(value, int):
            return duration(value)
        case Fraction() if isinstance(value, int):
            return f"{value / 10_000:g} %"
        case Range() | ListOf() if isinstance(value, tuple):
            return _listed(kind, list(value))
        case Variant():
            return value if isinstance(value, str) else str(getattr(value, kind.key, ""))
        case _:
            return str(value)


def _listed(kind: kinds.Kind, values: list[Value]) -> str:
    return (" – " if isinstance(kind, Range) else ", ").join(map(str, values))


def typed_value(kind: kinds.Kind, typed: str) -> Value:
    """What is written for ``typed``. Raises ``CellError`` for what is no such value.

    Bounds are left to the reader of files, which has a message for each.
    """
    text = typed.strip()
    match kind:
        case kinds.Choice() | kinds.Boolean():
            if text not in names_of(kind):
                raise CellError("no_choice")
            return text == YES if isinstance(kind, kinds.Boolean) else text_value(text)
        case kinds.OrWord() if text == kind.word:
            return Plain(text)
        case kinds.Duration() | kinds.DurationOr():
            return span_written(text)
        case kinds.Whole() | kinds.WholeOr():
            return _whole(text)
        case kinds.Number():
            number = text.replace(",", ".").replace("\N{MINUS SIGN}", "-")
            if not _NUMBER.fullmatch(number):
                raise CellError("no_number")
            return Plain(number)
        case Fraction():
            found = _SHARE.fullmatch(text)
            if found is None:
                raise CellError("no_share")
            return round(float(found[1].replace(",", ".")) / 100, 6)
        case Range():
            ends = _RANGE.fullmatch(text)
            if ends is None:
                raise CellError("no_range")
            return [int(ends[1]), int(ends[2])]
        case ListOf():
            return [text_value(each.strip()) for each in _COMMA.split(text) if each.strip()]
        case Origin():
            return Plain(text) if is_plain(text) else text
        case _:
            return text_value(text)


def _whole(typed: str) -> int:
    digits = re.sub(r"[\s,_]", "", typed.replace("\N{MINUS SIGN}", "-"))
    if not re.fullmatch(r"-?\d{1,19}", digits, re.ASCII):
        raise CellError("no_whole")
    return int(digits)


Row = dict[str, Any]

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "operator": ("engine", "flink", "shown", "operator"),
    "sources": ("inputs",),
    "stream": ("zone", "origin", "stream"),
    "about": ("name", "title", "summary", "look_for", "takeaway", "teaches", "level", "lesson", "minutes", "language"),
}
"""The groups in order, each with its members at the top of a file."""

CHOOSERS: Final = ("type", "call", "generator")
"""Keys that say only which kind of a part is meant: their field has the name of the part."""

OF_GENERATOR: Final = {
    ("disorder", "max"): "disorder",
    ("late", "fraction"): "late_millionths",
    ("late", "by"): "late_by",
    ("generate", "borders"): "border_millionths",
}
"""Settings of a generated stream that the model has under another name."""

LABELS: Final = {
    ("stream", "generate", "disorder", "max"): "disorder",
    ("stream", "generate", "late", "fraction"): "late_share",
    ("stream", "generate", "late", "by"): "late_by",
    ("stream", "generate", "end"): "end_of_input",
}
"""Labels for members that their key alone does not describe."""


NAMES: Final = {
    "flink": "Apache Flink",
    "spark": "Spark",
    "datastream": "DataStream",
    "sql": "SQL / Table",
    "tvf": "SQL / Window TVF",
}
"""Choices that have a name of their own, the same in every language."""


def form(draft: Draft) -> list[Row]:
    """The groups: {name, title, fields}; none for a text that cannot be read.

    A field: {name, label, about, kind, value, default, choices, required, depth, head, problem}. ``name`` is its path,
    with dots. ``value`` is "" for what is not written, and ``default`` what then applies. ``choices``: [value, label],
    "" for leaving it out. ``head``: the name of the input that begins here; ``problem``: what the format says of it.
    """
    text = draft.read
    if text is None:
        return []
    problems = {(each.line, each.column): each.text for each in draft.problems if not each.warning}
    fields: dict[str, list[Row]] = {}
    inputs: set[object] = set()
    for member in members(text):
        row = _field(text, member, draft.scenario, problems)
        if member.path[0] == "inputs":
            row["head"] = "" if member.path[1] in inputs else str(member.path[1])
            inputs.add(member.path[1])
        fields.setdefault(str(member.path[0]), []).append(row)
    if len(inputs) == 1:
        fields["inputs"][0]["head"] = ""
    return [
        {
            "name": name,
            "title": words(f"form.groups.{name}"),
            "fields": [row for key in keys for row in fields.get(key, ())],
        }
        for name, keys in GROUPS.items()
    ]


def _field(
    text: ScenarioText, member: Member, scenario: Scenario | None, problems: Mapping[tuple[int | None, int | None], str]
) -> Row:
    kind = control_of(member.kind)
    translated = isinstance(member.kind, Translated)
    value = written_text(text, str(member.path[0])) if translated else shown(text, member)
    default = "" if value or scenario is None else shown_default(member.kind, effective(scenario, member))
    return {
        "name": ".".join(map(str, member.path)),
        "label": label_of(member.path),
        "about": _about(member.path),
        "kind": kind,
        "value": value,
        "default": default,
        "choices": list(_choices(member, value, default)),
        "required": member.required,
        "depth": member.depth,
        "head": "",
        "problem": _problem(text, member, problems),
    }


def label_of(path: Path) -> str:
    """The label of the member at ``path``."""
    if path[:-1] == ("inputs",):
        return words("form.labels.input")
    key = LABELS.get(tuple(map(str, path))) or path[-2 if path[-1] in CHOOSERS and len(path) > 1 else -1]
    return words(f"form.labels.{key}")


def _about(path: Path) -> str:
    if path[:-1] == ("inputs",):
        return ""
    key = path[-2 if path[-1] in CHOOSERS and len(path) > 1 else -1]
    return str(section("format.keys").get(str(key), ""))


def _choices(member: Member, value: str, default: str) -> Iterator[list[str]]:
    """What can be chosen; leaving it out comes first, where what applies then has no name of its own."""
    names = names_of(member.kind)
    labels = _labels(member.path)
    if names and not member.required and (isinstance(member.kind, Variant) or not default):
        shown = words("form.default_is", default=labels.get(default, default)) if default else ""
        yield ["", shown or words("form.none")]
    if value and names and value not in names:
        yield [value, value]
    for name in names:
        yield [name, labels.get(name, name)]


def _labels(path: Path) -> Mapping[str, str]:
    key = str(path[-2] if path[-1] in CHOOSERS and len(path) > 1 else path[-1])
    key = {"inner": "trigger", "late": "early"}.get(key, key)
    if path == ("operator", "type"):
        key = "operator"
    found = section("form.choices")
    return {**NAMES, **found["of_any"], **found.get(key, {})}


def _problem(text: ScenarioText, member: Member, problems: Mapping[tuple[int | None, int | None], str]) -> str:
    if not problems:
        return ""
    for path in (member.path, member.whole):
        if text.has(path) and text.place(path) in problems:
            return problems[text.place(path)]
    return ""


def effective(scenario: Scenario, member: Member) -> object:
    """What applies where nothing is written; ``None`` if nothing does."""
    path = member.whole
    value: object = scenario
    parts = scenario.chain.parts if scenario.chain else ()
    if path == ("shown",):
        return scenario.chain.shown if scenario.chain else None
    if path[0] == "inputs":
        inputs = (*scenario.inputs, *(each for part in parts for each in part.scenario.inputs))
        value, path = next((each for each in inputs if each.name == path[1]), None), path[2:]
    elif path[:2] == ("stream", "generate"):
        assert isinstance(scenario.stream, Generated)
        name = OF_GENERATOR.get((str(path[-2]), str(path[-1])), str(path[-1]))
        return getattr(scenario.stream, name, None)
    for step in path:
        value = getattr(value, str(step), None)
    return value


# Edits by the form: a member gets another value, or another kind is chosen, and the rest is made to fit.
#
# A choice keeps what the new kind also takes. What it does not take goes, and the author is told what that was.

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
        if not text.operators:
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
