"""Names of time zones: those of the IANA database."""

import re
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from simulator.scenario.format.kinds import JsonSchema, Leaf, Reader, found, mistyped, nearest
from simulator.scenario.reading.nodes import Node, ScalarNode

ZONE_NAME: Final = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")
NO_ZONES: Final = frozenset(("localtime", "posixrules"))
"""Files among the zones whose meaning depends on the machine."""


class Zone(Leaf):
    """The name of an IANA time zone."""

    wanted = "zone"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if not isinstance(value, str):
            return self.refused(reader, node)
        if is_zone(value):
            return value
        near = nearest(value, tuple(sorted(available_timezones() - NO_ZONES)))
        if near is not None:
            assert isinstance(node, ScalarNode)
            return mistyped(reader, node, near)
        return reader.wrong(node.at, "unknown_zone", found=found(node))

    def schema(self) -> JsonSchema:
        return {"type": "string"}


@cache
def is_zone(name: str) -> bool:
    """Whether the IANA database has a zone of this name."""
    if name in NO_ZONES or name.startswith(("posix/", "right/")) or not ZONE_NAME.fullmatch(name):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
