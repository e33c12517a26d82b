"""The way into a room for phones: a QR code of the vote's address, where phones can reach that at all."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

import segno

MOST_LETTERS: Final = 300
"""Of an address; a longer one makes modules too small for a room."""

QUIET: Final = 4
"""Modules of white around the code: what the standard asks for."""

PIXELS: Final = 12
"""Of the picture, for each module."""

_ADDRESS = re.compile(r"https?://[!-~]+")


def reachable(address: str) -> bool:
    """Whether another machine can mean this one by ``address``: its host is not what every machine calls itself."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost" and not host.endswith(".localhost")
    return not (number.is_loopback or number.is_unspecified)


def door_to(address: object, code: str) -> str | None:
    """The QR code of ``address`` with the room ``code`` in it, as the data of a PNG picture, black on white.

    None where phones cannot get there, and for whatever is no address. The library writes the picture; nothing of the
    address becomes markup.
    """
    if not isinstance(address, str) or len(address) > MOST_LETTERS or not _ADDRESS.fullmatch(address):
        return None
    try:
        if not reachable(address):
            return None
    except ValueError:
        return None
    picture = segno.make(f"{address}?room={code}", micro=False, error="m")
    return picture.png_data_uri(scale=PIXELS, border=QUIET, dark="#000000", light="#ffffff")
