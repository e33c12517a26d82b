"""Files, and any other source of Spark, read as records with their place: file, block and row.

First some rows are looked at: of a text by the rules of the wizard for tables, of anything else by Spark.

A text is cut into blocks that tasks read side by side; ``block`` is where one begins, and within a task Spark numbers
the rows as they come. A Parquet file knows the number of each of its rows.

A record of Kafka has its columns in its value, a JSON object. What Kafka itself knows of it is beside these, under
names that begin with ``kafka.``: its timestamp is the arrival, its partition the channel, its key the key, unless
others are named.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.scenario.data.columns import MIDNIGHT, pair_of
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
from tidemark.spark_bridge.files.request import CSV, JSON, PACKED, VIEW, Columns, FilesError, Found
from tidemark.spark_bridge.files.sample import ROWS, Sample, guessed, listed
from tidemark.spark_bridge.spark.columns import long

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


PLACE: Final = ("file", "block", "row")

_CSV: Final = {
    "header": "true", "quote": '"', "escape": '"', "mode": "PERMISSIVE", "maxColumns": "1000000", "encoding": "UTF-8",
    "ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true",
}  # fmt: skip

_SPECIAL: Final = frozenset("{}[]*?\\,")
"""What means something else than itself in the name of a file where Spark reads the file in one piece."""


def raw_records(
    spark: SparkSession,
    found: Found,
    sample: Sample,
    named: Mapping[str, str],
    options: Mapping[str, str],
    *,
    whole: bool = False,
) -> DataFrame:
    """The place of each record, and its columns by role, as they are. Raises ``FilesError``.

    ``whole``: with a column ``raw``, the whole row: a struct, or the line of a JSON file.
    """
    paths = [escaped(path) for path in found.paths]
    if found.format == CSV:
        read = _csv(spark, found, paths, sample, named, options, whole=whole)
        columns = {role: _csv_column(sample, name) for role, name in named.items()}
    elif found.format == JSON and whole:
        schema = json_schema([each for name in named.values() for each in pair_of(name, sample.names) or (name,)])
        read = spark.read.text(paths).where(F.trim("value") != "")
        read = read.withColumn("object", F.from_json("value", schema, dict(options)))
        columns = {role: _json_column(sample, name, "object") for role, name in named.items()}
    elif found.format == JSON:
        schema = json_schema([each for name in named.values() for each in pair_of(name, sample.names) or (name,)])
        read = spark.read.schema(schema).options(mode="PERMISSIVE", **options).json(paths)
        columns = {role: _json_column(sample, name) for role, name in named.items()}
    else:
        table = spark.read.options(**options).parquet(*paths[:1])
        if found.is_here:
            _require_same_schema(found.paths, _names(sample, named))
        read = spark.read.schema(table.schema).options(**options).parquet(*paths)
        columns = {role: column_of(table.schema, name) for role, name in named.items()}
    if whole:
        columns["raw"] = F.col("value") if found.format == JSON else F.struct(*map(quoted, read.columns))
    place = [_file(spark, found, paths), *_block_and_row(found)]
    placed = read.select(*place, *(column.alias(role) for role, column in columns.items()))
    return placed if len(paths) == 1 else with_rank(spark, placed, paths)


def _csv_column(sample: Sample, name: str) -> Column:
    if pair := pair_of(name, sample.names):
        return pair_column(*(_csv_column(sample, each) for each in pair))
    return F.col(f"c{sample.names.index(name)}")


def _json_column(sample: Sample, name: str, *inside: str) -> Column:
    pair = pair_of(name, sample.names)
    return pair_column(*(member(each, *inside) for each in pair)) if pair else member(name, *inside)


def _names(sample: Sample, named: Mapping[str, str]) -> set[str]:
    """The columns in use, and the structs that they are members of."""
    used = {each for name in named.values() for each in pair_of(name, sample.names) or (name,)}
    return used | {each.split(".")[0] for each in used}


def escaped(path: str) -> str:
    """A path that Spark does not take for a pattern."""
    return "".join(f"\\{each}" if each in "{}[]*?\\" else each for each in path)


def _block_and_row(found: Found) -> tuple[Column, Column]:
    if found.format in (CSV, JSON):
        return F.col("_metadata.file_block_start").alias("block"), F.monotonically_increasing_id().alias("row")
    return long(0).alias("block"), F.col("_metadata.row_index").alias("row")


def _file(spark: SparkSession, found: Found, paths: list[str]) -> Column:
    return F.lit(0).alias("file") if len(paths) == 1 else F.col("_metadata.file_path").alias("file_path")


def with_rank(spark: SparkSession, placed: DataFrame, paths: list[str]) -> DataFrame:
    """``placed`` with ``file``, the rank of the path, in place of the path. Spark itself says how it writes paths."""
    listing = (
        spark.read.format("binaryFile").load(paths).select("path", F.col("_metadata.file_path").alias("file_path"))
    )
    written = sorted((row.path, row.file_path) for row in listing.collect())
    ranks = spark.createDataFrame(
        [(file_path, rank) for rank, (_, file_path) in enumerate(written)], "file_path STRING, file INT"
    )
    ranked = placed.join(F.broadcast(ranks), "file_path")
    return ranked.select(*PLACE, *(name for name in placed.columns if name not in ("file_path", *PLACE)))


def _csv(
    spark: SparkSession,
    found: Found,
    paths: list[str],
    sample: Sample,
    named: Mapping[str, str],
    options: Mapping[str, str],
    *,
    whole: bool,
) -> DataFrame:
    used = {each for name in named.values() for each in pair_of(name, sample.names) or (name,)}
    wanted = {name: sample.names.index(name) for name in used}
    for path in found.paths:
        names = header_of(spark, found, path, sample.delimiter)
        if names and any(index >= len(names) or names[index] != name for name, index in wanted.items()):
            raise FilesError("other_header", path=path, other=sample.path, names=listed(names))
    if sample.comments:
        _require_comments_at_the_top(spark, found, paths)
        options = {**options, "comment": "#"}
    in_one_piece = _has_broken_lines(spark, found, paths)
    if in_one_piece and (strange := next((path for path in found.paths if _SPECIAL & set(path)), None)):
        raise FilesError("strange_name", path=strange)
    for path in found.paths if in_one_piece and found.is_here else ():
        if (line := line_of_open_quote(path, sample.delimiter)) is not None:
            raise FilesError("open_quote", path=path, line=f"{line:,}")
    width = len(sample.names) if whole else max(wanted.values()) + 1
    schema = StructType([StructField(f"c{number}", StringType()) for number in range(width)])
    reader = spark.read.schema(schema).options(**_CSV, sep=sample.delimiter, multiLine=str(in_one_piece), **options)
    return reader.csv(paths)


def _require_comments_at_the_top(spark: SparkSession, found: Found, paths: list[str]) -> None:
    """Spark leaves out all lines that begin with ``#``: refuse files with some that are not before the header."""
    before = sum(comments_of(spark, found, path) for path in found.paths)
    if spark.read.text(paths).where(F.col("value").startswith("#")).count() > before:
        raise FilesError("comments_inside", path=found.paths[0])


def _has_broken_lines(spark: SparkSession, found: Found, paths: list[str]) -> bool:
    """Whether a cell in quotes may hold a line end: then some line has an odd number of quotes.

    A compressed file is read by one task anyway, so nothing is lost by reading it in one piece.
    """
    if any(path.lower().endswith(tuple(PACKED)) for path in paths):
        return True
    quotes = F.length("value") - F.length(F.replace(F.col("value"), F.lit('"'), F.lit("")))
    odd = spark.read.text(paths).where(F.col("value").contains('"') & (quotes % 2 == 1))
    return bool(odd.limit(1).collect())


def json_schema(names: Iterable[str]) -> StructType:
    """All wanted members as texts; one with dots may be a member of a member, or be called so."""
    tree: dict[str, object] = {}
    for name in names:
        here = tree
        *above, last = name.split(".")
        for part in above:
            here = here.setdefault(part, {})  # type: ignore[assignment]
        here.setdefault(last, None)
        tree.setdefault(name, None)
    return _struct(tree)


def _struct(tree: Mapping[str, object]) -> StructType:
    return StructType(
        [StructField(name, _struct(each) if isinstance(each, dict) else StringType()) for name, each in tree.items()]
    )


def member(name: str, inside: str = "") -> Column:
    """A member of the objects that ``json_schema`` describes; they are the table itself, or its column ``inside``."""
    before = [quoted(inside)] if inside else []
    own = F.col(".".join([*before, quoted(name)]))
    if "." not in name:
        return own
    return F.coalesce(own, F.col(".".join([*before, *map(quoted, name.split("."))])))


def _require_same_schema(paths: tuple[str, ...], wanted: set[str]) -> None:
    first: dict[str, pa.DataType] = {}
    for path in paths:
        schema = arrow_schema(path)
        if gone := sorted(set(first) - set(schema.names)):
            raise FilesError("no_column", path=path, name=shown_in_message(gone[0]), names=listed(schema.names))
        here = {name: schema.field(name).type for name in wanted if name in schema.names}
        first = first or here
        if here != first:
            name = next(name for name in (*first, *here) if first.get(name) != here.get(name))
            raise FilesError(
                "other_schema",
                path=path,
                other=paths[0],
                name=shown_in_message(name),
                type=here.get(name, "-"),
                expected=first.get(name, "-"),
            )


def arrow_schema(path: str) -> pa.Schema:
    """What a Parquet file says of its columns. Raises ``FilesError``."""
    try:
        return pq.read_schema(path)
    except (OSError, pa.ArrowException) as error:
        raise FilesError("broken", path=path, reason=str(error).split("\n")[0]) from error


_BLOCK = 2**20


def line_of_open_quote(path: str, delimiter: str) -> int | None:
    """The line (from 1) of a file of this machine in which the cell begins that is still open at its end, if one is."""
    begins = re.compile(rb'(?:^|%s) *"' % re.escape(delimiter.encode()))
    opened = None
    for number, line in enumerate(raw_lines(path), 1):
        at = 0
        while b'"' in line[at:]:
            if opened is None:
                found = next((each for each in begins.finditer(line) if each.start() >= at), None)
                if found is None:
                    break
                opened, at = number, found.end()
            else:
                end = line.find(b'"', at)
                if end < 0:
                    break
                doubled = line[end + 1 : end + 2] == b'"'
                opened, at = (opened, end + 2) if doubled else (None, end + 1)
    return opened


def raw_lines(path: str) -> Iterator[bytes]:
    """The lines of a text of this machine, packed or not, without their ends."""
    compression = {"gz": "gzip", "zst": "zstd"}.get(path.rpartition(".")[2].lower())
    rest = b""
    with pa.input_stream(path, compression=compression) as file:
        while block := file.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            yield from lines
    yield rest


KAFKA: Final = "kafka"

_KAFKA_TYPES: Final = {
    "key": "string",
    "timestamp": "timestamp",
    "partition": "int",
    "offset": "bigint",
    "topic": "string",
}
"""What Kafka knows of a record, and Spark's types of that."""

_BEFORE: Final = "kafka."
_OBJECT: Final = "object"


def other_table(spark: SparkSession, found: Found, options: Mapping[str, str]) -> DataFrame:
    """The table that Spark's reader for ``found.format`` finds. Raises what Spark raises."""
    if found.format == VIEW:
        return spark.table(found.paths[0])
    reader = spark.read.format(found.format).options(**options)
    table = reader.load(list(found.paths)) if found.paths else reader.load()
    table.schema  # noqa: B018 - Spark Connect looks for the table only now
    return table


def sample_of_other(table: DataFrame, found: Found) -> Sample:
    """The first rows of such a table. Raises ``FilesError``."""
    name = " ".join(found.paths) or found.format
    sample = _sample_of_kafka(table, name) if found.format == KAFKA else sample_of_table(table, name)
    if not sample.cells:
        raise FilesError("no_records", path=name)
    return sample


def with_defaults(requested: Columns, sample: Sample, found: Found) -> Columns:
    """The columns that were asked for; of a topic also those that Kafka itself brings, where no others are named."""
    if found.format != KAFKA:
        return requested
    columns = requested
    if not requested.named:
        members = [number for number, name in enumerate(sample.names) if not name.startswith(_BEFORE)]
        names = tuple(sample.names[number] for number in members)
        cells = tuple([row[number] for number in members] for row in sample.cells)
        of_value = guessed(Sample(sample.path, names, cells), ("ts", "key", "value"))
        columns = replace(requested, **of_value)
    own = {"at": "timestamp", "channel": "partition", "key": "key"}
    return replace(columns, **{role: f"{_BEFORE}{name}" for role, name in own.items() if role not in columns.named})


def raw_of_other(
    spark: SparkSession, table: DataFrame, found: Found, named: Mapping[str, str], *, whole: bool = False
) -> DataFrame:
    """The place of each record, and its columns by role, as they are; see ``reading.raw_records``."""
    if found.format == KAFKA:
        schema = json_schema([name for name in named.values() if not name.startswith(_BEFORE)])
        read = table.withColumn(_OBJECT, F.from_json(F.col("value").cast("string"), schema))
        columns = {role: _of_kafka(name) for role, name in named.items()}
        if whole:
            columns["raw"] = F.col("value").cast("string")
        place = [F.lit(0).alias("file"), F.col("partition").cast("bigint").alias("block"), F.col("offset").alias("row")]
        return read.select(*place, *(column.alias(role) for role, column in columns.items()))
    columns = {role: column_of(table.schema, name) for role, name in named.items()}
    if whole:
        columns["raw"] = F.struct(*map(quoted, table.columns))
    wanted = [column.alias(role) for role, column in columns.items()]
    row = F.monotonically_increasing_id().alias("row")
    try:
        block = F.col("_metadata.file_block_start").alias("block")
        placed = table.select(F.col("_metadata.file_path").alias("file_path"), block, row, *wanted)
        placed.schema  # noqa: B018 - Spark Connect looks for the columns only now
    except AnalysisException:  # no files: rows as they come
        return table.select(F.lit(0).alias("file"), long(0).alias("block"), row, *wanted)
    return with_rank(spark, placed, list(found.paths))


def _of_kafka(name: str) -> Column:
    own = name.removeprefix(_BEFORE)
    return F.col(own).cast(_KAFKA_TYPES[own]) if name != own and own in _KAFKA_TYPES else member(name, _OBJECT)


def _sample_of_kafka(table: DataFrame, name: str) -> Sample:
    own = [F.col(each).cast(type).cast("string") for each, type in _KAFKA_TYPES.items()]
    rows = table.select(F.col("value").cast("string"), *own).limit(ROWS).collect()
    objects = [
        next((o for o in islice(objects_of(row[0] or ""), 1) if isinstance(o, FoundObject)), None) for row in rows
    ]
    members = list(dict.fromkeys(each for found in objects if found for each in found.members))
    if rows and not members:
        raise FilesError("no_objects", path=name)
    cells = tuple(
        [
            *(found.members.get(each, "") if found else "" for each in members),
            *("" if each is None else each for each in row[1:]),
        ]
        for row, found in zip(rows, objects, strict=True)
    )
    types = {f"{_BEFORE}{each}": type for each, type in _KAFKA_TYPES.items()}
    return Sample(name, (*members, *types), cells, types)
