"""Locations of the program's assets and of the user's data folder."""

import os
from collections.abc import Mapping
from pathlib import Path


def bundled_assets_folder() -> Path:
    """The folder of fonts, decks, catalogues and clips."""
    package = Path(__file__).parent.parent
    inside = package / "assets"
    return inside if inside.is_dir() else package.parent / "assets"


def user_data_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of tables, and of languages that somebody added: the service's, else the user's own."""
    given = environ.get("STATE_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given).expanduser()
    from platformdirs import user_data_path

    return user_data_path("companion")
