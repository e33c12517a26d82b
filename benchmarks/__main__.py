"""``python -m benchmarks engine``, and the other names of ``COMMANDS``; ``--json`` for JSON."""

import argparse
import json
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Final

Option = tuple[str, dict[str, Any]]
"""A flag and how argparse reads it. Its value is that of the parameter of its name."""


def _number(name: str, default: float, text: str | None = None) -> Option:
    return f"--{name}", {"type": type(default), "default": default, "help": text}


CASE: Final[Option] = "--case", {"dest": "cases", "action": "append", "help": "only this case (may be repeated)"}
SITE: Final[Option] = "--site", {"action": "store_true", "help": "in the Python of a site"}
LENGTH: Final[Option] = "--records", {"type": int, "action": "append", "help": "only this length (may be repeated)"}

COMMANDS: Final[Mapping[str, tuple[str, str, tuple[Option, ...]]]] = {
    "engine": ("engine.measure", "records per second, compared with a minimal Python loop",
               (_number("records", 1_000_000), CASE)),
    "queries": ("queries.measure", "a filter and three aggregates of columns, compared with a single aggregate",
                (_number("records", 6_000), CASE)),
    "differ": ("differing.measure", "single changes planted in scenarios: how many are found, on how many records",
               (_number("changes", 200), _number("seed", 1), _number("seconds", 0.0), SITE,
                _number("pairs", 60, "so many pairs that are equal by construction"))),
    "spark": ("spark.measure", "events per second, compared with a plain Spark aggregation",
              (_number("events", 1_000_000), CASE)),
    "own": ("streams.measure_own", "an operator over Parquet files, compared with a plain aggregation",
            (_number("records", 10_000_000), _number("channels", 4), CASE)),
    "profile": ("streams.measure_profile", "the profile of Parquet files, compared with a plain aggregation",
                (_number("records", 10_000_000), _number("channels", 4))),
    "player": ("pages.measure_player", "time from key press to paint in Chromium, for runs of 200 to 100,000 steps",
               (LENGTH,)),
    "author": ("author.measure", "time to change one cell on the Author page, for 50 to 5,000 records", (LENGTH,)),
    "site": ("pages.measure_site", "time of an edit, a drag and a sweep in a site of static files, beside the app",
             (LENGTH,)),
    "visitors": ("visitors.measure_visitors",
                 "response times of one server for a class of visitors, and memory per session",
                 (_number("visitors", 30), _number("seconds", 60.0, "how long they stay after all have arrived"))),
    "classroom": ("visitors.measure_classroom", "response times of one server for a class that votes and its teacher",
                  (_number("students", 30), _number("seconds", 60.0, "how long the lesson lasts"))),
}  # fmt: skip
"""By its name the function of a benchmark, what it measures, and its options."""


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    for name, (_, text, options) in COMMANDS.items():
        command = commands.add_parser(name, help=text)
        for flag, facts in options:
            command.add_argument(flag, **facts)
        command.add_argument("--json", action="store_true", help="one JSON object per line")
    return made


def main() -> None:
    """Run the benchmark that the command line names."""
    given = {name: value for name, value in vars(parser().parse_args()).items() if value is not None}
    module, _, function = COMMANDS[given.pop("command")][0].partition(".")
    as_json = given.pop("json")
    _print(getattr(import_module(f"benchmarks.{module}"), function)(**given), as_json=as_json)


def _print(results: Iterable[Mapping[str, Any]], *, as_json: bool) -> None:
    for result in results:
        if as_json:
            print(json.dumps(result), flush=True)
        else:
            members = (
                f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in result.items()
            )
            print("   ".join(members), flush=True)


if __name__ == "__main__":
    main()
