"""Records for a query, from files: columns by name, and what would mean something else in Flink is refused."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run
from tidemark.simulator.commands import main
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.scenario import parse
from tidemark.simulator.sql import RecordsProblem, from_sql, result_of

ORDERS = """
CREATE TABLE orders (shop STRING, price DOUBLE, pieces INT, paid TIMESTAMP(3),
    WATERMARK FOR paid AS paid - INTERVAL '5' SECOND);
"""
RATES = """
CREATE TABLE rates (shop STRING, rate DOUBLE, since TIMESTAMP(3), WATERMARK FOR since AS since);
"""
SUM = ORDERS + "SELECT shop, SUM(pieces) FROM orders GROUP BY shop, TUMBLE(paid, INTERVAL '1' MINUTE)"
ROWS = b"shop,price,pieces,paid\na,1.5,2,2026-01-01 10:00:03\nb,2,1,2026-01-01 10:00:01.250\n"
PAIRS = (
    ORDERS + RATES + "SELECT o.pieces, r.rate FROM orders o JOIN rates r ON o.shop = r.shop "
    "AND r.since BETWEEN o.paid - INTERVAL '10' SECOND AND o.paid"
)


def test_columns_are_found_by_name() -> None:
    stream = parse(from_sql(SUM, files={"": ROWS})).stream
    assert isinstance(stream, tuple)
    assert [(each.key, each.ts, each.value) for each in stream if isinstance(each, Record)] == [
        ("a", 1767261603000, 2), ("b", 1767261601250, 1),
    ]  # fmt: skip
    assert isinstance(stream[-1], End)


def test_a_double_column_has_doubles() -> None:
    stream = parse(from_sql(SUM.replace("SUM(pieces)", "SUM(price)"), files={"": ROWS})).stream
    assert isinstance(stream, tuple)
    assert [type(each.value) for each in stream if isinstance(each, Record)] == [float, float]


def test_a_key_has_the_type_of_its_column() -> None:
    numbered = b"shop,pieces,paid\n42,1,2026-01-01 10:00:03\ntrue,1,2026-01-01 10:00:03\n"
    stream = parse(from_sql(SUM, files={"": numbered})).stream
    assert isinstance(stream, tuple)
    assert [each.key for each in stream if isinstance(each, Record)] == ["42", "true"]
    with pytest.raises(RecordsProblem, match="`true` is no BIGINT"):
        from_sql(SUM.replace("shop STRING", "shop BIGINT"), files={"": numbered})


def records_of(sql: str, rows: bytes) -> list[Record]:
    stream = parse(from_sql(sql, files={"": rows})).stream
    assert isinstance(stream, tuple)
    return [each for each in stream if isinstance(each, Record)]


EVENTS = """
CREATE TABLE events (id INT, code STRING, told STRING, ts AS TO_TIMESTAMP(told), WATERMARK FOR ts AS ts);
"""
EVENT_ROWS = (
    b"id,code,told\n1,007,2026-01-01 10:00:00\n2,1e3,2026-01-01 10:00:01\n"
    b"3,true,2026-01-01 10:00:02\n4,1.50,2026-01-01 10:00:03\n"
)
FIRST = EVENTS + "SELECT {} FROM events QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts) = 1"
CODES = ["007", "1e3", "true", "1.50"]


def test_a_text_column_has_texts_whatever_they_look_like() -> None:
    assert [each.value for each in records_of(FIRST.format("id, code"), EVENT_ROWS)] == CODES
    members = [each.value for each in records_of(FIRST.format("id, code, told"), EVENT_ROWS)]
    assert [each["code"] for each in members if isinstance(each, dict)] == CODES
    by_code = EVENTS + "SELECT code, SUM(id) FROM events GROUP BY code, TUMBLE(ts, INTERVAL '5' SECOND)"
    assert [each.key for each in records_of(by_code, EVENT_ROWS)] == CODES
    lines = b'{"id": 1, "code": "007", "told": "2026-01-01 10:00:00"}\n'
    assert [each.value for each in records_of(FIRST.format("id, code"), lines)] == ["007"]


def test_the_column_of_the_key_or_the_time_is_a_value_where_the_query_says_so() -> None:
    first = records_of(FIRST.format("*"), EVENT_ROWS)[0]
    assert first.value == {"code": "007", "told": "2026-01-01 10:00:00"}
    window = EVENTS + "SELECT id, {} FROM events GROUP BY id, TUMBLE(ts, INTERVAL '5' SECOND)"
    assert [each.value for each in records_of(window.format("SUM(id)"), EVENT_ROWS)] == [1, 2, 3, 4]
    made = parse(from_sql(window.format("SUM(id)"))).stream
    assert isinstance(made, tuple)
    assert [each.value for each in made if isinstance(each, Record)] == [
        each.key for each in made if isinstance(each, Record)
    ]
    for column in ("id", "told"):
        rows: list[Any] = []
        run(parse(from_sql(window.format(f"COUNT({column})"), files={"": EVENT_ROWS})), rows.append)
        assert [row["value"] for row in rows if row["row"] == "pane"] == [1, 1, 1, 1]


def test_a_number_that_its_type_does_not_have_is_refused() -> None:
    sql = SUM.replace("SUM", "MAX")
    assert from_sql(sql, files={"": ROWS + b"b,2,-2147483648,2026-01-01 10:00:04\n"})
    with pytest.raises(RecordsProblem, match="`2147483648` is no INT, which the column `pieces` is") as refused:
        from_sql(sql, files={"": ROWS + b"b,2,2147483648,2026-01-01 10:00:04\n"})
    assert refused.value.line == 4


@pytest.mark.parametrize(
    ("cell", "message"), [("3 kg", "`3 kg` is no number, but the column `price`"), ("true", "`true` is no number")]
)
def test_a_member_that_is_no_number_is_refused_by_its_line(cell: str, message: str) -> None:
    sql = ORDERS + "SELECT * FROM orders QUALIFY ROW_NUMBER() OVER (PARTITION BY shop ORDER BY paid) = 1"
    with pytest.raises(RecordsProblem, match=message) as refused:
        from_sql(sql, files={"": ROWS + f"c,{cell},1,2026-01-01 10:00:04\n".encode()})
    assert refused.value.line == 4


@pytest.mark.parametrize(
    ("type", "cell"), [("BOOLEAN", "yes"), ("DATE", "2026-02-30"), ("DECIMAL(3, 1)", "100"), ("FLOAT", "3 kg")]
)
def test_what_is_no_value_of_its_type_is_refused_by_its_line(type: str, cell: str) -> None:
    table = f"CREATE TABLE t (a {type}, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);"
    query = "SELECT MAX(n), MIN(n) FROM t WHERE a IS NOT NULL GROUP BY TUMBLE(ts, INTERVAL '1' MINUTE)"
    rows = b"a,n,ts\n,1,2026-01-01 10:00:00\n"
    assert from_sql(f"{table} {query}", files={"": rows})
    with pytest.raises(RecordsProblem, match=f"`{cell}` is no ") as refused:
        from_sql(f"{table} {query}", files={"": rows + f"{cell},1,2026-01-01 10:00:00\n".encode()})
    assert refused.value.line == 3


def test_the_records_of_two_tables_come_in_order_of_event_time() -> None:
    files = {"orders": ROWS, "rates": b"shop,rate,since\na,0.5,2026-01-01 10:00:00\n"}
    stream = parse(from_sql(PAIRS, files=files)).stream
    assert isinstance(stream, tuple)
    assert [each.input for each in stream if isinstance(each, Record)] == ["right", "left", "left"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (b"shop,price,paid\na,1,2026-01-01 10:00:03\n", "no column `pieces`"),
        (b"shop,price,pieces,paid\na,1,1.5,2026-01-01 10:00:03\n", "`1.5` is no whole number"),
        (b"shop,price,pieces,paid\na,1,1,yesterday\n", "the times in `paid` are of no known form; write 2026-01-31"),
        (b"shop,price,pieces,paid\na,1,1,01/02/2026 10:00:03\n", "nothing tells the day from the month in `paid`"),
        (b"shop,price,pieces,paid\n" + b"a,1,1,2026-01-01 10:00:03\n" * 5001, "more than 5,000 records; keep those"),
        (b"shop,price,pieces,paid\n", "there is no row with a time in `paid`"),
        (b"shop,price,pieces,paid\na\0,1,1,2026-01-01 10:00:03\n", "control character"),
        (b"PAR1", "this is a Parquet file; save it as CSV or JSON Lines first"),
        (gzip.compress(b"shop,price,pieces,paid\n", mtime=0), "this file is compressed; unpack it first"),
        (b"PK\x03\x04", "this is a workbook; save the sheet as CSV first"),
        (
            b",".join(b"c%d" % number for number in range(2000)) + b"\n" + b"1," * 1999 + b"1\n",
            "keep those that the table",
        ),
        (b"", "no rows with named columns in this file; write CSV with a header row"),
    ],
)
def test_what_flink_would_compute_otherwise_is_refused(rows: bytes, message: str) -> None:
    with pytest.raises(RecordsProblem, match=message):
        from_sql(SUM, files={"": rows})


def test_the_clock_of_records_with_arrivals_starts_at_the_first_of_them() -> None:
    """From 1970 on a generator would tick for decades."""
    ticking = "SET 'pipeline.auto-watermark-interval' = '200 ms';" + SUM
    rows = b"shop,pieces,paid,arrived_at\na,2,2026-01-01 10:00:03,2026-01-01 10:00:04\n"
    scenario = parse(from_sql(ticking, files={"": rows}))
    assert scenario.origin == 1767261604000
    run_rows: list[dict[str, object]] = []
    run(scenario, run_rows.append)
    assert [row["value"] for row in run_rows if row["row"] == "pane"] == [2]
    assert parse(from_sql(ticking, files={"": ROWS})).origin == 0, "without arrivals the clock does not move"


CLOCKED = """
    CREATE TABLE clicks (page STRING, at_time AS {}, WATERMARK FOR at_time AS at_time - INTERVAL '1' SECOND);
    SELECT page, MAX(at_time) AS newest FROM clicks GROUP BY page, TUMBLE(at_time, INTERVAL '10' SECOND)
"""
CLICKS = b"page,arrived_at\nhome,2026-01-01 10:00:03\nhome,2026-01-01 10:00:09\nhelp,2026-01-01 10:00:12\n"


@pytest.mark.parametrize("clock", ["CURRENT_TIMESTAMP", "CAST(CURRENT_TIMESTAMP AS TIMESTAMP(3))", "LOCALTIMESTAMP"])
def test_an_event_time_that_is_the_clock_is_when_a_record_arrives(clock: str) -> None:
    rows = [change.row for change in result_of(CLOCKED.format(clock), {"": CLICKS}).rows]
    assert rows == [
        {"page": "home", "newest": "2026-01-01 10:00:09"}, {"page": "help", "newest": "2026-01-01 10:00:12"}
    ]  # fmt: skip
    assert result_of(CLOCKED.format(clock)).rows, "a few records are made up"
    with pytest.raises(RecordsProblem, match="add a column `received_at`"):
        result_of(CLOCKED.format(clock), {"": b"page\nhome\n"})


def test_late_records_of_an_interval_join_are_refused() -> None:
    at = "2026-01-01 10:00:"
    rates = f"shop,rate,since,arrived_at\na,0.5,{at}00,{at}00\n".encode()
    orders = f"shop,pieces,paid,arrived_at\na,1,{at}09,{at}01\na,1,{at}02,{at}03\na,1,{at}03,{at}20\n".encode()
    more = f"a,0.6,{at}50,{at}02\n".encode()
    with pytest.raises(RecordsProblem, match="record 3 is late") as refused:
        from_sql(PAIRS.replace("- INTERVAL '5' SECOND", ""), files={"orders": orders, "rates": rates + more})
    assert (refused.value.table, refused.value.line) == ("orders", 3)


def test_where_one_file_has_no_arrivals_all_records_come_in_order_of_event_time() -> None:
    orders = b"shop,price,pieces,paid,arrived_at\na,1,2,2026-01-01 10:00:03,2026-01-01 10:00:09\n"
    for more, order in ((",arrived_at", ["right", "left"]), ("", ["left", "right"])):
        arrival = b",2026-01-01 10:00:04" if more else b""
        rates = b"shop,rate,since" + more.encode() + b"\na,0.5,2026-01-01 10:00:05" + arrival + b"\n"
        stream = parse(from_sql(PAIRS, files={"orders": orders, "rates": rates})).stream
        assert isinstance(stream, tuple)
        assert [each.input for each in stream if isinstance(each, Record)] == order


def test_a_version_that_the_view_would_drop_is_refused() -> None:
    newest = "ROW_NUMBER() OVER (PARTITION BY shop ORDER BY since DESC) = 1"
    view = f"CREATE VIEW newest AS SELECT * FROM rates QUALIFY {newest};"
    text = ORDERS + RATES + view + (
        "SELECT o.pieces, r.rate FROM orders o JOIN newest FOR SYSTEM_TIME AS OF o.paid AS r ON o.shop = r.shop"
    )  # fmt: skip
    orders = b"shop,pieces,paid,arrived_at\na,2,2026-01-01 10:00:09,2026-01-01 10:00:10\n"
    rates = (
        b"shop,rate,since,arrived_at\na,1.5,2026-01-01 10:00:05,2026-01-01 10:00:06\n"
        b"a,1.4,2026-01-01 10:00:04,2026-01-01 10:00:07\n"
    )
    first = rates.rpartition(b"a,")[0]
    assert from_sql(text, files={"orders": orders, "rates": first})
    of_b = b"b,1.3,2026-01-01 10:00:05,2026-01-01 10:00:07\nb,1.2,2026-01-01 10:00:05,2026-01-01 10:00:08\n"
    assert from_sql(text, files={"orders": orders, "rates": first + of_b}), "of one time the last one counts"
    with pytest.raises(RecordsProblem, match="record 1 is older than a version of key a before it") as refused:
        from_sql(text, files={"orders": orders, "rates": rates})
    assert (refused.value.table, refused.value.line) == ("rates", 3)


@pytest.mark.parametrize(
    ("rows", "sums"),
    [
        (b"a,1,,2026-01-01 10:00:03\na,1,2,2026-01-01 10:00:03\n", {"a": 2}),
        (b"a,1,,2026-01-01 10:00:03\n", {"a": None}),
        (b"a,1,2147483647,2026-01-01 10:00:03\na,1,1,2026-01-01 10:00:04\n", {"a": -2147483648}),
        (b"a,1,1,2026-01-01 10:00:03\n,1,2,2026-01-01 10:00:03\n,1,3,2026-01-01 10:00:03\n", {"a": 1, "NULL": 5}),
    ],
)
def test_a_null_is_skipped_a_sum_wraps_and_null_is_a_key(rows: bytes, sums: dict[str, int | None]) -> None:
    scenario = parse(from_sql(SUM, files={"": b"shop,price,pieces,paid\n" + rows}))
    panes: list[Any] = []
    run(scenario, lambda row: panes.append(row) if row["row"] == "pane" else None)
    assert {pane["key"]: pane["value"]["sum_pieces"] for pane in panes} == sums


def test_the_command_names_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query, rows = tmp_path / "orders per minute.sql", tmp_path / "rows.csv"
    query.write_text(SUM)
    rows.write_bytes(ROWS)
    assert main(["from-sql", str(query), "--records", str(rows)]) == 0
    assert parse(capsys.readouterr().out).name == "orders-per-minute"
    query.write_text(SUM.replace("FROM orders", "FROM orders WHERE parts > 1"))
    assert main(["from-sql", str(query)]) == 2
    out = capsys.readouterr()
    assert (out.out, out.err.startswith(f"{query}:4:44: there is no column `parts`")) == ("", True)
    rows.write_bytes(ROWS + b"a,1,x,2026-01-01 10:00:04\n")
    query.write_text(SUM)
    assert main(["from-sql", str(query), "--records", str(rows)]) == 2
    assert capsys.readouterr().err.startswith(f"{rows}:4:1: `x` is no whole number")
    assert main(["from-sql", str(tmp_path)]) == 2
    assert main(["from-sql", str(tmp_path / "none.sql")]) == 2
    query.write_bytes(b"SELECT \xff")
    assert main(["from-sql", str(query)]) == 2
    assert "not valid UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["1", "22", "2026-01-01", "true", "null", "1e5", "0x1", "订单", "--"])
def test_the_name_of_the_file_never_decides_whether_the_sql_is_read(name: str) -> None:
    assert parse(from_sql(SUM, name)).name


def test_two_files_for_one_table_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = tmp_path / "q.sql"
    query.write_text(
        "CREATE TABLE t (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts);\n"
        "SELECT k, COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE))\n"
        "GROUP BY k, window_start, window_end;\n",
        encoding="utf-8",
    )
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("k,ts\nx,2026-01-01 00:00:01\n", encoding="utf-8")
    assert main(["sql", str(query), "--records", str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]) == 2
    assert "are records of the same table" in capsys.readouterr().err
    assert main(["sql", str(query)]) == 0
    assert "made up" in capsys.readouterr().err
