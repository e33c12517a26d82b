"""Readings of sensors, brought by four gateways, two of which have an outage.

The two causes: the gateway ``harbour`` is off for 40 minutes, brings nothing of that time later, and holds the
watermark meanwhile; ``tower`` loses its connection for 15 minutes, keeps its readings, and sends them all afterwards.
"""

from random import Random
from typing import Final

from tidemark.spark_bridge.examples.made import HOUR, MINUTE, SECOND, Example, epoch, written

SEED: Final = 2
GATEWAYS: Final = ("castle", "harbour", "market", "tower")
SENSORS: Final = 40
EVERY: Final = 30 * SECOND
LASTS: Final = 4 * HOUR


def sensor_readings() -> Example:
    """Four hours of readings in CSV, one a sensor each half minute, in the order in which they were received."""
    drawn = Random(SEED)
    began, readings = epoch("2026-03-02T06:00"), []
    off = range(began + 1 * HOUR, began + 1 * HOUR + 40 * MINUTE)
    cut_off = range(began + 3 * HOUR, began + 3 * HOUR + 15 * MINUTE)
    for sensor in range(SENSORS):
        gateway, phase = GATEWAYS[sensor % len(GATEWAYS)], drawn.randrange(EVERY)
        degrees = 6 + 8 * drawn.random()
        for measured in range(began + phase, began + LASTS, EVERY):
            degrees += drawn.random() - 0.5
            received = measured + 200 + round(drawn.expovariate(1 / 400))
            if gateway == "harbour" and measured in off:
                continue
            if gateway == "tower" and received in cut_off:
                received = cut_off.stop + 2 * (measured - cut_off.start) // 1_000
            readings.append((received, measured, f"sensor-{sensor:02}", gateway, round(degrees, 1)))
    rows = [
        (written(measured), written(received), sensor, gateway, degrees)
        for received, measured, sensor, gateway, degrees in sorted(readings)
    ]
    return Example("sensor-readings.csv", ("measured", "received", "sensor", "gateway", "celsius"), rows)
