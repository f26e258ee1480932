"""A table that phones play at over real sockets: a WebSocket for each, the page's loop, the table's door.

Time is moved by hand, for both ends alike. Between a phone's script and its WebSocket stands a proxy that
delays, drops and reorders what it says and hears. Before time moves on, everything that was sent has arrived:
whoever waits, waits for a message, never for a while.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from heapq import heappop
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any

import uvicorn
from websockets.sync.client import connect

from companion.core import observations as ob
from companion.core.actions import Action, Chair, Micros
from companion.core.clock import ManualClock
from companion.network import messages as ms
from companion.network.table_server import TableServer
from companion.network.web import static_files, table_link
from companion.network.web.audience import Audience
from companion.network.web.guard import PagePin
from companion.network.web.phone_connection import PhoneRoutes
from companion.network.web.phone_players import PhonePlayers
from companion.network.web.serve import bind_socket, server_config
from companion.network.web.web_app import build_web_app
from companion.simulation.game_simulation import LEAD_IN
from companion.table.remote.phone_seats import TablePhones
from companion.table.session import Session
from tests.referee.phone_table import Phone, PhoneTable
from tests.table.loop import ListVoice

COLOURS = ("red", "blue", "green", "yellow")
HERE: Micros = 2_000_000
"""Half as often as a page speaks; the time is asked an eighth as often: it is the sockets that take long."""
LATEST: Micros = 130_000
"""So long after a press its page is asked something at the latest, as its own clock would have it."""
WAITS_S = 20.0


class Counted(table_link.TableSender):
    """Counts what the page says to the table."""

    said = 0

    def send(self, message: ms.ToTable) -> bool:
        went = super().send(message)
        self.said += went
        return went


class Page:
    """The page's loop in a thread, serving on loopback; it knows how much it has heard of the table."""

    def __init__(self, clock: ManualClock, theirs: socket.socket) -> None:
        self.listening = bind_socket("127.0.0.1", 0)
        self.port = int(self.listening.getsockname()[1])
        audience = Audience(static_files.find_pictures())
        self.pins = PagePin(lambda: 0)
        self.outbox = Counted()
        self.players = PhonePlayers(audience, self.pins, self.outbox)
        self._heard, self._more = 0, Condition()

        def heard(message: ms.FromTable | None) -> None:
            audience.handle_message(message)
            self.players.handle_message(message)
            with self._more:
                self._heard += 1
                self._more.notify_all()

        app = build_web_app(
            audience,
            now=lambda: 0,
            port=self.port,
            pins=self.pins,
            reading=lambda: table_link.read_messages(table_link.open_over(theirs), heard, self.outbox),
            more=PhoneRoutes(self.players, lambda: clock.now() * 1_000).routes(),
        )
        self.server = uvicorn.Server(server_config(app))
        self.thread = Thread(target=lambda: asyncio.run(self.server.serve([self.listening])), daemon=True)

    def has_heard(self, count: int) -> None:
        """Return once it has heard so many messages of the table."""
        with self._more:
            assert self._more.wait_for(lambda: self._heard >= count, WAITS_S)


class Relay:
    """The table's side: what the door heard is handed on when all of it is there."""

    connection_count = 1
    has_readers = True

    def __init__(self, door: TableServer) -> None:
        self.incoming: SimpleQueue[ms.ToTable | None] = SimpleQueue()
        self.door = door
        self.told = 1
        """Messages that the page has to hear; the first is the door's own hello."""
        self.handed = 0

    def broadcast(self, message: ms.FromTable) -> None:
        self.told += 1
        self.door.broadcast(message)

    def until(self, count: int) -> None:
        """Hand on so many messages in all."""
        while self.handed < count:
            self.incoming.put(self.door.incoming.get(timeout=WAITS_S))
            self.handed += 1


class Browser:
    """A phone's WebSocket."""

    def __init__(self, chair: Chair, live: Any) -> None:
        self.chair = chair
        self.live = live
        self.offer: dict[str, Any] = {"number": -1}
        self.number = 0

    def say(self, **message: Any) -> None:
        self.live.send(json.dumps(message))

    def hear(self, until: str) -> Iterator[dict[str, Any]]:
        """Everything up to the next message of that type."""
        while True:
            message = json.loads(self.live.recv(timeout=WAITS_S))
            yield message
            if message["type"] == until:
                return

    def asks(self, t0: float) -> int:
        self.number += 1
        self.say(type="time", n=self.number, t0=t0)
        return self.number


class SocketTable(PhoneTable):
    """One whole game by phones over real sockets."""

    asks_every: Micros = 2_000_000

    def __init__(self, *args: Any, stack: ExitStack, **more: Any) -> None:
        super().__init__(*args, **more)
        self.clock = ManualClock()
        ours, theirs = socket.socketpair()
        self.door = TableServer(None, ours, run="run", now=self.clock.now)
        self.door.start()
        stack.callback(self.door.close)
        self.page = Page(self.clock, theirs)
        self.page.thread.start()
        stack.callback(self._stop)
        self.relay = Relay(self.door)
        self.session = Session(
            self.game,
            clock=self.clock,
            voice=ListVoice(self.clock, available=False),
            listeners=[self.people.handle_ruling],
        )
        self.held = TablePhones(self.relay, self.clock, COLOURS)
        self.page.has_heard(1)
        self.held.admit_phones()
        self.held.send_updates()
        self.page.has_heard(self.relay.told)
        self._arrived = self.relay.told
        self.browsers: dict[Chair, Browser] = {}
        for chair in self.phones:
            self._join(chair, stack)
        for chair in self.phones:
            self._at(self._chance.randint(0, HERE), self._is_here(chair))

    def _stop(self) -> None:
        self.page.server.should_exit = True
        self.page.thread.join(WAITS_S)
        self.page.listening.close()

    def _join(self, chair: Chair, stack: ExitStack) -> None:
        """A phone comes in by the PIN, asks for a chair, and the table says yes."""
        ours = f"http://127.0.0.1:{self.page.port}"
        live = stack.enter_context(connect(f"ws{ours[4:]}/phone", origin=ours))  # type: ignore[arg-type]
        live.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # two small lines do not wait
        browser = self.browsers[chair] = Browser(chair, live)
        grain = self.phones[chair]._grain / 1e6
        browser.say(type="enter", pin=self.page.pins.pin, readings=[n * grain for n in range(9)])
        browser.say(type="ask", chair=chair)
        self._flushed(browser)
        self.held.receive_messages(self.session)
        assert self.held.grant_chair(chair)
        self._settle()

    # Everything that was sent has arrived -----------------------------------------------------------------

    def _flushed(self, *browsers: Browser) -> None:
        """All that these phones said is at the table, and all that was for them was heard."""
        for browser in browsers:
            browser.say(type="time", n=0, t0=0.0)
        for browser in browsers:
            for message in browser.hear("time"):
                self._shown(browser, message)
        self.relay.until(self.page.outbox.said)

    def _settle(self) -> None:
        """All that the table told is with the phones."""
        self.held.send_updates()
        if self.relay.told != self._arrived:
            self._arrived = self.relay.told
            self.page.has_heard(self.relay.told)
            self._flushed(*self.browsers.values())

    def _shown(self, browser: Browser, message: dict[str, Any]) -> None:
        """A message left the page for this phone's script; the proxy brings it there later."""
        match message["type"]:
            case "offer":
                arrives = self.now + self._way(browser.chair, 1)
                self._at(arrives, lambda: self._offered(browser, message))
            case "counted":
                self.verdicts[message["verdict"]] += 1
                if message["verdict"] != "taken":
                    self.people.plan_again()

    def _offered(self, browser: Browser, message: dict[str, Any]) -> None:
        if message["number"] > browser.offer["number"]:
            browser.offer = message

    # What scripts do --------------------------------------------------------------------------------------

    def _is_here(self, chair: Chair) -> Callable[[], None]:
        def here() -> None:
            phone = self.phones[chair]
            now = phone.shows(self.now) / 1e6
            message = {"type": "here", "now": now, "date": now, "seen": True}
            self._carried(chair, lambda browser: browser.say(**message))
            self._at(self.now + HERE, here)

        return here

    def _carried(self, chair: Chair, then: Callable[[Browser], None]) -> None:
        """A message on its way to the page, unless it is lost."""

        def arrived(_: int) -> None:
            browser = self.browsers[chair]
            then(browser)
            self._flushed(browser)

        self._send(chair, arrived)

    def _exchange(self, chair: Chair) -> None:
        phone, t0 = self.phones[chair], self.phones[chair].shows(self.now) / 1e6

        def arrived(browser: Browser) -> None:
            number = browser.asks(t0)
            for message in browser.hear("time"):
                self._shown(browser, message)
            self._at(self.now + self._way(chair, 1), lambda: answered(number))

        def answered(number: int) -> None:
            t3 = phone.shows(self.now) / 1e6
            self._carried(chair, lambda browser: browser.say(type="timed", n=number, t3=t3))

        self._carried(chair, arrived)

    def _pressed(self, chair: Chair, action: Action | None, at: Micros) -> None:
        """A finger on the button that says it, if that is shown."""
        browser, phone = self.browsers[chair], self.phones[chair]
        if browser.offer["number"] < 0:
            return
        message = {"type": "press", "offer": browser.offer["number"], "at": phone.shows(self.now) / 1e6}
        if action is not None:
            message["choice"] = self.people.offered(chair).index(action)
        self._carried(chair, lambda each: each.say(**message))
        self._exchange(chair)
        self._at(self.now + LATEST, lambda: self._flushed(browser))

    def _hand_on(self, phone: Phone) -> None:
        """The page does."""

    # Time -------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        self.clock.move_to(self.now)
        while self._due and self._due[0][0] <= self.now:
            heappop(self._due)[2]()
        self.held.receive_messages(self.session)
        self.people.advance(self.now)
        self._look()
        self.session.step()
        self._settle()
        cue = self.game.cue
        if cue != self._cue:
            self._cue = cue
            if cue is not None:
                self.game.post(ob.CueHeard(at=self.now + LEAD_IN, cue=cue.name, attempt=cue.attempt))
        self.people.plan_actions(self.now)


@contextmanager
def socket_table(game: str, *, seed: int, **more: Any) -> Iterator[SocketTable]:
    """A table of four phones; everything is closed afterwards."""
    with ExitStack() as stack:
        yield SocketTable(game, 4, seed=seed, stack=stack, **more)
