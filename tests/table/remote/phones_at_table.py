"""Phones at a table that are lists."""

from __future__ import annotations

from queue import SimpleQueue
from typing import Any

from companion.core.actions import Chair, Micros
from companion.core.clock import ManualClock
from companion.core.view import Sentence
from companion.network import messages as ms
from companion.referee.loop import RefereedGame
from companion.table.remote.phone_seats import TablePhones
from companion.table.session import Session
from tests.table.loop import FIRST_BEAT, MILLI, ListVoice, SlowJournal, kinapa_count, kinapa_game

COMMIT: Micros = 20 * MILLI
COLOURS = ("red", "blue", "green", "yellow")


class Exchange:
    """Both ways of a door that somebody reads at."""

    def __init__(self, clock: ManualClock) -> None:
        self.has_readers = True
        self.connection_count = 1
        self.incoming: SimpleQueue[ms.ToTable | None] = SimpleQueue()
        self.told: list[tuple[Micros, ms.FromTable]] = []
        self._clock = clock

    def broadcast(self, message: ms.FromTable) -> None:
        self.told.append((self._clock.now(), message))

    def of(self, kind: type) -> list[Any]:
        return [one for _, one in self.told if isinstance(one, kind)]


class Table:
    """A game of Kinapa, or none, with phones; looked at every 5 ms."""

    def __init__(
        self, *, playing: bool = True, game: RefereedGame | None = None, simulated: bool = False
    ) -> None:
        self.clock = ManualClock()
        self.door = Exchange(self.clock)
        self.phones = TablePhones(self.door, self.clock, COLOURS, simulated=simulated)
        self.speed = 1.0
        self.session: Session | None = None
        if playing:
            game = game or kinapa_game(SlowJournal(self.clock, COMMIT))
            voice = ListVoice(self.clock, available=True)
            voice.deaf = True  # the count is heard when `kinapa_count` says
            self.session = Session(game, clock=self.clock, voice=voice)

    @property
    def game(self) -> RefereedGame:
        assert self.session is not None
        return self.session.game

    def say(self, *said: ms.ToTable | None) -> None:
        """Phones say this, and the table has one round."""
        for one in said:
            self.door.incoming.put(one)
        self.run(self.clock.now() + 5 * MILLI)

    def run(self, until: Micros, *reports: tuple[Micros, Any]) -> None:
        waiting = sorted(reports, key=lambda one: one[0])
        while self.clock.now() < until:
            self.clock.move_to(self.clock.now() + 5 * MILLI)
            self.phones.receive_messages(self.session, self.speed)
            if self.session is not None:
                while waiting and waiting[0][0] <= self.clock.now():
                    self.session.submit(waiting.pop(0)[1])
                self.session.step()
            self.phones.send_updates()

    @property
    def notices(self) -> tuple[tuple[Chair, Sentence], ...]:
        """What the panels say of presses."""
        assert self.session is not None
        return self.session.press_notices()

    def granted(self, *chairs: Chair) -> None:
        """The phone `p0` holds chair 0, and so on."""
        self.phones.admit_phones()
        for chair in chairs:
            self.say(ms.PhoneJoined(f"p{chair}"), ms.ChairRequest(f"p{chair}", chair))
            assert self.phones.grant_chair(chair)
        self.run(self.clock.now() + 5 * MILLI)

    def offer(self, chair: Chair) -> ms.ChairOffer:
        return next(one for one in self.door.of(ms.ChairOffers)[-1].offers if one.chair == chair)

    def press(self, chair: Chair, at: Micros, half: Micros = MILLI, **more: Any) -> ms.PhonePress:
        """A press that happened at `at`, give or take `half`, and arrives now."""
        now = self.clock.now() * 1_000
        within = {"from_ns": (at - half) * 1_000, "until_ns": (at + half) * 1_000}
        said = {"offer": self.offer(chair).number, "arrived_ns": now, **within, **more}
        return ms.PhonePress(f"p{chair}", **said)

    def events(self, *kinds: type) -> list[Any]:
        every = (event for entry in self.game.referee.journal.entries for event in entry.events)
        return [event for event in every if isinstance(event, kinds)]

    def refusals(self, phone: str) -> list[str]:
        return [one.why for one in self.door.of(ms.RequestRefused) if one.phone == phone]


def counting() -> Table:
    """Chairs 1 to 3 are held by phones, and a count runs since 4 s."""
    table = Table()
    table.granted(1, 2, 3)
    table.run(FIRST_BEAT + 400 * MILLI, *kinapa_count())
    assert table.game.referee.state.phase == "counting"
    return table
