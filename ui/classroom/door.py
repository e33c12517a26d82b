"""The way into a room for phones: a QR code of the voting address, if phones can reach it."""

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit

import segno
from tidemark.simulator.limits import DOOR_CHARACTERS

QUIET: Final = 4
"""The white margin around the code in modules, as the standard requires."""

PIXELS: Final = 12
"""Pixels of the picture per module."""

_ADDRESS = re.compile(r"https?://[!-~]+")


def reachable(address: str) -> bool:
    """Whether another machine can reach this one by ``address``: the host is not a name for the machine itself."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost" and not host.endswith(".localhost")
    return not (number.is_loopback or number.is_unspecified)


def door_to(address: object, code: str) -> str | None:
    """The QR code of ``address`` with the room ``code``, as a data URI of a PNG picture, black on white.

    None if phones cannot reach it, or if ``address`` is not an address. The library writes the picture, so no part of
    the address becomes markup.
    """
    if not isinstance(address, str) or len(address) > DOOR_CHARACTERS or not _ADDRESS.fullmatch(address):
        return None
    try:
        if not reachable(address):
            return None
    except ValueError:
        return None
    picture = segno.make(f"{address}?room={code}", micro=False, error="m")
    return picture.png_data_uri(scale=PIXELS, border=QUIET, dark="#000000", light="#ffffff")
