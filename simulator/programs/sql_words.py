"""Numbers and names of a scenario as Flink SQL writes them."""

from typing import Final

from tidemark.simulator.values.time import Milliseconds

_UNITS: Final = (("DAY", 86_400_000), ("HOUR", 3_600_000), ("MINUTE", 60_000), ("SECOND", 1_000))


def interval(ms: Milliseconds) -> str:
    """``INTERVAL '5' SECOND``: the largest unit of which ``ms`` is a number of two digits, else the parts of a day.

    Flink takes three digits of the first unit at most (``FlinkTypeFactory``), and two unless the unit says so.
    """
    sign, ms = ("-" if ms < 0 else ""), abs(ms)
    for unit, length in _UNITS:
        if ms and ms % length == 0 and ms // length < 100:
            return f"INTERVAL {sign}'{ms // length}' {unit}"
    if ms < 100_000:
        return f"INTERVAL {sign}'{ms // 1000}.{ms % 1000:03}' SECOND" if ms else "INTERVAL '0' SECOND"
    days, rest = divmod(ms, 86_400_000)
    hours, minutes, seconds = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    digits = "(3)" if days > 99 else ""
    return f"INTERVAL {sign}'{days} {hours:02}:{minutes:02}:{seconds:02}.{rest % 1000:03}' DAY{digits} TO SECOND"
