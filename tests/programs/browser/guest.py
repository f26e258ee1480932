"""A guest's phone: from the QR code to the first press in two taps, and a connection that dies in silence.

How long both take is printed and not judged: a busy machine is no fault of the page.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.programs.browser.players import faults, opened, serious

PHONE = (390, 844)
TAPS = 2
"""A seat, and a press."""
WAITS_MS = 60_000


class Wire:
    """The phone's way to the table; while it is cut, nothing arrives and nothing is closed."""

    def __init__(self, page: Any) -> None:
        self.is_cut = False
        page.route_web_socket("**/phone", self._joined)

    def _joined(self, phone: Any) -> None:
        table = phone.connect_to_server()
        phone.on_message(lambda said: None if self.is_cut else table.send(said))
        table.on_message(lambda said: None if self.is_cut else phone.send(said))


def visited(browser: Any, game: str, join: str, kept: Path) -> list[str]:
    """What is wrong with a guest's first minute at the table at `join`; pictures go to `kept`."""
    wrong: list[str] = []
    taps = 0
    phone = opened(browser, "en", PHONE, f"{game}, guest", wrong)
    wire = Wire(phone)

    def tap(words: str) -> None:
        nonlocal taps
        phone.locator(words).first.tap(timeout=WAITS_MS)
        taps += 1

    began = time.monotonic()
    phone.goto(join)
    phone.wait_for_selector("#sit", timeout=WAITS_MS)
    if not phone.inner_text("#use"):
        wrong.append("a guest is not told what a phone can do in this game")
    shown = time.monotonic()
    phone.screenshot(path=str(kept / f"guest-{game}-seats.png"))
    wrong += [f"guest, seats: {one}" for one in (*faults(phone), *serious(phone))]
    began += time.monotonic() - shown  # to look at it is no part of it
    tap("#sit")
    tap("#choices button:not([disabled])")
    took = time.monotonic() - began
    print(f"{game}: a guest's first press after {taps} taps and {took:.1f} s")
    if taps != TAPS:
        wrong.append(f"a guest needs {taps} taps")
    seat = phone.inner_text("#who")
    wire.is_cut = True
    cut = time.monotonic()
    phone.wait_for_selector("#lost:not([hidden])", timeout=WAITS_MS)
    told = time.monotonic() - cut
    phone.screenshot(path=str(kept / f"guest-{game}-lost.png"))
    wrong += [f"guest, lost: {one}" for one in (*faults(phone), *serious(phone))]
    phone.tap("#try")  # comes to nothing yet
    wire.is_cut = False
    mended = time.monotonic()
    phone.wait_for_selector("#lost", state="hidden", timeout=WAITS_MS)
    back = time.monotonic() - mended
    print(f"{game}: a dead connection is told after {told:.1f} s; once mended it holds after {back:.1f} s")
    phone.wait_for_selector("body.holds", timeout=WAITS_MS)
    if phone.inner_text("#who") != seat:
        wrong.append("a guest lost the seat with the connection")
    phone.context.close()
    return wrong
