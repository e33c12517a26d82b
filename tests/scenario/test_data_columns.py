"""Streams in files of an input with columns: the records written out in the scenario, or one clear message."""

import gzip
from json import dumps
from pathlib import Path
from typing import Any, Final

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.model import Data
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.spark_bridge.commands import main as bridge
from tidemark.spark_bridge.plan.coverage import gaps_of, gaps_over_files
from tidemark.ui.payload.contents import payload

HEAD: Final = """\
scenario: 1
name: mine
inputs:
  orders:
    watermark: {generator: sql, bound: 1s}
    columns: {shop: STRING, note: STRING, price: "DECIMAL(10, 2)", qty: INT, of: TIMESTAMP(3), tags: ARRAY<STRING>}
    where: price > 0 AND qty < 100
    select: {amount: price * qty, share: 12 / (qty - 3)}
    key: [shop, UPPER(note)]
operator:
  type: window
  api: tvf
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: {total: SUM(amount), n: COUNT(*)}}
"""
WRITTEN: Final = """\
origin: 1100
stream:
  - {ts: 1000, at: 1100, value: {shop: "7", note: eu, price: "3.50", qty: 2, of: "2026-01-31 10:00:00", tags: [a, "1"]}}
  - {ts: 2000, at: 2100, value: {shop: " b ", note: "", price: 1, qty: 1}}
  - {ts: 1500, at: 2200, value: {note: "null", price: 0, qty: 3, of: "2026-01-31 10:00:00.250"}}
  - {ts: 9000, at: 9100, value: {shop: "x,\\ny", note: eu, price: 2, qty: 2}}
  - {end: true}
"""
TABLE: Final = """\
when,got,shop,note,price,qty,of,tags,more
1000,1100,7,eu,3.5,2,2026-01-31T10:00:00,"[""a"", ""1""]",1
1500,2200,,null,0,3,2026-01-31T10:00:00.250,,
2000,2100," b ","",1,1
,3000,unread,,much,,
9000,9100,"x,
y",eu,2,2,,,
"""
LINES: Final = """\
{"when": 1000, "got": 1100, "shop": "7", "note": "eu", "price": 3.50, "qty": 2, "of": 1769853600000, "tags": ["a", "1"]}
{"when": 1500, "got": 2200, "shop": null, "note": "null", "price": "0", "qty": "3", "of": 1769853600250, "tags": null}
{"when": 2000, "got": 2100, "shop": " b ", "note": "", "price": 1, "qty": 1}
{"got": 3000, "shop": "unread"}
{"when": 9000, "got": 9100, "shop": "x,\\ny", "note": "eu", "price": 2, "qty": 2}
"""


def saved(folder: Path, table: str, columns: str = "ts: when", name: str = "mine.csv", head: str = HEAD) -> Path:
    """A scenario with its table beside it."""
    data = table.encode()
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    file = folder / "mine.yaml"
    file.write_text(f"{head}stream: {{data: {{path: {name}, {columns}}}}}\n", encoding="utf-8")
    return file


def items(file: Path) -> list[Any]:
    stream = load(file).stream
    assert isinstance(stream, Data)
    return list(stream)


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("mine.csv", TABLE),
        ("mine.csv.gz", TABLE.replace("\n", "\r\n").replace("x,\r", "x,")),
        ("mine.jsonl", LINES),
    ],
)
def test_the_run_is_that_of_the_records_written_out(tmp_path: Path, name: str, table: str) -> None:
    ours = load(saved(tmp_path, table, "ts: when, at: got, end: true", name))
    written = parse(HEAD + WRITTEN, "mine.yaml")
    assert isinstance(ours.stream, Data)
    given = [each._replace(value={**dict.fromkeys(COLUMNS), **each.value}) if isinstance(each, Record) else each
             for each in written.stream]  # fmt: skip
    assert list(ours.stream) == given
    assert run_rows(ours) == run_rows(written)
    assert ours.stream.known.unreadable == 1, "its cells are not looked at"
    assert list(ours.stream[:2]) == given[:2]


COLUMNS: Final = ("shop", "note", "price", "qty", "of", "tags")


def test_numbers_with_a_comma_and_a_key_of_the_file(tmp_path: Path) -> None:
    head = HEAD.replace("    key: [shop, UPPER(note)]\n", "")
    table = "when;shop;note;price;qty;of;tags\n1000;a;eu;1.234,506;2;;\n"
    (found,) = items(saved(tmp_path, table, "ts: when, key: shop", head=head))
    assert (found.key, found.value["price"], found.value["amount"]) == ("a", "1234.51", "2469.02")
    (found,) = items(saved(tmp_path, table, "ts: when", head=head))
    assert found.key == "all"


def test_a_time_with_a_zone_is_shown_by_the_clocks_of_the_session(tmp_path: Path) -> None:
    head = HEAD.replace("of: TIMESTAMP(3)", "of: TIMESTAMP_LTZ(3)").replace(
        "api: tvf", "api: tvf\n  session_zone: Asia/Tokyo"
    )
    table = (
        "when,shop,note,price,qty,of,tags\n1000,a,eu,1,2,2026-01-31T10:00:00Z,\n2000,a,eu,1,2,2026-01-31T10:00:00,\n"
    )
    found = [each.value["of"] for each in items(saved(tmp_path, table, head=head))]
    assert found == ["2026-01-31 19:00:00", "2026-01-31 10:00:00"]


TIME: Final = "2026-01-31 10:00:00"
REFUSALS: Final = {
    "price": ("3 kg", "line 3: `3 kg` in `price` is no DECIMAL(10, 2); correct it"),
    "qty": ("2147483648", "`2147483648` in `qty` is no INT"),
    "of": ("2026-02-30 10:00:00", "`2026-02-30 10:00:00` in `of` is no TIMESTAMP(3)"),
    "tags": ("a", "`a` in `tags` is no ARRAY<STRING>"),
    "qty ": ("1.5", "`1.5` in `qty` is no INT"),
    " qty": ("3", "`12 / (qty - 3)` fails for this record"),
}


@pytest.mark.parametrize("name", REFUSALS)
@pytest.mark.parametrize("json", [False, True])
def test_a_wrong_cell_is_named_with_its_line(tmp_path: Path, name: str, json: bool) -> None:
    cell, said = REFUSALS[name]
    row = {
        "when": "1000",
        "shop": "a",
        "note": "eu",
        "price": "1",
        "qty": "2",
        "of": "2026-01-31 10:00:00",
        "tags": "[]",
    }
    rows = [list(row), list(row.values()), [cell if each == name.strip() else row[each] for each in row]]
    table = "\n".join(",".join(each) for each in rows)
    if json:
        objects = [dumps(dict(zip(row, cells, strict=True))) for cells in rows[1:]]
        table = "\n".join(objects).replace('"[]"', "[]")
        said = said.replace("line 3", "line 2")
    with pytest.raises(ScenarioError) as refused:
        load(saved(tmp_path, table, name="mine.jsonl" if json else "mine.csv"))
    (problem,) = refused.value.problems
    assert str(problem).startswith(f"{tmp_path}/mine.yaml:15:23: mine.")
    assert said in problem.text
    assert f", line {2 if json else 3}: " in problem.text


def test_a_filtered_row_may_have_what_its_other_columns_cannot_take(tmp_path: Path) -> None:
    table = "when,shop,note,price,qty,of,tags\n1000,a,eu,0,3,,\n"
    (found,) = items(saved(tmp_path, table))
    assert found.op == "filtered"


@pytest.mark.parametrize(
    ("table", "columns", "said"),
    [
        ("when,shop\n1,a\n", "ts: when", "no column `note`"),
        (TABLE, "ts: when, value: price", "read from the columns of the file by name"),
        (TABLE, "ts: when, key: shop", "the input computes the key"),
        (TABLE.replace("2026-01-31T10:00:00", "soon"), "ts: when", "line 2: `soon` in `of` is no TIMESTAMP(3)"),
        (TABLE.replace("2026-01-31T10:00:00", "01/02/2026"), "ts: when", "`of`"),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, table: str, columns: str, said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        load(saved(tmp_path, table, columns))
    (problem,) = refused.value.problems
    assert said in problem.text


def test_another_filter_is_another_run(tmp_path: Path) -> None:
    """What was found in the file is kept, and depends on the columns."""
    file = saved(tmp_path, TABLE)
    first = load(file)
    (tmp_path / "mine.yaml").write_text(file.read_text("utf-8").replace("qty - 3", "qty - 1"), "utf-8")
    with pytest.raises(ScenarioError, match=r"line 4: .*fails for this record"):
        load(file)
    (tmp_path / "mine.yaml").write_text(file.read_text("utf-8").replace("qty - 1", "qty - 5"), "utf-8")
    assert digest_of(load(file)) != digest_of(first)
    (tmp_path / "mine.yaml").write_text(as_yaml(first), "utf-8")
    assert load(file) == first


def test_every_command_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(saved(tmp_path, TABLE))
    for command in ("run", "trace"):
        assert main([command, file]) == 3
        assert main([command, file, "--skip-unreadable"]) == 0
    assert main(["check", file, "--skip-unreadable"]) == 0
    assert "x,\\ny" in dumps(payload(load(file))["tables"])


def test_spark_says_why_it_does_not_read_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = saved(tmp_path, TABLE)
    for gaps in (gaps_of(load(file)), gaps_over_files(load(file))):
        assert [gap.name for gap in gaps] == ["columns_of_file"]
    assert bridge(["check", str(file)]) == 3
    assert "columns" in capsys.readouterr().err
