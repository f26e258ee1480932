"""A dnup table for tests: what was sensed goes in, what was ruled comes out; timers fall as in the loop."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TypeVar

from msgspec.structs import replace

from companion.core.actions import SECOND, Action, Chair, Micros, Seat, Setup
from companion.core.events import Event, Infraction
from companion.core.observations import (
    ButtonPressed,
    Declared,
    Face,
    Observation,
    Region,
    TableDeclared,
    TableSeen,
    TimerElapsed,
)
from companion.games.dnup.rules import Dnup, DnupOptions
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.state import Area, DnupState, Hand, Phase

RULES = Dnup()
A, B, C, D, E = range(5)
BLINK: Micros = SECOND // 10

Kind = TypeVar("Kind", bound=Event)


def setup(players: int = 3, **options: object) -> Setup:
    return Setup(chairs=tuple(range(players)), options=DnupOptions(**options))  # type: ignore[arg-type]


def fold(state: DnupState, events: Iterable[Event]) -> DnupState:
    return reduce(RULES.evolve, events, state)


def face(one: str, *, confidence: float = 1.0, askew: int = 0) -> Face:
    """A card as the camera reports it: `8/3n` lies with its 8 up for its owner."""
    name = card.name(one)
    turn = 0 if card.lying(name, 0) == one else 180
    return Face(f"pair:{name}", (turn + askew) % 360, confidence)


class Table:
    """A game under test: owns the state so far, the instant, and all rulings in order."""

    def __init__(self, players: int = 3, rules: Dnup = RULES, **options: object) -> None:
        self.rules = rules
        self.state = rules.initial_state(setup(players, **options))
        self.at: Micros = 0
        self.rulings: list[Event] = []

    # Sensing -------------------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        """Timers due before it fall first, as in the loop; then `seen` is judged."""
        self.elapse(seen.at - 1)
        return self._judge(seen)

    def elapse(self, until: Micros) -> tuple[Event, ...]:
        """Let every timer due up to and with `until` fall."""
        ruled: tuple[Event, ...] = ()
        for _ in range(100):
            timer = self.rules.next_timer(self.state)
            if timer is None or timer.due > until:
                self.at = max(self.at, until)
                return ruled
            ruled += self._judge(TimerElapsed(at=timer.due, timer=timer.name))
        raise AssertionError(f"A timer stands after its own ruling: {timer}")

    def wait(self, time: Micros = 10 * SECOND) -> tuple[Event, ...]:
        return self.elapse(self.at + time)

    def say(self, seat: Seat, verb: str, value: str | int | None = None) -> tuple[Event, ...]:
        return self.observe(Declared(at=self.at + BLINK, action=Action(seat, verb, value)))

    def press(self, chair: Chair | None, button: str = "seat") -> tuple[Event, ...]:
        return self.observe(ButtonPressed(at=self.at + BLINK, chair=chair, button=button))

    def see(self, *areas: tuple[int, tuple[str, ...]]) -> tuple[Event, ...]:
        """The camera settles on these cards, by area."""
        return self.look(*((f"set:{area + 1}", tuple(map(face, cards))) for area, cards in areas))

    def look(self, *regions: tuple[str, tuple[Face, ...]]) -> tuple[Event, ...]:
        at = self.at + BLINK
        read = tuple(Region(name, faces, at - 2, at - 1) for name, faces in regions)
        return self.observe(TableSeen(at=at, regions=read))

    def lay(self, *areas: tuple[int, tuple[str, ...]]) -> tuple[Event, ...]:
        """The camera settles, and the table stays quiet until it counts."""
        return (*self.see(*areas), *self.wait())

    def declare(self, **told: int) -> tuple[Event, ...]:
        """The table says what is where: `hand_1=3`."""
        table = tuple((name.replace("_", ":"), value) for name, value in told.items())
        return self.observe(TableDeclared(at=self.at + BLINK, table=table))

    # Whole stretches -----------------------------------------------------------------------------------

    def begin(self, starter: Seat = A) -> Table:
        """The cards are sorted, shuffled and dealt."""
        if self.state.phase is Phase.SORTING:
            self.say(A, "prepared")
        self.say(starter, "star")
        return self

    def stand(self, *sets: tuple[str, ...], turn: Seat | None = None, hands: tuple[int, ...] = ()) -> Table:
        """As if play had led here: a set in every area that is named, and hands of these sizes."""
        state = self.state
        areas = tuple(
            Area(cards=sets[at], seen=sets[at]) if at < len(sets) else Area(seen=())
            for at in range(len(state.areas))
        )
        seat = state.seat if turn is None else turn
        area = seat if not state.pair else state.area if turn is None else 2 * seat
        held = tuple(map(Hand, hands)) if hands else state.hands
        lying = sum(len(area.cards) for area in areas)
        if not hands:
            first = held[0].size - lying
            held = (Hand(first), *held[1:])
        discarded = len(state.in_use) - lying - sum(hand.size for hand in held)
        self.state = replace(
            state, areas=areas, seat=seat, area=area, hands=held, discarded=discarded, star=None
        )
        return self

    def hold(self, seat: Seat, *known: str) -> Table:
        """As if these cards had been seen on their way into this hand."""
        hands = list(self.state.hands)
        hands[seat] = Hand(hands[seat].size, known)
        self.state = replace(self.state, hands=tuple(hands))
        return self

    # Reading -------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(hand.size for hand in self.state.hands)

    def known(self, seat: Seat) -> tuple[str, ...]:
        return self.state.hands[seat].known

    def lies(self, area: int) -> tuple[str, ...]:
        return self.state.areas[area].cards

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.rulings if isinstance(event, kind)]

    def _judge(self, seen: Observation) -> tuple[Event, ...]:
        ruled = self.rules.decide(self.state, seen)
        self.state = fold(self.state, ruled)
        self.at = max(self.at, seen.at)
        self.rulings += ruled
        return ruled


def broken(events: Iterable[Event]) -> list[str]:
    """The keys of the rules that were broken."""
    return [event.rule for event in events if isinstance(event, Infraction)]


def kinds(events: Iterable[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def table(players: int = 3, starter: Seat = A, **options: object) -> Table:
    """A table whose first round has begun."""
    return Table(players, **options).begin(starter)
