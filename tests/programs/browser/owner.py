"""The owner's pages in Chromium: a PIN, past games, a log, a recap, the doctor, the stream's address."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

from tests.programs.browser.phone_people import NAME
from tests.programs.browser.players import faults, serious

PAGES = ("games", "log", "recap/1", "doctor", "stream")
SIZES = ((360, 640), (1920, 1080))
WAITS_MS = 60_000


def owned(browser: Any, base: str, pin: str, kept: Path) -> list[str]:
    """What is wrong with the owner's pages at `base`; pictures go to `kept`."""
    wrong: list[str] = []
    pages = [_opened(browser, size, base, wrong) for size in SIZES]
    for page in pages:
        page.goto(f"{base}/games")
        page.fill("#pin", f"{(int(pin) + 1) % 1_000_000:06}")
        page.click("#ask button")
        page.wait_for_selector("#notice[data-why=pin]", timeout=WAITS_MS)
        page.fill("#pin", pin)
        page.click("#ask button")
        page.wait_for_selector("#shown .won-by", timeout=WAITS_MS)
    for name, (page, size) in product(PAGES, zip(pages, SIZES, strict=True)):  # each is made once for all
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
    for page in pages:
        page.context.close()
    return wrong


def _opened(browser: Any, size: tuple[int, int], base: str, wrong: list[str]) -> Any:
    """A browser that keeps what its console says, and what it asks for from elsewhere."""
    small = size[0] < 1000
    page = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if small else "light",
        locale="de",
    ).new_page()
    page.on("pageerror", lambda error: wrong.append(f"owner: {error}"))
    page.on("console", lambda said: wrong.append(f"owner: {said.text}") if said.type == "error" else None)
    page.on(
        "request", lambda asked: None if asked.url.startswith((base, "data:")) else wrong.append(asked.url)
    )
    return page
