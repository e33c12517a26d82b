"""The catalogue: every word that a person reads, one file a language, sections as TOML tables.

``words("player.play")`` gives a text; ``words("explain.fires.what", key="a", value=7)`` fills its ``{names}``.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

DEFAULT_LANGUAGE = "en"


@cache
def _catalogue(language: str) -> dict[str, Any]:
    with files(__name__).joinpath(f"{language}.toml").open("rb") as file:
        return tomllib.load(file)


def words(name: str, *, language: str = DEFAULT_LANGUAGE, **fields: object) -> str:
    """The text called ``name`` (``section.key``, more dots for nested tables) with ``{fields}`` filled in.

    Raises ``KeyError`` for a name that the catalogue does not have: a missing word is a bug, not a blank.
    """
    found: Any = _catalogue(language)
    for part in name.split("."):
        found = found[part]
    if not isinstance(found, str):
        raise KeyError(name)
    return found.format(**fields) if fields else found


def section(name: str, *, language: str = DEFAULT_LANGUAGE) -> Mapping[str, Any]:
    """All texts of one section, as nested mappings: what a component takes along to the browser."""
    found: Any = _catalogue(language)
    for part in name.split("."):
        found = found[part]
    return dict(found)
