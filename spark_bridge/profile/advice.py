"""Bounds as people write them down: rounded, and never below what is needed."""


def rounded_up(ms: int) -> int:
    """The least duration from ``ms`` on with two digits in its unit: 80,722 ms are 81 s, 836,219 ms are 14 min."""
    if ms <= 0:
        return ms
    unit = next(each for each in (86_400_000, 3_600_000, 60_000, 1_000, 1) if ms >= 10 * each or each == 1)
    while ms >= 100 * unit:
        unit *= 10
    return -(-ms // unit) * unit
