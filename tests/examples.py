"""How many random examples a law gets: half of its number in ``make test``, and ten times that in ``make laws``."""

import os

TIMES = float(os.environ.get("EXAMPLES") or 0.5)

LEAST = 15


def examples(number: int) -> int:
    """``number`` of a law, times what the environment asks for with ``EXAMPLES``, but never less than ``LEAST``."""
    return max(int(number * TIMES), min(number, LEAST))
