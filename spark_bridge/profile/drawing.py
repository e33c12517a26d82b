"""Charts as SVG, drawn by a process of its own: ``python -m spark_bridge.profile.drawing`` reads charts as JSON, a list
of Vega-Lite specifications, and writes a list of SVG texts.

vl-convert runs a browser's JavaScript engine. That stays in the memory of its process, 70 MB at first and more with
each picture, and a server would never get it back.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_ROOT: Final = Path(__file__).resolve().parents[2]


def drawn(charts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each chart as an SVG. Raises ``CalledProcessError`` for one that is no Vega-Lite."""
    if not charts:
        return []
    command = [sys.executable, "-m", "tidemark.spark_bridge.profile.drawing"]
    told = json.dumps(charts).encode()
    texts: list[str] = json.loads(
        subprocess.run(command, cwd=_ROOT, input=told, capture_output=True, check=True).stdout
    )
    return texts


def main() -> None:
    """Draw what the standard input says."""
    import vl_convert

    texts = [vl_convert.vegalite_to_svg(chart) for chart in json.load(sys.stdin.buffer)]
    sys.stdout.buffer.write(json.dumps(texts).encode())


if __name__ == "__main__":
    main()
