"""The chart of a sweep as the browser receives it: a Vega specification, compiled once and cached."""

import json
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tidemark.ui.charts.aside import VEGA_LITE, made
from tidemark.ui.kept import kept

MADE: Final = Path(__file__).with_name("sweep.json")
"""Where the specification lies in a browser, which has neither package (``ui/site/code.py``)."""


def compiled() -> dict[str, Any]:
    """The specification; built again when the chart or a package has changed."""
    return dict(json.loads(compiled_json()))


def compiled_json() -> bytes:
    """The specification as JSON."""
    if MADE.is_file():
        return MADE.read_bytes()
    versions = "\n".join(f"{name} {version(name)}" for name in ("altair", "vl-convert-python"))
    source = Path(__file__).with_name("sweep.py").read_text(encoding="utf-8")
    return kept("sweep.json", f"{versions}\n{VEGA_LITE}\n{source}", partial(made, "sweep"))
