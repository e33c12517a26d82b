"""The parts of ``make monkey``: what it draws, what it takes for a failure, and when a server grows."""

import gc
import json
from collections import Counter, deque
from pathlib import Path
from random import Random
from urllib.parse import parse_qsl, urlsplit

from tidemark.simulator.words import words

from tests.monkey.choosing import KINDS, PAGES, Addresses, action, persona
from tests.monkey.inside import counted, held
from tests.monkey.keeping import MOST_KEPT, Failures
from tests.monkey.memory import USED_MB, grows, used_mb
from tests.monkey.watching import is_noise, sign, titles, tracebacks

TEXTS = {"short": "scenario: 1\nname: short\n"}

SAID = """\
  You can now view your app in your browser.
2026-11-23 20:15:01 a page failed
Traceback (most recent call last):
  File "/srv/x/ui/guard.py", line 27, in guard
    yield
  File "/srv/x/ui/charts/sources.py", line 88, in _windows
    return start // size
           ~~~~~~^^~~~~~
ZeroDivisionError: integer division or modulo by zero
something else
"""


class Marked:
    """Something to count."""

    def __init__(self) -> None:
        self.itself = self


def test_the_same_seed_does_the_same_and_everything_is_done_some_time() -> None:
    def drawn(seed: int) -> list[object]:
        chance, addresses = Random(seed), Addresses(TEXTS)
        return [persona(chance), *(action(chance, addresses) for _ in range(1_000))]

    assert drawn(1) == drawn(1) != drawn(2)
    assert {each.kind for each in drawn(1)[1:]} == set(KINDS)


def test_every_page_is_opened_with_scenarios_by_name_and_in_a_link() -> None:
    chance, addresses = Random(1), Addresses(TEXTS)
    addresses.code = "XYZBC"
    drawn = [urlsplit(addresses.some(chance)) for _ in range(500)]
    assert {each.path for each in drawn} == {f"/{page}" for page in PAGES}
    asked = Counter(part for each in drawn for part in parse_qsl(each.query))
    assert asked["scenario", "short"]
    assert asked["room", "XYZBC"]
    assert any(name == "s" and len(value) > 20 for name, value in asked)


def test_an_exception_in_what_the_server_says_is_named_by_what_and_where() -> None:
    (found,) = tracebacks(SAID)
    assert found[0] == "ZeroDivisionError: integer division or modulo by zero in sources.py _windows"
    assert found[1].startswith("Traceback")
    assert found[1].endswith("modulo by zero")
    assert list(tracebacks("everything is fine\n")) == []


def test_the_title_of_a_failed_page_is_known_in_each_language() -> None:
    assert words("trouble.title") in titles()
    assert len(set(titles())) == 2


def test_numbers_make_no_other_failure_and_messages_of_the_browser_itself_none() -> None:
    assert sign("at step 12\nand more") == sign("at step 345")
    assert is_noise("Failed to load resource: the server responded with a status of 404 () http://a/x/_stcore/health")
    assert is_noise(
        "Failed to load resource: the server responded with a status of 403 (Forbidden) http://a/?teacher=x"
    )
    assert not is_noise("Failed to load resource: the server responded with a status of 403 (Forbidden) http://a/b")
    assert not is_noise("Uncaught TypeError: x is null")


def test_the_first_failures_of_a_sign_are_kept_with_the_actions(tmp_path: Path) -> None:
    failures, actions = Failures(tmp_path), deque([{"do": "click"}])
    stems = [failures.add("error: a/b", "all of it", actions) for _ in range(MOST_KEPT + 1)]
    assert stems[-1] is None
    assert failures.counts == {"error: a/b": MOST_KEPT + 1}
    assert stems[0] is not None
    text = stems[0].with_suffix(".txt").read_text(encoding="utf-8")
    assert "all of it" in text
    assert '{"do": "click"}' in text
    failures.tell(1.0, 2, {"do": "click"})
    (line,) = (tmp_path / "actions.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) | {"took": 0} == {"time": 1.0, "took": 0, "browser": 2, "do": "click"}


def test_a_server_grows_when_its_rest_does_not_when_it_is_busy() -> None:
    warming = [100.0, 150.0, 200.0, 240.0]
    assert not grows([*warming, *[250.0] * 12])
    assert not grows([*warming, *[250.0, 400.0] * 6]), "busy moments"
    assert not grows([*warming, *(250.0 + number for number in range(12))]), "within what caches take"
    assert grows([*warming, *(250.0 + 10 * number for number in range(12))])
    assert not grows([100.0, 300.0]), "too short to tell"


def test_a_late_step_is_growth_though_it_is_level_before_and_after() -> None:
    """So a run of two hours ended (MB, every ten minutes) in which nobody had profiled a stream for 80 minutes.

    The code for it takes 48 MB, so ``inside`` loads it at the start.
    """
    assert grows([77, 399, 414, 427, 425, 443, 424, 429, 438, 490, 490, 488, 486])


def test_of_what_is_in_use_less_may_come_than_of_what_is_taken(tmp_path: Path) -> None:
    records = tmp_path / "memory.jsonl"
    lines = [json.dumps({"time": 1.0, "used": 190.0 + (20.0 if number > 8 else 0.0)}) for number in range(12)]
    records.write_text("\n".join([*lines, '{"time": 1.0, "us']), encoding="utf-8")
    assert len(used_mb(records)) == 12, "the last line was being written"
    assert grows(used_mb(records), USED_MB)
    assert not grows(used_mb(records))
    assert used_mb(tmp_path / "none") == []


def test_the_server_counts_what_it_holds_and_what_it_has_freed_is_not_in_it() -> None:
    before = held()
    kept = [bytes(1000) for _ in range(20_000)]
    more = held()
    del kept
    after = held()
    assert more["used"] - before["used"] > 15
    assert abs(after["used"] - before["used"]) < 5
    assert after["python_taken"] >= after["python"] > 1


def test_it_counts_its_objects_by_type_also_those_that_are_never_collected() -> None:
    many = [Marked() for _ in range(5_000)]
    gc.freeze()
    counts = counted()
    gc.unfreeze()
    assert counts[f"{Marked.__module__}.Marked"] == len(many)
    assert counts["all"] > len(many)
