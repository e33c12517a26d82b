"""The GIF that a browser writes is read by Pillow as the pictures that went into it."""

import base64
import io
import json
import random

import pytest
from PIL import Image

from tests.js.node import ROOT, needs_node, node

pytestmark = needs_node

SCRIPT = f"""
import {{ readFileSync }} from "node:fs";
import {{ Gif }} from "{(ROOT / "ui" / "player" / "share" / "gif.ts").as_uri()}";
const {{ wide, high, frames }} = JSON.parse(readFileSync(0, "utf8"));
const gif = new Gif(wide, high);
for (const each of frames) gif.add(Uint8ClampedArray.from(Buffer.from(each, "base64")), 350);
process.stdout.write(Buffer.from(gif.end()).toString("base64"));
"""

PALETTE = f"""
import {{ PALETTE }} from "{(ROOT / "ui" / "player" / "share" / "gif.ts").as_uri()}";
process.stdout.write(JSON.stringify(PALETTE));
"""


def written(wide: int, high: int, frames: list[bytes]) -> Image.Image:
    """The GIF of ``frames``, each with red, green, blue and alpha of its pixels."""
    told = {
        "wide": wide,
        "high": high,
        "frames": [base64.b64encode(each).decode() for each in frames],
    }
    made = node("--input-type=module", "-e", SCRIPT, stdin=json.dumps(told))
    return Image.open(io.BytesIO(base64.b64decode(made)))


@pytest.mark.parametrize(("wide", "high", "seed"), [(1, 1, 0), (63, 40, 1), (120, 90, 2)])
def test_every_frame_comes_back_pixel_by_pixel(wide: int, high: int, seed: int) -> None:
    chance = random.Random(seed)
    colours = json.loads(node("--input-type=module", "-e", PALETTE))
    noise = [chance.choice(colours) for _ in range(wide * high)]
    part = [chance.choice(colours) if 4 < at < wide * high // 2 else each for at, each in enumerate(noise)]
    frames = [bytes(byte for each in picture for byte in (*each, 255)) for picture in (noise, part, part)]
    picture = written(wide, high, frames)
    assert (picture.size, picture.info["loop"]) == ((wide, high), 0)
    for number, frame in enumerate(frames):
        picture.seek(number)
        assert picture.convert("RGBA").tobytes() == frame
    assert picture.n_frames == 3 or wide == 1, "Pillow joins equal frames of one pixel"


def test_a_colour_beside_the_palette_becomes_the_nearest() -> None:
    picture = written(2, 1, [bytes([255, 255, 254, 255, 24, 28, 40, 255])])
    assert picture.convert("RGB").tobytes() == bytes([255, 255, 255, 0x16, 0x1B, 0x26])
