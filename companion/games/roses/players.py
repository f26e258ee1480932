"""People who lay roses and thorns, bid by what is probable, and turn over; for a demo and for practice."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from random import Random
from types import MappingProxyType

from companion.core.actions import Action, Chair, Seat, Setup
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kit.world import Advice, HandUse, Opponents, Plan, PlayStyle, WorldBase
from companion.games.roses.rules import Roses, model
from companion.games.roses.rules.model import ROSE, THORN, RosesPhase, RosesState
from companion.games.roses.rules.view import BACK

CAREFUL: Mapping[str, float] = MappingProxyType({"easy": 0.0, "strong": 0.45})
"""How probable a bid has to be for people of this strength, of everybody else `USUAL`."""
USUAL = 0.3
SLY: Mapping[str, float] = MappingProxyType({"easy": 0.7, "strong": 0.25})
"""How often the thorn is the first card."""
FOREIGN_ROSE = 0.72
"""How probably another's card is a rose, for all that anybody knows; after a bid of its owner more."""
BIDDERS_ROSE = 0.88
BLUFF = 0.15
"""How often somebody bids over the own thorn."""


class RosesWorld(WorldBase):
    """Who holds and has laid what, and what people do about it."""

    _rules = Roses()

    def __init__(self, chairs: Sequence[Chair], rng: Random, styles: Sequence[PlayStyle]) -> None:
        super().__init__(chairs, rng, styles)
        self.hands = [[ROSE] * 3 + [THORN] for _ in self.chairs]
        self.beds: list[list[str]] = [[] for _ in self.chairs]
        """Every seat's bed in the order of its places."""
        fresh = self._rules.initial_state(self._setup())
        self.places = {place: () for seat in range(len(self.chairs)) for place in fresh.places_of(seat)}
        self._next: dict[Seat, str] = {}
        """Which card a person wants to lay next."""
        self._bids: set[Seat] = set()
        """Who has bid in this round."""

    def _setup(self) -> Setup:
        return Setup(self.chairs, model.RosesOptions())

    def strength(self, seat: Seat) -> str:
        return "usual"

    # What people do ---------------------------------------------------------------------------------------

    def decision_key(self, state: RosesState) -> Hashable:
        return state.phase, state.round, state.turns, state.seat, state.named, state.laid, state.early

    def plan(self, state: RosesState) -> Plan:
        match state.phase:
            case RosesPhase.START:
                return self._plan_choice(self._rng.randrange(state.players), "begin", 1.0, 3.0)
            case RosesPhase.LAY:
                laid = (self._plan_choice(seat, "lay", 1.0, 4.0) for seat in state.waiting)
                return [deed for plan in laid for deed in plan]
            case RosesPhase.BID | RosesPhase.NUMBER:
                said = self.choose(state)
                return self._plan_choice(said.seat, said.verb, 1.5, 4.0, said.value)
            case RosesPhase.TURN:
                return self._plan_turning(state)
        return []

    def _plan_turning(self, state: RosesState) -> Plan:
        """A card is turned over where it lies; if no camera reads it, it is told."""
        owner = self.choose_owner(state) if state.named is None else state.named
        at = self._next_place(state, owner)
        card = self.beds[owner][at]
        shown = self._plan_cards(state.bidder, 1.5, 3.0, (state.places_of(owner)[at], (card,)))
        if state.named is None:
            return self._plan_fallback(shown, state.bidder, "turn", owner)
        return self._plan_fallback(shown, state.bidder, "show", card.partition(":")[2])

    def _next_place(self, state: RosesState, owner: Seat) -> int:
        """The first place of a bed that is face down, or was just turned and is not ruled yet."""
        known = {card.place for card in state.opened}
        told = sum(card.owner == owner and not card.place for card in state.opened)
        down = [at for at, place in enumerate(state.places_of(owner)) if place not in known]
        return down[told]

    # What they think --------------------------------------------------------------------------------------

    def chance(self, state: RosesState, seat: Seat, count: int) -> float:
        """How probably this seat can turn over so many roses, as far as it can know."""
        own = self.beds[seat]
        if THORN in own:
            return 0.0
        others = sorted(
            (
                BIDDERS_ROSE if other in self._bids else FOREIGN_ROSE
                for other in state.holders
                if other != seat
                for _ in range(state.laid[other])
            ),
            reverse=True,
        )
        likely = 1.0
        for rose in others[: max(0, count - len(own))]:
            likely *= rose
        return likely if count <= len(own) + len(others) else 0.0

    def choose(self, state: RosesState) -> Action:
        """Bid what is probable enough, else add or pass; now and then a bluff."""
        (prompt,) = self._rules.prompts(state)
        seat, need = state.seat, CAREFUL.get(self.strength(state.seat), USUAL)
        if state.phase is RosesPhase.NUMBER:
            fits = [said for said in prompt.actions if self.chance(state, seat, int(said.value or 0)) >= need]
            return self._rng.choice(fits) if fits else prompt.actions[0]
        other, bid = prompt.actions
        likely = self.chance(state, seat, state.bid + 1)
        bluffs = self._rng.random() < BLUFF and state.bid + 1 < sum(state.laid)
        waits = not state.bid and state.laid[seat] < 2 and self._rng.random() < 0.6
        return bid if (likely >= max(need, 0.01) and not waits) or (bluffs and not likely) else other

    def choose_owner(self, state: RosesState) -> Seat:
        """Rather one who has bid, and so has hardly laid a thorn; the easy do not think of that."""
        bidders = [seat for seat in state.turnable if seat in self._bids]
        knows = self.strength(state.seat) != "easy"
        return self._rng.choice(bidders if bidders and knows else list(state.turnable))

    def choose_card(self, seat: Seat, *, first: bool) -> str:
        """What somebody lays: the thorn to begin with, now and then, else roses first."""
        hand = self.hands[seat]
        wanted = self._next.pop(seat, "")
        if wanted in hand:
            return wanted
        sly = first and self._rng.random() < SLY.get(self.strength(seat), 0.35)
        return THORN if THORN in hand and (sly or ROSE not in hand) else ROSE

    # What happens -----------------------------------------------------------------------------------------

    def apply_event(self, before: RosesState, event: Event) -> None:
        match event:
            case model.CardLaid(seat=seat):
                card = self.choose_card(seat, first=before.phase is RosesPhase.LAY)
                self.hands[seat].remove(card)
                self.places[before.places_of(seat)[len(self.beds[seat])]] = (BACK,)
                self.beds[seat].append(card)
            case model.BidMade(seat=seat):
                self._bids.add(seat)
            case model.CardTurned(owner=owner):
                at = self._next_place(before, owner)
                self.places[before.places_of(owner)[at]] = (self.beds[owner][at],)
            case model.RoundEnded():
                self._gather(event)

    def _gather(self, event: model.RoundEnded) -> None:
        """All take their cards back, and one is lost: the own thorn's owner chooses, else it is drawn."""
        for seat, bed in enumerate(self.beds):
            self.hands[seat] += bed
        self.beds = [[] for _ in self.chairs]
        self.places = dict.fromkeys(self.places, ())
        self._bids = set()
        hand = self.hands[event.seat]
        if event.how == "own_thorn":
            hand.remove(THORN if len(hand) < 3 else ROSE)
        elif event.how == "thorn":
            hand.remove(self._rng.choice(hand))

    def find_discrepancy(self, state: RosesState) -> str | None:
        """The referee's counts are those of the true cards, and what is open is what lies there."""
        for seat, bed in enumerate(self.beds):
            if len(bed) + len(self.hands[seat]) != state.cards[seat] or len(bed) != state.laid[seat]:
                return f"seat {seat} has {bed} and {self.hands[seat]}"
            roses = sum(card.owner == seat and card.is_rose for card in state.opened)
            if state.phase is RosesPhase.TURN and roses > bed.count(ROSE):
                return f"{roses} roses are open at seat {seat}, which has {bed}"
        return super().find_discrepancy(state)


class RosesOpponents(Opponents, RosesWorld):
    """A table of people of given strengths."""

    automatic_verbs = frozenset({"begin", "show"})
    result_events = round_end_events = (model.RoundEnded,)

    def strength(self, seat: Seat) -> str:
        return self.strengths[seat]

    def plan(self, state: RosesState) -> Plan:
        """The person lays, bids and says whose card is next; what that card is, is told for them."""
        asks = state.phase in {RosesPhase.BID, RosesPhase.NUMBER} or state.named is None
        if state.seat == self.advised_seat and state.phase not in {RosesPhase.START, RosesPhase.LAY} and asks:
            return []
        plan = super().plan(state)
        return [deed for deed in plan if state.phase is not RosesPhase.LAY or self._is_others(deed)]

    def _is_others(self, deed: tuple[int, object]) -> bool:
        seat = self.advised_seat
        return seat is None or getattr(deed[1], "chair", None) != self._chair_of(seat)

    def hand_actions(self, state: RosesState, seat: Seat) -> list[Action]:
        """Which card is laid no button can know."""
        if state.phase is RosesPhase.LAY and seat in state.waiting:
            return [Action(seat, "lay")]
        if state.phase is RosesPhase.BID and not state.bid and state.seat == seat:
            return [Action(seat, "add"), Action(seat, "raise")]
        return []

    def hand_use(self, state: RosesState, action: Action) -> HandUse:
        if action.verb == "raise":
            return HandUse()
        return HandUse(1, frozenset(range(len(self.hands[action.seat]))))

    def accept_choice(self, state: RosesState, action: Action, cards: Collection[int] = ()) -> bool:
        if action not in self.hand_actions(state, action.seat):
            return False
        for at in cards:
            self._next[action.seat] = self.hand_pictures(state, action.seat)[at]
        return True

    def advice(self, state: RosesState, seat: Seat) -> Advice | None:
        if state.phase is RosesPhase.LAY and seat in state.waiting:
            return Advice(Action(seat, "lay"), Sentence("lesson.hint.roses_lay"))
        if state.seat != seat or state.phase not in {RosesPhase.BID, RosesPhase.NUMBER, RosesPhase.TURN}:
            return None
        if state.phase is RosesPhase.TURN:
            if state.named is not None:
                return None
            return Advice(Action(seat, "turn", self.choose_owner(state)), Sentence("lesson.hint.roses_turn"))
        (prompt,) = self._rules.prompts(state)
        likely = round(100 * self.chance(state, seat, state.bid + 1))
        bold = likely >= 100 * CAREFUL["strong"] or state.phase is RosesPhase.NUMBER
        said = prompt.actions[-1 if state.phase is RosesPhase.BID and bold else 0]
        value = () if said.verb == "add" else (("value", likely),)
        return Advice(said, Sentence(f"lesson.hint.roses_{said.verb}", value))
