"""The end of a process that does not come to Python's own end, as a server that is told to end by a signal."""

import sys
from time import monotonic, sleep
from typing import Final

from tidemark.spark_bridge.folders import remove_own

_PATIENCE_SECONDS: Final = 3.0
_POLL_SECONDS: Final = 0.05


def end() -> None:
    """End Spark's Java and remove the temporary folders of this process; whatever still works with them fails."""
    session = sys.modules.get("tidemark.spark_bridge.session")  # imported where there is a session, and pyspark with it
    if session is not None:
        session.kill_java()
    until = monotonic() + _PATIENCE_SECONDS
    while not remove_own() and monotonic() < until:  # a process that is being ended may still write
        sleep(_POLL_SECONDS)
