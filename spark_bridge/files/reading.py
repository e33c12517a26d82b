"""The columns of files as Spark reads them, each record with its place: file, block and row.

A text is cut into blocks that tasks read side by side; ``block`` is where one begins, and within a task Spark numbers
the rows as they come. A Parquet file knows the number of each of its rows.

A quote that is never closed swallows the rest of a CSV file; Spark says nothing of it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StringType, StructField, StructType
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.scenario.data.cells import pair_of
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.finding import CSV, JSON, PACKED, Found
from tidemark.spark_bridge.files.sample import Sample, listed
from tidemark.spark_bridge.files.sampling import column_of, comments_of, header_of, pair_column, quoted
from tidemark.spark_bridge.spark.columns import long

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
    for number, line in enumerate(lines_of(path), 1):
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


def lines_of(path: str) -> Iterator[bytes]:
    """The lines of a text of this machine, packed or not, without their ends."""
    compression = {"gz": "gzip", "zst": "zstd"}.get(path.rpartition(".")[2].lower())
    rest = b""
    with pa.input_stream(path, compression=compression) as file:
        while block := file.read(_BLOCK):
            *lines, rest = (rest + block).split(b"\n")
            yield from lines
    yield rest
