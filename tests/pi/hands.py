"""Runs inside the guest: simulated people play at the appliance's own table until its game is over.

They know what everybody may know: they read the stored journal, as one who looks on would, and answer with
fingers on the kernel's simulated pins and with pictures before libcamera's virtual camera. Nothing else of
the program is touched.
usage: hands.py STORE SECONDS SEED GAME PEOPLE  (as root, with the program's own Python)
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion import paths
from companion.actions import Action, Chair, Micros, Setup
from companion.journal import standing
from companion.observations import CameraLost
from companion.rules import GAMES
from companion.simulator.acts import People
from companion.simulator.scene import SceneMaker
from companion.simulator.table import WORLDS
from companion.simulator.world import Style
from companion.store import Store
from companion.vision.layout import mat_layout
from companion.vision.render import MIDDLE, Renderer, Textures
from hardware.pins import pin_table

CHIP = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
FRAMES = Path("/var/lib/hil/frames")
PLUG = Path("/run/hil/unplugged")
UNPLUGGED_SECONDS = 600.0
"""The cable stays out until the program has told that it lost the camera; at most so long."""


def now() -> Micros:
    return time.monotonic_ns() // 1000


class Hands:
    """People, their fingers, their cards."""

    def __init__(self, store: Path, seed: int, game: str, people: int) -> None:
        self.store = Store(store, GAMES)
        self.rules = GAMES[game]
        self.chairs = tuple(range(people))
        rng = random.Random(seed)
        world = WORLDS[game](self.chairs, rng, (Style.LAWFUL,) * len(self.chairs))
        self.people = People(self.rules, world, press=self._press, say=self._say)
        self._pins = pin_table()
        self._due: list[tuple[Micros, Path, bytes]] = []
        layout = mat_layout(game, len(self.chairs))
        self._scenes = SceneMaker(layout, self.chairs, random.Random(seed))
        self._renderer = Renderer(Textures.load(paths.assets() / "decks" / game), layout, MIDDLE)
        self._noise = np.random.default_rng(seed)
        self._shown: Any = None
        self._plug_at: float | None = None
        self._noticed = False
        """Whether the program has seen that the cable is out."""
        self.presses = self.pictures = self.said = self.entries = 0
        self._setup = Setup(self.chairs, self.rules.options())
        self._written: tuple[int, int] | None = None
        self.state = self.rules.initial_state(self._setup)

    def follow(self) -> None:
        """Take in what was ruled since."""
        try:
            wal = self.store.path.with_name(self.store.path.name + "-wal").stat()
        except FileNotFoundError:
            return  # a game is stored with its first ruling
        if self._written == (wal.st_mtime_ns, wal.st_size):
            return
        self._written = wal.st_mtime_ns, wal.st_size
        newest = self.store.games()[:1]
        entries = self.store.read(newest[0].game)[1] if newest else []
        state = self.rules.initial_state(self._setup)
        if any(isinstance(entry.cause, CameraLost) for entry in entries[self.entries :]):
            self._noticed = True
        for entry in standing(entries):
            for event in entry.events:
                if entry.seq >= self.entries:
                    self.people.happened(state, event)
                state = self.rules.evolve(state, event)
        self.entries = len(entries)
        self.state = state

    def _press(self, chair: Chair, at: Micros, hold: Micros) -> None:
        pull = CHIP / f"sim_gpio{self._pins.button((chair, 'seat'))}" / "pull"
        self._due += [(at, pull, b"pull-down"), (at + hold, pull, b"pull-up")]
        self.presses += 1

    def _say(self, chair: Chair, action: Action) -> None:
        self.said += 1

    def fingers(self) -> None:
        """Move what is due to be moved, in its order."""
        self._due.sort(key=lambda due: due[0])
        while self._due and self._due[0][0] <= now():
            _, pull, level = self._due.pop(0)
            pull.write_bytes(level)

    def camera(self) -> None:
        """A new picture when cards have moved and no hand is over them: file changed, cable out and in."""
        places = {name: tuple(cards) for name, cards in self.people.world.places.items()}
        if self._plug_at is not None:
            if self._noticed or time.monotonic() >= self._plug_at:
                PLUG.unlink(missing_ok=True)
                self._plug_at = None
            return
        if places == self._shown or self.people.hands:
            return
        self._shown = places
        picture = self._renderer.render(self._scenes.scene(places, ()), self._noise)
        PLUG.touch()
        self._noticed = False
        _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
        fresh = FRAMES / "fresh"
        fresh.write_bytes(jpeg.tobytes())
        fresh.replace(FRAMES / "0.jpg")
        self._plug_at = time.monotonic() + UNPLUGGED_SECONDS
        self.pictures += 1

    def play(self, seconds: float) -> str:
        """Until the game is over, or time is."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.follow()
            outcome = self.rules.outcome(self.state)
            if outcome is not None:
                return f"{outcome.termination}; winners {[chair + 1 for chair in outcome.winners]}"
            self.people.advance(now(), self.state)
            self.people.think(self.state, now())
            self.fingers()
            self.camera()
            time.sleep(0.02)
        return "not over"


def main() -> None:
    store, seconds, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    for pin in range(2, 28):
        (CHIP / f"sim_gpio{pin}" / "pull").write_bytes(b"pull-up")
    hands = Hands(store, seed, sys.argv[4], int(sys.argv[5]))
    ended = hands.play(seconds)
    print(
        json.dumps(
            {
                "outcome": ended,
                "entries": hands.entries,
                "presses": hands.presses,
                "pictures": hands.pictures,
                "said": hands.said,
            }
        )
    )


if __name__ == "__main__":
    main()
