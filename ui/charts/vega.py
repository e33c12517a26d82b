"""Vega for the browser, when a sweep is opened: built once from the installed package, nothing fetched by network."""

import gzip
from importlib.metadata import version
from typing import Final

from ui.kept import kept

VEGA_LITE: Final = "6.4"
"""The version of Vega-Lite that vl-convert compiles."""

# vl-convert carries these inside itself under their addresses; they are names here, not places to load from.
_SNIPPET: Final = """
import { View, changeset, parse } from "https://cdn.jsdelivr.net/npm/vega@6.2.0/+esm";
import { expressionInterpreter } from "https://cdn.jsdelivr.net/npm/vega-interpreter@2.0.0/+esm";
export { View, changeset, expressionInterpreter, parse };
"""


def vega_module() -> bytes:
    """Vega as an ES module (``View``, ``changeset``, ``expressionInterpreter``, ``parse``), gzipped."""

    def make() -> bytes:
        import vl_convert  # it takes some 40 MB, and most servers find the module in the cache

        return gzip.compress(vl_convert.javascript_bundle(_SNIPPET, vl_version=VEGA_LITE).encode(), mtime=0)

    return kept("vega.js.gz", f"{version('vl-convert-python')}{_SNIPPET}", make)
