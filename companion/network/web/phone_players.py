"""Phones that play: what their browsers send, their tokens, their chairs, and what each is told.

A token is 128 bits that one phone alone has. The table, and everything that is written anywhere, knows only
its digest. Which phone has which chair is the table's business: a page that was killed learns it from there.
The times of a message are of the browser's own clocks, in milliseconds.
"""

import math
import secrets
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec import Struct

from companion.core.actions import Chair
from companion.core.phone_clock import MS, Nanos
from companion.core.phone_rate_limit import PressLimiter
from companion.core.view import Sentence
from companion.language.language import Language
from companion.network import messages as ms
from companion.network.messages import QuestionTopic
from companion.network.web.audience import Audience, BrowserWatcher
from companion.network.web.guard import PagePin
from companion.network.web.table_link import TableSender
from companion.ui.toolkit.theme import load_design_tokens

MAX_CLOCK_READINGS = 64


class BrowserMessage(Struct, frozen=True, tag_field="type", tag=str.lower, forbid_unknown_fields=True):
    """The base of all: told apart by `type`, the lower-case name of its class."""


class BrowserEnter(BrowserMessage, frozen=True, tag="enter"):
    """The first message: the PIN of somebody new, or the token of somebody who comes back."""

    pin: str = ""
    token: str = ""
    lang: str = "en"
    readings: tuple[float, ...] = ()
    """`performance.now()` again and again: how coarse it is."""


class Heartbeat(BrowserMessage, frozen=True, tag="here"):
    """Each second, while the script runs."""

    now: float
    """`performance.now()`."""
    date: float
    """`Date.now()`."""
    seen: bool
    """Whether somebody can see the page."""


class ClockReset(BrowserMessage, frozen=True, tag="anew"):
    """The page was hidden, shown again, or slept: nothing asked before `now` says anything any more."""

    now: float


class TimeQuestion(BrowserMessage, frozen=True, tag="time"):
    """What time is it? `t0` is when it was asked."""

    n: int
    t0: float


class TimeReceipt(BrowserMessage, frozen=True, tag="timed"):
    """The answer to question `n` came at `t3`."""

    n: int
    t3: float


class BrowserChairRequest(BrowserMessage, frozen=True, tag="ask"):
    """May this phone have that chair? `name`: what its player wants to be called at the table."""

    chair: Chair
    name: str = ""


class BrowserPress(BrowserMessage, frozen=True, tag="press"):
    """A finger touched a button; `choice`: which, where the offer has several."""

    offer: int
    at: float
    choice: int | None = None


class BrowserQuestion(BrowserMessage, frozen=True, tag="wonder"):
    """Why? or: what may I do?"""

    about: QuestionTopic


class BrowserLeave(BrowserMessage, frozen=True, tag="leave"):
    """The chair is given back."""


FromPhone = (
    BrowserEnter
    | Heartbeat
    | ClockReset
    | TimeQuestion
    | TimeReceipt
    | BrowserChairRequest
    | BrowserPress
    | BrowserQuestion
    | BrowserLeave
)
_from_phone: msgspec.json.Decoder[FromPhone] = msgspec.json.Decoder(FromPhone)


def decode_browser_message(text: str | bytes) -> FromPhone:
    """What a script said; `msgspec.MsgspecError` or `RecursionError` where it is none of the list."""
    return _from_phone.decode(text)


def to_nanoseconds(milliseconds: float) -> Nanos:
    """A script's instant as whole nanoseconds; one that is no number or out of all bounds is 0."""
    return round(milliseconds * MS) if math.isfinite(milliseconds) and abs(milliseconds) < 1e13 else 0


MAX_PLAYERS = 16
"""Phones that play at a time: twice as many as there are chairs, for those that ask."""
TOKEN_BYTES = 16
SLOW_LINK_US = 30_000
"""A press that counts so much later than it was made is worth a word."""
PROBLEM_BY_REASON: Mapping[str, ms.BrowserProblemKind] = {
    "wrong": "stranger",
    "gone": "stranger",
    "closed": "knock",
    "full": "crowd",
}
"""The remark to the table about a phone that does not come in, by the word for it on the phone."""
encode = msgspec.json.encode


def phone_id(token: str) -> str:
    """The name by which the table knows the phone with this token; empty where that is none."""
    try:
        known = bytes.fromhex(token)
    except ValueError:
        return ""
    return blake2b(known, digest_size=16).hexdigest() if len(known) == TOKEN_BYTES else ""


class PhonePlayer:
    """One connection of a phone that came in."""

    def __init__(self, phone: str, watcher: BrowserWatcher) -> None:
        self.phone = phone
        self.watcher = watcher
        self.ended = ""
        """Why it is let go: a word of `ui.page.end`."""

    def notify(self, **message: Any) -> None:
        """Have its script told; one that reads too slowly is let go, as every watcher."""
        self.watcher.queue_line(encode(message))

    def disconnect(self, why: str) -> None:
        self.ended = why
        self.watcher.slow.set()


class PhonePlayers:
    """All phones that play at the one table."""

    def __init__(self, audience: Audience, pins: PagePin, outbox: TableSender) -> None:
        self._audience = audience
        self._pins = pins
        self._outbox = outbox
        self._players: dict[str, PhonePlayer] = {}
        """The connections by the name of their phone."""
        self._known: set[str] = set()
        """Who came in by a PIN since the table was opened."""
        self._holders = ms.ChairHolders()
        self._offers: dict[Chair, ms.ChairOffer] = {}
        self._flood = PressLimiter()
        self._run = ""
        self._was_closed = False
        """Whether the table was heard to be closed: a PIN from then opens nothing once it is open."""
        self.on_pin_renewed: Callable[[], None] = lambda: None
        """Called when the PIN changed."""

    # Coming and going -------------------------------------------------------------------------------------

    def enter(self, address: str, pin: str, token: str, code: str) -> PhonePlayer | str:
        """Somebody's connection from now on, or why not: a word of `ui.page.no`."""
        found = self._try_enter(address, pin, token, code)
        if isinstance(found, str) and found in PROBLEM_BY_REASON:
            self._audience.remarks.report(PROBLEM_BY_REASON[found])
        return found

    def _try_enter(self, address: str, pin: str, token: str, code: str) -> PhonePlayer | str:
        if not self._holders.seats:  # the table has not said yet who holds what
            return "away"
        if token:
            phone = phone_id(token)
            if phone not in self._known and not self._is_known_there(phone):
                return "gone"
        else:
            if not self._holders.is_open:
                return "closed"
            if why := self._pins.pin_refusal(address, pin):
                return why
            token = secrets.token_hex(TOKEN_BYTES)
            phone = phone_id(token)
        if len(self._players) >= MAX_PLAYERS and phone not in self._players:
            return "full"
        if phone in self._players:
            self._players[phone].disconnect("elsewhere")
        self._known.add(phone)
        player = self._players[phone] = PhonePlayer(phone, self._audience.add_watcher(code, address))
        self._outbox.send(ms.PhoneJoined(phone))
        player.notify(type="you", token=token)
        self._tell_chairs(player)
        self._tell_offer(player)
        return player

    def remove_connection(self, player: PhonePlayer) -> None:
        """Its connection ended; the chair stays with the phone."""
        self._audience.remove_watcher(player.watcher)
        if self._players.get(player.phone) is player:
            del self._players[player.phone]
            self._outbox.send(ms.PhonePresence(player.phone, awake=False))

    def _is_known_there(self, phone: str) -> bool:
        return bool(phone) and any(phone in {seat.holder, seat.asker} for seat in self._holders.seats)

    def chair_of(self, player: PhonePlayer) -> Chair | None:
        """The chair this phone holds."""
        return next((seat.chair for seat in self._holders.seats if seat.holder == player.phone), None)

    def table_name(self, code: str, host: str) -> str:
        """What the table is called, to a browser that found it at `host`."""
        return self._audience.table_name(code, host)

    # What phones do ---------------------------------------------------------------------------------------

    def admit_press(self, player: PhonePlayer, press: BrowserPress, now: Nanos) -> bool:
        """Whether a press is passed on; the table looks again at each that is."""
        chair = self.chair_of(player)
        if chair is None:
            self._on_refused(player, "no_chair")
            return False
        if self._flood.admit_press(chair, now):
            return True
        dropped = self._flood.dropped_count(chair)
        self._on_press_result(player, ms.PressResult(player.phone, press.offer, "dropped", dropped=dropped))
        return False

    def report_unplaced(self, player: PhonePlayer, press: BrowserPress) -> None:
        """When this was pressed is unknown: where that matters, its phone says so."""
        offer = self._offers.get(-1 if (chair := self.chair_of(player)) is None else chair)
        if offer is not None and offer.fact:
            text = self._words(player).tr("ui.late.arrival")
            player.notify(type="counted", offer=press.offer, verdict="taken", text=text)

    def send_to_table(self, player: PhonePlayer, message: ms.ToTable) -> None:
        """Send to the table; if it does not answer, its phone says so."""
        if not self._outbox.send(message):
            player.notify(type="away")

    # What the table says ----------------------------------------------------------------------------------

    def handle_message(self, message: ms.FromTable | None) -> None:
        """Something of the table, for the phones it concerns; None: it went away."""
        match message:
            case None:
                self._holders, self._offers = ms.ChairHolders(), {}
            case ms.TableHello():
                self._on_table_run(message.run)
            case ms.ChairHolders():
                self._update_chairs(message)
            case ms.ChairOffers():
                self._offers = {offer.chair: offer for offer in message.offers}
                for player in self._players.values():
                    self._tell_offer(player)
            case ms.RequestRefused(phone=phone) if phone in self._players:
                self._on_refused(self._players[phone], message.why)
            case ms.PressResult(phone=phone) if phone in self._players:
                self._on_press_result(self._players[phone], message)
            case ms.QuestionAnswer(phone=phone) if phone in self._players:
                player = self._players[phone]
                words = self._words(player)
                lines = [words.text(line) for line in message.lines]
                player.notify(type="answer", about=message.about, lines=lines)

    def _on_table_run(self, run: str) -> None:
        """Another run of the table knows none of these phones."""
        if self._run and run != self._run:
            self._known.clear()
            for player in tuple(self._players.values()):
                player.disconnect("restarted")
        self._run = run
        self.on_pin_renewed()

    def _update_chairs(self, held: ms.ChairHolders) -> None:
        self._holders = held
        if held.is_open and self._was_closed:
            self._pins.renew()
            self.on_pin_renewed()
        self._was_closed = not held.is_open
        for seat in held.seats:
            if seat.holder:
                self._flood.add_chair(seat.chair)
            else:
                self._flood.remove_chair(seat.chair)
        for player in self._players.values():
            self._tell_chairs(player)
            self._tell_offer(player)

    def _on_refused(self, player: PhonePlayer, why: str) -> None:
        player.notify(type="refused", why=why, text=self._words(player).tr(f"ui.page.why.{why}"))
        if why == "closed":
            self._known.discard(player.phone)
            player.disconnect("closed")

    def _on_press_result(self, player: PhonePlayer, message: ms.PressResult) -> None:
        words = self._words(player)
        text = ""
        if message.verdict != "taken":
            text = words.tr(f"ui.page.verdict.{message.verdict}")
        elif message.late_us >= SLOW_LINK_US:
            text = words.tr("ui.late.phone", ms=round(message.late_us / 1000))
        player.notify(type="counted", offer=message.offer, verdict=message.verdict, text=text)

    # What a phone hears -----------------------------------------------------------------------------------

    def _tell_chairs(self, player: PhonePlayer) -> None:
        words = self._words(player)
        shapes = {seat.name: seat.shape for seat in load_design_tokens().seats}
        player.notify(
            type="chairs",
            open=self._holders.is_open,
            use=self._holders.use,
            use_said=words.tr(f"ui.page.use.{self._holders.use}"),
            mine=self.chair_of(player),
            asked=next((seat.chair for seat in self._holders.seats if seat.asker == player.phone), None),
            fit=all(seat.fit for seat in self._holders.seats if seat.holder == player.phone),
            chairs=[
                {
                    "chair": seat.chair,
                    "name": words.chair_name(seat.chair),
                    "colour": seat.colour,
                    "shape": shapes[seat.colour],
                    "free": not seat.holder and seat.asker in {"", player.phone},
                }
                for seat in self._holders.seats
            ],
        )

    def _tell_offer(self, player: PhonePlayer) -> None:
        chair = self.chair_of(player)
        offer = None if chair is None else self._offers.get(chair)
        if offer is None:
            player.notify(type="offer", number=-1, options=[], fact=False)
            return
        words, art = self._words(player), self._audience.art
        options = [words.text(option) for option in offer.options]
        pictures = [f"/art/{name}" if name in art else "" for name in offer.pictures]
        firsts = ["" if first is None else words.text(first) for first in offer.firsts]
        numbers = ["" if first is None else _only_number(first) for first in offer.firsts]
        chairs = [_other_chair(option, chair) for option in offer.options]
        more: dict[str, list[Any]] = {
            "firsts": firsts,
            "numbers": numbers,
            "chairs": chairs if any(one is not None for one in chairs) else [],
            "extras": [words.text(extra) for extra in offer.extras],
        }
        more = {name: found for name, found in more.items() if found}
        player.notify(
            type="offer", number=offer.number, options=options, pictures=pictures, fact=offer.fact, **more
        )

    def _words(self, player: PhonePlayer) -> Language:
        return self._audience.language_for(player.watcher.code)


def _only_number(sentence: Sentence) -> str:
    """What is as good as the whole sentence on a key: the only number it names; empty where it is none."""
    named = [value for _, value in sentence.parts]
    return str(named[0]) if len(named) == 1 and isinstance(named[0], int) else ""


def _other_chair(option: Sentence, own: Chair | None) -> Chair | None:
    """The one whom a choice names, if that is somebody else: its key shows the sign."""
    named = dict(option.parts).get("chair")
    return named if isinstance(named, int) and named != own else None
