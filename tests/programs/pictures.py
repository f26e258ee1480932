"""`make pictures`: every still picture of README and docs: two screens, the covers, the wiring."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import cv2
import pygame

from companion.__main__ import main as companion
from companion.games import GAMES
from companion.ui.toolkit.game_covers import draw_cover_picture
from tests.ui import kept, shown

CHECKOUT = Path(__file__).parents[2]
PICTURES = CHECKOUT / "docs" / "pictures"
STILL = {"verdict": "kinapa-broken-rule-1280", "ring": "kinapa-turning-4-1280"}
"""What a still picture is called, and the kept picture that it is at full size."""
FULL, COVER = (1280, 720), (520, 344)


def main() -> None:
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    for name in STILL:
        surface = still(name)
        path = PICTURES / f"{name}.png"
        rgb = pygame.surfarray.array3d(surface).swapaxes(0, 1)
        cv2.imwrite(str(path), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_PNG_COMPRESSION, 9])
        sys.stderr.write(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size:,} bytes\n")
    art = shown.screen(FULL).art
    for name, game in GAMES.items():
        cover = draw_cover_picture(art, game.cover, COVER, 0)
        path = PICTURES / f"cover-{name}.webp"
        rgb = pygame.surfarray.array3d(cover).swapaxes(0, 1)
        cv2.imwrite(str(path), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_WEBP_QUALITY, 85])
        sys.stderr.write(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size:,} bytes\n")
    companion(["wiring", "--svg", str(CHECKOUT / "hardware" / "wiring.svg")])
    companion(["wiring", "--steps", str(CHECKOUT / "docs" / "build" / "wiring")])


def still(name: str) -> pygame.Surface:
    """A still picture as the screen is now."""
    return next(one for one in kept.pictures() if one.name == STILL[name]).draw(FULL)


if __name__ == "__main__":
    main()
