"""Runs queries in the environment of Flink, without the project: ``emitting.py FOLDER``.

The texts of FOLDER/texts.json, each a list of statements that ends with its query; their rows, or why there are none,
to emitted.json. In the statements, FOLDER stands for the folder itself.
"""

import json
import sys
from decimal import Decimal
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

SETTINGS = {"parallelism.default": "1", "pipeline.auto-watermark-interval": "0 ms", "table.local-time-zone": "UTC"}


def emit(folder):
    """Run each text; a row is what happens to it and its values, times and decimals as text."""
    texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))
    emitted = []
    for statements in texts:
        flink = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
        for key, value in SETTINGS.items():
            flink.get_config().set(key, value)
        try:
            for each in statements[:-1]:
                if each.upper().startswith("SET "):
                    key, _, value = (part.strip(" '") for part in each[4:].partition("="))
                    flink.get_config().set(key, value)
                else:
                    flink.execute_sql(each.replace("FOLDER", str(folder)))
            result = flink.execute_sql(statements[-1])._j_table_result.collect()
            rows = []
            while result.hasNext():
                row = result.next()
                values = [_plain(row.getField(place)) for place in range(row.getArity())]
                rows.append([row.getKind().shortString(), *values])
            emitted.append(rows)
        except Exception as problem:
            text = str(problem)
            emitted.append(text[max(text.rfind("Caused by:"), 0) :][:500])
    (folder / "emitted.json").write_text(json.dumps(emitted), encoding="utf-8")


def _plain(value):
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return format(value, "f")
    kind, text = value.getClass().getName(), value.toString()
    if kind == "java.math.BigDecimal":
        return value.toPlainString()
    if kind in ("java.time.LocalDateTime", "java.time.Instant"):
        text = text.replace("T", " ").replace("Z", "")
        return text if text.count(":") > 1 else text + ":00"
    return text


if __name__ == "__main__":
    emit(Path(sys.argv[1]))
