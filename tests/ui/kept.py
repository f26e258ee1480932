"""The kept pictures: what the main screens look like, in English, a third or so of their size.

`make kept` draws again what has changed, and shows each of those before and after; nothing else writes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pygame
from msgspec import structs

from companion.core.actions import SECOND
from companion.core.view import Sentence
from companion.table.history import allowed_actions
from companion.ui.frame import GameDraft, HistoryLine, UiState
from tests.programs import kit_page
from tests.ui import games, shown
from tests.ui.board import test_kabuki_screens, test_kobayakawa_screens, test_sets

FOLDER = Path(__file__).parent / "kept"
SHOWN = Path("build") / "kept"
"""Where a changed picture lies beside what it was."""
SIZES = ((1280, 720), (800, 480))
WIDTH = 432
"""Of a kept picture, in pixels."""
TILE = 6
"""The side of what is compared as a whole, in pixels: letters are set a little apart by another FreeType."""
MOST_APART, MOST_ON_AVERAGE = 24, 1.0
"""Of 255: what a tile may differ, and what the whole may."""


class Kept(NamedTuple):
    """One picture: a name, and what draws the page in a size."""

    name: str
    draw: Callable[[tuple[int, int]], pygame.Surface]


def pictures() -> Iterator[Kept]:
    """Every picture, in both sizes; the kit in one."""
    yield Kept("kit-1280", _kit)
    for name, page, frame in screens():
        for size in SIZES:
            yield Kept(f"{name}-{size[0]}", _painter(page, frame, size))


def screens() -> Iterator[tuple[str, str, Any]]:
    """The main screens: name, page, frame."""
    pages = dict[str, list[Any]]()
    for page, frame in shown.home_frames("en"):
        pages.setdefault(page, []).append(frame)
    for page, frame in shown.bench_frames("en"):
        pages.setdefault(page, []).append(frame)
    front = [frame for frame in pages["home"] if not frame.ui_state.overlay]
    yield "home", "home", next(frame for frame in front if frame.offered)
    yield from ((page, page, pages[page][0]) for page in ("games", "settings", "setup", "recap"))
    yield "prepare", "prepare", shown.preparation(GameDraft("kinapa", (0, 1, 2, 3)), calm=True, scroll=1)
    yield from ((page, page, pages[page][0]) for page in ("calibrate", "enrol", "watch"))
    for phase, players in (("announcing", 4), ("counting", 4), ("counting", 8), ("turning", 4), ("over", 4)):
        yield f"kinapa-{phase}-{players}", "game", games.frame(phase, players)
    picture = games.camera_picture(games.view("placing"), 4)
    told = structs.replace(games.DEMO, caption=games.READING.sentence)
    yield "kinapa-camera", "game", games.frame("placing", 4, demo=told, camera=picture)
    caught = (shown.punished(3), 0)
    yield "kinapa-caught", "game", games.frame("returning", 4, UiState(calm=True), current_verdict=caught)
    broken = Sentence("kinapa.rule.object.closed", (("chair", 0), ("what", 2)))
    yield "kinapa-broken-rule", "game", games.frame("announcing", 4, say=broken)
    for overlay in ("menu", "assist", "may", "why", "log", "take_back", "correct", "repair", "help"):
        may = allowed_actions(games.RULES, games.stories(4)["turning"])
        frame = games.frame("turning", 4, UiState(overlay=overlay), allowed_actions=may)
        yield f"sheet-{overlay}", "game", frame
    for kind in ("lay", "asked", "mistaken", "done"):
        yield (
            f"lesson-{kind}",
            "game",
            games.frame("turning", 4, UiState(calm=True), guide=shown.GUIDES[kind]),
        )
    yield "lesson-wait", "game", games.frame("asking", 4, guide=shown.WATCHED)
    raised = HistoryLine(9, Sentence("kinapa.HandRaised", (("chair", 2),)), "HandRaised")
    yield "lesson-wrong", "game", games.frame("counting", 4, guide=shown.RAISED, log=(raised,))
    yield "practice", "game", games.frame("announcing", 4, guide=shown.CALLING)
    yield from _other_games()


def _other_games() -> Iterator[tuple[str, str, Any]]:
    kabuki, kobayakawa = test_kabuki_screens.stories(), test_kobayakawa_screens.stories()
    laid = Sentence("kinapa.PairPlaced", (("chair", 0), ("number", 7), ("slot", 5)))
    yield "kinapa-pair", "game", games.frame("announcing", 4, UiState(calm=True), current_verdict=(laid, 0))
    stopped = Sentence("kabuki.StopAssigned", (("chair", 5), ("stack", 1)))
    alone = test_kabuki_screens.frame(kabuki["checking"], UiState(calm=True))
    yield "kabuki-stop", "game", replace(alone, current_verdict=(stopped, 0))
    right = Sentence("kabuki.StopRight", (("chair", 2), ("from_chair", 0), ("left", 1)))
    restoring = test_kabuki_screens.frame(kabuki["restoring"], UiState(calm=True))
    yield "kabuki-right", "game", replace(restoring, current_verdict=(right, 0))
    won = Sentence("kobayakawa.RoundWon", (("chair", 3), ("total", 10), ("count", 5)))
    round_won = test_kobayakawa_screens.frame(kobayakawa["won"], UiState(calm=True))
    yield "kobayakawa-round", "game", replace(round_won, current_verdict=(won, 0))
    for name in ("playing", "tie", "checking", "round over"):
        frame = test_kabuki_screens.frame(kabuki[name], UiState())
        yield f"kabuki-{name.replace(' ', '-')}", "game", frame
    yield "kabuki-by-hand", "game", test_kabuki_screens.frame(kabuki["by hand"], UiState(typed="stack:3"))
    for name in ("betting", "showdown", "won", "over"):
        yield f"kobayakawa-{name}", "game", test_kobayakawa_screens.frame(kobayakawa[name], UiState())
    dnup = dict[str, Any]()
    for name, frame in test_sets.frames("en"):
        dnup.setdefault(name, frame)
    for phase in ("2:acting", "5:adding"):
        yield f"dnup-{phase.replace(':', '-')}", "game", dnup[phase]


def _painter(page: str, frame: Any, size: tuple[int, int]) -> Callable[[tuple[int, int]], pygame.Surface]:
    def draw(small: tuple[int, int]) -> pygame.Surface:
        return pygame.transform.smoothscale(painted(page, frame, size), small)

    return draw


def painted(page: str, frame: Any, size: tuple[int, int]) -> pygame.Surface:
    """A screen in its own size."""
    surface = pygame.Surface(size)
    for look in range(1 + len(shown.OFFERED)):  # a cover is painted at each look after the first
        _pages(size)[page].draw(surface, frame, look * SECOND if page == "home" else 0)
    return surface


@cache
def _pages(size: tuple[int, int]) -> Mapping[str, Any]:
    pages: Mapping[str, Any] = shown.pages(size)
    return pages


def _kit(small: tuple[int, int]) -> pygame.Surface:
    return pygame.transform.smoothscale(kit_page.drawn(shown.screen(SIZES[0])), small)


def drawn(kept: Kept) -> pygame.Surface:
    """The picture as it is now, as small as it is kept."""
    width = int(kept.name.rpartition("-")[2])
    height = next(size[1] for size in SIZES if size[0] == width)
    return kept.draw((WIDTH, WIDTH * height // width))


def apart(one: pygame.Surface, other: pygame.Surface) -> tuple[float, float]:
    """How far two pictures are apart, of 255: the tile that differs most, and on average."""
    first, second = (pygame.surfarray.array3d(surface).astype(int) for surface in (one, other))
    if first.shape != second.shape:
        return 255.0, 255.0
    gap = np.abs(first - second)
    wide, high = (side // TILE * TILE for side in gap.shape[:2])
    tiles = gap[:wide, :high].reshape(wide // TILE, TILE, high // TILE, TILE, 3).mean(axis=(1, 3, 4))
    return float(tiles.max()), float(gap.mean())


def path(kept: Kept) -> Path:
    return FOLDER / f"{kept.name}.png"


def changed(kept: Kept, now: pygame.Surface) -> bool:
    """Whether it differs from what is kept by more than another system's letters do."""
    if not path(kept).exists():
        return True
    most, mean = apart(pygame.image.load(path(kept)), now)
    return most > MOST_APART or mean > MOST_ON_AVERAGE


def main() -> None:
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    names, again = set[str](), 0
    FOLDER.mkdir(exist_ok=True)
    SHOWN.mkdir(parents=True, exist_ok=True)
    for kept in pictures():
        names.add(kept.name)
        now = drawn(kept)
        if not changed(kept, now):
            continue
        both = pygame.Surface((2 * WIDTH, now.get_height()))
        if path(kept).exists():
            both.blit(pygame.image.load(path(kept)), (0, 0))
        both.blit(now, (WIDTH, 0))
        pygame.image.save(both, str(SHOWN / f"{kept.name}.png"))
        pygame.image.save(now, str(path(kept)))
        again += 1
        print(f"{kept.name} was drawn again; {SHOWN / kept.name}.png shows it before and after.")
    for file in FOLDER.glob("*.png"):
        if file.stem not in names:
            file.unlink()
            print(f"{file.stem} is gone.")
    print(f"{again} of {len(names)} pictures changed.")


if __name__ == "__main__":
    main()
