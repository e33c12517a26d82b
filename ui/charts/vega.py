"""Vega for the browser, when a sweep is opened: built once from the installed package, nothing fetched by network."""

import gzip
from importlib.metadata import version

import streamlit as st

from ui.kept import kept

VEGA_LITE = "6.4"
"""The version of Vega-Lite that vl-convert compiles."""

# vl-convert carries Vega inside itself under this address; it is a name here, not a place to load from.
_SNIPPET = """
import { View, changeset, parse } from "https://cdn.jsdelivr.net/npm/vega@6.2.0/+esm";
export { View, changeset, parse };
"""

_UNPACK = """
// Unpacks Vega and hands it to whoever waits for it (ui/compare/curves.js).
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


def vega_module() -> bytes:
    """Vega as an ES module (``View``, ``changeset``, ``parse``), gzipped."""

    def make() -> bytes:
        import vl_convert  # it takes some 40 MB, and most servers find the module in the cache

        return gzip.compress(vl_convert.javascript_bundle(_SNIPPET, vl_version=VEGA_LITE).encode(), mtime=0)

    return kept("vega.js.gz", f"{version('vl-convert-python')}{_SNIPPET}", make)


@st.cache_resource(show_spinner=False)
def _cached() -> bytes:
    return vega_module()


_component = st.components.v2.component("tidemark_vega", js=_UNPACK, isolate_styles=False)


def mount_vega() -> None:
    """Send Vega to this browser, once however often the page runs."""
    _component(key="vega", data=_cached(), height=1)
