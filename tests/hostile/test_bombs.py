"""Malicious files: each is refused (or read) about as fast as a harmless one, with a message and no traceback."""

import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.simulator.limits import SHOWN_COLUMN_BYTES, TABLE_PIECE_BYTES, TABLE_PIECE_ROWS, TYPED_CHARACTERS
from tidemark.simulator.scenario import ScenarioError, load
from tidemark.simulator.scenario.tables import look, reading, rows
from tidemark.spark_bridge.stream_page import first_rows
from tidemark.ui.author.desk import reply
from tidemark.ui.author.importing import looked, sifted

from tests.fuzz.running import Target, tried
from tests.fuzz.targets import short_scenarios

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


# Malicious tables: what they would cost is refused before it is done.

MEMBERS = "\n".join(f'{{"k{number}": 1}}' for number in range(70_000))
LONG_MEMBER = '{"' + "x" * 500_000 + '": {' + ",".join(f'"a{number}": 1' for number in range(40_000)) + "}}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("," * 1_000_000, "many_columns"), ("1 " * 500_000, "only_header"), (("a " * 5_000 + ",") * 99, "only_header"),
        ("\1\n" * 500_000, "nothing_readable"), ("a," * 100_000 + "\nx", "many_columns"), (",\n" * 400_000, "no_time"),
        ('"\n' * 100_000, "no_time"), ('{"a":[\n' * 900 + "1," * 400_000, "nothing_readable"),
        ('{"a":[\n' * 100_000, "nothing_readable"), (MEMBERS, "many_columns"), (LONG_MEMBER, "no_time"),
    ],
    ids=("names", "long-name", "long-names", "controls", "equal-names", "lines", "quotes", "open", "deep", "members",
         "long-member"),
)  # fmt: skip
def test_a_bomb_is_refused_before_it_works(text: str, problem: str) -> None:
    outcomes: list[str] = []
    door = Target("table", list, lambda data: outcomes.append(look(data).problem))
    assert tried(door, text.encode()) is True
    assert outcomes == [problem]


def test_rows_that_are_pasted_cost_no_more_than_their_cells() -> None:
    text = "ts" + "\t" * 100_000 + "\n" + "x\n" * 50_000
    edit = {"kind": "paste", "text": text, "after": 1, "column": "ts"}
    door = Target("paste", list, lambda edit: reply({"number": 1, "text": short_scenarios()[5], "edit": edit}))
    assert tried(door, edit) is True


COLUMNS = [{"name": "ts", "role": "ts", "time": "milliseconds"}, {"name": "key", "role": "key", "time": ""}]
SHORT_LINES = ("\n", "x\n", ",\n", "1,a\n", '"\n', "\x01\n", "{}\n", "{}", "{\n", "1 ", "[1,", '{"a"\n')


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("line", SHORT_LINES, ids=repr)
def test_of_a_piece_of_very_short_lines_no_more_rows_are_read_than_one_may_have(
    line: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row that is handed on is counted, and each sentence about one that cannot be read."""
    done = {"rows": 0, "sentences": 0}
    rows_by_choice, words = reading.rows_by_choice, rows.words

    def counted(*given: Any) -> Iterator[Any]:
        for row in rows_by_choice(*given):
            done["rows"] += 1
            yield row

    def worded(*given: Any, **fields: Any) -> str:
        done["sentences"] += 1
        return words(*given, **fields)

    monkeypatch.setattr(reading, "rows_by_choice", counted)
    monkeypatch.setattr(rows, "words", worded)
    content = b64encode(line.encode() * (TABLE_PIECE_BYTES // len(line))).decode()
    draft = short_scenarios()[0]
    choice = {"form": form, "columns": COLUMNS, "header": False}
    asks = ((sifted, {"choice": choice, "line": 2}), (looked, {"given": choice, "whole": True}), (looked, {}))
    for ask, given in asks:
        done.update(rows=0, sentences=0)
        told: list[Any] = []
        message = {"content": content, **given}
        door = Target("table", list, lambda of, ask=ask, told=told: told.append(ask(of, draft)))
        assert tried(door, message) is True
        assert done["rows"] <= TABLE_PIECE_ROWS + 1
        assert done["sentences"] <= reading.MOST_LISTED
        if done["rows"] > TABLE_PIECE_ROWS:
            said = told[0].get("reading") or told[0]["look"]["reading"]
            assert "Only the first 10,000 rows were looked at; what follows from line " in said["notes"][-1]


# Small Parquet files with huge cells: what is shown of them takes little memory.


def test_a_cell_of_many_megabytes_in_a_few_bytes_is_not_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "bomb.parquet"
    table = pa.table({"ts": [1_700_000_000_000], "a.b": ["x" * (2 * SHOWN_COLUMN_BYTES)], "c": ["y" * 10_000]})
    pq.write_table(table, file, compression="zstd", write_statistics=False)
    del table
    assert file.stat().st_size < 100_000
    pa.default_memory_pool().release_unused()
    before = pa.default_memory_pool().max_memory()
    found = []
    assert tried(Target("parquet", list, lambda path: found.append(first_rows([path]))), str(file)) is True
    assert found[0].names == ("ts", "a.b", "c")
    assert found[0].cells == (["1700000000000", "", "y" * TYPED_CHARACTERS],)
    assert pa.default_memory_pool().max_memory() == before, "less than the file was made from"
    assert pa.default_memory_pool().bytes_allocated() < SHOWN_COLUMN_BYTES
