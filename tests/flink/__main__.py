"""Compares with real Flink: ``python -m tests.flink PYTHON``, where PYTHON has ``apache-flink``, as in ``make flink``.

Every generated program of the library and of the golden scenarios runs, and prints the simulator's rows; every
statement of the SQL tests goes through the planner, and their queries emit the rows beside them; the Java that cures a
stream of one's own compiles, and cures of streams with planted faults, in Java and in SQL, put every record right. What
does not agree is named, and the exit code is 1.
"""

import sys
import tempfile
from pathlib import Path

from tests.flink.cures import java_cures
from tests.flink.environment import Missing, environment
from tests.flink.healing import healing
from tests.flink.plans import plans
from tests.flink.programs import java, sql
from tests.flink.rows import rows


def main(arguments: list[str]) -> int:
    """Print what was compared; 1 if anything differs."""
    try:
        given = environment(Path(arguments[0]))
    except Missing as problem:
        print(problem, file=sys.stderr)
        return 1
    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, runs in (("flink-java", java), ("pyflink-sql", sql)):
            wrong += runs(given, folder / name).tell(name)
        number, different = plans(given, folder / "plans")
        queries, other_rows = rows(given, folder / "rows")
        cures, not_cured = java_cures(given, folder / "cures")
        healed, not_healed = healing(given, folder / "healing")
    print(f"planner: {number - len(different)} of {number} statements agree")
    print("".join(f"  {each}\n" for each in different), end="")
    print(f"queries: {queries - len(other_rows)} of {queries} emit the rows of the tests")
    print("".join(f"  {each}\n" for each in other_rows), end="")
    print(f"cures in Java: {cures} compile and read times as they are written")
    print("".join(f"  {each}\n" for each in not_cured), end="")
    print(f"streams: {healed - len(not_healed)} of {healed} are as their cures say")
    print("".join(f"  {each}\n" for each in not_healed), end="", flush=True)
    return 1 if wrong or different or other_rows or not_cured or not_healed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
