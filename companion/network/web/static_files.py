"""Static files of the page: pages by language, styles, scripts, pictures of the decks.

A request names a key of a table, never a path, so that nothing else can be asked for.
"""

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from companion.games import all_asset_folders
from companion.language import installed_languages
from companion.language.language import Language
from companion.system import asset_paths
from companion.ui.toolkit.theme import load_design_tokens

TYPES: Mapping[str, str] = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
PAGES: Mapping[str, str] = {
    "/": "join",
    "/seat": "seat",
    "/watch": "watch",
    "/overlay": "overlay",
    **dict.fromkeys(("/games", "/log", "/recap", "/doctor", "/stream"), "owner"),
}
"""What a path shows: NAME.html in the shell that all pages have, with NAME.css and NAME.js."""
GAME_PAGES = ("/log", "/recap")
"""Pages that may name a game by its number: `/recap/3`."""
WORD_PATTERN = re.compile(r"\{\{([a-z_.]+)\}\}")


class StaticFile(NamedTuple):
    """One answer: its bytes, their type, and a tag that changes with them."""

    body: bytes
    kind: str
    tag: str


def make_static_file(body: bytes, suffix: str) -> StaticFile:
    return StaticFile(body, TYPES[suffix], f'"{sha256(body).hexdigest()[:16]}"')


def page_folder() -> Path:
    """Where the page's own files lie."""
    return asset_paths.bundled_assets_folder() / "page"


def load_pages() -> dict[tuple[str, str], str]:
    """Each page by its path and language, with a place for the table's name (`named`)."""
    found = {}
    names = {code: one.about.name for code, one in installed_languages.installed_languages().items()}
    offered = "".join(f'<option value="{code}">{escape(name)}</option>' for code, name in names.items())
    shell, ways = ((page_folder() / f"{name}.html").read_text(encoding="utf-8") for name in ("shell", "ways"))
    for code in installed_languages.language_codes():
        words = Language(code)
        for path, name in PAGES.items():
            body = (page_folder() / f"{name}.html").read_text(encoding="utf-8")
            text = shell.replace("{name}", name).replace("{body}", body).replace("{ways}", ways)
            text = text.replace("{languages}", offered).replace("{lang}", code)
            found[path, code] = WORD_PATTERN.sub(
                lambda key, words=words: _text_with_chair(words, key[1]),  # type: ignore[misc]
                text,
            )
    return found


def _text_with_chair(words: Language, key: str) -> str:
    """A sentence, with room for a chair's name and for seconds, which the script puts in."""
    return escape(words.tr(key, name="{name}", seconds="{seconds}"))


def insert_table_name(page: str, table: str) -> StaticFile:
    """A page as it is served, with what the table is called."""
    return make_static_file(page.replace("{table}", escape(table)).encode(), ".html")


def load_static_files() -> dict[str, StaticFile]:
    """Styles, scripts and letters by their path; the table's colours are one of them.

    The letters are those of assets/fonts that our languages need: `pyftsubset --flavor=woff2 --no-hinting`.
    """
    letters = asset_paths.bundled_assets_folder() / "fonts" / "web"
    found = {
        f"/{file.name}": make_static_file(file.read_bytes(), file.suffix)
        for file in sorted([*page_folder().iterdir(), *letters.iterdir()])
        if file.suffix in {".css", ".js", ".svg", ".woff2"}
    }
    return {**found, "/colours.css": make_static_file(colour_css().encode(), ".css")}


def colour_css() -> str:
    """The colours of `companion/ui/toolkit/tokens.json` as CSS variables."""
    known = load_design_tokens()
    lines = [f"--{name.replace('_', '-')}: {value};" for name, value in known.colours.items()]
    lines += [f"--seat-{seat.name}: {seat.fill};" for seat in known.seats]
    return ":root {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def find_pictures() -> dict[str, Path]:
    """Every face and token of the decks by its name (`animal:7`, `crown`), and what no deck has (`die:3`)."""
    return {unquote(file.stem): file for file in _pictures()}


def _pictures() -> Iterator[Path]:
    yield from sorted((asset_paths.bundled_assets_folder() / "signs").glob("*.svg"))
    for at in reversed(all_asset_folders()):  # what comes first is what the screen shows
        yield from sorted(at.glob("decks/*/enrol/*.jpg"))
        yield from sorted(at.glob("decks/*/tokens/*.png"))


def choose_language(wanted: str, codes: tuple[str, ...]) -> str:
    """The first of a browser's languages (`Accept-Language`) that there is; English where none is."""
    asked = []
    for place, part in enumerate(wanted[:200].split(",")):
        tag, _, weight = part.strip().partition(";q=")
        number = float(weight) if re.fullmatch(r"[01](\.\d{1,3})?", weight) else 1.0
        asked.append((-number, place, tag.partition("-")[0].lower()))
    return next((tag for weight, _, tag in sorted(asked) if tag in codes and weight), "en")
