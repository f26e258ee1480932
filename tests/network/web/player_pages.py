"""Phones at the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.testclient import TestClient

from companion.network import messages as ms
from companion.network.web import static_files, table_link
from companion.network.web.audience import Audience
from companion.network.web.guard import BrowserWarnings, PagePin
from companion.network.web.phone_connection import PhoneRoutes
from companion.network.web.phone_players import PhonePlayer, PhonePlayers
from companion.network.web.web_app import build_web_app

PORT = 8420
OURS = f"http://192.168.1.5:{PORT}"
SECOND = 1_000_000_000
COLOURS = ("red", "blue", "green", "yellow")
TOKEN = "00112233445566778899aabbccddeeff"


class Said(table_link.TableSender):
    """Keeps what the table would be told."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[ms.ToTable] = []
        self.there = True

    def send(self, message: ms.ToTable) -> bool:
        if self.there:
            self.told.append(message)
        return self.there


class Table:
    """The page of a table that is open, without a network and with a clock moved by hand."""

    def __init__(self) -> None:
        self.now = SECOND
        self.audience, self.pins, self.outbox = (
            Audience(static_files.find_pictures()),
            PagePin(lambda: self.now // 1_000),
            Said(),
        )
        self.players = PhonePlayers(self.audience, self.pins, self.outbox)
        self.audience.remarks = BrowserWarnings(lambda: self.now)
        self.audience.remarks.send = self.outbox.send
        self.phones = PhoneRoutes(self.players, lambda: self.now)
        self.hear(ms.TableHello("run"), ms.ChairHolders(self.seats(), is_open=True))

    def hear(self, *told: ms.FromTable | None) -> None:
        for message in told:
            self.audience.handle_message(message)
            self.players.handle_message(message)

    @staticmethod
    def seats(**more: str) -> tuple[ms.ChairHolder, ...]:
        """`chair_1="phone"`: that phone holds the chair."""
        return tuple(
            ms.ChairHolder(chair, colour, more.get(f"chair_{chair}", ""))
            for chair, colour in enumerate(COLOURS)
        )

    def enter(self, code: str = "en", address: str = "192.168.1.9") -> PhonePlayer:
        found = self.players.enter(address, self.pins.pin, "", code)
        assert isinstance(found, PhonePlayer)
        return found

    def hold(self, player: PhonePlayer, chair: int = 1) -> None:
        self.hear(ms.ChairHolders(self.seats(**{f"chair_{chair}": player.phone}), is_open=True))

    def remarks(self) -> list[ms.BrowserProblemKind]:
        """What the table was told of browsers."""
        return [said.what for said in self.outbox.told if isinstance(said, ms.BrowserProblem)]

    @contextmanager
    def client(self) -> Iterator[TestClient]:
        app = build_web_app(
            self.audience, now=lambda: 0, port=PORT, pins=self.pins, more=self.phones.routes()
        )
        with TestClient(app, base_url=OURS, client=("192.168.1.9", 50_000)) as client:
            yield client
