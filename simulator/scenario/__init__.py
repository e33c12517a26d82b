"""Scenarios: read from a file or a text, checked, and as data.

``load`` and ``parse`` return a ``Scenario`` or raise ``ScenarioError`` with everything that is wrong, each problem with
its file, line and column. ``read`` and ``read_text`` return the warnings as well: what is allowed but unwise.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.places import in_library
from tidemark.simulator.scenario.chain import read_chain
from tidemark.simulator.scenario.checks import at, check_together
from tidemark.simulator.scenario.editing.text import ScenarioText
from tidemark.simulator.scenario.format.document import NAME, SCENARIO, inputs_of
from tidemark.simulator.scenario.format.kinds import INVALID, Reader
from tidemark.simulator.scenario.format.stream import from_first_arrival
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.reading.json import read_json
from tidemark.simulator.scenario.reading.nodes import (
    Entry,
    MappingNode,
    Node,
    Refused,
    ScalarNode,
    Source,
    read_file,
)
from tidemark.simulator.scenario.reading.yaml import read_yaml

__all__ = [
    "ENDINGS",
    "Problem",
    "Scenario",
    "ScenarioError",
    "load",
    "parse",
    "read",
    "read_parsed",
    "read_text",
]


ENDINGS = (".yaml", ".json")
"""How the names of scenario files end, in lower case."""


def load(path: str | Path, *, of_library: bool = False, flink: str | None = None) -> Scenario:
    """The scenario in the file at ``path``: JSON if its name ends so, otherwise YAML. ``-``: standard input, either of
    them. A name that is no file is one of the library. Raises ``ScenarioError``.

    ``of_library``: also for one that does not have the name of its file, by which a library finds it. ``flink``: the
    version of Flink in place of the file's own.
    """
    return read(path, of_library=of_library, flink=flink)[0]


def parse(text: str, file: str = "scenario.yaml", *, json: bool = False) -> Scenario:
    """The scenario in ``text``; ``file`` is its name in messages. Raises ``ScenarioError``."""
    return read_text(text, file, json=json)[0]


def read(path: str | Path, *, of_library: bool = False, flink: str | None = None) -> tuple[Scenario, list[Problem]]:
    """As ``load``, with the warnings. Outside a library another name than that of the file is one of them."""
    path = in_library(Path(path))
    text = read_file(path)
    if str(path) == "-":
        return _read(Source("-", text), json=text.lstrip().startswith("{"), flink=flink)
    return _read(Source(str(path), text), json=path.suffix == ".json", path=path, of_library=of_library, flink=flink)


def read_text(
    text: str, file: str = "scenario.yaml", *, json: bool = False, flink: str | None = None
) -> tuple[Scenario, list[Problem]]:
    """As ``parse``, with the warnings; ``flink`` as in ``load``."""
    return _read(Source(file, text), json=json, flink=flink)


def read_parsed(
    text: ScenarioText, file: str = "scenario.yaml", known: Sequence[Item | None] = ()
) -> tuple[Scenario, list[Problem]]:
    """As ``read_text``, for a text that was parsed to be edited: it is checked, but not parsed a second time.

    ``known`` has the items of the stream that an edit left as they were, ``None`` where one is to be read; with several
    operators all are read. Whoever
    passes it has changed nothing else that an item's meaning depends on: origin, inputs and operator are the same.
    """
    return _read(Source(file, text.text), text.places.root, known=known)


def _read(
    source: Source,
    root: Node | None = None,
    *,
    json: bool = False,
    path: Path | None = None,
    of_library: bool = False,
    known: Sequence[Item | None] = (),
    flink: str | None = None,
) -> tuple[Scenario, list[Problem]]:
    """The scenario of ``source``, which is parsed unless its ``root`` is given."""
    try:
        if root is None:
            source.check_text()
            root = read_json(source) if json else read_yaml(source)
        if flink is not None and isinstance(root, MappingNode):
            at_top = root.entries["flink"].value.at if "flink" in root.entries else root.at
            root.entries["flink"] = Entry(at_top, True, ScalarNode(flink, at_top, False))
        if isinstance(root, MappingNode) and "operators" in root.entries:
            scenario = read_chain(source, root, lambda stage: _scenario(source, stage, (), path))
        else:
            scenario = _scenario(source, root, known, path)
        if path is not None and isinstance(root, MappingNode):
            _check_name(source, root, scenario.name, path, json=json, of_library=of_library)
    except Refused:
        raise ScenarioError(source.problems) from None
    return scenario, source.problems


def _scenario(source: Source, root: Node, known: Sequence[Item | None], path: Path | None) -> Scenario:
    if not isinstance(root, MappingNode):
        source.refuse(root.at, "no_scenario")
    reader = Reader(source, known, None if path is None else path.parent)
    values = SCENARIO.read(reader, root, ())
    if values is INVALID:
        raise Refused
    if reader.joins is not None and ("inputs" in values or "inputs" not in root.entries):
        values["inputs_in_order"] = inputs_of(reader.joins, values.get("inputs", {}))
    from_first_arrival(reader, values)
    check_together(reader, root, values)
    if source.failed:
        raise Refused
    return _built(values, source.file, reader)


def _check_name(source: Source, root: MappingNode, name: str, path: Path, *, json: bool, of_library: bool) -> None:
    """Warn that a file is not called after its scenario ``name``; refuse it in a library, which looks it up by that."""
    file = name + (".json" if json else ".yaml")
    if path.name == file:
        return
    can_be_name = path.suffix in ENDINGS and NAME.fullmatch(path.stem) is not None
    word = "wrong_ending" if path.stem == name else "name_of_file" if can_be_name else "name_of_file_alone"
    source.report(at(root, "name"), word, warning=not of_library, file=file, stem=path.stem)
    if of_library:
        raise Refused


def _built(values: dict[str, Any], file: str, reader: Reader) -> Scenario:
    inputs = values["inputs_in_order"]
    rest = {key: value for key, value in values.items() if key not in ("scenario", "inputs", "inputs_in_order")}
    return Scenario(inputs=inputs, file=file, marks=reader.marks, translated_from=reader.translated_from, **rest)
