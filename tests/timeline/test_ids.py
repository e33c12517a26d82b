"""The identity of keys, windows and results; ``tests/js/identity.test.js`` checks the same in the browser."""

from tidemark.simulator.engine.values.items import key_of
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, SideNamespace, TimeWindow
from tidemark.simulator.timeline.ids import key_id, result_id, scope_id, timer_id, window_id, window_id_of


def test_keys_of_different_kinds_are_different_keys() -> None:
    assert [key_id(key) for key in (1, "1", True, "true", "é")] == ["1", '"1"', "true", '"true"', '"é"']


def test_a_key_of_the_engine_and_its_json_form_have_one_identity() -> None:
    assert [key_id(key_of(key)) for key in (1, "1", True, False)] == [key_id(key) for key in (1, "1", True, False)]


def test_a_window_has_the_same_identity_in_an_event_and_in_a_fact() -> None:
    assert window_id(key_of(True), TimeWindow(0, 5)) == window_id_of({"key": True, "start": 0, "end": 5})
    assert window_id("a", GLOBAL_WINDOW) == window_id_of({"key": "a", "start": None, "end": None})
    assert scope_id("a", 0, 5) != scope_id("a", None, None)


def test_the_identity_of_a_timer_includes_its_side() -> None:
    left, right = (timer_id("event", 7, "a", SideNamespace(side)) for side in ("left", "right"))
    assert left != right != timer_id("event", 7, "a", None)


def test_all_panes_of_a_window_share_an_identity() -> None:
    first = {"row": "pane", "key": "a", "start": 0, "end": 5, "pane": 0, "value": 1}
    assert result_id(first) == result_id(first | {"pane": 1, "value": 2})
    assert result_id(first) != result_id(first | {"key": 1})


def test_a_joined_pair_is_identified_by_both_records() -> None:
    pair = {"row": "joined", "key": "a", "left": {"ts": 1, "value": 2}, "right": {"ts": 3, "value": 4}}
    assert result_id(pair) != result_id(pair | {"right": {"ts": 3, "value": "4"}})
