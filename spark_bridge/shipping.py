"""The project's code for Spark's workers: one archive, since a worker may run on a host that has no copy of it."""

import zipfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

PACKAGES = ("simulator", "spark_bridge")
"""What a keyed function needs on a worker; everything else that it imports is a library that the worker has."""


def archive(path: Path) -> Path:
    """Write the packages to ``path``, a zip file that Python can import from, and return it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(zipfile.ZipInfo("tidemark/__init__.py"), b"")
        for package in PACKAGES:
            _add(out, files(f"tidemark.{package}"), f"tidemark/{package}")
    return path


def _add(out: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        inside = f"{name}/{each.name}"
        if each.is_dir():
            if each.name != "__pycache__":
                _add(out, each, inside)
        elif each.name.endswith((".py", ".toml")):
            # A fixed time, so that the same code makes the same bytes.
            out.writestr(zipfile.ZipInfo(inside), each.read_bytes())
