"""What is wrong with a text in SQL, or beyond what a scenario can say."""

from typing import Any

from simulator.sql.syntax import Place
from simulator.words import words


class SqlProblem(Exception):
    """The first place of a text that cannot become a scenario, and why. ``text`` is in the language of the reader."""

    def __init__(self, word: str, place: Place, /, **fields: Any) -> None:
        self.text = words(f"sql.problems.{word}", **fields)
        self.place = place
        super().__init__(self.text)
