"""The form for the browser: groups of fields, each with its label, what it is now, and what is wrong with it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from tidemark.simulator.scenario.editing import Path, ScenarioText
from tidemark.simulator.scenario.editing.members import Member, members
from tidemark.simulator.scenario.format.structs import Variant
from tidemark.simulator.scenario.format.texts import Translated
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.words import section, words
from tidemark.ui.author.draft import Draft
from tidemark.ui.author.form.typed import control_of, names_of, shown, shown_default
from tidemark.ui.author.telling import written_text

Row = dict[str, Any]

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "operator": ("engine", "operator"),
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
    if path[0] == "inputs":
        value, path = scenario.input(str(path[1])), path[2:]
    elif path[:2] == ("stream", "generate"):
        assert isinstance(scenario.stream, Generated)
        name = OF_GENERATOR.get((str(path[-2]), str(path[-1])), str(path[-1]))
        return getattr(scenario.stream, name, None)
    for step in path:
        value = getattr(value, str(step), None)
    return value
