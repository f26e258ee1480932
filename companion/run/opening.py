"""What a table begins with, and its first picture, while decks, cards and people are fetched."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from companion.run.display import headless
from companion.run.looks import glass_of, screen_of, words_of
from companion.settings.model import Settings
from companion.table.window import table_window
from companion.ui.commands import Command
from companion.ui.frame import Frame
from companion.ui.pages.opening import OpeningPage
from companion.ui.window import Window

if TYPE_CHECKING:
    from companion.camera.tools import Simulated

CAPTION = "Table companion"
"""What a window is called."""


class Beginning(NamedTuple):
    """What a table begins with, and what stands in for parts of it."""

    page: str = "home"
    game: str = ""
    """Set up first."""
    command: Command | None = None
    """Carried out at once."""
    go_on: bool = False
    """A game that was broken into is on the table again at once."""
    camera: Simulated | None = None
    """Opens another camera than the settings name: a simulated table."""
    watched: str = ""
    """The file of a deck that is watched for in place of a game's."""
    drawn: bool = False
    """In lessons a drawn table stands in for the camera."""
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """Those of a lesson's file."""


def opened(settings: Settings, caption: str) -> Window | None:
    """The window, with its first picture; None where there is no display."""
    if headless():
        return None
    window = table_window(settings, caption)
    page = OpeningPage(screen_of(settings, words_of(settings)))
    page.screen.resize(window.surface.get_size())
    page.draw(window.surface, Frame(glass=glass_of(settings)), 0)
    window.flip()
    return window
