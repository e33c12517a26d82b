"""Joins a component's ES modules into one: Streamlit takes a component's script as one text, an exported page too.

The modules import one another by name from relative files only. Joining puts each after what it imports and takes the
``import`` lines and ``export`` words away. A name that two modules declare would then clash, so it is refused; and what
a module exports as its default must have a name.
"""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
_IMPORT = re.compile(r'^import\s+\{([^}]*)\}\s+from\s+"(\.{1,2}/[\w/-]+\.js)";\n', re.MULTILINE)
_TYPES = re.compile(r"^/\*\* @import .* \*/\n", re.MULTILINE)
_DEFAULT = re.compile(r"^export default \w+;\n", re.MULTILINE)
_DECLARED = re.compile(r"^(?:export\s+)?(?:async\s+)?(?:function\*?|const|let|class)\s+(\w+)", re.MULTILINE)


class BundleError(Exception):
    """The modules cannot be joined; the message says why."""


@cache
def script(entry: Path = FOLDER / "main.js") -> str:
    """All modules that ``entry`` needs as one ES module; ``entry`` alone keeps its exports."""
    entry = entry.resolve()
    order: list[Path] = []
    _visit(entry, order, [])
    owner: dict[str, str] = {}
    parts = []
    for path in order:
        text = path.read_text(encoding="utf-8")
        for declared in _DECLARED.findall(text):
            if declared in owner:
                message = f"{declared} is declared in {owner[declared]} and in {path.name}"
                raise BundleError(message)
            owner[declared] = path.name
        text = _TYPES.sub("", _IMPORT.sub("", text))
        if path != entry:
            text = re.sub(r"^export\s+", "", _DEFAULT.sub("", text), flags=re.MULTILINE)
        parts.append(f"// --- {path.name} ---\n{text.strip()}\n")
    return "\n".join(parts)


@cache
def style(folder: Path = FOLDER) -> str:
    """All style sheets of a component, in order of their names."""
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.css")))


def _visit(path: Path, order: list[Path], trail: list[Path]) -> None:
    if path in order:
        return
    if path in trail:
        circle = " -> ".join(each.name for each in [*trail, path])
        message = f"modules import one another in a circle: {circle}"
        raise BundleError(message)
    for names, source in _IMPORT.findall(path.read_text(encoding="utf-8")):
        imported = (path.parent / source).resolve()
        if not imported.is_file():
            message = f"{path.name} imports {source}, which is not there"
            raise BundleError(message)
        _visit(imported, order, [*trail, path])
        exported = set(_DECLARED.findall(imported.read_text(encoding="utf-8")))
        missing = {each.strip() for each in names.split(",") if each.strip()} - exported
        if missing:
            message = f"{path.name} imports {', '.join(sorted(missing))} from {imported.name}, which has none"
            raise BundleError(message)
    order.append(path)
