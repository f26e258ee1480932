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


def _turn_up(_: EuchreState, said: Action, __: Micros) -> Events:
    return (model.UpcardTurned(said.seat, str(said.value)),)


def _name(_: EuchreState, said: Action, __: Micros) -> Events:
    return (model.TrumpMade(said.seat, str(said.value)),)


VERBS: Mapping[str, VerbRule[EuchreState]] = MappingProxyType(
    {
        verb: define_verb(ruling, phase, who=lambda state: state.seat)
        for verb, phase, ruling in (
            ("turn_up", EuchrePhase.TURN_UP, _turn_up),
            ("pass", EuchrePhase.BID, _pass),
            ("order", EuchrePhase.BID, _order),
            ("name", EuchrePhase.BID, _name),
            ("with_partner", EuchrePhase.LONER, announce(model.PartnerKept)),
            ("play_alone", EuchrePhase.LONER, announce(model.PlaysAlone)),
            ("discarded", EuchrePhase.DISCARD, announce(model.DealerDiscarded)),
        )
    }
)
