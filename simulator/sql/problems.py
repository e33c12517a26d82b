"""What is wrong with a text in SQL, or beyond what a scenario can say."""

from typing import Any, Final

from tidemark.simulator.sql.syntax import Beyond, Place
from tidemark.simulator.words import words


class SqlProblem(Exception):
    """The first place of a text that cannot become a scenario, and why. ``text`` is in the language of the reader."""

    def __init__(self, word: str, place: Place, /, **fields: Any) -> None:
        self.text = words(f"sql.problems.{word}", **fields)
        self.place = place
        super().__init__(self.text)


_OWN_WORDS: Final = {
    "ORDER BY": "order_by", "VALUES": "values", "CREATE TABLE AS": "table_as", "LIKE": "table_like",
}  # fmt: skip


def beyond(part: Beyond) -> SqlProblem:
    """That no scenario has ``part``."""
    return SqlProblem(_OWN_WORDS.get(part.what, "beyond"), part.place, what=part.what)
