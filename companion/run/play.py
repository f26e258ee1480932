"""Starts a table: something to look at first, then everything else."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from companion.run.display import headless, need_screen
from companion.run.opening import CAPTION, opened
from companion.settings.model import Settings
from companion.ui.commands import Command, Show

if TYPE_CHECKING:
    from companion.camera.tools import Simulated


def run_play(
    settings: Settings,
    *,
    page: str = "home",
    game: str = "",
    command: Command | None = None,
    go_on: bool = False,
    camera: Simulated | None = None,
    watched: str = "",
    drawn: bool = False,
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> int:
    """The verb: 0 when somebody left. `go_on`: a game that was broken into is on the table again at once.

    `camera` opens another than the settings name: a simulated table. `watched` is the file of a deck that is
    watched for in place of a game's. `drawn`: in lessons a drawn table stands in for the camera.
    """
    headless()
    if isinstance(command, Show):
        need_screen(f"companion {command.page}")
    window = opened(settings, CAPTION)
    from companion.run.real_table import run_table

    return run_table(
        settings,
        window,
        page=page,
        game=game,
        command=command,
        go_on=go_on,
        camera=camera,
        watched=watched,
        drawn=drawn,
        own_words=own_words,
    )
