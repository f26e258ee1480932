"""`make screens`: the pictures of docs/screens.md, from the same frames as the kept pictures."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import cv2
import numpy as np
import pygame

from tests.ui import kept

CHECKOUT = Path(__file__).parents[2]
PAGE = CHECKOUT / "docs" / "screens.md"
FOLDER = CHECKOUT / "docs" / "pictures" / "screens"
SIZE, SMALL, QUALITY = (1280, 720), (384, 216), 70
LEFT_OUT = (
    "games",
    "settings",
    "calibrate",
    "enrol",
    "watch",
    "sheet-",
    "lesson-lay",
    "lesson-mistaken",
    "lesson-wait",
    "lesson-wrong",
    "lesson-done",
)
"""Pages and sheets on which nobody's turn is told; two sheets have mock-ups and are shown."""
SHOWN_ALL_THE_SAME = ("sheet-why", "sheet-take_back")


def shown() -> dict[str, tuple[str, object]]:
    """Every screen the page tells of: name to page and frame."""
    found = {name: (page, frame) for name, page, frame in kept.screens()}
    return {
        name: one
        for name, one in found.items()
        if name in SHOWN_ALL_THE_SAME or not name.startswith(LEFT_OUT)
    }


def main() -> None:
    os.environ["SDL_VIDEODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    FOLDER.mkdir(parents=True, exist_ok=True)
    names = shown()
    for file in FOLDER.iterdir():
        if file.stem not in names:
            file.unlink()
    for name, (page, frame) in names.items():
        surface = kept.painted(page, frame, SIZE)
        small = pygame.surfarray.array3d(pygame.transform.smoothscale(surface, SMALL)).swapaxes(0, 1)
        colours = cv2.cvtColor(np.ascontiguousarray(small), cv2.COLOR_RGB2BGR)
        cv2.imwrite(str(FOLDER / f"{name}.webp"), colours, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
    whole = sum(file.stat().st_size for file in FOLDER.iterdir())
    sys.stderr.write(f"{len(names)} pictures, {whole:,} bytes\n")


if __name__ == "__main__":
    main()
