"""A draft from SQL: files of records as people have them, and what the page says of them."""

import base64
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import parse
from tidemark.ui.author.desk import SqlRefused, scenario_of_sql
from tidemark.ui.author.rows import EditRefused

ORDERS = """
CREATE TABLE `订单` (`门店` STRING, `金额` INT, `时间` TIMESTAMP(3), WATERMARK FOR `时间` AS `时间`);
SELECT `门店`, SUM(`金额`) FROM `订单` GROUP BY `门店`, TUMBLE(`时间`, INTERVAL '10' SECOND);
"""
ROWS = "门店;金额;时间\r\n上海;1;2026-01-01 00:00:01\r\n北京;2;2026-01-01 00:00:02\r\n"
PAIR = """
CREATE TABLE o (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);
CREATE TABLE s (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);
SELECT o.v, s.v FROM o, s WHERE o.k = s.k AND s.rt BETWEEN o.rt AND o.rt + INTERVAL '4' SECOND;
"""
PAIR_ROWS = b"k,v,rt\na,1,2026-01-01 00:00:01\n"


def of(sql: str, **files: bytes) -> str:
    records: list[dict[str, Any]] = [
        {"file": f"{name}.csv", "content": base64.b64encode(data).decode()} for name, data in files.items()
    ]
    return scenario_of_sql({"sql": sql, "records": records})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_a_file_is_read_in_its_own_encoding(encoding: str) -> None:
    stream = parse(of(ORDERS, any=ROWS.encode(encoding))).stream
    assert isinstance(stream, tuple)
    assert [(each.key, each.value) for each in stream if isinstance(each, Record)] == [("上海", 1), ("北京", 2)]


@pytest.mark.parametrize("names", [("o",), ("o", "shipments"), ("o", "s", "more")])
def test_files_that_are_not_named_like_the_tables_are_asked_for(names: tuple[str, ...]) -> None:
    with pytest.raises(EditRefused) as refused:
        of(PAIR, **dict.fromkeys(names, PAIR_ROWS))
    assert str(refused.value) == (
        "Choose one file for each of these tables and name it like its table, as in o.csv: o, s"
    )


def test_a_line_that_is_refused_is_named_with_its_file() -> None:
    with pytest.raises(SqlRefused, match=r"^s\.csv:3: `x` is no whole number"):
        of(PAIR, o=PAIR_ROWS, s=PAIR_ROWS + b"b,x,2026-01-01 00:00:02\n")


def test_what_is_no_base64_is_refused() -> None:
    with pytest.raises(EditRefused):
        scenario_of_sql({"sql": PAIR, "records": [{"file": "o.csv", "content": "k,v\n"}]})
