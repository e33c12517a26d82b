"""Texts that TO_TIMESTAMP makes a time of; of others it makes NULL, and a job fails at a NULL in its time attribute.

The rules are those of Flink's ``DateTimeUtils.parseTimestampData``: without a pattern, Flink's own form; with one, the
pattern, or else the form of ``java.sql.Timestamp`` and ``java.sql.Date``. A time that Java corrects (the 30th of
February, hour 24) is no time here.
"""

import re
from typing import Final

_YEAR_FIRST: Final = re.compile(r"yyyy([-/.])MM\1dd(?:(?: |'T')HH:mm(?::ss(?:[.,]S{1,9})?)?(?:'Z')?)?", re.ASCII)
_DATE: Final = r"\d{4}-\d{1,2}-\d{1,2}"
_CLOCK: Final = r"\d{1,2}:\d{1,2}:\d{1,2}"
_OF_FLINK: Final = re.compile(rf"{_DATE}(?: {_CLOCK}(?:\.\d{{0,9}})?)?", re.ASCII)
_OF_JAVA: Final = re.compile(rf"{_DATE}(?: {_CLOCK}(?:\.\d{{1,9}})?)?", re.ASCII)
_PARTS: Final = re.compile("[yMdHmsS]+|'[TZ]'|.")


def is_year_first(pattern: str) -> bool:
    """Whether a file's dates in ``pattern`` are read here as Flink reads them: of others, the columns of a file do not
    show which number is the day.

    >>> is_year_first("yyyy-MM-dd HH:mm:ss"), is_year_first("dd.MM.yyyy")
    (True, False)
    """
    return bool(_YEAR_FIRST.fullmatch(pattern))


def is_time(text: str, pattern: str) -> bool:
    """Whether TO_TIMESTAMP makes a time of ``text`` by ``pattern``, one with the year first, or "" for none.

    >>> is_time("2026-01-01 10:00:00", ""), is_time("2026-01-01T10:00:00", "")
    (True, False)
    >>> [is_time(text, "yyyy-MM-dd'T'HH:mm:ss") for text in ("2026-01-01T10:00:00", "2026-01-01T10:00:00Z")]
    [True, False]
    """
    if not pattern:
        return bool(_OF_FLINK.fullmatch(text))
    parts = _PARTS.findall(pattern)
    form = "".join(rf"\d{{{len(part)}}}" if part[0] in "yMdHmsS" else re.escape(part.strip("'")) for part in parts)
    return bool(re.fullmatch(form, text, re.ASCII) or _OF_JAVA.fullmatch(text.strip()))
