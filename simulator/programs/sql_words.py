"""Numbers and names of a scenario as Flink SQL writes them."""

from typing import Final

from simulator.values.time import Milliseconds

_UNITS: Final = (("DAY", 86_400_000), ("HOUR", 3_600_000), ("MINUTE", 60_000), ("SECOND", 1_000))


def interval(ms: Milliseconds) -> str:
    """``INTERVAL '5' SECOND``: the largest unit of which ``ms`` is a whole number of at most two digits, else seconds with
    as many digits as they need."""
    sign, ms = ("-" if ms < 0 else ""), abs(ms)
    for unit, length in _UNITS:
        if ms and ms % length == 0 and ms // length < 100:
            return f"INTERVAL {sign}'{ms // length}' {unit}"
    seconds, rest = divmod(ms, 1000)
    text = f"{seconds}.{rest:03}" if rest else str(seconds)
    digits = len(str(seconds))
    return f"INTERVAL {sign}'{text}' SECOND" + (f"({digits})" if digits > 2 else "")
