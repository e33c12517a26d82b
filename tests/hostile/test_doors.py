"""Every door that a visitor can send something through takes a bomb, or refuses it, within the limits of each input.

``tests/fuzz/targets.py`` has the doors, with sound inputs; here each text and each number of these is a bomb once.
"""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import pytest
from tidemark.simulator.limits import SCENARIO_BYTES, SHOWN_COLUMN_BYTES
from tidemark.spark_bridge.files.request import FilesError
from tidemark.spark_bridge.stream_page import first_rows
from tidemark.ui.compare.desk import compared
from tidemark.ui.library.lessons import desk as ordering
from tidemark.ui.server.orders import NotDone, connect
from tidemark.ui.share import links
from tidemark.ui.share import links as own

from tests.fuzz import running
from tests.fuzz.running import Failure, Target, tried
from tests.fuzz.targets import TARGETS
from tests.hostile.test_bombs import BOMBS, HEAD

Path_ = tuple[str | int, ...]

TEXTS: Final = (
    "a" * 3_000_000, "9" * 400_000, "\n" * 500_000, '"' * 200_000, "[" * 200_000, "a,\t;" * 100_000, "1e999999999",
    "P" + "1D" * 100_000, "\\" * 200_000, "水" * 150_000, "-" * 300_000, "{a: " * 100_000,
)  # fmt: skip
NUMBERS: Final = (10**4_000, -(10**4_000), 2**63, -1, 1e308, float("inf"), float("nan"))


def deep(depth: int = 900) -> Any:
    """As deep as what Python's JSON reader lets through."""
    nested: Any = []
    for _ in range(depth):
        nested = [nested]
    return nested


def leaves(message: Any, path: Path_ = ()) -> Iterator[tuple[Path_, Any]]:
    """The texts and numbers of a message, by their paths."""
    if isinstance(message, Mapping):
        for name, each in message.items():
            yield from leaves(each, (*path, name))
    elif isinstance(message, list):
        for number, each in enumerate(message):
            yield from leaves(each, (*path, number))
    else:
        yield path, message


def with_bomb(message: Any, path: Path_, bomb: Any) -> Any:
    changed = deepcopy(message)
    inner = changed
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = bomb
    return changed


def bombs_of(messages: list[Any]) -> Iterator[Any]:
    """Each message with each of its texts and numbers replaced, one at a time; what all messages share, once.

    The bombs take turns, so that each is at many places and none of the places is left out.
    """
    seen = set()
    texts, numbers = cycle((*TEXTS, deep(), ["a"] * 100_000)), cycle((*NUMBERS, deep(), {}))
    for message in messages:
        for path, leaf in leaves(message):
            place = path, repr(leaf)
            if place in seen:
                continue
            seen.add(place)
            for bomb in islice(texts if isinstance(leaf, str) else numbers, 2):
                yield with_bomb(message, path, bomb)


@pytest.fixture(autouse=True)
def ordered(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """As on a server: long work is ordered from other processes, which have limits of their own.

    The limit of time is twice that of an idle machine; what it is for takes the tenfold and more.
    """
    monkeypatch.setattr(running, "LONGEST_S", 2 * running.LONGEST_S)
    orders: list[str] = []

    def order(function: Callable[..., Any], *_: Any) -> None:
        orders.append(function.__name__)
        raise NotDone("later")

    connect(order)
    yield orders
    connect(None)


def failures(door: Target, inputs: Iterator[Any]) -> list[str]:
    outcomes = ((tried(door, each), each) for each in inputs)
    return [f"{outcome.what} {str(given)[:300]}" for outcome, given in outcomes if isinstance(outcome, Failure)]


@pytest.mark.parametrize("door", [each for each in TARGETS if each.name in ("query", "author", "pages", "player")],
                         ids=lambda door: door.name)  # fmt: skip
def test_no_message_with_a_bomb_in_it_holds_the_others_up(door: Target) -> None:
    assert failures(door, bombs_of(door.seeds())) == []


@pytest.mark.parametrize("door", [each for each in TARGETS if each.name in ("scenario-json", "table", "sql")],
                         ids=lambda door: door.name)  # fmt: skip
def test_no_text_that_is_a_bomb_holds_the_others_up(door: Target) -> None:
    texts = [*TEXTS, *(text for text, _ in BOMBS.values())]
    sound = door.seeds()[0]
    given = [*(text.encode() for text in texts), *(sound + text.encode() for text in texts)]
    assert failures(door, iter(given)) == []


@pytest.mark.parametrize("name", BOMBS)
def test_no_link_and_no_file_is_a_bomb(name: str) -> None:
    text, _ = BOMBS[name]
    assert tried(Target("file", list, lambda text: own.of_file("a.yaml", text)), text) is False
    address = Target("link", list, lambda token: compared({"s": token}, (), {}, None, dict))
    assert tried(address, links.token_of(text, json=False)) is False


MANY_WINDOWS: Final = HEAD.replace("{type: tumbling, size: 5s}", "{type: sliding, size: 10000s, slide: 1s}") + "".join(
    f"\n- {{ts: {number}, key: k{number}}}" for number in range(2_000)
)


def test_records_that_are_in_thousands_of_windows_are_left_to_another_process(ordered: list[str]) -> None:
    text = f"{MANY_WINDOWS}\n# another text than any before\n"
    assert len(text) < SCENARIO_BYTES
    assert tried(Target("file", list, lambda text: own.of_file("a.yaml", text)), text) is False
    assert ordered == ["_problem_of"]


def columns(count: int) -> bytes:
    return ",".join(f"a{number}" for number in range(count)).encode() + b"\n"


FILES: Final[dict[str, Callable[[], bytes]]] = {
    "long-line.csv": lambda: b"ts,key\n" + b"a" * 100_000_000,
    "long-line.jsonl": lambda: b'{"ts": "' + b"a" * 100_000_000,
    "columns.csv": lambda: columns(1_000_000) + b"1," * 999_999 + b"1\n",
    "few-columns.csv": lambda: columns(100_000) + b"1," * 99_999 + b"1\n",
    "deep.jsonl": lambda: b'{"a":' * 200_000 + b"\n" + b'{"ts": 1}\n',
    "lists.jsonl": lambda: b'{"a": ' + b"[" * 100_000 + b"\n",
    "exponent.jsonl": lambda: b'{"ts": 1e999999999, "key": 1e-999999999}\n' * 1_000,
    "exponent.csv": lambda: b"ts,key,value\n" + b"1e999999999,a,1e-999999999\n" * 1_000,
    "digits.jsonl": lambda: b'{"ts": ' + b"9" * 1_000_000 + b', "key": 1}\n',
    "digits.csv": lambda: b"ts,key\n" + (b"9" * 100_000 + b",a\n") * 9,
    "members.jsonl": lambda: b"\n".join(json.dumps({f"k{number}": 1}).encode() for number in range(70_000)),
    "line.csv.gz": lambda: gzip.compress(b"ts,key\n" + b"a" * 200_000_000, 1),
    "rows.csv.gz": lambda: gzip.compress(b"ts,key\n" + b"1,a\n" * 20_000_000, 1),
    "empty.csv.gz": lambda: gzip.compress(b"\n" * 200_000_000, 1),
    "line.jsonl.gz": lambda: gzip.compress(b'{"ts": "' + b"a" * 200_000_000, 1),
    "quotes.csv": lambda: b"ts,key\n" + b'"\n' * 500_000,
    "empty-lines.csv": lambda: b"ts,key\n" + b"\n" * 1_000_000,
    "lines.jsonl": lambda: b"{\n" * 500_000,
    "not.parquet": lambda: b"PAR1" + b"\xff" * 1_000_000 + b"\xff\xff\xff\x7fPAR1",
}


@pytest.mark.parametrize("name", FILES)
def test_no_file_on_your_stream_is_a_bomb(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(FILES[name]())

    def look(path: str) -> bool:
        try:
            sample = first_rows([path])
        except FilesError:
            return False
        assert sum(len(cell) for row in sample.cells for cell in row) < SHOWN_COLUMN_BYTES
        return True

    assert tried(Target("stream", list, look), str(file)) in (True, False)


def test_the_order_of_lessons_is_refused_before_its_text_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whoever may not save is refused at once, and whoever may for the size of the text."""
    message = {"number": 1, "text": "\n" * 600_000, "plan": {"lessons": []}, "expected": None}
    monkeypatch.setattr(ordering, "written", lambda *_: pytest.fail("the text is read"))
    assert "without a folder" in ordering.reply(message)["problem"]
    monkeypatch.setattr(ordering, "folder_now", lambda: tmp_path)
    assert "larger than 512 KiB" in ordering.reply(message)["problem"]
