"""Assigns chairs to phones; passes their presses to the game.

A phone asks, somebody at the table says yes (`grant_chair`); nothing else gives it a chair. Everything here
runs in the table's thread; what phones said waits in the outlet's queue until `receive_messages`.
"""

import logging
from collections import deque
from collections.abc import Callable
from ipaddress import AddressValueError, IPv4Address
from queue import SimpleQueue
from typing import Protocol

from msgspec import Struct

from companion.core.actions import Chair, Options
from companion.core.clock import Clock
from companion.core.phone_clock import MS, Nanos, TimeInterval, stamp_press
from companion.core.view import Sentence
from companion.network import messages as ms
from companion.network.messages import PhoneUse, QuestionTopic
from companion.referee.phone_chairs import PhoneAnswer
from companion.system.fault_isolation import drain_queue
from companion.table.history import allowed_actions
from companion.table.session import Session
from companion.ui.board.setup_overlays import MAX_NAME_LENGTH
from companion.ui.frame import PhoneSeat, PhoneTable


def answer_phone_question(session: Session, chair: Chair, about: QuestionTopic) -> tuple[Sentence, ...]:
    """Why the last ruling fell, or what this chair may do; nothing where a game that is over could go on."""
    referee = session.game.referee
    if about == "may":
        listed = allowed_actions(referee.rules, referee.state)
        return next((one.choices for one in listed if one.chair == chair), ())
    if not session.history.is_log_safe:
        return ()
    line = next((one for one in reversed(session.history.recent_lines()) if one.why), None)
    return () if line is None else (line.sentence, Sentence(f"{referee.rules.name}.why.{line.why}"))


log = logging.getLogger(__name__)

SLEEP_AFTER: Nanos = 2_500 * MS
"""A phone that says nothing for so long sleeps."""
MAX_PHONES = 16
"""Phones that have joined and hold no chair yet; the oldest makes room."""
MAX_QUESTIONS = 8
"""Questions that wait to be answered; one a round is."""
MAX_QR_MODULES = 61
"""Modules of a QR code's side: more no address needs."""


def find_phone_use(options: Options, chairs: frozenset[Chair]) -> PhoneUse:
    """What phones can do on the `chairs` of a game under these house rules."""
    if not options.chairs_allowed_phones(chairs, chairs, chairs):
        return "none"
    one = frozenset({min(chairs)})
    return "each" if options.chairs_allowed_phones(chairs, one, one) else "all"


def clean_name(name: str) -> str:
    """A name as a browser sent it, fit for the table's screen."""
    printable = "".join(letter if letter.isprintable() else " " for letter in name)
    return " ".join(printable.split())[:MAX_NAME_LENGTH].strip()


class PhoneChannel(Protocol):
    """Both ways of the door; `companion.network.table_server.TableServer`."""

    @property
    def has_readers(self) -> bool: ...
    @property
    def connection_count(self) -> int: ...

    incoming: SimpleQueue[ms.ToTable | None]

    def broadcast(self, message: ms.FromTable) -> None: ...


class _Phone(Struct):
    """One phone that knew the PIN."""

    heard: Nanos
    """When its page was last heard to be seen."""
    awake: bool = True
    fit: bool = True
    name: str = ""
    """What its player wants to be called."""


class TablePhones:
    """Which phone has which chair; closed until somebody at the table opens it."""

    def __init__(
        self,
        outlet: PhoneChannel,
        clock: Clock,
        colours: tuple[str, ...],
        name: str = "",
        *,
        simulated: bool = False,
    ) -> None:
        """`colours` are those of the table's chairs, chair 1 first; `name`: what phones call the table.

        `simulated`: chairs that no phone holds are played by simulated people, who count as players by phone.
        """
        self._name = name
        self._simulated = simulated
        self._outlet = outlet
        self._clock = clock
        self._colours = colours
        self._phones: dict[str, _Phone] = {}
        """Every phone that has joined."""
        self._holders: dict[Chair, str] = {}
        self._asks: dict[Chair, str] = {}
        self.owner: Callable[[], str] = str
        """The owner's PIN now; none where the owner's pages are not to be had."""
        self.remarked: set[ms.BrowserProblemKind] = set()
        """What the page said of browsers since phones were let in."""
        self.page_trouble: Sentence | None = None
        """Why there is no page."""
        self.firewall_remedy = ""
        """As in `PhoneTable`."""
        self._is_open = False
        self._serving: ms.PageAddress | None = None
        self._known_as = ""
        """The address that phones were told last."""
        self._questions: deque[ms.PhoneQuestion] = deque(maxlen=MAX_QUESTIONS)
        self._session: Session | None = None
        self._opened = 0
        self._sent_holders: ms.ChairHolders | None = None
        self._offers: tuple[object, ...] = ()
        """What the last offers were made of."""
        self._seated: tuple[object, ...] = ()
        """Game and chairs for which it was last asked what the rules let phones do."""
        self._fast = False
        """Whether the game's clock runs faster or slower than a phone's."""

    # What people at the table do --------------------------------------------------------------------------

    def admit_phones(self) -> None:
        """Phones may join from now on, by a PIN that no phone knows yet."""
        self._is_open = True
        self.remarked.clear()

    def dismiss_phones(self) -> None:
        """No phone may join, and none holds a chair any more."""
        for phone in self._phones:
            self._refuse(phone, "closed")
        self._phones.clear()
        self._asks.clear()
        self._holders.clear()
        self._is_open = False

    def grant_chair(self, chair: Chair) -> bool:
        """Somebody at the table says yes to the phone that asks for this chair; whether one did."""
        phone = self._asks.pop(chair, None)
        if phone is None or chair in self._holders:
            return False
        self._holders[chair] = phone
        self._outlet.broadcast(ms.ChairGranted(phone, chair))
        log.info("Chair %d is played by a phone", chair + 1)
        return True

    def revoke_chair(self, chair: Chair) -> None:
        """The chair is the table's again; a phone that only asked for it is refused."""
        for phone in (self._holders.pop(chair, ""), self._asks.pop(chair, "")):
            if phone:
                self._refuse(phone, "taken_back")

    @property
    def requested_chairs(self) -> frozenset[Chair]:
        """The chairs that phones ask for."""
        return frozenset(self._asks)

    def player_name(self, chair: Chair) -> str:
        """What the player of a chair that a phone holds wants to be called; empty: by colour."""
        phone = self._phones.get(self._holders.get(chair, ""))
        return "" if phone is None else phone.name

    def held_chairs(self) -> tuple[frozenset[Chair], frozenset[Chair]]:
        """The chairs that phones hold, and those whose phone is fit for races."""
        fit = (chair for chair, phone in self._holders.items() if self._phones[phone].fit)
        return frozenset(self._holders), frozenset(fit)

    # What the screen shows --------------------------------------------------------------------------------

    def phone_table(self) -> PhoneTable:
        """The table's own page of its phones."""
        seats = tuple(map(self._phone_seat, range(len(self._colours))))
        at, full = self._serving, len(self._holders) == len(self._colours)
        if at is None or not self._is_open:
            return PhoneTable(seats, self._is_open, trouble=self.page_trouble)
        scheme = "https://" if at.secure else "http://"
        address = f"{scheme}{at.address}:{at.port}" if at.address else ""
        code = () if full else at.code
        return PhoneTable(
            seats,
            is_open=True,
            address=address,
            pin=at.pin,
            code=code,
            name=self._name,
            full=full,
            firewall_remedy=self.firewall_remedy,
            owner=self.owner(),
        )

    def phone_seats(self) -> tuple[PhoneSeat, ...]:
        """The chairs that phones hold or ask for."""
        return tuple(map(self._phone_seat, sorted({*self._holders, *self._asks})))

    def _phone_seat(self, chair: Chair) -> PhoneSeat:
        if chair in self._asks:
            return PhoneSeat(chair, "asks")
        if chair not in self._holders:
            return PhoneSeat(chair)
        phone = self._phones[self._holders[chair]]
        return PhoneSeat(chair, "held", awake=phone.awake, fit=phone.fit)

    # What phones say --------------------------------------------------------------------------------------

    def receive_messages(self, session: Session | None, speed: float = 1.0) -> None:
        """Hear everything that waits; presses go to the game, before it judges.

        `speed`: game seconds per real one.
        """
        self._fast = speed != 1.0
        if session is not self._session:
            self._session = session
            self._offers = ()
        self._update_game_seats()
        for message in drain_queue(self._outlet.incoming):
            self._handle_message(message)
        self._mark_sleeping()
        self._update_game_seats()

    def _handle_message(self, message: ms.ToTable | None) -> None:
        match message:
            case None:
                self._serving = None
                for phone in self._phones.values():
                    phone.heard = -SLEEP_AFTER
            case ms.PageAddress():
                self._serving = message if _is_displayable(message) else None
                if self._serving is not None:
                    self._note_address(message.address)
            case ms.PhoneJoined():
                self._join(message.phone)
            case ms.PhoneLeft():
                self._leave(message.phone)
            case ms.ChairRequest():
                self._ask(message)
            case ms.PhonePress() | ms.PhoneChoice():
                self._press(message)
            case ms.PhoneQuestion():
                if self._chair_of(message.phone) is not None and message not in self._questions:
                    self._questions.append(message)
            case ms.PhonePresence():
                self._note_presence(message)
            case ms.TakeChairBack():
                self.revoke_chair(message.chair)
            case ms.BrowserProblem():
                self.remarked.add(message.what)
            case ms.CloseToPhones():
                self.dismiss_phones()
        if message is not None and self._session is not None and self._holders:
            self._session.game.note_phone_activity()

    def _note_address(self, address: str) -> None:
        """A router gave the table another address: phones that play know it by the old one, and are told."""
        if self._holders and address and self._known_as not in {"", address}:
            log.warning(
                "The table's address is %s now: phones that play have to scan the code again.", address
            )
            self.remarked.add("moved")
        self._known_as = address or self._known_as

    def _join(self, phone: str) -> None:
        if phone in self._phones:  # it comes back
            return
        if not self._is_open:
            self._refuse(phone, "closed")
        elif len(self._holders) >= len(self._colours):
            self._refuse(phone, "full")
        else:
            self._phones[phone] = _Phone(self._now())
            idle = [one for one in self._phones if one not in {*self._holders.values(), *self._asks.values()}]
            for one in idle[:-MAX_PHONES]:
                del self._phones[one]

    def _leave(self, phone: str) -> None:
        self._phones.pop(phone, None)
        self._asks = {chair: one for chair, one in self._asks.items() if one != phone}
        self._holders = {chair: one for chair, one in self._holders.items() if one != phone}

    def _ask(self, message: ms.ChairRequest) -> None:
        phone, chair = message.phone, message.chair
        why = self._refusal_reason(phone, chair)
        if why is not None:
            self._refuse(phone, why)
            return
        self._asks = {one: asker for one, asker in self._asks.items() if asker != phone}
        self._asks[chair] = phone
        self._phones[phone].name = clean_name(message.name)

    def _refusal_reason(self, phone: str, chair: Chair) -> ms.RefusalReason | None:
        if not self._is_open or phone not in self._phones:
            return "closed"
        if self._chair_of(phone) is not None or not 0 <= chair < len(self._colours) or chair in self._holders:
            return "taken"
        if self._asks.get(chair, phone) != phone:
            return "asked"
        return "speed" if self._fast else None

    def _note_presence(self, message: ms.PhonePresence) -> None:
        phone = self._phones.get(message.phone)
        if phone is not None:
            phone.heard = self._now() if message.awake else -SLEEP_AFTER
            phone.fit = message.fit

    def _press(self, message: ms.PhonePress | ms.PhoneChoice) -> None:
        """Stamp it by the table's own clock, and have it judged; what no game takes is refused."""
        chair = self._chair_of(message.phone)
        session = self._session
        if chair is None or session is None or chair not in session.game.phones.chairs:
            self._refuse(message.phone, "no_chair" if chair is None else "wire")
            return
        now = self._now()
        judged = min(now, self._clock.to_monotonic_ns(session.game.as_of))  # long ago, after a standstill
        known = 0 < message.from_ns <= message.until_ns
        within = TimeInterval(message.from_ns, message.until_ns) if known else None
        arrived = min(message.arrived_ns, now)
        if within is not None:  # the page may have stood still, too: it was there since then, for all we know
            arrived = min(arrived, max(within.high, judged))
        stamp = stamp_press(within, arrived, judged)
        game_time = self._clock.from_monotonic_ns
        action = None
        if isinstance(message, ms.PhoneChoice):
            action = session.game.phones.offered_action(chair, message.offer, message.choice)
            if action is None:
                self._outlet.broadcast(ms.PressResult(message.phone, message.offer, "changed"))
                return
        held = None if within is None else (game_time(within.low), game_time(within.high))
        answer = PhoneAnswer(chair, message.offer, max(0, game_time(stamp.at)), action, held)
        if not session.submit(answer):
            self._outlet.broadcast(ms.PressResult(message.phone, message.offer, "changed"))

    # What is sent -----------------------------------------------------------------------------------------

    def send_updates(self) -> None:
        """Tell phones what became of their presses, who holds what, and what each is asked."""
        session = self._session
        if session is not None:
            self._send_replies(session)
        if not self._outlet.has_readers:
            self._sent_holders, self._offers = None, ()
            return
        if self._outlet.connection_count != self._opened:
            self._opened, self._sent_holders, self._offers = self._outlet.connection_count, None, ()
        held = self._held_message()
        if held != self._sent_holders:
            self._sent_holders = held
            self._outlet.broadcast(held)
        if session is None:
            self._send_if_changed((None,), ())
        elif not session.game.waiting:  # else it may be of a ruling that is not durable yet
            self._send_offers(session)
            if self._questions:
                self._send_answer(session, self._questions.popleft())

    def _send_offers(self, session: Session) -> None:
        known, referee = session.game.phones, session.game.referee
        made_of = (session, session.announced_seq, referee.state.desk.paused, known.offer_numbers())
        if made_of == self._offers:
            return
        self._offers = made_of
        offers = []
        for chair in sorted(known.chairs):
            number, options, fact = known.current_offer(chair)
            if referee.state.desk.paused:
                options, fact = (), False
            extras = () if referee.state.desk.paused else known.current_extras(chair)
            labels = tuple(referee.rules.label(referee.state, option) for option in options)
            pictures = tuple(map(referee.rules.choice_picture, options))
            firsts = tuple(
                referee.rules.first_label(referee.state, option) if option.has_two_steps else None
                for option in options
            )
            shown = pictures if any(pictures) else ()
            more = tuple(referee.rules.label(referee.state, extra) for extra in extras)
            firsts = firsts if any(firsts) else ()
            offers.append(ms.ChairOffer(chair, number, labels, fact, shown, firsts, more))
        self._outlet.broadcast(ms.ChairOffers(tuple(offers)))

    def _send_if_changed(self, made_of: tuple[object, ...], offers: tuple[ms.ChairOffer, ...]) -> None:
        if made_of != self._offers:
            self._offers = made_of
            self._outlet.broadcast(ms.ChairOffers(offers))

    def _send_replies(self, session: Session) -> None:
        replies = session.game.phones.replies
        for reply in replies:
            answer = reply.answer
            late = 0 if answer.within is None else max(0, answer.at - sum(answer.within) // 2)
            if answer.chair in self._holders:
                phone = self._holders[answer.chair]
                self._outlet.broadcast(ms.PressResult(phone, answer.offer, reply.verdict, late_us=late))
        replies.clear()

    def _send_answer(self, session: Session, question: ms.PhoneQuestion) -> None:
        chair = self._chair_of(question.phone)
        if chair is not None:
            lines = answer_phone_question(session, chair, question.about)
            self._outlet.broadcast(ms.QuestionAnswer(question.phone, question.about, lines))

    def _held_message(self) -> ms.ChairHolders:
        seats = tuple(map(self._seat_message, range(len(self._colours))))
        return ms.ChairHolders(seats, self._is_open, self._phone_use())

    def _phone_use(self) -> PhoneUse:
        session = self._session
        if session is None or session.game.over:
            return "any"
        setup = session.game.referee.state.setup
        use = find_phone_use(setup.options, frozenset(setup.chairs))
        return "none" if self._fast else "each" if self._simulated and use == "all" else use

    def _seat_message(self, chair: Chair) -> ms.ChairHolder:
        colour, holder = self._colours[chair], self._holders.get(chair, "")
        phone = self._phones.get(holder)
        if phone is None:
            return ms.ChairHolder(chair, colour, asker=self._asks.get(chair, ""))
        return ms.ChairHolder(chair, colour, holder, awake=phone.awake, fit=phone.fit)

    # Bookkeeping ------------------------------------------------------------------------------------------

    def _mark_sleeping(self) -> None:
        now = self._now()
        for phone in self._phones.values():
            phone.awake = now - phone.heard <= SLEEP_AFTER

    def _update_game_seats(self) -> None:
        """The game knows which of its chairs phones hold, as far as its rules let them.

        Asked when a game begins and when a chair changes hands: a link that grows worse in the middle of a
        game makes its own presses count later, and takes no chair away.
        """
        session = self._session
        if session is None:
            return
        setup, (held, fit) = session.game.referee.state.setup, self.held_chairs()
        playing = held.intersection(setup.chairs) if not self._fast else frozenset()
        if (session, playing) != self._seated:
            self._seated = session, playing
            chairs = frozenset(setup.chairs)
            others = chairs - playing if self._simulated else frozenset()
            let = playing & setup.options.chairs_allowed_phones(
                chairs, playing | others, (fit & playing) | others
            )
            if let != session.game.phones.chairs:
                session.game.set_phone_chairs(let)
            for chair in sorted(playing - let):
                self._refuse(self._holders[chair], "wire" if chair in fit else "unfit")

    def _refuse(self, phone: str, why: ms.RefusalReason) -> None:
        self._outlet.broadcast(ms.RequestRefused(phone, why))

    def _chair_of(self, phone: str) -> Chair | None:
        return next((chair for chair, one in self._holders.items() if one == phone), None)

    def _now(self) -> Nanos:
        return self._clock.to_monotonic_ns(self._clock.now())


def _is_displayable(serving: ms.PageAddress) -> bool:
    """Whether what a page says of itself can be shown: an address, a PIN, a square of modules."""
    try:
        address = serving.address and str(IPv4Address(serving.address))
    except AddressValueError:
        return False
    rows = serving.code
    square = len(rows) <= MAX_QR_MODULES and all(
        len(row) == len(rows) and set(row) <= {"0", "1"} for row in rows
    )
    pin = len(serving.pin) == 6 and serving.pin.isascii() and serving.pin.isdigit()
    return bool(address == serving.address and square and pin and 0 < serving.port <= 65_535)
