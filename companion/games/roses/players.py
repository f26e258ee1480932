"""People who lay roses and thorns, bid by what is probable, and turn over; for a demo and for practice."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from math import prod
from random import Random
from types import MappingProxyType

from companion.core.actions import Action, Chair, Seat, Setup
from companion.core.events import Event
from companion.core.view import Sentence
from companion.games.kit.world import Advice, HandUse, Opponents, Plan
from companion.games.roses.rules import Roses, model
from companion.games.roses.rules.model import ROSE, THORN, RosesPhase, RosesState
from companion.games.roses.rules.view import BACK

CAREFUL: Mapping[str, float] = MappingProxyType({"easy": 0.6, "strong": 0.35})
"""How probable a bid has to be for people of this strength, of all others `USUAL`: the timid win least."""
USUAL = 0.3
SLY: Mapping[str, float] = MappingProxyType({"easy": 0.1, "strong": 0.7})
"""How often the thorn is the first card, of everybody else `USUAL`."""
FOREIGN_ROSE, BIDDERS_ROSE = 0.72, 0.88
"""How probably another's card is a rose, for all that anybody knows, and if its owner has bid."""
BLUFF, WAIT = 0.15, 0.6
"""How often somebody bids over the own thorn, and adds a card although a bid is probable enough."""


class RosesPeople(Opponents):
    """Who holds and has laid what, and what people do about it."""

    automatic_verbs = frozenset({"begin", "show"})
    round_end_events = (model.RoundEnded,)
    _rules = Roses()

    def __init__(self, chairs: Sequence[Chair], rng: Random, strengths: Sequence[str]) -> None:
        super().__init__(chairs, rng, strengths)
        self.hands = [[ROSE] * 3 + [THORN] for _ in self.chairs]
        self.beds: list[list[str]] = [[] for _ in self.chairs]
        """Every seat's bed in the order of its places."""
        fresh = self._rules.initial_state(Setup(self.chairs, model.RosesOptions()))
        self.places = {place: () for seat in range(len(self.chairs)) for place in fresh.places_of(seat)}
        self._wanted: dict[Seat, str] = {}
        """Which card a person lays next."""
        self._bids: set[Seat] = set()
        """Who has bid in this round."""

    # What people do ---------------------------------------------------------------------------------------

    def decision_key(self, state: RosesState) -> Hashable:
        return state.phase, state.round, state.seat, state.bid, state.named, state.laid, state.opened

    def plan(self, state: RosesState) -> Plan:
        """Whom a person plays is asked what no button decides for them."""
        person = state.seat == self.advised_seat
        match state.phase:
            case RosesPhase.START:
                return self._plan_choice(self._rng.randrange(state.players), "begin", 1.0, 3.0)
            case RosesPhase.LAY:
                others = [seat for seat in state.waiting if seat != self.advised_seat]
                return [deed for seat in others for deed in self._plan_first_card(state, seat)]
            case RosesPhase.BID | RosesPhase.NUMBER if not person:
                said = self.choose(state)
                return self._plan_choice(said.seat, said.verb, 1.5, 4.0, said.value)
            case RosesPhase.TURN if not person or state.named is not None:
                return self._plan_turning(state)
        return []

    def _plan_first_card(self, state: RosesState, seat: Seat) -> Plan:
        """What was open is taken back before."""
        gone = [(place, ()) for place in state.places_of(seat) if place in state.stale]
        taken = self._plan_cards(seat, 0.3, 0.8, *gone) if gone else []
        return [*taken, *self._plan_choice(seat, "lay", 1.5, 4.0)]

    def _plan_turning(self, state: RosesState) -> Plan:
        """A card is turned over where it lies; if no camera reads it, it is told."""
        owner = self.choose_owner(state) if state.named is None else state.named
        at = self._next_place(state, owner)
        card = self.beds[owner][at]
        shown = self._plan_cards(state.bidder, 1.5, 3.0, (state.places_of(owner)[at], (card,)))
        said = ("turn", owner) if state.named is None else ("show", card.partition(":")[2])
        return self._plan_fallback(shown, state.bidder, *said)

    def _next_place(self, state: RosesState, owner: Seat) -> int:
        """The first place of a bed that is face down, as far as it is known which are."""
        known = {card.place for card in state.opened}
        told = sum(card.owner == owner and not card.place for card in state.opened)
        return [at for at, place in enumerate(state.places_of(owner)) if place not in known][told]

    # What they think --------------------------------------------------------------------------------------

    def chance(self, state: RosesState, seat: Seat, count: int) -> float:
        """How probably this seat can turn over so many roses, as far as it can know."""
        own = self.beds[seat]
        others = [
            BIDDERS_ROSE if other in self._bids else FOREIGN_ROSE
            for other in state.holders
            for _ in range(state.laid[other])
            if other != seat
        ]
        if THORN in own or count > len(own) + len(others):
            return 0.0
        return prod(sorted(others, reverse=True)[: max(0, count - len(own))])

    def choose(self, state: RosesState) -> Action:
        """Bid what is probable enough, else add or pass; now and then a bluff."""
        (prompt,) = self._rules.prompts(state)
        seat, need = state.seat, CAREFUL.get(self.strengths[state.seat], USUAL)
        if state.phase is RosesPhase.NUMBER:
            fits = [said for said in prompt.actions if self.chance(state, seat, int(said.value or 0)) >= need]
            bold = self.strengths[seat] != "strong"
            return self._rng.choice(fits) if fits and bold else prompt.actions[0]
        other, bid = prompt.actions
        likely = self.chance(state, seat, state.bid + 1)
        if not likely:
            return bid if self._rng.random() < BLUFF and state.bid + 1 < sum(state.laid) else other
        waits = not state.bid and state.laid[seat] == 1 and self._rng.random() < WAIT
        return other if waits or likely < need else bid

    def choose_owner(self, state: RosesState) -> Seat:
        """Rather one who has bid, and so has hardly laid a thorn; the easy do not think of that."""
        bidders = [seat for seat in state.turnable if seat in self._bids]
        knows = self.strengths[state.seat] != "easy"
        return self._rng.choice(bidders if bidders and knows else state.turnable)

    def _choose_card(self, seat: Seat, *, first: bool) -> str:
        """What somebody lays: the thorn to begin with, now and then, else roses first."""
        hand, wanted = self.hands[seat], self._wanted.pop(seat, "")
        sly = first and self._rng.random() < SLY.get(self.strengths[seat], USUAL)
        usual = THORN if THORN in hand and (sly or ROSE not in hand) else ROSE
        return wanted if wanted in hand else usual

    # What happens -----------------------------------------------------------------------------------------

    def apply_event(self, before: RosesState, event: Event) -> None:
        match event:
            case model.CardLaid(seat=seat):
                card = self._choose_card(seat, first=before.phase is RosesPhase.LAY)
                self.hands[seat].remove(card)
                self.places[before.places_of(seat)[len(self.beds[seat])]] = (BACK,)
                self.beds[seat].append(card)
            case model.NumberBid(seat=seat):
                self._bids.add(seat)
            case model.CardTurned(seat=owner, face=face):
                self.places[before.places_of(owner)[self._next_place(before, owner)]] = (f"flower:{face}",)
            case model.RoundEnded():
                self._gather(event)

    def _gather(self, event: model.RoundEnded) -> None:
        """All take their cards back, and one is lost: who had an own thorn chooses, else it is drawn."""
        self.hands = [hand + bed for hand, bed in zip(self.hands, self.beds, strict=True)]
        self.beds = [[] for _ in self.chairs]
        self.places, self._bids = dict.fromkeys(self.places, ()), set()
        hand = self.hands[event.seat]
        if event.how != "won":
            drawn, rather = self._rng.choice(hand), THORN if len(hand) < 3 else ROSE
            hand.remove(rather if event.how == "own_thorn" else drawn)

    def find_discrepancy(self, state: RosesState) -> str | None:
        """The referee's counts are those of the true cards."""
        for seat, bed in enumerate(self.beds):
            if (len(bed) + len(self.hands[seat]), len(bed)) != (state.cards[seat], state.laid[seat]):
                return f"seat {seat} has {bed} and {self.hands[seat]}"
        return super().find_discrepancy(state)

    # Practice ---------------------------------------------------------------------------------------------

    def lay_out(self, layout: Mapping[str, tuple[str, ...]]) -> bool:
        """Whoever is not told of holds all four cards."""
        self.hands = [list(layout.get(str(seat), hand)) for seat, hand in enumerate(self.hands)]
        return bool(layout)

    def hand_actions(self, state: RosesState, seat: Seat) -> list[Action]:
        """Which card is laid no button can know."""
        if state.phase is RosesPhase.LAY and seat in state.waiting:
            return [Action(seat, "lay")]
        adds = state.phase is RosesPhase.BID and not state.bid and state.seat == seat
        return [Action(seat, "add"), Action(seat, "raise")] if adds else []

    def hand_use(self, state: RosesState, action: Action) -> HandUse:
        whole = frozenset(range(len(self.hands[action.seat])))
        return HandUse() if action.verb == "raise" else HandUse(1, whole)

    def accept_choice(self, state: RosesState, action: Action, cards: Collection[int] = ()) -> bool:
        for at in cards:
            self._wanted[action.seat] = self.hand_pictures(state, action.seat)[at]
        return action in self.hand_actions(state, action.seat)

    def advice(self, state: RosesState, seat: Seat) -> Advice | None:
        if state.phase is RosesPhase.LAY and seat in state.waiting:
            return Advice(Action(seat, "lay"), Sentence("lesson.hint.roses_lay"))
        if state.seat != seat or state.phase in {RosesPhase.START, RosesPhase.LAY} or state.named is not None:
            return None
        if state.phase is RosesPhase.TURN:
            return Advice(Action(seat, "turn", self.choose_owner(state)), Sentence("lesson.hint.roses_turn"))
        prompt = next(iter(self._rules.prompts(state)), None)
        if prompt is None:
            return None
        likely = round(100 * self.chance(state, seat, state.bid + 1))
        said = prompt.actions[likely >= 100 * CAREFUL["strong"] and state.phase is RosesPhase.BID]
        value = () if said.verb == "add" else (("value", likely),)
        return Advice(said, Sentence(f"lesson.hint.roses_{said.verb}", value))
