"""`make guide`: the pages of *Build* as one PDF, to print and to put into the box (`dist/build-guide.pdf`).

Python-Markdown comes with MkDocs (`pip install -e '.[docs]'`); Chromium makes the pages.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.outside_programs import program

CHECKOUT = Path(__file__).parents[2]
GUIDE = CHECKOUT / "dist" / "build-guide.pdf"
PAGES = (
    "docs/build/index.md",
    "docs/build/steps.md",
    "docs/build/wiring.md",
    "docs/build/box.md",
    "hardware/README.md",
    "docs/build/camera.md",
    "docs/build/raspberry-pi.md",
    "docs/build/install.md",
)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]*)(?:#[^)\s]*)?\)")
LOOK = """
@page { size: A4; margin: 18mm 16mm; }
body { font: 10.5pt/1.4 'Noto Sans', sans-serif; color: #111; }
h1 { break-before: page; color: #2c3e57; }
h1.first { break-before: avoid; margin-top: 60mm; font-size: 30pt; }
h2, h3 { break-after: avoid; color: #2c3e57; } p, li { orphans: 3; widows: 3; }
img { display: block; max-width: 100%; max-height: 150mm; margin: 3mm auto; break-inside: avoid; }
table { border-collapse: collapse; width: 100%; } tr, pre { break-inside: avoid; }
td, th { border-bottom: 0.3mm solid #bbb; padding: 1.5mm 2mm; text-align: left; vertical-align: top; }
pre { background: #f2f2f2; padding: 2mm 3mm; font-size: 9pt; white-space: pre-wrap; }
code { font-size: 9pt; } a { color: #2c3e57; }
"""


def name_of(page: str) -> str:
    """What links within the guide call a page."""
    return page.removesuffix(".md").replace("/", "-").lower()


def title_of(page: str) -> str:
    first = (CHECKOUT / page).read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix("# ")


def text_of(page: str) -> str:
    """A page as the guide has it: pictures from the checkout, links within it; others are only words."""

    def led(found: re.Match[str]) -> str:
        picture, words, link = found.groups()
        if "://" in link:
            return found[0]
        meant = posixpath.normpath(posixpath.join(posixpath.dirname(page), link)) if link else page
        if picture:
            return f"![{words}]({(CHECKOUT / meant).resolve().as_uri()})"
        return f"[{words}](#{name_of(meant)})" if meant in PAGES else words

    return LINK.sub(led, (CHECKOUT / page).read_text(encoding="utf-8"))


def whole() -> str:
    """The guide as one HTML page."""
    from markdown import markdown  # only who makes the guide has it

    made = [markdown(text_of(page), extensions=["tables", "fenced_code"]) for page in PAGES]
    named = (
        body.replace("<h1>", f'<h1 id="{name_of(page)}">', 1) for page, body in zip(PAGES, made, strict=True)
    )
    contents = "".join(f'<li><a href="#{name_of(page)}">{title_of(page)}</a></li>' for page in PAGES)
    fonts = (CHECKOUT / "assets" / "fonts").resolve().as_uri()
    faces = "".join(
        f"@font-face {{ font-family: 'Noto Sans'; "
        f"font-weight: {weight}; src: url({fonts}/NotoSans-{cut}.ttf); }}"
        for cut, weight in (("Regular", 400), ("Bold", 700))
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>How to build a table companion</title>'
        f'<style>{faces}{LOOK}</style><h1 class="first">Table companion</h1><p>How to build the table.</p>'
        f"<ol>{contents}</ol>{''.join(named)}</html>"
    )


def main() -> int:
    browser = program("chromium")
    GUIDE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "guide.html"
        page.write_text(whole(), encoding="utf-8")
        asked = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile"]
        if os.geteuid() == 0:  # where everything runs as root, Chromium has no sandbox to start
            asked.append("--no-sandbox")
        subprocess.run(
            [browser, *asked, f"--print-to-pdf={GUIDE}", page.as_uri()],
            check=True,
            timeout=120,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    sys.stderr.write(f"{GUIDE.relative_to(CHECKOUT)}: {GUIDE.stat().st_size:,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
