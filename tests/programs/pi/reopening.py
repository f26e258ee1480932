"""Resident memory over many openings of the camera; runs in the guest with the program's own Python.

usage: reopening.py ours|bare TIMES   `ours` opens it as the table does, `bare` is picamera2 alone.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import Any


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def ours() -> None:
    from companion.core.clock import GameClock
    from hardware.camera_pi import PiCamera

    camera = PiCamera(GameClock())
    for _ in range(3):
        camera.capture(-1)
    camera.close()


def bare() -> None:
    import picamera2

    camera: Any = picamera2.Picamera2(0)
    main = {"size": (1280, 720), "format": "RGB888"}
    camera.configure(camera.create_video_configuration(main=main))
    camera.start()
    for _ in range(3):
        camera.capture_array("main")
    camera.stop()
    camera.close()


def main() -> None:
    once = ours if sys.argv[1] == "ours" else bare
    said = []
    for number in range(int(sys.argv[2])):
        once()
        if number % 10 == 0:
            said.append(f"{number}: {resident_mb():.0f}")
    gc.collect()
    print(sys.argv[1], "MB after so many openings:", ", ".join(said), f"; collected: {resident_mb():.0f}")


main()
