"""Simulated Kobayakawa players in four styles, with everybody's true card."""

import random
from collections.abc import Hashable, Sequence

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Seat
from companion.core.events import Event
from companion.games.kit.world import (
    ArrangeCards,
    CardPlaces,
    Plan,
    PlayStyle,
    TakeAction,
    WorldBase,
    after,
)
from companion.games.kobayakawa.rules import model
from companion.games.kobayakawa.rules.model import KobayakawaPhase, KobayakawaState

BACK = "back:number"
LOW, HIGH = 5, 12
"""A card up to the one or from the other on is worth fighting for."""


def card_face(number: int) -> str:
    """7 → "number:7"."""
    return f"number:{number}"


class KobayakawaWorld(WorldBase):
    """The deal, the kamons in front of everybody, and what people do about them.

    LAWFUL: careful. BLUFFING: bold. CARELESS: clumsy. CHEATING: dishonest.
    """

    blaming_events = (shared.Infraction, model.NumberDoubted, model.DiscardMissing)

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        super().__init__(chairs, rng, styles)
        players = len(self.chairs)
        self._zones = model.SEAT_FIELDS[players]
        self.deck: list[int] = []
        self.open: list[int] = []
        self.discards: dict[Seat, int] = {}
        self.kamons = [4] * players
        self.pot = 0
        self._fighters: list[Seat] = []
        self.places = {"deck": (BACK,), model.KOBAYAKAWA_REGION: ()}
        self.places |= {f"{kind}:{zone}": () for kind in ("hand", "discard") for zone in range(1, 7)}
        self._turned = 0
        """Cards turned up for a round that has not begun."""
        self._drawn: int | None = None
        self._shuffle_cards()

    def _shuffle_cards(self) -> None:
        """All cards are shuffled."""
        self.deck = list(range(1, model.CARD_COUNT + 1))
        self._rng.shuffle(self.deck)
        self.open, self.discards, self._drawn = [], {}, None
        self.hands = [[] for _ in self.chairs]

    def card_in_hand(self, seat: Seat) -> int:
        """The card in a hand."""
        return int(self.hands[seat][0].partition(":")[2])

    # What people do ---------------------------------------------------------------------------------------

    def decision_key(self, state: KobayakawaState) -> Hashable:
        return (state.phase, state.round, state.turn, state.opened, state.hands, state.misplaced,
                state.doubted, state.cleared, state.turns)  # fmt: skip

    def plan(self, state: KobayakawaState) -> Plan:
        actor = state.actor
        match state.phase:
            case KobayakawaPhase.STARTING:
                return self._plan_choice(self._rng.randrange(state.players), "start", 1.0, 3.0)
            case KobayakawaPhase.DEALING:
                return self._plan_deal(state)
            case KobayakawaPhase.REVEALING:
                return self._plan_choice(state.starter, "kobayakawa", 2.0, 3.0, self.open[-1])
            case KobayakawaPhase.DRAWING if actor is not None:
                return [*self._plan_strays(state), *self._plan_draw(state, actor)]
            case KobayakawaPhase.DISCARDING if actor is not None:
                return self._plan_discard(state, actor)
            case KobayakawaPhase.REPLACING if actor is not None:
                declared = self._plan_choice(actor, "kobayakawa", 1.0, 2.0, self.open[-1])
                pile = (model.KOBAYAKAWA_REGION, tuple(map(card_face, self.open)))
                return [*self._plan_cards(actor, 0.8, 1.2, pile), *after(declared, self.patience)]
            case KobayakawaPhase.BETTING if actor is not None:
                return [*self._plan_strays(state), *self._plan_bet(state, actor)]
            case KobayakawaPhase.SHOWDOWN:
                return self._plan_showdown(state)
        return []

    def _plan_deal(self, state: KobayakawaState) -> Plan:
        """Gather and shuffle, deal, turn up the Kobayakawa; a clumsy dealer turns it up under a hand."""
        starter = state.starter
        if self._turned != state.round + 1 or not self.open:
            self._turned = state.round + 1
            self._shuffle_cards()
            for seat in state.dealt_in:
                self.hands[seat] = [card_face(self.deck.pop())]
            self.open = [self.deck.pop()]
        bare: CardPlaces = tuple((name, ()) for name in self.places if name != "deck")
        plan = self._plan_cards(starter, 1.0, 1.5, *bare)
        card = (model.KOBAYAKAWA_REGION, (card_face(self.open[-1]),))
        turned = after(self._plan_cards(starter, 1.5, 2.0, card), plan[0][0])
        said = self._plan_choice(starter, "dealt", 4.0, 5.0)
        if self._slips_now(state, starter, PlayStyle.CARELESS, "deal", 0.2):
            return [*plan, *after(self._plan_choice(starter, "dealt", 0.7, 0.9), plan[0][0])]
        return [*plan, *turned, *after(said, turned[0][0])]

    def _mat_place(self, kind: str, seat: Seat) -> str:
        return f"{kind}:{self._zones[seat]}"

    def _plan_strays(self, state: KobayakawaState) -> Plan:
        """What people do who are not asked."""
        actor = state.actor
        assert actor is not None
        plan: Plan = []
        for seat in state.order:
            if seat == actor:
                continue
            if self._slips_now(state, seat, PlayStyle.CARELESS, f"itch{seat}", 0.05):
                plan += self._plan_press(seat, 0.1, 0.4)
            hidden = not state.hands[seat].bet and self._mat_place("hand", seat) not in state.misplaced
            if hidden and self._slips_now(state, seat, PlayStyle.CARELESS, f"drop{seat}", 0.03):
                place = self._mat_place("hand", seat)
                dropped = (place, (self.hands[seat][0],))
                plan += self._plan_cards(seat, 0.1, 0.3, dropped, breaks="hand.shown")
                plan += [(4 * SECOND, ArrangeCards(self.chairs[seat], ((place, ()),)))]
            betting = state.phase is KobayakawaPhase.BETTING
            later = betting and not state.hands[seat].bet
            if later and self._slips_now(state, seat, PlayStyle.CHEATING, f"jump{seat}", 0.05):
                plan += self._plan_choice(seat, "fight", 0.1, 0.3, breaks="turn.not_yours")
            calm = betting and model.KOBAYAKAWA_REGION not in state.misplaced
            if calm and self._slips_now(state, seat, PlayStyle.CHEATING, f"swap{seat}", 0.03):
                pile = tuple(map(card_face, self.open))
                wrong = (model.KOBAYAKAWA_REGION, (*pile, card_face(self.deck[-1])))
                plan += self._plan_cards(seat, 0.1, 0.3, wrong, breaks="kobayakawa.moved")
                plan += [(4 * SECOND, ArrangeCards(self.chairs[seat], ((model.KOBAYAKAWA_REGION, pile),)))]
        return plan

    def _plan_draw(self, state: KobayakawaState, seat: Seat) -> Plan:
        """Draw or replace: by the player's own button first, or at once by hand."""
        if self._mat_place("discard", seat) in state.misplaced:
            return self._plan_open_discard(state, seat, self.deck[-1])
        if state.options.draw_optional and self._rng.random() < 0.2:
            return self._plan_choice(seat, "neither", 1.5, 2.5)
        if self._wants_to_replace(state, seat):
            new = self.deck[-1]
            pile = (model.KOBAYAKAWA_REGION, (*map(card_face, self.open), card_face(new)))
            laid = self._plan_cards(seat, 1.5, 2.5, pile)
            if self._rng.random() < 0.5:
                return [*self._plan_choice(seat, "replace", 0.8, 1.2), *laid]
            return self._plan_fallback(laid, seat, "kobayakawa", new)
        if self._rng.random() < 0.5:
            return self._plan_choice(seat, "draw", 1.0, 2.0)
        return self._plan_open_discard(state, seat, self.deck[-1])

    def _wants_to_replace(self, state: KobayakawaState, seat: Seat) -> bool:
        """Whether the Kobayakawa is replaced instead of drawing a card."""
        mine = self.card_in_hand(seat)
        return self._rng.random() < (0.5 if mine <= LOW or mine >= HIGH else 0.2)

    def _card_to_keep(self, state: KobayakawaState, seat: Seat, drawn: int) -> int:
        """Which of two cards is kept: the higher if it may win by itself, else the one that may be helped."""
        mine = self.card_in_hand(seat)
        return max(mine, drawn) if self._is_trusted(state, max(mine, drawn)) else min(mine, drawn)

    def _plan_discard(self, state: KobayakawaState, seat: Seat) -> Plan:
        assert self._drawn is not None
        return self._plan_open_discard(state, seat, self._drawn)

    def _plan_open_discard(self, state: KobayakawaState, seat: Seat, drawn: int) -> Plan:
        """Keep the better of two cards and lay the other open, if not face down or nowhere."""
        away = self.card_in_hand(seat) + drawn - self._card_to_keep(state, seat, drawn)
        place = self._mat_place("discard", seat)
        lies = (place, (card_face(away),))
        plan: Plan = []
        if place in state.misplaced:
            said = TakeAction(self.chairs[seat], Action(seat, "discard", away))
            return [*self._plan_cards(seat, 0.5, 1.0, lies), (self.patience, said)]
        if state.phase is KobayakawaPhase.DISCARDING and self._slips_now(
            state, seat, PlayStyle.CARELESS, "forget", 0.1
        ):
            return self._plan_choice(seat, "done", 1.0, 2.0)
        if self._slips_now(state, seat, PlayStyle.CARELESS, "face", 0.1):
            return self._plan_cards(seat, 1.0, 2.0, (place, (BACK,)), breaks="discard.face_down")
        other = state.order[(state.turn + 1) % len(state.order)]
        fresh = state.hands[other].discard == model.NO_CARD and other != seat
        if fresh and self._slips_now(state, other, PlayStyle.CHEATING, "ahead", 0.05):
            theirs = self._mat_place("discard", other)
            if theirs not in state.misplaced:
                ahead = (theirs, (self.hands[other][0],))
                plan += self._plan_cards(other, 0.1, 0.2, ahead, breaks="discard.not_now")
                plan += self._plan_cards(other, 0.7, 0.9, (theirs, ()))
        plan += self._plan_cards(seat, 1.2, 2.2, lies)
        return self._plan_fallback(plan, seat, "discard", away)

    def _is_trusted(self, state: KobayakawaState, card: int) -> bool:
        """Whether a card is high enough to win by itself."""
        return card >= HIGH - (state.kobayakawa < LOW)

    def _plan_bet(self, state: KobayakawaState, seat: Seat) -> Plan:
        return self._plan_choice(seat, "fight" if self._wants_to_fight(state, seat) else "pass", 0.8, 2.0)

    def _wants_to_fight(self, state: KobayakawaState, seat: Seat) -> bool:
        card = self.card_in_hand(seat)
        strong = self._is_trusted(state, card) or (card <= LOW and card + state.kobayakawa > HIGH + 1)
        bold = self._has_style(seat, PlayStyle.BLUFFING) and self._rng.random() < 0.5
        alone = state.turn == len(state.order) - 1 and not state.fighters and self._rng.random() < 0.7
        return strong or bold or alone or self._rng.random() < 0.06

    def _plan_showdown(self, state: KobayakawaState) -> Plan:
        """All fighters show; what is doubted is shown rightly, or said."""
        plan: Plan = []
        if state.kobayakawa == model.UNREAD:
            return self._plan_choice(state.starter, "kobayakawa", 1.0, 2.0, self.open[-1])
        for seat in state.unseen_fighters:
            mine, place = self.card_in_hand(seat), self._mat_place("hand", seat)
            lure = self.discards.get(seat)
            mended = any(target == f"hand:{seat}" for target, _ in state.doubted)
            mended |= state.hands[seat].discard != lure
            if (
                lure is not None
                and not mended
                and self._slips_now(state, seat, PlayStyle.CHEATING, "swap", 0.15)
            ):
                # The card laid open before is shown instead: its number is known to lie elsewhere.
                swapped = (self._mat_place("discard", seat), (card_face(mine),))
                plan += self._plan_cards(seat, 0.8, 1.6, (place, (card_face(lure),)), swapped)
                continue
            shown = self._plan_cards(seat, 0.8, 1.6, (place, (card_face(mine),)))
            plan += self._plan_fallback(shown, seat, "show", mine)
        return plan

    # What becomes true ------------------------------------------------------------------------------------

    def apply_event(self, before: KobayakawaState, event: Event) -> None:
        match event:
            case model.KobayakawaRoundBegan():
                self._fighters = list(event.order) if event.deciding else []
                if event.number != self.open[-1]:
                    self._faults.append(f"{self.open[-1]} lies open, the referee read {event.number}")
            case model.KobayakawaCardDrawn():
                self._drawn = self.deck.pop()
            case model.CardDiscarded():
                self._apply_discard(before, event)
            case model.ReplaceAnnounced():
                self._drawn = None
                self.open.append(self.deck.pop())
            case model.KobayakawaReplaced():
                counted = len(self.open) > len(before.opened)  # off the deck, in this same step
                if before.phase is not KobayakawaPhase.REPLACING and not counted:
                    self.open.append(self.deck.pop())
                if event.number != self.open[-1]:
                    self._faults.append(f"{self.open[-1]} was turned up, the referee read {event.number}")
            case model.RoundWon():
                self._apply_round_won(before, event)
            case model.PlayerFought():
                self._fighters.append(event.seat)
                self.kamons[event.seat] -= event.stake
                self.pot += event.stake
            case model.DealVoided():
                self._turned = self.pot = 0

    def _apply_discard(self, before: KobayakawaState, event: model.CardDiscarded) -> None:
        assert self._drawn is not None
        mine, drawn = self.card_in_hand(event.seat), self._drawn
        lying = self.places[self._mat_place("discard", event.seat)]
        known = bool(lying) and lying[0] != BACK
        away = (
            int(lying[0].partition(":")[2])
            if known
            else mine + drawn - self._card_to_keep(before, event.seat, drawn)
        )
        if event.number not in {away, model.UNREAD}:
            self._faults.append(f"{away} was laid open, the referee read {event.number}")
        self.discards[event.seat] = away
        self.hands[event.seat] = [card_face(mine + drawn - away)]
        self.places[self._mat_place("hand", event.seat)] = ()
        self._drawn = None

    def _apply_round_won(self, before: KobayakawaState, event: model.RoundWon) -> None:
        """Everybody saw the cards, and can tell whether the ruling is right."""
        if event.how in {"showdown", "tie"}:
            cards = {seat: self.card_in_hand(seat) for seat in self._fighters}
            lowest = min(cards.values())
            sums = {seat: card + self.open[-1] * (card == lowest) for seat, card in cards.items()}
            best = max(sums.values())
            right = next(seat for seat in before.order if sums.get(seat) == best)
            if (event.seat, event.total) != (right, best):
                self._faults.append(f"seat {right} has {best}, the referee ruled {event}")
        bonus = 0 if before.deciding else 2 if before.last else 1
        carried = before.carried
        self.kamons[event.seat] += self.pot + bonus + carried
        if event.count != self.pot + bonus + carried:
            self._faults.append(f"{self.pot} are staked, the referee paid {event.count}")
        self.pot = 0

    # Whether the referee is right -------------------------------------------------------------------------

    def find_discrepancy(self, state: KobayakawaState) -> str | None:
        if fault := super().find_discrepancy(state):
            return fault
        if list(state.kamons) != self.kamons:
            return f"kamons are {self.kamons}, the referee counts {list(state.kamons)}"
        if state.phase not in model.ROUND_PHASES:
            return None
        if state.stakes != self.pot:
            return f"{self.pot} kamons are staked, the referee counts {state.stakes}"
        if state.deck - (state.phase is KobayakawaPhase.REPLACING) != len(self.deck):
            return f"the deck has {len(self.deck)} cards, the referee counts {state.deck}"
        for seat, number in self.discards.items():
            known = state.hands[seat].discard
            if known not in {number, model.UNREAD}:
                return f"seat {seat} laid {number} open, the referee knows {known}"
        if state.phase not in model.DRAW_PHASES and state.kobayakawa not in {self.open[-1], model.UNREAD}:
            return f"the Kobayakawa is {self.open[-1]}, the referee knows {state.kobayakawa}"
        return None
