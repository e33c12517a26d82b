"""Keyed state: which key group a key belongs to, and what a snapshot shares with the running state."""

from collections import Counter

from tidemark.simulator.engine.state import KeyedStateBackend, ListState, ReducingState, java_hash_code, key_group
from tidemark.simulator.engine.values.items import key_of
from tidemark.simulator.engine.values.window import TimeWindow

WINDOW = TimeWindow(0, 5000)


def test_hash_codes_are_javas() -> None:
    assert java_hash_code("abc") == 96354
    assert java_hash_code("") == 0
    assert java_hash_code("polygenelubricants") == -(2**31)
    assert java_hash_code(1) == 1
    assert java_hash_code(-1) == 0
    assert java_hash_code(2**32 + 5) == 4
    assert java_hash_code(key_of(True)) == 1231
    assert java_hash_code("😀") == 31 * 0xD83D + 0xDE00


def test_every_key_has_a_group() -> None:
    groups = Counter(key_group(f"k{number}") for number in range(10_000))
    assert min(groups) == 0
    assert max(groups) == 127
    assert max(groups.values()) < 4 * 10_000 // 128


def test_later_updates_do_not_change_a_snapshot() -> None:
    backend = KeyedStateBackend()
    lists, sums = ListState(backend, "list"), ReducingState(backend, "sum", lambda left, right: left + right)
    for value in (1, 2):
        lists.add("a", WINDOW, value)
        lists.add("b", WINDOW, value)
        sums.add("a", WINDOW, value)
    snapshot = backend.snapshot()
    lists.add("a", WINDOW, 3)
    sums.add("a", WINDOW, 3)
    sums.clear("b", WINDOW)

    assert snapshot["list"][("a", WINDOW)] == [1, 2]
    assert snapshot["sum"][("a", WINDOW)] == 3
    assert lists.get("a", WINDOW) == [1, 2, 3]


def test_a_table_reports_what_it_still_shares_with_the_snapshot() -> None:
    backend = KeyedStateBackend()
    lists = ListState(backend, "list")
    lists.add("a", WINDOW, 1)
    lists.add("b", WINDOW, 1)
    backend.snapshot()
    lists.add("a", WINDOW, 2)
    table = backend.table("list")

    assert table.shared == {("b", WINDOW)}
    assert table.versions == {("a", WINDOW): 1}


def test_the_same_name_is_the_same_state() -> None:
    backend = KeyedStateBackend()
    one, other = ListState(backend, "list"), ListState(backend, "list")
    one.add("a", WINDOW, 1)
    assert other.get("a", WINDOW) == [1]


def test_a_snapshot_can_be_restored_twice() -> None:
    backend = KeyedStateBackend()
    lists = ListState(backend, "list")
    lists.add("a", WINDOW, 1)
    snapshot = backend.snapshot()
    for value in (2, 3):
        lists.add("a", WINDOW, value)
        backend.restore(snapshot)
        assert lists.get("a", WINDOW) == [1]
    lists.add("a", WINDOW, 4)
    assert snapshot["list"][("a", WINDOW)] == [1]


def test_state_can_be_inspected_by_name_key_group_and_entry() -> None:
    backend = KeyedStateBackend()
    lists = ListState(backend, "window-contents")
    lists.add("a", WINDOW, 1)
    lists.add("b", WINDOW, 2)
    backend.snapshot()
    lists.add("a", WINDOW, 3)

    seen = backend.inspect()["window-contents"]
    assert list(seen) == sorted(seen)
    assert seen[key_group("a")][("a", WINDOW)] == ([1, 3], 1, False)
    assert seen[key_group("b")][("b", WINDOW)] == ([2], 0, True)
