"""The examples as files: CSV, JSON Lines or Parquet, by the end of the name."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tidemark.spark_bridge.examples.made import Example


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
