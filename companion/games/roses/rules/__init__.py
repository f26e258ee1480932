"""Rules of Roses and Thorns: cards lie face down, bids go up, and who bid most turns over that many roses.

docs/rules.md, section 13, has them in full. The referee sees what is turned, or asks for it; nothing else.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from companion.core import observations as ob
from companion.core.actions import Action, Micros, Prompt, Result, Setup, pair_value
from companion.core.events import Events
from companion.core.game_status import GameStatus
from companion.core.verbs import ask, judge_verb
from companion.games.roses.rules import judge, model
from companion.games.roses.rules.model import RosesPhase, RosesState
from companion.games.roses.rules.view import RosesNarration


class Roses(RosesNarration):
    """The rules over what the referee knows, which is no card that lies face down."""

    name = "roses"
    players = range(3, 7)
    default_players = 4
    options = model.RosesOptions
    events = model.RosesEvent

    after_repair = staticmethod(model.apply_repair)
    judge_regions = staticmethod(judge.judge_regions)
    persistent = staticmethod(judge.seen_places)

    def initial_state(self, setup: Setup) -> RosesState:
        none = (0,) * setup.players
        cards = (model.HAND,) * setup.players
        return RosesState(setup=setup, desk=GameStatus(), cards=cards, laid=none, points=none)

    def prompts(self, state: RosesState) -> tuple[Prompt, ...]:
        seat, chair = state.seat, state.chair_of(state.seat)
        match state.phase:
            case RosesPhase.START:
                return tuple(ask(chair, seat, "begin") for seat, chair in enumerate(state.setup.chairs))
            case RosesPhase.LAY:
                return tuple(ask(state.chair_of(seat), seat, "lay") for seat in state.waiting)
            case RosesPhase.BID:
                return (ask(chair, seat, "pass" if state.bid else "add", "raise"),)
            case RosesPhase.NUMBER:
                return (ask(chair, seat, ("bid", range(state.bid + 1, sum(state.laid) + 1))),)
            case RosesPhase.TURN if state.named is None:
                return (ask(chair, seat, ("turn", state.turnable)),)
            case RosesPhase.TURN:
                return (ask(chair, seat, ("show", model.FACES)),)
        return ()

    def extra_actions(self, state: RosesState) -> Iterable[Action]:
        """What lies in which place, in the camera's stead."""
        for place in self.awaited_regions(state):
            yield from (Action(state.bidder, "show", pair_value(place, face)) for face in model.FACES)

    def correction_choices(self, state: RosesState, seen: ob.Observation) -> Iterable[Action]:
        if not isinstance(seen, ob.TableSeen):
            return super().correction_choices(state, seen)
        read = {region.name for region in seen.regions}
        return (said for said in self.extra_actions(state) if said.parts[0] in read)

    def awaited_regions(self, state: RosesState) -> frozenset[str]:
        if state.phase is not RosesPhase.TURN:
            return frozenset()
        known = {card.place for card in state.opened}
        return frozenset(place for seat in state.turnable for place in state.places_of(seat)) - known

    def judge(self, state: RosesState, action: Action, at: Micros) -> Events:
        return judge_verb(judge.VERBS, state, action, at, self.legal_actions(state))

    def after_abandonment(self, state: RosesState) -> RosesState:
        return replace(state, phase=RosesPhase.OVER)

    def result(self, state: RosesState) -> Result | None:
        if state.phase is not RosesPhase.OVER or state.desk.abandoned:
            return None
        return ("last" if len(state.holders) == 1 else "points", (state.seat,))

    def find_violation(self, state: RosesState) -> str | None:
        rows = zip(state.laid, state.cards, strict=True)
        if not all(0 <= laid <= cards <= model.HAND for laid, cards in rows):
            return f"nobody can have so many cards: {state.cards}, laid {state.laid}"
        won = max(state.points)
        return None if 0 <= won <= state.options.wins else f"nobody can have won so often: {won}"

    def redact(self, state: RosesState) -> RosesState:
        return state
