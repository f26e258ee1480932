"""The stream's overlay in Chromium: it is transparent, says something, and a revoked key makes it go dark.

`python -m tests.programs.browser.overlay` draws the picture of docs/play/stream.md: a demo's camera and the
overlay.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.outside_programs import program

SIZE = (1920, 1080)
ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "pictures" / "overlay.webp"
WAITS_MS = 90_000
NOTHING = "rgba(0, 0, 0, 0)"
"""What a browser calls a transparent ground."""


def overlaid(browser: Any, name: str, address: str, kept: Path) -> list[str]:
    """What is wrong with the overlay at `address`; its picture is kept."""
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}, locale="en")
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(f"{name}: {error}"))
    page.goto(address)
    try:
        page.wait_for_selector(".overlay.on .plate", timeout=WAITS_MS)
    except Exception as late:  # noqa: BLE001 (playwright's own)
        wrong.append(f"{name}: nothing is shown ({str(late).splitlines()[0]})")
    page.screenshot(path=str(kept / f"{name}.png"), omit_background=True)
    grounds = page.evaluate(
        "[document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor)"
    )
    if set(grounds) != {NOTHING}:
        wrong.append(f"{name}: is not transparent ({grounds})")
    if page.evaluate(
        "document.documentElement.scrollWidth > innerWidth || document.body.scrollHeight > innerHeight"
    ):
        wrong.append(f"{name}: does not fit")
    other = context.new_page()
    other.goto(re.sub(r"key=[0-9a-f]+", "key=" + "0" * 32, address))
    other.wait_for_selector("body.on", timeout=WAITS_MS)
    if "work any more" not in other.inner_text("#headline"):
        wrong.append(f"{name}: a wrong key is not told")
    context.close()
    return wrong


def main() -> None:
    from playwright.sync_api import sync_playwright

    from tests.programs.browser.__main__ import found, simulated

    chromium = program("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        demo = [sys.executable, "-m", "companion", "demo", "kinapa", "--fast", "--seed", "5", "--seats", "4"]
        subprocess.run([*demo, "--record", folder], check=True, stdout=sys.stderr)
        below = cv2.imread(str(max((Path(folder) / "camera").iterdir())))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with simulated("kinapa") as table:
            page = browser.new_context(viewport={"width": SIZE[0], "height": SIZE[1]}).new_page()
            page.goto(found(table).stream)
            page.wait_for_selector(".overlay.on .count", timeout=WAITS_MS)
            shot = page.screenshot(omit_background=True)
        browser.close()
    assert below is not None
    above = cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_UNCHANGED)
    assert above is not None
    clear = above[:, :, 3:].astype(np.float32) / 255
    whole = cv2.resize(below, SIZE) * (1 - clear) + above[:, :, :3] * clear
    small = cv2.resize(whole.astype(np.uint8), (1200, 675), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(PICTURE), small, [cv2.IMWRITE_WEBP_QUALITY, 70])
    sys.stderr.write(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
