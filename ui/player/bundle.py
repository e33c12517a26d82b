"""Joins the player's ES modules into one: Streamlit takes a component's script as one text, an exported page too.

The modules import one another by name from ``./file.js`` only. Joining puts each after what it imports and takes the
``import`` lines and ``export`` words away; a name that two modules declare would then clash, so it is refused.
"""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'^import\s+\{([^}]*)\}\s+from\s+"\./([\w-]+\.js)";\n', re.MULTILINE)
_DECLARED = re.compile(r"^(?:export\s+)?(?:async\s+)?(?:function\*?|const|let|class)\s+(\w+)", re.MULTILINE)


class BundleError(Exception):
    """The modules cannot be joined; the message says why."""


@cache
def script(entry: str = "main.js") -> str:
    """All modules that ``entry`` needs as one ES module; ``entry`` alone keeps its exports."""
    order: list[str] = []
    _visit(entry, order, [])
    owner: dict[str, str] = {}
    parts = []
    for name in order:
        text = (FOLDER / name).read_text(encoding="utf-8")
        for declared in _DECLARED.findall(text):
            if declared in owner:
                message = f"{declared} is declared in {owner[declared]} and in {name}"
                raise BundleError(message)
            owner[declared] = name
        text = _IMPORT.sub("", text)
        if name != entry:
            text = re.sub(r"^export\s+", "", text, flags=re.MULTILINE)
        parts.append(f"// --- {name} ---\n{text.strip()}\n")
    return "\n".join(parts)


@cache
def style() -> str:
    """All style sheets of the player, in order of their names."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.css")))


def _visit(name: str, order: list[str], path: list[str]) -> None:
    if name in order:
        return
    if name in path:
        message = f"modules import one another in a circle: {' -> '.join([*path, name])}"
        raise BundleError(message)
    text = (FOLDER / name).read_text(encoding="utf-8")
    exported = set()
    for names, source in _IMPORT.findall(text):
        _visit(source, order, [*path, name])
        exported = set(_DECLARED.findall((FOLDER / source).read_text(encoding="utf-8")))
        missing = {each.strip() for each in names.split(",") if each.strip()} - exported
        if missing:
            message = f"{name} imports {', '.join(sorted(missing))} from {source}, which has none"
            raise BundleError(message)
    order.append(name)
