"""The server of ``make monkey``: ``python -m tests.monkey.inside FILE run app.py …`` is ``streamlit run app.py …``, and
writes down what its memory holds, a line of JSON every few seconds.

Seen from outside, a server only takes: what it has freed and not given back looks like what it keeps. From inside the
two can be told apart, so the lines name what Python's and the system's allocator have handed out and what they have in
hand, and from time to time which objects there are.
"""

import ctypes
import functools
import gc
import importlib
import json
import os
import pkgutil
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

MB: Final = 2**20
EVERY_S: Final = 5.0
OBJECTS_EVERY_S: Final = 300.0
TYPES: Final = 40
"""The types of which there are most are counted."""

LIBRARIES: Final = ("altair", "pandas", "pyarrow.parquet", "segno", "tomlkit")
"""What the app imports when somebody needs it."""

_PYTHON: Final = {
    "python": r"# bytes in allocated blocks\s*=\s*([\d,]+)",
    "python_taken": r"arenas \* \d+ bytes/arena\s*=\s*([\d,]+)",
}
"""What Python says of its allocator."""

_count: Any = vars(sys.modules["collections"])["_count_elements"]


_MEMBERS: Final = (
    *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
    *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
)


class _Malloc(ctypes.Structure):
    """``struct mallinfo2`` of the GNU C library."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _MEMBERS)


def held() -> dict[str, float]:
    """What the process has handed out and has in hand (MB); without the GNU C library only what Python knows.

    ``python``: in objects of Python, of ``python_taken`` in its arenas. ``malloc``: handed out by malloc, of
    ``malloc_taken`` in its heaps and mappings. ``used``: both that is handed out.
    """
    found = _python()
    library = ctypes.CDLL(None)
    if hasattr(library, "mallinfo2"):
        library.mallinfo2.restype = _Malloc
        malloc = library.mallinfo2()
        found |= {"malloc": (malloc.uordblks + malloc.hblkhd) / MB, "malloc_taken": (malloc.arena + malloc.hblkhd) / MB}
    found["used"] = found["python"] + found.get("malloc", 0.0)
    return {name: round(value, 2) for name, value in found.items()}


def _python() -> dict[str, float]:
    text = _said(sys._debugmallocstats)
    found = {name: re.search(pattern, text) for name, pattern in _PYTHON.items()}
    return {name: int(each[1].replace(",", "")) / MB if each else 0.0 for name, each in found.items()}


def _said(say: Callable[[], None]) -> str:
    """What ``say`` writes to the standard error of the process; what others write meanwhile is passed on."""
    with tempfile.TemporaryFile() as file:
        before = os.dup(2)
        try:
            os.dup2(file.fileno(), 2)
            say()
        finally:
            os.dup2(before, 2)
            os.close(before)
        file.seek(0)
        text = file.read().decode(errors="replace")
    if "Traceback" in text:
        sys.stderr.write(text)
    return text


def counted() -> dict[str, int]:
    """How many objects there are, by type, also of those that are excluded from garbage collection.

    No list of them may exist while another thread runs (``ui.server.memory`` says why): this is one call into C.
    """
    found: dict[type, int] = {}
    all_objects: Iterable[Any] = map(functools.partial(map, type), map(gc.get_objects, (None,)))
    gc.unfreeze()
    next(map(functools.partial(_count, found), all_objects))
    gc.freeze()
    names: Counter[str] = Counter()
    for each, number in found.items():
        names[f"{each.__module__}.{each.__qualname__}"] += number
    return {"all": sum(names.values()), **dict(names.most_common(TYPES))}


def caches() -> dict[str, int]:
    """How many results each function of ours with a cache has."""
    found = {}
    for name, module in list(sys.modules.items()):
        if name.startswith("tidemark."):
            for each in list(vars(module).values()):
                if callable(size := getattr(each, "cache_info", None)) and each.__module__ == name:
                    found[f"{name}.{each.__qualname__}"] = size().currsize
    return {name: size for name, size in sorted(found.items()) if size > 1}


def sessions() -> dict[str, int]:
    """The sessions with and without their browser, and the files that Streamlit keeps for them."""
    from streamlit import runtime

    if not runtime.exists():
        return {}
    manager: Any = runtime.get_instance()._session_mgr
    files: Any = runtime.get_instance()._media_file_mgr._storage
    return {
        "active": len(manager.list_active_sessions()),
        "stored": len(manager.list_sessions()) - len(manager.list_active_sessions()),
        "files": len(getattr(files, "_files_by_id", ())),
        "threads": threading.active_count(),
    }


def load_all() -> None:
    """Import what the app imports only when it is needed, so that what comes later is no code.

    The modules of the app itself need its server, and are small.
    """
    for package in ("simulator", "spark_bridge"):
        for module in pkgutil.walk_packages([package], f"tidemark.{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in LIBRARIES:
        importlib.import_module(name)


def record(path: Path) -> None:
    """Write lines to ``path``, for ever."""
    next_objects = 0.0
    with path.open("a", encoding="utf-8") as file:
        while True:
            line: dict[str, Any] = {"time": round(time.time(), 1), **held(), **sessions()}
            if time.monotonic() > next_objects:
                next_objects = time.monotonic() + OBJECTS_EVERY_S
                line |= {"caches": caches(), "objects": counted()}
            file.write(json.dumps(line) + "\n")
            file.flush()
            time.sleep(EVERY_S)


def main() -> None:
    """Serve, and write down."""
    from streamlit.web.cli import main as streamlit

    path = Path(sys.argv.pop(1))
    load_all()
    threading.Thread(target=record, args=(path,), name="recording", daemon=True).start()
    streamlit(prog_name="streamlit")


if __name__ == "__main__":
    main()
