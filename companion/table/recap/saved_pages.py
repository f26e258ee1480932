"""Finds the recap pages that were saved beside the games."""

from pathlib import Path

FOLDER = "recaps"
PICTURE = ".png"
"""Suffix of the picture beside a page, which link previews show."""


def page_stem(game: str, date: str) -> str:
    """The beginning of the file names of a game's pages."""
    return "-".join(filter(None, (game, "".join(sign for sign in date[:16] if sign.isalnum()))))


def new_page_path(folder: Path, game: str, date: str) -> Path:
    """An unused file name for a page."""
    number = 1
    while (path := folder / FOLDER / f"{page_stem(game, date)}-{number}.html").exists():
        number += 1
    return path


def list_pages(folder: Path) -> list[Path]:
    """All pages in the table's folder."""
    return sorted((folder / FOLDER).glob("*.html"))


def list_link_pictures(folder: Path) -> list[Path]:
    """All pictures for link previews, including those left without a page."""
    return sorted((folder / FOLDER).glob(f"*{PICTURE}"))


def link_picture_path(page: Path) -> Path:
    """The picture for a page's link preview, which also shows names."""
    return page.with_suffix(PICTURE)


def is_page_of(page: Path, game: str, date: str) -> bool:
    """Whether the page is about that game, or about another of the same minute."""
    return page.stem.rpartition("-")[0] == page_stem(game, date)
