"""Every page as people may see it, for tests that hold on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec.structs import replace

from companion.rules.kinapa import KinapaOptions
from companion.ui.frame import HomeFrame, Offer, RecapFrame, SetupFrame, StoredGame
from companion.ui.glass import Draft, Glass
from companion.ui.language import Language
from companion.ui.pages import all_pages
from companion.ui.screen import Screen
from companion.view import Sentence
from tests.ui import games
from tests.ui.benches import bench_frames

SIZES = ((1024, 600), (1280, 720), (1920, 1080))
LANGUAGES = ("en", "de", "fr")
DRAFT = Draft(
    "kinapa",
    chairs=(0, 1, 3, 6),
    names=((0, "Anna"), (1, "Konstantin")),
    options=KinapaOptions(count_seconds=5),
)
STORED = (
    StoredGame("3", "kinapa", "2026-11-20 19:04", (0, 1, 2, 3)),
    StoredGame("2", "kinapa", "2026-11-19 21:30", tuple(range(8)), (4,), finished=True),
    StoredGame("1", "kinapa", "2026-11-18 20:10", (0, 2, 4, 5, 7), finished=True),
)
MANY = tuple(replace(game, game_id=f"{game.game_id}-{copy}") for copy in range(5) for game in STORED)
OVERLAYS = ("menu", "leave", "log", "why", "take_back", "correct", "repair", "help", "settings")
SAID = (
    Sentence("kinapa.LiarCalled", (("number", 7),)),
    Sentence("kinapa.rule.object.closed", (("chair", 0), ("what", 2))),
    Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 3), ("slot", 2))),
    Sentence("kinapa.HandTooEarly", (("chair", 3),)),
)
OFFERED = (Offer("kinapa", 4, 8), Offer("kabuki", 2, 6))
TROUBLE = Sentence("shared.CameraWentDark")


def pages(size: tuple[int, int]) -> Any:
    return all_pages(Screen(size, Language))


def home_frames(language: str) -> Iterator[tuple[str, Any]]:
    def glass(**more: Any) -> Glass:
        return Glass(language=language, **more)

    yield "home", HomeFrame(glass=glass(), games=STORED, doctor=(TROUBLE,))
    yield "home", HomeFrame(glass=glass(overlay="help"))
    yield "home", HomeFrame(glass=glass(overlay="which:setup"), offered=OFFERED)
    yield "games", HomeFrame(glass=glass(), games=MANY)
    yield "games", HomeFrame(glass=glass(), games=MANY, trouble=TROUBLE)
    yield "games", HomeFrame(glass=glass())
    yield "settings", HomeFrame(glass=glass(volume=60, mute=True))
    for overlay in ("", "chair", "swap", "name", "rules", "settings", "help"):
        options = KinapaOptions()
        typed = "Konst" if overlay == "name" else ""
        front = glass(overlay=overlay, about=1, typed=typed, draft=DRAFT)
        yield "setup", SetupFrame(glass=front, options=options, mixed_sources=True)
    yield "setup", SetupFrame(glass=glass(overlay="rules", scroll=9, draft=DRAFT))
    yield "setup", SetupFrame(glass=glass())
    numbers = (("turns", 14), ("lies", 3), ("bluffs", 5), ("pairs", 4), ("minutes", 11), ("corrections", 1))
    for overlay in ("", "why", "help"):
        view = games.view("over")
        front = glass(overlay=overlay)
        yield "recap", RecapFrame(glass=front, names=games.NAMES, view=view, log=games.LOG, numbers=numbers)


def game_frames(language: str) -> Iterator[tuple[str, Any]]:
    picture = np.zeros((90, 120, 3), np.uint8)
    glass = Glass(language=language)
    for players in (4, 5, 8):
        for phase in games.stories(players):
            yield "game", games.frame(phase, players, glass)
    for phase in ("announcing", "counting", "choosing", "searching", "auditing", "placing", "over"):
        for players in (4, 8):
            yield "game", games.frame(phase, players, glass, demo=games.DEMO, camera=picture)
    for overlay in OVERLAYS:
        yield "game", games.frame("turning", 8, Glass(language=language, overlay=overlay), trouble=TROUBLE)
    yield "game", games.frame("turning", 8, Glass(language=language, overlay="repair", typed="pairs"))
    yield "game", games.frame("turning", 8, Glass(language=language, overlay="log", scroll=5))
    for said in SAID:
        yield "game", games.frame("announcing", 6, glass, say=said, pressed=frozenset({2}))
    yield "game", games.frame("turning", 8, glass, trouble=TROUBLE)
    yield "game", games.frame("over", 8, glass, trouble=TROUBLE)


def everything(language: str) -> Iterator[tuple[str, Any]]:
    """Page name and frame."""
    yield from home_frames(language)
    yield from game_frames(language)
    yield from bench_frames(language)
