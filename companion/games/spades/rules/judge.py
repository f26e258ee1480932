"""What is said at a table of Spades, besides cards."""

from collections.abc import Mapping
from types import MappingProxyType

from companion.core.verbs import VerbRule, define_verb
from companion.games.spades.rules import model
from companion.games.spades.rules.model import SpadesPhase, SpadesState

VERBS: Mapping[str, VerbRule[SpadesState]] = MappingProxyType(
    {
        "bid": define_verb(
            lambda _, said, __: (model.SpadesBidMade(said.seat, int(said.value or 0)),),
            SpadesPhase.BID,
            who=lambda state: state.seat,
        )
    }
)
