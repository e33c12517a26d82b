"""The chart of a sweep as the browser receives it: a Vega specification, compiled once and cached."""

import gzip
import json
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.places import ROOT
from tidemark.ui.server.cache import kept

# What vl-convert makes for the browser, by a process of its own: this module with the argument ``sweep`` or ``vega``.
#
# vl-convert runs a browser's JavaScript engine, 70 MB, and Altair takes 30 MB more. Both would stay in the memory
# of a server that needs what they make once.

VEGA_LITE: Final = "6.4"
"""The version of Vega-Lite that vl-convert compiles."""

# vl-convert carries these inside itself under their addresses; they are names here, not places to load from.
SNIPPET: Final = """
import { View, changeset, parse } from "https://cdn.jsdelivr.net/npm/vega@6.2.0/+esm";
import { expressionInterpreter } from "https://cdn.jsdelivr.net/npm/vega-interpreter@2.0.0/+esm";
export { View, changeset, expressionInterpreter, parse };
"""


def made(what: str) -> bytes:
    """``sweep``: the Vega specification of a sweep's chart as JSON; ``vega``: Vega as a gzipped module."""
    command = [sys.executable, "-m", "tidemark.ui.payload.charts.compiled", what]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout


def _sweep() -> bytes:
    import vl_convert
    from tidemark.ui.payload.charts.sweep import chart

    # The tests check the chart against the schema of Vega-Lite.
    written = json.dumps(chart().to_dict(validate=False))
    return json.dumps(vl_convert.vegalite_to_vega(written, vl_version=VEGA_LITE)).encode()


def _vega() -> bytes:
    import vl_convert

    return gzip.compress(vl_convert.javascript_bundle(SNIPPET, vl_version=VEGA_LITE).encode(), mtime=0)


def main() -> None:
    """Make what the command line names."""
    sys.stdout.buffer.write({"sweep": _sweep, "vega": _vega}[sys.argv[1]]())


if __name__ == "__main__":
    main()


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
