"""A quote that is never closed swallows the rest of a CSV file; Spark says nothing of it."""

import re
from collections.abc import Iterator

import pyarrow as pa

_BLOCK = 2**20


def line_of_open_quote(path: str, delimiter: str) -> int | None:
    """The line (from 1) of a file of this machine in which the cell begins that is still open at its end, if one is."""
    begins = re.compile(rb'(?:^|%s) *"' % re.escape(delimiter.encode()))
    opened = None
    for number, line in enumerate(lines_of(path), 1):
        at = 0
        while b'"' in line[at:]:
            if opened is None:
                found = next((each for each in begins.finditer(line) if each.start() >= at), None)
                if found is None:
                    break
                opened, at = number, found.end()
            else:
                end = line.find(b'"', at)
                if end < 0:
                    break
                doubled = line[end + 1 : end + 2] == b'"'
                opened, at = (opened, end + 2) if doubled else (None, end + 1)
    return opened


def lines_of(path: str) -> Iterator[bytes]:
    """The lines of a text of this machine, packed or not, without their ends."""
    compression = {"gz": "gzip", "zst": "zstd"}.get(path.rpartition(".")[2].lower())
    rest = b""
    with pa.input_stream(path, compression=compression) as file:
        while block := file.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            yield from lines
    yield rest
