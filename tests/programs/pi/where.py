"""Where on the guest's screen something lies that can be touched: asked of the program's own pages."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from machine import SCREEN

from companion.core.actions import Setup
from companion.games import GAMES, RULES
from companion.games.kit.world import PlayStyle
from companion.language.language import Language
from companion.simulation.game_simulation import GameSimulation
from companion.system.appliance import MachineStatus, UpdateOffer
from companion.table.frames import setup_steps
from companion.table.games import build_offer
from companion.table.host import SetupLimits
from companion.ui.frame import (
    GameDraft,
    GameFrame,
    HomeFrame,
    PageFrame,
    PhoneSeat,
    PhonesFrame,
    PhoneTable,
    StoredGame,
    UiState,
)
from companion.ui.pages import build_pages
from companion.ui.pages.base import PageResources


@cache
def _pages() -> Any:
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    import pygame

    pygame.font.init()
    return build_pages(PageResources(SCREEN, Language, {}))


def on_home(
    key: str,
    overlay: str = "",
    *,
    game: str = "kinapa",
    people: int = 0,
    stick: bool = False,
    unfinished: bool = False,
    update: UpdateOffer | None = None,
) -> tuple[float, float]:
    """The middle of the target `key` on the home page, as fractions of the screen; `people` are in."""
    games = (StoredGame("1", "kinapa", "", (0, 1, 2, 3), (), finished=False),) if unfinished else ()
    frame = HomeFrame(
        ui_state=UiState(overlay=overlay, draft=GameDraft(game, tuple(range(people)))),
        offered=tuple(map(build_offer, GAMES.values())),
        games=games,
        machine=MachineStatus(stick=stick, power=True, update=update),
        joinable=True,
    )
    return _middle("home", frame, key)


def on_prepare(key: str, *, game: str, people: int) -> tuple[float, float]:
    """The same on the page that says how the table is made ready."""
    draft, rules = GameDraft(game, tuple(range(people))), RULES[game]
    steps = setup_steps(draft, SetupLimits(people, rules.players, rules.options()))
    offered = tuple(map(build_offer, GAMES.values()))
    return _middle("prepare", HomeFrame(ui_state=UiState(draft=draft), offered=offered, steps=steps), key)


def on_phones(key: str, *, is_open: bool = False, overlay: str = "") -> tuple[float, float]:
    """The same on the page of phones, that of a table where nobody plays yet."""
    return _middle(
        "phones", PhonesFrame(ui_state=UiState(overlay=overlay), phones=_phones(is_open=is_open)), key
    )


def owners_pin(picture: Path) -> str:
    """The owner's PIN, read off a picture of the screen as a person would: by the look of its digits."""
    import numpy as np
    import pygame

    shown = _pixels(pygame.image.load(str(picture)))
    found = ""
    for place in range(6):
        drawn = [_owners_page(f"{'0' * place}{digit}{'0' * (5 - place)}") for digit in range(10)]
        here = (np.stack(drawn[1:]) != drawn[0]).any(axis=(0, 3))
        found += str(min(range(10), key=lambda digit: abs(shown - drawn[digit])[here].sum()))
    return found


def _owners_page(pin: str) -> Any:
    import pygame

    surface = pygame.Surface(SCREEN)
    frame = PhonesFrame(ui_state=UiState(overlay="owner"), phones=_phones(is_open=True, owner=pin))
    _pages()["phones"].draw(surface, frame, 0)
    return _pixels(surface)


def _pixels(surface: Any) -> Any:
    import numpy as np
    import pygame

    return np.asarray(pygame.surfarray.array3d(surface), dtype=int)


def _phones(*, is_open: bool, owner: str = "000000") -> PhoneTable:
    seats = tuple(PhoneSeat(chair) for chair in range(4))
    if not is_open:
        return PhoneTable(seats)
    at = "192.168.77.1:8420"
    return PhoneTable(seats, is_open=True, address=at, pin="000000", owner=owner)


def when_over(key: str) -> tuple[float, float]:
    """The middle of the target `key` when somebody has won a game."""
    rules = RULES["kinapa"]
    setup = Setup(tuple(range(4)), rules.options())
    played = GameSimulation(rules, setup, seed=204, styles=(PlayStyle.LAWFUL,) * 4)
    played.run()
    return _middle(
        "game", GameFrame(ui_state=UiState(), view=rules.view(played.referee.state)), f"over:{key}"
    )


def _middle(page: str, frame: PageFrame, key: str) -> tuple[float, float]:
    target = next(each for each in _pages()[page].sheet(frame).targets if each.key == key)
    return target.rect.centerx / SCREEN[0], target.rect.centery / SCREEN[1]
