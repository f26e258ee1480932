"""Runs inside the guest: simulated people play at the appliance's own table until its game is over.

They know what everybody may know: they read the stored journal, as one who looks on would, and answer with
fingers on the kernel's simulated pins and with pictures before libcamera's virtual camera. Nothing else of
the program is touched. What the camera is to see nobody says by hand, unless it has not been read for long.
After a power cut they take up their seats again: the deal is that of the seed, what lies is as it was seen.
usage: hands.py STORE SECONDS SEED GAME PEOPLE [--finish MS]  (as root, with the program's own Python)
--finish: Kabuki; two people call Stop so far apart on the second mask, and the people go when it is settled.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from onlooker import Onlooker, now

from companion.core.actions import Action, Chair, Micros
from companion.core.observations import CameraLost, CameraRecovered, TableSeen
from companion.games import deck_folder, mat_layout
from companion.games.kabuki.rules.model import StopAssigned, StopRight, StopWrong
from companion.games.kit.world import SimulatedAction, TakeAction
from companion.referee.journal import Entry
from companion.simulation.simulated_players import PlayerSimulator
from companion.simulation.simulated_table import SceneBuilder
from companion.vision.renderer import MIDDLE, TableRenderer, Textures
from hardware.pin_table import build_pin_table

CHIP = Path("/sys/devices/platform/gpio-sim.0/gpiochip0")
FRAMES = Path("/var/lib/hil/frames")
PLUG = Path("/run/hil/unplugged")
PICTURES = 5
UNPLUGGED_SECONDS = 600.0
"""The cable stays out until the program has told that it lost the camera; at most so long."""
CAMERA_TELLS = frozenset({"turn", "hide", "place", "found", "not_found"})
"""What nobody says while the camera has a chance to see it: it is slow under emulation."""
PATIENCE: Micros = 240_000_000
SOON: Micros = 400_000
"""A finger that moves so soon is waited for: reading the journal in between may take longer than a press."""
SPIN: Micros = 2_000
"""Slept until so shortly before."""


class Patient(PlayerSimulator):
    """People who wait for the camera much longer than at a real table."""

    asked: frozenset[int] = frozenset()

    def _perform(self, deed: SimulatedAction, at: Micros) -> None:
        late = (
            isinstance(deed, TakeAction) and deed.action.verb in CAMERA_TELLS and id(deed) not in self.asked
        )
        if late:
            self.asked |= {id(deed)}
            self._agenda.add(at + PATIENCE, deed)
        else:
            # Whoever is late begins now, and takes as long for it as ever.
            super()._perform(deed, max(at, now()))


class Hands(Onlooker):
    """People, their fingers, their cards."""

    def __init__(self, store: Path, seed: int, game: str, people: int) -> None:
        super().__init__(store, seed, game, people)
        self.people = Patient(self.rules, self.world, self.state, press=self._press, say=self._say)
        self._pins = build_pin_table()
        self._due: list[tuple[Micros, Path, bytes]] = []
        layout = mat_layout(game, len(self.chairs))
        self._scenes = SceneBuilder(layout, self.chairs, random.Random(seed))
        self._renderer = TableRenderer(Textures.load(deck_folder(game)), layout, MIDDLE)
        self._noise = np.random.default_rng(seed)
        self._shown: Any = None
        self._plug_at: float | None = None
        self._lost = False
        """Whether the program has told that it lost the camera, and not yet that it is back."""
        self.presses = self.pictures = self.said = self.read = 0
        self.pressed: list[tuple[Chair, Micros]] = []
        """The two calls of a finish, and when each was made."""

    def heard(self, entry: Entry[Any]) -> None:
        match entry.cause:
            case CameraRecovered():
                self._lost = False
            # A sentence is the camera's own; a key says that the mat is not found.
            case CameraLost(reason=reason) if " " in reason:
                self._lost = True

    def seen(self, entry: Entry[Any]) -> None:
        if not isinstance(entry.cause, TableSeen):
            return
        self.read += 1
        if not self.entries:  # as it was left before the power was cut
            self.world.places |= {
                region.name: tuple(face.card for face in region.faces) for region in entry.cause.regions
            }

    def _press(self, chair: Chair, at: Micros, hold: Micros) -> None:
        pull = CHIP / f"sim_gpio{self._pins.button_pin((chair, 'seat'))}" / "pull"
        self._due += [(at, pull, b"pull-down"), (at + hold, pull, b"pull-up")]
        self.presses += 1

    def _say(self, chair: Chair, action: Action) -> None:
        self.said += 1

    def fingers(self) -> None:
        """Move what is due to be moved, in its order."""
        self._due.sort(key=lambda due: due[0])
        while self._due and self._due[0][0] <= now() + SOON:
            due, pull, level = self._due.pop(0)
            time.sleep(max(0, due - now() - SPIN) / 1e6)
            while now() < due:
                pass
            pull.write_bytes(level)

    def camera(self) -> None:
        """A new picture when cards have moved and no hand is over them: file changed, cable out and in."""
        places = {name: tuple(cards) for name, cards in self.world.places.items()}
        if self._plug_at is not None:
            if self._lost or time.monotonic() >= self._plug_at:
                PLUG.unlink(missing_ok=True)
                self._plug_at = None
            return
        if places == self._shown or self.people.hands or self._lost:
            return
        self._shown = places
        scene = self._scenes.build_scene(places, ())
        rendered = self._renderer.render(scene, self._noise)
        noises = (self._noise.integers(0, 3, rendered.shape, rendered.dtype) for _ in range(PICTURES))
        pictures = [cv2.add(rendered, noise) for noise in noises]  # no two are the same
        PLUG.touch()
        for number, picture in enumerate(pictures):
            _, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 95])
            fresh = FRAMES / "fresh"
            fresh.write_bytes(jpeg.tobytes())
            fresh.replace(FRAMES / f"{number}.jpg")
        self._plug_at = time.monotonic() + UNPLUGGED_SECONDS
        self.pictures += 1

    def call(self, apart: Micros) -> None:
        """Two people call Stop on the second mask, the later chair first, as soon as it was ruled to lie."""
        lies = self.state.last
        if self.pressed or self.state.placed < 2 or lies is None or self.state.closed:
            return
        second, first = [chair for chair in self.chairs if chair != self.chairs[lies.seat]][:2]
        at = now() + 20_000
        self.pressed = [(first, at), (second, at + apart)]
        for chair, when in self.pressed:
            self._press(chair, when, 110_000)

    def play(self, seconds: float, finish: Micros | None = None) -> str:
        """Until the game is over, a finish is settled, or time is."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.follow()
            if (outcome := self.over()) is not None:
                return outcome
            if finish is not None:
                self.call(finish)
                if self.told and isinstance(self.told[-1], StopRight | StopWrong):
                    return self._finished()
            self.people.advance(now())
            self.people.plan_actions(now())
            self.fingers()
            self.camera()
            time.sleep(0.02)
        return "not over"

    def _finished(self) -> str:
        assigned = next(event for event in reversed(self.told) if isinstance(event, StopAssigned))
        calls = ", ".join(f"{chair + 1}" for chair, _ in self.pressed)
        return f"chairs {calls} called; the Stop is chair {self.chairs[assigned.seat] + 1}'s"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int)
    parser.add_argument("game")
    parser.add_argument("people", type=int)
    parser.add_argument("--finish", type=float, metavar="MS")
    wanted = parser.parse_args()
    for pin in range(2, 28):
        (CHIP / f"sim_gpio{pin}" / "pull").write_bytes(b"pull-up")
    hands = Hands(wanted.store, wanted.seed, wanted.game, wanted.people)
    finish = None if wanted.finish is None else round(wanted.finish * 1000)
    ended = hands.play(wanted.seconds, finish)
    print(
        json.dumps(
            {
                "outcome": ended,
                "entries": hands.entries,
                "presses": hands.presses,
                "pictures": hands.pictures,
                "read": hands.read,
                "said": hands.said,
            }
        )
    )


if __name__ == "__main__":
    main()
