"""Small tables in files, and a plain reader of them for laws to compare with."""

import csv
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Line = Mapping[str, Any]


def write_table(path: Path, rows: Sequence[Line], row_group_size: int | None = None) -> str:
    """Write ``rows`` as the name of the file says: ``.csv``, ``.jsonl`` or ``.parquet``, with or without ``.gz``."""
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path, row_group_size=row_group_size)
        return str(path)
    kind = Path(path.stem).suffix if path.suffix in (".gz", ".zst") else path.suffix
    data = (_csv(rows) if kind == ".csv" else _json(rows)).encode()
    if path.suffix == ".zst":
        with pa.OSFile(str(path), "wb") as file, pa.CompressedOutputStream(file, "zstd") as packed:
            packed.write(data)
    else:
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def read_plainly(paths: Iterable[str]) -> list[dict[str, str]]:
    """The rows of CSV files, files by name, as Python's own module reads them."""
    found: list[dict[str, str]] = []
    for path in sorted(paths):
        with open(path, encoding="utf-8", newline="") as file:
            found += csv.DictReader(file)
    return found


def _csv(rows: Sequence[Line]) -> str:
    names = list(rows[0])
    lines = [names, *([row[name] for name in names] for row in rows)]
    return "".join(",".join(_cell(cell) for cell in line) + "\n" for line in lines)


def _cell(cell: Any) -> str:
    text = "" if cell is None else str(cell)
    return '"' + text.replace('"', '""') + '"' if any(each in text for each in ',"\n') else text


def _json(rows: Sequence[Line]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)
