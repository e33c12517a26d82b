"""The members of a scenario that a form can show, found by walking the tables that read a file.

The tables say which members there are, which of them a choice brings along, and which may be left out. So whatever the
format takes has a place in the form, but for columns and what is computed of them by name, and nothing else has.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tidemark.simulator.engine.values.duration import format_duration, parse_duration
from tidemark.simulator.scenario.editing.beats import renumber
from tidemark.simulator.scenario.editing.edits import put, remove, replace, set_anew, set_list, set_value
from tidemark.simulator.scenario.editing.text import EditError, Path, Plain, ScenarioText, Value, written
from tidemark.simulator.scenario.format.document import DEFAULT_INPUT, SCENARIO, Inputs
from tidemark.simulator.scenario.format.kinds import Choice, Kind, Reader, Text
from tidemark.simulator.scenario.format.operators import JOINS, VERSIONED, OneOrSeveral, OperatorKind
from tidemark.simulator.scenario.format.stream import SIDES, StreamKind
from tidemark.simulator.scenario.format.structs import Members, Named, Struct, Texts, Variant
from tidemark.simulator.scenario.reading.nodes import Refused, SequenceNode, Source
from tidemark.simulator.scenario.reading.yaml import read_yaml

ELSEWHERE: Final = ("scenario", "goals", "walkthrough")
"""The members at the top that are no settings: the version, and two lists that have an editor of their own."""

GENERATE: Final = "generate"

INPUT_NAME: Final = Text()
"""The name of the only input of an operator, which stands as the key at the path of its member."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the format. ``path`` is where its value stands, or would stand.

    ``kind`` reads the value; a ``Variant`` is chosen from, and its mapping stands at ``path`` without the last step.
    ``required``: it cannot be left out. ``depth``: how many choices it depends on below the part that it belongs to.
    """

    path: Path
    kind: Kind
    required: bool
    depth: int

    @property
    def whole(self) -> Path:
        """The path of what goes when the member is left out: a chosen mapping goes as a whole."""
        return self.path[:-1] if isinstance(self.kind, Variant) and len(self.path) > 1 else self.path


def engine_of(text: ScenarioText) -> str:
    """The engine whose rules ``text`` asks for; the default for an unknown one."""
    written = text.scalar((SCENARIO.key,))
    return written if written in SCENARIO.cases else str(SCENARIO.default)


def operators_of(engine: str) -> Variant:
    """The operators of ``engine``, to choose from."""
    top = SCENARIO.cases[engine]
    assert isinstance(top, Struct)
    kind = top.kinds["operator"]
    assert isinstance(kind, OperatorKind)
    assert isinstance(kind.operators, Variant)
    return kind.operators


def generator_of(engine: str) -> Struct:
    """The settings of a generated stream under the rules of ``engine``."""
    top = SCENARIO.cases[engine]
    assert isinstance(top, Struct)
    kind = top.kinds["stream"]
    assert isinstance(kind, StreamKind)
    settings = kind.generated.kinds[GENERATE]
    assert isinstance(settings, Struct)
    return settings


def members(text: ScenarioText) -> Iterator[Member]:
    """Every member that ``text`` has or could have, as far as its own choices bring it along.

    Of several operators those of the one that is shown, but for what the others would have to follow.
    """
    if text.operators:
        yield Member(("shown",), Choice(*text.operators), False, 0)
    else:
        yield Member((SCENARIO.key,), SCENARIO, True, 0)
    top = SCENARIO.cases[engine_of(text)]
    assert isinstance(top, Struct)
    for key, kind in top.kinds.items():
        if key not in ELSEWHERE:
            for each in _within(text, kind, (key,), key in top.required, 0):
                if not (text.operators and _is_shared(each)):
                    yield each


def _is_shared(member: Member) -> bool:
    return member.kind is INPUT_NAME or member.path in (("operator", "type"), ("stream",))


def case_of(text: ScenarioText, variant: Variant, path: Path) -> Members | None:
    """What the mapping at ``path`` has chosen; ``None`` if that is unknown, or missing without a default."""
    written = text.scalar((*path, variant.key))
    return variant.cases.get(written or str(variant.default))


def inputs_in(text: ScenarioText) -> tuple[str, ...]:
    """The names of the inputs."""
    written = text.value(("inputs",)) if text.has(("inputs",)) else None
    if text.operators:
        return tuple(written) if isinstance(written, dict) and written else (DEFAULT_INPUT,)
    if text.scalar(("operator", "type")) in JOINS:
        return SIDES
    return tuple(written)[:1] if isinstance(written, dict) and written else (DEFAULT_INPUT,)


def optional_around(text: ScenarioText, line: int, column: int) -> Path | None:
    """The smallest part of the operator that can be left out and has the place in it; ``None`` if there is none."""
    found: tuple[int, Path] | None = None
    for each in members(text):
        path = each.whole
        if each.required or path[0] != "operator" or not text.has(path):
            continue
        first, last = text.extent(path)
        if first <= (line, column) < last and (found is None or len(path) >= found[0]):
            found = len(path), path
    return None if found is None else found[1]


def _within(text: ScenarioText, kind: Kind, path: Path, required: bool, depth: int) -> Iterator[Member]:
    match kind:
        case Named():
            assert kind.kind is not None
            yield from _within(text, kind.kind, path, required, depth)
        case OperatorKind():
            yield from _within(text, kind.operators, path, required, depth - 1)
        case Inputs():
            names = inputs_in(text)
            if names != SIDES:
                yield Member((*path, *names), INPUT_NAME, True, depth)
            for name in names:
                of_columns = () if text.has((*path, name, "columns")) else ("where", "key")
                for member in _within(text, kind.input, (*path, name), False, depth):
                    if member.path[-1] not in of_columns:
                        yield member
        case StreamKind():
            yield Member(path, kind, True, depth)
            if text.has((*path, GENERATE)):
                yield from _within(text, kind.generated.kinds[GENERATE], (*path, GENERATE), True, depth + 1)
        case Variant():
            yield from _chosen(text, kind, path, required or kind.default is not None, depth)
        case Struct():
            alone = not required and len(kind.kinds) == 1  # it goes with the part whose only member it is
            for key, each in kind.kinds.items():
                yield from _within(text, each, (*path, key), key in kind.required and not alone, depth)
        case OneOrSeveral():
            if not isinstance(text.value(path) if text.has(path) else None, dict):
                yield from _within(text, kind.one, path, required, depth)
        case Texts():  # as many members as somebody likes: they are written in the text
            pass
        case _:
            yield Member(path, kind, required, depth)


def _chosen(text: ScenarioText, variant: Variant, path: Path, required: bool, depth: int) -> Iterator[Member]:
    yield Member((*path, variant.key), variant, required, max(depth, 0))
    case = case_of(text, variant, path)
    if isinstance(case, Variant):
        yield from _chosen(text, case, path, True, depth)
    elif case is not None:
        yield from _within(text, case, path, True, depth + 1)


# Choosing another kind of a part: what the new kind also takes stays as it is written, and the rest goes.

# What a part that was just chosen begins with: a value for each member that it cannot do without.

STARTS: Final[Mapping[str, Value]] = {
    "size": Plain("10s"),
    "slide": Plain("5s"),
    "max_size": Plain("10s"),
    "step": Plain("5s"),
    "gap": Plain("5s"),
    "gap_field": Plain("gap"),
    "max": 3,
    "n": 3,
    "interval": Plain("1s"),
    "threshold": 5,
    "inner": {"type": Plain("count"), "max": 3},
    "timeout": Plain("5s"),
    "window": Plain("5s"),
    "bound": Plain("2s"),
    "delay": Plain("2s"),
    "lower": Plain("-5s"),
    "upper": Plain("5s"),
    "frame": {"rows": 2},
    "assigner": {"type": Plain("tumbling"), "size": Plain("10s")},
    "function": {"call": Plain("aggregate"), "compute": Plain("sum")},
}
"""By key. A choice among names begins with ``sum`` or with its first name."""

OTHERS: Final[Mapping[str, Value]] = {"function": {"call": Plain("event-sort")}}
"""What to begin with where the value in ``STARTS`` does not fit."""

LENGTHS: Final = ("size", "gap", "max_size")
STEPS: Final = ("slide", "step")
"""Windows of another kind have about the length of those before; half of it is their step."""


def fits(kind: Kind, value: Value) -> bool:
    """Whether ``kind`` reads ``value`` without a problem."""
    source = Source("", f"- {written(value)}\n")
    try:
        items = read_yaml(source)
    except Refused:
        return False
    assert isinstance(items, SequenceNode)
    kind.read(Reader(source), items.items[0], ())
    return not source.failed


def starts(case: Struct, before: Mapping[str, Value], missing: tuple[str, ...]) -> dict[str, Value]:
    """A value for each of the ``missing`` members of ``case``; ``before`` is the mapping that it takes the place of."""
    length = next((ms for name in LENGTHS if (ms := _ms(before.get(name))) is not None), None)
    found: dict[str, Value] = {}
    for name in missing:
        kind = case.kinds[name]
        kind = kind.one if isinstance(kind, OneOrSeveral) else kind
        if length is not None and name in (*LENGTHS, *STEPS):
            half = max(length // 2, 1)
            of_steps = name == "max_size"
            found[name] = Plain(format_duration(half if name in STEPS else half * 2 if of_steps else length))
        elif isinstance(kind, Choice):
            found[name] = Plain("sum" if "sum" in kind.names else kind.names[0])
        else:
            start = STARTS[name]
            found[name] = start if fits(kind, start) else OTHERS[name]
    return found


def _ms(value: Value) -> int | None:
    if isinstance(value, Plain):
        return int(value) if value.isdecimal() else parse_duration(value)
    return value if type(value) is int else None


DEEP = 3
"""How many steps lead to the parts that may stand empty: an input keeps its name."""

INNER = "inner"
"""The member of a trigger that holds another one."""


class Chosen(NamedTuple):
    """The text after a choice, and the paths of what it does not take."""

    text: ScenarioText
    gone: tuple[Path, ...]


def choose(text: ScenarioText, variant: Variant, path: Path, name: str, also: Iterable[str] = ()) -> Chosen:
    """``text`` with the kind ``name`` of ``variant`` at ``path``.

    ``also``: keys that other variants take, which go as well. Raises ``EditError`` for a kind that it is not.
    """
    if name not in variant.cases:
        raise EditError("no_value")
    before = text.value(path) if text.has(path) else {}
    if not isinstance(before, dict):
        raise EditError("not_simple")
    case = _struct(variant.cases[name], before)
    if not before:
        return Chosen(put(text, path, {variant.key: Plain(name), **starts(case, {}, case.required)}), ())
    if isinstance(inner := before.get(INNER), dict) and inner.get(variant.key) == name:
        return Chosen(set_value(text, path, inner), ())
    if INNER in case.required and INNER not in before and fits(case.kinds[INNER], before):
        more = starts(case, before, tuple(each for each in case.required if each != INNER))
        return Chosen(set_value(text, path, {variant.key: Plain(name), INNER: before, **more}), ())
    kept = {key for key, value in before.items() if key in case.kinds and fits(case.kinds[key], value)}
    taken = {variant.key, *_choosers(variant.cases[name])}
    known = {*variant.keys(), *also}
    gone = tuple(key for key in before if key in known and key not in kept and key not in taken)
    text = set_value(text, (*path, variant.key), Plain(name))
    for key in gone:
        text = remove(text, (*path, key))
    more = starts(case, before, tuple(key for key in case.required if key not in kept))
    for key, value in more.items():
        text = set_value(text, (*path, key), value)
    carried = (*LENGTHS, *STEPS) if not more.keys().isdisjoint(LENGTHS) else ()
    return Chosen(text, tuple((*path, key) for key in gone if key not in carried))


def leave_out(text: ScenarioText, path: Path, optional: bool) -> ScenarioText:
    """``text`` without what is at ``path``; with the last member goes an empty mapping around it.

    Raises ``EditError`` where it cannot be left out.
    """
    if not optional:
        raise EditError("needed")
    if not text.has(path):
        return text
    above = text.value(path[:-1])
    if len(path) > DEEP and isinstance(above, dict) and len(above) == 1:
        return leave_out(text, path[:-1], optional)
    return remove(text, path)


def _struct(case: Members, before: dict[str, Value]) -> Struct:
    """The members of a kind, with those choices below it that ``before`` has made."""
    if isinstance(case, Variant):
        written = before.get(case.key)
        name = written if isinstance(written, str) and written in case.cases else str(case.default)
        return _struct(case.cases[name], before)
    assert isinstance(case, Struct)
    return case


def _choosers(case: Members) -> Iterator[str]:
    """The keys that choose within a kind."""
    if isinstance(case, Variant):
        yield case.key
        for each in case.cases.values():
            yield from _choosers(each)


# Inputs and stream after another choice of operator, engine or channels: both have to fit what is chosen now.
#
# A join has a left and a right input, and each record names its side; Spark has no channels, no arrival times and a
# delay instead of a generator. What can be carried over is carried over, and each change that is made has a name.

STREAM: Final[Path] = ("stream",)
INPUTS: Final[Path] = ("inputs",)
OPERATOR: Final[Path] = ("operator",)

OF_SPARK: Final = ("ts", "key", "value", "in", "batch")
"""The members of items that Spark's rules know."""

A_GAP: Final = Plain("5000")
"""The gap (ms) that records get for sessions with a gap of their own."""

MOST_REMOVED: Final = 40
"""Up to so many items are removed one by one, with what is written around them left alone."""

Entries = Mapping[str, Value]


def adapted(before: ScenarioText, text: ScenarioText) -> tuple[ScenarioText, tuple[str, ...]]:
    """``text`` with inputs and stream that fit its operator, and the names of what was changed for that.

    ``before`` is the text before the choice. The names: ``sides``, ``one_input``, ``delay``, ``generator``,
    ``items``, ``channels``, ``gaps``, ``arrivals``, ``versions``.
    """
    said: list[str] = []
    text = _with_inputs(before, text, said)
    compute = text.scalar((*OPERATOR, "function", "compute"))
    if _assigner(text) == "dynamic-session" and compute is not None and compute not in COUNTED:
        text = put(text, (*OPERATOR, "function"), {"call": Plain("process"), "compute": Plain("collect")})
    return _with_items(text, said), tuple(dict.fromkeys(said))


COUNTED: Final = ("count", "collect")
"""What can be computed of records that are no numbers."""


# --- inputs --------------------------------------------------------------------------------------------------------


def _with_inputs(before: ScenarioText, text: ScenarioText, said: list[str]) -> ScenarioText:
    old, new = inputs_in(before), inputs_in(text)
    engines = engine_of(before), engine_of(text)
    if old == new and engines[0] == engines[1]:
        return text
    specs = [_members(before, (*INPUTS, name)) for name in old]
    if old == new:
        new_specs = dict(zip(new, specs, strict=True))
    elif len(new) > len(old):
        new_specs = dict.fromkeys(new, specs[0])
        said.append("sides")
    else:
        new_specs = {DEFAULT_INPUT: specs[0]}
        said.append("one_input")
    if engines[0] != engines[1]:
        carry = _delayed if engines[1] == "spark" else _generated
        new_specs = {name: carry(spec) for name, spec in new_specs.items()}
        said.append("delay" if engines[1] == "spark" else "generator")
    for name in old if text.has(INPUTS) and set(old) == set(new) else ():
        text = set_value(text, (*INPUTS, name), dict(new_specs[name])) if text.has((*INPUTS, name)) else text
    return text if set(old) == set(new) and text.has(INPUTS) else set_anew(text, "inputs", dict(new_specs))


def _delayed(spec: Entries) -> dict[str, Value]:
    watermark = spec.get("watermark")
    bound = watermark.get("bound") if isinstance(watermark, dict) else None
    return {"watermark": {"delay": Plain("2s") if bound is None else bound}}


def _generated(spec: Entries) -> dict[str, Value]:
    watermark = spec.get("watermark")
    delay = watermark.get("delay") if isinstance(watermark, dict) else None
    if delay is None:
        return {}
    return {"watermark": {"generator": Plain("bounded-out-of-orderness"), "bound": delay}}


# --- the stream ----------------------------------------------------------------------------------------------------


def _with_items(text: ScenarioText, said: list[str]) -> ScenarioText:
    if not text.length(STREAM):
        return _with_generator(text)
    old = [each.members for each in text.items(STREAM)]
    new = list(_items(text, old, said))
    changed = {(*STREAM, n): dict(each) for n, each in enumerate(new) if each is not None and each != old[n]}
    gone = [n for n, each in enumerate(new) if each is None]
    if len(gone) > MOST_REMOVED:
        text = set_list(text, "stream", [dict(each) for each in new if each is not None])
    else:
        text = replace(text, changed) if changed else text
        for number in reversed(gone):
            text = remove(text, (*STREAM, number))
    if not gone:
        return text
    said.append("items")
    last = max(len(old) - len(gone) - 1, 0)
    return renumber(text, lambda item: min(item - sum(each < item for each in gone), last))


def _with_generator(text: ScenarioText) -> ScenarioText:
    """Spark's generator ends batches, Flink's the input."""
    path = (*STREAM, GENERATE)
    for key in _members(text, path).keys() - generator_of(engine_of(text)).kinds.keys():
        text = remove(text, (*path, key))
    return text


def _items(text: ScenarioText, old: list[Entries], said: list[str]) -> Iterator[Entries | None]:
    """Each item as it has to be, ``None`` for one that has no place any more."""
    joins = text.scalar((*OPERATOR, "type")) in JOINS
    versions = text.scalar((*OPERATOR, "type")) == VERSIONED
    spark = engine_of(text) == "spark"
    timed = spark or text.scalar((*OPERATOR, "time")) != "processing"
    channels = {name: _whole(text.scalar((*INPUTS, name, "channels"))) for name in inputs_in(text)}
    gap = text.scalar((*OPERATOR, "assigner", "gap_field")) if _assigner(text) == "dynamic-session" else None
    records = 0
    for item in old:
        record = "key" in item
        if (spark and not record and "batch" not in item) or (not spark and "batch" in item):
            yield None
            continue
        new = dict(item)
        if spark and new.keys() - set(OF_SPARK):
            new = {name: value for name, value in new.items() if name in OF_SPARK}
            said.append("arrivals")
        if timed and record and "ts" not in new and "at" in new:
            new = {"ts": new["at"], **new}
        if record or "watermark" in item or "status" in item:
            new = _of_side(new, joins, SIDES[records % 2 if record else 0])
            if "op" in new and not (versions and new.get("in") == SIDES[1]):
                del new["op"]
                said.append("versions")
            of_input = channels.get(str(new.get("in", "")), next(iter(channels.values())))
            if isinstance(new.get("channel"), Plain) and _whole(str(new["channel"])) >= of_input:
                new["channel"] = of_input - 1
                said.append("channels")
        if gap is not None and record:
            new["value"] = _with_gap(new.get("value"), gap)
            said += ["gaps"] * (new["value"] != item.get("value"))
        records += record
        yield new


def _of_side(item: dict[str, Value], joins: bool, side: str) -> dict[str, Value]:
    if not joins:
        return {name: value for name, value in item.items() if name != "in"}
    return item if "in" in item else item | {"in": Plain(side)}


def _with_gap(value: Value, field: str) -> dict[str, Value]:
    if isinstance(value, dict):
        return value if field in value else {**value, field: A_GAP}
    return {field: A_GAP} if value is None else {"value": value, field: A_GAP}


def _assigner(text: ScenarioText) -> str | None:
    return text.scalar((*OPERATOR, "assigner", "type"))


def _members(text: ScenarioText, path: Path) -> Entries:
    value = text.value(path) if text.has(path) else None
    return value if isinstance(value, dict) else {}


def _whole(written: str | None) -> int:
    return int(written) if written is not None and written.isdecimal() and len(written) < 10 else 1
