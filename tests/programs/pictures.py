"""`make pictures`: every picture of README and docs: the demo that moves, two screens, the wiring."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
import pygame

from companion.__main__ import main as companion
from tests.ui import kept

CHECKOUT = Path(__file__).parents[2]
MOVING = CHECKOUT / "docs" / "pictures" / "demo.webp"
STILL = {"verdict": "kinapa-broken-rule-1280", "ring": "kinapa-turning-4-1280"}
"""What a still picture is called, and the kept picture that it is at full size."""
FULL = (1280, 720)
SIZE, QUALITY = (960, 540), 55
FIRST, LAST = 17, 4
"""How many rulings are shown from the beginning, and from the end."""
SHOWN_MS, END_MS = 1300, 4000
"""How long a ruling stands, and the last one."""


def main() -> None:
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    pygame.display.init()
    pygame.font.init()
    _moving()
    for name in STILL:
        surface = still(name)
        path = MOVING.with_name(f"{name}.png")
        rgb = pygame.surfarray.array3d(surface).swapaxes(0, 1)
        cv2.imwrite(str(path), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_PNG_COMPRESSION, 9])
        sys.stderr.write(f"{path.relative_to(CHECKOUT)}: {path.stat().st_size:,} bytes\n")
    companion(["wiring", "--svg", str(CHECKOUT / "hardware" / "wiring.svg")])
    companion(["wiring", "--steps", str(CHECKOUT / "docs" / "build" / "wiring")])


def still(name: str) -> pygame.Surface:
    """A still picture as the screen is now."""
    return next(one for one in kept.pictures() if one.name == STILL[name]).draw(FULL)


def _moving() -> None:
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "companion", "demo", "kinapa", "--fast", "--seed", "5"]
        subprocess.run([*demo, "--record", folder], check=True, stdout=sys.stderr)
        screens = sorted((Path(folder) / "screens").iterdir())
        moving = cv2.Animation()
        moving.frames = [_shown(path) for path in (*screens[:FIRST], *screens[-LAST:])]
        moving.durations = np.array([SHOWN_MS] * (FIRST + LAST - 1) + [END_MS], np.int32)
        moving.loop_count = 0
        cv2.imwriteanimation(str(MOVING), moving, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])
    sys.stderr.write(f"{MOVING.relative_to(CHECKOUT)}: {MOVING.stat().st_size:,} bytes\n")


def _shown(path: Path) -> cv2.typing.MatLike:
    picture = cv2.imread(str(path))
    assert picture is not None
    return cv2.cvtColor(cv2.resize(picture, SIZE, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2BGRA)


if __name__ == "__main__":
    main()
