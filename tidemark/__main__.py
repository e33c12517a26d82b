"""``python -m tidemark``, and the command ``tidemark``: here the commands of the Spark bridge join the others."""

import argparse
import sys
from collections.abc import Callable, Sequence

from tidemark.simulator.commands import carried_out
from tidemark.ui.command import add_completion, parser
from tidemark.ui.extras import MissingExtra, require


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code: 0, or 2 for what is refused, or another one of the command itself."""
    try:
        require("spark")
    except MissingExtra as missing:
        made, commands = parser(spark_is_missing=missing)
        add_completion(commands)
        return carried_out(made, arguments)
    from tidemark.spark_bridge import commands as spark

    made, commands = parser()
    spark.add_check(commands, "verify")
    spark.add_profile(commands)
    spark.add_cut(commands)
    for command in commands.choices.values():
        if run := command.get_default("run"):
            command.set_defaults(command=_with_spark(run))
    add_completion(commands)
    return carried_out(made, arguments)


def _with_spark(run: Callable[..., int]) -> Callable[[argparse.Namespace], int]:
    def command(options: argparse.Namespace) -> int:
        from tidemark.spark_bridge.spark.folders import end_with_process

        end_with_process()
        return run(options, None, None)

    return command


if __name__ == "__main__":
    sys.exit(main())
