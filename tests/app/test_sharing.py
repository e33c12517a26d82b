"""Links that carry a scenario: any text comes back unchanged, and hostile links are refused at little cost."""

import base64
import contextlib
import csv
import gzip
import io
import json
import random
import re
import string
import tracemalloc
import zlib
from base64 import b64decode
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from streamlit.testing.v1 import AppTest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.__main__ import main
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import LINK_CHARACTERS, SCENARIO_BYTES
from tidemark.ui.learning.classroom.teacher import question_at
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import for_students, pack
from tidemark.ui.share import answers, links
from tidemark.ui.share import links as own
from tidemark.ui.share.answers import Row
from tidemark.ui.share.links import LinkError, Text, editable, student_text, text_of, token_of
from tidemark.ui.share.notebook import NotShownError, show
from tidemark.ui.share.parquet import AS_JSON

from tests.each import for_each

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = sorted((ROOT / "scenarios").glob("*.yaml"))

OWN = """scenario: 1
name: my-own
title: My own
inputs: {events: {watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 2s}, function: {call: reduce, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 4}
  - {ts: 3s, key: a, value: 5}
"""
LETTERS = string.ascii_letters + string.digits + "-_"


def packed(data: bytes) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return "y" + base64.urlsafe_b64encode(packer.compress(data) + packer.flush()).rstrip(b"=").decode()


@given(text=st.text(), json=st.booleans())
def test_any_text_comes_back_unchanged(text: str, json: bool) -> None:
    token = links.token_of(text, json=json)
    assert set(token) <= set(LETTERS)
    if len(token) > 1 and links.fits(token):
        assert links.text_of(token) == (text, json, False)


@for_each(LIBRARY, lambda path: path.stem)
def test_every_library_scenario_fits_into_a_link(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    token = links.token_of(text, json=False)
    assert links.fits(token)
    assert links.text_of(token).text == text


@given(st.text(alphabet=LETTERS + "%+/=. \u00e9", max_size=300))
def test_garbage_is_refused_with_a_message_or_is_a_text(token: str) -> None:
    with contextlib.suppress(LinkError):
        assert len(links.text_of(token).text.encode("utf-8", "surrogatepass")) <= SCENARIO_BYTES


def test_a_link_that_was_cut_off_is_refused() -> None:
    token = links.token_of(OWN, json=False)
    for length in range(1, len(token)):
        with pytest.raises(LinkError):
            links.text_of(token[:length])


def test_a_link_that_has_more_than_a_text_is_refused() -> None:
    token = links.token_of(OWN, json=False)
    whole = base64.urlsafe_b64decode(token[1:] + "=" * (-(len(token) - 1) % 4))
    with pytest.raises(LinkError):
        links.text_of("y" + base64.urlsafe_b64encode(whole + b"more").rstrip(b"=").decode())


def test_the_same_text_for_students_or_as_json_is_another_one() -> None:
    """What is kept of one, with its answers, is never shown for the other."""
    stamps = {own.stamp_of(Text("[]", json, student)) for json in (True, False) for student in (True, False)}
    assert len(stamps) == 4


def test_a_bomb_is_refused_before_it_takes_memory() -> None:
    bomb = packed(b"a" * 5_000_000)
    assert len(bomb) <= LINK_CHARACTERS
    tracemalloc.start()
    with pytest.raises(LinkError, match="512 KiB"):
        links.text_of(bomb)
    assert tracemalloc.get_traced_memory()[1] < 3 * SCENARIO_BYTES
    tracemalloc.stop()


def test_an_overlong_link_is_refused_before_it_is_decoded() -> None:
    with pytest.raises(LinkError, match="10,000 characters; the limit is 8,000"):
        links.text_of("y" + "A" * 9_999)


# --- the page ------------------------------------------------------------------------------------------------------


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app


def player_of(app: AppTest) -> Any:
    found = [each.proto for each in app.get("bidi_component") if each.proto.component_name == "tidemark_player"]
    return found[0] if found else None


def texts(app: AppTest) -> str:
    return "\n".join(str(each.value) for each in [*app.text, *app.caption])


def test_a_link_opens_the_scenario_that_it_carries() -> None:
    assert player_of(opened(s=links.token_of(OWN, json=False), step="2")) is not None


@pytest.mark.parametrize(("text", "messages"), [
    (OWN.replace("reduce,", "redcue,"), ["redcue", "the scenario in the link:5:", "reduce"]),
    ("[" * 100_000, ["deep"]),
    ("a: &a [x]\nb: *a\n", ["the scenario in the link:1:"]),
    ("", ["the file is empty"]),
    (OWN.split("stream:")[0] + "stream: []\n", ["nothing happens"]),
    (OWN + "walkthrough:\n  - {at: {event: WindowsMerged}, say: Never.}\n", ["WindowsMerged"]),
])  # fmt: skip
def test_a_scenario_that_cannot_be_opened_says_why(text: str, messages: list[str]) -> None:
    app = opened(s=links.token_of(text, json=False))
    assert player_of(app) is None
    for each in messages:
        assert each in texts(app)


@pytest.mark.parametrize("query", [
    {"s": ""}, {"s": "y"}, {"s": "../../etc/passwd"}, {"s": "yAAAA"}, {"s": packed(b"\xff\xfe")},
    {"s": "y" + "A" * 20_000}, {"own": "../../etc/passwd"}, {"own": ""},
    {"scenario": "minus-one-ms", "step": "9" * 5_000},
])  # fmt: skip
def test_a_hostile_address_yields_one_message(query: dict[str, str]) -> None:
    app = opened(**query)
    assert player_of(app) is None
    assert 10 < len(texts(app)) < 2_000


def lettered(count: int) -> str:
    """Text that hardly compresses."""
    chance = random.Random(7)
    return "".join(chance.choice(LETTERS) for _ in range(count))


def test_a_file_too_long_for_a_link_is_kept_on_the_server_temporarily() -> None:
    from tidemark.ui.share import links as own

    text = OWN.replace("title: My own", f"title: My own\nsummary: {lettered(20_000)}")
    name, digest = own.of_file("my-own.yaml", text).address
    assert name == "own"
    assert player_of(opened(own=digest)) is not None
    assert "open the file again" in texts(opened(own="0" * 24)).lower()


def test_the_shelf_drops_the_oldest() -> None:
    from tidemark.ui.share.links import SHELF_BYTES, Shelf

    shelf = Shelf()
    for number in range(5):
        shelf.put(str(number), links.Text("a" * (SHELF_BYTES // 4), False))
    found: Callable[[str], Any] = shelf.find
    assert [found(str(number)) is not None for number in range(5)] == [False, True, True, True, True]


# Rows and trace as files: each format contains what the command line prints, number for number.

NAMES = ["late-but-allowed", "car-trace", "session-bridge"]


def printed(command: str, name: str) -> list[Row]:
    """What the command line prints; ``test_command_line.py`` starts it as a process."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([command, str(ROOT / "scenarios" / f"{name}.yaml")]) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def without_nulls(rows: list[Row]) -> list[Row]:
    return [{name: value for name, value in row.items() if value is not None} for row in rows]


def from_parquet(data: bytes) -> list[Row]:
    table = parquet.read_table(io.BytesIO(data))
    coded = {field.name for field in table.schema if field.metadata == AS_JSON}

    def value(name: str, cell: Any) -> Any:
        return json.loads(cell) if name in coded and cell is not None else cell

    return without_nulls([{name: value(name, cell) for name, cell in row.items()} for row in table.to_pylist()])


def from_csv(data: bytes) -> list[Row]:
    def value(cell: str) -> Any:
        if cell.startswith("'"):
            return cell[1:]
        try:
            return json.loads(cell)
        except ValueError:
            return cell

    read = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    return [{name: value(cell) for name, cell in row.items() if cell != ""} for row in read]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("command", "made"), [("run", answers.rows_of), ("trace", answers.trace_of)])
def test_every_form_holds_what_the_command_prints(name: str, command: str, made: Any) -> None:
    rows = made(scenarios.load(ROOT / "scenarios" / f"{name}.yaml"))
    wanted = printed(command, name)
    lines = answers.written(rows, "jsonl").decode().splitlines()
    assert [json.loads(line) for line in lines] == wanted
    assert from_parquet(answers.written(rows, "parquet")) == without_nulls(wanted)
    assert from_csv(answers.written(rows, "csv")) == [
        {name: value for name, value in row.items() if value not in (None, "")} for row in wanted
    ]


NUMBERS = st.integers(-(2**63), 2**63 - 1)
VALUES = st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | st.lists(st.integers(-9, 9))


@given(st.lists(st.fixed_dictionaries({"row": st.just("pane"), "value": VALUES, "key": VALUES}), min_size=1))
def test_parquet_keeps_every_kind_of_value(rows: list[Row]) -> None:
    assert from_parquet(answers.written(rows, "parquet")) == without_nulls(rows)


@pytest.mark.parametrize("text", ["=1+2", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1"])
def test_no_cell_is_a_formula_to_a_spreadsheet(text: str) -> None:
    row = {"row": "pane", "key": text, "value": -9223372036854775807}
    data = answers.written([row], "csv")
    cells = next(csv.reader(io.StringIO(data.decode("utf-8-sig").split("\r\n", 1)[1], newline="")))
    assert cells == ["pane", f"'{text}", "-9223372036854775807"]
    assert from_csv(data) == [row]


# ``show("scenario.yaml")``: the output of a notebook's cell, and what is said where there is none.

SCENARIO = Path(__file__).parents[2] / "scenarios" / "late-but-allowed.yaml"


def sent(output: str) -> str:
    """The facts in the frame of a cell, as JSON text."""
    page = unescape(output.split('srcdoc="')[1].split('"')[0])
    found = re.search(r'id="facts">([^<]+)<', page)
    assert found is not None
    return gzip.decompress(b64decode(found[1])).decode()


def test_a_cell_has_one_frame_that_may_run_but_reads_nothing() -> None:
    output = show(SCENARIO, step=80)._repr_html_()
    assert output.count("<iframe") == output.count("</iframe>") == 1
    assert 'sandbox="allow-scripts allow-downloads allow-popups"' in output
    assert 'height="520"' in output
    assert output.endswith(">Trust this notebook to see the walkthrough here, or run the cell.</iframe>")
    assert "http://" not in output.replace("http://www.w3.org/", "")
    assert json.loads(sent(output))["name"] == "late-but-allowed"
    assert len(repr(show(SCENARIO))) < 100, "a notebook keeps it beside the frame"


def test_a_student_edition_in_a_cell_has_no_answers() -> None:
    reason = "Being out of order is no reason"
    assert reason in sent(show(SCENARIO)._repr_html_())
    assert reason not in sent(show(SCENARIO, student=True)._repr_html_())


def test_a_title_cannot_leave_the_frame(tmp_path: Path) -> None:
    path = tmp_path / "late-but-allowed.yaml"
    text = SCENARIO.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^title:.*$", "title: '\"></iframe></script><b>'", text), encoding="utf-8")
    output = show(path)._repr_html_()
    assert output.count("</iframe>") == 1
    assert "<b>" not in output


def test_what_cannot_be_shown_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotShownError, match="no step 999: this run has the steps 0 to 160"):
        show(SCENARIO, step=999)
    with pytest.raises(NotShownError, match="no language fr; there are en, zh"):
        show(SCENARIO, language="fr")
    with pytest.raises(ScenarioError, match=r"nowhere\.yaml"):
        show(tmp_path / "nowhere.yaml")


# A student edition holds no notes and no answers: neither its link, nor its page, nor a copy of it.

ASKED = """scenario: 1
name: asked
inputs: {events: {watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 2s}, function: {call: reduce, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 4}    # a remark of the author
  - {ts: 3s, key: a, value: 5}
  - {end: true}
walkthrough:
  - {at: {item: 0}, say: The first one., note: Wait for the class.}
  - at: {event: PaneFired}
    ask: {en: What comes out?, zh: 结果是什么？}
    choices: [{text: five, reply: Five is still on its way.}, four, nine]
    answer: 1
    because: Only the first record is in it.
    note: Most say nine.
  - {at: {item: 2}, predict: windows-that-fire, note: Nobody gets this.}
"""
SECRETS = (
    "Wait for the class",
    "Most say nine",
    "still on its way",
    "Only the first record",
    "Nobody gets this",
    "a remark of",
)


def test_the_text_of_a_student_edition_has_the_questions_alone() -> None:
    text = student_text(scenarios.parse(ASKED))
    assert not [each for each in SECRETS if each in text.text]
    question = scenarios.parse(text.text).walkthrough[1]
    assert question.ask == {"en": "What comes out?", "zh": "结果是什么？"}
    assert (question.answer, [choice.reply for choice in question.choices]) == (0, [None, None, None])


def test_its_link_says_that_it_is_one() -> None:
    text = student_text(scenarios.parse(ASKED))
    token = token_of(text.text, json=text.json, student=text.student)
    assert token.startswith("q")
    assert text_of(token) == text


def test_a_copy_of_it_states_what_was_asked() -> None:
    copy = scenarios.parse(editable(student_text(scenarios.parse(ASKED))).text)
    assert [beat.ask for beat in copy.walkthrough] == [None, None, None]
    assert copy.walkthrough[1].say == {
        "en": "What comes out? (1) five (2) four (3) nine",
        "zh": "结果是什么？ (1) five (2) four (3) nine",
    }


def test_the_page_of_it_has_no_answers_and_asks_no_class() -> None:
    contents = for_students(payload(scenarios.parse(ASKED), predict=True))
    facts = pack({**contents, "badges": [], "visit": None})
    sent = gzip.decompress(facts).decode()
    assert not [each for each in SECRETS if each in sent]
    asked = [each for each in [*contents["beats"], *contents["predictions"]] if each["choices"]]
    assert len(asked) >= 2
    for each in asked:
        assert (each["answer"], each["because"], each["note"]) == (None, "", "")
        assert not any(each["replies"])
    assert question_at(facts, asked[0]["step"]) is None


@for_each(LIBRARY, lambda path: path.stem)
def test_no_note_and_no_reason_of_the_library_is_left(path: Path) -> None:
    scenario = scenarios.load(path)
    left = scenarios.parse(student_text(scenario).text)
    assert left.stream == scenario.stream
    assert len(left.walkthrough) == len(scenario.walkthrough)
    assert all(beat.note is None and beat.because is None and not beat.answer for beat in left.walkthrough)
