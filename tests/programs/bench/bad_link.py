"""A link between two networks of this machine that delays, drops and reorders packets: `python -m …` (root).

What `tc netem` does where the kernel has it, made of two TUN devices: one here, one in a network namespace of
its own, and between them this process. Prints `up` once both ends are; each line on its standard input is how
it is from then on: milliseconds each way, jitter to either side, share lost, share that overtakes. Both are
gone when its input ends.
"""

from __future__ import annotations

import fcntl
import os
import random
import selectors
import struct
import subprocess
import sys
import time
from heapq import heappop, heappush
from itertools import count

HERE, THERE = "10.77.24.1", "10.77.24.2"
SPACE = "companion-link"
"""The name of the namespace at the far end."""
NEAR_END, FAR_END = "cl-here", "cl-there"
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LONGEST = 65_536


def tun(name: str) -> int:
    """A device of this name; what is read and written are IP packets."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return fd


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def made() -> tuple[int, int]:
    """Both ends, up."""
    subprocess.run(["ip", "netns", "delete", SPACE], check=False, stderr=subprocess.DEVNULL)
    ip("netns", "add", SPACE)
    near, far = tun(NEAR_END), tun(FAR_END)
    ip("link", "set", FAR_END, "netns", SPACE)
    ip("addr", "add", HERE, "peer", THERE, "dev", NEAR_END)
    ip("link", "set", NEAR_END, "up")
    ip("-n", SPACE, "addr", "add", THERE, "peer", HERE, "dev", FAR_END)
    for device in (FAR_END, "lo"):
        ip("-n", SPACE, "link", "set", device, "up")
    return near, far


def carry(near: int, far: int) -> None:
    """Until standard input ends."""
    chance, order = random.Random(24), count()
    delay = jitter = lost = overtakes = 0.0
    under_way: list[tuple[float, int, int, bytes]] = []
    waiting = selectors.DefaultSelector()
    for fd in (near, far, sys.stdin.fileno()):
        waiting.register(fd, selectors.EVENT_READ)
    while True:
        patience = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        for key, _ in waiting.select(patience):
            if key.fd == sys.stdin.fileno():
                told = os.read(key.fd, 1024)
                if not told:
                    return
                delay, jitter, lost, overtakes = map(float, told.split())
                continue
            packet = os.read(key.fd, LONGEST)
            if chance.random() < lost:
                continue
            wait = 0.0 if chance.random() < overtakes else chance.uniform(delay - jitter, delay + jitter)
            to = far if key.fd == near else near
            heappush(under_way, (time.monotonic() + wait / 1000, next(order), to, packet))
        while under_way and under_way[0][0] <= time.monotonic():
            _, _, to, packet = heappop(under_way)
            os.write(to, packet)


def main() -> None:
    try:
        ends = made()
        print("up", flush=True)
        carry(*ends)
    finally:
        subprocess.run(["ip", "netns", "delete", SPACE], check=False)


if __name__ == "__main__":
    main()
