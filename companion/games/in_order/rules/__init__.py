"""Rules of In Order: all lay hidden numbers upwards without a word, and win or lose together.

docs/rules.md, section 14, has them in full. A press says that one's lowest number is next, and its stamp who
was first; the number is told after it. A lower one that is told later proves the mistake.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import LOST, Action, Chair, Micros, Prompt, Result, Seat, Setup
from companion.core.events import Events
from companion.core.game_status import GameStatus
from companion.core.verbs import ask, judge_verb
from companion.games.in_order.rules import judge, model
from companion.games.in_order.rules.model import InOrderPhase, InOrderState
from companion.games.in_order.rules.view import InOrderNarration
from companion.games.kit.race import RaceCall


class InOrder(InOrderNarration):
    """The rules over what the referee knows, which is no number in a hand."""

    name = "in_order"
    players = range(2, 9)
    default_players = 3
    options = model.InOrderOptions
    events = model.InOrderEvent
    menu_verbs = frozenset({"lay", "show"})

    after_repair = staticmethod(model.apply_repair)
    judge_regions = staticmethod(judge.judge_regions)
    persistent = staticmethod(judge.seen_heap)
    unread_places = staticmethod(judge.unread_heap)

    def initial_state(self, setup: Setup) -> InOrderState:
        assert isinstance(setup.options, model.InOrderOptions)
        lives, shows = setup.options.lives, setup.options.shows
        return InOrderState(
            setup=setup, desk=GameStatus(), lives=lives, shows=shows, hands=(1,) * setup.players
        )

    def prompts(self, state: InOrderState) -> tuple[Prompt, ...]:
        def asked(seat: Seat) -> Prompt:
            chair = state.chair_of(seat)
            match state.phase:
                case InOrderPhase.READY:
                    return ask(chair, seat, "ready")
                case InOrderPhase.AWAY:
                    return ask(chair, seat, ("away", range(state.hands[seat] + 1)))
            return ask(chair, seat, "lay")

        if state.line:
            first = state.line[0].seat
            return (ask(state.chair_of(first), first, ("number", state.row_choices())),)
        return () if state.phase is InOrderPhase.OVER else tuple(map(asked, state.waiting))

    def extra_actions(self, state: InOrderState) -> Iterable[Action]:
        """Who is not asked may press, too; or all show their lowest number."""
        if state.line:
            return (Action(seat, "lay") for seat in state.waiting)
        offered = state.phase is InOrderPhase.PLAY and state.shows
        return (Action(seat, "show") for seat in (state.holders if offered else ()))

    # Judging ----------------------------------------------------------------------------------------------

    def judge(self, state: InOrderState, action: Action, at: Micros) -> Events:
        return judge_verb(judge.VERBS, state, action, at, self.legal_actions(state))

    def judge_race_press(self, state: InOrderState, chair: Chair, seen: ob.ButtonPressed) -> Events | None:
        seat = state.seat_of(chair)
        if seat is None or not self.is_press_a_report(state, chair):
            return None
        return judge.judge_lay(state, RaceCall(seat, seen.found, seen.source, seen.since))

    def awaited_regions(self, state: InOrderState) -> frozenset[str]:
        return frozenset({model.HEAP}) if len(state.line) == 1 else frozenset()

    def is_race_on(self, state: InOrderState) -> bool:
        return bool(state.line and state.waiting)

    def is_press_a_report(self, state: InOrderState, chair: Chair) -> bool:
        seat = state.seat_of(chair)
        return seat is not None and Action(seat, "lay") in self.legal_actions(state)

    def after_abandonment(self, state: InOrderState) -> InOrderState:
        return replace(state, phase=InOrderPhase.OVER, line=())

    def result(self, state: InOrderState) -> Result | None:
        if state.phase is not InOrderPhase.OVER or state.desk.abandoned:
            return None
        return ("levels", tuple(range(state.players))) if state.lives else (LOST, ())

    def find_violation(self, state: InOrderState) -> str | None:
        if not all(0 <= many <= state.level for many in state.hands):
            return f"nobody can have so many numbers in level {state.level}: {state.hands}"
        sound = 0 <= state.lives <= state.options.lives and 0 <= state.shows <= state.options.shows
        return None if sound else f"there cannot be {state.lives} lives and {state.shows} shows"

    def redact(self, state: InOrderState) -> InOrderState:
        return state
