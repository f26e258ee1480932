"""A Kobayakawa table for tests: what was sensed goes in, what was ruled comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import TypeVar

from companion.core.actions import HOLD, Action, Chair, Micros, Seat, Setup
from companion.core.events import Event, Infraction
from companion.core.observations import (
    ButtonHeld,
    ButtonPressed,
    ButtonReleased,
    Declared,
    Face,
    HandShown,
    Observation,
    Region,
    TableDeclared,
    TableSeen,
)
from companion.games.kobayakawa.rules import Kobayakawa, KobayakawaOptions, invariants
from companion.games.kobayakawa.rules.state import KobayakawaState, Phase

RULES = Kobayakawa()
A, B, C, D, E, F = range(6)
BLINK: Micros = 100_000

Kind = TypeVar("Kind", bound=Event)


def setup(players: int = 4, **options: object) -> Setup:
    return Setup(chairs=tuple(range(players)), options=KobayakawaOptions(**options))  # type: ignore[arg-type]


class Table:
    """A game under test: owns the state so far, the instant, and all rulings in order."""

    def __init__(self, players: int = 4, rules: Kobayakawa = RULES, **options: object) -> None:
        self.rules = rules
        self.state = rules.initial_state(setup(players, **options))
        self.at: Micros = 0
        self.rulings: list[Event] = []

    # Sensing -------------------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> tuple[Event, ...]:
        ruled = self.rules.decide(self.state, seen)
        self.state = reduce(self.rules.evolve, ruled, self.state)
        self.at = max(self.at, seen.at) + BLINK
        self.rulings += ruled
        assert invariants.broken(self.state) is None, (invariants.broken(self.state), ruled)
        return ruled

    def say(self, seat: Seat, verb: str, value: str | int | None = None) -> tuple[Event, ...]:
        return self.observe(Declared(at=self.at, action=Action(seat, verb, value)))

    def tap(self, chair: Chair) -> tuple[Event, ...]:
        """A short press."""
        down = self.observe(ButtonPressed(at=self.at, chair=chair))
        return (*down, *self.observe(ButtonReleased(at=self.at, chair=chair)))

    def hold(self, chair: Chair) -> tuple[Event, ...]:
        """A long press."""
        down = self.observe(ButtonPressed(at=self.at, chair=chair))
        held = self.observe(ButtonHeld(at=self.at + HOLD, chair=chair))
        return (*down, *held, *self.observe(ButtonReleased(at=self.at, chair=chair)))

    def press(self, button: str) -> tuple[Event, ...]:
        """A shared button."""
        return self.observe(ButtonPressed(at=self.at, chair=None, button=button))

    def see(self, place: str, *cards: int | str) -> tuple[Event, ...]:
        """The camera reads a place: numbers, or ids of other faces; none: it is bare."""
        return self.looks({place: cards})

    def looks(self, places: Mapping[str, Sequence[int | str]]) -> tuple[Event, ...]:
        """The camera reads several places at once."""
        regions = tuple(
            Region(name, tuple(map(_face, cards)), self.at, self.at) for name, cards in places.items()
        )
        return self.observe(TableSeen(at=self.at, regions=regions))

    def shows(self, seat: Seat, number: int) -> tuple[Event, ...]:
        """A fighter holds the card under the camera."""
        return self.observe(HandShown(at=self.at, seat=seat, faces=(_face(number),)))

    def declare(self, **table: int) -> tuple[Event, ...]:
        """The table says what is where; `kamons_2` is the third seat's."""
        told = tuple((name.replace("_", ":"), value) for name, value in table.items())
        return self.observe(TableDeclared(at=self.at, table=told))

    # Whole stretches of play -----------------------------------------------------------------------------

    def deal(self, number: int, starter: Seat = A) -> Table:
        """The next round begins with this Kobayakawa."""
        if self.state.phase is Phase.STARTING:
            self.say(starter, "start")
        self.say(self.state.starter, "dealt")
        self.say(self.state.starter, "kobayakawa", number)
        return self

    def draw_all(self) -> Table:
        """Everybody draws and lays a card open that nobody names."""
        while self.state.phase is Phase.DRAWING:
            actor = self.state.actor
            assert actor is not None
            self.say(actor, "draw")
            self.say(actor, "done")
        return self

    def bets(self, *seats: Seat) -> tuple[Event, ...]:
        """These seats fight, the others pass; until all have bet."""
        ruled: tuple[Event, ...] = ()
        while self.state.phase is Phase.BETTING:
            actor = self.state.actor
            assert actor is not None
            ruled += self.say(actor, "fight" if actor in seats else "pass")
        return ruled

    def show(self, **cards: int) -> tuple[Event, ...]:
        """`show(a=9, c=15)`: fighters say their numbers."""
        ruled: tuple[Event, ...] = ()
        for name, number in cards.items():
            ruled += self.say("abcdef".index(name), "show", number)
        return ruled

    def round(self, number: int, **cards: int) -> tuple[Event, ...]:
        """A whole round in which these seats fight with these cards."""
        self.deal(number).draw_all()
        ruled = self.bets(*("abcdef".index(name) for name in cards))
        return (*ruled, *self.show(**cards)) if len(cards) > 1 else ruled

    # Reading ---------------------------------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return self.state.phase

    @property
    def kamons(self) -> tuple[int, ...]:
        return self.state.kamons

    @property
    def legal(self) -> frozenset[Action]:
        return self.rules.legal_actions(self.state)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """All rulings of one kind so far."""
        return [event for event in self.rulings if isinstance(event, kind)]

    def set(self, **changes: object) -> Table:
        """The state with something changed that would take many rounds to reach."""
        from msgspec.structs import replace

        self.state: KobayakawaState = replace(self.state, **changes)
        return self


def _face(card: int | str) -> Face:
    return Face(f"number:{card}" if isinstance(card, int) else card)


def broken(events: Iterable[Event]) -> list[str]:
    """The keys of the rules that were broken."""
    return [event.rule for event in events if isinstance(event, Infraction)]


def kinds(events: Iterable[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def table(players: int = 4, starter: Seat = A, **options: object) -> Table:
    """A table whose first player is known."""
    game = Table(players, **options)
    game.say(starter, "start")
    return game
