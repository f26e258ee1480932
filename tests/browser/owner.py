"""The owner's pages in Chromium: a PIN, past games, a log, a recap, the doctor, the stream's address."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from companion.core.actions import Setup
from companion.games import RULES
from companion.referee.journal import header_of
from companion.referee.store import Store
from companion.settings.files import load
from companion.simulation.play import Simulation, styles_for
from tests.browser.players import faults, serious

PAGES = ("games", "log", "recap/1", "doctor", "stream")
SIZES = ((360, 640), (1920, 1080))
WAITS_MS = 60_000
NAME = "Ada Lovelace"


def game_that_is_over(folder: Path) -> None:
    """A store with one whole game, and a name in it that no page tells."""
    rules = RULES["kobayakawa"]
    setup = Setup((0, 1, 2), rules.options())
    played = Simulation(rules, setup, seed=5, styles=styles_for(3, random.Random(5)))
    played.play()
    settings = load(overrides={"storage.folder": str(folder)}, environ={})
    header = header_of("kobayakawa", setup, date="2026-11-20T20:15:00", names=((0, NAME),))
    with Store(settings.store_file(), RULES) as store:
        journal = store.create(header)
        for entry in played.referee.journal.entries:
            journal.append(entry, rules.outcome(played.referee.state))
        journal.close()


def owned(browser: Any, base: str, pin: str, kept: Path) -> list[str]:
    """What is wrong with the owner's pages at `base`; pictures go to `kept`."""
    wrong: list[str] = []
    for size in SIZES:
        page = _opened(browser, size, base, wrong)
        page.goto(f"{base}/games")
        page.fill("#pin", f"{(int(pin) + 1) % 1_000_000:06}")
        page.click("#ask button")
        page.wait_for_selector("#notice[data-why=pin]", timeout=WAITS_MS)
        page.fill("#pin", pin)
        page.click("#ask button")
        page.wait_for_selector("#shown > *", timeout=WAITS_MS)
        for name in PAGES:
            where = f"owner-{name.partition('/')[0]}-{size[0]}"
            page.goto(f"{base}/{name}")
            try:
                page.wait_for_selector("#shown > *", timeout=WAITS_MS)
            except Exception:  # noqa: BLE001 (playwright's own)
                wrong.append(f"{where}: nothing is shown ({page.inner_text('#notice')})")
            page.screenshot(path=str(kept / f"{where}.png"))
            wrong += [f"{where}: {one}" for one in (*faults(page), *serious(page))]
            if NAME.split()[1] in page.inner_text("body"):
                wrong.append(f"{where}: tells a name")
        page.context.close()
    return wrong


def _opened(browser: Any, size: tuple[int, int], base: str, wrong: list[str]) -> Any:
    """A browser that keeps what its console says, and what it asks for from elsewhere."""
    small = size[0] < 1000
    page = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if small else "light",
        locale="de" if small else "en",
    ).new_page()
    page.on("pageerror", lambda error: wrong.append(f"owner: {error}"))
    page.on("console", lambda said: wrong.append(f"owner: {said.text}") if said.type == "error" else None)
    page.on(
        "request", lambda asked: None if asked.url.startswith((base, "data:")) else wrong.append(asked.url)
    )
    return page
