"""Malicious files: each is refused (or read) about as fast as a harmless one, with a message and no traceback."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tidemark.simulator.scenario import ScenarioError, load

Result = TypeVar("Result")

LIMIT = 512 * 1024
TIMES_HARMLESS = 20
"""A malicious file that gets through takes hundreds of times as long as a harmless one of the same size."""
HEAD = (
    "scenario: 1\nname: bomb\noperator:\n  type: window\n  assigner: {type: tumbling, size: 5s}\n"
    "  function: {call: aggregate, compute: count}\nstream:"
)


def filled(before: str, piece: str | Callable[[int], str], after: str = "") -> str:
    """``before`` and ``after`` with as many pieces between them as a file may hold."""
    room = LIMIT - len((before + after).encode())
    if isinstance(piece, str):
        return before + piece * (room // len(piece.encode())) + after
    parts: list[str] = []
    while (room := room - len((part := piece(len(parts))).encode())) >= 0:
        parts.append(part)
    return before + "".join(parts) + after


LAUGHS = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True))

BOMBS: dict[str, tuple[str, str]] = {
    "laughs": (LAUGHS, ":1:4: anchors"),
    "merge-keys": ("a: {<<: *b}\n", ":1:9: aliases"),
    "python-object": ("a: !!python/object/apply:os.system [id]\n", ":1:4: tags"),
    "flow-lists": ("a: " + "[" * 100_000, "nested deeper than 64"),
    "flow-mappings": (filled("a: ", "{a: "), "nested deeper than 64"),
    "block-lists": (filled("a:\n ", "- "), "nested deeper than 64"),
    "block-mappings": ("".join(" " * depth + "a:\n" for depth in range(900)), "nested deeper than 64"),
    "triggers": (
        HEAD.replace("\nstream:", "\n  trigger: " + "{type: purging, inner: " * 70),
        "nested deeper than 64",
    ),
    "digits": (f"{HEAD}\n- {{ts: {'9' * 400_000}, key: a}}\n", ":8:8: this number is beyond 64 bits"),
    "hexadecimal": (f"{HEAD}\n- {{ts: 0x{'F' * 400_000}, key: a}}\n", ":8:8: this number is beyond 64 bits"),
    "float-digits": (f"{HEAD}\n- {{ts: 1, key: a, value: {'9' * 400_000}.5}}\n", "numbers must be finite"),
    "exponent": (f"{HEAD}\n- {{ts: 1, key: a, value: 1e{'9' * 400_000}}}\n", "numbers must be finite"),
    "sexagesimal": (f"{HEAD}\n- {{ts: {'1:' * 100_000}1, key: a}}\n", "is here instead of a time"),
    "duration": (f"{HEAD}\n- {{ts: {'1' * 100_000}s, key: a}}\n", "is here instead of a time"),
    "long-key": (f"{HEAD} []\n{'k' * 400_000}: 1\n", ":8:1: there is no key"),
    "colons": ("a: b" + " :" * 200_000, ":1:5: a colon"),
    "hashes": (filled("a: b", " #"), "is missing here"),
    "quotes": (filled('a: "', "\\n"), "the quote that begins here is never closed"),
    "commas": (filled("a: [", " ,"), "does not belong here"),
    "many-items": (filled(HEAD + "\n", "- {}\n"), "a list of more than 100000 items"),
    "many-flow-items": (filled("a: [", "a,", "]"), "a list of more than 100000 items"),
    "same-keys": (filled("", "k:\n"), "is here a second time"),
    "unknown-keys": (filled("", lambda number: f"k{number}:\n"), "more problems"),
    "wrong-items": (filled(HEAD + "\n", "- {ts: 1, key: a, valu: 1}\n"), "more problems"),
    "wrong-values": (filled(HEAD + "\n", "- {ts: x, key: y, value: [z]}\n"), "more problems"),
    "documents": (filled("a: 1\n", "---\n"), "a second document"),
    "tabs": ("a:\n" + "\t" * 500_000 + "b", "there is a tab in the indentation"),
    "blanks": ("a: b" + " " * 500_000 + "\nc: [", "the `[` that begins here is never closed"),
    "folded": (filled("a: b", "\n c"), "`scenario` is missing here"),
    "block-text": (filled("a: >\n", " b\n"), "`scenario` is missing here"),
    "braces": (
        f"{HEAD} []\nwalkthrough:\n- at: {{step: 0}}\n  say: '" + "{a." * 100_000 + "'\n",
        "is not a placeholder",
    ),
    "channels": (HEAD.replace("operator:", "inputs: {e: {channels: 1000000000}}\noperator:") + " []\n", "too large"),
    "ticks": (
        HEAD.replace("operator:", "inputs: {e: {watermark: {generator: monotonous, emit: 1}}}\noperator:")
        + "\n- {advance: 9000000000000000000}\n",
        "the generators would tick",
    ),
    "windows": (
        HEAD.replace("{type: tumbling, size: 5s}", "{type: sliding, size: 9000000000000000000, slide: 1}") + " []\n",
        "more than 10000 windows",
    ),
    "zone": (HEAD + " []\nzone: " + "A/" * 100_000 + "\n", "is not known here"),
    "null-character": (HEAD + " []\ntitle: a\0b\n", "the control character U+0000"),
    "terminal-escapes": (HEAD + ' []\nlevel: "\\e]0;x\\a\\e[2J"\n', "the text `\\x1b]0;x\\x07\\x1b[2J`"),
}


def refusal(file: Path) -> str:
    """The full message with which ``load`` refuses ``file``."""
    with pytest.raises(ScenarioError) as refused:
        load(file)
    return str(refused.value)


def timed(work: Callable[[Path], Result], file: Path) -> tuple[Result, float]:
    """The result of ``work`` and the processor time (s) it took."""
    began = time.process_time()
    result = work(file)
    return result, time.process_time() - began


@pytest.fixture(scope="module")
def limit(tmp_path_factory: pytest.TempPathFactory) -> float:
    """The processor time (s) that a file may take on this machine under its current load."""
    harmless = tmp_path_factory.mktemp("harmless") / "bomb.yaml"
    harmless.write_text(LARGEST["mappings"])
    return TIMES_HARMLESS * timed(load, harmless)[1]


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_in_time(name: str, tmp_path: Path, limit: float) -> None:
    text, message = BOMBS[name]
    file = tmp_path / "bomb.yaml"
    file.write_text(text)
    refused, seconds = timed(refusal, file)
    assert seconds < limit
    assert message in refused
    assert len(refused) < 100_000


JSON_BOMBS = {
    "deep": ('{"a":' * 100_000, "nested deeper than 64"),
    "same-keys": ('{"a": 1, "a": 2}', ":1:10: `a` is here a second time"),
    "nan": ('{"a": NaN}', ":1:7: `NaN` is here instead of a JSON value"),
    "infinity": ('{"a": -Infinity}', ":1:7: `-Infinity` is here instead of a JSON value"),
    "yaml": ("a: 1", ":1:1: `a` is here instead of a JSON value"),
    "single-quotes": ("{'a': 1}", ":1:2: `'` is here instead of a key in double quotes"),
    "comma": ('{"a": 1,}', ":1:9: `}` is here instead of a key in double quotes"),
    "comment": ('{"a": 1} // x', ":1:10: `/` follows the end"),
    "leading-zero": ('{"a": 01}', ":1:7: `01` is here instead of a JSON value"),
    "tab-in-string": ('{"a": "x\ty"}', ":1:9: a string ends on the line"),
    "escape": ('{"a": "\\x41"}', ":1:8: this escape does not exist"),
    "surrogate": ('{"a": "\\ud800"}', "half of a surrogate pair"),
    "open-string": ('{"a": "x', ":1:7: the quote that begins here is never closed"),
    "open-object": ('{"a": 1', ":1:1: the `{` that begins here is never closed"),
    "no-colon": ('{"a" 1}', ":1:6: `1` is here instead of the colon"),
    "digits": ('{"scenario": ' + "9" * 400_000 + "}", ":1:14: this number is beyond 64 bits"),
    "a-list": ("[1]", ":1:1: a scenario is a mapping"),
}


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_json_is_as_strict(name: str, tmp_path: Path) -> None:
    text, message = JSON_BOMBS[name]
    file = tmp_path / "bomb.json"
    file.write_text(text)
    assert message in refusal(file)


BYTES = {
    "too-large": (b"a: 1\n" * 110_000, ":1:1: the file is larger than 512 KiB"),
    "latin-1": ("scenario: 1\nname: größe\n".encode("latin-1"), ":2:9: the byte 0xF6 is not valid UTF-8"),
    "utf-16": ("scenario: 1\n".encode("utf-16"), ":1:1: the byte 0xFF"),
    "zip": (b"PK\x03\x04\x00\x00", ":1:3: the control character U+0003"),
    "empty": (b"", ":1:1: the file is empty"),
    "only-comments": (b"# nothing\n", ":1:"),
}


@pytest.mark.parametrize("name", BYTES)
def test_bytes_that_are_not_text_are_refused(name: str, tmp_path: Path) -> None:
    content, message = BYTES[name]
    file = tmp_path / "bomb.yaml"
    file.write_bytes(content)
    assert message in refusal(file)


def test_a_path_that_is_not_a_readable_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.yaml") == f"{tmp_path}/none.yaml: there is no such file"
    assert refusal(tmp_path) == f"{tmp_path}: this is a directory; name a scenario file"
    assert "cannot be read" in refusal(tmp_path / ("x" * 300))
    assert "cannot be read" in refusal(tmp_path / "a\0b")


LARGEST = {
    "flow": filled(HEAD + "\n", lambda number: f"- {{ts: {number}, key: k{number % 4}, value: {number % 9}}}\n"),
    "shortest": filled(HEAD + "\n", "- {end: true}\n"),
    "block": filled(HEAD + "\n", "- ts: 1s\n  key: a\n"),
    "one-line": filled(HEAD + " [", '{"ts":1,"key":"a"},', "]\n"),
    "mappings": filled(HEAD + "\n", "- {ts: 1, key: a, value: {x: 1, y: z}}\n"),
}


@pytest.mark.parametrize("name", LARGEST)
def test_the_largest_files_load_in_time(name: str, tmp_path: Path, limit: float) -> None:
    file = tmp_path / "bomb.yaml"
    file.write_text(LARGEST[name])
    scenario, seconds = timed(load, file)
    assert seconds < limit
    assert isinstance(scenario.stream, tuple)
    assert len(scenario.stream) > 10_000
