"""One browser, and whoever sits at it: acts, rests, looks whether anything is wrong."""

import asyncio
import re
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from playwright.async_api import Error
from tidemark.ui.server.roles import LINK

from tests.monkey.acting import PATIENCE, act
from tests.monkey.choosing import Action, Addresses, Persona, action, persona
from tests.monkey.keeping import ACTIONS, Failures
from tests.monkey.watching import SHOWN, is_noise, sign, titles

REST_S: Final = (0.8, 2.8)
"""The shortest and the longest rest after an action: four browsers do two actions a second."""

STAYS: Final = 250
"""After so many actions the next person comes, with a browser that has stored nothing."""

MOST_PAGES: Final = 3
HANGS_S: Final = 60.0
"""A page that says nothing for so long hangs, however busy the machine is."""

_ROOM: Final = re.compile(r"\b[BCDFGHJKLMNPQRSTVWXZ]{5}\b")


class Monkey:
    """One of the browsers."""

    def __init__(
        self, number: int, browser: Any, origin: str, chance: Random, addresses: Addresses, failures: Failures,
        secret: str, uploads: list[Path],
    ) -> None:  # fmt: skip
        self.number, self.browser, self.origin, self.chance = number, browser, origin, chance
        self.addresses, self.failures, self.secret, self.uploads = addresses, failures, secret, uploads
        self.actions = 0
        self.missed = 0
        self.last: deque[dict[str, Any]] = deque(maxlen=ACTIONS)
        self.wrong: list[str] = []
        self.context: Any = None
        self.page: Any = None
        self._titles = titles()
        self._next = 0

    async def play(self, until: float) -> None:
        """Until the monotonic clock shows ``until``; the browser's pages are closed then."""
        while time.monotonic() < until:
            if self.context is None or self.actions >= self._next:
                await self._another_person()
            await self._once(action(self.chance, self.addresses))
            await asyncio.sleep(self.chance.uniform(*REST_S))
        await self._leave()

    async def _another_person(self) -> None:
        await self._leave()
        self._next = self.actions + STAYS
        who = persona(self.chance)
        self.last.clear()
        self.last.append({"person": repr(who)})
        self.context = await self.browser.new_context(**_options(who))
        self.context.set_default_timeout(PATIENCE)
        self.context.on("page", self._watch)
        self.page = await self.context.new_page()
        secret = f"/?{LINK}={self.secret}" if who.teacher else "/"
        with suppress(Error):
            await self.page.goto(self.origin + secret, wait_until="commit", timeout=6 * PATIENCE)

    async def _leave(self) -> None:
        if self.context is not None:
            with suppress(Error):
                await self.context.close()
        self.context = self.page = None

    def _watch(self, page: Any) -> None:
        page.on("pageerror", lambda error: self.wrong.append(f"error in the page: {error}\n{error.stack}"))
        page.on("console", lambda said: self._heard(said.type, said.text, said.location))
        page.on("crash", lambda _: self.wrong.append("the page crashed"))
        page.on("request", lambda asked: self._asked(asked.url))
        page.on("response", lambda got: self._answered(got.status, got.url))
        page.on("dialog", lambda dialog: asyncio.ensure_future(self._quietly(dialog.accept)))
        page.on("filechooser", lambda chooser: asyncio.ensure_future(self._quietly(lambda: self._upload(chooser))))

    def _heard(self, kind: str, text: str, place: Any) -> None:
        said = f"{text} {(place or {}).get('url', '')}"
        if kind == "error" and not is_noise(said):
            self.wrong.append(f"console: {said}")

    def _asked(self, url: str) -> None:
        if url.startswith("http") and not url.startswith(self.origin):
            self.wrong.append(f"asked another server: {url}")

    def _answered(self, status: int, url: str) -> None:
        if status >= 500:
            self.wrong.append(f"answer {status}: {url.partition('?')[0]}")

    async def _upload(self, chooser: Any) -> None:
        await chooser.set_files(self.chance.choice(self.uploads))

    async def _quietly(self, do: Callable[[], Any]) -> None:
        with suppress(Error):
            await do()

    async def _once(self, chosen: Action) -> None:
        page = self.page
        done: dict[str, Any] = {"at": page.url, "do": chosen.kind, "text": chosen.text}
        began = time.time()
        self.last.append(done)
        self.actions += 1
        try:
            if chosen.kind == "close":
                await self._close()
            else:
                done["met"] = await asyncio.wait_for(act(page, chosen, self.origin, self.chance), HANGS_S)
            await asyncio.sleep(0.3)
            self.wrong += await asyncio.wait_for(self._shown(), HANGS_S)
        except Error as error:  # the page went on while it was acted on
            self.missed += 1
            done["missed"] = sign(str(error))
        except TimeoutError:
            self.wrong.append(f"the page hangs: {page.url.partition('?')[0]}")
        self.failures.tell(began, self.number, done)
        if self.wrong:
            await self._report()

    async def _shown(self) -> list[str]:
        pages = self.context.pages
        if not pages:
            self.page = await self.context.new_page()
            await self.page.goto(self.origin, wait_until="commit")
        elif self.page.is_closed() or (pages[-1] is not self.page and self.chance.random() < 0.5):
            self.page = pages[-1]
        for each in pages[MOST_PAGES:]:
            await each.close()
        if self.page.is_closed():
            self.page = self.context.pages[-1]
        if not self.page.url.startswith((self.origin, "blob:")):
            await self.page.goto(self.origin, wait_until="commit")
        if "room" in (text := await self.page.evaluate("document.body?.innerText?.slice(0, 5000) ?? ''")):
            self.addresses.code = next(iter(_ROOM.findall(text)), self.addresses.code)
        return [f"the page says: {each}" for each in await self.page.evaluate(SHOWN, self._titles)]

    async def _close(self) -> None:
        if len(self.context.pages) > 1:
            await self.page.close()
            self.page = self.context.pages[0]

    async def _report(self) -> None:
        """Write down what is wrong, and begin anew with the next person."""
        page = self.page
        for each in {sign(each): each for each in self.wrong}.values():
            stem = self.failures.add(sign(each), f"{each}\n\nbrowser {self.number}, {page.url}", self.last)
            if stem is not None:
                print(f"FAILED: {sign(each)} ({stem}.txt)", flush=True)
                with suppress(Error):
                    await page.screenshot(path=stem.with_suffix(".png"), timeout=PATIENCE)
        self.wrong.clear()
        self._next = self.actions


def _options(who: Persona) -> dict[str, Any]:
    """What Playwright needs to know of a person."""
    width, height = who.size
    return {
        "viewport": {"width": width, "height": height},
        "locale": {"en": "en-GB", "zh": "zh-CN"}.get(who.language, who.language),
        "color_scheme": "dark" if who.dark else "light",
        "has_touch": who.phone,
        "is_mobile": who.phone,
    }
