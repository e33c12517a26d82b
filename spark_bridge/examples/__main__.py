"""``python -m spark_bridge.examples DIR`` writes the three examples of docs/OWN-STREAM.md into DIR."""

import sys
from pathlib import Path

from tidemark.simulator.console import complain
from tidemark.spark_bridge.commands.outcome import DONE, REFUSED, show
from tidemark.spark_bridge.examples.clicks import web_clicks
from tidemark.spark_bridge.examples.sensors import sensor_readings
from tidemark.spark_bridge.examples.taxi import taxi_trips
from tidemark.spark_bridge.examples.writing import write


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
        for example in (taxi_trips(), sensor_readings(), web_clicks()):
            show(f"{write(example, folder)}: {len(example.rows):,} records", None)
    except OSError as error:
        complain(f"{folder}: {error.strerror}", None)
        return REFUSED
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
