"""Who was first? Runs in the guest with the program's own Python: one line of JSON per pair of presses.

usage: pairs.py LISTENER PAIRS SEED [--load]
LISTENER: `companion` (SeatButton on libgpiod, Debouncer, judged by stamp), `companion-lgpio` (it on lgpio),
or `gpiozero:SECONDS` (Button with that bounce_time on lgpio, judged by who is called first; `None`: without).
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

from people import GAPS, KINDS, PINS, Fingers, begun, lag, pair

from companion.core import observations as ob

AFTER = 0.06
"""Seconds for which it is listened on when both pressed: whether somebody is heard twice."""
PATIENCE = 2.0
"""Seconds after which a press is missing: a saturated processor delivers late, and stamps do not mind."""
FRAME = 0.02
"""Seconds between two rounds of the loop in which nothing happens."""
Heard = list[tuple[int, int | None]]


class Listener(Protocol):
    """Hears presses."""

    def heard(self) -> Heard:
        """The presses of a pair in the order of judgement: pin, and stamp in nanoseconds."""

    def quiet(self) -> None:
        """Wait until both buttons are known to be up."""

    def worst_late(self) -> int | None:
        """How long an edge was under way to the loop at most since this was asked last; None: not known."""


class Companion:
    """The program's own way: the kernel's stamps, the lockout, judged in the order of stamps."""

    def __init__(self, factory: Any) -> None:
        from companion.core.clock import GameClock
        from companion.core.debounce import Debouncer
        from hardware.buttons import ButtonPanel
        from hardware.pin_table import build_pin_table

        self._clock = GameClock()
        self._inbox: SimpleQueue[Any] = SimpleQueue()
        self._late: list[int] = []
        """How long each edge was under way to the loop, in microseconds."""
        self._asked = 0
        self._pins = build_pin_table()
        self._panel = ButtonPanel(factory, self._pins, self._clock, self._inbox.put)
        self._debouncer = Debouncer(self._panel.read_level)
        self._debouncer.set_initial_levels(self._panel.read_levels())

    def heard(self) -> Heard:
        presses = self._until(2, ob.ButtonPressed)
        presses.sort(key=lambda seen: seen.at)
        zero = self._clock.to_monotonic_ns(0)
        return [(self._pins.button_pin((seen.chair, seen.button)), zero + seen.at * 1000) for seen in presses]

    def quiet(self) -> None:
        self._until(2, ob.ButtonReleased)

    def _until(self, chairs: int, kind: type[Any]) -> list[Any]:
        """What happens until so many chairs did it, and a little longer."""
        end = time.monotonic() + PATIENCE
        found: list[Any] = []
        whole = False
        while (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                edge = self._inbox.get(timeout=min(left, FRAME))
                heard = self._clock.now()
                self._late.append(heard - edge.at)
                self._debouncer.add_edge(edge, heard)
            found += [seen for seen in self._debouncer.advance(self._clock.now()) if isinstance(seen, kind)]
            if not whole and len({seen.chair for seen in found}) == chairs:
                whole, end = True, time.monotonic() + AFTER
        return found

    def worst_late(self) -> int:
        worst, self._asked = max(self._late[self._asked :], default=0), len(self._late)
        return worst

    def tally(self) -> dict[str, int]:
        tallies, late = self._debouncer.statistics().values(), sorted(self._late)
        return {
            "lost": sum(each.lost for each in tallies),
            "glitches": sum(each.glitches for each in tallies),
            "late_median_us": late[len(late) // 2],
            "late_95_us": late[len(late) * 95 // 100],
            "late_worst_us": late[-1],
        }


class Plain:
    """gpiozero as its manual shows it."""

    def __init__(self, factory: Any, bounce_time: float | None) -> None:
        import gpiozero

        self._after = AFTER + 2 * (bounce_time or 0)
        self._called: SimpleQueue[int] = SimpleQueue()
        self._let_go: SimpleQueue[int] = SimpleQueue()
        self._buttons = []
        for pin in PINS:
            button = gpiozero.Button(pin, bounce_time=bounce_time, pin_factory=factory)
            button.when_pressed = self._caller(pin, self._called)
            button.when_released = self._caller(pin, self._let_go)
            self._buttons.append(button)

    def _caller(self, pin: int, queue: SimpleQueue[int]) -> Callable[[], None]:
        return lambda: queue.put(pin)

    def heard(self) -> Heard:
        return [(pin, None) for pin in self._until(self._called)]

    def quiet(self) -> None:
        self._until(self._let_go)
        while not self._called.empty():
            self._called.get()

    def worst_late(self) -> None:
        return None

    def _until(self, queue: SimpleQueue[int]) -> list[int]:
        end = time.monotonic() + PATIENCE
        found: list[int] = []
        whole = False
        while (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                found.append(queue.get(timeout=left))
            if not whole and len(set(found)) == len(PINS):
                whole, end = True, time.monotonic() + self._after
        return found


def listener(name: str) -> Listener:
    """Whoever is asked for."""
    kind, _, bounce = name.partition(":")
    if kind == "companion":
        from hardware.buttons import open_pin_factory

        return Companion(open_pin_factory())
    from gpiozero.pins.lgpio import LGPIOFactory

    if kind == "companion-lgpio":
        return Companion(LGPIOFactory())
    return Plain(LGPIOFactory(), None if bounce == "None" else float(bounce))


def recognise(halt: list[bool]) -> None:
    """What the camera's thread does when every card moves all the time."""
    import numpy as np

    from companion.games import mat_layout
    from companion.system import asset_paths
    from companion.vision.decks import Deck
    from companion.vision.recogniser import Recogniser
    from companion.vision.renderer import MIDDLE, TableRenderer, TableScene, Textures

    folder = asset_paths.bundled_assets_folder() / "decks" / "kinapa"
    deck = Deck.load(folder / "kinapa.deck")
    layout = mat_layout("kinapa", 4)
    spots = [place for each in layout.places for place in layout.spots(each.name)][: len(deck.cards)]
    cards = tuple(
        (card, place.centre_mm, place.angle) for card, place in zip(deck.cards, spots, strict=False)
    )
    picture = TableRenderer(Textures.load(folder), layout, MIDDLE).render(
        TableScene(cards, ()), np.random.default_rng(1)
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
    hears = listener(name)
    halt: list[bool] = []
    busy = None
    if load:
        Thread(target=recognise, args=(halt,), daemon=True).start()
        busy = subprocess.Popen(["sh", "-c", "while :; do :; done"])
    wanted = [(gap, kind, turn % 2) for gap in GAPS for kind in KINDS for turn in range(count)]
    rng.shuffle(wanted)
    try:
        time.sleep(0.5)
        for gap, kind, first in wanted:
            moves = pair(gap, kind, first, rng)
            moved = fingers.move(moves)
            firsts = begun(moves, moved)
            presses = hears.heard()
            fingers.let_go()
            hears.quiet()
            truth = [firsts[PINS[first]], firsts[PINS[1 - first]]]
            print(
                json.dumps(
                    {
                        "gap": gap,
                        "kind": kind,
                        "first": PINS[first],
                        "truth": truth,
                        "heard": presses,
                        "lag_us": lag(moves, moved),
                        "late_us": hears.worst_late(),
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
