"""Who looks for a fault: parts of the tests, from cheap to dear."""

from typing import Final

FINDERS: Final[dict[str, tuple[str, ...]]] = {
    "rows": ("tests/engine/test_golden.py", "tests/dialect/test_golden.py", "tests/proof/test_library_recordings.py"),
    "engine": ("tests/engine", "tests/dialect", "tests/proof"),
    "files": ("tests/scenario/test_durations.py", "tests/scenario/test_generated_streams.py"),
    "tables": ("tests/scenario/test_tables.py", "tests/scenario/test_generated_streams.py"),
    "own": (
        "tests/own_stream/test_fitting.py",
        "tests/own_stream/test_findings.py::test_a_time_that_half_of_the_records_share_is_none_and_one_that_a_few_share_is",
        "tests/own_stream/test_findings.py::test_a_block_is_hardly_anything_but_copies_and_less_than_half_of_the_stream",
        "tests/own_stream/test_figures.py",
        "tests/own_stream/test_cut.py",
        *("-m", "not spark"),
    ),
    "keyed": ("tests/spark/test_keyed.py", "tests/spark/test_watermarks.py"),
    "small": ("tests/small",),
    "laws": ("tests/timeline", "-k", "laws"),
    "bridge": ("tests/spark", "-m", "not spark"),
    "spark": ("tests/spark/test_random.py",),
    "sparkcompare": ("tests/spark/test_compare.py",),
    "sparkchecks": ("tests/mutants/checks.py",),
}
"""Arguments for pytest, by name. Those whose names begin with ``spark`` need it."""

BROADLY: Final = {
    "simulator": ("rows", "engine", "small", "files", "laws", "keyed"),
    "spark_bridge": ("keyed", "spark", "sparkchecks", "sparkcompare", "small", "bridge"),
}
"""Who looks after those that a fault names, by the package that it is in."""


def arguments_of(finder: str) -> list[str]:
    """The arguments for pytest of ``name`` or ``name: words``."""
    name, _, words = finder.partition(":")
    chosen = list(FINDERS[name])
    return [*chosen, "-k", words.strip()] if words.strip() else chosen


def finders_of(file: str, first: tuple[str, ...]) -> list[str]:
    """The finders of a fault in ``file``, in order: ``first``, then broadly whoever has not looked everywhere yet."""
    broadly = BROADLY[file.partition("/")[0]]
    return [*first, *(each for each in broadly if each not in first)]
