"""Where the program's own files lie, in a checkout and in an installed wheel."""

from __future__ import annotations

from pathlib import Path


def assets() -> Path:
    """The folder of fonts, decks, catalogues and clips."""
    package = Path(__file__).parent.parent
    inside = package / "assets"
    return inside if inside.is_dir() else package.parent / "assets"
