"""Rules of Liar's Dice: dice lie under cups, bids go up until somebody calls, who was wrong loses a die.

docs/rules.md, section 11, has them in full. The referee asks for what it cannot see once everybody may see
it: after a call each tells how many of their own dice count.
"""

from typing import ClassVar

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import Action, Micros, Prompt, Result, Setup
from companion.core.events import Event, Repaired
from companion.core.game_status import GameStatus
from companion.core.verbs import ask
from companion.games.liars_dice.rules import judge, model, view
from companion.games.liars_dice.rules.model import LiarsDicePhase, LiarsDiceState


class LiarsDice(base.Rules[LiarsDiceState]):
    """The rules over what the referee knows, which is no die."""

    name = "liars_dice"
    players = range(2, 9)
    default_players = 4
    options = model.LiarsDiceOptions
    events = model.LiarsDiceEvent
    board = view.BOARD
    reads_cards = False
    unspoken_fields = frozenset({"dice", "starter"})
    cardless_parts = frozenset({"face", "how"})
    number_verbs: ClassVar[frozenset[str]] = frozenset({"tell"})

    label = view.label
    follow_up_sentences = view.follow_up_sentences
    restore_instructions = view.restore_instructions
    view = view.view

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

    def judge(self, state: LiarsDiceState, action: Action, at: Micros) -> tuple[Event, ...]:
        if action not in self.legal_actions(state):
            return judge.refuse(state, action)
        return judge.VERBS[action.verb](state, action)

    def judge_declaration(self, state: LiarsDiceState, table: ob.TableDeclared) -> tuple[Event, ...]:
        return self.rule_repair(state, table)

    def after_repair(self, state: LiarsDiceState, repair: Repaired) -> LiarsDiceState:
        return model.apply_repair(state, repair)

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
