"""What the app's page *Your stream* asks the bridge: first rows, a profile, a cut, the pictures and the report.

Only a profile and a cut start Spark. Importing this module imports neither pyspark nor a library for pictures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from tidemark.simulator.limits import SHOWN_COLUMN_BYTES, TYPED_CHARACTERS
from tidemark.simulator.scenario.tables.columns import OF_ONE_INPUT
from tidemark.spark_bridge.files.request import Columns, Files, FilesError
from tidemark.spark_bridge.files.sample import ROWS, Sample, guessed
from tidemark.spark_bridge.files.sample import other_times as times_beside
from tidemark.spark_bridge.spark.java import require_spark
from tidemark.spark_bridge.spark.stages import Stages

if TYPE_CHECKING:
    from tidemark.spark_bridge.profile.findings.finding import Finding
    from tidemark.spark_bridge.profile.profile import Profile, ProfileRequest, UpgradeRule

STREAM_STAGES: Final = ("session", "open", "order", "count", "course", "judge", "prove")
"""The stages of a profile in the order in which they begin; their titles are ``own_page.stages.<name>``."""

CUT_STAGES: Final = ("session", "open", "cut")
"""Those of a cut."""


@dataclass(frozen=True)
class FirstRows:
    """The first rows of a stream as text, and the columns that its records would be made of."""

    names: tuple[str, ...]
    cells: tuple[Sequence[str], ...]
    columns: Columns


def first_rows(paths: Sequence[str]) -> FirstRows:
    """The first rows of the first of these files of this machine that has any. Raises ``FilesError``."""
    from tidemark.spark_bridge.files.reading import first_rows_of_text
    from tidemark.spark_bridge.files.request import PARQUET, find

    found = find(Files(tuple(paths)))
    sample = _parquet(found.paths[0]) if found.format == PARQUET else first_rows_of_text(found)
    try:
        columns = Columns(**guessed(sample, OF_ONE_INPUT))
    except FilesError:  # too many columns to guess from: the reader chooses
        columns = Columns()
    return FirstRows(sample.names, sample.cells, columns)


def other_times(columns: Columns, first: FirstRows) -> str | None:
    """Another column of times than the event time, where no arrivals are read."""
    return times_beside(columns, Sample("", first.names, first.cells))


def profile(
    files: Files, request: "ProfileRequest", progress: Callable[[str, int, int], None], cancelled: Event
) -> "Profile":  # fmt: skip
    """The profile with its course. Raises ``CheckFails``, ``NoJava``, ``Cancelled``, ``ValueError``."""
    require_spark()
    from tidemark.spark_bridge.profile.run import profile_files

    return profile_files(files, replace(request, course=True), Stages(progress, cancelled))[0]


def examples() -> "dict[str, Profile]":
    """The examples by name, each with its profile, which was computed beforehand."""
    from tidemark.spark_bridge.examples import EXAMPLES, stored_profile

    return {name: stored_profile(name) for name in EXAMPLES}


def write_example(name: str, folder: Path) -> Path:
    """Write the file of an example into ``folder``. Raises ``OSError``."""
    from tidemark.spark_bridge.examples import EXAMPLES, write

    return write(EXAMPLES[name](), folder)


def profile_request(values: Mapping[str, Any]) -> "ProfileRequest":
    """A question of the profile from its members by name; see ``ProfileRequest``."""
    from tidemark.spark_bridge.profile.profile import ProfileRequest

    return ProfileRequest(**values)


def pictures(found: "Profile") -> dict[str, Any]:
    """The pictures of a profile by name, as Altair charts."""
    from tidemark.spark_bridge.profile.report import pictures as pictures_of

    return pictures_of(found)


def report(found: "Profile", subject: str, columns: Columns) -> str:
    """The profile as an HTML file."""
    from tidemark.spark_bridge.profile.report import html_of

    return html_of(found, subject, columns)


def heading(found: "Profile") -> tuple[list[str], list[str]]:
    """A few lines for people: how much there is; what windows do with it and which bound is enough."""
    from tidemark.spark_bridge.profile.profile import heading_of, windows_of

    return heading_of(found), [line for line in windows_of(found) if line]


def sentence(finding: "Finding") -> str:
    """What is found, in the language that is spoken here."""
    from tidemark.spark_bridge.profile.findings.wording import sentence_of

    return sentence_of(finding)


def worth(finding: "Finding", by: "ProfileRequest") -> list[str]:
    """What its cure leaves of it and what that costs, in the language that is spoken here; [] without a cure."""
    from tidemark.spark_bridge.profile.profile import worth_of

    return worth_of(finding, by.bound)


def upgrade(found: "Profile") -> "list[tuple[str, UpgradeRule | None]]":
    """What an upgrade of Flink changes, rule by rule, in the language that is spoken here; [] if nobody has asked."""
    from tidemark.spark_bridge.profile.profile import upgrade_of

    return upgrade_of(found)


def tables(found: "Profile") -> list[tuple[str, list[list[str]]]]:
    """The tables of the figures, each with its title; the first row of each has the names of the columns."""
    from tidemark.spark_bridge.profile.profile import tables_of

    return tables_of(found)


def cut(
    files: Files, found: "Finding", by: "ProfileRequest", progress: Callable[[str, int, int], None], cancelled: Event
) -> str:
    """The text of a scenario that shows ``found``, one of the findings of the profile that ``by`` asked for.

    Raises ``CheckFails``, ``NoJava``, ``Cancelled``, ``ValueError``.
    """
    from tidemark.spark_bridge.cut.case import FindingOf
    from tidemark.spark_bridge.cut.cut import DEFAULT, CutRequest
    from tidemark.spark_bridge.cut.rules import Rules
    from tidemark.spark_bridge.cut.run import cut_files
    from tidemark.spark_bridge.profile.findings.records import Expectations

    rules = Rules(by.channels or 1, by.window or DEFAULT.size, by.bound or 0, by.lateness)
    made = cut_files(
        files,
        CutRequest(FindingOf(found.code), rules, where=found.where),
        Stages(progress, cancelled),
        judged_by=Expectations(by.bound, by.channels),
    )
    return made.text


def _parquet(path: str) -> Sample:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            names = tuple(file.schema_arrow.names)
            heavy = _heavy(file.metadata)
            columns = [each for each in names if not any(f"{path}.".startswith(f"{each}.") for path in heavy)]
            batches = file.iter_batches(ROWS, columns=columns if heavy else None)
            rows = [row for batch in islice(batches, 1) for row in batch.to_pylist()]
    except (OSError, pa.ArrowException) as error:
        raise FilesError("broken", path=path, reason=str(error).split("\n")[0]) from error
    if not rows:
        raise FilesError("no_records", path=path)
    cells = ([row.get(name) for name in names] for row in rows)
    return Sample(
        path, names, tuple(["" if each is None else str(each)[:TYPED_CHARACTERS] for each in row] for row in cells)
    )


def _heavy(metadata: Any) -> set[str]:
    """Columns that are not shown, since by the sizes in the file their first cells may take much memory."""
    found, rows = set[str](), 0
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for chunk in map(group.column, range(group.num_columns)):
            size = chunk.total_uncompressed_size
            swells = size > 100 * chunk.total_compressed_size or size > 10_000 * chunk.num_values
            if size > SHOWN_COLUMN_BYTES and swells:
                found.add(chunk.path_in_schema)
        rows += group.num_rows
        if rows >= ROWS:
            break
    return found
