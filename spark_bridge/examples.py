"""What an example is made of: rows in the order of the file, and the helpers that its records need.

Readings of sensors, brought by four gateways, two of which have an outage.

The two causes: the gateway ``harbour`` is off for 40 minutes, brings nothing of that time later, and holds the
watermark meanwhile; ``tower`` loses its connection for 15 minutes, keeps its readings, and sends them all afterwards.

Trips of taxis: a record is sent when the trip ends, and has the time of its pick-up as well as that of its drop-off.

The two causes: whoever takes the pick-up for the event time sees every trip as late as it was long; and one taximeter,
whose calendar is wrong, dates seven trips 31 days ahead.

Clicks from the logs of four web servers.

The two causes: ``web-3`` writes the time of its own zone, an hour ahead, without saying so; and the agent that ships
the logs sends a block again when it gets no answer, so that one click in fifty is there twice.

The examples as files: CSV, JSON Lines or Parquet, by the end of the name.

``python -m spark_bridge.examples DIR`` writes the three examples of docs/users/OWN-STREAM.md into DIR.
Their profiles are stored in ``example_profiles/``, from where the page *Your stream* shows them at once.
"""

import csv
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.simulator.console import complain
from tidemark.spark_bridge.commands import DONE, REFUSED, show
from tidemark.spark_bridge.profile.findings.finding import Finding
from tidemark.spark_bridge.profile.findings.wording import price_of, sentence_of
from tidemark.spark_bridge.profile.profile import Profile

if TYPE_CHECKING:
    from tidemark.spark_bridge.profile.profile import Profile

SECOND: Final = 1_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Example:
    """A file to be written: ``rows`` are its lines, each a value for each name of ``columns``."""

    file: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def moment(ms: int) -> datetime:
    """The moment ``ms`` after 1970, exact, in UTC."""
    return _EPOCH + timedelta(milliseconds=ms)


def written(ms: int) -> str:
    """The moment as ``2026-03-02T06:00:00.000``: a date in UTC that does not say so."""
    return moment(ms).replace(tzinfo=None).isoformat(timespec="milliseconds")


def epoch(text: str) -> int:
    """The milliseconds since 1970 of a date in UTC."""
    return (datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


SENSORS_SEED: Final = 2
GATEWAYS: Final = ("castle", "harbour", "market", "tower")
SENSORS: Final = 40
EVERY: Final = 30 * SECOND
SENSORS_LAST: Final = 4 * HOUR


def sensor_readings() -> Example:
    """Four hours of readings in CSV, one a sensor each half minute, in the order in which they were received."""
    drawn = Random(SENSORS_SEED)
    began, readings = epoch("2026-03-02T06:00"), []
    off = range(began + 1 * HOUR, began + 1 * HOUR + 40 * MINUTE)
    cut_off = range(began + 3 * HOUR, began + 3 * HOUR + 15 * MINUTE)
    for sensor in range(SENSORS):
        gateway, phase = GATEWAYS[sensor % len(GATEWAYS)], drawn.randrange(EVERY)
        degrees = 6 + 8 * drawn.random()
        for measured in range(began + phase, began + SENSORS_LAST, EVERY):
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


TAXI_SEED: Final = 1
TRIPS: Final = 20_000
WRONG_METER: Final = 17
MONTH: Final = 31 * 24 * HOUR


def taxi_trips() -> Example:
    """A day of trips in Parquet, in the order in which they were received; columns as in a city's open data."""
    drawn = Random(TAXI_SEED)
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


CLICKS_SEED: Final = 3
CLICKS: Final = 20_000
SERVERS: Final = ("web-1", "web-2", "web-3", "web-4")
PAGES: Final = ("/", "/cart", "/search", "/product", "/help")
CLICKS_LAST: Final = 6 * HOUR
BLOCK: Final = 20
"""Clicks of one server that are shipped together."""


def web_clicks() -> Example:
    """Six hours of clicks in JSON Lines, in the order in which they were received."""
    drawn = Random(CLICKS_SEED)
    began, shipped = epoch("2026-03-02T08:00"), []
    waiting: dict[str, list[tuple[int, str, str, int]]] = {server: [] for server in SERVERS}
    times = sorted(began + drawn.randrange(CLICKS_LAST) for _ in range(CLICKS))
    for time in times:
        server, user = drawn.choice(SERVERS), f"u{drawn.randrange(500):03}"
        waiting[server].append((time, user, drawn.choice(PAGES), 20 + round(drawn.expovariate(1 / 80))))
        if len(waiting[server]) == BLOCK or time == times[-1]:
            received = time + 500 + drawn.randrange(SECOND)
            again = [received + 3 * SECOND] if drawn.random() < 1 / 50 else []
            shipped += [(arrival, server, waiting[server]) for arrival in (received, *again)]
            waiting[server] = []
    rows: list[tuple[Any, ...]] = [
        (written(time + HOUR * (server == "web-3")), written(received), {"id": user}, page, took, server)
        for received, server, block in sorted(shipped)
        for time, user, page, took in block
    ]
    return Example("web-clicks.jsonl", ("time", "received", "user", "page", "took_ms", "server"), rows)


def write(example: Example, folder: Path) -> Path:
    """Write ``example`` into ``folder``, over a file of its name, and return where it is.

    Raises OSError when the file cannot be written.
    """
    file = folder / example.file
    if file.suffix == ".parquet":
        columns = (list(column) for column in zip(*example.rows, strict=True))
        pq.write_table(pa.table(dict(zip(example.columns, columns, strict=True))), file)
        return file
    with file.open("w", encoding="utf-8", newline="") as out:
        if file.suffix == ".csv":
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(example.columns)
            writer.writerows(example.rows)
        else:
            out.writelines(json.dumps(dict(zip(example.columns, row, strict=True))) + "\n" for row in example.rows)
    return file


EXAMPLES: Final[Mapping[str, Callable[[], Example]]] = {
    "taxi-trips": taxi_trips,
    "sensor-readings": sensor_readings,
    "web-clicks": web_clicks,
}
"""The examples by name; what they are about is ``own_page.examples.<name>``."""

PROFILES: Final = Path(__file__).parent / "example_profiles"


def stored_profile(name: str) -> "Profile":
    """The profile of an example, computed beforehand, in the language of the caller; no Spark runs."""

    return profile_of_text(_stored_text(name))


@cache
def _stored_text(name: str) -> str:
    return (PROFILES / f"{name}.json").read_text(encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write the files and print where they are; exit code 2 when that is not possible."""
    if arguments in (["-h"], ["--help"]):
        show("python -m spark_bridge.examples DIR", None)
        return DONE
    if len(arguments) != 1 or arguments[0].startswith("-"):
        complain("python -m spark_bridge.examples DIR", None)
        return REFUSED
    folder = Path(arguments[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for make in EXAMPLES.values():
            example = make()
            show(f"{write(example, folder)}: {len(example.rows):,} records", None)
    except OSError as error:
        complain(f"{folder}: {error.strerror}", None)
        return REFUSED
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))


# A profile as JSON and back, so that it can be shown without Spark: the examples come with theirs.
#
# The members are those of the dataclasses; types tell how each is read. What depends on a language is worded again
# by the reader, and what only a running profile needs (``Cause.sign``) is left out.

_LEFT_OUT: Final = {"sign", "text", "price"}


def as_text(profile: Profile) -> str:
    """``profile`` as JSON, a line for each of its members."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in _plain(profile).items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.name not in _LEFT_OUT}
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    return value


def profile_of_text(text: str) -> Profile:
    """The profile that ``as_text`` wrote, its findings in the language of the caller."""
    profile: Profile = _read(Profile, json.loads(text))
    bound = profile.request.bound
    return replace(profile, findings=tuple(_worded(each, bound) for each in profile.findings))


def _worded(finding: Finding, bound: int | None) -> Finding:
    price = price_of(finding.cause, finding.before, bound) if finding.cures else ""
    return replace(finding, text=sentence_of(finding), price=price)


def _read(kind: Any, value: Any) -> Any:
    """``value`` of JSON as ``kind``: a type, or what an annotation says of one."""
    kinds = [each for each in get_args(kind) if each is not NoneType]
    if value is None:
        return None
    if type(None) in get_args(kind) and len(kinds) == 1:
        return _read(kinds[0], value)
    if kind is Fraction:
        return Fraction(value)
    origin = get_origin(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        absent = {each.name: "" for each in fields(kind) if each.name in {"text", "price"}}
        return kind(**absent, **{name: _read(hints[name], each) for name, each in value.items()})  # type: ignore[operator]
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*map(_read, get_type_hints(kind).values(), value))
    if isinstance(value, dict):
        of_name, of_value = kinds or (str, Any)
        return {int(name) if of_name is int else name: _read(of_value, each) for name, each in value.items()}
    if isinstance(value, list) and origin is not None and origin is not list:
        each_kind = kinds if origin is tuple and Ellipsis not in kinds else [kinds[0]] * len(value)
        return tuple(map(_read, each_kind, value))
    return value
