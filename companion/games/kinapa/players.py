"""Simulated Kinapa players in four styles, with the true position of all cards."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping, Sequence

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Micros, Seat, Setup
from companion.core.events import Event
from companion.games.kinapa.rules import bot_decks, model
from companion.games.kinapa.rules.bot_decks import count_decks
from companion.games.kinapa.rules.camera_rulings import BACK, HIDDEN_CARD
from companion.games.kinapa.rules.exchange import seats_owing_answer
from companion.games.kinapa.rules.model import KinapaPhase, KinapaState
from companion.games.kit.world import (
    ArrangeCards,
    CardPlace,
    Plan,
    PlayStyle,
    TakeAction,
    WorldBase,
    after,
    thinking_time,
)

_ROW_LAYING_PHASES = frozenset({KinapaPhase.ANNOUNCING, KinapaPhase.RETURNING, KinapaPhase.TURNING})
"""When people lay open cards: nobody counts."""
_ROW_LAYING_TIME: Micros = 6 * SECOND // 10


def card_number(card: str) -> int:
    """ "animal:7" → 7."""
    return int(card.partition(":")[2])


class KinapaWorld(WorldBase):
    """Who holds what, what lies under every object's back, and what everybody does next."""

    blaming_events = (shared.Infraction, model.LiarPunished, model.FalseDenialProven, model.LieProven)
    fair_styles = frozenset({PlayStyle.LAWFUL})

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle], *, bot: bool = False
    ) -> None:
        super().__init__(chairs, rng, styles)
        seats = count_decks(Setup(self.chairs, model.KinapaOptions(), bot))
        white = [f"{kind}:{number}" for number in range(1, 2 * seats + 1) for kind in ("animal", "shelter")]
        labels = [model.object_label(number) for number in range(1, 2 * seats, 2)] * 2
        rng.shuffle(white)
        rng.shuffle(labels)
        self.hands = [white[4 * seat : 4 * seat + 4] for seat in range(seats)]
        self.labels = labels
        """The object of every slot, 1st first."""
        self.places = {f"slot:{slot}": (BACK,) for slot in range(1, 2 * seats + 1)}
        self.places |= {"audit": (), **{f"open:{row}": () for row in range(1, _ROW_COUNT + 1)}}
        self._open = OpenRows(seats)
        self._seen: dict[int, str] = {}
        """What everybody remembers of the ring."""
        self._received = ""

    # What people hold -------------------------------------------------------------------------------------

    def cards_of_number(self, seat: Seat, number: int) -> list[str]:
        """The cards of `number` in a hand."""
        return [card for card in self.hands[seat] if card_number(card) == number]

    def pairs_in_hand(self, seat: Seat) -> list[int]:
        """The numbers of which a hand holds both cards."""
        numbers = [card_number(card) for card in self.hands[seat]]
        return sorted({number for number in numbers if numbers.count(number) == 2})

    # What people do ---------------------------------------------------------------------------------------

    def decision_key(self, state: KinapaState) -> Hashable:
        turn = state.turn
        bots_now = (turn.aids, state.lowest, state.decks)
        misplaced = tuple(slot.misplaced for slot in state.slots)
        return (state.phase, state.turns, turn.attempt, turn.answers, turn.audit, turn.lot, turn.slot,
                misplaced, state.placed_numbers, state.emperor, bots_now)  # fmt: skip

    def plan(self, state: KinapaState) -> Plan:
        mending = self._plan_correction(state)
        if mending:
            # If the camera does not see that it was put right, the game goes on all the same.
            said = [one for one in self._plan_phase(state) if isinstance(one[1], TakeAction)]
            return [*mending, *after(said, self.patience)]
        return [*self._plan_open_rows(state), *self._plan_phase(state)]

    def _plan_open_rows(self, state: KinapaState) -> Plan:
        """The player who was punished lays open cards in a row, and takes them up again."""
        if state.phase not in _ROW_LAYING_PHASES:
            return []
        plan: Plan = []
        for seat, row in self._open.misplaced_rows(self.places, self.hands):
            owner = state.emperor if seat is None else state.keeper_of(seat)
            gives_back = state.phase is KinapaPhase.RETURNING and seat == state.emperor
            if not gives_back:  # before it is laid, it would be another row
                plan.append((_ROW_LAYING_TIME, ArrangeCards(self.chairs[owner], tuple(row.items()))))
        return plan

    def _row_without(self, seat: Seat, *cards: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The open row of a seat, if there is one, when these cards are taken from it."""
        row = self._open.row_of(seat)
        if row is None:
            return ()
        left = [[card for card in hand if card not in cards] for hand in self.hands]
        return ((row, self._open.expected_cards(seat, left)),)

    def _plan_phase(self, state: KinapaState) -> Plan:
        """What the phase asks of people."""
        crown, turn = state.emperor, state.turn
        match state.phase:
            case KinapaPhase.STARTING:
                return self._plan_start(state)
            case KinapaPhase.AIDING:
                return self._plan_aid(state)
            case KinapaPhase.ANNOUNCING:
                return self._plan_announcing(state)
            case KinapaPhase.RECOUNTING:
                return self._plan_choice(crown, "recount", 0.5, 1.0)
            case KinapaPhase.COUNTING:
                return self._plan_hands(state)
            case KinapaPhase.PAIRING:
                has = holds = len(self.cards_of_number(crown, turn.number)) == 2
                if holds and self._has_style(crown, PlayStyle.CHEATING):
                    has = self._rng.random() < 0.5
                return [
                    *self._plan_late_hands(state),
                    *self._plan_choice(crown, "show_pair" if has else "no_pair", 0.5, 1.2),
                ]
            case KinapaPhase.CHOOSING:
                return self._plan_choice(crown, "draw_from", 0.5, 1.5, self._rng.choice(state.lowered))
            case KinapaPhase.DRAWING:
                return self._plan_choice(crown, "drawn", 0.8, 1.5)
            case KinapaPhase.ASKING | KinapaPhase.SEARCHING:
                return [
                    answer for seat in seats_owing_answer(state) for answer in self._plan_answer(state, seat)
                ]
            case KinapaPhase.PICKING:
                return self._plan_choice(crown, "pick", 0.5, 1.0, self._rng.choice(turn.holders))
            case KinapaPhase.HANDING:
                giver = turn.partner
                assert giver is not None
                return self._plan_choice(
                    crown, "receive" if self.cards_of_number(giver, turn.number) else "refuse", 0.8, 1.5
                )
            case KinapaPhase.RETURNING:
                return self._plan_choice(crown, "return", 0.8, 1.5)
            case KinapaPhase.AUDITING:
                return self._plan_audit(state)
            case KinapaPhase.TURNING:
                return self._plan_turning(state)
            case KinapaPhase.PLACING:
                return self._plan_placing(state)
            case KinapaPhase.SUCCEEDING | KinapaPhase.SWITCHING:
                verb = "crown" if state.phase is KinapaPhase.SUCCEEDING else "switch"
                return self._plan_choice(crown, verb, 0.5, 1.5, self._rng.choice(turn.candidates))
        return []

    def _plan_start(self, state: KinapaState) -> Plan:
        """The player who holds the lowest animal says so; somebody says that no hand does."""
        for seat in range(state.people):
            if f"animal:{state.lowest}" in self.hands[seat]:
                return self._plan_choice(seat, "claim_cat", 1.0, 2.0)
        return self._plan_choice(self._rng.randrange(state.people), "nobody", 1.0, 2.0)

    def _plan_aid(self, state: KinapaState) -> Plan:
        """The face of an aid is a guess; meanwhile some raise their hands already."""
        setter = bot_decks.aid_setter(state, state.turn.aids[0])
        verb = "aid_up" if self._rng.random() < 0.6 else "aid_down"
        plan = self._plan_choice(setter, verb, 0.6, 1.6)
        for seat in range(state.people):
            free = seat not in {setter, state.emperor, *state.turn.raised} and not state.seats[seat].foxes
            if free and self._slips_now(state, seat, PlayStyle.CARELESS, f"ahead{seat}", 0.2):
                plan += self._plan_press(seat, 0.1, 0.5)
        return plan

    def _plan_announcing(self, state: KinapaState) -> Plan:
        crown = state.emperor
        plan: Plan = []
        barred_here = state.placed_numbers and not state.options.allow_dead_number
        if barred_here and self._slips_now(state, crown, PlayStyle.CHEATING, "dead", 0.1):
            dead = self._rng.choice(sorted(state.placed_numbers))
            barred = self._plan_choice(crown, "announce", 0.5, 0.8, dead, breaks="announce.dead_number")
            return [*barred, *self._plan_announcement(state, 1.2)]
        for seat in self._people_but_emperor(state):
            if self._slips_now(state, seat, PlayStyle.CARELESS, "early", 0.1):
                plan += self._plan_press(seat, 0.1, 0.4)
        return [*plan, *self._plan_announcement(state, 0.6)]

    def _plan_announcement(self, state: KinapaState, soonest: float) -> Plan:
        """A number whose twin is missing in the player's own hand, if there is one."""
        crown = state.emperor
        mine = [card_number(card) for card in self.hands[crown]]
        wanted = sorted(
            {number for number in mine if mine.count(number) == 1 and number not in state.placed_numbers}
        )
        alive = [number for number in range(1, state.highest + 1) if number not in state.placed_numbers]
        bluff = self._rng.random() < 0.1
        number = self._rng.choice(alive if bluff or not wanted else wanted)
        return self._plan_choice(crown, "announce", soonest, soonest + 1.0, number)

    def _plan_hands(self, state: KinapaState) -> Plan:
        plan: Plan = []
        for seat in self._people_but_emperor(state):
            if seat in state.turn.raised:  # since the aids were laid
                continue
            has = bool(self.cards_of_number(seat, state.turn.number))
            if state.seats[seat].foxes:
                if self._slips_now(state, seat, PlayStyle.CHEATING, f"fox{seat}", 0.3):
                    plan += self._plan_press(seat, 0.5, 2.5, "hand.foxed")
                continue
            up = self._rng.random() < (0.75 if not has else self._bluff_rate(seat))
            if up:
                plan += self._plan_press(seat, 0.2, 2.7)
                if self._slips_now(state, seat, PlayStyle.CARELESS, f"wavers{seat}", 0.2):
                    # Down and up again: harmless, but every edge has to be read.
                    plan += self._plan_press(seat, 2.75, 2.8) + self._plan_press(seat, 2.85, 2.9)
        if not state.options.count_seconds:
            plan += self._plan_choice(state.emperor, "close", 3.2, 4.0)
        return plan

    def _plan_late_hands(self, state: KinapaState) -> Plan:
        """Hands that come up when the count is over."""
        plan: Plan = []
        for seat in state.lowered:
            free = not state.is_bot(seat) and not state.seats[seat].foxes
            if free and self._slips_now(state, seat, PlayStyle.CARELESS, f"late{seat}", 0.2):
                plan += self._plan_press(seat, 0.05, 0.3)
        return plan

    def _bluff_rate(self, seat: Seat) -> float:
        """How often somebody raises a hand although the number is in it."""
        return {PlayStyle.BLUFFING: 0.35, PlayStyle.CHEATING: 0.5}.get(self.styles[seat], 0.0)

    def _people_but_emperor(self, state: KinapaState) -> list[Seat]:
        """Everybody but the Emperor."""
        return [seat for seat in state.others if not state.is_bot(seat)]

    def _plan_answer(self, state: KinapaState, seat: Seat) -> Plan:
        """A duty answer; of a BOT deck by the player who looks into it."""
        has, keeper = bool(self.cards_of_number(seat, state.turn.number)), state.keeper_of(seat)
        if has and self._has_style(keeper, PlayStyle.CHEATING):
            has = self._rng.random() < 0.5
        answer = TakeAction(self.chairs[keeper], Action(seat, "has" if has else "has_not"))
        return [(thinking_time(self._rng, 0.5, 1.5), answer)]

    def _plan_audit(self, state: KinapaState) -> Plan:
        """The hand goes under the camera; taken up again once it was read."""
        seat = state.turn.audit[0]
        shown = (("audit", tuple(self.hands[seat])), *self._row_without(seat, *self.hands[seat]))
        found = "found" if self.cards_of_number(seat, state.turn.number) else "not_found"
        plan = self._plan_cards(state.keeper_of(seat), 1.0, 1.6, *shown)
        return self._plan_fallback(plan, seat, found)

    def _plan_turning(self, state: KinapaState) -> Plan:
        crown = state.emperor
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is model.ObjectPosition.DOWN]
        fitting = [model.object_label(number) for number in self.pairs_in_hand(crown)]
        known = [slot for slot in down if self._seen.get(slot) in fitting]
        fresh = [slot for slot in down if slot not in self._seen]
        slot = self._rng.choice(known or fresh or down)
        for other in self._people_but_emperor(state):
            if self._slips_now(state, other, PlayStyle.CHEATING, "elsewhere", 0.03):
                label = self.labels[slot - 1]
                grab = self._plan_choice(other, "turn", 0.3, 0.5, label, breaks="object.not_emperor")
                return [*grab, *self._plan_turn_object(crown, slot)]
        return self._plan_turn_object(crown, slot)

    def _plan_turn_object(self, seat: Seat, slot: int, breaks: str = "") -> Plan:
        label = self.labels[slot - 1]
        plan = self._plan_cards(seat, 0.8, 1.6, (f"slot:{slot}", (f"object:{label}",)), breaks=breaks)
        return plan if breaks else self._plan_fallback(plan, seat, "turn", f"{label}@{slot}")

    def _plan_placing(self, state: KinapaState) -> Plan:
        crown, turn = state.emperor, state.turn
        place = f"slot:{turn.slot}"
        under = (f"object:{turn.label}",)
        fitting = [
            number for number in model.object_numbers(turn.label) if number in self.pairs_in_hand(crown)
        ]
        unfit = [
            number for number in self.pairs_in_hand(crown) if number not in model.object_numbers(turn.label)
        ]
        if unfit and self._slips_now(state, crown, PlayStyle.CHEATING, "unfit", 0.3):
            laid = (*under, f"animal:{unfit[0]}", f"shelter:{unfit[0]}")
            taken = ((place, laid), *self._row_without(crown, *laid))
            wrong = self._plan_cards(crown, 0.5, 1.0, *taken, breaks="object.mismatch")
            return self._plan_undo_cheat(wrong, (place, under), crown)
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is model.ObjectPosition.DOWN]
        if down and self._slips_now(state, crown, PlayStyle.CARELESS, "second", 0.08):
            slot = self._rng.choice(down)
            wrong_turn = self._plan_turn_object(crown, slot, "object.second_turned")
            return self._plan_undo_cheat(wrong_turn, (f"slot:{slot}", (BACK,)), crown)
        if fitting:
            laid = (*under, f"animal:{fitting[0]}", f"shelter:{fitting[0]}")
            taken = ((place, laid), *self._row_without(crown, *laid))
            plan = self._plan_cards(crown, 1.0, 2.0, *taken)
            return self._plan_fallback(plan, crown, "place", fitting[0])
        return self._plan_fallback(self._plan_cards(crown, 1.0, 1.8, (place, (BACK,))), crown, "hide")

    def _plan_undo_cheat(self, plan: Plan, before: CardPlace, crown: Seat) -> Plan:
        """A cheat that the camera did not read is undone after a while, and the turn goes on."""
        mended = (plan[-1][0] + self.patience, ArrangeCards(self.chairs[crown], (before,)))
        return self._plan_fallback([*plan, mended], crown, "hide")

    def _plan_correction(self, state: KinapaState) -> Plan:
        """The player who is Emperor puts right what was called."""
        misplaced = [slot for slot, lying in enumerate(state.slots, 1) if lying.misplaced]
        if not misplaced:
            return []
        places = tuple((f"slot:{slot}", self._expected_slot(state, slot)) for slot in misplaced)
        return self._plan_cards(state.emperor, 0.8, 1.2, *places)

    def _expected_slot(self, state: KinapaState, slot: int) -> tuple[str, ...]:
        lying = state.slots[slot - 1]
        if lying.lies is model.ObjectPosition.DOWN:
            return (BACK,)
        pair = (
            (f"animal:{lying.pair}", f"shelter:{lying.pair}")
            if lying.lies is model.ObjectPosition.CLOSED
            else ()
        )
        return (f"object:{lying.label}", *pair)

    # What becomes true ------------------------------------------------------------------------------------

    def apply_event(self, before: KinapaState, event: Event) -> None:
        self._move_cards(before, event)
        self._open.observe_event(event, self.hands)
        self.places.update(self._open.remaining_cards(self.places, self.hands))

    def _move_cards(self, before: KinapaState, event: Event) -> None:
        crown = before.emperor
        match event:
            case model.KinapaCardDrawn():
                hand = self.hands[event.seat]
                card = hand[before.turn.lot - 1] if before.turn.lot else self._rng.choice(hand)
                self._pass_card(event.seat, crown, card)
            case model.CardHanded():
                held = self.cards_of_number(
                    event.seat, event.number
                )  # none: a person said so who cannot see this hand
                self._pass_card(event.seat, crown, self._rng.choice(held or self.hands[event.seat]))
            case model.CardReturned():
                self._pass_card(crown, event.seat, self._choose_return(crown))
            case model.ObjectTurned():
                self._seen[event.slot] = event.label
            case model.PairPlaced():
                for card in self.cards_of_number(event.seat, event.number):
                    self.hands[event.seat].remove(card)
                self._seen.pop(event.slot, None)
            case model.CardFound() | model.CardNotFound():
                self.places["audit"] = ()
            case model.DecksSwitched():
                hands = self.hands
                hands[event.seat], hands[event.bot] = hands[event.bot], hands[event.seat]

    def _choose_return(self, crown: Seat) -> str:
        """The card that goes back: never the last received, and none of a pair if there is another."""
        loose = [card for card in self.hands[crown] if card != self._received]
        pairs = self.pairs_in_hand(crown)
        spare = [card for card in loose if card_number(card) not in pairs]
        return self._rng.choice(spare or loose)

    def _pass_card(self, giver: Seat, taker: Seat, card: str) -> None:
        self.hands[giver].remove(card)
        self.hands[taker].append(card)
        self._open.add_received_card(taker, card)
        self._received = card

    # Whether the referee is right -------------------------------------------------------------------------

    def find_discrepancy(self, state: KinapaState) -> str | None:
        for seat, hand in enumerate(self.hands):
            if state.seats[seat].cards != len(hand):
                return f"seat {seat} holds {len(hand)} cards, the referee counts {state.seats[seat].cards}"
        for slot, lying in enumerate(state.slots, 1):
            if lying.label and lying.label != self.labels[slot - 1]:
                return f"slot {slot} is {self.labels[slot - 1]}, the referee knows {lying.label}"
        for seat, number in state.holds:
            if not self.cards_of_number(seat, number):
                return f"seat {seat} holds no {number}, the referee believes it does"
        return None


# The open rows of punished players --------------------------------------------------------------------------


_ROW_COUNT = 4
"""On the newest mat, clockwise, as people sit; a player who finds none free lays the cards elsewhere."""

RowCards = Mapping[str, tuple[str, ...]]
"""Place → its cards, from their owner's left."""


class OpenRows:
    """Owns who has which row, and which cards of it lie face down."""

    def __init__(self, seats: int) -> None:
        self._seats = seats
        self._rows: dict[Seat, int] = {}
        self._hidden: set[str] = set()

    def observe_event(self, event: Event, hands: Sequence[Sequence[str]]) -> None:
        """A ruling; `hands` as they are after it."""
        match event:
            case model.LiarPunished():
                self._hidden -= set(hands[event.seat])
                first = _ROW_COUNT * event.seat // self._seats
                around = ((first + step) % _ROW_COUNT + 1 for step in range(_ROW_COUNT))
                free = next((row for row in around if row not in self._rows.values()), None)
                if free is not None:
                    self._rows.setdefault(event.seat, free)
            case model.FoxRemoved(left=0) | model.FoxesTaken(left=0) | model.DeckEmptied():
                self._rows.pop(event.seat, None)
            case model.DecksSwitched():
                there = {event.seat: event.bot, event.bot: event.seat}
                self._rows = {there.get(seat, seat): row for seat, row in self._rows.items()}

    def add_received_card(self, taker: Seat, card: str) -> None:
        """A card that comes into an open hand lies face down beside it."""
        (self._hidden.add if taker in self._rows else self._hidden.discard)(card)

    def remaining_cards(self, places: RowCards, hands: Sequence[Sequence[str]]) -> RowCards:
        """The rows without the cards that somebody else holds by now."""
        held = {row: hands[seat] for seat, row in self._rows.items()}
        return {
            f"open:{row}": tuple(
                card for card in places[f"open:{row}"] if card == HIDDEN_CARD or card in cards
            )
            for row, cards in held.items()
        }

    def misplaced_rows(
        self, places: RowCards, hands: Sequence[Sequence[str]]
    ) -> Iterator[tuple[Seat | None, RowCards]]:
        """Each row that has to be laid otherwise, with whose it is; nobody's, where cards are taken up."""
        owners = {row: seat for seat, row in self._rows.items()}
        for row in range(1, _ROW_COUNT + 1):
            name, seat = f"open:{row}", owners.get(row)
            if places[name] != (cards := self.expected_cards(seat, hands)):
                yield seat, {name: cards}

    def expected_cards(self, seat: Seat | None, hands: Sequence[Sequence[str]]) -> tuple[str, ...]:
        """What ought to lie in a row."""
        if seat is None:
            return ()
        return tuple(HIDDEN_CARD if card in self._hidden else card for card in hands[seat])

    def row_of(self, seat: Seat) -> str | None:
        """The row of a seat, if it has one."""
        return f"open:{self._rows[seat]}" if seat in self._rows else None
