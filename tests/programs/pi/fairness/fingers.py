"""Fingers of steel: moves simulated pins at exact instants, and says when it did. Runs in the guest, as root.

It runs above every program there (SCHED_FIFO), as fingers do not wait for a processor, but below the kernel's
own threads for interrupts (50): those queue the edges, and at the same priority they would get one chance
after a whole burst, of which one edge would be left. One JSON line in:
[[microseconds from now, pin, down], …]; one out: [[nanoseconds before the move, after it], …] on the kernel's
monotonic clock, so the kernel's own stamp of each edge lies between the two.
"""

from __future__ import annotations

import json
import os
import sys
import time

PULL = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}/pull"
LEAD = 2_000_000
"""Nanoseconds to get going."""
PRIORITY = 40


def main() -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    pins = {int(pin): os.open(PULL.format(pin), os.O_WRONLY) for pin in sys.argv[1:]}
    for pin in pins.values():
        os.pwrite(pin, b"pull-up", 0)
    clock = time.monotonic_ns
    for line in sys.stdin:
        moves = json.loads(line)
        start = clock() + LEAD
        moved = []
        for after, pin, down in moves:
            due, level = start + after * 1000, b"pull-down" if down else b"pull-up"
            wire = pins[pin]
            while clock() < due:
                pass
            before = clock()
            os.pwrite(wire, level, 0)
            moved.append((before, clock()))
        print(json.dumps(moved), flush=True)


main()
