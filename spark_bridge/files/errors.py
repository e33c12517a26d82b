"""What is wrong with the files of somebody's stream, in one sentence that names the file and the cure."""

import re
from typing import Any, Final
from urllib.parse import unquote

from tidemark.simulator.words import words
from tidemark.spark_bridge.spark.failures import CheckFails, unreadable_file

PACKAGES: Final = {"kafka": "spark-sql-kafka-0-10", "avro": "spark-avro"}
"""Formats whose readers Spark has in a package of its own."""

_MOST: Final = 200


class FilesError(CheckFails):
    """``kind`` is a name below ``own_files.problems`` in the catalogue."""

    def __init__(self, kind: str, **fields: Any) -> None:
        RuntimeError.__init__(self, words(f"own_files.problems.{kind}", **fields))
        self.kind = kind


def refusal(error: BaseException, what: str, spark: str = "") -> CheckFails | None:
    """What Spark says of files that it cannot read, in words for people; None if ``error`` is about something else.

    ``what``: the files, where Spark names none. ``spark``: its version.
    """
    if (file := unreadable_file(error)) is not None:
        return file
    text = _text_of(error)
    if found := re.search(
        r"Failed to find (?:the )?data source: ([\w.]+)|DATA_SOURCE_NOT_FOUND\S{0,99} .{0,200}?`?([\w.]{1,99})`?\.",
        text,
    ):
        format = (found[1] or found[2]).rstrip(".")
        if package := PACKAGES.get(format):
            return FilesError("no_package", format=format, package=f"org.apache.spark:{package}_2.13:{spark}")
        return FilesError("no_format", format=format)
    if found := re.search(
        r"(?:PATH_NOT_FOUND\S* Path does not exist: |FileNotFoundException: File )(\S+?)\.?(?:\s|$)", text
    ):
        return FilesError("missing", path=_path(found[1]))
    if found := re.search(r"COLUMN_ALREADY_EXISTS\S* The column `(.+?)` already", text):
        return FilesError("two_columns", path=what, name=found[1])
    if re.search(r"Permission denied|AccessControlException|AccessDenied", text) and "tidemark-" not in text:
        return FilesError("unreadable", path=what, reason=_reason(text))
    if found := re.search(
        r"(?:AnalysisException|IllegalArgumentException|KafkaException|TimeoutException|SQLException|NotFoundException)\W+(.+)",
        text,
    ):
        return FilesError("spark_says", path=what, text=found[1][:_MOST])
    return None


def _path(uri: str) -> str:
    return unquote(re.sub(r"^file:/+", "/", uri))


def _reason(text: str) -> str:
    """The innermost cause that Java names."""
    causes = re.findall(r"Caused by: (?:[\w$.]+\.)?([\w$]+(?:: .*)?)", text)
    return str(causes[-1][:_MOST]) if causes else "-"


def _text_of(error: BaseException) -> str:
    """The text of an error, and of the Java error behind it."""
    behind = getattr(error, "_stackTrace", None) or getattr(error, "java_exception", None) or ""
    try:
        return f"{type(error).__name__}: {error}\n{behind}"
    except Exception:  # the Java that has its text is gone
        return ""
