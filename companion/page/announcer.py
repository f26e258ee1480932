"""Tells the table where its phones find the page: the address follows DHCP, the PIN each opening."""

import asyncio
from collections.abc import Callable

import segno

from companion.doors.messages import Serving
from companion.page.guard import Pins
from companion.page.link import Outbox

AGAIN_S = 5.0
"""How often address and PIN are looked at."""


def code_of(address: str) -> tuple[str, ...]:
    """The QR code of an address, a row of `0` and `1` for each row of its modules."""
    matrix = segno.make(address, error="m", micro=False).matrix
    return tuple("".join("1" if module else "0" for module in row) for row in matrix)


class Announcer:
    """Says where the page is reached whenever that changes, and to every table that is new."""

    def __init__(self, outbox: Outbox, pins: Pins, address: Callable[[], str], port: int) -> None:
        self._outbox = outbox
        self._pins = pins
        self._address = address
        self._port = port
        self._told: Serving | None = None

    def serving(self) -> Serving:
        """Where it is reached now."""
        address, pin = self._address(), self._pins.pin
        if not address:
            return Serving("", self._port, pin)
        code = code_of(f"http://{address}:{self._port}/#{pin}")
        return Serving(address, self._port, pin, code)

    def announce(self) -> None:
        """Tell the table now."""
        self._told = self.serving()
        self._outbox.say(self._told)

    async def keep_announcing(self) -> None:
        """Look again and again; a table that went and came is told by `announce`."""
        while True:
            await asyncio.sleep(AGAIN_S)
            if self.serving() != self._told:
                self.announce()
