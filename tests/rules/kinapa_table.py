"""A Kinapa table for tests: what was sensed goes in, what was ruled comes out; timers fall as in the loop."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TypeVar

from companion.core.actions import HOLD, Action, Chair, Micros, Seat, Setup
from companion.core.events import Event, Infraction, Repair
from companion.core.observations import (
    ButtonHeld,
    ButtonPressed,
    ButtonReleased,
    CueHeard,
    Declared,
    Drawn,
    Face,
    HandShown,
    Observation,
    Region,
    TableSeen,
    TimerElapsed,
)
from companion.games.kinapa.rules import Kinapa
from companion.games.kinapa.rules.bots import setter
from companion.games.kinapa.rules.events import EmperorCrowned, SheepTaken
from companion.games.kinapa.rules.options import KinapaOptions
from companion.games.kinapa.rules.state import KinapaState, SeatState

RULES = Kinapa()
A, B, C, D, E, F, G, H = range(8)
BLINK: Micros = 1_000
"""Time that passes between two things that nobody stamps."""

Kind = TypeVar("Kind", bound=Event)


def setup(players: int = 4, *, bot: bool = False, **options: object) -> Setup:
    house = KinapaOptions(**options)  # type: ignore[arg-type]
    return Setup(chairs=tuple(range(players)), options=house, bot=bot)


def fold(state: KinapaState, events: Iterable[Event]) -> KinapaState:
    return reduce(RULES.evolve, events, state)


def crowned(emperor: Seat = A, *others_with_sheep: Seat) -> tuple[Event, ...]:
    """The start of a game in which some already have a Sheep."""
    return (EmperorCrowned(emperor), *(SheepTaken(seat) for seat in (emperor, *others_with_sheep)))


class Table:
    """A game under test: owns the state so far, the instant, and all rulings in order."""

    def __init__(self, state: KinapaState) -> None:
        self.state = state
        self.at: Micros = 0
        self.rulings: list[Event] = []
        self.causes: list[Observation] = []

    # Sensing -------------------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        """Timers due before it fall first, as in the loop; then `seen` is judged."""
        self.elapse(seen.at - 1)
        return self._judge(seen)

    def elapse(self, until: Micros) -> None:
        """Let every timer due up to and with `until` fall."""
        for _ in range(100):
            timer = RULES.next_timer(self.state)
            if timer is None or timer.due > until:
                self.at = max(self.at, until)
                return
            self._judge(TimerElapsed(at=timer.due, timer=timer.name))
        raise AssertionError(f"A timer stands after its own ruling: {timer}")

    def say(self, seat: Seat, verb: str, value: str | int | None = None) -> tuple[Event, ...]:
        return self.observe(Declared(at=self._next(), action=Action(seat, verb, value)))

    def press(self, chair: Chair | None, at: Micros | None = None, button: str = "seat") -> tuple[Event, ...]:
        return self.observe(ButtonPressed(at=self._next(at), chair=chair, button=button))

    def release(self, chair: Chair | None, at: Micros | None = None) -> tuple[Event, ...]:
        return self.observe(ButtonReleased(at=self._next(at), chair=chair))

    def tap(self, chair: Chair) -> tuple[Event, ...]:
        """A short press: down, and up again at once."""
        return self.press(chair) + self.release(chair)

    def hold(self, chair: Chair) -> tuple[Event, ...]:
        """A long press: down, held, up again."""
        down = self.press(chair)
        held = self.observe(ButtonHeld(at=self.at + HOLD, chair=chair))
        return down + held + self.release(chair)

    def cue(self, at: Micros | None = None) -> tuple[Event, ...]:
        """The first beat of the awaited count is heard."""
        cue = RULES.awaited_cue(self.state)
        assert cue is not None, f"No count is awaited in {self.state.phase}"
        return self.observe(CueHeard(at=self._next(at), cue=cue.name, attempt=cue.attempt))

    def slot(self, number: int, *faces: str) -> tuple[Event, ...]:
        """The camera reads one place of the ring."""
        return self.region(f"slot:{number}", *faces)

    def region(self, name: str, *faces: str) -> tuple[Event, ...]:
        return self.observe(TableSeen(at=self._next(), regions=(reading(name, faces, self.at),)))

    def shows(self, seat: Seat, *faces: str) -> tuple[Event, ...]:
        """A seat shows its hand to the camera alone."""
        return self.observe(HandShown(at=self._next(), seat=seat, faces=tuple(map(Face, faces))))

    def lot(self, index: int) -> tuple[Event, ...]:
        choices = RULES.awaited_draw(self.state)
        assert choices is not None, f"No lot is awaited in {self.state.phase}"
        return self.observe(Drawn(at=self._next(), choices=choices, index=index))

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
            assert not broken(self.say(setter(self.state, bot), verb))

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

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def legal(self) -> frozenset[Action]:
        return RULES.legal_actions(self.state)

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

    def of(self, kind: type[Kind]) -> list[Kind]:
        """All rulings of one kind so far."""
        return [event for event in self.rulings if isinstance(event, kind)]

    def _judge(self, seen: Observation) -> tuple[Event, ...]:
        ruled = RULES.decide(self.state, seen)
        self.state = fold(self.state, ruled)
        self.at = max(self.at, seen.at)
        self.rulings += ruled
        self.causes.append(seen)
        return ruled

    def _next(self, at: Micros | None = None) -> Micros:
        return self.at + BLINK if at is None else at


def reading(name: str, faces: Iterable[str], since: Micros = 0) -> Region:
    return Region(name=name, faces=tuple(map(Face, faces)), clear_until=since, lies_since=since)


def new_table(players: int = 4, *, bot: bool = False, **options: object) -> Table:
    """A table that has not begun."""
    return Table(RULES.initial_state(setup(players, bot=bot, **options)))


def given(*events: Event, players: int = 4, bot: bool = False, **options: object) -> Table:
    """A table at which `events` were ruled; without any, seat A was crowned."""
    return Table(fold(RULES.initial_state(setup(players, bot=bot, **options)), events or crowned()))


def broken(events: Iterable[Event]) -> list[str]:
    """The keys of the rules that were broken."""
    return [event.rule for event in events if isinstance(event, Infraction)]


def kinds(events: Iterable[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def amiss(events: tuple[Event, ...]) -> bool:
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
