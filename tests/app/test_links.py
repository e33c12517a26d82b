"""Links that carry a scenario: any text comes back unchanged, and hostile links are refused at little cost."""

import base64
import contextlib
import random
import string
import tracemalloc
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from tidemark.simulator.limits import LINK_CHARACTERS, SCENARIO_BYTES
from tidemark.ui.share import links
from tidemark.ui.share import links as own
from tidemark.ui.share.links import LinkError, Text

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


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
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
