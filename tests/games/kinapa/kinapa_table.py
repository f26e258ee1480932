"""A Kinapa table for tests: what was sensed goes in, what was ruled comes out; timers fall as in the loop."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

from companion.core.actions import Micros, Seat, Setup
from companion.core.events import Event, Infraction, Repair
from companion.core.observations import (
    CueHeard,
    RegionReading,
    SeenCard,
)
from companion.games.kinapa.rules import Kinapa
from companion.games.kinapa.rules.bot_decks import aid_setter
from companion.games.kinapa.rules.model import (
    EmperorCrowned,
    KinapaOptions,
    KinapaState,
    SeatState,
    SheepTaken,
)
from tests.games.game_table import GameTable, broken

RULES = Kinapa()
A, B, C, D, E, F, G, H = range(8)
BLINK: Micros = 1_000
"""Time that passes between two things that nobody stamps."""


def setup(players: int = 4, *, bot: bool = False, **options: object) -> Setup:
    house = KinapaOptions(**options)  # type: ignore[arg-type]
    return Setup(chairs=tuple(range(players)), options=house, bot=bot)


def fold(state: KinapaState, events: Iterable[Event]) -> KinapaState:
    return reduce(RULES.evolve, events, state)


def crowned(emperor: Seat = A, *others_with_sheep: Seat) -> tuple[Event, ...]:
    """The start of a game in which some already have a Sheep."""
    return (EmperorCrowned(emperor), *(SheepTaken(seat) for seat in (emperor, *others_with_sheep)))


class Table(GameTable[KinapaState]):
    """Kinapa under test."""

    BLINK = BLINK

    def __init__(self, state: KinapaState) -> None:
        super().__init__(RULES, state)

    # Sensing -------------------------------------------------------------------------------------------

    def cue(self, at: Micros | None = None) -> tuple[Event, ...]:
        """The first beat of the awaited count is heard."""
        cue = RULES.awaited_cue(self.state)
        assert cue is not None, f"No count is awaited in {self.state.phase}"
        return self.observe(CueHeard(at=self._next(at), cue=cue.name, attempt=cue.attempt))

    def slot(self, number: int, *faces: str) -> tuple[Event, ...]:
        """The camera reads one place of the ring."""
        return self.region(f"slot:{number}", *faces)

    def region(self, name: str, *faces: str) -> tuple[Event, ...]:
        return self.regions(reading(name, faces, self.at))

    def shows(self, seat: Seat, *faces: str) -> tuple[Event, ...]:
        return super().shows(seat, *map(SeenCard, faces))

    # Whole stretches of play -----------------------------------------------------------------------------

    def count(self, number: int, raised: Iterable[Seat] = ()) -> None:
        """The Emperor announces, hands go up, the count runs to its end."""
        raised = tuple(raised)
        assert not broken(self.say(self.emperor, "announce", number))
        self.aids(raised)
        for seat in raised:
            if not self.state.is_bot(seat):
                assert not broken(self.say(seat, "raise"))
        self.cue()
        while (timer := RULES.next_timer(self.state)) is not None:
            self.elapse(timer.due)

    def aids(self, raised: Iterable[Seat] = ()) -> None:
        """The aids of these BOT decks show a raised hand, all others none."""
        raised = tuple(raised)
        while self.phase == "aiding":
            bot = self.state.turn.aids[0]
            verb = "aid_up" if bot in raised else "aid_down"
            assert not broken(self.say(aid_setter(self.state, bot), verb))

    def draw(self, partner: Seat) -> None:
        """The Emperor draws a card from a lowered seat and gives one back."""
        self.say(self.emperor, "draw_from", partner)
        if RULES.awaited_draw(self.state):
            self.lot(0)
        for verb in ("drawn", "return"):
            assert not broken(self.say(self.emperor, verb)), verb

    def miss(self, label: str = "1-2", slot: int = 1) -> tuple[Event, ...]:
        """The Emperor turns one object and hides it again: the end of the turn."""
        ruled = self.say(self.emperor, "turn", f"{label}@{slot}") + self.say(self.emperor, "hide")
        assert not broken(ruled)
        return ruled

    def turn(self, number: int, raised: Iterable[Seat] = (), crown: Seat | None = None) -> tuple[Event, ...]:
        """A whole uneventful turn with a draw from the first lowered seat."""
        raised = tuple(raised)
        before = len(self.rulings)
        self.count(number, raised)
        self.say(self.emperor, "no_pair")
        self.draw(self.state.lowered[0])
        self.miss()
        if crown is not None:
            self.say(self.emperor, "crown", crown)
        return tuple(self.rulings[before:])

    def caught(self, number: int, liar: Seat, raised: Iterable[Seat] = ()) -> None:
        """X4: the only lowered seat has it not, `liar` declares and is punished, a card goes back."""
        self.count(number, raised)
        self.say(self.emperor, "no_pair")
        if self.state.lowered:
            self.say(self.state.lowered[0], "has_not")
        for seat in self.state.raised:
            self.say(seat, "has" if seat == liar else "has_not")
        self.say(self.emperor, "receive")
        self.say(self.emperor, "return")

    # Reading ---------------------------------------------------------------------------------------------

    @property
    def emperor(self) -> Seat:
        return self.state.emperor

    def legal_values(self, verb: str) -> set[str | int | None]:
        return {action.value for action in self.legal if action.verb == verb}

    def legal_seats(self, verb: str) -> set[Seat]:
        return {action.seat for action in self.legal if action.verb == verb}

    def seat(self, seat: Seat) -> SeatState:
        return self.state.seats[seat]

    @property
    def sheep(self) -> set[Seat]:
        return {seat for seat, state in enumerate(self.state.seats) if state.sheep}

    @property
    def foxes(self) -> dict[Seat, int]:
        return {seat: state.foxes for seat, state in enumerate(self.state.seats) if state.foxes}


def reading(name: str, faces: Iterable[str], since: Micros = 0) -> RegionReading:
    return RegionReading(name=name, faces=tuple(map(SeenCard, faces)), clear_until=since, lies_since=since)


def new_table(players: int = 4, *, bot: bool = False, **options: object) -> Table:
    """A table that has not begun."""
    return Table(RULES.initial_state(setup(players, bot=bot, **options)))


def given(*events: Event, players: int = 4, bot: bool = False, **options: object) -> Table:
    """A table at which `events` were ruled; without any, seat A was crowned."""
    return Table(fold(RULES.initial_state(setup(players, bot=bot, **options)), events or crowned()))


def called_out(events: tuple[Event, ...]) -> bool:
    """Whether the table was told that something is not as it should be."""
    return any(isinstance(event, (Infraction, Repair)) for event in events)


def asks(table: Table, number: int, lowered: int, *, has: bool = True) -> tuple[Event, ...]:
    """The Emperor asks the only lowered seat, which answers; a card handed over is received."""
    others = [seat for seat in table.state.others if seat not in {lowered, *table.foxes}]
    table.count(number, others)
    ruled = table.say(table.emperor, "no_pair")
    ruled += table.say(lowered, "has" if has else "has_not")
    return ruled + (table.say(table.emperor, "receive") if has else ())


def told(table: Table, kind: type[Event]) -> list[Event]:
    """What of one kind is told aloud or stands in the log."""
    return [
        event
        for event in table.of(kind)
        if RULES.sentence(table.state, event) or RULES.sentence(table.state, event, log=True)
    ]
