"""The page SQL: from a pasted text to its rows, to the clause of each operator, and to its steps."""

import pytest

from tests.browser.opening import reload
from tests.browser.player import OpenPage

TEXT = """\
CREATE TABLE o (k STRING, v INT, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);
INSERT INTO o VALUES ('a', 1, TIMESTAMP '2026-01-01 00:00:01'), ('<b>', 2, TIMESTAMP '2026-01-01 00:00:02');
SELECT k, v FROM o;
SELECT k, COUNT(*) AS n, SUM(v) AS total
FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(rt), INTERVAL '10' SECOND))
WHERE v > 1 GROUP BY k, window_start, window_end;
"""
PLAYER = '.tidemark-player[data-ready="true"]'
STAGE = "button.tm-chain-operator"


@pytest.mark.journey
def test_a_pasted_query_shows_its_rows_and_leads_to_the_steps_of_each_operator(open_page: OpenPage) -> None:
    page = open_page("/sql", ready=".tidemark-sql textarea")
    field = page.locator(".tm-sql-text")
    field.fill(TEXT)
    page.get_by_role("button", name="Run").click()
    page.get_by_text("Rows: 2").wait_for()
    assert page.locator(STAGE).count() == 0
    page.locator(".tidemark-sql select").select_option(label="Query 2, line 4")
    page.wait_for_selector(STAGE)
    assert page.locator(".tidemark-sql tr").all_inner_texts() == ["op\tk\tn\ttotal", "+I\t<b>\t1\t2"]
    assert "2 rows in → 1 out" in page.locator(STAGE).inner_text()
    page.locator(STAGE).focus()
    assert page.locator(".tm-sql-field mark").all_text_contents() == [TEXT[TEXT.index("SELECT k, COUNT") : -2]]
    page.locator(STAGE).click()
    page.wait_for_selector(PLAYER)
    page.go_back()
    page.wait_for_selector(STAGE)
    field.fill(TEXT.replace("WHERE v", "WHERE x"))
    assert page.locator(".tm-sql-old").first.is_visible()
    field.press("Control+Enter")
    page.wait_for_selector(".tm-sql-problem:not(:empty)")
    assert page.locator(".tm-sql-problem").inner_text().startswith("6:7: ")
    assert field.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == "x"
    reload(page, ".tidemark-sql textarea")
    assert "WHERE x > 1" in field.input_value()
