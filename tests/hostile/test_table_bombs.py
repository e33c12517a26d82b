"""Malicious tables: what they would cost is refused before it is done."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from tidemark.simulator.limits import TABLE_PIECE_BYTES, TABLE_PIECE_ROWS
from tidemark.simulator.scenario.tables import look, reading, rows
from tidemark.ui.author.desk import reply
from tidemark.ui.author.importing import looked, sifted

from tests.fuzz.running import Target, tried
from tests.fuzz.targets import short_scenarios

MEMBERS = "\n".join(f'{{"k{number}": 1}}' for number in range(70_000))
LONG_MEMBER = '{"' + "x" * 500_000 + '": {' + ",".join(f'"a{number}": 1' for number in range(40_000)) + "}}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("," * 1_000_000, "many_columns"), ("1 " * 500_000, "only_header"), (("a " * 5_000 + ",") * 99, "only_header"),
        ("\1\n" * 500_000, "nothing_readable"), ("a," * 100_000 + "\nx", "many_columns"), (",\n" * 400_000, "no_time"),
        ('"\n' * 100_000, "no_time"), ('{"a":[\n' * 900 + "1," * 400_000, "nothing_readable"),
        ('{"a":[\n' * 100_000, "nothing_readable"), (MEMBERS, "many_columns"), (LONG_MEMBER, "no_time"),
    ],
    ids=("names", "long-name", "long-names", "controls", "equal-names", "lines", "quotes", "open", "deep", "members",
         "long-member"),
)  # fmt: skip
def test_a_bomb_is_refused_before_it_works(text: str, problem: str) -> None:
    outcomes: list[str] = []
    door = Target("table", list, lambda data: outcomes.append(look(data).problem))
    assert tried(door, text.encode()) is True
    assert outcomes == [problem]


def test_rows_that_are_pasted_cost_no_more_than_their_cells() -> None:
    text = "ts" + "\t" * 100_000 + "\n" + "x\n" * 50_000
    edit = {"kind": "paste", "text": text, "after": 1, "column": "ts"}
    door = Target("paste", list, lambda edit: reply({"number": 1, "text": short_scenarios()[5], "edit": edit}))
    assert tried(door, edit) is True


COLUMNS = [{"name": "ts", "role": "ts", "time": "milliseconds"}, {"name": "key", "role": "key", "time": ""}]
SHORT_LINES = ("\n", "x\n", ",\n", "1,a\n", '"\n', "\x01\n", "{}\n", "{}", "{\n", "1 ", "[1,", '{"a"\n')


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("line", SHORT_LINES, ids=repr)
def test_of_a_piece_of_very_short_lines_no_more_rows_are_read_than_one_may_have(
    line: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row that is handed on is counted, and each sentence about one that cannot be read."""
    done = {"rows": 0, "sentences": 0}
    rows_by_choice, words = reading.rows_by_choice, rows.words

    def counted(*given: Any) -> Iterator[Any]:
        for row in rows_by_choice(*given):
            done["rows"] += 1
            yield row

    def worded(*given: Any, **fields: Any) -> str:
        done["sentences"] += 1
        return words(*given, **fields)

    monkeypatch.setattr(reading, "rows_by_choice", counted)
    monkeypatch.setattr(rows, "words", worded)
    content = b64encode(line.encode() * (TABLE_PIECE_BYTES // len(line))).decode()
    draft = short_scenarios()[0]
    choice = {"form": form, "columns": COLUMNS, "header": False}
    asks = ((sifted, {"choice": choice, "line": 2}), (looked, {"given": choice, "whole": True}), (looked, {}))
    for ask, given in asks:
        done.update(rows=0, sentences=0)
        told: list[Any] = []
        message = {"content": content, **given}
        door = Target("table", list, lambda of, ask=ask, told=told: told.append(ask(of, draft)))
        assert tried(door, message) is True
        assert done["rows"] <= TABLE_PIECE_ROWS + 1
        assert done["sentences"] <= reading.MOST_LISTED
        if done["rows"] > TABLE_PIECE_ROWS:
            said = told[0].get("reading") or told[0]["look"]["reading"]
            assert "Only the first 10,000 rows were looked at; what follows from line " in said["notes"][-1]
