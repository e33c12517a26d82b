"""What a core installation lacks, and the sentence that says how to install it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

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


def require(extra: str) -> None:
    """Raises ``MissingExtra`` unless the packages of ``extra`` can be imported."""
    if missing := [each for each in PACKAGES[extra] if find_spec(each) is None]:
        raise MissingExtra(words("python.missing", library=missing[0], extra=extra))


def needs(library: str, extra: str) -> Any:
    """The module ``library``. Raises ``MissingExtra``, which names the ``extra`` to install."""
    try:
        return import_module(library)
    except ImportError as error:
        text = words("python.missing", library=library.partition(".")[0], extra=extra)
        raise MissingExtra(text, name=library) from error
