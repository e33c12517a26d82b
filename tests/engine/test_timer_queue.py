"""The timer queue equals a plain list of timers that is sorted for each answer."""

from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.timers import Timer, TimerQueue
from tidemark.simulator.engine.values.time import MAX, MIN

TIMES = st.integers(0, 12) | st.sampled_from((MIN, MAX))
CALLS = st.lists(st.tuples(st.sampled_from(("add", "add", "remove", "pop", "head")), TIMES, st.sampled_from("ab")))


@given(CALLS)
def test_timers_leave_by_timestamp_then_by_order_of_registration(calls: list[tuple[str, int, str]]) -> None:
    queue, plain = TimerQueue(), list[Timer]()
    for call, time, key in calls:
        timer: Timer = (time, key, None)
        due = sorted(plain, key=lambda each: each[0])  # stable: those of one timestamp stay in order of registration
        if call == "add":
            assert queue.add(timer) == (timer not in plain)
            if timer not in plain:
                plain.append(timer)
        elif call == "remove":
            assert queue.remove(timer) == (timer in plain)
            plain = [each for each in plain if each != timer]
        elif call == "head":
            assert queue.head() == (due[0][0] if due else None)
        else:
            first = due[0] if due and due[0][0] <= time else None
            assert queue.pop_due(time) == first
            plain = [each for each in plain if each != first]
        assert queue.in_order() == sorted(plain, key=lambda each: each[0])
        assert len(queue) == len(plain)
        assert all(queue.earliest <= each[0] for each in plain)


def test_a_restored_queue_keeps_the_order_and_forgets_the_rest() -> None:
    queue = TimerQueue()
    for time in (5, 9, 3):
        queue.add((time, "a", None))
    queue.restore([(4, "b", None), (4, "a", None), (2, "c", None)])
    assert [queue.pop_due(MAX) for _ in range(4)] == [(2, "c", None), (4, "b", None), (4, "a", None), None]
