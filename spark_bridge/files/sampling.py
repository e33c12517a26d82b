"""The first rows of files: of a text by the rules of the wizard for tables, of anything else by Spark."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType
from tidemark.simulator.scenario.data.cells import MIDNIGHT, pair_of
from tidemark.simulator.scenario.tables.guess import guess_decimal, has_header
from tidemark.simulator.scenario.tables.rows import (
    EXCEL,
    Row,
    decoded,
    guess_delimiter,
    guess_encoding,
    is_one_document,
    lines_of,
    names_in_comment,
    objects_of,
    rows_of,
)
from tidemark.simulator.scenario.tables.rows import Found as FoundObject
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.finding import CSV, Found
from tidemark.spark_bridge.files.sample import ROWS, Sample

LOOKED_AT: Final = 2**20
"""How many bytes of a text are looked at for the columns."""

HEADER_WITHIN: Final = 2**18
"""How many bytes are looked at for a header alone: a folder may hold thousands of files."""


def sample_of_text(spark: SparkSession, found: Found) -> Sample:
    """The first rows of the first file that has any. Raises ``FilesError``."""
    return _first_rows(found, _text_of if found.is_here else partial(_text_at, spark))


def first_rows_of_text(found: Found) -> Sample:
    """The same without Spark, for files of this machine. Raises ``FilesError``."""
    assert found.is_here
    return _first_rows(found, _text_of)


def sample_of_table(table: DataFrame, path: str) -> Sample:
    """The first rows of a table whose columns have types; a member of a struct has a dotted path."""
    types = dict(_flat(table.schema))
    cells = [column_of(table.schema, name).cast("string") for name in types]
    rows = table.select(*cells).limit(ROWS).collect()
    return Sample(path, tuple(types), tuple(["" if each is None else each for each in row] for row in rows), types)


def column_of(schema: StructType, path: str) -> Column:
    """The column of that name, or the member of a struct at that dotted path."""
    if path in schema.names:
        return F.col(quoted(path))
    if pair := pair_of(path, dict(_flat(schema))):
        return pair_column(*(column_of(schema, each) for each in pair))
    return F.col(".".join(quoted(part) for part in path.split(".")))


def pair_column(date: Column, clock: Column) -> Column:
    """The time of a date and a time of day in two columns, as ``data.pairs.joined`` makes it; null if one lacks."""
    day = F.regexp_replace(F.trim(date.cast("string")), MIDNIGHT, "")
    time = F.trim(clock.cast("string"))
    return F.when((day != "") & (time != ""), F.concat_ws(" ", day, time))


def quoted(name: str) -> str:
    """``name`` as Spark reads it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def _flat(schema: StructType, before: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for field in schema.fields:
        if isinstance(field.dataType, StructType):
            found += _flat(field.dataType, f"{before}{field.name}.")
        else:
            found.append((before + field.name, field.dataType.simpleString()))
    return found


def header_of(spark: SparkSession, found: Found, path: str, delimiter: str) -> tuple[str, ...]:
    """The first row of a CSV file; () if it has none. Raises ``FilesError``.

    ``delimiter``: that of the whole stream. In a file with another one the row is one cell, or cut in other places.
    """
    text = _text_of(path, HEADER_WITHIN) if found.is_here else _text_at(spark, path, 1)
    rows = rows_of(text, delimiter)
    return next((tuple(row.cells) for row in rows if isinstance(row, Row)), ())


def comments_of(spark: SparkSession, found: Found, path: str) -> int:
    """How many lines of comments a CSV file has before its header. Raises ``FilesError``."""
    text = _text_of(path, HEADER_WITHIN) if found.is_here else _text_at(spark, path)
    return len(text) - len(text.lstrip("\n"))


def _first_rows(found: Found, text_of: Callable[[str], str]) -> Sample:
    read = _sample_of_csv if found.format == CSV else _sample_of_json
    for path in found.paths:
        text = text_of(path)
        if text.strip() and (sample := read(path, text)).cells:
            return sample
    raise FilesError("no_records", path=found.paths[0])


def _text_of(path: str, most: int = LOOKED_AT) -> str:
    try:
        compression = {"gz": "gzip", "zst": "zstd"}.get(path.rpartition(".")[2].lower())
        with pa.input_stream(path, compression=compression) as file:
            data = file.read(most)
    except (OSError, pa.ArrowException) as error:
        raise FilesError("broken", path=path, reason=str(error).split("\n")[0]) from error
    encoding, _ = guess_encoding(data)
    if encoding != "utf-8":
        raise FilesError("encoding", path=path, encoding=encoding)
    text = decoded(data, encoding)
    if EXCEL.match(text):
        raise FilesError("excel_line", path=path)
    text = lines_of(text)
    if len(data) < most:
        return text
    if "\n" not in text:
        raise FilesError("no_lines", path=path)
    return text[: text.rindex("\n")]


def _text_at(spark: SparkSession, address: str, most: int = ROWS + 1) -> str:
    lines = spark.read.text(address).limit(most).collect()
    return lines_of("\n".join(line.value for line in lines))


def _sample_of_csv(path: str, text: str) -> Sample:
    delimiter = guess_delimiter(text)
    rows = [row.cells for row in islice(rows_of(text, delimiter), ROWS + 1) if isinstance(row, Row)]
    if not rows:
        raise FilesError("no_records", path=path)
    if not has_header(rows):
        raise FilesError("no_header", path=path)
    return Sample(
        path,
        tuple(rows[0]),
        tuple(rows[1:]),
        delimiter=delimiter,
        decimal=guess_decimal(rows[1:], delimiter),
        comments=len(text) - len(text.lstrip("\n")),
        header_in_comment=names_in_comment(rows[0][0]),
    )


def _sample_of_json(path: str, text: str) -> Sample:
    first = text.lstrip().split("\n", 1)[0]
    if is_one_document(first):
        raise FilesError("not_lines", path=path)
    found = [each for each in islice(objects_of(text), ROWS) if isinstance(each, FoundObject)]
    names = tuple(dict.fromkeys(name for each in found for name in each.members))
    if not names:
        raise FilesError("no_objects", path=path)
    return Sample(path, names, tuple([each.members.get(name, "") for name in names] for each in found))
