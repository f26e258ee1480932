"""Simulated Kabuki players in four styles, with the true content of deck and stacks."""

import random
from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType

from companion.core import events as shared
from companion.core.actions import SECOND, Chair, Micros, Seat
from companion.core.events import Event
from companion.games.kabuki.rules import model
from companion.games.kabuki.rules.judge import asked_of
from companion.games.kabuki.rules.model import KabukiPhase, KabukiState
from companion.games.kit.world import (
    ArrangeCards,
    CardPlaces,
    Plan,
    PlayStyle,
    PressOwnButton,
    WorldBase,
    after,
    thinking_time,
)

BACK = "back:mask"
CHECK_ROW_SIZE = 9
"""A stack of this many masks fits into the check row of the mat."""
CARD_INTERVAL: Micros = 5 * SECOND // 2
"""From one card that is shown to the camera to the next."""
RECALL_BY_STYLE: Mapping[PlayStyle, float] = MappingProxyType(
    {PlayStyle.LAWFUL: 1.0, PlayStyle.BLUFFING: 0.6, PlayStyle.CARELESS: 0.8, PlayStyle.CHEATING: 0.9}
)
"""How much of what lies buried people remember: the sharp all of it, the forgetful little."""


class KabukiWorld(WorldBase):
    """What lies in the deck and in the stacks, what everybody remembers of it, and what they do next.

    LAWFUL: sharp. BLUFFING: forgetful. CARELESS: trigger-happy. CHEATING: dishonest.
    """

    blaming_events = (
        shared.Infraction,
        model.OwnMaskCalled,
        model.StopTooEarly,
        model.StopTooLate,
        model.StopWrong,
    )
    fair_styles = frozenset({PlayStyle.LAWFUL})

    def __init__(self, chairs: Sequence[Chair], rng: random.Random, styles: Sequence[PlayStyle]) -> None:
        super().__init__(chairs, rng, styles)
        self.stacks: dict[int, list[str]] = {}
        self.deck: list[str] = []
        self.tokens: list[int] = []
        self._memory: list[dict[int, list[str]]] = []
        self._proven = 0
        """Twins of the mask placed last that a check has shown."""
        self._shuffle()

    def _shuffle(self) -> None:
        self.deck = [design for design in model.DESIGNS for _ in range(model.COPIES_PER_DESIGN)]
        self._rng.shuffle(self.deck)
        self.stacks = {stack: [] for stack in range(1, model.STACK_COUNT + 1)}
        self._memory = [{stack: [] for stack in self.stacks} for _ in self.chairs]
        self.places = {"deck": (BACK,), "show": (), "audit": ()}
        self.places |= {f"stack:{stack}": (f"actor:{stack}",) for stack in self.stacks}

    # What people do ---------------------------------------------------------------------------------------

    def decision_key(self, state: KabukiState) -> Hashable:
        return (state.phase, state.round, state.placed, state.misplaced, state.stop,
                state.pending.locked, state.closed, state.drawer, state.asks_like)  # fmt: skip

    def plan(self, state: KabukiState) -> Plan:
        stop = state.stop
        match state.phase:
            case KabukiPhase.SHUFFLING:
                return self._plan_choice(state.drawer, "begin", 1.0, 2.0)
            case KabukiPhase.PLAYING if state.asks_like:  # whoever shows every mask has laid none yet
                answer = self._plan_choice(state.drawer, "not_laid", 0.8, 1.5)
                return [*answer, *self._plan_calls(state)]
            case KabukiPhase.PLAYING:
                return [*self._plan_turn(state), *self._plan_calls(state)]
            case KabukiPhase.REOPENING if state.last is not None:
                return self._plan_choice(state.last.seat, "reopen", 0.5, 1.0)
            case KabukiPhase.CALLED if not state.pending.locked:
                return self._plan_joined_calls(state)
            case KabukiPhase.ASKING if (placer := asked_of(state)) is not None:
                return self._plan_choice(placer, "first", 0.5, 1.5, self._rng.choice(state.pending.among))
            case KabukiPhase.ASKING if state.asks_where:
                lies = self._laid_unseen()
                verb = "not_laid" if lies is None else "place"
                return self._plan_choice(state.drawer, verb, 0.8, 1.5, lies)
            case KabukiPhase.ASKING:
                lead = min(state.pending.calls, key=lambda call: call.at).seat
                return self._plan_choice(lead, "newer" if self._rng.random() < 0.7 else "older", 0.5, 1.0)
        if stop is None:
            return []
        match state.phase:
            case KabukiPhase.STOPPED:
                back = state.options.stop_withdraw and self._slips_now(
                    state, stop.seat, PlayStyle.CARELESS, "withdraw", 0.2
                )
                return self._plan_choice(stop.seat, "withdraw" if back else "look", 0.8, 1.5)
            case KabukiPhase.CHECKING:
                count = self._count_twins(state)
                if self._slips_now(state, stop.seat, PlayStyle.CHEATING, "count", 0.3):
                    count = 0 if count else 1
                return self._plan_choice(stop.seat, "twins", 1.0, 2.0, count)
            case KabukiPhase.SHOWING:
                return self._plan_show_stack(state)
            case KabukiPhase.RESTORING:
                return self._plan_choice(stop.seat, "restored", 0.8, 1.5)
        return []

    def _plan_turn(self, state: KabukiState) -> Plan:
        """Draw, show and place; or put right what was called."""
        if state.out or not self.deck:
            return []
        seat, mask = state.drawer, self.deck[-1]
        if state.misplaced:
            return self._plan_correction(state, seat, mask)
        stack = self._choose_stack(seat, mask)
        place: CardPlaces = (("show", ()), (f"stack:{stack}", (f"mask:{mask}",)))
        start = self._plan_cards(seat, 0.3, 0.7, ("show", (f"mask:{mask}",)))
        other = (seat + 1) % state.players
        if self._slips_now(state, other, PlayStyle.CHEATING, "turn", 0.04):
            grab = f"{mask}@{stack}"
            start += self._plan_choice(other, "place", 0.8, 0.9, grab, breaks="place.not_your_turn")
        if self._slips_now(state, seat, PlayStyle.CHEATING, "face", 0.05):
            down: CardPlaces = (("show", ()), (f"stack:{stack}", (BACK,)))
            lies = self._plan_cards(seat, 1.5, 2.5, *down, breaks="place.face_down")
            return self._with_fallback([*start, *lies], mask, stack, place)
        if self._slips_now(state, seat, PlayStyle.CARELESS, "two", 0.05):
            near = stack % model.STACK_COUNT + 1
            if self._top(stack) != mask and self._top(near) != mask:
                both = (*place, (f"stack:{near}", (f"mask:{mask}",)))
                lies = self._plan_cards(seat, 1.5, 2.5, *both, breaks="place.two_stacks")
                mended = (*place, self._expected_stack(near))
                return self._with_fallback([*start, *lies], mask, stack, mended)
        return self._with_fallback([*start, *self._plan_cards(seat, 1.5, 2.5, *place)], mask, stack)

    def _with_fallback(self, plan: Plan, mask: str, stack: int, mended: CardPlaces = ()) -> Plan:
        """What the camera does not see is put right and said, after a while."""
        delay, deed = plan[-1]
        if mended:
            plan = [*plan, (delay + self.patience, ArrangeCards(deed.chair, mended))]
        return self._plan_fallback(plan, self.chairs.index(deed.chair), "place", f"{mask}@{stack}")

    def _plan_correction(self, state: KabukiState, seat: Seat, mask: str) -> Plan:
        """A mask that lies face down is turned up, one between two stacks is moved onto the first."""
        first, *others = sorted(here.stack for here in state.misplaced)
        if any(here.design == model.UNREAD for here in state.misplaced):
            up = self._plan_cards(seat, 0.8, 1.2, (f"stack:{first}", (f"mask:{mask}",)))
            return self._with_fallback(up, mask, first)
        if not others:  # it was placed already, and reaches over to this stack
            return self._plan_cards(seat, 0.8, 1.2, self._expected_stack(first))
        right = self._plan_cards(seat, 0.8, 1.2, *map(self._expected_stack, others))
        return self._with_fallback(right, mask, first)

    def _expected_stack(self, stack: int) -> tuple[str, tuple[str, ...]]:
        """A stack as it should look."""
        top = self._top(stack)
        return f"stack:{stack}", (f"mask:{top}" if top else f"actor:{stack}",)

    def _top(self, stack: int) -> str:
        return self.stacks[stack][-1] if self.stacks[stack] else ""

    def _laid_unseen(self) -> str | None:
        """The mask that is no longer shown, and the stack on whose like it lies; None: it is in a hand."""
        mask = self.deck[-1]
        laid = (stack for stack in self.stacks if not self.places["show"] and self._top(stack) == mask)
        return next((f"{mask}@{stack}" for stack in laid), None)

    def _choose_stack(self, seat: Seat, mask: str) -> int:
        """A stack in which, as far as somebody remembers, the mask does not lie yet."""
        known = self._memory[seat]
        free = [stack for stack in self.stacks if mask not in {*known[stack], self._top(stack)}]
        return self._rng.choice(free or list(self.stacks))

    def _plan_calls(self, state: KabukiState) -> Plan:
        """Who presses, and when: some within the same two milliseconds."""
        last = state.last
        plan: Plan = []
        if last is None or state.closed:
            for seat in range(state.players):
                if last is None and self._slips_now(state, seat, PlayStyle.CARELESS, f"early{seat}", 0.1):
                    plan += self._plan_press(seat, 0.05, 0.3)
            return plan
        stack = state.stack_of(last)
        for seat in range(state.players):
            if seat != last.seat and self._believes_in_twin(seat, stack):
                plan += self._plan_press(seat, 0.35, 1.3)
            elif self._slips_now(state, seat, PlayStyle.CARELESS, f"itch{seat}", 0.04):
                plan += self._plan_press(seat, 0.3, 1.0)
        if len(plan) > 1 and self._rng.random() < 0.5:
            plan.sort(key=lambda deed: deed[0])
            plan[1] = (plan[0][0] + self._rng.randrange(2_000), plan[1][1])  # a photo finish
        return plan

    def _believes_in_twin(self, seat: Seat, stack: int) -> bool:
        """Whether somebody is sure of a twin in the stack that no check has shown, or tries one again."""
        if self._memory[seat][stack].count(self._top(stack)) <= self._proven:
            return self._proven > 0 and self._has_style(seat, PlayStyle.BLUFFING) and self._rng.random() < 0.2
        return self._has_style(seat, PlayStyle.LAWFUL) or self._rng.random() < 0.8

    def _plan_joined_calls(self, state: KabukiState) -> Plan:
        """Others shout as well."""
        called = {call.seat for call in state.pending.calls}
        return [
            (self._rng.randrange(30_000), PressOwnButton(self.chairs[seat]))
            for seat in range(state.players)
            if seat not in called and self._slips_now(state, seat, PlayStyle.CARELESS, f"too{seat}", 0.3)
        ]

    def _count_twins(self, state: KabukiState) -> int:
        """What everybody can see in the stack that is checked."""
        stop = state.stop
        assert stop is not None
        lying = self.stacks[stop.stack]
        return lying[:-1].count(lying[-1])

    def _plan_show_stack(self, state: KabukiState) -> Plan:
        """The stack goes under the camera: fanned out where it fits, else card by card."""
        stop = state.stop
        assert stop is not None
        cards = tuple(f"mask:{design}" for design in self.stacks[stop.stack])
        if len(cards) <= CHECK_ROW_SIZE:
            shown = self._plan_cards(stop.seat, 1.5, 2.5, ("audit", cards))
        else:
            shown = self._plan_card_by_card(self.chairs[stop.seat], cards)
        again = self._plan_choice(stop.seat, "twins", 1.0, 2.0, self._count_twins(state))
        return [*shown, *after(again, shown[-1][0] + self.patience)]

    def _plan_card_by_card(self, chair: Chair, cards: tuple[str, ...]) -> Plan:
        """Each card onto the show place, the lowest first; like on like is seen only with a gap between."""
        plan: Plan = []
        at = thinking_time(self._rng, 1.0, 1.5)
        lying = self.places["show"]
        for card in cards:
            if lying == (card,):
                plan.append((at, ArrangeCards(chair, (("show", ()),))))
                at += CARD_INTERVAL
            lying = (card,)
            plan.append((at, ArrangeCards(chair, (("show", lying),))))
            at += CARD_INTERVAL
        return plan

    # What becomes true ------------------------------------------------------------------------------------

    def apply_event(self, before: KabukiState, event: Event) -> None:
        match event:
            case model.KabukiRoundBegan():
                self._shuffle()
                self.deck = self.deck[: before.options.masks]
                self.tokens = [event.tokens] * len(self.chairs)
            case model.MaskPlaced():
                self._apply_placement(event)
            case model.StopRight():
                assert before.stop is not None
                paid = min(event.count, self.tokens[event.placer]) if event.placer != event.seat else 0
                self._apply_check(before, event.count)
                self.tokens[event.placer] -= paid
                self.tokens[event.seat] += paid
            case model.StopWrong():
                self._apply_check(before, 0)
                self.tokens[event.seat] -= 1
                if event.to is not None:
                    self.tokens[event.to] += 1
            case model.StackRestored() | model.StackRead():
                self.places |= {"audit": (), "show": ()}

    def _recall_rate(self, seat: Seat) -> float:
        """How much of what lies buried somebody remembers."""
        return RECALL_BY_STYLE[self.styles[seat]]

    def _apply_placement(self, event: model.MaskPlaced) -> None:
        mask, self._proven = self.deck.pop(), 0
        if event.mask not in {mask, model.UNREAD}:
            self._faults.append(f"{mask} was placed, the referee read {event.mask}")
        for seat, memory in enumerate(self._memory):
            under = self._top(event.stack)
            if under and self._rng.random() < self._recall_rate(seat):
                memory[event.stack].append(under)
        self.stacks[event.stack].append(mask)
        wrong = [stack for stack in self.stacks if self.places[f"stack:{stack}"] == (f"mask:{mask}",)]
        self.places.update(map(self._expected_stack, wrong))  # what lay wrong is taken away
        if not self.deck:
            self.places["deck"] = ()

    def _apply_check(self, before: KabukiState, count: int) -> None:
        """Everybody saw the whole stack, and can tell whether the ruling is right."""
        stop = before.stop
        assert stop is not None
        fresh = max(0, self._count_twins(before) - self._proven)
        if count != fresh:
            self._faults.append(f"{fresh} new twins lie there, the referee settled for {count}")
        self._proven += fresh
        for seat, memory in enumerate(self._memory):
            if self._rng.random() < self._recall_rate(seat):
                memory[stop.stack] = self.stacks[stop.stack][:-1]

    # Whether the referee is right -------------------------------------------------------------------------

    def find_discrepancy(self, state: KabukiState) -> str | None:
        if fault := super().find_discrepancy(state):
            return fault
        if state.phase in {KabukiPhase.STARTING, KabukiPhase.SHUFFLING, KabukiPhase.OVER}:
            return None
        for stack, masks in self.stacks.items():
            known = [mask.design for mask in state.stacks[stack - 1]]
            if len(known) != len(masks):
                return f"stack {stack} holds {len(masks)} masks, the referee counts {len(known)}"
            if any(design not in {mask, model.UNREAD} for design, mask in zip(known, masks, strict=True)):
                return f"stack {stack} is {masks}, the referee knows {known}"
        if list(state.tokens) != self.tokens:
            return f"tokens are {self.tokens}, the referee counts {list(state.tokens)}"
        return None
