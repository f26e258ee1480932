"""Who was first? Runs in the guest with the program's own Python: one line of JSON per pair of presses.

usage: pairs.py LISTENER PAIRS SEED [--load]
LISTENER: `companion` (SeatButton on lgpio, Lockout, judged by stamp), `companion-gpiod` (on libgpiod), or
`gpiozero:SECONDS` (Button with that bounce_time, judged by who is called first; `None`: no debouncing).
PAIRS of each gap and kind, in random order. --load: this process recognises pictures in a thread all the
time, as the table does, and a second process keeps the processor busy.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol

from people import GAPS, KINDS, PINS, Fingers, begun, pair

SETTLED = 0.075
"""Seconds after which every press is judged."""
PAUSE = 0.06


class Listener(Protocol):
    """Hears presses."""

    def heard(self, seconds: float) -> list[tuple[int, int | None]]:
        """The presses of these seconds in the order of judgement: pin, and stamp in nanoseconds."""


class Companion:
    """The program's own way: the kernel's stamps, the lockout, judged in the order of stamps."""

    def __init__(self, factory: Any) -> None:
        from companion.clock import GameClock
        from companion.lockout import Lockout
        from hardware.buttons import ButtonPanel
        from hardware.pins import pin_table

        self._clock = GameClock()
        self._inbox: SimpleQueue[Any] = SimpleQueue()
        self._pins = pin_table()
        self._panel = ButtonPanel(factory, self._pins, self._clock, self._inbox.put)
        self._lockout = Lockout(self._panel.level)
        self._lockout.adopt(self._panel.levels())

    def heard(self, seconds: float) -> list[tuple[int, int | None]]:
        end = time.monotonic() + seconds
        presses: list[Any] = []
        while (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                self._lockout.edge(self._inbox.get(timeout=min(left, 0.004)))
            presses += [seen for seen in self._lockout.advance(self._clock.now()) if _is_press(seen)]
        presses.sort(key=lambda seen: seen.at)
        zero = self._clock.to_monotonic_ns(0)
        return [(self._pins.button((seen.chair, seen.button)), zero + seen.at * 1000) for seen in presses]

    def tally(self) -> dict[str, int]:
        tallies = self._lockout.tallies().values()
        return {
            "lost": sum(each.lost for each in tallies),
            "glitches": sum(each.glitches for each in tallies),
        }


def _is_press(seen: Any) -> bool:
    return type(seen).__name__ == "ButtonPressed"


class Plain:
    """gpiozero as its manual shows it."""

    def __init__(self, factory: Any, bounce_time: float | None) -> None:
        import gpiozero

        self._called: SimpleQueue[int] = SimpleQueue()
        self._buttons = []
        for pin in PINS:
            button = gpiozero.Button(pin, bounce_time=bounce_time, pin_factory=factory)
            button.when_pressed = self._caller(pin)
            self._buttons.append(button)

    def _caller(self, pin: int) -> Callable[[], None]:
        return lambda: self._called.put(pin)

    def heard(self, seconds: float) -> list[tuple[int, int | None]]:
        time.sleep(seconds)
        called = []
        while not self._called.empty():
            called.append((self._called.get(), None))
        return called


def listener(name: str) -> tuple[Any, float]:
    """The listener, and how long a pair takes it."""
    from hardware.buttons import open_factory

    kind, _, bounce = name.partition(":")
    if kind == "gpiozero":
        seconds = None if bounce == "None" else float(bounce)
        return Plain(open_factory(), seconds), SETTLED + 2 * (seconds or 0)
    if kind == "companion-gpiod":
        from hardware.gpiod_pins import GpiodFactory

        return Companion(GpiodFactory()), SETTLED
    return Companion(open_factory()), SETTLED


def recognise(halt: list[bool]) -> None:
    """What the camera's thread does when every card moves all the time."""
    import numpy as np

    from companion import paths
    from companion.vision.decks import Deck
    from companion.vision.layout import mat_layout
    from companion.vision.recognise import Recogniser
    from companion.vision.render import MIDDLE, Renderer, Scene, Textures

    folder = paths.assets() / "decks" / "kinapa"
    deck = Deck.load(folder / "kinapa.deck")
    layout = mat_layout("kinapa", 4)
    spots = [place for each in layout.places for place in layout.spots(each.name)][: len(deck.cards)]
    cards = tuple(
        (card, place.centre_mm, place.angle) for card, place in zip(deck.cards, spots, strict=False)
    )
    picture = Renderer(Textures.load(folder), layout, MIDDLE).render(
        Scene(cards, ()), np.random.default_rng(1)
    )
    recogniser = Recogniser(deck)
    while not halt:
        recogniser.recognise(picture)


def main() -> None:
    name, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    load = "--load" in sys.argv
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    rng = random.Random(seed)
    fingers = Fingers()
    hears, settled = listener(name)
    halt: list[bool] = []
    busy = None
    if load:
        Thread(target=recognise, args=(halt,), daemon=True).start()
        busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    wanted = [(gap, kind, turn % 2) for gap in GAPS for kind in KINDS for turn in range(count)]
    rng.shuffle(wanted)
    try:
        hears.heard(0.5)
        for gap, kind, first in wanted:
            moves = pair(gap, kind, first, rng)
            firsts = begun(moves, fingers.move(moves))
            presses = hears.heard(settled)
            fingers.let_go()
            hears.heard(PAUSE)
            truth = [firsts[PINS[first]], firsts[PINS[1 - first]]]
            print(
                json.dumps(
                    {
                        "gap": gap,
                        "kind": kind,
                        "first": PINS[first],
                        "truth": truth,
                        "heard": presses,
                    }
                ),
                flush=True,
            )
        if isinstance(hears, Companion):
            print(json.dumps({"tally": hears.tally()}), flush=True)
    finally:
        halt.append(True)
        if busy is not None:
            busy.kill()
        fingers.close()


main()
