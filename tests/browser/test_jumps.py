"""Jumps by kind, the search field, bookmarks, the scrubber's marks, and how to reach them all without a mouse."""

from tidemark.simulator import scenario as scenarios
from tidemark.ui.payload.contents import payload

from tests.browser.opening import frames, visit
from tests.browser.player import ROOT, OpenPage, step_of


def jumps(name: str) -> dict[str, list[int]]:
    found: dict[str, list[int]] = payload(scenarios.load(ROOT / "scenarios" / f"{name}.yaml"))["jumps"]
    return found


def test_each_kind_has_its_key_and_its_row_in_the_menu(open_player: OpenPage) -> None:
    page = open_player("/?scenario=session-bridge&step=0")
    kinds = jumps("session-bridge")
    for kind, key in {"firing": "f", "merge": "m", "watermark": "u", "timer": "a"}.items():
        page.keyboard.press("Home")
        seen = []
        for _ in kinds[kind]:
            page.keyboard.press(key)
            seen.append(step_of(page))
        assert seen == kinds[kind], kind
        for _ in kinds[kind][1:]:
            page.keyboard.press(f"Shift+{key.upper()}")
            seen.append(step_of(page))
        assert seen[len(kinds[kind]) :] == kinds[kind][-2::-1], kind
    page.keyboard.press("k")
    assert step_of(page) == kinds["timer"][0], "no checkpoint: the key does nothing"
    # The menu lists the same kinds, and returns the focus.
    page.keyboard.press("Home")
    page.locator(".tm-jump-open").focus()
    page.keyboard.press("j")
    assert page.locator(".tm-jump-kinds .tm-jump-count").all_inner_texts() == [
        str(len(steps)) if steps else "none in this run" for steps in kinds.values()]  # fmt: skip
    page.get_by_role("button", name="Next window merge").click()
    assert step_of(page) == kinds["merge"][0]
    page.keyboard.press("Escape")
    assert not page.locator(".tm-jump-menu").is_visible()
    assert page.evaluate("document.activeElement.className").find("tm-jump-open") > 0


def test_bookmarks_are_kept_and_are_part_of_the_link(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=40&marks=12,99999,x")
    page.keyboard.press("b")
    page.wait_for_url("**/?scenario=late-but-allowed&step=40&marks=12,40")
    assert page.locator(".tm-scrub-bookmark").count() == 2
    page.keyboard.press("v")
    assert step_of(page) == 12
    visit(page, page.url.split("?")[0] + "?scenario=late-but-allowed&step=0")
    page.wait_for_url("**&marks=12,40")
    page.keyboard.press("j")
    assert page.locator(".tm-jump-there b").all_inner_texts() == ["step 12", "step 40"]
    page.get_by_role("button", name="Remove the bookmark at step 12").click()
    page.wait_for_url("**&marks=40")


def test_the_search_field_marks_and_walks_its_matches(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=60")
    page.keyboard.press("/")
    page.keyboard.type("key = a and event = PaneFired")
    page.keyboard.press("Enter")
    firings = [step for step in jumps("late-but-allowed")["firing"] if step > 60]
    assert step_of(page) == firings[0]
    assert page.locator(".tm-find-count").inner_text() == "1 of 4"
    page.keyboard.press("Shift+Enter")
    assert page.locator(".tm-find-count").inner_text() == "4 of 4"
    assert page.locator(".tm-found").get_attribute("d").count("M") == 4
    page.keyboard.press("Control+a")
    page.keyboard.type('<img src=x onerror="window.hacked=1">')
    page.wait_for_selector(".tm-find-problem")
    assert page.locator(".tm-find img").count() == 0
    page.keyboard.press("Escape")
    assert not page.locator(".tm-find").is_visible()
    assert page.locator(".tm-found").get_attribute("d") == ""
    assert page.evaluate("window.hacked") is None
    page.keyboard.press("ArrowRight")
    assert page.locator(".tm-find-field").input_value() == ""
    # Keys do nothing while the reader types in a field.
    here = step_of(page)
    page.keyboard.press("/")
    page.keyboard.type("fpbthj")
    assert step_of(page) == here
    assert not page.locator(".tm-sheet").is_visible()
    assert page.locator(".tidemark-player").get_attribute("data-mode") != "present"


def test_every_key_is_in_the_list_once_and_zoom_200_cuts_nothing(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=60")
    page.locator(".tm-tab", has_text="Keys").focus()
    page.keyboard.press("h")
    groups = page.locator(".tm-help section:not(.tm-glossary)").all()
    assert len(groups) == 4
    desk = [cap for group in groups[:3] for cap in group.locator("dt").all_inner_texts()]
    assert len(desk) == len(set(desk)), desk
    assert {"F", "L", "M", "U", "A", "K", "J", "/", "N", "B", "P", "H", "S", "T"} <= set(desk)
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent").startswith("Keys")
    page.set_viewport_size({"width": 720, "height": 450})
    frames(page, 5)
    cut = page.evaluate("""() => [...document.querySelectorAll('.tidemark-player button, .tidemark-player h1, .tm-what, .tm-sentence')]
      .filter((each) => each.checkVisibility() && !each.closest('[role=dialog]'))
      .filter((each) => { const box = each.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth || each.scrollWidth > each.clientWidth + 1; })
      .map((each) => each.textContent || each.ariaLabel)""")  # noqa: E501
    assert cut == []
    assert page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollWidth") <= 720
    page.locator(".tm-foot").scroll_into_view_if_needed()
    assert page.locator(".tm-foot .tm-tab").last.is_visible()
