"""An action, done in a page as a hand would do it: by the place on the screen."""

from random import Random
from typing import Any, Final

from tests.monkey.choosing import SIZES, Action

PATIENCE: Final = 10_000
"""Milliseconds that the browser may take for one thing before it is left undone."""

_PLACE: Final = """([what, share, origin]) => {
  const found = [];
  const look = (root) => {
    for (const each of root.querySelectorAll("*")) {
      if (each.matches(what)) found.push(each);
      if (each.shadowRoot) look(each.shadowRoot);
    }
  };
  look(document);
  const leadsAway = ({ href }) => typeof href === "string" && href.startsWith("http") && !href.startsWith(origin);
  const here = found.filter((each) => {
    const { width, height } = each.getBoundingClientRect();
    return width > 2 && height > 2 && !each.disabled && !leadsAway(each);
  });
  const chosen = here[Math.floor(share * here.length)];
  if (!chosen) return null;
  let box = chosen.getBoundingClientRect();
  if (box.top < 0 || box.left < 0 || box.bottom > innerHeight || box.right > innerWidth) {
    chosen.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    box = chosen.getBoundingClientRect();
  }
  const name = chosen.getAttribute("aria-label") ?? chosen.getAttribute("data-testid") ?? chosen.textContent ?? "";
  const kind = `${chosen.tagName.toLowerCase()}.${chosen.getAttribute("class") ?? ""}`;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, called: `${kind} ${name.trim()}`.slice(0, 120) };
}"""

CLICKED: Final = (
    "a[href], button, summary, label, select, input, textarea, [role=button], [role=tab], [role=option], "
    "[role=menuitem], [role=radio], [role=checkbox], [role=slider], [tabindex], [data-step], [data-id]"
)
TYPED: Final = "input:not([type=checkbox]):not([type=radio]):not([type=file]), textarea, [contenteditable=true]"
DRAGGED: Final = "[draggable=true], [role=slider], input[type=range], svg circle, svg rect, svg path, canvas"


async def act(page: Any, action: Action, origin: str, chance: Random) -> str:
    """Do ``action`` in ``page`` (of Playwright's); returns what it met there, for the record."""
    size = page.viewport_size
    point = (action.to[0] * size["width"], action.to[1] * size["height"])
    match action.kind:
        case "click":
            return await _click(page, CLICKED, action.share, origin)
        case "key":
            await page.keyboard.press(action.text)
        case "type":
            met = await _click(page, TYPED, action.share, origin)
            if met and chance.random() < 0.5:
                await page.keyboard.press("Control+a")
            if met:
                await page.keyboard.insert_text(action.text)
                await page.keyboard.press(chance.choice(("Enter", "Tab", "Escape", "Control+Enter")))
            return met
        case "drag":
            return await _drag(page, action.share, point, origin)
        case "point":
            await _press(page, *point)
        case "wheel":
            await page.mouse.move(*point)
            await page.mouse.wheel(0, chance.choice((-600, 300, 600)))
        case "open":
            await page.goto(origin + action.text, wait_until="commit", timeout=3 * PATIENCE)
        case "back":
            await page.go_back(wait_until="commit", timeout=PATIENCE)
        case "forward":
            await page.go_forward(wait_until="commit", timeout=PATIENCE)
        case "reload":
            await page.reload(wait_until="commit", timeout=PATIENCE)
        case "size":
            width, height = chance.choice(SIZES)
            await page.set_viewport_size({"width": width, "height": height})
    return ""


async def _place(page: Any, what: str, share: float, origin: str) -> Any:
    return await page.evaluate(_PLACE, [what, share, origin])


async def _press(page: Any, x: float, y: float) -> None:
    if await page.evaluate("navigator.maxTouchPoints > 0"):
        await page.touchscreen.tap(x, y)
    else:
        await page.mouse.click(x, y)


async def _click(page: Any, what: str, share: float, origin: str) -> str:
    place = await _place(page, what, share, origin)
    if place is None:
        return ""
    await _press(page, place["x"], place["y"])
    return str(place["called"])


async def _drag(page: Any, share: float, to: tuple[float, float], origin: str) -> str:
    place = await _place(page, DRAGGED, share, origin)
    if place is None:
        return ""
    await page.mouse.move(place["x"], place["y"])
    await page.mouse.down()
    await page.mouse.move(*to, steps=4)
    await page.mouse.up()
    return str(place["called"])
