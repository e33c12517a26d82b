"""Every file that is no stream: one line that names the file and what to do, and nothing is left."""

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.spark_bridge.commands import REFUSED, main

ROWS = "".join(f"{1_772_000_000_000 + n},k{n % 3},{n % 5},{n % 2}\n" for n in range(200))
GOOD = "ts,key,value,channel\n" + ROWS
TABLE = pa.table({"ts": [1, 2], "key": ["a", "b"], "value": [1, 2], "channel": [0, 0]})
COLUMNS = ["--ts", "ts", "--key", "key", "--value", "value", "--channel", "channel"]
SCENARIO = """
scenario: 1
name: mine
inputs: {events: {channels: 2, watermark: {generator: bounded-out-of-orderness, bound: 1s}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{end: true}]
"""


def text(content: str | bytes) -> Callable[[Path], None]:
    """A file with that content."""
    data = content.encode() if isinstance(content, str) else content
    return lambda path: path.write_bytes(data) and None


def tables(*found: pa.Table) -> Callable[[Path], None]:
    """A folder of Parquet files."""

    def write(path: Path) -> None:
        path.mkdir()
        for number, table in enumerate(found):
            pq.write_table(table, path / f"{number}.parquet")

    return write


FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "no header.csv": (text(ROWS), "the first row does not name the columns; add a header row"),
    "two of one name.csv": (text(GOOD.replace("key", "ts", 1)), "two columns are called `ts`; rename one of them"),
    "no such column.csv": (text(GOOD.replace("channel", "part", 1)), "there is no column `channel`; the columns are"),
    "empty.csv": (text(""), "the file is empty"),
    "header alone.csv": (text("ts,key,value,channel\n"), "there is no record in it"),
    "quote.csv": (text(GOOD.replace(",k1,", ',"k1,', 1)), "the quoted cell that begins in line 3 is never closed"),
    "utf-16.csv": (text(GOOD.encode("utf-16")), "the text is not in UTF-8 but probably in utf-16-le"),
    "cut off.csv.gz": (text(gzip.compress(GOOD.encode())[:-400]), "the file is damaged or incomplete"),
    "damaged.parquet": (text(b"PAR1" + bytes(99) + b"PAR1"), "the file is damaged or incomplete"),
    "list.json": (text('[{"ts": 1}]'), "this is JSON, but not JSON Lines; write one object per line"),
    "schemas": (tables(TABLE, TABLE.rename_columns(["time", "key", "value", "channel"])), "there is no column `ts`"),
    "types": (tables(TABLE, TABLE.set_column(0, "ts", pa.array(["1", "2"]))), "column `ts` is string, but int64"),
    "nothing": (Path.mkdir, "there is no file in this folder"),
    "missing.csv": (lambda path: None, "there is no such file or folder"),
}


@pytest.mark.spark
def test_a_stream_without_a_readable_time_has_nothing_to_cut_or_run(spark: Any, tmp_path: Path) -> None:
    data, scenario = tmp_path / "no time.csv", tmp_path / "mine.yaml"
    data.write_text("ts,key,value,channel\n" + "NaN,k,1,0\n" * 30)
    scenario.write_text(SCENARIO, encoding="utf-8")
    for command in (
        ["cut", str(data), *COLUMNS, "--around", "finding:no-timestamps"],
        ["run", str(scenario), "--data", str(data), *COLUMNS, "--write", str(tmp_path / "out")],
    ):
        err = io.StringIO()
        assert main(command, io.StringIO(), err) == REFUSED, command[0]
        assert err.getvalue().startswith(f"{data}: no record has a time that can be read (`ts`); name another column")


def test_a_report_that_cannot_be_written_is_refused_before_the_stream_is_read(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "Is a directory"), (tmp_path / "none" / "report.html", "No such file")):
        err = io.StringIO()
        assert main(["profile", "none.csv", "--report", str(path)], io.StringIO(), err) == REFUSED
        assert err.getvalue().startswith(f"{path}: the report cannot be written ({reason}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.spark
@pytest.mark.parametrize("name", FILES)
def test_what_is_no_stream_is_refused(spark: Any, tmp_path: Path, name: str) -> None:
    """By the four commands in turn, which open files in one way; of the first and the last file by each of them."""
    write, message = FILES[name]
    data, scenario = tmp_path / name, tmp_path / "mine.yaml"
    write(data)
    scenario.write_text(SCENARIO, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    commands = [
        ["profile", str(data), *COLUMNS, "--report", str(tmp_path / "report.html")],
        ["cut", str(data), *COLUMNS, "--around", "dropped"],
        ["run", str(scenario), "--data", str(data), *COLUMNS, "--write", str(tmp_path / "out")],
        ["check", str(scenario), "--data", str(data), *COLUMNS],
    ]
    number = list(FILES).index(name)
    turn = number % len(commands)
    for command in commands if number in (0, len(FILES) - 1) else [commands[turn]]:
        out, err = io.StringIO(), io.StringIO()
        assert main(command, out, err) == REFUSED, command[0]
        (line,) = err.getvalue().splitlines()
        assert line.startswith(str(data)), command[0]
        assert message in line, command[0]
        assert not out.getvalue()
        assert sorted(tmp_path.iterdir()) == before, "nothing is half written, and nothing is left"
