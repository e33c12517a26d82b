"""Trips of taxis: a record is sent when the trip ends, and has the time of its pick-up as well as that of its drop-off.

The two causes: whoever takes the pick-up for the event time sees every trip as late as it was long; and one taximeter,
whose calendar is wrong, dates seven trips 31 days ahead.
"""

from random import Random
from typing import Final

from tidemark.spark_bridge.examples.made import HOUR, MINUTE, SECOND, Example, epoch, moment

SEED: Final = 1
TRIPS: Final = 20_000
WRONG_METER: Final = 17
MONTH: Final = 31 * 24 * HOUR


def taxi_trips() -> Example:
    """A day of trips in Parquet, in the order in which they were received; columns as in a city's open data."""
    drawn = Random(SEED)
    began, trips = epoch("2026-03-02"), []
    for number in range(TRIPS):
        pickup = began + round(number * 24 * HOUR / TRIPS) + drawn.randrange(SECOND)
        minutes = min(180.0, 3 + drawn.expovariate(1 / 11))
        dropoff = pickup + round(minutes * MINUTE)
        received = dropoff + SECOND + round(drawn.expovariate(1 / (2 * SECOND)))
        vendor, zone, meter = drawn.randrange(1, 3), drawn.randrange(1, 61), drawn.randrange(400)
        fare = round(3 + 0.9 * minutes + drawn.random(), 2)
        trips.append((received, pickup, dropoff, vendor, zone, meter, fare))
    trips.sort()
    ahead = [trip for trip in trips if trip[5] == WRONG_METER][20:27]
    rows = [
        (moment(pickup + off), moment(dropoff + off), moment(received), vendor, zone, meter, fare)
        for trip in trips
        for received, pickup, dropoff, vendor, zone, meter, fare in (trip,)
        for off in (MONTH if trip in ahead else 0,)
    ]
    columns = ("pickup_datetime", "dropoff_datetime", "received", "vendor_id", "zone_id", "meter_id", "fare_amount")
    return Example("taxi-trips.parquet", columns, rows)
