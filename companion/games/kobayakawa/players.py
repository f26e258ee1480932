"""Kobayakawa at a simulated table: who holds what, and people who are careful, bold, clumsy or dishonest."""

import random
from collections.abc import Hashable, Sequence

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Micros, Seat
from companion.core.events import Event
from companion.games.kit.world import Arrange, Choose, Plan, Players, PressRaw, Style, after
from companion.games.kobayakawa.rules import events as ev
from companion.games.kobayakawa.rules.state import (
    CARDS,
    NONE,
    OPEN,
    ROUND,
    TAKING,
    UNREAD,
    ZONES,
    KobayakawaState,
    Phase,
)

BACK = "back:number"
PATIENCE: Micros = 6 * SECOND
"""How long people wait for the camera before they say what is there."""
LOW, HIGH = 5, 12
"""A card up to the one or from the other on is worth fighting for."""


def face(number: int) -> str:
    """7 → "number:7"."""
    return f"number:{number}"


class KobayakawaWorld(Players):
    """The deal, the kamons in front of everybody, and what people do about them.

    LAWFUL: careful. BLUFFING: bold. CARELESS: clumsy. CHEATING: dishonest.
    """

    blames = (shared.Infraction, ev.NumberDoubted, ev.DiscardMissing)

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[Style]) -> None:
        super().__init__(chairs, rng, styles)
        players = len(self.chairs)
        self._zones = ZONES[players]
        self.hands: list[list[str]] = [[] for _ in self.chairs]
        self.deck: list[int] = []
        self.open: list[int] = []
        self.discards: dict[Seat, int] = {}
        self.kamons = [4] * players
        self.pot = 0
        self._fighters: list[Seat] = []
        self.places: dict[str, tuple[str, ...]] = {"deck": (BACK,), OPEN: ()}
        self.places |= {f"{kind}:{zone}": () for kind in ("hand", "discard") for zone in range(1, 7)}
        self._turned = 0
        """Cards turned up for a round that has not begun."""
        self._drawn: int | None = None
        self._gather()

    def _gather(self) -> None:
        """All cards are shuffled."""
        self.deck = list(range(1, CARDS + 1))
        self._rng.shuffle(self.deck)
        self.open, self.discards, self._drawn = [], {}, None
        self.hands = [[] for _ in self.chairs]

    def holds(self, seat: Seat) -> int:
        """The card in a hand."""
        return int(self.hands[seat][0].partition(":")[2])

    # What people do ---------------------------------------------------------------------------------------

    def moment(self, state: KobayakawaState) -> Hashable:
        return (state.phase, state.round, state.turn, state.opened, state.hands, state.misplaced,
                state.doubted, state.desk.paused, state.cleared, state.turns)  # fmt: skip

    def plan(self, state: KobayakawaState) -> Plan:
        if state.desk.paused:
            return []
        actor = state.actor
        match state.phase:
            case Phase.STARTING:
                return self._says(self._rng.randrange(state.players), "start", 1.0, 3.0)
            case Phase.DEALING:
                return self._deal(state)
            case Phase.REVEALING:
                return self._says(state.starter, "kobayakawa", 2.0, 3.0, self.open[-1])
            case Phase.DRAWING if actor is not None:
                return [*self._strays(state), *self._take(state, actor)]
            case Phase.DISCARDING if actor is not None:
                return self._lay(state, actor)
            case Phase.REPLACING if actor is not None:
                pile = Arrange(self.chairs[actor], ((OPEN, tuple(map(face, self.open))),))
                declared = self._says(actor, "kobayakawa", 1.0, 2.0, self.open[-1])
                return [(after(self._rng, 0.8, 1.2), pile), (declared[0][0] + PATIENCE, declared[0][1])]
            case Phase.BETTING if actor is not None:
                return [*self._strays(state), *self._bet(state, actor)]
            case Phase.SHOWDOWN:
                return self._show(state)
        return []

    def _deal(self, state: KobayakawaState) -> Plan:
        """Gather and shuffle, deal, turn up the Kobayakawa; a clumsy dealer turns it up under a hand."""
        starter, chair = state.starter, self.chairs[state.starter]
        if self._turned != state.round + 1 or not self.open:
            self._turned = state.round + 1
            self._gather()
            for seat in state.dealt_in:
                self.hands[seat] = [face(self.deck.pop())]
            self.open = [self.deck.pop()]
        bare = tuple((name, ()) for name in self.places if name != "deck")
        cleared = after(self._rng, 1.0, 1.5)
        turned = cleared + after(self._rng, 1.5, 2.0)
        card = (face(self.open[-1]),)
        said = self._says(starter, "dealt", 4.0, 5.0)
        plan: Plan = [(cleared, Arrange(chair, bare))]
        if self._trips(state, starter, Style.CARELESS, "deal", 0.2):
            early = self._says(starter, "dealt", 0.7, 0.9)
            return [*plan, (cleared + early[0][0], early[0][1])]
        plan.append((turned, Arrange(chair, ((OPEN, card),))))
        return [*plan, (turned + said[0][0], said[0][1])]

    def _zone(self, kind: str, seat: Seat) -> str:
        return f"{kind}:{self._zones[seat]}"

    def _strays(self, state: KobayakawaState) -> Plan:
        """What people do who are not asked."""
        actor = state.actor
        assert actor is not None
        plan: Plan = []
        for seat in state.order:
            chair = self.chairs[seat]
            if seat == actor:
                continue
            if self._trips(state, seat, Style.CARELESS, f"itch{seat}", 0.05):
                plan.append((after(self._rng, 0.1, 0.4), PressRaw(chair)))
            hidden = not state.hands[seat].bet and self._zone("hand", seat) not in state.misplaced
            if hidden and self._trips(state, seat, Style.CARELESS, f"drop{seat}", 0.03):
                place = self._zone("hand", seat)
                dropped = Arrange(chair, ((place, (self.hands[seat][0],)),), "hand.shown")
                plan += [(after(self._rng, 0.1, 0.3), dropped), (4 * SECOND, Arrange(chair, ((place, ()),)))]
            betting = state.phase is Phase.BETTING
            later = betting and not state.hands[seat].bet
            if later and self._trips(state, seat, Style.CHEATING, f"jump{seat}", 0.05):
                grab = Choose(chair, Action(seat, "fight"), "turn.not_yours")
                plan.append((after(self._rng, 0.1, 0.3), grab))
            calm = betting and OPEN not in state.misplaced
            if calm and self._trips(state, seat, Style.CHEATING, f"swap{seat}", 0.03):
                pile = tuple(map(face, self.open))
                wrong = Arrange(chair, ((OPEN, (*pile, face(self.deck[-1]))),), "kobayakawa.moved")
                right = Arrange(chair, ((OPEN, pile),))
                plan += [(after(self._rng, 0.1, 0.3), wrong), (4 * SECOND, right)]
        return plan

    def _take(self, state: KobayakawaState, seat: Seat) -> Plan:
        """Draw or replace: by the player's own button first, or at once by hand."""
        chair = self.chairs[seat]
        if self._zone("discard", seat) in state.misplaced:
            return self._open(state, seat, self.deck[-1])
        if state.options.draw_optional and self._rng.random() < 0.2:
            return self._says(seat, "neither", 1.5, 2.5)
        if self._replaces(state, seat):
            new = self.deck[-1]
            pile = (*map(face, self.open), face(new))
            laid: Plan = [(after(self._rng, 1.5, 2.5), Arrange(chair, ((OPEN, pile),)))]
            if self._rng.random() < 0.5:
                laid = [*self._says(seat, "replace", 0.8, 1.2), *laid]
            else:
                declared = Choose(chair, Action(seat, "kobayakawa", new))
                laid.append((laid[0][0] + PATIENCE, declared))
            return laid
        if self._rng.random() < 0.5:
            return self._says(seat, "draw", 1.0, 2.0)
        return self._open(state, seat, self.deck[-1])

    def _replaces(self, state: KobayakawaState, seat: Seat) -> bool:
        """Whether the Kobayakawa is replaced instead of drawing a card."""
        mine = self.holds(seat)
        return self._rng.random() < (0.5 if mine <= LOW or mine >= HIGH else 0.2)

    def _keeps(self, state: KobayakawaState, seat: Seat, drawn: int) -> int:
        """Which of two cards is kept: the higher if it may win by itself, else the one that may be helped."""
        mine = self.holds(seat)
        return max(mine, drawn) if self._worth(state, max(mine, drawn)) else min(mine, drawn)

    def _lay(self, state: KobayakawaState, seat: Seat) -> Plan:
        assert self._drawn is not None
        return self._open(state, seat, self._drawn)

    def _open(self, state: KobayakawaState, seat: Seat, drawn: int) -> Plan:
        """Keep the better of two cards and lay the other open, if not face down or nowhere."""
        chair, mine = self.chairs[seat], self.holds(seat)
        away = mine + drawn - self._keeps(state, seat, drawn)
        place = self._zone("discard", seat)
        lies = Arrange(chair, ((place, (face(away),)),))
        said = Choose(chair, Action(seat, "discard", away))
        plan: Plan = []
        if place in state.misplaced:
            return [(after(self._rng, 0.5, 1.0), lies), (PATIENCE, said)]
        if state.phase is Phase.DISCARDING and self._trips(state, seat, Style.CARELESS, "forget", 0.1):
            return self._says(seat, "done", 1.0, 2.0)
        if self._trips(state, seat, Style.CARELESS, "face", 0.1):
            down = Arrange(chair, ((place, (BACK,)),), "discard.face_down")
            return [(after(self._rng, 1.0, 2.0), down)]
        other = state.order[(state.turn + 1) % len(state.order)]
        fresh = state.hands[other].discard == NONE and other != seat
        if fresh and self._trips(state, other, Style.CHEATING, "ahead", 0.05):
            theirs = self._zone("discard", other)
            if theirs not in state.misplaced:
                ahead = Arrange(self.chairs[other], ((theirs, (self.hands[other][0],)),), "discard.not_now")
                back = Arrange(self.chairs[other], ((theirs, ()),))
                plan += [(after(self._rng, 0.1, 0.2), ahead), (after(self._rng, 0.7, 0.9), back)]
        plan.append((after(self._rng, 1.2, 2.2), lies))
        return [*plan, (plan[-1][0] + PATIENCE, said)]

    def _worth(self, state: KobayakawaState, card: int) -> bool:
        """Whether a card is high enough to win by itself."""
        return card >= HIGH - (state.kobayakawa < LOW)

    def _bet(self, state: KobayakawaState, seat: Seat) -> Plan:
        return self._says(seat, "fight" if self._fights(state, seat) else "pass", 0.8, 2.0)

    def _fights(self, state: KobayakawaState, seat: Seat) -> bool:
        card = self.holds(seat)
        strong = self._worth(state, card) or (card <= LOW and card + state.kobayakawa > HIGH + 1)
        bold = self._is(seat, Style.BLUFFING) and self._rng.random() < 0.5
        alone = state.turn == len(state.order) - 1 and not state.fighters and self._rng.random() < 0.7
        return strong or bold or alone or self._rng.random() < 0.06

    def _show(self, state: KobayakawaState) -> Plan:
        """All fighters show; what is doubted is shown rightly, or said."""
        plan: Plan = []
        if state.kobayakawa == UNREAD:
            return self._says(state.starter, "kobayakawa", 1.0, 2.0, self.open[-1])
        for seat in state.unseen:
            chair, mine = self.chairs[seat], self.holds(seat)
            place = self._zone("hand", seat)
            lure = self.discards.get(seat)
            mended = any(target == f"hand:{seat}" for target, _ in state.doubted)
            mended |= state.hands[seat].discard != lure
            if lure is not None and not mended and self._trips(state, seat, Style.CHEATING, "swap", 0.15):
                # The card laid open before is shown instead: its number is known to lie elsewhere.
                swapped = ((place, (face(lure),)), (self._zone("discard", seat), (face(mine),)))
                plan.append((after(self._rng, 0.8, 1.6), Arrange(chair, swapped)))
                continue
            shown = Arrange(chair, ((place, (face(mine),)),))
            plan.append((after(self._rng, 0.8, 1.6), shown))
            declared = Choose(chair, Action(seat, "show", mine))
            plan.append((plan[-1][0] + PATIENCE, declared))
        return plan

    # What becomes true ------------------------------------------------------------------------------------

    def happened(self, before: KobayakawaState, event: Event) -> None:
        match event:
            case ev.RoundBegan():
                self._fighters = list(event.order) if event.deciding else []
                if event.number != self.open[-1]:
                    self._faults.append(f"{self.open[-1]} lies open, the referee read {event.number}")
            case ev.CardDrawn():
                self._drawn = self.deck.pop()
            case ev.CardDiscarded():
                self._discarded(before, event)
            case ev.ReplaceAnnounced():
                self._drawn = None
                self.open.append(self.deck.pop())
            case ev.KobayakawaReplaced():
                if before.phase is not Phase.REPLACING and not self._announced(before):
                    self.open.append(self.deck.pop())
                if event.number != self.open[-1]:
                    self._faults.append(f"{self.open[-1]} was turned up, the referee read {event.number}")
            case ev.RoundWon():
                self._won(before, event)
            case ev.Fought():
                self._fighters.append(event.seat)
                self.kamons[event.seat] -= event.stake
                self.pot += event.stake
            case ev.DealVoided():
                self._turned = self.pot = 0

    def _announced(self, before: KobayakawaState) -> bool:
        """Whether the new card was counted off the deck already, in this same step."""
        return len(self.open) > len(before.opened)

    def _discarded(self, before: KobayakawaState, event: ev.CardDiscarded) -> None:
        assert self._drawn is not None
        mine, drawn = self.holds(event.seat), self._drawn
        lying = self.places[self._zone("discard", event.seat)]
        known = bool(lying) and lying[0] != BACK
        away = (
            int(lying[0].partition(":")[2])
            if known
            else mine + drawn - self._keeps(before, event.seat, drawn)
        )
        if event.number not in {away, UNREAD}:
            self._faults.append(f"{away} was laid open, the referee read {event.number}")
        self.discards[event.seat] = away
        self.hands[event.seat] = [face(mine + drawn - away)]
        self.places[self._zone("hand", event.seat)] = ()
        self._drawn = None

    def _won(self, before: KobayakawaState, event: ev.RoundWon) -> None:
        """Everybody saw the cards, and can tell whether the ruling is right."""
        if event.how in {"showdown", "tie"}:
            cards = {seat: self.holds(seat) for seat in self._fighters}
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

    def wrong(self, state: KobayakawaState) -> str | None:
        if self._faults:
            return self._faults.pop()
        if list(state.kamons) != self.kamons:
            return f"kamons are {self.kamons}, the referee counts {list(state.kamons)}"
        if state.phase not in ROUND:
            return None
        if state.stakes != self.pot:
            return f"{self.pot} kamons are staked, the referee counts {state.stakes}"
        if state.deck - (state.phase is Phase.REPLACING) != len(self.deck):
            return f"the deck has {len(self.deck)} cards, the referee counts {state.deck}"
        for seat, number in self.discards.items():
            known = state.hands[seat].discard
            if known not in {number, UNREAD}:
                return f"seat {seat} laid {number} open, the referee knows {known}"
        if state.phase not in TAKING and state.kobayakawa not in {self.open[-1], UNREAD}:
            return f"the Kobayakawa is {self.open[-1]}, the referee knows {state.kobayakawa}"
        return None
