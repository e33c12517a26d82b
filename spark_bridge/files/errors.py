"""What is wrong with the files of somebody's stream, in one sentence that names the file and the cure."""

from typing import Any

from simulator.words import words
from spark_bridge.failures import CheckFails


class FilesError(CheckFails):
    """``kind`` is a name below ``own_files.problems`` in the catalogue."""

    def __init__(self, kind: str, **fields: Any) -> None:
        RuntimeError.__init__(self, words(f"own_files.problems.{kind}", **fields))
        self.kind = kind
