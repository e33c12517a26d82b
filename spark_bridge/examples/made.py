"""What an example is made of: rows in the order of the file, and the helpers that its records need."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Example:
    """A file to be written: ``rows`` are its lines, each a value for each name of ``columns``."""

    file: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def moment(ms: int) -> datetime:
    """The moment ``ms`` after 1970, exact, in UTC."""
    return _EPOCH + timedelta(milliseconds=ms)


def written(ms: int) -> str:
    """The moment as ``2026-03-02T06:00:00.000``: a date in UTC that does not say so."""
    return moment(ms).replace(tzinfo=None).isoformat(timespec="milliseconds")


def epoch(text: str) -> int:
    """The milliseconds since 1970 of a date in UTC."""
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
