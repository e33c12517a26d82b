"""What command lines share: numbers among the arguments, and printing, wherever standard output leads: to a reader that
has gone, a full disk, or nowhere."""

import argparse
import errno
import os
import sys
from contextlib import suppress
from typing import Final, TextIO

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.words import words

CANNOT_PRINT: Final = 2
"""The exit code of a command whose output could not be written: nobody has seen its result."""


class CannotPrint(Exception):
    """Standard output cannot be written; the text is the message."""


def positive(text: str) -> int:
    """A whole number from 1 on the command line."""
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text)):
        raise argparse.ArgumentTypeError(words("problems.whole_number", asked=shown_in_message(text)))
    return int(text)


def put(text: str, out: TextIO | None = None) -> None:
    """Print ``text`` as it stands, to ``out`` or standard output.

    Raises ``CannotPrint``, or ``BrokenPipeError`` if the reader has gone.
    """
    out = out or _standard_output()
    if out is None:
        raise _cannot_print(OSError(errno.EBADF, os.strerror(errno.EBADF)))
    try:
        out.write(text)
    except UnicodeEncodeError:
        encoding = out.encoding or "ascii"
        out.write(text.encode(encoding, "backslashreplace").decode(encoding))
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_print(error) from None


def finish(code: int) -> int:
    """Print what is still in the buffer; returns ``code``, or ``CANNOT_PRINT`` if that fails."""
    out = _standard_output()
    if out is None:
        return code
    try:
        out.flush()
    except BrokenPipeError:  # the result stands, whether or not anybody reads it
        forget()
    except OSError as error:
        complain(str(_cannot_print(error)))
        forget()
        return CANNOT_PRINT
    return code


def forget() -> None:
    """Send what is still in the buffer, and all further output, nowhere: Python flushes once more when it exits."""
    out = _standard_output()
    if out is not None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, out.fileno())
        os.close(nowhere)


def complain(text: str, err: TextIO | None = None) -> None:
    """Print a line to ``err`` or standard error; if that fails too, there is nowhere left to report it."""
    err = err or sys.stderr
    if err is not None:
        with suppress(OSError):
            err.write(text.encode("utf-8", "backslashreplace").decode() + "\n")


def _standard_output() -> TextIO | None:
    """Standard output; None if the process was started with it closed."""
    return sys.stdout


def _cannot_print(error: OSError) -> CannotPrint:
    return CannotPrint(words("problems.cannot_print", reason=error.strerror or str(error)))
