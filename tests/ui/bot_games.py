"""Frames of games with decks that nobody holds: one of every phase, from games that people really played."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np

from companion.core.actions import Setup
from companion.core.view import Sentence
from companion.games import GAMES
from companion.games.kinapa.rules import Kinapa
from companion.games.kinapa.rules.model import KinapaOptions, KinapaState
from companion.games.kinapa.rules.view import bot_to_act_on
from companion.simulation.game_simulation import GameSimulation, random_styles
from companion.table.games import build_offer
from companion.ui.frame import GameDraft, GameFrame, HomeFrame, UiState
from tests.ui import games

RULES = Kinapa()
TABLES = ((2, False), (3, False), (4, True), (7, True))
SAID = (
    Sentence("kinapa.Switched", (("chair", 1), ("bot", 1))),
    Sentence("kinapa.Punished.bot", (("bot", 0), ("foxes", 2))),
    Sentence("kinapa.BotAsked", (("chair", 1), ("bot", 1), ("number", 7))),
    Sentence("kinapa.FoxRemoved.bot", (("bot", -1), ("left", 0))),
)


@cache
def stories(players: int, bot: bool) -> Mapping[str, KinapaState]:
    """The last state of every phase, apart for those in which something is done with a BOT deck."""
    found: dict[str, KinapaState] = {}
    setup = Setup(tuple(range(players)), KinapaOptions(), bot)
    for seed in range(14):
        styles = random_styles(players, random.Random(seed))
        one = GameSimulation(RULES, setup, seed=seed, styles=styles)
        for _ in one.run_entries():
            state = one.referee.state
            found[state.phase + "-bot" * (bot_to_act_on(state) is not None)] = state
    return found


def frame(
    story: str, players: int, ui_state: UiState | None = None, *, bot: bool = False, **more: object
) -> GameFrame:
    given: dict[str, object] = {"names": games.NAMES, "log": games.LOG, "can_undo": True, **more}
    view = RULES.view(stories(players, bot)[story])
    return GameFrame(view=view, board=RULES.board, ui_state=ui_state or UiState(), **given)  # type: ignore[arg-type]


def bot_frames(language: str) -> Iterator[tuple[str, Any]]:
    """Page name and frame."""
    picture = np.zeros((90, 120, 3), np.uint8)
    ui_state = UiState(language=language)
    for players, bot in TABLES:
        for story in stories(players, bot):
            yield "game", frame(story, players, ui_state, bot=bot)
    for story in ("aiding-bot", "choosing", "asking-bot", "turning"):
        for players in (2, 3):
            yield "game", frame(story, players, ui_state, demo=games.DEMO, camera=picture)
    for said in SAID:
        yield "game", frame("turning", 2, ui_state, say=said)
    for overlay in ("repair", "menu"):
        yield "game", frame("turning", 2, UiState(language=language, overlay=overlay))
        yield "game", frame("turning", 7, UiState(language=language, overlay=overlay), bot=True)
    yield "game", frame("turning", 7, UiState(language=language, overlay="repair", typed="pairs"), bot=True)
    for chairs, bot in (
        ((0, 4), False),
        ((0, 2, 5), False),
        ((0, 1, 3, 5, 6), True),
        (tuple(range(8)), True),
    ):
        draft = GameDraft("kinapa", chairs=chairs, bot=bot, names=((0, "Konstantin"),))
        front = UiState(language=language, draft=draft)
        yield (
            "setup",
            HomeFrame(
                ui_state=front,
                options=KinapaOptions(),
                offered=(build_offer(GAMES["kinapa"]),),
                is_setup=True,
            ),
        )
