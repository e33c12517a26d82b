"""The catalogue: every word that a person reads, one folder a language, one TOML file a subject.

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
    """All files of a language as one; what two of them say is a mistake (``ValueError``)."""
    catalogue: dict[str, Any] = {}
    for path in sorted(files(__name__).joinpath(language).iterdir(), key=lambda each: each.name):
        if path.name.endswith(".toml"):
            _join(catalogue, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    return catalogue


def _join(catalogue: dict[str, Any], more: Mapping[str, Any], where: str) -> None:
    for name, value in more.items():
        if name not in catalogue:
            catalogue[name] = value
        elif isinstance(value, dict) and isinstance(catalogue[name], dict):
            _join(catalogue[name], value, f"{where}: {name}")
        else:
            message = f"{where}: {name} stands in two files of the catalogue"
            raise ValueError(message)


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
