"""`make browser`: Debian's Chromium watches simulated games, and its pictures are kept in build/browser.

Each game is watched in three languages at four sizes, at once; one is played from joining to its end by
four phones, and looked back on by its owner. It fails where a page shows or announces nothing, a key instead
of words, a bar to scroll sideways, an error of a script, or asks for anything from elsewhere; and where its
first visit loads more than 100 kB besides pictures of cards.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from itertools import product, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import Any, NamedTuple

from tests.outside_programs import lacking, program
from tests.processes import running
from tests.programs.browser.overlay import overlaid

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "build" / "browser"
GAMES = ("kinapa", "kabuki", "kobayakawa", "dnup")
LANGUAGES = ("en", "de", "fr")
SIZES = ((360, 640), (390, 844), (768, 1024), (1920, 1080))
FIRST_VISIT = 100_000
"""Bytes of pages, styles and scripts."""
LINES = 3
"""Announced lines that a watcher hears before its picture is kept."""
WAITS_MS = 90_000
ENDS_S = 30
"""A table that is told to end gets no longer."""
KEY = re.compile(r"\b(ui|shared|kinapa|kabuki|kobayakawa|dnup)\.[A-Za-z_]+|[{}…]{2}")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="make browser", description=__doc__.split("\n")[0] if __doc__ else ""
    )
    parser.add_argument("--game", action="append", choices=GAMES, help="only this one")
    parser.add_argument("--silence", action="store_true", help="a phone that falls silent, and nothing else")
    parser.add_argument("--hangs", type=float, default=3, metavar="SECONDS", help="how long its page hangs")
    parser.add_argument("--reloads", type=int, default=20, help="how often a phone's page is loaded again")
    parser.add_argument("--thin", action="store_true", help="one game watched, none played by phones")
    args = parser.parse_args(argv)
    chromium = program("chromium")
    from playwright.sync_api import sync_playwright

    from tests.programs.browser.guest import visited
    from tests.programs.browser.owner import owned
    from tests.programs.browser.players import Table, played

    KEPT.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    if not args.thin:
        wrong += in_silence(args.reloads, args.hangs)
    if args.silence:
        return told(wrong)
    games = args.game or (GAMES[:1] if args.thin else GAMES)
    with sync_playwright() as playwright, ExitStack() as evening:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        evening.callback(browser.close)
        folder = evening.enter_context(TemporaryDirectory())
        if not args.thin:
            people = evening.enter_context(
                begun("tests.programs.browser.phone_people", folder)
            )  # who wait for phones
        table = evening.enter_context(simulated(games[0]))
        for game, following in zip_longest(games, games[1:]):
            address, watching = found(table), table
            if following is not None:
                table = evening.enter_context(simulated(following))
            wrong += watched(browser, game, address.watch)
            if game != GAMES[0]:
                wrong += visited(browser, game, address.join, KEPT)
            else:
                wrong += overlaid(browser, f"{game}-overlay", address.stream, KEPT)
            watching.terminate()
        if not args.thin:
            address = found(people)
            assert people.stdout is not None
            wrong += played(browser, Table(people.stdout), address.join, address.watch, KEPT)
            wrong += owned(browser, address.watch.partition("/watch")[0], address.owner, KEPT)
    return told(wrong)


def told(wrong: Sequence[str]) -> int:
    print(*wrong, f"browser: {len(wrong)} faults; pictures in {KEPT.relative_to(ROOT)}", sep="\n")
    return 1 if wrong else 0


def in_silence(reloads: int, hangs_s: float) -> list[str]:
    """What is wrong with phones that hear nothing, in Chromium and, where it is installed, in WebKitGTK."""
    from playwright.sync_api import sync_playwright

    from tests.programs.browser.silence import HOME, Chromium, certificate, kept_awake, silenced, webkit

    wrong: list[str] = []
    with sync_playwright() as playwright, simulated(GAMES[0]) as table, TemporaryDirectory() as folder:
        words = ["--no-sandbox", f"--host-resolver-rules=MAP {HOME} 127.0.0.1"]
        browser = playwright.chromium.launch(executable_path=program("chromium"), args=words)
        wrong += silenced(Chromium(browser), found(table).join, table.pid, reloads=reloads, hangs_s=hangs_s)
        with simulated(GAMES[0], *certificate(Path(folder))) as encrypted:
            wrong += kept_awake(browser, found(encrypted).join)
        browser.close()
    if gone := lacking(["WebKitWebDriver", "Xvfb"]):
        print(f"browser: phones were not tried in WebKitGTK; {gone}")
        return wrong
    with webkit() as phone, simulated(GAMES[0]) as table:
        return wrong + silenced(phone, found(table).join, table.pid, reloads=reloads, hangs_s=hangs_s)


class Addresses(NamedTuple):
    """Where phones join and watch, with the PIN, and where a stream shows the table, with the key."""

    join: str
    watch: str
    stream: str
    owner: str
    """The owner's PIN."""


TOLD = re.compile(r"^(?:(Join|Watch|Stream): (\S+)|The (owner)'s PIN.*: (\d{6}))")


@contextmanager
def begun(module: str, *words: str) -> Iterator[subprocess.Popen[str]]:
    """A table in a process of its own, until it is not wanted any more."""
    with running([sys.executable, "-m", module, *words], cwd=ROOT, stdout=subprocess.PIPE) as table:
        try:
            yield table
        finally:
            table.terminate()
            with suppress(subprocess.TimeoutExpired):
                table.wait(ENDS_S)


def simulated(game: str, *words: str) -> AbstractContextManager[subprocess.Popen[str]]:
    """A table of simulated people, at a free port."""
    return begun("companion", "page", "--simulate", game, "--host", "127.0.0.1", "--port", "0", *words)


def found(table: subprocess.Popen[str]) -> Addresses:
    """Where it is, as it says itself; one that does not say it in time is ended."""
    assert table.stdout is not None
    told: dict[str, str] = {}
    late = Timer(WAITS_MS / 1_000, table.kill)
    late.start()
    for line in table.stdout:
        if match := TOLD.match(line):
            told[(match[1] or match[3]).lower()] = match[2] or match[4]
        if len(told) == len(Addresses._fields):
            break
    late.cancel()
    assert len(told) == len(Addresses._fields), f"a table did not say where it is, but for {told}"
    return Addresses(**told)


def watched(browser: Any, game: str, address: str) -> list[str]:
    """What is wrong with the pages of one game, in every language and size at once."""
    wrong: list[str] = []
    pages = []
    # One browser a language: the page takes only so many connections of one address
    # (`guard.MAX_CONNECTIONS_PER_ADDRESS`).
    browsers = {code: browser.new_context(locale=code, has_touch=True) for code in LANGUAGES}
    for code, size in product(LANGUAGES, SIZES):
        page = browsers[code].new_page()
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.emulate_media(color_scheme="light" if (code, size) == ("de", SIZES[1]) else "dark")
        where = f"{game}-{code}-{size[0]}x{size[1]}"
        listen(page, where, address, wrong)
        page.add_init_script(HEAR)
        page.goto(address)
        pages.append((page, where, code))
    for page, where, code in pages:
        try:
            page.wait_for_selector(".plate", timeout=WAITS_MS)
            page.locator("#told p").nth(LINES - 1).wait_for(state="attached", timeout=WAITS_MS)
        except Exception as late:  # noqa: BLE001 (playwright's own)
            wrong.append(f"{where}: nothing is shown or announced ({str(late).splitlines()[0]})")
        page.screenshot(path=str(KEPT / f"{where}.png"))
        said = page.evaluate("window.heardLines")
        shown = page.inner_text("body")
        if keys := KEY.findall("\n".join((shown, *said))):
            wrong.append(f"{where}: keys instead of words: {keys}")
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{where}: scrolls sideways")
        if page.evaluate("document.documentElement.lang") != code:
            wrong.append(f"{where}: is not in the browser's language")
    for context in browsers.values():
        context.close()
    first = browser.new_context(locale="en").new_page()
    loaded: list[int] = []
    first.on("response", lambda answer: loaded.append(0 if "/art/" in answer.url else len(answer.body())))
    first.goto(address)
    first.wait_for_selector(".plate", timeout=WAITS_MS)
    print(f"{game}: {sum(loaded):,} bytes at the first visit, in {len(loaded)} answers")
    if sum(loaded) > FIRST_VISIT:
        wrong.append(f"{game}: the first visit loads {sum(loaded):,} bytes")
    first.context.close()
    return wrong


HEAR = """
window.heardLines = [];
document.addEventListener("DOMContentLoaded", () => {
  const log = document.getElementById("told");
  if (log) new MutationObserver((all) => all.forEach((one) => one.addedNodes.forEach(
    (node) => window.heardLines.push(node.textContent)))).observe(log, { childList: true });
});
"""
"""Keeps what a screen reader would announce."""


def listen(page: Any, where: str, address: str, wrong: list[str]) -> None:
    ours = address.partition("/watch")[0]
    page.on("pageerror", lambda error: wrong.append(f"{where}: {error}"))
    page.on(
        "console",
        lambda said: wrong.append(f"{where}: {said.text}") if said.type in {"error", "warning"} else None,
    )
    page.on(
        "request",
        lambda asked: None if asked.url.startswith(ours) else wrong.append(f"{where}: asked for {asked.url}"),
    )


if __name__ == "__main__":
    raise SystemExit(main())
