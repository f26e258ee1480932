"""The kept picture of the kit: `python -m tests.ui.kept_kit` draws it anew, and shows it before and after."""

from __future__ import annotations

import os
from pathlib import Path

import pygame

from companion.ui.frame import Frame
from companion.ui.glass import Glass
from companion.ui.language import Language
from companion.ui.pages.kit import KitPage
from companion.ui.screen import Screen

KEPT = Path(__file__).parent / "kit.png"
SHOWN = Path("build") / "kit-before-and-after.png"
SIZE, SMALL = (1280, 720), (480, 270)


def drawn() -> pygame.Surface:
    """The kit as it is now, as small as it is kept."""
    page, surface = KitPage(Screen(SIZE, Language)), pygame.Surface(SIZE)
    page.draw(surface, Frame(glass=Glass()), 0)
    return pygame.transform.smoothscale(surface, SMALL)


def main() -> None:
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.font.init()
    now = drawn()
    both = pygame.Surface((2 * SMALL[0], SMALL[1]))
    if KEPT.exists():
        both.blit(pygame.image.load(KEPT), (0, 0))
    both.blit(now, (SMALL[0], 0))
    SHOWN.parent.mkdir(exist_ok=True)
    pygame.image.save(both, str(SHOWN))
    pygame.image.save(now, str(KEPT))
    print(f"{KEPT} is drawn anew; {SHOWN} shows it before and after.")


if __name__ == "__main__":
    main()
