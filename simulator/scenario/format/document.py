"""The top level of a scenario file: name and texts, inputs, walkthrough with predictions, goals."""

import re
from typing import Any, Final

from tidemark.simulator.engine.trace.events import EVENT_TYPES
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.limits import CHAIN_OPERATORS, SCENARIO_CHANNELS
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import CalcProblem
from tidemark.simulator.scenario.format import kinds
from tidemark.simulator.scenario.format.kinds import Zone
from tidemark.simulator.scenario.format.operators import FLINK_OPERATOR, SPARK_OPERATOR, OperatorKind
from tidemark.simulator.scenario.format.stream import SIDES, StreamKind
from tidemark.simulator.scenario.format.structs import (
    ListOf,
    Members,
    Outer,
    Struct,
    Texts,
    Values,
    Variant,
    described,
    exactly_one,
    place_within,
    report_unknown_key,
)
from tidemark.simulator.scenario.languages import TRANSLATED_FROM, TemplateError, parts
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, SequenceNode
from tidemark.simulator.words import section
from tidemark.simulator.words.tags import TAG, is_tag

SOURCE: Final = kinds.Text()


class Translated(kinds.Kind):
    """A text in the file's language, or one for each language. ``template``: ``{names}`` are fields of an event."""

    def __init__(self, *, template: bool = False, one_line: bool = False) -> None:
        self.template = template
        self.text = kinds.Text(r"[^\S\n]*\S[^\n]*", "line") if one_line else kinds.Text()

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if isinstance(node, MappingNode):
            texts = self._by_language(reader, node, path)
            nodes = {language: entry.value for language, entry in node.entries.items()}
        else:
            text = self.text.read(reader, node, path)
            texts, nodes = text if text is kinds.INVALID else {reader.language: text}, {reader.language: node}
        if texts is not kinds.INVALID and self.template:
            for language, text in texts.items():
                try:
                    parts(text)
                except TemplateError as error:
                    texts = reader.wrong(nodes[language].at, "bad_template", found=kinds.shortened(error.text))
        return texts

    def _by_language(self, reader: kinds.Reader, node: MappingNode, path: kinds.Path) -> Any:
        texts = {}
        valid = True
        for name, entry in node.entries.items():
            if name == TRANSLATED_FROM:
                valid = self._sources(reader, entry.value, path) and valid
                continue
            if not is_tag(name):
                # A text without quotes ends at its comma; what is behind it reads as a key of its own.
                why = "text_cut_off" if " " in name else "no_language"
                valid = reader.wrong(entry.at, why, found=kinds.shortened(name)) is not kinds.INVALID
                continue
            texts[name] = self.text.read(reader, entry.value, (*path, name))
            reader.marks[(*path, name)] = reader.source.place(entry.value.at)
        if reader.language not in node.entries:
            valid = reader.wrong(node.at, "missing_key", key=reader.language) is not kinds.INVALID
        return texts if valid and kinds.INVALID not in texts.values() else kinds.INVALID

    def _sources(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> bool:
        """Reads ``translated_from``; a language that is no longer there does no harm."""
        if not isinstance(node, MappingNode):
            return (
                reader.wrong(node.at, "wrong_kind", found=kinds.found(node), wanted=kinds.wanted_words("mapping"))
                is not kinds.INVALID
            )
        sources = {}
        for name, entry in node.entries.items():
            if not is_tag(name):
                return reader.wrong(entry.at, "no_language", found=kinds.shortened(name)) is not kinds.INVALID
            sources[name] = SOURCE.read(reader, entry.value, (*path, TRANSLATED_FROM, name))
        reader.translated_from[path] = sources
        return kinds.INVALID not in sources.values()

    def schema(self) -> kinds.JsonSchema:
        sources = {TRANSLATED_FROM: described(TRANSLATED_FROM, _of_languages(SOURCE))}
        return {"anyOf": [self.text.schema(), {**_of_languages(self.text), "properties": sources}]}


def _of_languages(text: kinds.Text) -> kinds.JsonSchema:
    texts = {"patternProperties": {f"^{TAG}$": text.schema()}, "minProperties": 1, "additionalProperties": False}
    return {"type": "object", **texts}


class Language(kinds.Leaf):
    """``language``: the one of every text that is not written by language."""

    wanted = "language"

    def convert(self, reader: kinds.Reader, node: Node, value: Any) -> Any:
        if not isinstance(value, str) or not is_tag(value):
            return self.refused(reader, node)
        reader.language = value
        return value

    def schema(self) -> kinds.JsonSchema:
        return {"type": "string", "pattern": f"^{TAG}$"}


class Answers(kinds.Kind):
    """A choice of a question: a text, or ``{text: …, reply: …, belief: …}``; each text may be one for each language."""

    def __init__(self, text: Translated) -> None:
        self.text = text
        self.whole = Struct(model.Choice, text=text, reply=text, belief=kinds.Choice(*section("beliefs")))

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if isinstance(node, MappingNode) and not node.entries.keys().isdisjoint(self.whole.keys()):
            return self.whole.read(reader, node, path)
        text = self.text.read(reader, node, path)
        return text if text is kinds.INVALID else model.Choice(text)

    def schema(self) -> kinds.JsonSchema:
        return {"anyOf": [*self.text.schema()["anyOf"], self.whole.schema()]}


TITLE: Final = Translated(one_line=True)
TEXT: Final = Translated()
TEMPLATE: Final = Translated(template=True)


WAYS: Final = {
    "new-watermark": ("enter", "choose"),
    "windows-that-fire": ("tap", "choose"),
    "fate-of-record": ("choose", "drag"),
    "state-entries": ("enter", "choose"),
    "next-timer": ("choose",),
}
"""How a class may answer each prediction, the usual way first."""

PREDICTIONS: Final = tuple(WAYS)
ALL_WAYS: Final = ("choose", "tap", "drag", "enter")


class RightOrWay(kinds.Leaf):
    """``answer``: the index of the right choice of an ``ask``; how a class answers a ``predict``."""

    wanted = "answer"

    def convert(self, reader: kinds.Reader, node: Node, value: Any) -> Any:
        if (type(value) is int and value >= 0) or (isinstance(value, str) and value in ALL_WAYS):
            return value
        return self.refused(reader, node)

    def schema(self) -> kinds.JsonSchema:
        return {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": list(ALL_WAYS)}]}


VERSION: Final = 1

NAME: Final = re.compile(r"[a-z0-9-]+")
"""What can be the name of a scenario."""

DEFAULT_INPUT: Final = "events"

FLINK_ROWS: Final = ("pane", "joined", "group", "emitted", "ranked", "late", "dropped", "watermark", "error")
SPARK_ROWS: Final = ("pane", "joined", "dropped", "batch")
ROWS: Final = {"flink": FLINK_ROWS, "spark": SPARK_ROWS}
"""The kinds of rows that a goal can count, by engine."""

EVENTS: Final = tuple(each.__name__ for each in EVENT_TYPES)
"""The name of every trace event."""


# --- inputs --------------------------------------------------------------------------------------------------------

_NOT_NEGATIVE: Final = kinds.Duration(low=0)
_EMIT: Final = kinds.DurationOr("each-record", model.EACH_RECORD, low=1)


WATERMARK: Final = Variant(
    "generator",
    {
        "none": Struct(model.NoWatermarks),
        "bounded-out-of-orderness": Struct(
            model.BoundedOutOfOrderness, bound=_NOT_NEGATIVE, emit=_EMIT, idle_timeout=_NOT_NEGATIVE
        ),
        "monotonous": Struct(model.MonotonousTimestamps, emit=_EMIT, idle_timeout=_NOT_NEGATIVE),
        "punctuated": Struct(model.Punctuated, bound=_NOT_NEGATIVE, idle_timeout=_NOT_NEGATIVE),
        "sql": Struct(
            model.SqlWatermark, bound=_NOT_NEGATIVE, emit=_EMIT, idle_timeout=_NOT_NEGATIVE, when=kinds.Text()
        ),
    },
    default="none",
)


TEXTS: Final = Texts()


def _columns_first(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    """Whether there are columns where something is computed of them."""
    if "columns" in values:
        return True
    wanting: dict[str, MappingNode] = {key: node for key in ("where", "select", "key") if key in values}
    if "watermark" in values and values["watermark"].is_conditional:
        strategy = node.entries["watermark"].value
        assert isinstance(strategy, MappingNode)
        wanting["when"] = strategy
    for key, part in wanting.items():
        reader.wrong(part.entries[key].at, "needs_key", key=key, other="columns")
    return not wanting


def _with_calc(reader: kinds.Reader, spec: model.InputSpec, node: Node) -> Any:
    """``spec``, once what it computes of its columns can be computed."""
    assert isinstance(node, MappingNode)
    assert reader.calcs is not None
    if spec.where is not None and reader.versions and spec.name == "right":
        return reader.wrong(node.entries["where"].at, "filter_of_versions")
    try:
        reader.calcs[spec.name] = spec.calc(reader.zone)
    except CalcProblem as problem:
        return reader.wrong_text(place_within(node, *problem.path), problem.text)
    return spec


class Inputs(kinds.Kind):
    """``inputs``: by name; one for a window or process operator, ``left`` and ``right`` for joins."""

    def __init__(self, engine: str) -> None:
        if engine == "spark":
            self.input = Struct(dict, required=(), watermark=Struct(dict, required=("delay",), delay=_NOT_NEGATIVE))
        else:
            self.input = Struct(
                dict,
                required=(),
                check=_columns_first,
                channels=kinds.Whole(1, SCENARIO_CHANNELS),
                watermark=WATERMARK,
                columns=TEXTS,
                where=kinds.Text(),
                select=TEXTS,
                key=ListOf(kinds.Text(), least=1),
            )
        self.engine = engine

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        if not isinstance(node, MappingNode):
            return reader.wrong(node.at, "wrong_kind", found=kinds.found(node), wanted=kinds.wanted_words("mapping"))
        specs = {}
        valid = True
        for number, (name, entry) in enumerate(node.entries.items()):
            if not kinds.is_text(name, entry) or not name.strip():
                valid = reader.wrong(entry.at, "key_not_text", key=kinds.shortened(name)) is not kinds.INVALID
            elif reader.joins and name not in SIDES:
                valid = report_unknown_key(reader, name, entry, SIDES) is not kinds.INVALID
            elif reader.joins is False and number:
                valid = reader.wrong(entry.at, "second_input", key=kinds.shortened(name)) is not kinds.INVALID
            else:
                spec = self._spec(name, self.input.read(reader, entry.value, (*path, name)))
                specs[name] = (
                    spec if spec is kinds.INVALID or not spec.columns else _with_calc(reader, spec, entry.value)
                )
        if reader.joins is False and specs:
            reader.only_input = next(iter(specs))
        reader.rowtimes = frozenset(
            name for name, spec in specs.items() if spec is kinds.INVALID or spec.watermark.in_table_runtime
        )
        if valid and kinds.INVALID not in specs.values():
            return specs
        inputs = [getattr(entry.value, "entries", {}) for entry in node.entries.values()]
        if any("columns" in each or "key" in each for each in inputs):
            reader.calcs = None
        return kinds.INVALID

    def _spec(self, name: str, values: Any) -> Any:
        if values is kinds.INVALID:
            return kinds.INVALID
        return model.InputSpec(name, **(values.get("watermark", {}) if self.engine == "spark" else values))

    def schema(self) -> kinds.JsonSchema:
        return {"type": "object", "additionalProperties": self.input.schema()}


def inputs_of(joins: bool, written: dict[str, model.InputSpec]) -> tuple[model.InputSpec, ...]:
    """The operator's inputs in order; those that are not written have the defaults."""
    if joins:
        return tuple(written.get(side, model.InputSpec(side)) for side in SIDES)
    return tuple(written.values()) or (model.InputSpec(DEFAULT_INPUT),)


# --- walkthrough and goals -----------------------------------------------------------------------------------------

COUNT: Final = kinds.Whole(0)


def _place(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if not exactly_one(reader, node, values, ("event", "item", "step")):
        return False
    if "occurrence" in values and "event" not in values:
        reader.wrong(node.entries["occurrence"].at, "needs_key", key="occurrence", other="event")
        return False
    return True


def _beat(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if not exactly_one(reader, node, values, ("say", "ask", "predict")):
        return False
    if "predict" in values and "answer" in values:
        ways = WAYS[values["predict"]]
        if values["answer"] not in ways:
            reader.wrong(node.entries["answer"].value.at, "way", predict=values["predict"], names=kinds.listed(ways))
            return False
    elif isinstance(values.get("answer"), str):
        reader.wrong(node.entries["answer"].value.at, "way_of_ask")
        return False
    for key in ("choices", "answer", "because"):
        if key in values and "ask" not in values and (key, "predict" in values) != ("answer", True):
            reader.wrong(node.entries[key].at, "needs_key", key=key, other="ask")
            return False
        if "ask" in values and key not in values and key != "because":
            reader.wrong(node.at, "missing_key", key=key)
            return False
    if "ask" in values and values["answer"] >= len(values["choices"]):
        reader.wrong(node.entries["answer"].value.at, "answer", last=len(values["choices"]) - 1)
        return False
    if "ask" in values:
        right = values["choices"][values["answer"]]
        for key in ("reply", "belief"):
            if getattr(right, key) is not None:
                choices = node.entries["choices"].value
                assert isinstance(choices, SequenceNode)
                reader.wrong(choices.items[values["answer"]].at, f"{key}_to_right")
                return False
    return True


def _goal(reader: kinds.Reader, node: MappingNode, values: Values) -> bool:
    if not exactly_one(reader, node, values, ("rows", "event")):
        return False
    if not values.keys() & {"count", "at_least", "at_most"}:
        wanted = kinds.wanted_words("one_of", names="`count`, `at_least`, `at_most`")
        reader.wrong(node.at, "at_least_one", wanted=wanted)
        return False
    return True


WALKTHROUGH: Final = ListOf(
    Struct(
        model.Beat,
        required=("at",),
        check=_beat,
        at=Struct(
            model.Place,
            required=(),
            check=_place,
            event=kinds.Choice(*EVENTS),
            occurrence=kinds.Whole(1),
            item=COUNT,
            step=COUNT,
        ),
        say=TEMPLATE,
        ask=TEMPLATE,
        choices=ListOf(Answers(TEMPLATE), least=2),
        answer=RightOrWay(),
        because=TEMPLATE,
        predict=kinds.Choice(*PREDICTIONS),
        note=TEMPLATE,
    )
)


def _goals(rows: tuple[str, ...]) -> ListOf:
    goal = Struct(
        model.Goal,
        required=(),
        check=_goal,
        rows=kinds.Choice(*rows),
        event=kinds.Choice(*EVENTS),
        count=COUNT,
        at_least=COUNT,
        at_most=COUNT,
    )
    return ListOf(goal)


# --- the top -------------------------------------------------------------------------------------------------------


class Version(kinds.Leaf):
    """The format's version."""

    wanted = "version"

    def convert(self, reader: kinds.Reader, node: Node, value: Any) -> Any:
        return value if type(value) is int and value == VERSION else self.refused(reader, node)

    def schema(self) -> kinds.JsonSchema:
        return {"const": VERSION}


class FlinkVersion(kinds.Choice):
    """``flink``: a version, as it is written: without quotes ``1.20`` is 1.20 as well."""

    def __init__(self) -> None:
        super().__init__(*VERSIONS)

    def read(self, reader: kinds.Reader, node: Node, path: kinds.Path) -> Any:
        text = node.text if isinstance(node, ScalarNode) else ""
        if text in self.names:
            return text
        near = next((each for each in self.names if text == each.rstrip("0") or text.startswith(f"{each}.")), None)
        if near is not None and isinstance(node, ScalarNode):
            return kinds.mistyped(reader, node, near)
        return reader.wrong(node.at, "unknown_flink", found=kinds.found(node), names=kinds.listed(self.names))


class Origin(kinds.Timestamp):
    """``origin``: timestamps written as durations that are read after it count from it."""

    def convert(self, reader: kinds.Reader, node: Node, value: Any) -> Any:
        origin = super().convert(reader, node, value)
        if origin is not kinds.INVALID:
            reader.origin = origin
        return origin


class Top(Struct):
    """The whole file. Returns the values of the keys that could be read; ``checks`` then looks at them together."""

    def members(self, reader: kinds.Reader, node: MappingNode, path: kinds.Path, outer: Outer) -> Values:
        values, _ = self.values(reader, node, path, outer)
        return values | self.fixed


OPERATOR: Final = "operator"
"""Where the schema has the operators of Flink's rules, which may stand alone or among several."""


class FlinkTop(Top):
    """A file that may have several operators, which are read one by one (``simulator.scenario.chain``)."""

    def schema_within(self, outer: tuple[str, ...]) -> kinds.JsonSchema:
        schema = super().schema_within(outer)
        feed = {"anyOf": [_NAMES, _FEED]}
        sides = {
            "type": "object",
            "properties": {side: described(side, feed) for side in SIDES},
            "required": list(SIDES),
        }
        fed = {"properties": {"from": described("from", {"anyOf": [_NAMES, _FEED, sides]})}}
        operator = {"$ref": f"#/$defs/{OPERATOR}"}
        schema["properties"]["operator"] = described("operator", operator | {"properties": {"from": False}})
        several = {"type": "object", "patternProperties": {f"^{NAME.pattern}$": operator | fed}, "minProperties": 1,
                   "maxProperties": CHAIN_OPERATORS}  # fmt: skip
        schema["properties"]["operators"] = described("operators", several)
        schema["properties"]["shown"] = described("shown", {"type": "string"})
        schema["required"] = [key for key in schema["required"] if key != "operator"]
        return schema | {"oneOf": [{"required": ["operator"]}, {"required": ["operators"]}]}


_NAMES: Final = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
_FEED: Final = {
    "type": "object",
    "properties": {
        "of": described("of", _NAMES),
        "watermark": WATERMARK.schema(),
        "columns": TEXTS.schema(),
        "where": {"type": "string"},
        "select": TEXTS.schema(),
        "key": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["of"],
    "additionalProperties": False,
}


def _top(engine: str, operators: Members, rows: tuple[str, ...]) -> Top:
    # The operator comes before what depends on it, the origin before every timestamp.
    top = FlinkTop if engine == "flink" else Top
    return top(
        dict,
        {"flink": FlinkVersion()} if engine == "flink" else {},
        required=("scenario", "name", "operator", "stream"),
        fixed={"engine": engine},
        scenario=Version(),
        name=kinds.Text(NAME.pattern, "name"),
        language=Language(),
        title=TITLE,
        summary=TEXT,
        look_for=TEXT,
        takeaway=TEXT,
        teaches=ListOf(kinds.Text()),
        level=kinds.Choice("novice", "practitioner", "expert"),
        lesson=kinds.Text(),
        minutes=kinds.Number(),
        zone=Zone(),
        origin=Origin(),
        operator=OperatorKind(engine, operators),
        inputs=Inputs(engine),
        stream=StreamKind(engine),
        goals=_goals(rows),
        walkthrough=WALKTHROUGH,
    )


_FLINK: Final = _top("flink", FLINK_OPERATOR, FLINK_ROWS)

CHAIN_KEYS: Final = ("engine", "operators", "shown", *(key for key in _FLINK.kinds if key != "operator"))
"""What a file with several operators may have at its top."""

SCENARIO: Final = Variant(
    "engine",
    {
        "flink": _FLINK,
        "spark": _top("spark", SPARK_OPERATOR, SPARK_ROWS),
    },
    default="flink",
)
