"""The player in a page of its own, without Streamlit: mounted from packed facts, moved to a step, looked at.

The page is one that the browser gets from this file, so nothing is served and nothing is fetched.
"""

from pathlib import Path

from ui import theme
from ui.player.bundle import script, style
from ui.share.offline import fonts

ADDRESS = "http://pictures.test/"

_LOOK = Path(__file__).with_name("look.js")

_HELPERS = """
let closeMounted;
globalThis.tidemarkPlayer = () => MOUNTED.get(document.getElementById("player"))?.player;
globalThis.tidemarkMount = async (packed, embedded) => {
  window.history.replaceState(null, "", embedded ? "/?embed=true" : "/");
  const parentElement = document.getElementById("player");
  closeMounted?.();
  parentElement.replaceChildren();
  const data = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  closeMounted = mount({ data, parentElement, setTriggerValue() {}, alone: 0 });
  for (;;) {
    await new Promise(requestAnimationFrame);
    const player = globalThis.tidemarkPlayer();
    if (player?.root.dataset.ready === "true") return;
  }
};
globalThis.tidemarkAt = async (step, subject) => {
  const player = globalThis.tidemarkPlayer();
  player.step = step;
  if (!subject) {
    await player.paint();
    return { step, ...globalThis.tidemarkLook() };
  }
  const laidOut = async () => { for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame); };
  player.why.cycle();
  await laidOut();
  await player.paint();
  const found = globalThis.tidemarkLook();
  player.why.close();
  await laidOut();
  return { step, ...found };
};
"""

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>pictures</title><style>
{fonts}
html, body {{ margin: 0; background: var(--tm-bg); color-scheme: light dark; }}
{style}
:root {{ --tm-header: 44px; }}
</style></head><body><main id="player"></main>
<script type="module">
{script}
{helpers}
globalThis.tidemarkLook = {look}
</script></body></html>"""


def page_text() -> str:
    """The page as HTML."""
    return _PAGE.format(
        fonts=fonts().decode(),
        style=f"{theme.tokens()}\n{style()}",
        script=script().replace("export default function mount", "function mount").replace("</script", "<\\/script"),
        helpers=_HELPERS,
        look=_LOOK.read_text(encoding="utf-8"),
    )
