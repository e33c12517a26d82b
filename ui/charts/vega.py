"""Vega for the browser, when a sweep is opened: built once from the installed package, nothing fetched by network."""

from functools import partial
from importlib.metadata import version

from tidemark.ui.charts.aside import SNIPPET, made
from tidemark.ui.kept import kept


def vega_module() -> bytes:
    """Vega as an ES module (``View``, ``changeset``, ``expressionInterpreter``, ``parse``), gzipped."""
    return kept("vega.js.gz", f"{version('vl-convert-python')}{SNIPPET}", partial(made, "vega"))
