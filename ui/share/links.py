"""A scenario's text inside a link: compressed, in letters that an address may hold, and opened again with care.

A token is one letter for the notation (``y`` YAML, ``j`` JSON), then raw DEFLATE of the UTF-8 text in base64url without
padding. Nothing is believed of a token that comes in: what is too long, wrongly spelled or grows beyond the size of a
scenario file is refused before it takes memory.
"""

import base64
import binascii
import re
import zlib
from typing import Final, NamedTuple

from simulator.words import words

MOST_CHARACTERS: Final = 8_000
"""A token is no longer. Browsers and servers take some 32,000 characters; mail and chat programs cut far earlier."""

MOST_BYTES: Final = 512 * 1024
"""The text of a scenario is no longer, as in a file."""

_SPELLED = re.compile(r"[yj][A-Za-z0-9_-]+")
_WINDOW: Final = -15  # raw DEFLATE, without a header


class Text(NamedTuple):
    """The text of a scenario, and whether it is JSON."""

    text: str
    json: bool


class LinkError(Exception):
    """A link cannot be opened; the message says why, for the reader."""


def token_of(text: str, *, json: bool) -> str:
    """The token of a scenario's text, however long; whether a link may carry it is up to ``fits``."""
    packer = zlib.compressobj(9, zlib.DEFLATED, _WINDOW)
    packed = packer.compress(text.encode("utf-8", "surrogatepass")) + packer.flush()
    return ("j" if json else "y") + base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def fits(token: str) -> bool:
    """Whether a link may carry the token."""
    return len(token) <= MOST_CHARACTERS


def text_of(token: str) -> Text:
    """The text that a token carries. Raises ``LinkError`` for what is too long or no token."""
    if not fits(token):
        raise LinkError(words("share.link.too_long", characters=f"{len(token):,}", most=f"{MOST_CHARACTERS:,}"))
    if not _SPELLED.fullmatch(token):
        raise LinkError(words("share.link.garbled"))
    try:
        packed = base64.urlsafe_b64decode(token[1:] + "=" * (-(len(token) - 1) % 4))
        opener = zlib.decompressobj(_WINDOW)
        opened = opener.decompress(packed, MOST_BYTES + 1)
        if len(opened) > MOST_BYTES:
            raise LinkError(words("share.link.too_large", most=f"{MOST_BYTES // 1024}"))
        if not opener.eof or opener.unused_data:
            raise LinkError(words("share.link.garbled"))
        return Text(opened.decode("utf-8", "surrogatepass"), token[0] == "j")
    except (zlib.error, binascii.Error, UnicodeDecodeError):
        raise LinkError(words("share.link.garbled")) from None
