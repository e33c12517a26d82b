"""The YAML reader agrees with a general parser on everything that both accept, and refuses what it should."""

import re
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from tidemark.simulator.scenario.reading.nodes import MappingNode, Node, Refused, ScalarNode, Source
from tidemark.simulator.scenario.reading.scalars import ScalarError, resolve
from tidemark.simulator.scenario.reading.yaml import FlowReader, read_yaml

from tests.examples import examples


class Rejected(Exception):
    """The text was refused."""


def plain(node: Node) -> Any:
    """The contents of ``node`` as Python values."""
    if isinstance(node, ScalarNode):
        return resolve(node.text) if node.plain else node.text
    if isinstance(node, MappingNode):
        return {resolve(key) if entry.plain else key: plain(entry.value) for key, entry in node.entries.items()}
    return [plain(item) for item in node.items]


def ours(text: str) -> Any:
    source = Source("a.yaml", text)
    try:
        source.check_text()
        value = plain(read_yaml(source))
    except (Refused, ScalarError) as error:
        raise Rejected from error
    if source.failed:
        raise Rejected
    return value


def theirs(text: str) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, AttributeError, TypeError, NotImplementedError) as error:
        raise Rejected from error


ACCEPTED = [
    "a: b\n  - c\n",
    "a:\n- 1\n- 2\nb: 3\n",
    "a: >\n  x\n  y\n\n  z\nb: |2-\n   x\n  y\n",
    "- - a\n  - b\n- c: 1\n  d: [1, {x: y}]\n",
    "a: 'it''s'\n'b': \"x\\ty\\\n   z\n  w\"\n",
    "a: {b, c: , d: [e: f]}\n",
    "--- # c\na: 1\n...\n",
    "a: |\n\n  x\n   y\n\n\nb: 1",
    "a: >+\n  x\n\n   more\n  y\n\n\nb: >-\n\n\n  q\n",
    "x: a\n b\n\n c\ny: d # e\n",
    "a:\n  b:\n    c:\n  d: ~\n",
    "a: [1,2,\n3\n, 4 5\n6]\n",
    '{"a":1,"b":[true,null]}',
    "a: x#y z\nb: x:y\n",
    'a: "x\\\\\n  y"\nb: "x\\\\\\\n  y"\nc: "x \\\\ \n  y"\n',
    "a: |+\n\n\nb: |\n\n\nc: >+\n\nd: 1\n",
    "a : 1\n",
    "- a\n-\n- b\n",
    "a: >\n  x",
    "a: |+\n  x\n\n",
    "%YAML 1.2\n---\na: 1\n",
    "a: # c\n  b: 1 #d\n#e\n  c: 2\n",
    "a: >2\n    x\n   y\n",
    "a: {'x':y, z:w}\n",
    "a: | # c\n  x # d\n",
    "a: :x\nb: -x\nc: ?x\n",
    "a: [0x1F, 0o17, 1e3, .5, -1, +2, 010, no, yes, off, on, TRUE, Null, ~, 12:30:45]\n",
    "a: |\n  x\n \n  y\n",
    'a: "\\u00e9\\x41\\U0001F600 \\"q\\" \\/ \\e"\n',
    "\ufeffa: 1\n",
    "a: 1\r\nb: 2\r\n",
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_a_text_means_the_same_as_to_a_general_parser(text: str) -> None:
    assert ours(text) == theirs(text)


REFUSED = {
    "a: &x 1\nb: *x\n": "1:4: anchors",
    "a:\n  -{b: 1, c: 2}\n": "2:3: a list item begins with `-` and a space",
    "a: *x\n": "1:4: aliases",
    "a: !!python/object:os.system [ls]\n": "1:4: tags",
    "a: !<tag:yaml.org,2002:str> 1\n": "1:4: tags",
    "a: 1\nb: 2\na: 3\n": "3:1: `a` is here a second time, the first is in line 1",
    "a: {b: 1, b: 2}\n": "1:11: `b` is here a second time",
    "a: 1\n---\nb: 2\n": "2:1: a second document",
    "---\na: 1\n...\n---\nb: 2\n": "4:1: a second document",
    "%TAG ! x\n---\na: 1\n": "1:1: only the directive",
    "? a\n: b\n": "1:1: keys after `?`",
    "[a]: b\n": "1:1: a key must be a text",
    "{a: {[b]: 1}}": "1:6: a key must be a text",
    "a:\n\tb: 1\n": "2:1: there is a tab",
    "a: [1\n": "1:4: the `[`",
    "a: {b: c\n": "1:4: the `{`",
    'a: "x\n': "1:4: the quote",
    "a: 'x\n": "1:4: the quote",
    'a: "\\q"\n': "1:5: this escape does not exist",
    'a: "x\n\n  y \\q"\n': "3:5: this escape does not exist",
    'a: "\\UFFFFFFFF"\n': "1:5: this escape does not exist",
    'a: "\\ud800"\n': "1:5: half of a surrogate pair",
    "a: x: y\n": "1:5: a colon",
    "a: 'x': y\n": "1:7: a colon",
    "a: 'x' y\n": "1:8: `y` follows",
    "  a: 1\n b: 2\n": "2:2: this line does not line up",
    "a: 1\n  b: 2\n": "2:3: this line does not line up",
    "a:\n  - b\n c: 1\n": "3:2: this line does not line up",
    "a: - b\n": "1:4: a list cannot begin",
    "a: 1\n- b\n": "2:1: a list item is here instead of a key",
    "a: 1\nb\n": "2:1: `b` is here instead of a key",
    "a: |\n    \n  x\n": "3:1: this line does not line up",
    "a: |x\n": "1:4: only `+`, `-`",
    "a: @x\n": "1:4: a text that begins with `@`",
    "a: [1 2, {]\n": "1:11: `]` does not belong here",
    "a: [1}\n": "1:6: `}` is here instead of a comma or `]`",
    "a: b\x00c\n": "1:5: the control character U+0000",
    "": "1:1: the file is empty",
    " \n\n": "1:1: the file is empty",
    "a: " + "[" * 64 + "\n": "1:67: nested deeper than 64",
    "a:\n " + "- " * 65 + "\n": "2:128: nested deeper than 64",
    "a: [" + "0," * 100_001 + "]": ": a list of more than 100000 items",
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items(), ids=[repr(text[:20]) for text in REFUSED])
def test_a_refusal_names_its_place(text: str, message: str) -> None:
    source = Source("a.yaml", text)
    try:
        source.check_text()
        read_yaml(source)
    except Refused:
        pass
    assert message in str(source.problems[0])


@pytest.mark.parametrize(
    "text", ["a: 9223372036854775808\n", "a: -9223372036854775809", "a: 0xFFFFFFFFFFFFFFFF", "a: .inf"]
)
def test_numbers_beyond_64_bits_and_infinite_ones_are_refused(text: str) -> None:
    with pytest.raises(Rejected):
        ours(text)


SCALARS = {
    "1_000": "1_000",  # an integer in YAML 1.1, a text in the core schema
    "12:30:45": "12:30:45",
    "2017-01-20T06:15:13Z": "2017-01-20T06:15:13Z",
    "yes": "yes",
    "010": 10,
    "-0x1F": "-0x1F",
    "1e3": 1000.0,
    "1.": 1.0,
    "-.5": -0.5,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "0" * 5000 + "7": 7,
    "": None,
    "~": None,
    "TRUE": True,
    "tRue": "tRue",
}


@pytest.mark.parametrize(("text", "value"), SCALARS.items(), ids=[text[:20] for text in SCALARS])
def test_plain_scalars_follow_the_core_schema(text: str, value: Any) -> None:
    resolved = resolve(text)
    assert (type(resolved), resolved) == (type(value), value)


DEPARTS = re.compile(r"[?:][,\[\]{}]|\?[^ \n]|[{,\[\n]\s*:|[?:]\s*$|\.\.\.")
"""Texts that the general parser does not read by YAML 1.2: colons, question marks beside brackets, `...` in a text."""

SMALL = st.text("ab01 :-#,[]{}'\"|>\n\\.~&*!?%+", max_size=24)


def comparable(value: Any) -> bool:
    """Whether both parsers resolve scalars alike: the general one also makes dates and allows keys of any kind."""
    if isinstance(value, dict):
        return all(not isinstance(key, tuple | dict | list) for key in value) and all(map(comparable, value.values()))
    if isinstance(value, list):
        return all(map(comparable, value))
    return not isinstance(value, date | datetime | set)


@settings(max_examples=examples(600))
@given(SMALL)
@example("a: b\n c\n\n d: e")
@example("- a: 1\n  b:\n  - c\n")
def test_a_general_parser_agrees_with_everything_that_we_read(text: str) -> None:
    try:
        value = ours(text)
    except Rejected:
        return
    try:
        expected = theirs(text)
    except Rejected:
        return  # it is stricter about indentation within brackets and similar
    if comparable(expected) and not DEPARTS.search(text):
        assert value == expected


MAPPINGS = [
    "{a: 1, b: two, c: x y z}", '{"a b": 1, c: "", "": d}', "{a: 1,\n  b: 2,\n  c: 3}",
    "{ts: 1s, key: a, value: {x: 1}}",
    "{type: tumbling, size: 5s, offset: 0}", "{a: b:c, d: -1, e: 12:00}", "{a: 1, }", "{a: }", "{a: 'it''s'}", "{}",
    "{channels: 2, watermark: {generator: monotonous}}", "{a: 1 , b : 2}", "{a: 1, # no\n b: 2}",
    '{"a": "b", "c": "d"}',
]  # fmt: skip


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_mapping_parsed_on_demand_equals_one_parsed_at_once(mapping: str) -> None:
    """One pattern matches a mapping of simple pairs; the general way yields the same keys, values and places."""

    def contents(node: Node) -> Any:
        if isinstance(node, MappingNode):
            return [(key, each.at, each.plain, contents(each.value)) for key, each in node.entries.items()]
        assert isinstance(node, ScalarNode)
        return node.text, node.at, node.plain

    for times in (1, 40):
        text = f"[{', '.join([mapping] * times)}]\n"
        reader = FlowReader(Source("x.yaml", text), text)
        at = 1
        for _ in range(times):
            quick, end = reader.collection(at, 1)
            slow, slow_end = reader._mapping(at, 1)
            assert (contents(quick), end) == (contents(slow), slow_end)
            at = end + 2


def test_a_long_mapping_that_is_never_closed_is_refused_quickly() -> None:
    text = "a: {" + ", ".join(f"k{number}: {number}" for number in range(20_000)) + "\n"
    source = Source("x.yaml", text)
    with pytest.raises(Refused):
        read_yaml(source)
    assert "never closed" in source.problems[0].text
