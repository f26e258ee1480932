"""Kabuki at a simulated table: the deck, and people who are sharp, forgetful, trigger-happy or dishonest."""

import random
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType

from companion.core import events as shared
from companion.core.actions import SECOND, Action, Chair, Micros, Seat
from companion.core.events import Event
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules.judge import asked_of
from companion.games.kabuki.rules.state import COPIES, DESIGNS, STACKS, UNREAD, KabukiState, Phase
from companion.games.kit.world import Arrange, Choose, Plan, Players, PressRaw, Style, after

BACK = "back:mask"
PATIENCE: Micros = 6 * SECOND
"""How long people wait for the camera before they say where a mask lies."""
SHOWN_AT_ONCE = 9
"""A stack of this many masks fits into the check row of the mat."""
ONE_CARD: Micros = 5 * SECOND // 2
"""From one card that is shown to the camera to the next."""
RECALL: Mapping[Style, float] = MappingProxyType(
    {Style.LAWFUL: 1.0, Style.BLUFFING: 0.6, Style.CARELESS: 0.8, Style.CHEATING: 0.9}
)
"""How much of what lies buried people remember: the sharp all of it, the forgetful little."""


class KabukiWorld(Players):
    """What lies in the deck and in the stacks, what everybody remembers of it, and what they do next.

    LAWFUL: sharp. BLUFFING: forgetful. CARELESS: trigger-happy. CHEATING: dishonest.
    """

    blames = (shared.Infraction, ev.OwnMaskCalled, ev.StopTooEarly, ev.StopTooLate, ev.StopWrong)
    fair = frozenset({Style.LAWFUL})

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[Style]) -> None:
        super().__init__(chairs, rng, styles)
        self.hands: list[list[str]] = [[] for _ in self.chairs]
        self.places: dict[str, tuple[str, ...]] = {}
        self.stacks: dict[int, list[str]] = {}
        self.deck: list[str] = []
        self.tokens: list[int] = []
        self._memory: list[dict[int, list[str]]] = []
        self._proven = 0
        """Twins of the mask placed last that a check has shown."""
        self._shuffle()

    def _shuffle(self) -> None:
        self.deck = [design for design in DESIGNS for _ in range(COPIES)]
        self._rng.shuffle(self.deck)
        self.stacks = {stack: [] for stack in range(1, STACKS + 1)}
        self._memory = [{stack: [] for stack in self.stacks} for _ in self.chairs]
        self.places = {"deck": (BACK,), "show": (), "audit": ()}
        self.places |= {f"stack:{stack}": (f"actor:{stack}",) for stack in self.stacks}

    # What people do ---------------------------------------------------------------------------------------

    def moment(self, state: KabukiState) -> Hashable:
        return (state.phase, state.round, state.placed, state.misplaced, state.stop, state.desk.paused,
                state.pending.locked, state.closed, state.drawer)  # fmt: skip

    def plan(self, state: KabukiState) -> Plan:
        if state.desk.paused:
            return []
        stop = state.stop
        match state.phase:
            case Phase.SHUFFLING:
                return self._says(state.drawer, "begin", 1.0, 2.0)
            case Phase.PLAYING:
                return [*self._turn(state), *self._calls(state)]
            case Phase.REOPENING if state.last is not None:
                return self._says(state.last.seat, "reopen", 0.5, 1.0)
            case Phase.CALLED if not state.pending.locked:
                return self._too(state)
            case Phase.ASKING if (placer := asked_of(state)) is not None:
                return self._says(placer, "first", 0.5, 1.5, self._rng.choice(state.pending.among))
            case Phase.ASKING:
                lead = min(state.pending.calls, key=lambda call: call.at).seat
                return self._says(lead, "newer" if self._rng.random() < 0.7 else "older", 0.5, 1.0)
        if stop is None:
            return []
        match state.phase:
            case Phase.STOPPED:
                back = state.options.stop_withdraw and self._trips(
                    state, stop.seat, Style.CARELESS, "withdraw", 0.2
                )
                return self._says(stop.seat, "withdraw" if back else "look", 0.8, 1.5)
            case Phase.CHECKING:
                count = self._twins(state)
                if self._trips(state, stop.seat, Style.CHEATING, "count", 0.3):
                    count = 0 if count else 1
                return self._says(stop.seat, "twins", 1.0, 2.0, count)
            case Phase.SHOWING:
                return self._show(state)
            case Phase.RESTORING:
                return self._says(stop.seat, "restored", 0.8, 1.5)
        return []

    def _turn(self, state: KabukiState) -> Plan:
        """Draw, show and place; or put right what was called."""
        if state.out or not self.deck:
            return []
        seat, chair, mask = state.drawer, self.chairs[state.drawer], self.deck[-1]
        if state.misplaced:
            return self._mend(state, chair, mask)
        stack = self._choice(seat, mask)
        place = (("show", ()), (f"stack:{stack}", (f"mask:{mask}",)))
        start: Plan = [(after(self._rng, 0.3, 0.7), Arrange(chair, (("show", (f"mask:{mask}",)),)))]
        other = (seat + 1) % state.players
        if self._trips(state, other, Style.CHEATING, "turn", 0.04):
            grab = Action(other, "place", f"{mask}@{stack}")
            start.append(
                (after(self._rng, 0.8, 0.9), Choose(self.chairs[other], grab, "place.not_your_turn"))
            )
        if self._trips(state, seat, Style.CHEATING, "face", 0.05):
            down = Arrange(chair, (("show", ()), (f"stack:{stack}", (BACK,))), "place.face_down")
            return self._if_unread(start, (after(self._rng, 1.5, 2.5), down), mask, stack, place)
        if self._trips(state, seat, Style.CARELESS, "two", 0.05):
            near = stack % STACKS + 1
            if self._top(stack) != mask and self._top(near) != mask:
                both = (*place, (f"stack:{near}", (f"mask:{mask}",)))
                lying = (after(self._rng, 1.5, 2.5), Arrange(chair, both, "place.two_stacks"))
                return self._if_unread(start, lying, mask, stack, (*place, self._before(near)))
        lies = (after(self._rng, 1.5, 2.5), Arrange(chair, place))
        return self._if_unread(start, lies, mask, stack)

    def _if_unread(
        self,
        start: Plan,
        lies: tuple[Micros, Arrange],
        mask: str,
        stack: int,
        mended: tuple[tuple[str, tuple[str, ...]], ...] = (),
    ) -> Plan:
        """What the camera does not see is put right and said, after a while."""
        delay, deed = lies
        plan: Plan = [*start, lies]
        if mended:
            plan.append((delay + PATIENCE, Arrange(deed.chair, mended)))
        seat = self.chairs.index(deed.chair)
        declared = Choose(deed.chair, Action(seat, "place", f"{mask}@{stack}"))
        return [*plan, (delay + PATIENCE * (2 if mended else 1), declared)]

    def _mend(self, state: KabukiState, chair: Chair, mask: str) -> Plan:
        """A mask that lies face down is turned up, one between two stacks is moved onto the first."""
        first, *others = sorted(here.stack for here in state.misplaced)
        if any(here.design == UNREAD for here in state.misplaced):
            up = Arrange(chair, ((f"stack:{first}", (f"mask:{mask}",)),))
            return self._if_unread([], (after(self._rng, 0.8, 1.2), up), mask, first)
        if not others:  # it was placed already, and reaches over to this stack
            return [(after(self._rng, 0.8, 1.2), Arrange(chair, (self._before(first),)))]
        right = Arrange(chair, tuple(self._before(stack) for stack in others))
        return self._if_unread([], (after(self._rng, 0.8, 1.2), right), mask, first)

    def _before(self, stack: int) -> tuple[str, tuple[str, ...]]:
        """A stack as it should look."""
        top = self._top(stack)
        return f"stack:{stack}", (f"mask:{top}" if top else f"actor:{stack}",)

    def _top(self, stack: int) -> str:
        return self.stacks[stack][-1] if self.stacks[stack] else ""

    def _choice(self, seat: Seat, mask: str) -> int:
        """A stack in which, as far as somebody remembers, the mask does not lie yet."""
        free = [stack for stack in self.stacks if mask not in self._remembered(seat, stack)]
        return self._rng.choice(free or list(self.stacks))

    def _remembered(self, seat: Seat, stack: int) -> list[str]:
        """What somebody knows of a stack: the top is seen, the rest remembered."""
        return [*self._memory[seat][stack], *self.stacks[stack][-1:]]

    def _calls(self, state: KabukiState) -> Plan:
        """Who presses, and when: some within the same two milliseconds."""
        last = state.last
        plan: Plan = []
        if last is None or state.closed:
            for seat in range(state.players):
                if last is None and self._trips(state, seat, Style.CARELESS, f"early{seat}", 0.1):
                    plan.append((after(self._rng, 0.05, 0.3), PressRaw(self.chairs[seat])))
            return plan
        stack = state.stack_of(last)
        for seat in range(state.players):
            if seat != last.seat and self._believes(seat, stack):
                plan.append((after(self._rng, 0.35, 1.3), PressRaw(self.chairs[seat])))
            elif self._trips(state, seat, Style.CARELESS, f"itch{seat}", 0.04):
                plan.append((after(self._rng, 0.3, 1.0), PressRaw(self.chairs[seat])))
        if len(plan) > 1 and self._rng.random() < 0.5:
            plan.sort(key=lambda deed: deed[0])
            plan[1] = (plan[0][0] + self._rng.randrange(2_000), plan[1][1])  # a photo finish
        return plan

    def _believes(self, seat: Seat, stack: int) -> bool:
        """Whether somebody is sure of a twin in the stack that no check has shown, or tries one again."""
        if self._memory[seat][stack].count(self._top(stack)) <= self._proven:
            return self._proven > 0 and self._is(seat, Style.BLUFFING) and self._rng.random() < 0.2
        return self._is(seat, Style.LAWFUL) or self._rng.random() < 0.8

    def _too(self, state: KabukiState) -> Plan:
        """Others shout as well."""
        called = {call.seat for call in state.pending.calls}
        return [
            (self._rng.randrange(30_000), PressRaw(self.chairs[seat]))
            for seat in range(state.players)
            if seat not in called and self._trips(state, seat, Style.CARELESS, f"too{seat}", 0.3)
        ]

    def _twins(self, state: KabukiState) -> int:
        """What everybody can see in the stack that is checked."""
        stop = state.stop
        assert stop is not None
        lying = self.stacks[stop.stack]
        return lying[:-1].count(lying[-1])

    def _show(self, state: KabukiState) -> Plan:
        """The stack goes under the camera: fanned out where it fits, else card by card."""
        stop = state.stop
        assert stop is not None
        chair = self.chairs[stop.seat]
        cards = tuple(f"mask:{design}" for design in self.stacks[stop.stack])
        if len(cards) <= SHOWN_AT_ONCE:
            shown: Plan = [(after(self._rng, 1.5, 2.5), Arrange(chair, (("audit", cards),)))]
        else:
            shown = self._one_by_one(chair, cards)
        again = self._says(stop.seat, "twins", 1.0, 2.0, self._twins(state))
        return [*shown, (again[0][0] + shown[-1][0] + PATIENCE, again[0][1])]

    def _one_by_one(self, chair: Chair, cards: tuple[str, ...]) -> Plan:
        """Each card onto the show place, the lowest first; like on like is seen only with a gap between."""
        plan: Plan = []
        at = after(self._rng, 1.0, 1.5)
        lying = self.places["show"]
        for card in cards:
            if lying == (card,):
                plan.append((at, Arrange(chair, (("show", ()),))))
                at += ONE_CARD
            lying = (card,)
            plan.append((at, Arrange(chair, (("show", lying),))))
            at += ONE_CARD
        return plan

    # What becomes true ------------------------------------------------------------------------------------

    def happened(self, before: KabukiState, event: Event) -> None:
        match event:
            case ev.RoundBegan():
                self._shuffle()
                self.deck = self.deck[: before.options.masks]
                self.tokens = [event.tokens] * len(self.chairs)
            case ev.MaskPlaced():
                self._placed(event)
            case ev.StopRight():
                assert before.stop is not None
                paid = min(event.count, self.tokens[event.placer]) if event.placer != event.seat else 0
                self._settled(before, event.count)
                self.tokens[event.placer] -= paid
                self.tokens[event.seat] += paid
            case ev.StopWrong():
                self._settled(before, 0)
                self.tokens[event.seat] -= 1
                if event.to is not None:
                    self.tokens[event.to] += 1
            case ev.StackRestored() | ev.StackRead():
                self.places |= {"audit": (), "show": ()}

    def _recall(self, seat: Seat) -> float:
        """How much of what lies buried somebody remembers."""
        return RECALL[self.styles[seat]]

    def _placed(self, event: ev.MaskPlaced) -> None:
        mask, self._proven = self.deck.pop(), 0
        if event.mask not in {mask, UNREAD}:
            self._faults.append(f"{mask} was placed, the referee read {event.mask}")
        for seat, memory in enumerate(self._memory):
            under = self._top(event.stack)
            if under and self._rng.random() < self._recall(seat):
                memory[event.stack].append(under)
        self.stacks[event.stack].append(mask)
        if not self.deck:
            self.places["deck"] = ()

    def _settled(self, before: KabukiState, count: int) -> None:
        """Everybody saw the whole stack, and can tell whether the ruling is right."""
        stop = before.stop
        assert stop is not None
        fresh = max(0, self._twins(before) - self._proven)
        if count != fresh:
            self._faults.append(f"{fresh} new twins lie there, the referee settled for {count}")
        self._proven += fresh
        for seat, memory in enumerate(self._memory):
            if self._rng.random() < self._recall(seat):
                memory[stop.stack] = self.stacks[stop.stack][:-1]

    # Whether the referee is right -------------------------------------------------------------------------

    def wrong(self, state: KabukiState) -> str | None:
        if self._faults:
            return self._faults.pop()
        if state.phase in {Phase.STARTING, Phase.SHUFFLING, Phase.OVER}:
            return None
        for stack, masks in self.stacks.items():
            known = [mask.design for mask in state.stacks[stack - 1]]
            if len(known) != len(masks):
                return f"stack {stack} holds {len(masks)} masks, the referee counts {len(known)}"
            if any(design not in {mask, UNREAD} for design, mask in zip(known, masks, strict=True)):
                return f"stack {stack} is {masks}, the referee knows {known}"
        if list(state.tokens) != self.tokens:
            return f"tokens are {self.tokens}, the referee counts {list(state.tokens)}"
        return None
