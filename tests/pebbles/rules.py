"""Pebbles: in turn, everybody takes one or two pebbles from a heap; who takes the last one wins."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from companion.core import events as ev
from companion.core.actions import Action, Micros, Options, Prompt, Result, Seat, Setup, seat_after
from companion.core.events import Event, events_of
from companion.core.game_status import GameState, GameStatus
from companion.core.rules import Rules
from companion.core.verbs import ask
from companion.core.view import LampSignal, Sentence, Token, View, ViewMode


class PebblesOptions(Options, frozen=True):
    heap: Annotated[int, Meta(ge=3, le=30)] = 7


class PebblesState(GameState, frozen=True):
    left: int
    seat: Seat = 0
    over: bool = False
    winner: Seat | None = None


class PebblesTaken(Event, frozen=True):
    seat: Seat
    pebbles: int

    def apply(self, state: PebblesState) -> PebblesState:
        if self.pebbles == state.left:
            return replace(state, left=0, over=True, winner=self.seat)
        return replace(state, left=state.left - self.pebbles, seat=seat_after(self.seat, state.players))


class Pebbles(Rules[PebblesState]):
    name = "pebbles"
    cardless_parts = frozenset({"pebbles"})
    players = range(2, 5)
    options = PebblesOptions
    events = events_of(__name__)

    def initial_state(self, setup: Setup) -> PebblesState:
        return PebblesState(setup=setup, desk=GameStatus(), left=setup.options.heap)

    def prompts(self, state: PebblesState) -> tuple[Prompt, ...]:
        takes = ("take", range(1, min(2, state.left) + 1))
        return () if state.over else (ask(state.chair_of(state.seat), state.seat, takes),)

    def judge(self, state: PebblesState, action: Action, at: Micros) -> tuple[Event, ...]:
        if action.verb != "take" or action.value not in {1, 2}:
            return ()
        if action not in self.legal_actions(state):
            return (
                (ev.Infraction("take.turn", action.seat),) if 0 <= action.seat < state.setup.players else ()
            )
        return (PebblesTaken(action.seat, int(action.value)),)

    def after_abandonment(self, state: PebblesState) -> PebblesState:
        return replace(state, over=True)

    def result(self, state: PebblesState) -> Result | None:
        return None if state.winner is None else ("last", (state.winner,))

    def find_violation(self, state: PebblesState) -> str | None:
        return None if state.left >= 0 else f"{state.left} pebbles are left"

    def redact(self, state: PebblesState) -> PebblesState:
        return state

    def view(self, state: PebblesState, mode: ViewMode = ViewMode.PLAY) -> View:
        phase = "over" if state.over else "take"
        headline = Sentence(f"pebbles.phase.{phase}", (("left", state.left),))
        return View(
            **self.common_view_fields(state, headline),
            phase=phase,
            hint=None,
            chairs=self.chair_views(state, lamp=_lamp, cards=_cards, tokens=_pebbles),
            places=(),
        )


def _is_asked(state: PebblesState, seat: Seat) -> bool:
    return seat == state.seat and not state.over


def _lamp(state: PebblesState, seat: Seat) -> LampSignal:
    return LampSignal.SLOW if _is_asked(state, seat) else LampSignal.DARK


def _cards(state: PebblesState, seat: Seat) -> int:
    return 0


def _pebbles(state: PebblesState, seat: Seat) -> tuple[Token, ...]:
    return (Token("pebbles", state.left),) if _is_asked(state, seat) else ()


PEBBLES = Pebbles()
