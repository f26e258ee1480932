"""Where on the guest's screen something lies that can be touched: asked of the program's own pages."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from machine import SCREEN

from companion.core.actions import Setup
from companion.core.appliance import Machine, Update
from companion.games import GAMES, RULES
from companion.games.kit.world import Style
from companion.simulation.play import Simulation
from companion.table.games import offer_of
from companion.ui.frame import Frame, GameFrame, HomeFrame, StoredGame
from companion.ui.glass import Draft, Glass
from companion.ui.language import Language
from companion.ui.pages import all_pages
from companion.ui.screen import Screen


@cache
def _pages() -> Any:
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    import pygame

    pygame.font.init()
    return all_pages(Screen(SCREEN, Language, {}))


def on_home(
    key: str,
    overlay: str = "",
    *,
    game: str = "kinapa",
    people: int = 0,
    stick: bool = False,
    unfinished: bool = False,
    update: Update | None = None,
) -> tuple[float, float]:
    """The middle of the target `key` on the home page, as fractions of the screen; `people` are in."""
    games = (StoredGame("1", "kinapa", "", (0, 1, 2, 3), (), finished=False),) if unfinished else ()
    frame = HomeFrame(
        glass=Glass(overlay=overlay, draft=Draft(game, tuple(range(people)))),
        offered=tuple(map(offer_of, GAMES.values())),
        games=games,
        machine=Machine(stick=stick, power=True, update=update),
    )
    return _middle("home", frame, key)


def when_over(key: str) -> tuple[float, float]:
    """The middle of the target `key` when somebody has won a game."""
    rules = RULES["kinapa"]
    setup = Setup(tuple(range(4)), rules.options())
    played = Simulation(rules, setup, seed=204, styles=(Style.LAWFUL,) * 4)
    played.play()
    return _middle("game", GameFrame(glass=Glass(), view=rules.view(played.referee.state)), f"over:{key}")


def _middle(page: str, frame: Frame, key: str) -> tuple[float, float]:
    target = next(each for each in _pages()[page].sheet(frame).targets if each.key == key)
    return target.rect.centerx / SCREEN[0], target.rect.centery / SCREEN[1]
