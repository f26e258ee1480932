"""Which edges arrive? Bursts on one pin, heard through lgpio or libgpiod; runs in the guest.

usage: edges.py lgpio|libgpiod BURSTS SEED [--load]   → one line of JSON
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from threading import Thread
from typing import Any

from people import PINS, Fingers, press

Heard = list[tuple[int, bool]]
PATIENCE = 0.5
"""Seconds after which an edge is lost: a saturated processor delivers late."""


def by_lgpio(heard: Heard) -> Any:
    os.chdir(tempfile.mkdtemp())
    import lgpio

    chip = lgpio.gpiochip_open(0)
    lgpio.gpio_claim_alert(chip, PINS[0], lgpio.BOTH_EDGES, lgpio.SET_PULL_UP)
    return lgpio.callback(
        chip, PINS[0], lgpio.BOTH_EDGES, lambda _, __, level, tick: heard.append((tick, not level))
    )


def by_libgpiod(heard: Heard) -> Any:
    import gpiod
    from gpiod.line import Bias, Edge

    wanted = gpiod.LineSettings(edge_detection=Edge.BOTH, bias=Bias.PULL_UP)
    request = gpiod.request_lines("/dev/gpiochip0", {PINS[0]: wanted}, event_buffer_size=1024)

    def listen() -> None:
        while True:
            for event in request.read_edge_events():
                heard.append((event.timestamp_ns, event.event_type is event.Type.FALLING_EDGE))

    Thread(target=listen, daemon=True).start()
    return request


def main() -> None:
    how, bursts, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    fingers = Fingers()
    heard: Heard = []
    kept = by_lgpio(heard) if how == "lgpio" else by_libgpiod(heard)
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * ("--load" in sys.argv))]
    seen: Counter[str] = Counter()
    try:
        time.sleep(0.3)
        for _ in range(bursts):
            heard.clear()
            moves = press(PINS[0], 0, rng, bouncing=True)
            moved = fingers.move(moves)
            end = time.monotonic() + PATIENCE
            while len(heard) < len(moves) and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.02)
            judge(moves, moved, list(heard), seen)
            fingers.let_go()
            time.sleep(0.2)
    finally:
        for each in busy:
            each.kill()
        fingers.close()
    del kept
    print(json.dumps({"how": how, "bursts": bursts, **seen}), flush=True)
    os._exit(0)


def judge(moves: Any, moved: Any, heard: Heard, seen: Counter[str]) -> None:
    """An edge was heard if a stamp lies within its move; mislabelled if it says the other level."""
    seen["edges"] += len(moves)
    left = list(heard)
    bad = False
    for number, ((_, _, down), (before, after)) in enumerate(zip(moves, moved, strict=True)):
        match = next((each for each in left if before <= each[0] <= after), None)
        if match is None:
            seen["lost"] += 1
            seen["first lost"] += number == 0
            bad = True
            continue
        left.remove(match)
        if match[1] != down:
            seen["mislabelled"] += 1
            seen["first mislabelled"] += number == 0
            bad = True
    seen["from nowhere"] += len(left)
    seen["bad bursts"] += bad or bool(left)


main()
