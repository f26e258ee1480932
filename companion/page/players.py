"""The phones that play: who came in, by which token, which chair the table gave them, what each hears.

A token is 128 bits that one phone alone has. The table, and everything that is written anywhere, knows its
digest only. Which phone holds what is the table's business: a page that was killed learns it from there.
"""

import secrets
from collections.abc import Callable, Mapping
from hashlib import blake2b
from typing import Any

import msgspec

from companion.core.actions import Chair
from companion.doors import messages as ms
from companion.page.audience import Audience, Watcher
from companion.page.guard import Pins
from companion.page.link import Outbox
from companion.page.said import Press
from companion.phones.clock import Nanos
from companion.phones.flood import Flood
from companion.ui.language import Language
from companion.ui.tokens import tokens

MOST_PLAYERS = 16
"""Phones that play at a time: twice as many as there are chairs, for those that ask."""
TOKEN_BYTES = 16
SLOW_US = 30_000
"""A press that counts so much later than it was made is worth a word."""
REMARKS: Mapping[str, ms.Remark] = {
    "wrong": "stranger",
    "gone": "stranger",
    "closed": "knock",
    "full": "crowd",
}
"""The remark to the table about a phone that does not come in, by the word for it on the phone."""
encode = msgspec.json.encode


def digest(token: str) -> str:
    """The name by which the table knows the phone with this token; empty where that is none."""
    try:
        known = bytes.fromhex(token)
    except ValueError:
        return ""
    return blake2b(known, digest_size=16).hexdigest() if len(known) == TOKEN_BYTES else ""


class Player:
    """One connection of a phone that came in."""

    def __init__(self, phone: str, watcher: Watcher) -> None:
        self.phone = phone
        self.watcher = watcher
        self.ended = ""
        """Why it is let go: a word of `ui.page.end`."""

    def tell(self, **message: Any) -> None:
        """Have its script told; one that reads too slowly is let go, as every watcher."""
        self.watcher.tell(encode(message))

    def let_go(self, why: str) -> None:
        self.ended = why
        self.watcher.slow.set()


class Players:
    """All phones that play at the one table."""

    def __init__(self, audience: Audience, pins: Pins, outbox: Outbox) -> None:
        self._audience = audience
        self._pins = pins
        self._outbox = outbox
        self._players: dict[str, Player] = {}
        """The connections by the name of their phone."""
        self._known: set[str] = set()
        """Who came in by a PIN since the table was opened."""
        self._held = ms.Held()
        self._offers: dict[Chair, ms.Offer] = {}
        self._flood = Flood()
        self._run = ""
        self._was_closed = False
        """Whether the table was heard to be closed: a PIN from then opens nothing once it is open."""
        self.renewed: Callable[[], None] = lambda: None
        """Called when the PIN changed."""

    # Coming and going -------------------------------------------------------------------------------------

    def enter(self, address: str, pin: str, token: str, code: str) -> Player | str:
        """Somebody's connection from now on, or why not: a word of `ui.page.no`."""
        found = self._entered(address, pin, token, code)
        if isinstance(found, str) and found in REMARKS:
            self._audience.remarks.note(REMARKS[found])
        return found

    def _entered(self, address: str, pin: str, token: str, code: str) -> Player | str:
        if not self._held.seats:  # the table has not said yet who holds what
            return "away"
        if token:
            phone = digest(token)
            if phone not in self._known and not self._is_known_there(phone):
                return "gone"
        else:
            if not self._held.is_open:
                return "closed"
            if (why := self._pins.tried(address, pin)) != "":
                return why
            token = secrets.token_hex(TOKEN_BYTES)
            phone = digest(token)
        if len(self._players) >= MOST_PLAYERS and phone not in self._players:
            return "full"
        if phone in self._players:
            self._players[phone].let_go("elsewhere")
        self._known.add(phone)
        player = self._players[phone] = Player(phone, self._audience.come(code, address))
        self._outbox.say(ms.Join(phone))
        player.tell(type="you", token=token)
        self._tell_chairs(player)
        self._tell_offer(player)
        return player

    def leave(self, player: Player) -> None:
        """Its connection ended; the chair stays with the phone."""
        self._audience.leave(player.watcher)
        if self._players.get(player.phone) is player:
            del self._players[player.phone]
            self._outbox.say(ms.Presence(player.phone, awake=False))

    def _is_known_there(self, phone: str) -> bool:
        return bool(phone) and any(phone in {seat.holder, seat.asker} for seat in self._held.seats)

    def chair_of(self, player: Player) -> Chair | None:
        """The chair this phone holds."""
        return next((seat.chair for seat in self._held.seats if seat.holder == player.phone), None)

    def table(self, code: str, host: str) -> str:
        """What the table is called, to a browser that found it at `host`."""
        return self._audience.called(code, host)

    # What phones do ---------------------------------------------------------------------------------------

    def lets_press(self, player: Player, press: Press, now: Nanos) -> bool:
        """Whether a press is passed on; the table looks again at each that is."""
        chair = self.chair_of(player)
        if chair is None:
            self._refused(player, "no_chair")
            return False
        if self._flood.lets_press(chair, now):
            return True
        dropped = self._flood.dropped(chair)
        self._counted(player, ms.Counted(player.phone, press.offer, "dropped", dropped=dropped))
        return False

    def unplaced(self, player: Player, press: Press) -> None:
        """When this was pressed is unknown: where that matters, its phone says so."""
        offer = self._offers.get(-1 if (chair := self.chair_of(player)) is None else chair)
        if offer is not None and offer.fact:
            text = self._words(player).tr("ui.late.arrival")
            player.tell(type="counted", offer=press.offer, verdict="taken", text=text)

    def say(self, player: Player, message: ms.ToTable) -> None:
        """Send to the table; if it does not answer, its phone says so."""
        if not self._outbox.say(message):
            player.tell(type="away")

    # What the table says ----------------------------------------------------------------------------------

    def heard(self, message: ms.FromTable | None) -> None:
        """Something of the table, for the phones it concerns; None: it went away."""
        match message:
            case None:
                self._held, self._offers = ms.Held(), {}
            case ms.Hello():
                self._began(message.run)
            case ms.Held():
                self._seats(message)
            case ms.Offers():
                self._offers = {offer.chair: offer for offer in message.offers}
                for player in self._players.values():
                    self._tell_offer(player)
            case ms.Refused(phone=phone) if phone in self._players:
                self._refused(self._players[phone], message.why)
            case ms.Counted(phone=phone) if phone in self._players:
                self._counted(self._players[phone], message)
            case ms.Answered(phone=phone) if phone in self._players:
                player = self._players[phone]
                words = self._words(player)
                lines = [words.text(line) for line in message.lines]
                player.tell(type="answer", about=message.about, lines=lines)

    def _began(self, run: str) -> None:
        """Another run of the table knows none of these phones."""
        if self._run and run != self._run:
            self._known.clear()
            for player in tuple(self._players.values()):
                player.let_go("restarted")
        self._run = run
        self.renewed()

    def _seats(self, held: ms.Held) -> None:
        self._held = held
        if held.is_open and self._was_closed:
            self._pins.renew()
            self.renewed()
        self._was_closed = not held.is_open
        for seat in held.seats:
            if seat.holder:
                self._flood.granted(seat.chair)
            else:
                self._flood.taken_back(seat.chair)
        for player in self._players.values():
            self._tell_chairs(player)
            self._tell_offer(player)

    def _refused(self, player: Player, why: str) -> None:
        player.tell(type="refused", why=why, text=self._words(player).tr(f"ui.page.why.{why}"))
        if why == "closed":
            self._known.discard(player.phone)
            player.let_go("closed")

    def _counted(self, player: Player, message: ms.Counted) -> None:
        words = self._words(player)
        text = ""
        if message.verdict != "taken":
            text = words.tr(f"ui.page.verdict.{message.verdict}")
        elif message.late_us >= SLOW_US:
            text = words.tr("ui.late.phone", ms=round(message.late_us / 1000))
        player.tell(type="counted", offer=message.offer, verdict=message.verdict, text=text)

    # What a phone hears -----------------------------------------------------------------------------------

    def _tell_chairs(self, player: Player) -> None:
        words = self._words(player)
        shapes = {seat.name: seat.shape for seat in tokens().seats}
        player.tell(
            type="chairs",
            open=self._held.is_open,
            mine=self.chair_of(player),
            asked=next((seat.chair for seat in self._held.seats if seat.asker == player.phone), None),
            fit=all(seat.fit for seat in self._held.seats if seat.holder == player.phone),
            chairs=[
                {
                    "chair": seat.chair,
                    "name": words.chair(seat.chair),
                    "colour": seat.colour,
                    "shape": shapes[seat.colour],
                    "free": not seat.holder and seat.asker in {"", player.phone},
                }
                for seat in self._held.seats
            ],
        )

    def _tell_offer(self, player: Player) -> None:
        chair = self.chair_of(player)
        offer = None if chair is None else self._offers.get(chair)
        if offer is None:
            player.tell(type="offer", number=-1, options=[], fact=False)
            return
        words = self._words(player)
        options = [words.text(option) for option in offer.options]
        player.tell(type="offer", number=offer.number, options=options, fact=offer.fact)

    def _words(self, player: Player) -> Language:
        return self._audience.words(player.watcher.code)
