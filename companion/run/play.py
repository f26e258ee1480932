"""Starts a table: something to look at first, then everything else."""

from companion.run.display import headless, need_screen
from companion.run.opening import CAPTION, Beginning, opened
from companion.settings.model import Settings
from companion.ui.commands import Show


def run_play(settings: Settings, begin: Beginning) -> int:
    """The verb: 0 when somebody left."""
    headless()
    if isinstance(begin.command, Show):
        need_screen(f"companion {begin.command.page}")
    window = opened(settings, CAPTION)
    from companion.run.real_table import run_table

    return run_table(settings, window, begin)
