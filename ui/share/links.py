"""A scenario's text inside a link: compressed, in characters that an address may hold, and opened with care.

A token is one letter for the notation (``y`` YAML, ``j`` JSON, ``q`` YAML of a student edition), then raw DEFLATE of
the UTF-8 text in base64url without padding. Incoming tokens are not trusted: one that is too long, malformed, or larger
than a scenario file when decompressed is refused before it takes memory.
"""

import base64
import binascii
import re
import zlib
from typing import Final, NamedTuple

from tidemark.simulator.limits import LINK_CHARACTERS, SCENARIO_BYTES
from tidemark.simulator.words import words

_SPELLED = re.compile(r"[yjq][A-Za-z0-9_-]+")
_WINDOW: Final = -15  # raw DEFLATE, without a header


class Text(NamedTuple):
    """The text of a scenario, whether it is JSON, and whether it is a student edition (``student.py``)."""

    text: str
    json: bool
    student: bool = False


class LinkError(Exception):
    """A link cannot be opened; the message says why."""


def token_of(text: str, *, json: bool, student: bool = False) -> str:
    """The token of a scenario's text, of any length; ``fits`` says whether a link may carry it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _WINDOW)
    packed = packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()
    return ("q" if student else "j" if json else "y") + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def fits(token: str) -> bool:
    """Whether a link may carry the token."""
    return len(token) <= LINK_CHARACTERS


def text_of(token: str) -> Text:
    """The text that a token carries. Raises ``LinkError`` for a token that is too long or malformed."""
    if not fits(token):
        raise LinkError(words("share.link.too_long", characters=f"{len(token):,}", most=f"{LINK_CHARACTERS:,}"))
    if not _SPELLED.fullmatch(token):
        raise LinkError(words("share.link.garbled"))
    try:
        packed = base64.urlsafe_b64decode(token[1:] + "=" * (-(len(token) - 1) % 4))
        opener = zlib.decompressobj(_WINDOW)
        opened = opener.decompress(packed, SCENARIO_BYTES + 1)
        if len(opened) > SCENARIO_BYTES:
            raise LinkError(words("share.link.too_large", most=f"{SCENARIO_BYTES // 1024}"))
        if not opener.eof or opener.unused_data:
            raise LinkError(words("share.link.garbled"))
        return Text(opened.decode("utf-8", "surrogatepass"), token[0] == "j", token[0] == "q")
    except (zlib.error, binascii.Error, UnicodeDecodeError):
        raise LinkError(words("share.link.garbled")) from None
