"""Four phones in Chromium play at a simulated table while a fifth browser watches; every size and language.

A finger touches what is offered until every phone has pressed, a hand of a phone was counted, and the watcher
has heard so many lines. It fails where a phone shows a key instead of words, scrolls sideways, has a script
that falls, a button too small for a finger, or anything that axe-core calls serious.
"""

from __future__ import annotations

import random
import re
import time
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe

PHONE = (390, 844)
SIZES = ((360, 640), (390, 844), (768, 1024), (1920, 1080))
LANGUAGES = ("en", "de", "fr")
PHONES = 4
WAITS_MS = 30_000
LONGEST_S = 75.0
"""So long is played at most; a count takes four seconds of them."""
LINES = 8
"""The watcher hears so many before it is enough."""
PRESSES = 16
LEAST_PX = 44
"""A button that a finger finds (WCAG 2.2, 2.5.5)."""
KEY = re.compile(r"\b(ui|shared|kinapa|kabuki|kobayakawa|dnup)\.[A-Za-z_]+|[{}…]{2}")
SEEN_BY_CAMERA = re.compile(r"^(It is|Das ist|C’est) ")
"""What lies there is read by the simulated camera; a person has no need to say it."""
UP = ("Raise hand", "Hand heben", "Lever la main")
SMALL = """() => [...document.querySelectorAll("button, select, input")].filter((one) => one.offsetParent)
  .map((one) => [one.textContent.trim() || one.id, one.getBoundingClientRect()])
  .filter(([, box]) => box.width < 44 || box.height < 44).map(([words]) => words)"""


def played(browser: Any, join: str, watch: str, kept: Path) -> list[str]:
    """What is wrong with phones that play at the table at `join`; pictures go to `kept`."""
    wrong: list[str] = []
    watcher = _opened(browser, "en", (1920, 1080), "watcher", wrong)
    watcher.goto(watch)
    phones = [_opened(browser, LANGUAGES[n % 3], PHONE, f"phone {n + 1}", wrong) for n in range(PHONES)]
    for number, phone in enumerate(phones, 1):
        phone.goto(join)
        wrong += [f"joining: {one}" for one in (*faults(phone), *serious(phone))] if number == 1 else []
        phone.tap("button[value='/seat']")
        phone.wait_for_selector(".chair", timeout=WAITS_MS)
        if number == 1:
            phone.screenshot(path=str(kept / "phone-chairs.png"))
            wrong += [f"chairs: {one}" for one in (*faults(phone), *serious(phone))]
        phone.tap(f".chair:nth-child({number})")
    for number, phone in enumerate(phones, 1):
        try:
            phone.wait_for_selector("body.holds", timeout=WAITS_MS)
        except Exception:  # noqa: BLE001 (playwright's own)
            wrong.append(f"phone {number}: nobody gave it the chair it asked for")
            return wrong
        if not re.search(r"#[0-9a-f]{32}$", phone.url) or phone.context.cookies():
            wrong.append(f"phone {number}: its token is not in the address alone")
    wrong += _game(phones, watcher)
    wrong += _album(phones[0], kept)
    for page in (watcher, *phones):
        page.context.close()
    return wrong


def _opened(browser: Any, code: str, size: tuple[int, int], where: str, wrong: list[str]) -> Any:
    context = browser.new_context(
        locale=code,
        viewport={"width": size[0], "height": size[1]},
        has_touch=size[0] < 1_000,
        is_mobile=size[0] < 1_000,
    )
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(f"{where}: {error}"))
    page.on("console", lambda said: wrong.append(f"{where}: {said.text}") if said.type == "error" else None)
    return page


def _game(phones: list[Any], watcher: Any) -> list[str]:
    """Play until it is enough; what was missing then."""
    chance, began = random.Random(24), time.monotonic()
    presses, hands, became = [0] * len(phones), 0, 0
    lines: set[str] = set()
    while time.monotonic() - began < LONGEST_S:
        for number, phone in enumerate(phones):
            offered = [
                one
                for one in phone.locator(".choice:not([disabled])").all_inner_texts()
                if not SEEN_BY_CAMERA.match(one)
            ]
            if not offered or (hands and offered[0] not in UP and phone.locator("#beats i").count()):
                continue
            words = chance.choice(offered)
            if words in UP and chance.random() < 0.5:
                continue
            try:
                phone.locator(".choice", has_text=words).first.tap(timeout=500)
            except Exception:  # noqa: BLE001 (the question changed under the finger)
                continue
            presses[number] += 1
            hands += words in UP
            became += bool(phone.inner_text("#became"))
        lines |= set(watcher.locator("#told p").all_inner_texts())
        if all(presses) and hands and sum(presses) >= PRESSES and len(lines) >= LINES:
            break
    took = time.monotonic() - began
    print(f"phones: {presses} presses, {hands} hands raised, {len(lines)} lines heard in {took:.0f} s")
    missing = [f"phone {number} pressed nothing" for number, count in enumerate(presses, 1) if not count]
    if not hands:
        missing.append("no hand was raised by a phone")
    if len(lines) < LINES:
        missing.append(f"the watcher heard {len(lines)} lines")
    return missing


def _album(phone: Any, kept: Path) -> list[str]:
    """One seat at every size in every language, by the language of the page itself."""
    wrong: list[str] = []
    for code in LANGUAGES:
        phone.select_option("#lang", code)
        phone.wait_for_selector(f"html[lang={code}] body.holds", timeout=WAITS_MS)
        for width, height in SIZES:
            where = f"seat-{code}-{width}x{height}"
            phone.set_viewport_size({"width": width, "height": height})
            phone.screenshot(path=str(kept / f"{where}.png"))
            wrong += [f"{where}: {one}" for one in faults(phone)]
        wrong += [f"seat-{code}: {one}" for one in serious(phone)]
    phone.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    phone.tap("#large")
    phone.wait_for_selector("html.large body.holds", timeout=WAITS_MS)
    phone.screenshot(path=str(kept / "seat-large.png"))
    return [*wrong, *(f"seat-large: {one}" for one in faults(phone))]


def faults(page: Any) -> list[str]:
    """What anybody sees at once."""
    found = [f"a key instead of words: {key}" for key in KEY.findall(page.inner_text("body"))]
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append("scrolls sideways")
    return found + [f"too small for a finger: {words}" for words in page.evaluate(SMALL)]


def serious(page: Any) -> list[str]:
    """What axe-core calls serious or worse."""
    broken = Axe().run(page).response["violations"]
    return [f"axe: {one['id']} ({one['help']})" for one in broken if one["impact"] in {"serious", "critical"}]
