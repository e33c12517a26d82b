"""Runs every generated program for Spark and compares its rows with the simulator's: ``make programs``.

Those for Flink need an environment of their own: ``make flink``.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tidemark.spark_bridge.spark.java import find_java, java_home

from tests.programs.comparing import RUNNER, Outcome, compare_all, python_programs


def main() -> int:
    """Print what was compared; 1 if anything differs."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "pyspark"
        found = python_programs("pyspark", folder, outcome)
        log = Path(made) / "spark.log"
        own = {"JAVA_HOME": str(java_home(find_java(os.environ))), "TMPDIR": made, "PYTHONUTF8": "1"}
        quick = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
        with log.open("w") as messages:
            command = [sys.executable, str(RUNNER), str(folder)]
            done = subprocess.run(command, env={**os.environ, **quick, **own}, stdout=messages, stderr=messages,
                                  check=False)  # fmt: skip
        if done.returncode:
            print("\n".join(log.read_text(errors="replace").splitlines()[-20:]), file=sys.stderr)
        compare_all(found, folder, outcome)
    return 1 if outcome.tell("pyspark") or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
