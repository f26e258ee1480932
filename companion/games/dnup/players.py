"""Simulated dnup players in four styles, with the true hands."""

import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import NamedTuple

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Seat
from companion.core.events import Event
from companion.games.dnup.rules import camera_rulings, model, turn_flow
from companion.games.dnup.rules import cards as card
from companion.games.dnup.rules.cards import PRINTED_DECK, STAR_CARD, card_symbol, card_values, cards_in_use
from companion.games.dnup.rules.model import DnupPhase, DnupState, area_region
from companion.games.dnup.rules.turn_flow import infer_hand_after
from companion.games.kit.world import (
    CardPlace,
    CardPlaces,
    Plan,
    PlayStyle,
    TakeAction,
    WorldBase,
)

SCAN_ROW_SIZE = 6
"""Cards that are shown at once while the deck is scanned."""
ASKEW = "@85"
VERB_BY_PHASE: Mapping[DnupPhase, str] = {
    DnupPhase.SIZING: "play",
    DnupPhase.VALUING: "play",
    DnupPhase.ADDING: "add",
    DnupPhase.TAKING: "take",
}
"""What is being said in these phases."""


class Intent(NamedTuple):
    """What somebody is about in a turn."""

    turn: int
    action: Action
    """How it is said."""
    cards: tuple[str, ...]
    """What leaves the hand."""
    laid: bool = False
    """It lies on the table already."""
    breaks: str = ""


class DnupWorld(WorldBase):
    """Who holds which cards which way up (`8/3`), what lies where, and what everybody does next.

    LAWFUL lays cards. BLUFFING says it by button first. CARELESS is clumsy. CHEATING is dishonest.
    """

    blaming_events = (shared.Infraction, model.StarElsewhere, model.HandDoubted)
    patience = 8 * SECOND

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        super().__init__(chairs, rng, styles)
        self.sets: list[tuple[str, ...]] = [()] * (4 if len(self.chairs) == 2 else len(self.chairs))
        self.places = {area_region(area): () for area in range(len(self.sets))}
        self.places[camera_rulings.SCAN_REGION] = ()
        self.pile: list[str] = []
        self.points = [0] * len(self.chairs)
        self._intent: Intent | None = None
        self._deck = list(PRINTED_DECK)
        rng.shuffle(self._deck)

    def _deal(self) -> None:
        """All cards, each lying one way or the other."""
        deck = [
            card.card_as_read(name, self._rng.choice((0, 180)))
            for name in cards_in_use(PRINTED_DECK, len(self.chairs))
        ]
        self._rng.shuffle(deck)
        self.hands = [sorted(deck[seat :: len(self.chairs)]) for seat in range(len(self.chairs))]
        self.sets = [()] * len(self.sets)
        self.pile = []
        self._intent = None
        for area in range(len(self.sets)):
            self.places[area_region(area)] = ()

    # What people do ---------------------------------------------------------------------------------------

    def decision_key(self, state: DnupState) -> Hashable:
        unread = tuple(area.unread for area in state.areas)
        misplaced = tuple(camera_rulings.changed_areas(state)) if state.is_turn_running else ()
        return (state.phase, state.round, state.turns, state.due is not None, state.doubt, misplaced, unread,
                len(state.shown), state.size)  # fmt: skip

    def plan(self, state: DnupState) -> Plan:
        match state.phase:
            case DnupPhase.SCANNING:
                return self._plan_scan(state)
            case DnupPhase.SORTING:
                return self._plan_choice(0, "prepared", 1.0, 2.0)
            case DnupPhase.DEALING:
                holder = next(
                    seat for seat, hand in enumerate(self.hands) if STAR_CARD in map(card.card_name, hand)
                )
                return self._plan_choice(holder, "star", 1.0, 2.0)
            case DnupPhase.OVER:
                return []
        return self._plan_turn(state)

    def _plan_scan(self, state: DnupState) -> Plan:
        """The deck, a row at a time; then it is said to be whole."""
        shown = len(state.shown)
        clear = self._plan_cards(0, 0.4, 0.6, (camera_rulings.SCAN_REGION, ()))
        if shown >= len(PRINTED_DECK):
            whole = sorted(state.shown) == sorted(PRINTED_DECK)
            return [*clear, *self._plan_choice(0, "scanned" if whole else "listed", 1.0, 1.5)]
        row = tuple(camera_rulings.CARD_PREFIX + name for name in self._deck[shown : shown + SCAN_ROW_SIZE])
        lies = self._plan_cards(0, 2.0, 2.5, (camera_rulings.SCAN_REGION, row))
        return [*clear, *lies, *self._plan_choice(0, "listed", 12.0, 13.0)]

    def _plan_turn(self, state: DnupState) -> Plan:
        """Tidy up, then act; or continue what was begun."""
        seat = state.seat
        intent = self._intent if self._intent is not None and self._intent.turn == state.turns else None
        if state.due is not None:
            breaks = intent.breaks if intent is not None else ""
            if breaks or self._rng.random() < 0.6:
                return self._plan_choice(seat, "done", 0.3, 0.8, breaks=breaks)
            return []
        if camera_rulings.changed_areas(state) or (intent is not None and intent.breaks and intent.laid):
            self._intent = None
            return self._plan_correction(state)
        if state.phase is not DnupPhase.ACTING and (
            intent is None or intent.action.verb != VERB_BY_PHASE[state.phase]
        ):
            return self._plan_choice(seat, "again", 0.4, 0.8)  # somebody else began to say it
        if state.phase is DnupPhase.SIZING and intent is not None:
            return self._plan_choice(seat, "size", 0.4, 0.8, len(intent.cards))
        if state.phase is DnupPhase.VALUING and intent is not None:
            return self._plan_choice(seat, "value", 0.4, 0.8, card.active_value(intent.cards[0]))
        if state.phase is not DnupPhase.ACTING and intent is not None:
            return self._plan_choice(seat, intent.action.verb, 0.4, 0.8, intent.action.value)
        if intent is not None and intent.laid:
            return self._plan_laid(state, intent)
        if state.stalled:
            return [*self._plan_tidying(state), *self._plan_choice(seat, "redeal", 1.5, 2.0)]
        deeds = self._plan_action(state)
        forgets = self._intent is not None and self._intent.breaks == "discard.first"
        return [*self._plan_tidying(state, *([state.area] if forgets else [])), *deeds]

    def _plan_laid(self, state: DnupState, intent: Intent) -> Plan:
        """Say what lies there unread, or lay it where the plan was replaced before that."""
        verb, value = intent.action.verb, intent.action.value
        place, meant = self._place_after_action(state, intent.action, intent.cards)
        lying, wanted = ([one.partition("@")[0] for one in cards] for cards in (self.places[place], meant))
        if lying == wanted:
            return self._plan_choice(state.seat, verb, 1.0, 2.0, value)
        lays = self._plan_cards(state.seat, 1.4, 2.2, (place, meant))
        return [*self._plan_tidying(state), *self._plan_fallback(lays, state.seat, verb, value)]

    def _plan_tidying(self, state: DnupState, *but: int) -> Plan:
        """Everybody brings the cards to where the rulings say they are."""
        plan: Plan = []
        for area, (place, lying) in enumerate(self._expected_places()):
            if self.places[place] != lying and area not in but:
                plan += self._plan_cards(state.owner(area), 0.3, 0.8, (place, lying))
        return plan

    def _plan_correction(self, state: DnupState) -> Plan:
        """What was laid wrongly goes back."""
        wrong = [here for here in self._expected_places() if self.places[here[0]] != here[1]]
        if not wrong:  # the camera errs: it is said
            return [(self.patience, TakeAction(self.chairs[state.seat], Action(state.seat, "rotate")))]
        return self._plan_cards(state.seat, 0.8, 1.2, *wrong)

    def _expected_places(self) -> Iterator[CardPlace]:
        for area, cards in enumerate(self.sets):
            yield area_region(area), tuple(map(card_picture, cards))

    def _plan_action(self, state: DnupState) -> Plan:
        """One action of the player in turn, lawful or not."""
        seat = state.seat
        grab: Plan = []
        other = (seat + 1) % state.players
        if other not in state.out and self._slips_now(state, other, PlayStyle.CHEATING, "turn", 0.05):
            grab = self._plan_choice(other, "rotate", 0.9, 1.0, breaks="turn.not_yours")
        slip = self._plan_slip(state)
        if slip is not None:
            intent, places = slip
            self._intent = intent._replace(laid=True)
            return [*grab, *self._plan_cards(seat, 1.4, 2.2, *places)]
        action, cards = self._choose_action(state)
        self._intent = Intent(state.turns, action, cards)
        spoken = self._has_style(seat, PlayStyle.BLUFFING) and self._rng.random() < 0.6
        if action.verb == "rotate" or spoken:
            by_steps = action.verb == "play" or self._rng.random() < 0.5
            whole = None if by_steps else action.value
            return [*grab, *self._plan_choice(seat, action.verb, 1.4, 2.2, whole)]
        self._intent = self._intent._replace(laid=True)
        place, lying = self._place_after_action(state, action, cards)
        if self._slips_now(state, seat, PlayStyle.CARELESS, "askew", 0.06) and cards:
            lying = (*lying[:-1], lying[-1].partition("@")[0] + ASKEW)
        plan = [*grab, *self._plan_cards(seat, 1.4, 2.2, (place, lying))]
        return self._plan_fallback(plan, seat, action.verb, action.value)

    def _place_after_action(self, state: DnupState, action: Action, cards: tuple[str, ...]) -> CardPlace:
        """The place that an action changes, and what is there then."""
        if action.verb == "play":
            return area_region(state.area), tuple(map(card_picture, cards))
        area = int(action.value or 0) - 1
        there = self.sets[area] if action.verb == "add" else ()
        return area_region(area), tuple(map(card_picture, (*there, *cards)))

    # Choosing ---------------------------------------------------------------------------------------------

    def _choose_action(self, state: DnupState) -> tuple[Action, tuple[str, ...]]:
        """What somebody sensible does, with a whim now and then."""
        ways = list(self._scored_actions(state))
        if self._rng.random() < 0.08:
            return self._rng.choice(ways)[1:]
        return max(ways, key=lambda way: way[0] + self._rng.random() * 3)[1:]

    def _scored_actions(self, state: DnupState) -> Iterator[tuple[float, Action, tuple[str, ...]]]:
        """Every lawful action with the true hand, and how good it looks."""
        seat, hand = state.seat, self.hands[state.seat]
        for size, value in turn_flow.legal_plays(state):
            own = [one for one in hand if card.active_value(one) == value]
            if len(own) >= size:
                out = 100 if size == len(hand) else 0
                yield out + 10 * size + value / 4, Action(seat, "play", f"{size}x{value}"), tuple(own[:size])
        for area in turn_flow.addable_areas(state):
            own = [one for one in hand if card.active_value(one) == state.value(area)]
            if own:
                out = 100 if len(hand) == 1 else 0
                yield out + 11, Action(seat, "add", area + 1), (own[0],)
        for area in turn_flow.takable_areas(state):
            yield 5 - len(self.sets[area]) - len(hand) / 4, Action(seat, "take", area + 1), ()
        over = [card.active_value(card.rotate_card(one)) for one in hand]
        yield 4 * max(map(over.count, over)), Action(seat, "rotate"), ()

    def _plan_slip(self, state: DnupState) -> tuple[Intent, CardPlaces] | None:
        """A mistake or a cheat that everybody can see, if this person's habits bring one now."""
        seat, hand = state.seat, self.hands[state.seat]
        nothing = Action(seat, "done")

        def intent(breaks: str) -> Intent:
            return Intent(state.turns, nothing, (), breaks=breaks)

        here = state.areas[state.area]
        own = area_region(state.area)
        if (
            here.old
            and here.seen == here.old
            and self._slips_now(state, seat, PlayStyle.CARELESS, "discard", 0.1)
        ):
            fresh = card_picture(hand[0])
            if not card.contains_cards((hand[0],), here.old):
                return intent("discard.first"), ((own, (*self.places[own], fresh)),)
        for area in turn_flow.takable_areas(state):
            there = self.sets[area]
            if len(there) > 1 and self._slips_now(state, seat, PlayStyle.CARELESS, "part", 0.1):
                return intent("take.whole_set"), ((area_region(area), tuple(map(card_picture, there[1:]))),)
        if self._slips_now(state, seat, PlayStyle.CHEATING, "mixed", 0.05):
            mixed = next(
                (other for other in hand if card.active_value(other) != card.active_value(hand[0])), None
            )
            if mixed is not None:
                return intent("set.mixed"), ((own, (card_picture(hand[0]), card_picture(mixed))),)
        if self._slips_now(state, seat, PlayStyle.CHEATING, "low", 0.06):
            low = next(
                (
                    one
                    for one in hand
                    if turn_flow.rule_against_play(state, 1, card.active_value(one)) == "play.not_higher"
                ),
                None,
            )
            if low is not None:
                return intent("play.not_higher"), ((own, (card_picture(low),)),)
        if self._slips_now(state, seat, PlayStyle.CHEATING, "turned", 0.2):
            for one in state.hands[seat].known:
                wrong = card.rotate_card(one)
                lawful = not turn_flow.rule_against_play(state, 1, card.active_value(wrong))
                if lawful and infer_hand_after(state, seat, (wrong,)).rule == "card.turned":
                    return intent("card.turned"), ((own, (card_picture(wrong),)),)
        return None

    # What becomes true ------------------------------------------------------------------------------------

    def apply_event(self, before: DnupState, event: Event) -> None:
        match event:
            case model.DeckSorted() | model.CardsRedealt() | model.DnupRoundEnded():
                self._deal()
            case model.SetPlayed():
                self.sets[event.area] = self._remove_from_hand(before, event.seat, event.cards)
            case model.CardAdded():
                self.sets[event.area] += self._remove_from_hand(before, event.seat, (event.card,))
            case model.SetTaken() | model.SetReturned():
                self.hands[event.seat] += map(card.rotate_card, self.sets[event.area])
                self.sets[event.area] = ()
            case model.SetDiscarded() | model.SetBeaten():
                self.pile += self.sets[event.area]
                self.sets[event.area] = ()
            case model.HandRotated():
                self.hands[event.seat] = list(map(card.rotate_card, self.hands[event.seat]))
            case model.WentOut():
                self.points[event.seat] += event.points

    def _remove_from_hand(self, before: DnupState, seat: Seat, declared: tuple[str, ...]) -> tuple[str, ...]:
        """Cards leave a hand: those that were meant, or any that fit."""
        intent, hand = self._intent, self.hands[seat]
        meant = intent.cards if intent is not None and intent.turn == before.turns else ()
        leaves = meant if card.may_be_same_cards(meant, declared) else declared
        gone: list[str] = []
        for one in leaves:
            fitting = (held for held in hand if card.may_be_same_card(one, held))
            found = one if one in hand else next(fitting, None)
            if found is None:
                self._faults.append(f"{one} was ruled to leave {hand}")
                if not hand:
                    break
                found = hand[0]  # the player who said so has laid something
            hand.remove(found)
            gone.append(found)
        return tuple(gone)

    # Whether the referee is right -------------------------------------------------------------------------

    def find_discrepancy(self, state: DnupState) -> str | None:
        if fault := super().find_discrepancy(state):
            return fault
        if list(state.points) != self.points:
            return f"points are {self.points}, the referee counts {list(state.points)}"
        if not state.is_turn_running:
            return None
        for seat, (hand, truth) in enumerate(zip(state.hands, self.hands, strict=True)):
            if hand.size != len(truth):
                return f"seat {seat} holds {len(truth)} cards, the referee counts {hand.size}"
            if not card.contains_cards(hand.known, truth):
                return f"seat {seat} holds {truth}, the referee knows {hand.known}"
        for area, (here, lying) in enumerate(zip(state.areas, self.sets, strict=True)):
            if not card.may_be_same_cards(here.cards, lying):
                return f"{lying} lies in area {area}, the referee knows {here.cards}"
        names = list(map(card.card_name, self.pile))
        if state.discarded != len(names) or any(state.gone.count(n) > names.count(n) for n in state.gone):
            return f"the pile is {sorted(names)}, the referee knows {sorted(state.gone)}"
        return None


def card_picture(one: str) -> str:
    """A card as it lies before its owner."""
    low, high = card_values(card.card_name(one))
    upright = one == f"{low}/{high}{card_symbol(card.card_name(one))}"
    return f"{camera_rulings.CARD_PREFIX}{card.card_name(one)}" + ("" if upright else "@180")
