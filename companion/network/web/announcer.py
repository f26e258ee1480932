"""Announcement of the page's address and PIN to the table, repeated when either changes."""

import asyncio
from collections.abc import Callable

import segno

from companion.network.messages import PageAddress
from companion.network.web.guard import PagePin
from companion.network.web.table_link import TableSender

CHECK_INTERVAL_S = 5.0
"""How often address and PIN are looked at."""


def qr_rows(address: str) -> tuple[str, ...]:
    """The QR code of an address, a row of `0` and `1` for each row of its modules."""
    matrix = segno.make(address, error="m", micro=False).matrix
    return tuple("".join("1" if module else "0" for module in row) for row in matrix)


class Announcer:
    """Says where the page is reached whenever that changes, and to every table that is new."""

    def __init__(self, outbox: TableSender, pins: PagePin, address: Callable[[], str], port: int) -> None:
        self._outbox = outbox
        self._pins = pins
        self._address = address
        self._port = port
        self._told: PageAddress | None = None

    def current_address(self) -> PageAddress:
        """Where it is reached now."""
        address, pin = self._address(), self._pins.pin
        if not address:
            return PageAddress("", self._port, pin)
        code = qr_rows(f"http://{address}:{self._port}/#{pin}")
        return PageAddress(address, self._port, pin, code)

    def announce(self) -> None:
        """Tell the table now."""
        self._told = self.current_address()
        self._outbox.send(self._told)

    async def keep_announcing(self) -> None:
        """Look again and again; a table that went and came is told by `announce`."""
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            if self.current_address() != self._told:
                self.announce()
