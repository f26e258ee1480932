"""A phone whose page hangs, that sleeps, that presses into a dead connection, or is loaded again and again.

The same in Chromium and in WebKitGTK, which is the engine of Safari on another port: it is not iOS.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.request import Request, urlopen

from tests.home.servers import free_port
from tests.outside_programs import program
from tests.processes import running
from tests.programs.browser.players import LOCKS

WAITS_S = 90
TOLD_S = 2.0
"""A connection that is lost is told by then, and a press that came to nothing."""
LOOKS_S = 0.3
"""What looking at a page may take in a busy machine."""
BACK_S = 5.0
"""A phone has its seat again by then."""
ASKED_TIMES = 5
ASLEEP_S = 8
"""The page lets a phone go that has been silent for 6 s."""
HOME = "192.168.7.7"
HOLDS = "return document.body.classList.contains('holds')"
LOST = "return !document.getElementById('lost').hidden"
UNHEARD = "const b = document.getElementById('became'); return b.textContent === b.dataset.unheard"
ASKED = "return Boolean(document.querySelector('.choice:not([disabled]), .key'))"
KEYS = "return Boolean(document.querySelector('.key'))"
"""Many cards to choose from: one is touched first, then the button that says which."""
WAKE = "document.dispatchEvent(new Event('visibilitychange'))"


class Phone(Protocol):
    """A browser as a driver has it."""

    def open(self, address: str) -> None: ...

    def run(self, script: str) -> Any: ...

    def tap(self, selector: str) -> None: ...


class Chromium:
    """By playwright."""

    processes = "chromium"

    def __init__(self, browser: Any) -> None:
        self._page = browser.new_context(has_touch=True, viewport={"width": 390, "height": 844}).new_page()

    def open(self, address: str) -> None:
        self._page.goto(address)

    def run(self, script: str) -> Any:
        return self._page.evaluate(f"() => {{ {script} }}")

    def tap(self, selector: str) -> None:
        self._page.tap(selector)


class WebKit:
    """By WebDriver (W3C), which Debian's webkit2gtk-driver speaks."""

    processes = "WebKit"

    def __init__(self, port: int) -> None:
        self._at = f"http://127.0.0.1:{port}/session"
        (binary,) = Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")
        options = {"webkitgtk:browserOptions": {"binary": str(binary), "args": ["--automation"]}}
        self._at += "/" + self._ask("", {"capabilities": {"alwaysMatch": options}})["sessionId"]

    def _ask(self, what: str, said: object) -> Any:
        asked = Request(self._at + what, json.dumps(said).encode(), {"Content-Type": "application/json"})
        with urlopen(asked, timeout=WAITS_S) as answer:
            return json.load(answer)["value"]

    def open(self, address: str) -> None:
        self._ask("/url", {"url": address})

    def run(self, script: str) -> Any:
        return self._ask("/execute/sync", {"script": script, "args": []})

    def tap(self, selector: str) -> None:
        (element,) = self._ask("/element", {"using": "css selector", "value": selector}).values()
        self._ask(f"/element/{element}/click", {})


@contextmanager
def webkit() -> Iterator[WebKit]:
    """MiniBrowser on a display of its own."""
    shown, port = f":{free_port()}", free_port()
    environment = {**os.environ, "DISPLAY": shown, "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with (
        running([program("Xvfb"), shown, "-screen", "0", "800x1000x24"], **quiet) as display,
        running([program("WebKitWebDriver"), f"--port={port}"], env=environment, **quiet) as driver,
    ):
        time.sleep(2)
        try:
            yield WebKit(port)
        finally:
            driver.terminate()
            display.terminate()


def descendants(of: int) -> Iterator[int]:
    for each in Path(f"/proc/{of}/task/{of}/children").read_text(encoding="utf-8").split():
        yield int(each)
        yield from descendants(int(each))


@contextmanager
def frozen(*processes: int) -> Iterator[None]:
    for one in processes:
        os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in processes:
            os.kill(one, signal.SIGCONT)


def until(phone: Phone, so: str, seconds: float) -> float | None:
    """After how many seconds the script says yes; None: not in time."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if phone.run(so):
            return time.monotonic() - began
        time.sleep(0.05)
    return None


def kept_awake(chromium: Any, join: str) -> list[str]:
    """What is wrong with a phone at a table that has a certificate of its own: its screen stays on.

    Its address is one of a home network, for Chromium trusts its own machine's without a certificate.
    """
    context = chromium.new_context(has_touch=True, ignore_https_errors=True)
    phone = context.new_page()
    phone.add_init_script(LOCKS)
    phone.goto(join.replace("127.0.0.1", HOME))
    phone.wait_for_selector(".chair", timeout=WAITS_S * 1000)
    phone.tap(".chair")
    phone.tap("#sit")
    phone.wait_for_selector("body.holds", timeout=WAITS_S * 1000)
    try:
        phone.wait_for_function("window.locks.length === 1", timeout=BACK_S * 1000)
    except Exception as late:  # noqa: BLE001 (playwright's own)
        return [f"by TLS the screen is not kept on ({str(late).splitlines()[0]})"]
    print("  Chromium: by TLS the screen is kept on", flush=True)
    return ["a phone that stays awake is told to"] if phone.locator("#awake").is_visible() else []


def certificate(folder: Path) -> list[str]:
    """The words by which a page has a certificate of the table's own, as docs/play/phones.md makes it."""
    key, made = folder / "table.key", folder / "table.crt"
    asked = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=table")
    words = (*asked, "-addext", f"subjectAltName=IP:{HOME}", "-keyout", key, "-out", made)
    subprocess.run([program("openssl"), *words], check=True, capture_output=True)
    return ["--certificate", str(made), "--key", str(key)]


def silenced(phone: Any, join: str, table: int, *, reloads: int, hangs_s: float) -> list[str]:
    """What is wrong with a phone at the table whose process is `table`; the page is its child."""
    (page,) = descendants(table)
    wrong, name = list[str](), type(phone).__name__

    def within(what: str, limit: float, look: Callable[[], float | None]) -> None:
        took = look()
        print(
            f"  {type(phone).__name__}: {what} after {'no' if took is None else f'{took:.1f}'} s", flush=True
        )
        if took is None:
            wrong.append(f"{type(phone).__name__}: {what} not within {limit} s")

    phone.open(join)
    assert until(phone, "return Boolean(document.querySelector('.chair'))", WAITS_S) is not None
    phone.tap(".chair")
    phone.tap("#sit")
    assert until(phone, HOLDS, WAITS_S) is not None, "nobody gave it the chair it asked for"
    token = phone.run("return location.hash")
    has_seat = f"return !(() => {{ {LOST} }})() && (() => {{ {HOLDS} }})() && location.hash === '{token}'"

    with frozen(page):
        within("the page hangs: told", TOLD_S, lambda: until(phone, LOST, TOLD_S + LOOKS_S))
        time.sleep(hangs_s)
    within("the page goes on: the seat is back", BACK_S, lambda: until(phone, has_seat, BACK_S))

    ours = [
        one
        for one in descendants(os.getpid())
        if phone.processes in Path(f"/proc/{one}/cmdline").read_text(encoding="utf-8")
    ]
    with frozen(*ours):
        time.sleep(ASLEEP_S)
    phone.run(WAKE)
    within("it slept and is woken: the seat is back", BACK_S, lambda: until(phone, has_seat, BACK_S))

    longest = 0.0
    for number in range(reloads):
        phone.open("about:blank")
        phone.open(f"{join.partition('/#')[0]}/seat{token}")
        took = until(phone, has_seat, BACK_S)
        if took is None:
            return [*wrong, f"{name}: at reload {number + 1} the seat is gone"]
        longest = max(longest, took)
    print(
        f"  {name}: {reloads} reloads, the seat each time, at most {longest:.1f} s",
        flush=True,
    )

    for _ in range(ASKED_TIMES):
        if until(phone, ASKED, WAITS_S) is None:
            return [*wrong, f"{name}: was asked nothing"]
        with frozen(page), suppress(Exception):  # a driver's own: what was asked is not asked any more
            if phone.run(KEYS):
                phone.tap(".key")
                phone.tap("#sure")
            else:
                phone.tap(".choice:not([disabled])")
            within("a press into silence: told", TOLD_S, lambda: until(phone, UNHEARD, TOLD_S + LOOKS_S))
            break
    within("the seat is back", BACK_S, lambda: until(phone, has_seat, BACK_S))
    return wrong
