"""How many random examples a law gets: a quarter of its number in ``make test``, twenty times that in ``make laws``.

Half of its number in CI, and where faults are planted: they are found by chance as well, and nobody waits there.
"""

import os

TIMES = float(os.environ.get("EXAMPLES") or (0.5 if os.environ.get("CI") else 0.25))

LEAST = 15


def examples(number: int) -> int:
    """``number`` of a law, times what the environment asks for with ``EXAMPLES``, but never less than ``LEAST``."""
    return max(int(number * TIMES), min(number, LEAST))
