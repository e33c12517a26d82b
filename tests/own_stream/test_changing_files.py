"""Files that change or vanish while they are read: one line that names the file and what to do, and nothing is left."""

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.spark_bridge.commands import REFUSED, main
from tidemark.spark_bridge.files import opening
from tidemark.spark_bridge.files.request import Files, FilesError, find

from tests.own_stream.test_bad_input import COLUMNS, SCENARIO

START = 1_772_000_000_000


def csv(first: int) -> bytes:
    rows = (f"{START + number},k{number % 3},{number % 5},{number % 2}\n" for number in range(first, first + 4000))
    return ("ts,key,value,channel\n" + "".join(rows)).encode()


def json_lines(first: int) -> bytes:
    rows = range(first, first + 4000)
    return "".join(
        f'{{"ts":{START + number},"key":"k{number % 3}","value":{number % 5},"channel":{number % 2}}}\n'
        for number in rows
    ).encode()


def parquet(first: int) -> bytes:
    numbers = range(first, first + 4000)
    table = pa.table(
        {
            "ts": [START + number for number in numbers],
            "key": [f"k{number % 3}" for number in numbers],
            "value": [number % 5 for number in numbers],
            "channel": [number % 2 for number in numbers],
        }
    )
    out = io.BytesIO()
    pq.write_table(table, out, row_group_size=500)
    return out.getvalue()


FORMATS: dict[str, Callable[[int], bytes]] = {
    "a.parquet": parquet,
    "a.csv": csv,
    "a.jsonl": json_lines,
    "a.csv.gz": lambda first: gzip.compress(csv(first)),
    "a.jsonl.gz": lambda first: gzip.compress(json_lines(first)),
}


def grow(path: Path) -> None:
    with path.open("ab") as file:
        file.write(FORMATS[path.name](9000)[:30_000])


def shrink(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def replace(path: Path) -> None:
    """By another one of the same size and time: a tool that copies may keep both."""
    before, other = path.stat(), path.with_name("other")
    other.write_bytes(FORMATS[path.name](1)[: before.st_size].ljust(before.st_size))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    os.replace(other, path)


WAYS: dict[str, tuple[Callable[[Path], None], str]] = {
    "grows": (grow, "the file has changed while it was read; try again when it is complete"),
    "shrinks": (shrink, "the file has changed while it was read; try again when it is complete"),
    "is replaced": (replace, "the file has changed while it was read; try again when it is complete"),
    "vanishes": (Path.unlink, "the file was removed or renamed while it was read; put it back and try again"),
}
COMMANDS = {
    "profile": ["profile", "DATA", *COLUMNS, "--report", "HERE/report.html"],
    "cut": ["cut", "DATA", *COLUMNS, "--around", "window:k1@1772000000000"],
    "run": ["run", "HERE/mine.yaml", "--data", "DATA", *COLUMNS, "--write", "HERE/out"],
    "check": ["check", "HERE/mine.yaml", "--data", "DATA", *COLUMNS],
}
WHILE = {"looked at": (opening, "_opened"), "read": (opening, "open_files")}


def refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str, way: str, during: str
) -> None:  # fmt: skip
    data, (change, message) = folder / name, WAYS[way]
    data.write_bytes(FORMATS[name](0))
    (folder / "mine.yaml").write_text(SCENARIO, encoding="utf-8")
    module, function = WHILE[during]
    own = getattr(module, function)

    def changed(*given: Any, **named: Any) -> Any:
        if during == "looked at":
            change(data)
            return own(*given, **named)
        opened = own(*given, **named)
        change(data)
        return opened

    monkeypatch.setattr(module, function, changed)
    out, err = io.StringIO(), io.StringIO()
    asked = [each.replace("DATA", str(data)).replace("HERE", str(folder)) for each in COMMANDS[command]]
    assert main(asked, out, err) == REFUSED
    assert err.getvalue() == f"{data}: {message}\n"
    assert not out.getvalue()
    assert {each.name for each in folder.iterdir()} <= {name, "mine.yaml"}, "nothing is half written"


@pytest.mark.parametrize("way", WAYS)
def test_a_file_that_is_not_as_it_was_when_it_was_found_is_named(tmp_path: Path, way: str) -> None:
    data, (change, message) = tmp_path / "a.csv", WAYS[way]
    data.write_bytes(csv(0))
    found = find(Files((str(data),)))
    found.require_unchanged()
    change(data)
    with pytest.raises(FilesError) as refused:
        found.require_unchanged()
    assert str(refused.value) == f"{data}: {message}"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("a.parquet", "grows"),
        ("a.csv.gz", "vanishes"),
    ],
)
def test_a_file_that_changes_under_a_profile(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, way: str
) -> None:
    refused(tmp_path, monkeypatch, "profile", name, way, "read")


@pytest.mark.spark
def test_a_file_that_vanishes_while_it_is_looked_at(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(tmp_path, monkeypatch, "profile", "a.parquet", "vanishes", "looked at")


@pytest.mark.spark
@pytest.mark.parametrize(
    ("command", "name", "way"),
    [
        ("cut", "a.parquet", "vanishes"),
        ("run", "a.jsonl.gz", "shrinks"),
        ("check", "a.csv", "is replaced"),
    ],
)
def test_a_file_that_changes_under_the_other_commands(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str, way: str
) -> None:
    refused(tmp_path, monkeypatch, command, name, way, "read")
