"""What a core installation lacks, and the sentence that says how to install it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from tidemark.simulator.places import package_with
from tidemark.simulator.words import words

PACKAGES: Final = {
    "app": ("streamlit", "altair", "pandas", "tomlkit", "segno", "vl_convert"),
    "notebook": ("pandas", "altair"),
    "spark": ("pyspark", "numpy", "pyarrow"),
}
"""The packages of each extra that are looked for; the others come with them."""


class MissingExtra(ImportError):
    """A library is missing that a core installation lacks; the message names the extra that has it.

    >>> import tidemark
    >>> issubclass(tidemark.MissingExtra, ImportError)
    True
    """


def _missing(library: str, extra: str) -> str:
    return words("python.missing", library=library, package=package_with(extra))


def require(extra: str) -> None:
    """Raises ``MissingExtra`` unless the packages of ``extra`` can be imported."""
    if missing := [each for each in PACKAGES[extra] if find_spec(each) is None]:
        raise MissingExtra(_missing(missing[0], extra))


def needs(library: str, extra: str) -> Any:
    """The module ``library``. Raises ``MissingExtra``, which names the ``extra`` to install."""
    try:
        return import_module(library)
    except ImportError as error:
        raise MissingExtra(_missing(library.partition(".")[0], extra), name=library) from error
