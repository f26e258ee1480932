"""`make pictures`: the moving picture of the README, from a whole demo."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np

CHECKOUT = Path(__file__).parent.parent
MOVING = CHECKOUT / "docs" / "pictures" / "demo.webp"
SIZE, QUALITY = (960, 540), 55
FIRST, LAST = 18, 4
"""How many rulings are shown from the beginning, and from the end."""
SHOWN_MS, END_MS = 1300, 4000
"""How long a ruling stands, and the last one."""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        demo = [sys.executable, "-m", "companion", "demo", "kinapa", "--fast", "--seed", "5"]
        nobody = {"SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"}
        subprocess.run([*demo, "--record", folder], check=True, stdout=sys.stderr, env=os.environ | nobody)
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
