"""The plane as the browser receives it: a Vega specification, compiled once and cached.

Altair takes longer to build the chart than everything else in a first visit takes, so it is not even imported if the
chart is in the cache.
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ui.kept import kept

VEGA_LITE = "6.4"
"""The version of Vega-Lite that vl-convert compiles."""

_MADE_FROM = ("plane.py", "fates.py", "colours.py", "compiled.py")


def compiled() -> dict[str, Any]:
    """The chart as a Vega specification; built again when its modules or packages have changed."""
    versions = [f"{name} {version(name)}" for name in ("altair", "vl-convert-python")]
    sources = [(Path(__file__).parent / name).read_text(encoding="utf-8") for name in _MADE_FROM]
    result: dict[str, Any] = json.loads(kept("plane.json", "\n".join(versions + sources), _make))
    return result


def _make() -> bytes:
    import vl_convert

    from ui.charts.plane import plane

    # The tests check the chart against the schema of Vega-Lite.
    chart = json.dumps(plane().to_dict(validate=False))
    return json.dumps(vl_convert.vegalite_to_vega(chart, vl_version=VEGA_LITE)).encode()
