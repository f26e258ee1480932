"""Rules of Liar's Dice: dice lie under cups, bids go up until somebody calls, who was wrong loses a die.

docs/rules.md, section 11, has them in full. The referee asks for what it cannot see once everybody may see
it: after a call each tells how many of their own dice count.
"""

from msgspec.structs import replace

from companion.core.actions import Action, Micros, Prompt, Result, Setup
from companion.core.events import Events
from companion.core.game_status import GameStatus
from companion.core.verbs import ask, judge_verb
from companion.games.liars_dice.rules import model
from companion.games.liars_dice.rules.model import LiarsDicePhase, LiarsDiceState
from companion.games.liars_dice.rules.view import LiarsDiceNarration


class LiarsDice(LiarsDiceNarration):
    """The rules over what the referee knows, which is no die."""

    name = "liars_dice"
    players = range(2, 9)
    default_players = 4
    options = model.LiarsDiceOptions
    events = model.LiarsDiceEvent
    reads_cards = False

    after_repair = staticmethod(model.apply_repair)

    def initial_state(self, setup: Setup) -> LiarsDiceState:
        assert isinstance(setup.options, model.LiarsDiceOptions)
        return LiarsDiceState(setup=setup, desk=GameStatus(), dice=(setup.options.dice,) * setup.players)

    def prompts(self, state: LiarsDiceState) -> tuple[Prompt, ...]:
        match state.phase:
            case LiarsDicePhase.START:
                return tuple(ask(chair, seat, "begin") for seat, chair in enumerate(state.setup.chairs))
            case LiarsDicePhase.BID:
                calls = ("doubt", *(("exact",) if state.options.exact else ())) if state.standing else ()
                bids = tuple(model.higher_bids(state))
                return (
                    ask(state.chair_of(state.seat), state.seat, *calls, *((("bid", bids),) if bids else ())),
                )
            case LiarsDicePhase.COUNT:
                return tuple(
                    ask(state.chair_of(seat), seat, ("tell", range(state.dice[seat] + 1)))
                    for seat in state.waiting
                )
        return ()

    def judge(self, state: LiarsDiceState, action: Action, at: Micros) -> Events:
        return judge_verb(model.VERBS, state, action, at, self.legal_actions(state))

    def after_abandonment(self, state: LiarsDiceState) -> LiarsDiceState:
        return replace(state, phase=LiarsDicePhase.OVER)

    def result(self, state: LiarsDiceState) -> Result | None:
        over = state.phase is LiarsDicePhase.OVER and len(state.holders) == 1
        return ("last", state.holders) if over else None

    def find_violation(self, state: LiarsDiceState) -> str | None:
        sound = 0 <= min(state.dice) <= max(state.dice) <= state.options.dice
        return None if sound else f"nobody can have so many dice: {state.dice}"

    def redact(self, state: LiarsDiceState) -> LiarsDiceState:
        return state
