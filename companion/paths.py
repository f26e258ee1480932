"""Where files lie: the program's own, in a checkout and in an installed wheel, and a table's."""

from __future__ import annotations

from pathlib import Path

CALIBRATION = "calibration.json"
"""In a table's store folder: how its camera stands."""


def assets() -> Path:
    """The folder of fonts, decks, catalogues and clips."""
    inside = Path(__file__).parent / "assets"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "assets"
