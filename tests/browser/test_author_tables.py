"""Tables on the Author page: the wizard asks what it cannot guess and takes the records; rows can be pasted."""

from collections.abc import Callable
from typing import Any

from tests.browser.opening import AUTHOR, frames

WHICH_DAY = b"date;customer;paid;note\n01/02/2024 13:05;a;1,5;x\n03/04/2024 09:00;b;2,5;y\nlater;c;1;z\n"


PASTE = """(rows) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", rows);
  document.querySelector('[data-item="0"] [data-column="key"]').focus();
  document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
}"""


def text(page: Any) -> str:
    frames(page)
    page.wait_for_selector('.tidemark-author[data-busy="false"]')
    return str(page.locator(".tm-au-area").input_value())


def test_a_scenario_begins_with_a_table_that_is_typed(open_page: Callable[..., Any]) -> None:
    page = open_page("/author?new=1", ready=AUTHOR)
    page.click(".tm-au-from-table")
    page.keyboard.type("arrival,time,key,value\n1.2,1,a,2\n3.2,3,a,1\n")
    page.click(".tm-au-door .tm-strong-button")
    page.click(".tm-au-take")
    page.wait_for_selector(".tm-au-wizard", state="hidden")
    assert 'stream:\n  - {ts: 1s, key: "a", value: 2, at: 1s200ms}\n' in text(page)
    assert page.input_value(".tm-au-title") == "My records"


def test_a_file_is_looked_at_a_question_is_answered_and_its_records_are_taken(open_page: Callable[..., Any]) -> None:
    page = open_page("/author?scenario=late-but-allowed", ready=AUTHOR)
    page.click('[data-act="take"]')
    page.set_input_files(".tm-au-wizard input", {"name": "t.csv", "mimeType": "text/csv", "buffer": WHICH_DAY})
    page.wait_for_selector(".tm-au-wizard-problem")
    assert page.inner_text(".tm-au-wizard-problem") == "Is the day or the month first? Choose the format of the time."
    assert page.locator(".tm-au-take").count() == 0
    page.select_option('[data-field="time0"]', "dmy")
    page.click(".tm-au-refused summary")
    assert page.inner_text(".tm-au-refused li") == "Line 4 says later in date, which is not a time of this format."
    page.click(".tm-au-take")
    page.wait_for_selector(".tm-au-wizard", state="hidden")
    assert '{ts: 2024-02-01T13:05:00Z, key: "a", value: 1.5}' in text(page)
    assert page.inner_text(".tm-au-told") == (
        "2 records added. 1 line left out. "
        "The beats and goals that were about the old records are gone; undo brings them back."
    )
    page.evaluate(PASTE, "c\t2024-02-01T13:06:00Z\t4\nd\t13:07\t5\n")
    page.wait_for_function("document.querySelector('.tm-au-area').value.includes('13:07:00Z, key: d, value: 5')")
