"""WebSocket connection of one phone: bounded, stamped on arrival, passed to the table."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.core.clock import monotonic_ns
from companion.core.phone_clock import (
    MAX_WAIT,
    MS,
    ClockExchange,
    Nanos,
    PendingPresses,
    PhoneClock,
    PressStamp,
    clock_grain,
)
from companion.core.phone_rate_limit import MAX_CHAIR_EXCHANGES, TokenBucket
from companion.language import installed_languages
from companion.language.language import Language
from companion.network import messages as ms
from companion.network.web.audience import (
    CLOSED_FULL,
    CLOSED_SLOW,
    CLOSED_WRONG,
    DISCONNECT_ERRORS,
    BrowserWatcher,
    run_until_first_ends,
    send_line,
    send_queued,
)
from companion.network.web.phone_players import (
    MAX_CLOCK_READINGS,
    BrowserChairRequest,
    BrowserEnter,
    BrowserLeave,
    BrowserPress,
    BrowserQuestion,
    ClockReset,
    FromPhone,
    Heartbeat,
    PhonePlayer,
    PhonePlayers,
    TimeQuestion,
    TimeReceipt,
    decode_browser_message,
    encode,
    to_nanoseconds,
)

MAX_CLOCK_GRAIN: Nanos = 100 * MS
"""The grain of a clock that was never seen to move."""
MAX_PENDING_QUESTIONS = 8
"""Questions for the time whose answer may still come back."""
UNFIT_SECONDS = 3
"""Seconds in a row in which a phone's clock was not known finely enough before it says so."""


class PlacedPress(NamedTuple):
    """A press, and what is known of when it happened."""

    press: BrowserPress
    stamp: PressStamp


class ClockSync:
    """What one connection of a phone proves about its clock."""

    def __init__(self, readings: Sequence[float]) -> None:
        """`readings` of its clock, one after the other."""
        grain = clock_grain(to_nanoseconds(one) for one in readings[:MAX_CLOCK_READINGS])
        self._clock = PhoneClock(min(grain, MAX_CLOCK_GRAIN) or MAX_CLOCK_GRAIN)
        self._waiting = PendingPresses(self._clock)
        self._questions: dict[int, tuple[Nanos, Nanos, Nanos]] = {}
        """Number of a question → when it was asked by the phone, came and was answered by the table."""
        self._unfit = 0

    @property
    def fit(self) -> bool:
        """Whether its presses can be placed finely enough for races."""
        return self._unfit < UNFIT_SECONDS and not self._clock.is_contradictory

    def on_heartbeat(self, said: Heartbeat) -> None:
        """What its two clocks show now."""
        now = to_nanoseconds(said.now)
        self._clock.note_clock_reading(now, to_nanoseconds(said.date))
        self._unfit = 0 if self._clock.is_fit_for_races(now) else self._unfit + said.seen

    def on_clock_reset(self, said: ClockReset) -> None:
        self._clock.discard_exchanges(to_nanoseconds(said.now))

    def on_time_question(self, said: TimeQuestion, came: Nanos, answered: Nanos) -> None:
        """A question for the time came, and was answered."""
        self._questions[said.n] = to_nanoseconds(said.t0), came, answered
        while len(self._questions) > MAX_PENDING_QUESTIONS:
            del self._questions[next(iter(self._questions))]

    def on_time_receipt(self, said: TimeReceipt) -> None:
        """It says when the answer came."""
        known = self._questions.pop(said.n, None)
        if known is not None:
            t0, t1, t2 = known
            self._clock.add_exchange(ClockExchange(t0, t1, t2, to_nanoseconds(said.t3)))

    def add_press(self, said: BrowserPress, arrival: Nanos) -> None:
        self._waiting.add_press(to_nanoseconds(said.at), arrival, said)

    def take_placed(self, now: Nanos) -> list[PlacedPress]:
        """The presses whose instant is certain, or that cannot wait any longer."""
        return [PlacedPress(press, stamp) for press, stamp in self._waiting.take_stamped(now)]

    def next_due(self) -> Nanos | None:
        """When `take_placed` has something to give, if nothing is heard before."""
        return self._waiting.next_due()


ENTER_TIMEOUT_S = 5.0
"""A phone that has opened a connection says by then who it is."""
SILENCE_LIMIT: Nanos = 6_000 * MS
"""A phone's script speaks four times a second; one that says nothing for so long is gone, or asleep."""
MAX_MESSAGES_PER_SECOND = 100
"""Messages of one phone in a second: its questions for the time, their answers and its presses are fewer."""
CLOSED_REENTER, CLOSED_FLOOD = 4410, 4413
"""Why a connection was closed, as scripts read it: ask again by the PIN; it said too much."""
RETRY_REASONS = frozenset({"full", "away", "closed"})
"""Why somebody is not let in now, and may be in a while."""


class PhoneRoutes:
    """Serves every phone's connection."""

    def __init__(self, players: PhonePlayers, now: Callable[[], Nanos] = monotonic_ns) -> None:
        """`now` is the kernel's monotonic clock, in nanoseconds, as the table's own."""
        self._players = players
        self._now = now
        self._codes = installed_languages.language_codes()

    def routes(self) -> list[WebSocketRoute]:
        return [WebSocketRoute("/phone", self._serve)]

    async def _serve(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            text = await asyncio.wait_for(socket.receive_text(), ENTER_TIMEOUT_S)
            first = decode_browser_message(text)
        except (TimeoutError, WebSocketDisconnect, msgspec.MsgspecError, RecursionError, KeyError):
            first = None
        if not isinstance(first, BrowserEnter):
            with suppress(*DISCONNECT_ERRORS):
                await socket.close(1008)
            return
        assert socket.client is not None
        code = first.lang if first.lang in self._codes else "en"
        player = self._players.enter(socket.client.host, first.pin, first.token, code)
        if isinstance(player, str):
            table = self._players.table_name(code, socket.headers.get("host", ""))
            await _send_refusal(socket, player, code, table)
            return
        connection = PhoneConnection(socket, player, self._players, ClockSync(first.readings), self._now)
        try:
            await run_until_first_ends(
                send_queued(socket, player.watcher),
                connection.listen(),
                connection.wait_for_silence(),
                player.watcher.slow.wait(),
            )
        finally:
            connection.close()
            self._players.remove_connection(player)
        await _send_goodbye(socket, player, code, loud=connection.is_flooding)


class PhoneConnection:
    """What one phone says, from its first message to its last."""

    def __init__(
        self,
        socket: WebSocket,
        player: PhonePlayer,
        players: PhonePlayers,
        clock_sync: ClockSync,
        now: Callable[[], Nanos],
    ) -> None:
        self.is_flooding = False
        """Whether it said too much."""
        self._socket = socket
        self._player = player
        self._players = players
        self._clock_sync = clock_sync
        self._now = now
        self._all = TokenBucket(MAX_MESSAGES_PER_SECOND)
        self._times = TokenBucket(MAX_CHAIR_EXCHANGES)
        self._due: asyncio.TimerHandle | None = None
        self._last_heard = now()

    async def listen(self) -> None:
        """Until the phone leaves, says what is no message, or too much."""
        while True:
            message = await self._socket.receive()
            arrival = self._last_heard = self._now()
            if message["type"] == "websocket.disconnect":
                return
            if not self._all.try_take(arrival):
                self.is_flooding = True
                return
            try:
                self._handle(decode_browser_message(message.get("text") or b""), arrival)
            except (msgspec.MsgspecError, RecursionError):
                return

    async def wait_for_silence(self) -> None:
        """Until the phone has said nothing for `SILENCE_LIMIT`; its chair stays its own."""
        while (left := self._last_heard + SILENCE_LIMIT - self._now()) > 0:
            await asyncio.sleep(left / 1e9)

    def close(self) -> None:
        """What is not placed yet never will be: it counts from its arrival."""
        if self._due is not None:
            self._due.cancel()
        self._send_placed_by(self._now() + MAX_WAIT)

    def _handle(self, message: FromPhone, arrival: Nanos) -> None:
        player, players = self._player, self._players
        match message:
            case TimeQuestion():
                if self._times.try_take(arrival):
                    player.notify(type="time", n=message.n)
                    self._clock_sync.on_time_question(message, arrival, self._now())
            case TimeReceipt():
                self._clock_sync.on_time_receipt(message)
            case Heartbeat():
                self._on_heartbeat(message)
            case ClockReset():
                self._clock_sync.on_clock_reset(message)
            case BrowserPress():
                if players.admit_press(player, message, arrival):
                    self._clock_sync.add_press(message, arrival)
            case BrowserChairRequest():
                players.send_to_table(player, ms.ChairRequest(player.phone, message.chair, message.name))
            case BrowserQuestion():
                players.send_to_table(player, ms.PhoneQuestion(player.phone, message.about))
            case BrowserLeave():
                # The chair is given up, but the page stays open and may ask for another.
                players.send_to_table(player, ms.PhoneLeft(player.phone))
                players.send_to_table(player, ms.PhoneJoined(player.phone))
        self._send_placed()

    def _on_heartbeat(self, message: Heartbeat) -> None:
        self._clock_sync.on_heartbeat(message)
        fit = self._clock_sync.fit
        self._players.send_to_table(
            self._player, ms.PhonePresence(self._player.phone, awake=message.seen, fit=fit)
        )

    def _send_placed(self) -> None:
        """Presses whose time is known go to the table now; for those that have to wait there is a timer."""
        self._send_placed_by(self._now())
        if self._due is not None:
            self._due.cancel()
            self._due = None
        due = self._clock_sync.next_due()
        if due is not None:
            wait = max(0.0, (due - self._now()) / 1e9)
            self._due = asyncio.get_running_loop().call_later(wait, self._send_placed)

    def _send_placed_by(self, now: Nanos) -> None:
        for one in self._clock_sync.take_placed(now):
            self._players.send_to_table(self._player, press_message(self._player.phone, one))
            if one.stamp.within is None:
                self._players.report_unplaced(self._player, one.press)


def press_message(phone: str, placed: PlacedPress) -> ms.PhonePress | ms.PhoneChoice:
    """A press as it is sent to the table."""
    press, stamp = placed
    low, high = (0, 0) if stamp.within is None else stamp.within
    if press.choice is None:
        return ms.PhonePress(phone, press.offer, stamp.arrival, low, high)
    return ms.PhoneChoice(phone, press.offer, press.choice, stamp.arrival, low, high)


async def _send_refusal(socket: WebSocket, why: str, code: str, table: str) -> None:
    text = Language(code).tr(f"ui.page.no.{why}", table=table)
    with suppress(*DISCONNECT_ERRORS):
        await send_line(socket, encode({"type": "no", "why": why, "text": text}))
        await socket.close(CLOSED_FULL if why in RETRY_REASONS else CLOSED_WRONG)


async def _send_goodbye(socket: WebSocket, player: PhonePlayer, code: str, *, loud: bool) -> None:
    """Say why it ends, where it was the page that ended it."""
    ended = "loud" if loud else player.ended
    closed = CLOSED_FLOOD if loud else CLOSED_REENTER if ended else CLOSED_SLOW
    with suppress(*DISCONNECT_ERRORS):
        for line in _take_queued(player.watcher):
            await send_line(socket, line)
        if ended:
            text = Language(code).tr(f"ui.page.end.{ended}")
            await send_line(socket, encode({"type": "end", "why": ended, "text": text}))
        await socket.close(closed if player.watcher.slow.is_set() or loud else 1000)


def _take_queued(watcher: BrowserWatcher) -> list[bytes]:
    """What still waited for it."""
    return [watcher.waiting.get_nowait() for _ in range(watcher.waiting.qsize())]
