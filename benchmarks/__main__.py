"""``python -m benchmarks engine|spark|own|profile|player|author|site|visitors|classroom``; ``--json`` for JSON."""

import argparse
import json
from collections.abc import Iterable, Mapping
from typing import Any


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    engine = commands.add_parser("engine", help="records per second, compared with a minimal Python loop")
    engine.add_argument("--records", type=int, default=1_000_000)
    engine.add_argument("--case", action="append", help="only this case (may be repeated)")
    spark = commands.add_parser("spark", help="events per second, compared with a plain Spark aggregation")
    spark.add_argument("--events", type=int, default=1_000_000)
    spark.add_argument("--case", action="append", help="only this case (may be repeated)")
    own = commands.add_parser("own", help="an operator over Parquet files, compared with a plain aggregation")
    own.add_argument("--records", type=int, default=10_000_000)
    own.add_argument("--channels", type=int, default=4)
    own.add_argument("--case", action="append", help="only this case (may be repeated)")
    profile = commands.add_parser("profile", help="the profile of Parquet files, compared with a plain aggregation")
    profile.add_argument("--records", type=int, default=10_000_000)
    profile.add_argument("--channels", type=int, default=4)
    player = commands.add_parser(
        "player", help="time from key press to paint in Chromium, for runs of 200 to 100,000 steps"
    )
    player.add_argument("--records", type=int, action="append", help="only this length (may be repeated)")
    author = commands.add_parser("author", help="time to change one cell on the Author page, for 50 to 5,000 records")
    author.add_argument("--records", type=int, action="append", help="only this length (may be repeated)")
    site = commands.add_parser(
        "site", help="time of an edit, a drag and a sweep in a site of static files, beside the app"
    )
    site.add_argument("--records", type=int, action="append", help="only this length (may be repeated)")
    visitors = commands.add_parser(
        "visitors", help="response times of one server for a class of visitors, and memory per session"
    )
    visitors.add_argument("--visitors", type=int, default=30)
    visitors.add_argument("--seconds", type=float, default=60, help="how long they stay after all have arrived")
    classroom = commands.add_parser(
        "classroom", help="response times of one server for a class that votes and its teacher"
    )
    classroom.add_argument("--students", type=int, default=30)
    classroom.add_argument("--seconds", type=float, default=60, help="how long the lesson lasts")
    for each in (engine, spark, own, profile, player, author, site, visitors, classroom):
        each.add_argument("--json", action="store_true", help="one JSON object per line")
    return made


def main() -> None:
    """Run the benchmarks that the command line names."""
    arguments = parser().parse_args()
    if arguments.command == "engine":
        from benchmarks.engine import measure

        _print(measure(arguments.records, arguments.case), as_json=arguments.json)
    elif arguments.command == "own":
        from benchmarks.own import measure as measure_own

        _print(measure_own(arguments.records, arguments.channels, arguments.case), as_json=arguments.json)
    elif arguments.command == "profile":
        from benchmarks.profile import measure as measure_profile

        _print(measure_profile(arguments.records, arguments.channels), as_json=arguments.json)
    elif arguments.command == "player":
        from benchmarks.player import RECORDS
        from benchmarks.player import measure as measure_player

        _print(measure_player(arguments.records or RECORDS), as_json=arguments.json)
    elif arguments.command == "author":
        from benchmarks.author import RECORDS as DRAFTS
        from benchmarks.author import measure as measure_author

        _print(measure_author(arguments.records or DRAFTS), as_json=arguments.json)
    elif arguments.command == "site":
        from benchmarks.author import RECORDS as DRAFTS
        from benchmarks.site import measure as measure_site

        _print(measure_site(arguments.records or DRAFTS), as_json=arguments.json)
    elif arguments.command == "visitors":
        from benchmarks.visitors import measure as measure_visitors

        _print(measure_visitors(arguments.visitors, arguments.seconds), as_json=arguments.json)
    elif arguments.command == "classroom":
        from benchmarks.classroom import measure as measure_classroom

        _print(measure_classroom(arguments.students, arguments.seconds), as_json=arguments.json)
    else:
        from benchmarks.spark import measure as measure_spark

        _print(measure_spark(arguments.events, arguments.case), as_json=arguments.json)


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
