"""Builds the table's window from the settings."""

from companion.settings.model import Settings
from companion.ui.toolkit.window import Window


def build_window(settings: Settings, caption: str) -> Window:
    """Not opened yet; where no size is set it follows the display."""
    screen = settings.screen
    return Window(
        screen.size,
        fullscreen=screen.fullscreen,
        native="screen.size" not in settings.origins,
        caption=caption,
    )
