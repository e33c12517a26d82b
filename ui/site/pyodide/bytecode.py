"""Runs in Pyodide while a site is made (``bytecode.mjs``): compiles to bytecode what every browser would compile.

A browser did it at each start, which was more than half of the time until Python answered. Only this Python can do it:
bytecode is for one version. Of the standard library, what the engine imports is compiled; the rest stays as it is,
because bytecode is larger than its source. Functions and modules lose their docstrings, which nothing reads there.
Classes keep theirs: ``dataclass`` makes one up for a class without, which takes time at each start. A traceback has
lines and no columns, which would be an eighth of all bytes (``PYTHONNODEBUGRANGES`` in ``bytecode.mjs``).
"""

import ast
import marshal
import sys
import zipfile
from collections.abc import Callable
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path

UNCHECKED = (0b01).to_bytes(4, "little")
"""Says that the hash of the source follows, and that nobody is to compare it (PEP 552)."""

WITHOUT_DOCSTRING = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


def compile_all(library: str, code: str, engine: str, made: str) -> None:
    """Write the zips ``library`` and ``code`` to the folder ``made``, under their names, compiled.

    ``engine``: the module that answers a page's questions; it is imported from ``code``, which is written without
    compression: it becomes smaller when it is compressed as a whole.
    """
    sys.path.insert(0, code)
    __import__(engine)
    used = {str(getattr(each, "__file__", None)) for each in list(sys.modules.values())}
    own = {each for each in used if ".zip/" in each}
    _rewritten(library, made, zipfile.ZIP_DEFLATED, lambda name: any(each.endswith(f".zip/{name}") for each in own))
    _rewritten(code, made, zipfile.ZIP_STORED, lambda _: True)


def _rewritten(archive: str, folder: str, method: int, chosen: Callable[[str], bool]) -> None:
    target = Path(folder) / Path(archive).name
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(target, "w") as new:
        for each in old.infolist():
            name, content = each.filename, old.read(each)
            if name.endswith(".py") and chosen(name):
                name, content = f"{name}c", _bytecode(content, name)
            new.writestr(zipfile.ZipInfo(name, each.date_time), content, method, 9)


def _bytecode(source: bytes, name: str) -> bytes:
    tree = ast.parse(source)
    for each in ast.walk(tree):
        if isinstance(each, WITHOUT_DOCSTRING) and ast.get_docstring(each) is not None:
            each.body[0] = ast.copy_location(ast.Pass(), each.body[0])
    code = compile(tree, name, "exec", dont_inherit=True)
    return MAGIC_NUMBER + UNCHECKED + source_hash(source) + marshal.dumps(code)
