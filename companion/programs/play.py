"""The command `play`: opens the window with a splash page, then loads everything else."""

from companion.programs.display import is_headless, require_screen
from companion.settings.model import Settings
from companion.system.device_lock import require_table_free
from companion.table.runtime import (
    CAPTION,
    StartOptions,
    build_page_resources,
    build_window,
    initial_ui_state,
    language_factory,
)
from companion.ui.commands import ShowPage
from companion.ui.frame import PageFrame
from companion.ui.pages.plain_pages import SplashPage
from companion.ui.toolkit.window import Window


def open_splash_window(settings: Settings, caption: str) -> Window | None:
    """The window, with its first picture; None where there is no display."""
    if is_headless():
        return None
    window = build_window(settings, caption)
    page = SplashPage(build_page_resources(settings, language_factory(settings)))
    page.resources.resize(window.surface.get_size())
    page.draw(window.surface, PageFrame(ui_state=initial_ui_state(settings)), 0)
    window.flip()
    return window


def run_play(settings: Settings, begin: StartOptions) -> int:
    """Run it: 0 when somebody left. Raises `CompanionError` where the service plays at this table."""
    require_table_free()
    is_headless()
    if isinstance(begin.command, ShowPage):
        require_screen(f"companion {begin.command.page}")
    window = open_splash_window(settings, CAPTION)
    from companion.programs.run_table import run_table

    return run_table(settings, window, begin)
