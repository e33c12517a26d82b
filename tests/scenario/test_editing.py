"""Edits of a scenario's text: the requested change is made, every other byte stays, and the file remains readable."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing import (
    EditError,
    Plain,
    ScenarioText,
    insert,
    move,
    remove,
    rename_key,
    set_value,
)

from tests.examples import examples

LIBRARY = sorted(Path("scenarios").glob("*.yaml"))

TEXT = """\
# a file with comments
name: small   # its name
summary: >
  Folded,
  two lines.
operator: {type: window, assigner: {type: tumbling, size: 5s}}
stream:
  # the first one
  - {ts: 1s, key: a, value: 4}  # early
  - {ts: 3s, key: "b", value: 5}
  - ts: 4s
    key: c
"""


def edit(function: Callable[..., ScenarioText], text: str, *arguments: Any, **more: Any) -> str:
    """The text after an edit of ``text``."""
    return function(ScenarioText(text), *arguments, **more).text


def test_only_the_cell_is_replaced():
    edited = edit(set_value, TEXT, ("stream", 0, "ts"), Plain("1s500ms"))
    assert edited == TEXT.replace("{ts: 1s,", "{ts: 1s500ms,")


def test_a_text_that_looks_like_a_number_stays_a_text():
    assert '{ts: 3s, key: "1", value: 5}' in edit(set_value, TEXT, ("stream", 1, "key"), "1")


def test_a_new_key_goes_after_the_others():
    assert "value: 4, at: 2s}  # early" in edit(set_value, TEXT, ("stream", 0, "at"), Plain("2s"))
    assert "    key: c\n    value: 1\n" in edit(set_value, TEXT, ("stream", 2, "value"), 1)
    assert "size: 5s}, allowed_lateness: 3s}\n" in edit(set_value, TEXT, ("operator", "allowed_lateness"), Plain("3s"))


def test_a_folded_text_is_replaced_entirely():
    assert edit(set_value, TEXT, ("summary",), "New.") == TEXT.replace(">\n  Folded,\n  two lines.\n", '"New."\n')


def test_a_record_is_added_removed_and_moved_with_its_comment():
    with_one = edit(insert, TEXT, ("stream",), 1, {"ts": Plain("2s"), "key": "z"})
    assert '# early\n  - {ts: 2s, key: "z"}\n  - {ts: 3s' in with_one
    assert edit(remove, with_one, ("stream", 1)) == TEXT
    moved = edit(move, TEXT, ("stream",), 0, 2)
    assert moved.endswith("    key: c\n  - {ts: 1s, key: a, value: 4}  # early\n")
    assert edit(move, moved, ("stream",), 2, 0).splitlines()[8] == TEXT.splitlines()[8]


def test_a_record_is_added_to_a_text_without_a_final_line_break():
    assert edit(insert, "stream:\n  - {ts: 1}", ("stream",), 1, {"ts": 2}) == "stream:\n  - {ts: 1}\n  - {ts: 2}\n"


def test_removing_the_last_record_leaves_an_empty_list():
    assert edit(remove, "stream:\n  - {ts: 1}\nname: x\n", ("stream", 0)) == "stream:\n  []\nname: x\n"


def test_a_key_gets_another_name_and_its_place_stays():
    text = "inputs:\n  'a b': {channels: 2}  # both\n  c: {}\n"
    renamed = edit(rename_key, text, ("inputs", "a b"), "clicks")
    assert renamed == text.replace("'a b'", "clicks")
    assert edit(rename_key, renamed, ("inputs", "clicks"), "點 擊") == text.replace("'a b'", '"點 擊"')
    with pytest.raises(EditError):
        edit(rename_key, text, ("inputs", "c"), "a b")


@pytest.mark.parametrize("path", [("nothing", "there"), ("stream", 9, "ts"), ("name", 0)])
def test_a_place_that_does_not_exist_is_refused(path):
    with pytest.raises(EditError):
        edit(set_value, TEXT, path, 1)


def test_a_value_that_yaml_cannot_write_simply_is_refused():
    for text in ("a: b", "x}", "- x", "{", "a\nb", ""):
        with pytest.raises(EditError):
            edit(set_value, TEXT, ("name",), Plain(text))


@settings(max_examples=examples(40), deadline=None)
@given(st.data())
def test_random_edits_of_the_library_stay_readable_and_can_be_undone(data):
    text = data.draw(st.sampled_from(LIBRARY)).read_text(encoding="utf-8")
    stream = parse(text).stream
    if not isinstance(stream, tuple) or len(stream) < 2:
        return
    place = st.integers(0, len(stream) - 1)
    here, there = data.draw(place), data.draw(place)
    assert edit(move, edit(move, text, ("stream",), here, there), ("stream",), there, here).split() == text.split()
    record = {"ts": data.draw(st.integers(0, 10**6)), "key": data.draw(st.text(max_size=5))}
    try:
        more = edit(insert, text, ("stream",), here, record)
    except EditError:
        assert any(not each.isprintable() for each in record["key"])
        return
    assert edit(remove, more, ("stream", here)) == text
    assert more.count("\n") == text.count("\n") + 1
