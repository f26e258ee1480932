"""The first picture: a window that shows something while decks, cards and people are fetched."""

from companion.run.display import headless
from companion.run.looks import glass_of, screen_of, words_of
from companion.settings.model import Settings
from companion.table.window import table_window
from companion.ui.frame import Frame
from companion.ui.pages.opening import OpeningPage
from companion.ui.window import Window

CAPTION = "Table companion"
"""What a window is called."""


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
