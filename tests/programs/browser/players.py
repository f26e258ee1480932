"""Four phones in Chromium play one whole game, from joining to its end, while a fifth browser watches.

People at a simulated table mean something (`tests.programs.browser.phone_people`), and a finger finds it
among what their phone offers, in its language; cards are moved, and seen by the camera, as in a demo. It
fails where the table stands still or the end is not told; where a page shows a key instead of words,
scrolls sideways, has a script that falls, a button too small for a finger, or anything that axe-core calls
serious.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from axe_playwright_python.sync_playwright import Axe

PHONE = (390, 844)
SIZES = ((360, 640), (390, 844), (768, 1024), (1080, 1920), (1920, 1080))
LANGUAGES = ("en", "de", "fr")
PHONES = 4
WAITS_MS = 30_000
LOOKS_AGAIN_S = 4.0
"""Without news for so long, a press is made again that came to nothing."""
STANDS_STILL_S = 40.0
OFFERED_MS, HAND_MS = 5_000, 1_500
"""So long a finger looks for what somebody means; a hand that is not raised by then stays down."""
KEY = re.compile(r"\b(ui|shared|kinapa|kabuki|kobayakawa|dnup)\.[A-Za-z_]+|[{}…]{2}")
SMALL = """() => [...document.querySelectorAll("button, select, input")].filter((one) => one.offsetParent)
  .map((one) => [one.textContent.trim() || one.id, one.getBoundingClientRect()])
  .filter(([, box]) => box.width < 44 || box.height < 44).map(([words]) => words)"""
"""What a finger does not find (WCAG 2.2, 2.5.5)."""


class Table:
    """What people at the table mean, as it is told line by line, until the game is over."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.news: SimpleQueue[dict[str, Any]] = SimpleQueue()
        Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.startswith("{"):
                self.news.put(json.loads(line))


def played(browser: Any, table: Table, join: str, watch: str, kept: Path) -> list[str]:
    """What is wrong with four phones that play a whole game at the table at `join`; pictures go to `kept`."""
    wrong: list[str] = []
    watcher = opened(browser, "en", (1080, 1920), "watcher", wrong)
    watcher.goto(watch)
    phones = [opened(browser, LANGUAGES[n], PHONE, f"phone {n + 1}", wrong) for n in range(PHONES - 1)]
    phones.append(_heard(phones[0].context.new_page(), "phone 4", wrong))  # fewer connections of one address
    phones[0].add_init_script(LOCKS)
    for number, phone in enumerate(phones, 1):
        phone.goto(join)
        phone.wait_for_selector(".chair", timeout=WAITS_MS)
        if number == 1:
            phone.screenshot(path=str(kept / "phone-chairs.png"))
            wrong += [f"chairs: {one}" for one in (*faults(phone), *serious(phone))]
        phone.tap(f".chair:nth-child({number})")
        phone.tap("#sit")
    for number, phone in enumerate(phones, 1):
        try:
            phone.wait_for_selector("body.holds", timeout=WAITS_MS)
        except Exception:  # noqa: BLE001 (playwright's own)
            wrong.append(f"phone {number}: nobody gave it the chair it asked for")
            return wrong
        if not re.search(r"#[0-9a-f]{32}$", phone.url) or phone.context.cookies():
            wrong.append(f"phone {number}: its token is not in the address alone")
    wrong += _awake(phones[0])
    wrong += _game(phones, table, kept)
    watcher.wait_for_selector(".winners", timeout=WAITS_MS)
    watcher.screenshot(path=str(kept / "watch-over-1080x1920.png"))
    wrong += [f"watcher: {one}" for one in (*faults(watcher), *serious(watcher))]
    for context in {page.context for page in (watcher, *phones)}:
        context.close()
    return wrong


LOCKS = """
window.locks = [];
if (navigator.wakeLock) {
  const asked = navigator.wakeLock.request.bind(navigator.wakeLock);
  navigator.wakeLock.request = async (kind) => {
    const lock = await asked(kind);
    window.locks.push(lock);
    return lock;
  };
}
"""
"""Keeps the locks by which a page holds the screen on; Chromium gives them to its own machine's pages."""


def _awake(phone: Any) -> list[str]:
    """A lock that ended is asked for again as soon as the page is seen, and nobody is told to help."""
    try:
        phone.wait_for_function("window.locks.length === 1", timeout=WAITS_MS)
        phone.evaluate("window.locks[0].release()")
        phone.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        phone.wait_for_function("window.locks.length === 2", timeout=WAITS_MS)
    except Exception as late:  # noqa: BLE001 (playwright's own)
        return [f"the screen is not kept on ({str(late).splitlines()[0]})"]
    return (
        ["a phone that stays awake is told to"]
        if phone.evaluate("!document.getElementById('awake').hidden")
        else []
    )


def opened(browser: Any, code: str, size: tuple[int, int], where: str, wrong: list[str]) -> Any:
    context = browser.new_context(
        locale=code,
        viewport={"width": size[0], "height": size[1]},
        has_touch=size[0] < 1_000,
        is_mobile=size[0] < 1_000,
    )
    return _heard(context.new_page(), where, wrong)


def _heard(page: Any, where: str, wrong: list[str]) -> Any:
    """The page; what its scripts complain of is kept."""
    page.on("pageerror", lambda error: wrong.append(f"{where}: {error}"))
    page.on("console", lambda said: wrong.append(f"{where}: {said.text}") if said.type == "error" else None)
    return page


def _game(phones: list[Any], table: Table, kept: Path) -> list[str]:
    """Press what people mean until the game is over; what was wrong with that."""
    began = heard = time.monotonic()
    presses: Counter[int] = Counter()
    hands, wrong = 0, list[str]()
    meant: dict[int, str] = {}
    looked_at = False
    while True:
        try:
            news = table.news.get(timeout=LOOKS_AGAIN_S)
        except Empty:
            if time.monotonic() - heard > STANDS_STILL_S:
                return [*wrong, f"the table stands still; people meant {meant}"]
            for chair, words in meant.items():
                _tapped(phones[chair], words, HAND_MS)
            continue
        heard = time.monotonic()
        if (over := news.get("over")) is not None:
            break
        chair, code = news["chair"], LANGUAGES[news["chair"] % 3]
        if news["words"] is None:
            raised = _tapped(phones[chair], None, HAND_MS)
            hands += raised
            presses[chair] += raised
            continue
        if not looked_at:
            looked_at = True
            wrong += _album(phones[chair], code, kept)
        meant = {chair: news["words"][code]}
        presses[chair] += _tapped(phones[chair], meant[chair], OFFERED_MS)
    took = time.monotonic() - began
    print(f"phones: a whole game, {dict(sorted(presses.items()))} presses, {hands} hands, in {took:.0f} s")
    wrong += [f"phone {number} pressed nothing" for number in range(1, PHONES + 1) if not presses[number - 1]]
    for number, phone in enumerate(phones, 1):
        code = LANGUAGES[(number - 1) % 3]
        try:
            phone.locator("#headline", has_text=over[code]).wait_for(timeout=WAITS_MS)
        except Exception:  # noqa: BLE001 (playwright's own)
            wrong.append(f"phone {number}: {over[code]!r} is not told ({phone.inner_text('#headline')!r})")
        phone.screenshot(path=str(kept / f"phone-over-{code}.png"))
        wrong += [f"over, {code}: {one}" for one in faults(phone)]
    return wrong if hands else [*wrong, "no hand was raised by a phone"]


def _tapped(phone: Any, words: str | None, patience: float) -> bool:
    """Whether a finger found the button with these words, or the only one, in so many ms."""
    enabled = phone.locator(".choice:not([disabled])")
    wanted = enabled
    if words is not None:  # beside the words there may be the number of a sign
        said = phone.locator("span", has_text=re.compile(f"^{re.escape(words)}$"))
        wanted = enabled.filter(has=said)
    key = phone.locator(".key").filter(has=phone.get_by_alt_text(words or "", exact=True))
    try:
        if words is not None and key.count():
            key.first.tap(timeout=patience)
            wanted = phone.locator("#sure:not([disabled])")
        wanted.first.tap(timeout=patience)
    except Exception:  # noqa: BLE001 (playwright's own: it is not there, or was taken away)
        return False
    return True


def _album(phone: Any, own: str, kept: Path) -> list[str]:
    """One seat at every size in every language, by the language of the page itself; its `own` is the last."""
    wrong: list[str] = []
    for code in sorted(LANGUAGES, key=lambda code: code == own):
        phone.tap("#more")
        phone.select_option("#lang", code)
        phone.wait_for_selector(f"html[lang={code}] body.holds .choice", timeout=WAITS_MS)
        for width, height in SIZES:
            where = f"seat-{code}-{width}x{height}"
            phone.set_viewport_size({"width": width, "height": height})
            phone.screenshot(path=str(kept / f"{where}.png"))
            wrong += [f"{where}: {one}" for one in faults(phone)]
        wrong += [f"seat-{code}: {one}" for one in serious(phone)]
    phone.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    for pressed, name in (("true", "seat-large"), ("false", "seat")):
        phone.tap("#more")
        phone.tap("#large")
        phone.wait_for_selector(f"#large[aria-pressed={pressed}]", state="attached", timeout=WAITS_MS)
        phone.wait_for_selector("body.holds .choice", timeout=WAITS_MS)
        phone.screenshot(path=str(kept / f"{name}.png"))
        wrong += [f"{name}: {one}" for one in faults(phone)]
    return wrong


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
