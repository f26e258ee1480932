"""One phone's live connection: what it says is bounded, stamped as it comes in, and handed to the table."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.core.clock import monotonic_ns
from companion.doors import messages as ms
from companion.games import languages
from companion.page import said
from companion.page.audience import Watcher
from companion.page.live import CLOSED_FULL, CLOSED_SLOW, CLOSED_WRONG, GONE, send, until_one_ends
from companion.page.players import Player, Players, encode
from companion.page.synchrony import Placed, Synchrony
from companion.phones.clock import Nanos
from companion.phones.flood import EXCHANGES_A_CHAIR, Bucket
from companion.ui.language import Language

ENTERS_WITHIN_S = 5.0
"""A phone that has opened a connection says by then who it is."""
MOST_SAID = 100
"""Messages of one phone in a second: its questions for the time, their answers and its presses are fewer."""
CLOSED_ANEW, CLOSED_LOUD = 4410, 4413
"""Why a connection was closed, as scripts read it: ask again by the PIN; it said too much."""
TRIES_AGAIN = frozenset({"full", "away", "closed"})
"""Why somebody is not let in now, and may be in a while."""


class Phones:
    """Serves every phone's connection."""

    def __init__(self, players: Players, now: Callable[[], Nanos] = monotonic_ns) -> None:
        """`now` is the kernel's monotonic clock, in nanoseconds, as the table's own."""
        self._players = players
        self._now = now
        self._codes = languages.codes()

    def routes(self) -> list[WebSocketRoute]:
        return [WebSocketRoute("/phone", self._serve)]

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            text = await asyncio.wait_for(socket.receive_text(), ENTERS_WITHIN_S)
            first = said.heard(text)
        except (TimeoutError, WebSocketDisconnect, msgspec.MsgspecError, RecursionError, KeyError):
            first = None
        if not isinstance(first, said.Enter):
            with suppress(*GONE):
                await socket.close(1008)
            return
        assert socket.client is not None
        code = first.lang if first.lang in self._codes else "en"
        player = self._players.enter(socket.client.host, first.pin, first.token, code)
        if isinstance(player, str):
            table = self._players.table(code, socket.headers.get("host", ""))
            await _refused(socket, player, code, table)
            return
        line = _Line(socket, player, self._players, Synchrony(first.readings), self._now)
        try:
            await until_one_ends(send(socket, player.watcher), line.listen(), player.watcher.slow.wait())
        finally:
            line.close()
            self._players.leave(player)
        await _said_goodbye(socket, player, code, loud=line.loud)


class _Line:
    """What one phone says, from its first message to its last."""

    def __init__(
        self,
        socket: WebSocket,
        player: Player,
        players: Players,
        synchrony: Synchrony,
        now: Callable[[], Nanos],
    ) -> None:
        self.loud = False
        """Whether it said too much."""
        self._socket = socket
        self._player = player
        self._players = players
        self._synchrony = synchrony
        self._now = now
        self._all = Bucket(MOST_SAID)
        self._times = Bucket(EXCHANGES_A_CHAIR)
        self._due: asyncio.TimerHandle | None = None
        self._fit = True

    async def listen(self) -> None:
        """Until the phone leaves, says what is no message, or too much."""
        while True:
            message = await self._socket.receive()
            arrival = self._now()
            if message["type"] == "websocket.disconnect":
                return
            if not self._all.lets(arrival):
                self.loud = True
                return
            try:
                self._take(said.heard(message.get("text") or b""), arrival)
            except (msgspec.MsgspecError, RecursionError):
                return

    def close(self) -> None:
        if self._due is not None:
            self._due.cancel()

    def _take(self, message: said.FromPhone, arrival: Nanos) -> None:
        player, players = self._player, self._players
        match message:
            case said.Time():
                if self._times.lets(arrival):
                    player.tell(type="time", n=message.n)
                    self._synchrony.asked(message, arrival, self._now())
            case said.Timed():
                self._synchrony.timed(message)
            case said.Here():
                self._here(message)
            case said.Anew():
                self._synchrony.anew(message)
            case said.Press():
                if players.lets_press(player, message, arrival):
                    self._synchrony.pressed(message, arrival)
            case said.Ask():
                players.say(player, ms.Ask(player.phone, message.chair))
            case said.Wonder():
                players.say(player, ms.Question(player.phone, message.about))
            case said.Leave():
                players.say(player, ms.Leave(player.phone))
                players.say(player, ms.Join(player.phone))
        self._hand_on()

    def _here(self, message: said.Here) -> None:
        self._synchrony.here(message)
        fit = self._synchrony.fit
        self._players.say(self._player, ms.Presence(self._player.phone, awake=message.seen, fit=fit))

    def _hand_on(self) -> None:
        """Presses whose time is known go to the table now; for those that have to wait there is a timer."""
        for one in self._synchrony.placed(self._now()):
            self._players.say(self._player, as_message(self._player.phone, one))
            if one.stamp.within is None:
                self._players.unplaced(self._player, one.press)
        if self._due is not None:
            self._due.cancel()
            self._due = None
        due = self._synchrony.next_due()
        if due is not None:
            wait = max(0.0, (due - self._now()) / 1e9)
            self._due = asyncio.get_running_loop().call_later(wait, self._hand_on)


def as_message(phone: str, placed: Placed) -> ms.Press | ms.Choose:
    """A press as it is sent to the table."""
    press, stamp = placed
    low, high = (0, 0) if stamp.within is None else stamp.within
    if press.choice is None:
        return ms.Press(phone, press.offer, stamp.arrival, low, high)
    return ms.Choose(phone, press.offer, press.choice, stamp.arrival, low, high)


async def _refused(socket: WebSocket, why: str, code: str, table: str) -> None:
    text = Language(code).tr(f"ui.page.no.{why}", table=table)
    with suppress(*GONE):
        await socket.send_bytes(encode({"type": "no", "why": why, "text": text}))
        await socket.close(CLOSED_FULL if why in TRIES_AGAIN else CLOSED_WRONG)


async def _said_goodbye(socket: WebSocket, player: Player, code: str, *, loud: bool) -> None:
    """Say why it ends, where it was the page that ended it."""
    ended = "loud" if loud else player.ended
    closed = CLOSED_LOUD if loud else CLOSED_ANEW if ended else CLOSED_SLOW
    with suppress(*GONE):
        for line in _left(player.watcher):
            await socket.send_bytes(line)
        if ended:
            text = Language(code).tr(f"ui.page.end.{ended}")
            await socket.send_bytes(encode({"type": "end", "why": ended, "text": text}))
        await socket.close(closed if player.watcher.slow.is_set() or loud else 1000)


def _left(watcher: Watcher) -> list[bytes]:
    """What still waited for it."""
    return [watcher.waiting.get_nowait() for _ in range(watcher.waiting.qsize())]
