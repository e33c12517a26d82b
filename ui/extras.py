"""What a core installation lacks, and the sentence that says how to install it."""

from importlib.util import find_spec
from typing import Final

from tidemark.simulator.words import words

PACKAGES: Final = {
    "app": ("streamlit", "altair", "pandas", "tomlkit", "segno", "vl_convert"),
    "notebook": ("pandas", "altair"),
    "spark": ("pyspark", "numpy", "pyarrow"),
}
"""The packages of each extra that are looked for; the others come with them."""


class MissingExtra(ImportError):
    """Packages of an extra are not installed; the text names them and the extra."""


def require(extra: str) -> None:
    """Raises ``MissingExtra`` unless the packages of ``extra`` can be imported."""
    missing = [each for each in PACKAGES[extra] if find_spec(each) is None]
    if missing:
        raise MissingExtra(words("commands.no_extra", packages=", ".join(missing), extra=extra))
