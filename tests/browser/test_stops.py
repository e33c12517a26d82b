"""What the Tab key stops at can be seen, is not covered, has a ring and a name; no key answers by accident."""

from typing import Any

import pytest

from tests.browser.opening import AUTHOR, COMPARE, PLAYER, VOTE, frames
from tests.browser.player import OpenPage

MOST_STOPS = 70
"""The cards of the library and the rows of the lessons go on like the first ones."""
LEAST_PX = 6
MOST_LOOKS = 20
DESK, PHONE = (1440, 900), (390, 844)

BEGIN = """() => {
  window.tidemarkStop = undefined;
  window.tidemarkStops = new Set();
  // The Tab key goes on from where the focus was last: the beginning of the page.
  const beginning = document.createElement("i");
  beginning.tabIndex = -1;
  document.body.prepend(beginning);
  beginning.focus();
  beginning.remove();
}"""

STOP = """(least) => {
  const rings = (node) => ["", "::before", "::after"].map((part) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(node, part);
    const none = outlineStyle === "none" || outlineColor === "rgba(0, 0, 0, 0)";
    return `${none ? "" : outlineWidth} ${boxShadow}`;
  }).join();
  // A field may be drawn by its label or by a box around it, a choice of a picture by what lies in it.
  const drawnBy = (node) => [
    node, node.parentElement, node.parentElement?.parentElement, node.parentElement?.parentElement?.parentElement,
    node.nextElementSibling, node.previousElementSibling, ...node.children, ...(node.labels ?? []),
  ].filter(Boolean);
  const before = window.tidemarkStop;
  const plain = before && before.node.isConnected && drawnBy(before.node).map(rings).join(" | ") === before.rings;
  const found = { unringed: plain ? before.said : null, said: null, wrong: [] };
  const node = document.activeElement;
  window.tidemarkStop = undefined;
  if (!node || node === document.body || node === document.documentElement) return found;
  if (window.tidemarkStops.has(node)) return found;
  window.tidemarkStops.add(node);
  const text = (node.ariaLabel ?? node.title) || node.labels?.[0]?.textContent || node.textContent;
  found.said = `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""} "${text.trim().slice(0, 30)}"`;
  window.tidemarkStop = { node, said: found.said, rings: drawnBy(node).map(rings).join(" | ") };
  const inView = (one) => {
    const box = one.getBoundingClientRect();
    const [left, top] = [Math.max(box.left, 0), Math.max(box.top, 0)];
    const [right, bottom] = [Math.min(box.right, innerWidth), Math.min(box.bottom, innerHeight)];
    return { left, top, width: right - left, height: bottom - top };
  };
  const shows = (one) => {
    const { width, height } = inView(one);
    return width >= least && height >= least;
  };
  const tiny = Math.min(node.offsetWidth ?? 99, node.offsetHeight ?? 99) < least;
  const drawn = tiny ? [...(node.labels ?? []), node.parentElement].find(shows) ?? node : node;
  if (!drawn.checkVisibility({ visibilityProperty: true })) found.wrong.push("hidden");
  else if (!shows(drawn)) found.wrong.push("no visible box");
  else {
    const { left, top, width, height } = inView(drawn);
    const parts = [0.5, 0.1, 0.9];
    const own = [drawn, node, ...(node.labels ?? [])];
    const { pointerEvents } = node.style;
    node.style.pointerEvents = "auto"; // a ring around a mark of the picture is met by no pointer
    const hits = parts.flatMap((x) => parts.map((y) => document.elementFromPoint(left + x * width, top + y * height)));
    node.style.pointerEvents = pointerEvents;
    if (!hits.some((hit) => own.some((one) => one.contains(hit)))) {
      const hit = hits[0];
      found.wrong.push(`covered by ${hit?.tagName}.${hit?.getAttribute("class")}`);
    }
  }
  return found;
}"""


def wrong_stops(page: Any, named: set[str]) -> list[str]:
    """What is wrong with each stop of the Tab key, from the beginning of the page to its end.

    Those in ``named`` are known to have a name; those that have one are added.
    """
    frames(page, 5)
    client = page.context.new_cdp_session(page)
    page.evaluate(BEGIN)
    found: list[str] = []
    stops = 0
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP, LEAST_PX)
        if stop["unringed"]:
            found.append(f"{stop['unringed']}: no ring")
        if stop["said"] is None:
            break
        stops += 1
        found += [f"{stop['said']}: {wrong}" for wrong in stop["wrong"]]
        if stop["said"] in named:
            continue
        named.add(stop["said"])
        focused = client.send("Runtime.evaluate", {"expression": "document.activeElement"})["result"]["objectId"]
        for _ in range(MOST_LOOKS):  # the name of what has just opened may be computed a moment later
            asked = {"objectId": focused, "fetchRelatives": False}
            node = client.send("Accessibility.getPartialAXTree", asked)["nodes"][0]
            if not node["ignored"] and node.get("name", {}).get("value"):
                break
            frames(page)
        else:
            found.append(f"{stop['said']}: no name but {node}")
        if node["role"]["value"] in ("generic", "none", "StaticText"):
            found.append(f"{stop['said']}: no role but {node['role']['value']}")
    client.detach()
    assert stops > 2, "the Tab key stops nowhere"
    return found


PAGES = {
    "/?visit=1": (PLAYER, "PageDown"),
    "/?scenario=first-prediction&visit=end": (PLAYER, ""),
    "/?scenario=late-and-dropped": (PLAYER, "PageDown w Escape i Escape h Escape q Escape End p"),
    "/?scenario=late-and-dropped&embed=true&step=10": (PLAYER, "w"),
    "/library": (".tidemark-library .tm-scenario", ""),
    "/symptoms": (".tm-symptom", ""),
    "/compare?scenario=late-and-dropped&with=late-but-allowed": (COMPARE, ""),
    "/author?scenario=late-and-dropped": (AUTHOR, ""),
    "/lessons": (".tidemark-ordering", ""),
    "/sql": (".tidemark-sql textarea", "Control+Enter"),
    "/practice?seed=1&level=1&kind=fires": ('.tm-practice[data-ready="true"]', "1 Enter"),
    "/inventory?form=A": ('.tm-inv-test[data-ready="true"]', "1 Enter"),
    "/inventory": (".tidemark-inventory h1", ""),
    "/your-stream": ("[data-testid=stMain] h1", ""),
    "/spark?scenario=late-and-dropped": (".tm-spark", ""),
    "/vote": (VOTE, ""),
}
"""Each page: what shows that it is there, and the keys after each of which its stops are looked at."""


@pytest.mark.parametrize("path", PAGES)
def test_each_stop_is_seen_and_named(open_page: OpenPage, path: str) -> None:
    """On a desk, and as it opens on a phone as well."""
    ready, keys = PAGES[path]
    page = open_page(path, size=DESK, ready=ready, newcomer="visit" in path)
    named: set[str] = set()
    wrong = []
    for key in ["", *keys.split()]:
        if key:
            page.keyboard.press(key)
        if key != "Escape":
            for width, height in (DESK,) if key else (PHONE, DESK):
                page.set_viewport_size({"width": width, "height": height})
                wrong += [f"{width} px, after {key or 'opening'}: {each}" for each in wrong_stops(page, named)]
    assert wrong == [], "\n".join(wrong)


def test_the_words_of_the_glossary_are_one_stop_and_enter_follows_a_link(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=30")
    page.keyboard.press("Tab")
    assert page.locator('.tm-term[tabindex="0"]').count() == 1
    # And Enter on a link follows it.
    page.get_by_role("link", name="Library", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/library")


@pytest.mark.parametrize(
    ("path", "ready", "focused", "keys", "never"),
    [
        # Present mode: the choice that had the focus is another question's by then.
        ("/?scenario=late-but-allowed&step=116&present=1", PLAYER, ".tm-big-choice", "PageUp", ".tm-big-choice:focus"),
        # The last question of the inventory: what is asked before the end is not answered by the key that led there.
        (
            "/inventory?form=A",
            PAGES["/inventory?form=A"][0],
            None,
            "Enter " * 16,
            ".tm-inv-result",
        ),
        # Practice: records that nobody has moved are not checked.
        (
            "/practice?seed=3&level=4&kind=order",
            PAGES["/practice?seed=1&level=1&kind=fires"][0],
            ".tm-pr-order li",
            "Enter",
            ".tm-inv-foot .tm-inv-primary:disabled, .tm-pr-verdict",
        ),
    ],
    ids=["present", "inventory", "order"],
)
def test_a_key_that_is_pressed_once_more_answers_nothing(
    open_page: OpenPage, path: str, ready: str, focused: str | None, keys: str, never: str
) -> None:
    page = open_page(path, size=(1280, 720), ready=ready)
    if focused:
        page.locator(focused).first.focus()
    for key in keys.split():
        page.keyboard.press(key)
        frames(page)
    assert page.locator(never).count() == 0
