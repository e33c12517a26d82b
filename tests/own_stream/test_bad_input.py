"""Every file that is no stream: one line that names the file and what to do, and nothing is left."""

import gzip
import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tidemark.spark_bridge.commands import DONE, REFUSED, main
from tidemark.spark_bridge.files import opening
from tidemark.spark_bridge.files.opening import channels_of
from tidemark.spark_bridge.files.reading import line_of_open_quote
from tidemark.spark_bridge.files.request import Columns, Files, FilesError, find
from tidemark.spark_bridge.files.stream import _records
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.stages import CheckFails, Stages

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


# Files that change or vanish while they are read: one line that names the file and what to do, and nothing is left.

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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", [None, RuntimeError("of a Python worker"), CheckFails("other", text="-")])
def test_a_change_explains_whatever_else_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, error: Exception | None
) -> None:
    """Spark may have noticed nothing; what it raises in the end, the command does not tell."""
    data, (change, message) = tmp_path / "a.csv", WAYS[way]
    data.write_bytes(csv(0))
    discarded: list[None] = []
    monkeypatch.setattr(session, "open_session", lambda *_: SimpleNamespace(version="4"))
    monkeypatch.setattr(session, "discard_session", lambda: discarded.append(None))
    monkeypatch.setattr(opening, "open_files", lambda _, files, *__, **___: find(files))

    def work() -> None:
        with opening.files_as_stream(Files((str(data),)), Stages(None, Event())):
            change(data)
            if error is not None:
                raise error

    with pytest.raises(FilesError) as refused:
        work()
    assert str(refused.value) == f"{data}: {message}"
    assert not discarded, "nothing is wrong with Spark"


@pytest.mark.spark
@pytest.mark.parametrize(
    ("command", "name", "way", "during"),
    [
        ("profile", "a.parquet", "vanishes", "looked at"),
        ("profile", "a.csv.gz", "vanishes", "read"),
        ("cut", "a.parquet", "vanishes", "read"),
        ("run", "a.csv", "is replaced", "read"),
        ("check", "a.jsonl.gz", "shrinks", "read"),
    ],
)
def test_a_file_that_changes_under_a_command(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str, way: str, during: str
) -> None:
    refused(tmp_path, monkeypatch, command, name, way, during)


# A command that is ended from outside in the midst of its work leaves no process, no temporary folder, no result.

_PATIENCE_S = 240

_ENDED_WITH_A_NEW_FOLDER = """
import os, runpy, signal, sys, tempfile
make = tempfile.mkdtemp
def mkdtemp(*arguments, **named):
    folder = make(*arguments, **named)
    os.kill(os.getpid(), signal.SIGTERM)
    return folder
tempfile.mkdtemp = mkdtemp
sys.argv[0] = "spark_bridge"
runpy.run_module("spark_bridge", run_name="__main__")
"""


def _processes_of(session: int) -> list[int]:
    """The processes of a session (field 6 of ``/proc/PID/stat``) that are still at work."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of, *_ = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(of) == session and state != "Z":
            found.append(int(stat.parent.name))
    return found


@pytest.mark.spark
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the processes of a session are found in /proc")
def test_nothing_is_left_of_a_run_that_is_ended(java: None, tmp_path: Path) -> None:
    """By the end of its terminal; the test below ends one by SIGTERM."""
    number = signal.SIGHUP
    data, scenario, temporary = tmp_path / "data.csv", tmp_path / "mine.yaml", tmp_path / "temporary"
    data.write_text(GOOD)
    scenario.write_text(SCENARIO)
    temporary.mkdir()
    before = sorted(tmp_path.iterdir())
    command = ["run", str(scenario), "--data", str(data), *COLUMNS, "--write", str(tmp_path / "deep" / "out")]
    inherited = signal.signal(number, signal.SIG_DFL)  # under nohup the signal would be ignored
    process = subprocess.Popen(
        [sys.executable, "-m", "spark_bridge", *command],
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    signal.signal(number, inherited)
    until = time.monotonic() + _PATIENCE_S
    while not any(temporary.glob("tidemark-spark-*")) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(number)
    out, err = process.communicate(timeout=_PATIENCE_S)
    assert (process.returncode, out, err) == (128 + number, "", "")
    while _processes_of(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert _processes_of(process.pid) == []
    assert list(temporary.iterdir()) == []
    assert sorted(tmp_path.iterdir()) == before


def test_a_folder_that_is_made_when_the_end_arrives_is_removed(tmp_path: Path) -> None:
    scenario = "scenarios/a-bound-delays.yaml"
    ended = subprocess.run(
        [sys.executable, "-c", _ENDED_WITH_A_NEW_FOLDER, "check", scenario],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (128 + signal.SIGTERM, "")
    assert list(tmp_path.iterdir()) == []


# Records of files that cannot be read: refused with the first of them, or left out and counted.

COUNTED = """
scenario: 1
name: mine
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 1s}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}}
stream: [{end: true}]
"""
PACKED = gzip.compress(b'note,when\n"two\nlines",2024-01-01 10:00\n\nx,24.01.2024\n,\n')
UNREADABLE: dict[str, tuple[bytes, str]] = {
    "a.csv.gz": (PACKED, ":5:1: 2 of 3 rows have no time that can be read; the first is line 5: `24.01.2024` in"),
    "a.jsonl": (
        b'{"when": 1000}\n\n{"wh\n{"when": null}\n',
        ":3:1: 2 of 3 rows have no time that can be read; the first is line 3: this line is not JSON",
    ),
}


@pytest.mark.spark
@pytest.mark.parametrize("name", [*UNREADABLE, "a.parquet"])
def test_records_that_cannot_be_read_are_refused_before_anything_is_written(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    data, scenario, out = tmp_path / name, tmp_path / "mine.yaml", tmp_path / "out"
    message = ": 1 of 2 rows have no time that can be read; the first is row 1: `when` is empty"
    if name in UNREADABLE:
        content, message = UNREADABLE[name]
        data.write_bytes(content)
    else:
        pq.write_table(pa.table({"when": pa.array([None, 1000], pa.timestamp("ms"))}), data)
    scenario.write_text(COUNTED)
    command = [str(scenario), "--data", str(data), "--ts", "when"]
    assert main(["run", *command, "--write", str(out)]) == 3
    said = capsys.readouterr()
    assert said.err.startswith(f"{data}{message}")
    assert (said.out, sorted(each.name for each in tmp_path.iterdir())) == ("", sorted([name, "mine.yaml"]))
    if name == "a.parquet":
        return
    assert main(["run", *command, "--write", str(out), "--skip-unreadable"]) == DONE
    said = capsys.readouterr()
    assert "left out, since the time cannot be read: " in said.err
    assert "results of 1 records" in said.out
    if name == "a.jsonl":
        assert main(["check", *command, "--skip-unreadable"]) == DONE
        assert "left out, since the time cannot be read: 2 of the rows" in capsys.readouterr().err


def test_the_line_of_a_record_is_found_where_cells_have_line_ends_and_lines_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('\na,b\n\n"1\n2",3\n4,5\n\n6,"7"\n')
    assert [line for line, _ in _records(str(path), "csv")] == [4, 6, 8]


# A quote that is never closed is found, and only that.


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('ts,key\n1,"a,1\n2,b\n', 2),
        ('ts,key\n1,"a"\n2,"b\n\n3,c', 3),
        ('ts,key\n1, "a\nb"\n2,"c""d"\n', None),
        ('ts,key\n1,5" pipe\n2,b', None),
        ('ts,key\n1,"a""\n2,b', 2),
        ('ts,key\n1,"a"x"\n"2","b","c', 3),
        ("ts,key\n", None),
    ],
)
def test_the_line_of_a_quote_that_is_never_closed(tmp_path: Path, text: str, line: int | None) -> None:
    plain, packed = tmp_path / "a.csv", tmp_path / "a.csv.gz"
    plain.write_text(text)
    packed.write_bytes(gzip.compress(text.encode()))
    assert line_of_open_quote(str(plain), ",") == line_of_open_quote(str(packed), ",") == line


# The channels of Parquet files as the files tell them, and where Spark has to look instead.

BY_CHANNEL = Columns(ts="ts", channel="channel")


def said(path: Path, columns: Columns = BY_CHANNEL, most: int = 100) -> set[str] | None:
    return channels_of(find(Files((str(path),))), columns, most)


def write(path: Path, **columns: Any) -> None:
    pq.write_table(pa.table(columns), path, row_group_size=3)


def test_the_channels_of_all_files_and_row_groups(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", ts=[1, 2, 3, 4, 5], channel=["b", None, "b", "a", "10"])
    write(tmp_path / "b.parquet", ts=[1], channel=["c"])
    assert said(tmp_path) == {"10", "a", "b", "c", ""}
    write(tmp_path / "b.parquet", ts=[1, 2, 3, 4], channel=[7, None, -1, 7])
    assert said(tmp_path / "b.parquet") == {"7", "", "-1"}
    assert len(said(tmp_path, most=1) or ()) > 1


def test_numbers_are_read_until_all_that_the_file_speaks_of_have_been_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    unique = pc.unique
    monkeypatch.setattr(pc, "unique", lambda values: read.append(len(values)) or unique(values))
    whole = pa.array([4, 5, 6, *[4] * 300_000])
    pq.write_table(pa.table({"ts": range(len(whole)), "channel": whole}), tmp_path / "a.parquet")
    assert said(tmp_path) == {"4", "5", "6"}
    assert sum(read) < len(whole) / 2
    with_gap = pa.array([4, *[6] * 300_000, 7, None])
    pq.write_table(pa.table({"ts": range(len(with_gap)), "channel": with_gap}), tmp_path / "a.parquet")
    assert said(tmp_path) == {"4", "6", "7", ""}
    last_without = pa.array([4] * 300_000 + [None])
    pq.write_table(pa.table({"ts": range(len(last_without)), "channel": last_without}), tmp_path / "a.parquet")
    assert said(tmp_path) == {"4", ""}


@pytest.mark.parametrize(
    "columns",
    [
        {"ts": [1, None], "channel": [1, 2]},
        {"ts": [1, 2**60], "channel": [1, 2]},
        {"ts": [1, -(2**60)], "channel": [1, 2]},
        {"ts": ["1", "2"], "channel": [1, 2]},
        {"ts": [1, 2], "channel": [1.0, 2.0]},
        {"ts": [1, 2], "at": [None, 2], "channel": [1, 2]},
    ],
)
def test_where_a_record_may_be_unreadable_or_a_channel_has_several_texts_spark_looks(
    tmp_path: Path, columns: dict[str, list[Any]]
) -> None:
    write(tmp_path / "a.parquet", **columns)
    assert (
        said(tmp_path / "a.parquet", Columns(ts="ts", at="at" if "at" in columns else None, channel="channel")) is None
    )


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"ts": range(9000), "channel": range(9000)}), path, compression="gzip")
    content = bytearray(path.read_bytes())
    start = pq.read_metadata(path).row_group(0).column(1).data_page_offset
    content[start : start + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    with pytest.raises(FilesError, match=r"a\.parquet"):
        said(path, most=10_000)
