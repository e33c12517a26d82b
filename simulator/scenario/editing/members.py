"""The members of a scenario that a form can show, found by walking the tables that read a file.

The tables say which members there are, which of them a choice brings along, and which may be left out. So whatever the
format takes has a place in the form, and nothing else has.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.scenario.editing.text import Path, ScenarioText
from tidemark.simulator.scenario.format.document import DEFAULT_INPUT, SCENARIO, Inputs
from tidemark.simulator.scenario.format.kinds import Kind, Text
from tidemark.simulator.scenario.format.operators import JOINS, OperatorKind
from tidemark.simulator.scenario.format.stream import SIDES, StreamKind
from tidemark.simulator.scenario.format.structs import Members, Named, Struct, Variant

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
    """Every member that ``text`` has or could have, as far as its own choices bring it along."""
    yield Member((SCENARIO.key,), SCENARIO, True, 0)
    top = SCENARIO.cases[engine_of(text)]
    assert isinstance(top, Struct)
    for key, kind in top.kinds.items():
        if key not in ELSEWHERE:
            yield from _within(text, kind, (key,), key in top.required, 0)


def case_of(text: ScenarioText, variant: Variant, path: Path) -> Members | None:
    """What the mapping at ``path`` has chosen; ``None`` if that is unknown, or missing without a default."""
    written = text.scalar((*path, variant.key))
    return variant.cases.get(written or str(variant.default))


def inputs_in(text: ScenarioText) -> tuple[str, ...]:
    """The names of the inputs."""
    if text.scalar(("operator", "type")) in JOINS:
        return SIDES
    written = text.value(("inputs",)) if text.has(("inputs",)) else None
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
                yield from _within(text, kind.input, (*path, name), False, depth)
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
        case _:
            yield Member(path, kind, required, depth)


def _chosen(text: ScenarioText, variant: Variant, path: Path, required: bool, depth: int) -> Iterator[Member]:
    yield Member((*path, variant.key), variant, required, max(depth, 0))
    case = case_of(text, variant, path)
    if isinstance(case, Variant):
        yield from _chosen(text, case, path, True, depth)
    elif case is not None:
        yield from _within(text, case, path, True, depth + 1)
