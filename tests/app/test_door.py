"""The QR code of a vote: it leads into the room, and it is absent where phones cannot reach the app."""

import base64
import io

import pytest
from PIL import Image
from tidemark.simulator.limits import DOOR_CHARACTERS
from tidemark.ui.learning.classroom.teacher import door_to

from tests.qr import read

PNG = "data:image/png;base64,"


@pytest.mark.parametrize(
    "address",
    ["http://10.0.0.7/vote", "http://192.0.2.2:8501/vote", "https://room.example/vote", "http://[fd00::2]:80/vote"],
)
def test_a_phone_reads_the_address_and_the_room(address: str) -> None:
    door = door_to(address, "BCDF")
    assert door is not None
    assert door.startswith(PNG)
    picture = Image.open(io.BytesIO(base64.b64decode(door.removeprefix(PNG))))
    assert (picture.mode, picture.getextrema()) == ("1", (0, 255)), "black on white, whatever the theme"
    assert read(picture) == f"{address}?room=BCDF"


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8501/vote",
        "http://LOCALHOST./vote",
        "http://app.localhost/vote",
        "http://127.0.0.1:8501/vote",
        "http://127.9.9.9/vote",
        "http://[::1]:8501/vote",
        "http://0.0.0.0:8501/vote",
    ],
)
def test_there_is_no_code_where_phones_cannot_reach_the_app(address: str) -> None:
    assert door_to(address, "BCDF") is None


@pytest.mark.parametrize(
    "address",
    [
        None, 7, "", "vote", "javascript:alert(1)", "http://", "http://[x/vote", "http://a b/vote", "http://ä.de/vote",
        "http://a.example/" + "x" * DOOR_CHARACTERS, ["http://a.example/vote"],
    ],
)  # fmt: skip
def test_an_invalid_address_has_no_code(address: object) -> None:
    assert door_to(address, "BCDF") is None
