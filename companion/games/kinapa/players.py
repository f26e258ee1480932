"""Kinapa at a simulated table: the deal, and people of four habits who play it."""

import random
from collections.abc import Hashable, Sequence

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Micros, Seat, Setup
from companion.core.events import Event
from companion.games.kinapa.open_rows import OpenRows, bare
from companion.games.kinapa.rules import bots
from companion.games.kinapa.rules import events as ev
from companion.games.kinapa.rules.bots import seats_of
from companion.games.kinapa.rules.exchange import askable
from companion.games.kinapa.rules.options import KinapaOptions
from companion.games.kinapa.rules.state import KinapaState, Lies, Phase, label_of, numbers_of
from companion.games.kit.world import Arrange, Choose, Plan, Players, PressRaw, Style, after

BACK = "back:blue"
_CALM = frozenset({Phase.ANNOUNCING, Phase.RETURNING, Phase.TURNING})
"""When people lay open cards: nobody counts."""
_LAYING: Micros = 6 * SECOND // 10
PATIENCE: Micros = 6 * SECOND
"""How long people wait for the camera before they say what is there."""


def number_of(card: str) -> int:
    """ "animal:7" → 7."""
    return int(card.partition(":")[2])


class KinapaWorld(Players):
    """Who holds what, what lies under every object's back, and what everybody does next."""

    blames = (shared.Infraction, ev.Punished, ev.FalseDenialProven, ev.LieProven)
    fair = frozenset({Style.LAWFUL})

    def __init__(
        self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[Style], *, bot: bool = False
    ) -> None:
        super().__init__(chairs, rng, styles)
        seats = seats_of(Setup(self.chairs, KinapaOptions(), bot))
        white = [f"{kind}:{number}" for number in range(1, 2 * seats + 1) for kind in ("animal", "shelter")]
        labels = [label_of(number) for number in range(1, 2 * seats, 2)] * 2
        rng.shuffle(white)
        rng.shuffle(labels)
        self.hands = [white[4 * seat : 4 * seat + 4] for seat in range(seats)]
        self.labels = labels
        """The object of every slot, 1st first."""
        self.places: dict[str, tuple[str, ...]] = {
            f"slot:{slot}": (BACK,) for slot in range(1, 2 * seats + 1)
        }
        self.places |= {"audit": (), **bare()}
        self._open = OpenRows(seats)
        self._seen: dict[int, str] = {}
        """What everybody remembers of the ring."""
        self._received = ""

    # What people hold -------------------------------------------------------------------------------------

    def holds(self, seat: Seat, number: int) -> list[str]:
        """The cards of `number` in a hand."""
        return [card for card in self.hands[seat] if number_of(card) == number]

    def pairs(self, seat: Seat) -> list[int]:
        """The numbers of which a hand holds both cards."""
        numbers = [number_of(card) for card in self.hands[seat]]
        return sorted({number for number in numbers if numbers.count(number) == 2})

    # What people do ---------------------------------------------------------------------------------------

    def moment(self, state: KinapaState) -> Hashable:
        turn = state.turn
        bots_now = (turn.aids, state.lowest, state.decks)
        misplaced = tuple(slot.misplaced for slot in state.slots)
        return (state.phase, state.turns, turn.attempt, turn.answers, turn.audit, turn.lot, turn.slot,
                misplaced, state.dead, state.desk.paused, state.emperor, bots_now)  # fmt: skip

    def plan(self, state: KinapaState) -> Plan:
        if state.desk.paused:
            return []
        mending = self._put_right(state)
        if mending:
            # If the camera does not see that it was put right, the game goes on all the same.
            late = [(delay + PATIENCE, deed) for delay, deed in self._next(state) if isinstance(deed, Choose)]
            return [*mending, *late]
        return [*self._rows(state), *self._next(state)]

    def _rows(self, state: KinapaState) -> Plan:
        """The player who was punished lays open cards in a row, and takes them up again."""
        if state.phase not in _CALM:
            return []
        plan: Plan = []
        for seat, row in self._open.misplaced(self.places, self.hands):
            owner = state.emperor if seat is None else bots.keeper(state, seat)
            gives_back = state.phase is Phase.RETURNING and seat == state.emperor
            if not gives_back:  # before it is laid, it would be another row
                plan.append((_LAYING, Arrange(self.chairs[owner], tuple(row.items()))))
        return plan

    def _without(self, seat: Seat, *cards: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The open row of a seat, if there is one, when these cards are taken from it."""
        row = self._open.of(seat)
        if row is None:
            return ()
        left = [[card for card in hand if card not in cards] for hand in self.hands]
        return ((row, self._open.lain(seat, left)),)

    def _next(self, state: KinapaState) -> Plan:
        """What the phase asks of people."""
        crown, turn = state.emperor, state.turn
        match state.phase:
            case Phase.STARTING:
                return self._starting(state)
            case Phase.AIDING:
                return self._aid(state)
            case Phase.ANNOUNCING:
                return self._announcing(state)
            case Phase.RECOUNTING:
                return self._says(crown, "recount", 0.5, 1.0)
            case Phase.COUNTING:
                return self._hands(state)
            case Phase.PAIRING:
                has = holds = len(self.holds(crown, turn.number)) == 2
                if holds and self._is(crown, Style.CHEATING):
                    has = self._rng.random() < 0.5
                return [*self._late(state), *self._says(crown, "show_pair" if has else "no_pair", 0.5, 1.2)]
            case Phase.CHOOSING:
                return self._says(crown, "draw_from", 0.5, 1.5, self._rng.choice(state.lowered))
            case Phase.DRAWING:
                return self._says(crown, "drawn", 0.8, 1.5)
            case Phase.ASKING | Phase.SEARCHING:
                return [answer for seat in askable(state) for answer in self._answer(state, seat)]
            case Phase.PICKING:
                return self._says(crown, "pick", 0.5, 1.0, self._rng.choice(turn.holders))
            case Phase.HANDING:
                giver = turn.partner
                assert giver is not None
                return self._says(crown, "receive" if self.holds(giver, turn.number) else "refuse", 0.8, 1.5)
            case Phase.RETURNING:
                return self._says(crown, "return", 0.8, 1.5)
            case Phase.AUDITING:
                return self._audit(state)
            case Phase.TURNING:
                return self._turning(state)
            case Phase.PLACING:
                return self._placing(state)
            case Phase.SUCCEEDING | Phase.SWITCHING:
                verb = "crown" if state.phase is Phase.SUCCEEDING else "switch"
                return self._says(crown, verb, 0.5, 1.5, self._rng.choice(turn.candidates))
        return []

    def _starting(self, state: KinapaState) -> Plan:
        """The player who holds the lowest animal says so; somebody says that no hand does."""
        for seat in range(state.people):
            if f"animal:{state.lowest}" in self.hands[seat]:
                return self._says(seat, "claim_cat", 1.0, 2.0)
        return self._says(self._rng.randrange(state.people), "nobody", 1.0, 2.0)

    def _aid(self, state: KinapaState) -> Plan:
        """The face of an aid is a guess; meanwhile some raise their hands already."""
        setter = bots.setter(state, state.turn.aids[0])
        verb = "aid_up" if self._rng.random() < 0.6 else "aid_down"
        plan = self._says(setter, verb, 0.6, 1.6)
        for seat in range(state.people):
            free = seat not in {setter, state.emperor, *state.turn.raised} and not state.seats[seat].foxes
            if free and self._trips(state, seat, Style.CARELESS, f"ahead{seat}", 0.2):
                plan.append((after(self._rng, 0.1, 0.5), PressRaw(self.chairs[seat])))
        return plan

    def _announcing(self, state: KinapaState) -> Plan:
        crown = state.emperor
        plan: Plan = []
        barred_here = state.dead and not state.options.allow_dead_number
        if barred_here and self._trips(state, crown, Style.CHEATING, "dead", 0.1):
            dead = self._rng.choice(sorted(state.dead))
            barred = Choose(self.chairs[crown], Action(crown, "announce", dead), "announce.dead_number")
            return [(after(self._rng, 0.5, 0.8), barred), *self._number(state, 1.2)]
        for seat in self._people(state):
            if self._trips(state, seat, Style.CARELESS, "early", 0.1):
                plan.append((after(self._rng, 0.1, 0.4), PressRaw(self.chairs[seat])))
        return [*plan, *self._number(state, 0.6)]

    def _number(self, state: KinapaState, soonest: float) -> Plan:
        """A number whose twin is missing in the player's own hand, if there is one."""
        crown = state.emperor
        mine = [number_of(card) for card in self.hands[crown]]
        wanted = sorted({number for number in mine if mine.count(number) == 1 and number not in state.dead})
        alive = [number for number in range(1, state.highest + 1) if number not in state.dead]
        bluff = self._rng.random() < 0.1
        number = self._rng.choice(alive if bluff or not wanted else wanted)
        return self._says(crown, "announce", soonest, soonest + 1.0, number)

    def _hands(self, state: KinapaState) -> Plan:
        plan: Plan = []
        for seat in self._people(state):
            chair, number = self.chairs[seat], state.turn.number
            if seat in state.turn.raised:  # since the aids were laid
                continue
            has = bool(self.holds(seat, number))
            if state.seats[seat].foxes:
                if self._trips(state, seat, Style.CHEATING, f"fox{seat}", 0.3):
                    plan.append((after(self._rng, 0.5, 2.5), PressRaw(chair, "hand.foxed")))
                continue
            up = self._rng.random() < (0.75 if not has else self._courage(seat))
            if up:
                plan.append((after(self._rng, 0.2, 2.7), PressRaw(chair)))
                if self._trips(state, seat, Style.CARELESS, f"wavers{seat}", 0.2):
                    # Down and up again: harmless, but every edge has to be read.
                    plan += [
                        (after(self._rng, 2.75, 2.8), PressRaw(chair)),
                        (after(self._rng, 2.85, 2.9), PressRaw(chair)),
                    ]
        if not state.options.count_seconds:
            plan += self._says(state.emperor, "close", 3.2, 4.0)
        return plan

    def _late(self, state: KinapaState) -> Plan:
        """Hands that come up when the count is over."""
        return [
            (after(self._rng, 0.05, 0.3), PressRaw(self.chairs[seat]))
            for seat in state.lowered
            if not state.is_bot(seat)
            and not state.seats[seat].foxes
            and self._trips(state, seat, Style.CARELESS, f"late{seat}", 0.2)
        ]

    def _courage(self, seat: Seat) -> float:
        """How often somebody raises a hand although the number is in it."""
        return {Style.BLUFFING: 0.35, Style.CHEATING: 0.5}.get(self.styles[seat], 0.0)

    def _people(self, state: KinapaState) -> list[Seat]:
        """Everybody but the Emperor."""
        return [seat for seat in state.others if not state.is_bot(seat)]

    def _answer(self, state: KinapaState, seat: Seat) -> Plan:
        """A duty answer; of a BOT deck by the player who looks into it."""
        has, keeper = bool(self.holds(seat, state.turn.number)), bots.keeper(state, seat)
        if has and self._is(keeper, Style.CHEATING):
            has = self._rng.random() < 0.5
        answer = Choose(self.chairs[keeper], Action(seat, "has" if has else "has_not"))
        return [(after(self._rng, 0.5, 1.5), answer)]

    def _audit(self, state: KinapaState) -> Plan:
        """The hand goes under the camera; taken up again once it was read."""
        seat = state.turn.audit[0]
        chair = self.chairs[bots.keeper(state, seat)]
        shown = (("audit", tuple(self.hands[seat])), *self._without(seat, *self.hands[seat]))
        found = "found" if self.holds(seat, state.turn.number) else "not_found"
        plan: Plan = [(after(self._rng, 1.0, 1.6), Arrange(chair, shown))]
        return self._if_unread(plan, Action(seat, found))

    def _turning(self, state: KinapaState) -> Plan:
        crown = state.emperor
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is Lies.DOWN]
        fitting = [label_of(number) for number in self.pairs(crown)]
        known = [slot for slot in down if self._seen.get(slot) in fitting]
        fresh = [slot for slot in down if slot not in self._seen]
        slot = self._rng.choice(known or fresh or down)
        for other in self._people(state):
            if self._trips(state, other, Style.CHEATING, "elsewhere", 0.03):
                grab = Choose(
                    self.chairs[other], Action(other, "turn", self.labels[slot - 1]), "object.not_emperor"
                )
                return [(after(self._rng, 0.3, 0.5), grab), *self._turn(crown, slot)]
        return self._turn(crown, slot)

    def _turn(self, seat: Seat, slot: int, breaks: str = "") -> Plan:
        label = self.labels[slot - 1]
        shown = ((f"slot:{slot}", (f"object:{label}",)),)
        plan: Plan = [(after(self._rng, 0.8, 1.6), Arrange(self.chairs[seat], shown, breaks))]
        return plan if breaks else self._if_unread(plan, Action(seat, "turn", f"{label}@{slot}"))

    def _if_unread(self, plan: Plan, action: Action) -> Plan:
        """Cards that the camera does not read are named by the players, after a while."""
        delay, deed = plan[-1]
        return [*plan, (delay + PATIENCE, Choose(deed.chair, action))]

    def _placing(self, state: KinapaState) -> Plan:
        crown, turn = state.emperor, state.turn
        place = f"slot:{turn.slot}"
        under = (f"object:{turn.label}",)
        fitting = [number for number in numbers_of(turn.label) if number in self.pairs(crown)]
        unfit = [number for number in self.pairs(crown) if number not in numbers_of(turn.label)]
        if unfit and self._trips(state, crown, Style.CHEATING, "unfit", 0.3):
            laid = (*under, f"animal:{unfit[0]}", f"shelter:{unfit[0]}")
            taken = ((place, laid), *self._without(crown, *laid))
            wrong = Arrange(self.chairs[crown], taken, "object.mismatch")
            return self._unseen([(after(self._rng, 0.5, 1.0), wrong)], ((place, under),), crown)
        down = [slot for slot, lying in enumerate(state.slots, 1) if lying.lies is Lies.DOWN]
        if down and self._trips(state, crown, Style.CARELESS, "second", 0.08):
            slot = self._rng.choice(down)
            wrong_turn = self._turn(crown, slot, "object.second_turned")
            return self._unseen(wrong_turn, ((f"slot:{slot}", (BACK,)),), crown)
        if fitting:
            laid = (*under, f"animal:{fitting[0]}", f"shelter:{fitting[0]}")
            taken = ((place, laid), *self._without(crown, *laid))
            plan: Plan = [(after(self._rng, 1.0, 2.0), Arrange(self.chairs[crown], taken))]
            return self._if_unread(plan, Action(crown, "place", fitting[0]))
        plan = [(after(self._rng, 1.0, 1.8), Arrange(self.chairs[crown], ((place, (BACK,)),)))]
        return self._if_unread(plan, Action(crown, "hide"))

    def _unseen(self, plan: Plan, before: tuple[tuple[str, tuple[str, ...]], ...], crown: Seat) -> Plan:
        """A cheat that the camera did not read is undone after a while, and the turn goes on."""
        delay, _ = plan[-1]
        mended = (delay + PATIENCE, Arrange(self.chairs[crown], before))
        hidden = (delay + 2 * PATIENCE, Choose(self.chairs[crown], Action(crown, "hide")))
        return [*plan, mended, hidden]

    def _put_right(self, state: KinapaState) -> Plan:
        """The player who is Emperor puts right what was called."""
        misplaced = [slot for slot, lying in enumerate(state.slots, 1) if lying.misplaced]
        if not misplaced:
            return []
        places = tuple((f"slot:{slot}", self._lawful(state, slot)) for slot in misplaced)
        return [(after(self._rng, 0.8, 1.2), Arrange(self.chairs[state.emperor], places))]

    def _lawful(self, state: KinapaState, slot: int) -> tuple[str, ...]:
        lying = state.slots[slot - 1]
        if lying.lies is Lies.DOWN:
            return (BACK,)
        pair = (f"animal:{lying.pair}", f"shelter:{lying.pair}") if lying.lies is Lies.CLOSED else ()
        return (f"object:{lying.label}", *pair)

    # What becomes true ------------------------------------------------------------------------------------

    def happened(self, before: KinapaState, event: Event) -> None:
        self._moved(before, event)
        self._open.hear(event, self.hands)
        self.places.update(self._open.left_in(self.places, self.hands))

    def _moved(self, before: KinapaState, event: Event) -> None:
        crown = before.emperor
        match event:
            case ev.CardDrawn():
                hand = self.hands[event.seat]
                card = hand[before.turn.lot - 1] if before.turn.lot else self._rng.choice(hand)
                self._pass(event.seat, crown, card)
            case ev.CardHanded():
                held = self.holds(event.seat, event.number)  # none: a person said so who cannot see this hand
                self._pass(event.seat, crown, self._rng.choice(held or self.hands[event.seat]))
            case ev.CardReturned():
                self._pass(crown, event.seat, self._returned(crown))
            case ev.ObjectTurned():
                self._seen[event.slot] = event.label
            case ev.PairPlaced():
                for card in self.holds(event.seat, event.number):
                    self.hands[event.seat].remove(card)
                self._seen.pop(event.slot, None)
            case ev.CardFound() | ev.CardNotFound():
                self.places["audit"] = ()
            case ev.Switched():
                hands = self.hands
                hands[event.seat], hands[event.bot] = hands[event.bot], hands[event.seat]

    def _returned(self, crown: Seat) -> str:
        """The card that goes back: never the last received, and none of a pair if there is another."""
        loose = [card for card in self.hands[crown] if card != self._received]
        pairs = self.pairs(crown)
        spare = [card for card in loose if number_of(card) not in pairs]
        return self._rng.choice(spare or loose)

    def _pass(self, giver: Seat, taker: Seat, card: str) -> None:
        self.hands[giver].remove(card)
        self.hands[taker].append(card)
        self._open.received(taker, card)
        self._received = card

    # Whether the referee is right -------------------------------------------------------------------------

    def wrong(self, state: KinapaState) -> str | None:
        for seat, hand in enumerate(self.hands):
            if state.seats[seat].cards != len(hand):
                return f"seat {seat} holds {len(hand)} cards, the referee counts {state.seats[seat].cards}"
        for slot, lying in enumerate(state.slots, 1):
            if lying.label and lying.label != self.labels[slot - 1]:
                return f"slot {slot} is {self.labels[slot - 1]}, the referee knows {lying.label}"
        for seat, number in state.holds:
            if not self.holds(seat, number):
                return f"seat {seat} holds no {number}, the referee believes it does"
        return None
