"""Ctrl-C while a command line is still importing: it ends with the right exit code and without a traceback.

``simulator`` and ``spark_bridge`` import this first, before anything that takes time. Only the start of their command
lines is handled. A program that imports one of the packages, or runs another module of it, keeps its signal handlers.
"""

import os
import signal
import sys
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""The exit code of a command that was ended by Ctrl-C, as shells report it."""

COMMAND_LINES: Final = ("simulator", "spark_bridge")
"""The packages that are run by ``python -m``; both call ``raise_again`` once they are imported."""


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)  # nothing has begun yet, so there is nothing to clean up


def end_quietly() -> None:
    """From now on Ctrl-C ends the process, unless another handler is already in place."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """The imports are done: from now on Ctrl-C raises ``KeyboardInterrupt`` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _begins() -> bool:
    """Whether a command line is being imported: ``argv`` begins with ``-m`` while Python looks up the module to run."""
    if sys.argv[:1] != ["-m"] or "-m" not in sys.orig_argv:
        return False
    return sys.orig_argv[sys.orig_argv.index("-m") + 1].removeprefix("tidemark.") in COMMAND_LINES


if _begins():
    end_quietly()
