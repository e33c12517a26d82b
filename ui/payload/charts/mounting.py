"""Sends Vega to the browser of a reader of the app; a site has it as a file (``ui/site/build.py``)."""

from functools import partial
from importlib.metadata import version

import streamlit as st
from tidemark.ui.payload.charts.compiled import SNIPPET, made
from tidemark.ui.server.cache import keeping, kept

# Vega for the browser, when a sweep is opened: built once from the installed package, nothing fetched by network.


def vega_module() -> bytes:
    """Vega as an ES module (``View``, ``changeset``, ``expressionInterpreter``, ``parse``), gzipped."""
    return kept("vega.js.gz", f"{version('vl-convert-python')}{SNIPPET}", partial(made, "vega"))


_UNPACK = """
// Unpacks Vega and hands it to whoever waits for it (ui/compare/tools.ts).
const ready = (globalThis.tidemarkVega ??= {});
ready.promise ??= new Promise((resolve) => { ready.resolve = resolve; });
export default async function unpack({ data }) {
  if (ready.started || !data) return;
  ready.started = true;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = await new Response(stream).arrayBuffer();
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  ready.resolve(await import(url));
}
"""


@keeping()
def _cached() -> bytes:
    return vega_module()


_component = st.components.v2.component("tidemark_vega", js=_UNPACK, isolate_styles=False)


def mount_vega() -> None:
    """Send Vega to this browser, once however often the page runs."""
    _component(key="vega", data=_cached(), height=1)
