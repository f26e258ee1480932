"""Everything the page serves, read once: pages in each language, styles, scripts, and pictures of the decks.

A request names a key of a table, never a path, so that nothing else can be asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from companion.games import asset_folders, languages, paths
from companion.ui.language import Language
from companion.ui.tokens import tokens

TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
PAGES: Mapping[str, str] = {
    "/": "join.html",
    "/seat": "seat.html",
    "/watch": "watch.html",
    "/overlay": "overlay.html",
    **dict.fromkeys(("/games", "/log", "/recap", "/doctor", "/stream"), "owner.html"),
}
OF_A_GAME = ("/log", "/recap")
"""Pages that may name a game by its number: `/recap/3`."""
WORD = re.compile(r"\{\{([a-z_.]+)\}\}")


class Served(NamedTuple):
    """One answer: its bytes, their type, and a tag that changes with them."""

    body: bytes
    kind: str
    tag: str


def served(body: bytes, suffix: str) -> Served:
    return Served(body, TYPES[suffix], f'"{sha256(body).hexdigest()[:16]}"')


def folder() -> Path:
    """Where the page's own files lie."""
    return paths.assets() / "page"


def pages() -> dict[tuple[str, str], Served]:
    """Each page by its path and language."""
    found = {}
    names = {code: one.told.name for code, one in languages.known().items()}
    offered = "".join(f'<option value="{code}">{escape(name)}</option>' for code, name in names.items())
    for code in languages.codes():
        words = Language(code)
        for path, name in PAGES.items():
            text = (folder() / name).read_text(encoding="utf-8")
            text = text.replace("{languages}", offered)
            told = WORD.sub(lambda key, words=words: escape(words.tr(key[1], name="{name}")), text)  # type: ignore[misc]
            found[path, code] = served(told.replace("{lang}", code).encode(), ".html")
    return found


def static() -> dict[str, Served]:
    """Styles and scripts by their path; the table's colours are one of them."""
    found = {
        f"/{file.name}": served(file.read_bytes(), file.suffix)
        for file in sorted(folder().iterdir())
        if file.suffix in {".css", ".js", ".svg"}
    }
    return {**found, "/colours.css": served(colours().encode(), ".css")}


def colours() -> str:
    """The colours of `companion/ui/tokens.json` as CSS variables."""
    known = tokens()
    lines = [f"--{name.replace('_', '-')}: {value};" for name, value in known.colours.items()]
    lines += [f"--seat-{seat.name}: {seat.fill};" for seat in known.seats]
    return ":root {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def pictures() -> dict[str, Path]:
    """Every face and token of the decks by its name (`animal:7`, `crown`)."""
    return {unquote(file.stem): file for file in _pictures()}


def _pictures() -> Iterator[Path]:
    for at in reversed(asset_folders()):  # what comes first is what the screen shows
        yield from sorted(at.glob("decks/*/enrol/*.jpg"))
        yield from sorted(at.glob("decks/*/tokens/*.png"))


def spoken_here(wanted: str, codes: tuple[str, ...]) -> str:
    """The first of a browser's languages (`Accept-Language`) that there is; English where none is."""
    asked = []
    for place, part in enumerate(wanted[:200].split(",")):
        tag, _, weight = part.strip().partition(";q=")
        number = float(weight) if re.fullmatch(r"[01](\.\d{1,3})?", weight) else 1.0
        asked.append((-number, place, tag.partition("-")[0].lower()))
    return next((tag for weight, _, tag in sorted(asked) if tag in codes and weight), "en")
