"""What a function has made is kept: by its arguments, so many of them, and made once however many ask at a time."""

import threading
import time

import pytest
from tidemark.ui.server.cache import keeping
from tidemark.ui.share import links

THREE_RECORDS = """scenario: 1
name: three
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{ts: 1s, key: a, value: 1}, {ts: 2s, key: a, value: 2}, {ts: 9s, key: b, value: 3}]
"""


def test_a_result_is_kept_by_the_arguments_that_count() -> None:
    made = []

    @keeping()
    def text(_whole: list[int], name: str, language: str = "en") -> str:
        made.append(name)
        return f"{name} {language} {len(_whole)}"

    assert text([1], "a") == text([1, 2], name="a") == text([], "a", language="en") == "a en 1"
    assert text([], "a", "zh") == "a zh 0"
    assert made == ["a", "a"]
    text.clear()
    assert text([], "a") == "a en 0"


def test_of_more_than_it_may_keep_it_forgets_the_one_asked_for_longest_ago() -> None:
    made = []

    @keeping(2)
    def doubled(number: int) -> int:
        made.append(number)
        return 2 * number

    for number in (1, 2, 1, 3, 1, 2):
        assert doubled(number) == 2 * number
    assert made == [1, 2, 3, 2]


def test_of_more_weight_than_it_may_keep_it_forgets_the_same_way_but_never_the_latest() -> None:
    made = []

    @keeping(10, weigh=len, most_weight=5)
    def text(name: str) -> str:
        made.append(name)
        return name

    for name in ("aa", "bb", "aa", "cc", "aa", "bb", "a heavy one", "a heavy one"):
        assert text(name) == name
    assert made == ["aa", "bb", "cc", "bb", "a heavy one"]


def test_scenarios_of_files_and_links_are_kept_by_their_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of half a megabyte has 12,000 records, which take 6 MB; forty of them stayed in the server for ever."""
    links._entry.clear()
    monkeypatch.setattr(links._entry._kept, "most_weight", 5)
    for number in range(3):
        links.of_file("a.yaml", f"{THREE_RECORDS}# {number}\n")
    assert len(links._entry._kept) == 1
    links._entry.clear()


def test_a_failure_is_not_kept() -> None:
    tries = []

    @keeping()
    def refused(name: str) -> str:
        tries.append(name)
        raise ValueError(name)

    for _ in range(2):
        with pytest.raises(ValueError, match="x"):
            refused("x")
    assert tries == ["x", "x"]


def test_who_asks_for_the_same_at_a_time_waits_and_for_something_else_does_not() -> None:
    made = []
    begun, go_on = threading.Event(), threading.Event()

    @keeping()
    def slow(name: str) -> str:
        made.append(name)
        if name == "slow":
            begun.set()
            assert go_on.wait(10)
        return name

    waiting = [threading.Thread(target=slow, args=("slow",)) for _ in range(3)]
    waiting[0].start()
    assert begun.wait(10)
    for each in waiting[1:]:
        each.start()
    assert slow("quick") == "quick"
    time.sleep(0.01)
    go_on.set()
    for each in waiting:
        each.join(10)
    assert made == ["slow", "quick"]
