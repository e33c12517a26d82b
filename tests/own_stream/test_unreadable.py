"""Records of files that cannot be read: refused with the first of them, or left out and counted."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.spark_bridge.commands import DONE, main
from tidemark.spark_bridge.files.stream import _records

SCENARIO = """
scenario: 1
name: mine
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 1s}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: count}}
stream: [{end: true}]
"""
PACKED = gzip.compress(b'note,when\n"two\nlines",2024-01-01 10:00\n\nx,24.01.2024\n,\n')
FILES: dict[str, tuple[bytes, str]] = {
    "a.csv.gz": (PACKED, ":5:1: 2 of 3 rows have no time that can be read; the first is line 5: `24.01.2024` in"),
    "a.jsonl": (
        b'{"when": 1000}\n\n{"wh\n{"when": null}\n',
        ":3:1: 2 of 3 rows have no time that can be read; the first is line 3: this line is not JSON",
    ),
}


@pytest.mark.spark
@pytest.mark.parametrize("name", [*FILES, "a.parquet"])
def test_records_that_cannot_be_read_are_refused_before_anything_is_written(
    spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    data, scenario, out = tmp_path / name, tmp_path / "mine.yaml", tmp_path / "out"
    message = ": 1 of 2 rows have no time that can be read; the first is row 1: `when` is empty"
    if name in FILES:
        content, message = FILES[name]
        data.write_bytes(content)
    else:
        pq.write_table(pa.table({"when": pa.array([None, 1000], pa.timestamp("ms"))}), data)
    scenario.write_text(SCENARIO)
    command = [str(scenario), "--data", str(data), "--ts", "when"]
    assert main(["run", *command, "--write", str(out)]) == 3
    said = capsys.readouterr()
    assert said.err.startswith(f"{data}{message}")
    assert (said.out, sorted(each.name for each in tmp_path.iterdir())) == ("", sorted([name, "mine.yaml"]))
    assert main(["run", *command, "--write", str(out), "--skip-unreadable"]) == DONE
    said = capsys.readouterr()
    assert "left out, since the time cannot be read: " in said.err
    assert "results of 1 records" in said.out
    if name == "a.jsonl":
        assert main(["check", *command]) == 3
        assert main(["check", *command, "--skip-unreadable"]) == DONE
        assert "left out, since the time cannot be read: 2 of the rows" in capsys.readouterr().err


def test_the_line_of_a_record_is_found_where_cells_have_line_ends_and_lines_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('\na,b\n\n"1\n2",3\n4,5\n\n6,"7"\n')
    assert [line for line, _ in _records(str(path), "csv")] == [4, 6, 8]
