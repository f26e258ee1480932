"""What is said at a table of Euchre, besides cards that are played."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.core.actions import Action, Micros
from companion.core.events import Events
from companion.core.verbs import VerbRule, announce, define_verb
from companion.games.euchre.rules import model
from companion.games.euchre.rules.model import EuchrePhase, EuchreState
from companion.games.kit.partners import PLAYERS, partner_of


def _pass(state: EuchreState, said: Action, _: Micros) -> Events:
    passed = model.EuchrePassed(said.seat)
    return (passed,) if state.passes < 2 * PLAYERS - 1 else (passed, model.DealPassed())


def _order(state: EuchreState, said: Action, _: Micros) -> Events:
    made = model.TrumpMade(said.seat, state.upcard.partition("|")[0])
    has_to = state.options.partner_orders == "alone" and said.seat == partner_of(state.dealer)
    return (made, model.PlaysAlone(said.seat)) if has_to else (made,)


def _turn(state: EuchreState) -> int:
    return state.seat


VERBS: Mapping[str, VerbRule[EuchreState]] = MappingProxyType(
    {
        "turn_up": define_verb(
            lambda _, said, __: (model.UpcardTurned(said.seat, str(said.value)),),
            EuchrePhase.TURN_UP,
            who=_turn,
        ),
        "pass": define_verb(_pass, EuchrePhase.BID, who=_turn),
        "order": define_verb(_order, EuchrePhase.BID, who=_turn),
        "name": define_verb(
            lambda _, said, __: (model.TrumpMade(said.seat, str(said.value)),), EuchrePhase.BID, who=_turn
        ),
        "with_partner": define_verb(announce(model.PartnerKept), EuchrePhase.LONER, who=_turn),
        "play_alone": define_verb(announce(model.PlaysAlone), EuchrePhase.LONER, who=_turn),
        "discarded": define_verb(announce(model.DealerDiscarded), EuchrePhase.DISCARD, who=_turn),
    }
)
