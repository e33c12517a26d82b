"""Runs cures in Flink SQL, without the project: ``curing.py FOLDER NUMBER``.

Of each folder 0 to NUMBER - 1, the statements of cure.json; time, key and value of the rows go to sql.csv.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def cure(folder):
    """Run the statements of one folder."""
    asked = json.loads((folder / "cure.json").read_text(encoding="utf-8"))
    flink = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    settings = {"parallelism.default": "1", "table.local-time-zone": "UTC", **asked["settings"]}
    for name, value in settings.items():
        flink.get_config().set(name, value)
    for each in asked["statements"]:
        flink.execute_sql(each)
    options = f"'connector' = 'filesystem', 'path' = 'file://{folder}/out', 'format' = 'csv'"
    flink.execute_sql(f"CREATE TABLE found (made STRING, `user` STRING, id STRING) WITH ({options})")
    text = "DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm:ss.SSS')"
    flink.execute_sql(f"INSERT INTO found SELECT {text}, `user`, id FROM {asked['from']}").wait()
    files = sorted(each for each in (folder / "out").rglob("*") if each.is_file())
    rows = [line.replace('"', "").split(",") for each in files for line in each.read_text().split("\n") if line]
    lines = [f"{_ms(when)},{user},{id}" for when, user, id in rows]
    (folder / "sql.csv").write_text("\n".join(lines), encoding="utf-8")


def _ms(text):
    time = datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=UTC)
    return round((time - EPOCH).total_seconds() * 1000)


if __name__ == "__main__":
    for number in range(int(sys.argv[2])):
        own = Path(sys.argv[1]) / str(number)
        try:
            cure(own)
        except Exception as problem:
            text = str(problem)
            (own / "sql.error.txt").write_text(text[max(text.rfind("Caused by:"), 0) :][:500])
