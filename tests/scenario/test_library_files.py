"""Every scenario file of the project is sound, both for the reader and by the JSON Schema that editors use."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tidemark.simulator.scenario import ScenarioError, load, parse
from tidemark.simulator.scenario import schema as json_schema
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, ScalarNode, Source
from tidemark.simulator.scenario.reading.scalars import resolve
from tidemark.simulator.scenario.reading.yaml import read_yaml
from tidemark.simulator.teaching.lint import problems_of_run

ROOT = Path(__file__).parents[2]
LIBRARY = sorted((ROOT / "scenarios").glob("*.yaml"))
GOLDEN = sorted((ROOT / "tests" / "golden").glob("*.yaml"))
VALIDATOR = Draft202012Validator(json_schema.schema())


def plain(node: Node) -> Any:
    """The contents of a file as JSON values."""
    if isinstance(node, ScalarNode):
        return resolve(node.text) if node.plain else node.text
    if isinstance(node, MappingNode):
        return {key: plain(entry.value) for key, entry in node.entries.items()}
    return [plain(item) for item in node.items]


def as_json(text: str) -> Any:
    return plain(read_yaml(Source("a.yaml", text)))


@pytest.mark.parametrize("file", LIBRARY + GOLDEN, ids=lambda file: file.stem)
def test_a_scenario_file_is_sound_for_the_reader_and_for_editors(file: Path) -> None:
    assert load(file).name == file.stem
    assert [error.message for error in VALIDATOR.iter_errors(as_json(file.read_text(encoding="utf-8")))] == []


@pytest.mark.parametrize("file", GOLDEN[::8], ids=lambda file: file.stem)
def test_a_scenario_in_json_is_the_same_scenario(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert parse(json.dumps(as_json(text)), json=True) == parse(text)


@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: file.stem)
def test_the_walkthroughs_and_goals_of_the_library_hold(file: Path) -> None:
    assert problems_of_run(load(file)) == []


def test_the_schema_in_the_library_is_up_to_date() -> None:
    assert json_schema.FILE.read_text(encoding="utf-8") == json_schema.text(), "python -m simulator.scenario.schema"


def test_the_schema_is_a_valid_schema() -> None:
    Draft202012Validator.check_schema(json_schema.schema())


FAULTS = [
    ("scenario: 1", "scenario: 2"),
    ("name: ", "nmae: "),
    ("type: tumbling", "type: tumblin"),
    ("size: 5s", "size: 5 s"),
    ("size: 5s", "gap: 5s"),
    ("compute: sum", "compute: mean"),
    ("key: a", "kye: a"),
    ("watermark: 4999", "watermark: soon"),
]


@pytest.mark.parametrize(("right", "wrong"), FAULTS)
def test_editors_see_the_same_mistakes(right: str, wrong: str) -> None:
    text = (ROOT / "tests" / "golden" / "tumbling-watermark-end-minus-1.yaml").read_text(encoding="utf-8")
    broken = text.replace(right, wrong)
    assert broken != text
    assert not VALIDATOR.is_valid(as_json(broken))
    with pytest.raises(ScenarioError):
        parse(broken)
