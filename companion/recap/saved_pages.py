"""Recap pages kept beside the games."""

from __future__ import annotations

from pathlib import Path

FOLDER = "recaps"
PICTURE = ".png"
"""Ending of the picture beside a page, which messengers show."""


def stem(game: str, date: str) -> str:
    """How the names of a game's pages begin."""
    return "-".join(filter(None, (game, "".join(sign for sign in date[:16] if sign.isalnum()))))


def new_page(folder: Path, game: str, date: str) -> Path:
    """A name that no page has yet, in the table's folder."""
    number = 1
    while (path := folder / FOLDER / f"{stem(game, date)}-{number}.html").exists():
        number += 1
    return path


def pages(folder: Path) -> list[Path]:
    """Every page in the table's folder."""
    return sorted((folder / FOLDER).glob("*.html"))


def shared_pictures(folder: Path) -> list[Path]:
    """Every picture beside a page, or left there without one."""
    return sorted((folder / FOLDER).glob(f"*{PICTURE}"))


def picture_of(page: Path) -> Path:
    """What lies beside a page for messengers; it shows names too."""
    return page.with_suffix(PICTURE)


def shows(page: Path, game: str, date: str) -> bool:
    """Whether it looks back on that game, or on another of the same minute."""
    return page.stem.rpartition("-")[0] == stem(game, date)
