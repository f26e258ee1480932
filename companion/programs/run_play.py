"""The verb `play`: shows a splash page, then loads everything else."""

from companion.programs.display import is_headless, require_screen
from companion.programs.splash import CAPTION, StartOptions, open_splash_window
from companion.settings.model import Settings
from companion.system.device_lock import require_table_free
from companion.ui.commands import ShowPage


def run_play(settings: Settings, begin: StartOptions) -> int:
    """The verb: 0 when somebody left. Raises `CompanionError` where the service plays at this table."""
    require_table_free()
    is_headless()
    if isinstance(begin.command, ShowPage):
        require_screen(f"companion {begin.command.page}")
    window = open_splash_window(settings, CAPTION)
    from companion.programs.run_table import run_table

    return run_table(settings, window, begin)
