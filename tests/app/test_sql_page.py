"""The desk of the page SQL: rows, stages with the clauses that they come from, and refusals at their place."""

import base64
from typing import Any

from tidemark.simulator.scenario import parse
from tidemark.ui.share import links
from tidemark.ui.sql.desk import EXAMPLE, SHOWN, reply

TABLE = "CREATE TABLE o (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);"


def ask(sql: str, asks: str = "run", **more: Any) -> dict[str, Any]:
    return reply({"number": 7, "ask": asks, "sql": sql, **more})


def rows_of(name: str, text: str) -> dict[str, str]:
    return {"file": name, "content": base64.b64encode(text.encode()).decode()}


def test_the_example_is_a_chain_and_each_stage_has_its_part_of_the_text() -> None:
    said = ask(EXAMPLE)
    ran = said["ran"]
    assert said["number"] == 7
    assert [each["name"] for each in ran["columns"]] == ["window_start", "shop", "orders", "total", "highest"]
    assert ran["rows"][0] == ["+I", "2026-01-01 12:00:00", "north", "2", "22.40", "12.50"]
    named = ("name", "kind", "sources", "taken", "emitted")
    assert [tuple(each[name] for name in named) for each in ran["stages"]] == [
        ("totals", "Window", ["orders"], 7, 4), ("window-top-n", "Window Top-N", ["totals"], 4, 3),
    ]  # fmt: skip
    runs = "WindowAggOperator (SlicingWindowOperator until 1.18)"
    assert [each["plan"] for each in ran["stages"]] == [
        f"Flink plans it as WindowAggregate (or a local and a global one): {runs} · "
        "SliceUnsharedSyncStateWindowAggProcessor.",
        f"Flink plans it as WindowRank: {runs} · SyncStateWindowRankProcessor.",
    ]
    window, top = ("".join(EXAMPLE[start:end] for start, end in each["parts"]) for each in ran["stages"])
    assert window.startswith("SELECT window_start, window_end, shop,")
    assert window.endswith("GROUP BY window_start, window_end, shop")
    assert "ROW_NUMBER()" in top
    assert top.endswith("WHERE place <= 1")


def test_a_stage_is_opened_among_the_operators_of_the_query() -> None:
    for stage, shown in ((1, "totals"), (2, "window-top-n")):
        name, token = ask(EXAMPLE, "open", query=1, stage=stage)["address"]
        assert name == "s"
        chain = parse(links.text_of(token).text).chain
        assert chain is not None
        assert (chain.shown, [each.name for each in chain.parts]) == (shown, ["totals", "window-top-n"])


def test_a_stage_of_a_query_that_no_single_scenario_says_is_opened_by_itself() -> None:
    joined = "SELECT l.k, l.rt FROM o AS l JOIN r ON l.k = r.k AND r.rt BETWEEN l.rt - INTERVAL '5' SECOND AND l.rt"
    counts = f"WITH j AS ({joined}) SELECT k, COUNT(*) FROM j GROUP BY k, TUMBLE(rt, INTERVAL '10' SECOND)"
    sql = TABLE + TABLE.replace(" o ", " r ") + counts
    kinds = []
    for stage in (1, 2):
        _, token = ask(sql, "open", query=1, stage=stage)["address"]
        scenario = parse(links.text_of(token).text)
        assert scenario.chain is None
        kinds.append(scenario.operator.type)
    assert kinds == ["interval-join", "window"]


def test_the_places_of_a_text_are_those_of_the_browser_which_counts_in_halves() -> None:
    sql = f"{TABLE}\n/* 🌊 */ SELECT k, COUNT(*) FROM o GROUP BY k, TUMBLE(rt, INTERVAL '10' SECOND)"
    ((start, end),) = ask(sql)["ran"]["stages"][0]["parts"]
    units = sql.encode("utf-16-le")
    assert units[2 * start : 2 * end].decode("utf-16-le").startswith("SELECT k")
    assert 2 * end == len(units)


def test_a_refusal_has_its_place_and_another_query_can_still_be_chosen() -> None:
    sql = f"{TABLE}\nSELECT x FROM o;\nSELECT k, v FROM o;"
    refused = ask(sql, records=[rows_of("o.csv", "k,v,rt\n")])
    assert (refused["queries"], refused["query"], refused["place"]) == ([2, 3], 1, [2, 8])
    assert refused["problem"].startswith("2:8: ")
    more = "".join(f"k{n},{n},2026-01-01 00:00:01\n" for n in range(SHOWN + 1))
    ran = ask(sql, query=2, records=[rows_of("o.csv", f"k,v,rt\n{more}")])["ran"]
    assert (len(ran["rows"]), ran["count"], ran["stages"], ran["made_up"]) == (SHOWN, SHOWN + 1, [], False)


def test_what_makes_no_sense_is_refused_or_not_answered() -> None:
    assert reply({"number": 1, "ask": "delete"}) == {"number": 1}
    assert "problem" in reply({"ask": "run", "sql": None})
    assert "problem" in ask(EXAMPLE, records=[{"file": "o.csv", "content": "no base64!"}])
    assert "problem" in ask(EXAMPLE, "open", query=1, stage=9)


def test_rows_in_more_windows_than_a_record_may_have_are_refused_at_once() -> None:
    windows = "HOP(TABLE o, DESCRIPTOR(rt), INTERVAL '0.001' SECOND, INTERVAL '20' DAY)"
    assert "10000" in ask(f"{TABLE} SELECT k FROM TABLE({windows})")["problem"].replace(",", "")


def test_rows_that_no_scenario_shows_are_explained_and_late_ones_counted() -> None:
    rows = "k,v,rt\na,1,2026-01-01 00:00:09\na,2,2026-01-01 00:00:15\na,3,2026-01-01 00:00:01\n"

    def ran(query: str) -> dict[str, Any]:
        found: dict[str, Any] = ask(TABLE + query, records=[rows_of("o.csv", rows)])["ran"]
        return found

    updating = ran("SELECT k, SUM(v) FROM o GROUP BY k;")
    assert [each[0] for each in updating["rows"]] == ["+I", "-U", "+U", "-U", "+U"]
    assert (updating["stages"], updating["late"]) == ([], 0)
    (said,) = updating["unshown"]
    assert "waits for no watermark" in said
    (said,) = ran("SELECT k, v, rt FROM o ORDER BY rt;")["unshown"]
    assert "sorts" in said
    windows = ran("SELECT k, SUM(v) FROM o GROUP BY k, TUMBLE(rt, INTERVAL '10' SECOND);")
    assert (windows["unshown"], windows["late"]) == ([], 1)
