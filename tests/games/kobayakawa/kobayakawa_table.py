"""A Kobayakawa table for tests: what was sensed goes in, what was ruled comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.core.actions import Micros, Seat, Setup
from companion.core.events import Event
from companion.core.observations import (
    Observation,
    RegionReading,
    SeenCard,
)
from companion.games.kobayakawa.rules import Kobayakawa, model
from companion.games.kobayakawa.rules.model import KobayakawaOptions, KobayakawaPhase, KobayakawaState
from tests.games.game_table import GameTable

RULES = Kobayakawa()
A, B, C, D, E, F = range(6)
BLINK: Micros = 100_000


def setup(players: int = 4, **options: object) -> Setup:
    return Setup(chairs=tuple(range(players)), options=KobayakawaOptions(**options))  # type: ignore[arg-type]


class Table(GameTable[KobayakawaState]):
    """Kobayakawa under test; its invariants hold after every ruling."""

    def __init__(self, players: int = 4, rules: Kobayakawa = RULES, **options: object) -> None:
        super().__init__(rules, rules.initial_state(setup(players, **options)))

    # Sensing -------------------------------------------------------------------------------------------

    def _judge(self, seen: Observation) -> tuple[Event, ...]:
        ruled = super()._judge(seen)
        assert model.find_violation(self.state) is None, (model.find_violation(self.state), ruled)
        return ruled

    def see(self, place: str, *cards: int | str) -> tuple[Event, ...]:
        """The camera reads a place: numbers, or ids of other faces; none: it is bare."""
        return self.looks({place: cards})

    def looks(self, places: Mapping[str, Sequence[int | str]]) -> tuple[Event, ...]:
        """The camera reads several places at once."""
        regions = tuple(
            RegionReading(name, tuple(map(_face, cards)), self.at, self.at) for name, cards in places.items()
        )
        return self.regions(*regions)

    def shows(self, seat: Seat, number: int) -> tuple[Event, ...]:
        """A fighter holds the card under the camera."""
        return super().shows(seat, _face(number))

    # Whole stretches of play -----------------------------------------------------------------------------

    def deal(self, number: int, starter: Seat = A) -> Table:
        """The next round begins with this Kobayakawa."""
        if self.state.phase is KobayakawaPhase.STARTING:
            self.say(starter, "start")
        self.say(self.state.starter, "dealt")
        self.say(self.state.starter, "kobayakawa", number)
        return self

    def draw_all(self) -> Table:
        """Everybody draws and lays a card open that nobody names."""
        while self.state.phase is KobayakawaPhase.DRAWING:
            actor = self.state.actor
            assert actor is not None
            self.say(actor, "draw")
            self.say(actor, "done")
        return self

    def bets(self, *seats: Seat) -> tuple[Event, ...]:
        """These seats fight, the others pass; until all have bet."""
        ruled: tuple[Event, ...] = ()
        while self.state.phase is KobayakawaPhase.BETTING:
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
    def kamons(self) -> tuple[int, ...]:
        return self.state.kamons

    def set(self, **changes: object) -> Table:
        """The state with something changed that would take many rounds to reach."""
        from msgspec.structs import replace

        self.state = replace(self.state, **changes)
        return self


def _face(card: int | str) -> SeenCard:
    return SeenCard(f"number:{card}" if isinstance(card, int) else card)


def table(players: int = 4, starter: Seat = A, **options: object) -> Table:
    """A table whose first player is known."""
    game = Table(players, **options)
    game.say(starter, "start")
    return game
