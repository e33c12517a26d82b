"""Ctrl-C while a command line is still importing what it needs: it ends with its exit code and without a traceback.

Imported first by ``simulator`` and ``spark_bridge``, before all that takes time. Only a start of their command lines is
looked after: whoever imports a package, or runs another module of it, keeps the signals that he has.
"""

import os
import signal
import sys
from types import FrameType
from typing import Final

INTERRUPTED: Final = 130
"""Ended by Ctrl-C, as shells tell it."""

COMMAND_LINES: Final = ("simulator", "spark_bridge")
"""The packages that are run by ``python -m``; both ask for ``raise_again`` once they are imported."""


def _end(number: int, frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)  # nothing was begun yet, so there is nothing to tidy up


def end_quietly() -> None:
    """From now on Ctrl-C ends the process; not where somebody else has settled what it does."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_again() -> None:
    """The imports are over: from now on Ctrl-C is a ``KeyboardInterrupt`` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _begins() -> bool:
    """Whether a command line is being imported: ``argv`` begins so while Python looks for what it is to run."""
    if sys.argv[:1] != ["-m"] or "-m" not in sys.orig_argv:
        return False
    return sys.orig_argv[sys.orig_argv.index("-m") + 1] in COMMAND_LINES


if _begins():
    end_quietly()
