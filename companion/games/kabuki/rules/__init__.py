"""Kabuki for two to six players, in our words.

Fifty masks: ten designs, five of each; designs of one colour look alike. Everybody has tokens, five each with
up to four players, else four. In turn each player:

1. draws the top mask, shows it to everybody, and
2. places it face up on one of the four stacks, over what is there. Only the top of a stack is seen.

From its placement until the next mask is placed, every other player may call Stop by their button: "the
mask on top lies in this stack already". Play stands still, and everybody looks at that stack.

3. With m masks of the same design (not only colour) under it, the caller takes m tokens from the placer, at
   most what the placer has. With none, the caller puts one token into the box. Other doubles in the stack are
   past and forgiven. The stack goes back in its order, and the turn goes on; the placement stands.
4. A round ends when somebody has no token, or some seconds after the last mask. Everybody scores the tokens
   in front. After three rounds the highest sum wins, shared where it is equal.

The referee sees what is placed where and so knows m beforehand. It tells nobody, by no word, lamp or delay:
the players look themselves, and its own count is only the second opinion.
"""

from collections.abc import Container, Iterable, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from companion.core import desk, presses
from companion.core import events as shared
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import (
    ABANDONED,
    Action,
    Chair,
    Micros,
    Options,
    Outcome,
    Setup,
    Timer,
)
from companion.core.board import Board
from companion.core.events import Event
from companion.core.exhibits import Exhibit, Finish
from companion.core.view import Choice, Sentence
from companion.games.kabuki.board import BOARD
from companion.games.kabuki.rules import (
    asking,
    evolve,
    invariants,
    judge,
    races,
    recap,
    seeing,
    stops,
    telling,
    undoing,
    view,
)
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules.events import AnyKabukiEvent
from companion.games.kabuki.rules.options import KabukiOptions
from companion.games.kabuki.rules.state import (
    DECK,
    DESIGNS,
    STACKS,
    UNREAD,
    KabukiState,
    Mask,
    Phase,
    tokens_of,
)
from companion.games.kit.telling import score, scores, whose_turn

_LIES_OPEN = frozenset({Phase.CHECKING, Phase.SHOWING, Phase.RESTORING, Phase.SHUFFLING, Phase.OVER})
"""Here a stack, or every stack, is looked into."""


class Kabuki(base.Rules[KabukiState]):
    """The rules of Kabuki over what the referee knows."""

    name: ClassVar[str] = "kabuki"
    bare = frozenset({"twins"})
    board: ClassVar[Board] = BOARD
    bookkeeping = telling.BOOKKEEPING
    untold = telling.UNTOLD
    players: ClassVar[range] = range(2, 7)
    options: ClassVar[type[Options]] = KabukiOptions
    events: ClassVar[object] = AnyKabukiEvent
    steering: ClassVar[tuple[type[Event], ...]] = (*desk.STEERING, ev.Pointed)

    prompts = staticmethod(asking.prompts)
    extra_actions = staticmethod(asking.unlisted)
    judge = staticmethod(judge.judge)
    evolve_game = staticmethod(evolve.evolve)  # type: ignore[assignment]  # a journal holds this game's events only
    broken = staticmethod(invariants.broken)
    settles = staticmethod(telling.settles)
    is_reading = staticmethod(telling.is_reading)
    notice = staticmethod(telling.notice)
    lies_at = staticmethod(telling.lies_at)
    open_faces = staticmethod(undoing.open_faces)
    public_parts = telling.public_parts
    put_back = undoing.put_back
    view = view.view

    def initial_state(self, setup: Setup) -> KabukiState:
        return KabukiState(setup=setup, desk=desk.Desk(), tokens=(0,) * setup.players)

    def named(self, setup: Setup) -> Mapping[str, Container[Any]]:
        masks = {UNREAD, *DESIGNS}
        return {"mask": masks, "cards": masks, "stack": range(1, STACKS + 1)}

    def prepare(self, setup: Setup) -> tuple[Sentence, ...]:
        masks = self.initial_state(setup).options.masks
        return (
            Sentence("kabuki.prepare.cards" if masks == DECK else "kabuki.prepare.short"),
            Sentence("kabuki.prepare.actors"),
            Sentence("kabuki.prepare.tokens", (("left", tokens_of(setup.players)),)),
        )

    def controls(self, state: KabukiState) -> presses.Controls:
        table = super().controls(state)
        return {**table, **asking.pointing(state)} if table else table

    def alternatives(self, state: KabukiState, seen: ob.Observation) -> Iterable[Action]:
        own = asking.instead(state, seen)
        return super().alternatives(state, seen) if own is None else own

    # What is ruled ----------------------------------------------------------------------------------------

    def raced(self, state: KabukiState, chair: Chair, seen: ob.ButtonPressed) -> tuple[Event, ...] | None:
        """Stop counts from the edge of the press, and its source says how finely."""
        seat = self.seat_of(state, chair)
        if seat is None or (seat == state.drawer and judge.can_mark(state)):
            return None
        mine = any(prompt.chair == chair for prompt in self.prompts(state))
        if state.phase is not Phase.PLAYING and (mine or state.phase not in asking.ALL_SEATS):
            return None
        return stops.called(state, seat, seen.at, seen.source, seen.since)

    def is_fact(self, state: KabukiState, chair: Chair) -> bool:
        return self.raced(state, chair, ob.ButtonPressed(at=0, chair=chair)) is not None

    def idle_press(self, state: KabukiState, chair: Chair, at: Micros) -> tuple[Event, ...]:
        seat = self.seat_of(state, chair)
        return () if seat is None else stops.too_late(state, seat, at)

    def see(self, state: KabukiState, seen: ob.TableSeen | ob.HandShown) -> tuple[Event, ...]:
        return seeing.seen(state, seen.regions, seen.at) if isinstance(seen, ob.TableSeen) else ()

    def timer(self, state: KabukiState) -> Timer | None:
        pending = state.pending
        if state.phase is Phase.CALLED:
            if not pending.locked:
                return Timer("tie", pending.first + max(state.options.coarsest, stops.LATEST))
            return Timer("mask", pending.first + stops.PATIENCE)
        if state.phase is not Phase.PLAYING:
            return None
        timers = [
            Timer(name, due)
            for name, due in (
                ("close", state.until),
                ("where", state.hand.where_due),
                ("unread", state.unread_due),
            )
            if due is not None
        ]
        if pending.placement is not None and not state.parted:  # a voided Stop left it behind
            timers.append(Timer("placed", pending.placement.lies_since))
        return min(timers, key=lambda timer: timer.due, default=None)

    def elapsed(self, state: KabukiState, timer: str, at: Micros) -> tuple[Event, ...]:
        match timer, state.phase:
            case "tie", Phase.CALLED:
                return stops.locked(state, at)
            case "mask", Phase.CALLED:
                return stops.patience_over(state, at)
            case "unread", Phase.PLAYING if state.unread:
                return seeing.unread_stays(state, at)
            case "close", Phase.PLAYING:
                return stops.window_over(state)
            case "where", Phase.PLAYING:
                return (ev.PlacementMissed(state.drawer),)
            case "placed", Phase.PLAYING if state.pending.placement is not None:
                return stops.mask_lies(state, state.pending.placement, at)
        return ()

    def window_open(self, state: KabukiState) -> bool:
        """The order of a Stop is open for an instant, and some masks may be stopped for seconds."""
        if state.phase is Phase.CALLED:
            return not state.pending.locked
        return state.phase is Phase.PLAYING and state.until is not None

    def races(self, state: KabukiState) -> bool:
        """Whenever a Stop is possible; one that has a last instant is a window."""
        called = state.phase is Phase.CALLED and not state.pending.locked
        return called or (state.phase is Phase.PLAYING and not state.closed and state.until is None)

    def awaited(self, state: KabukiState) -> frozenset[str]:
        stacks = frozenset(f"stack:{stack}" for stack in range(1, STACKS + 1))
        match state.phase:
            case Phase.CHECKING | Phase.SHOWING:
                return stacks | {"audit", "show"}
            case Phase.STARTING | Phase.SHUFFLING | Phase.OVER:
                return frozenset()
        return stacks | {"show"}

    def awaited_draw(self, state: KabukiState) -> tuple[str, ...] | None:
        if state.phase is not Phase.STARTING:
            return None
        return tuple(str(seat) for seat in range(state.players))

    def drawn(self, state: KabukiState, lot: ob.Drawn) -> tuple[Event, ...]:
        if self.awaited_draw(state) != lot.choices or not 0 <= lot.index < len(lot.choices):
            return ()
        return (ev.StarterDrawn(lot.index),)

    def declared(self, state: KabukiState, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table says who has how many tokens and whose turn it is; nonsense is refused by name."""
        if state.phase is not Phase.PLAYING:
            return (shared.Infraction("repair.not_now"),)
        events = (*self.voided(state, "repair"), shared.Repaired(table.table))
        sound = self.sound_after(state, events) is not None
        return events if sound else (shared.Infraction("repair.impossible"),)

    def outcome(self, state: KabukiState) -> Outcome | None:
        if state.desk.abandoned:
            return Outcome(ABANDONED, (), state.desk.uncovered)
        if not state.winners:
            return None
        return Outcome("three_rounds", tuple(self.chair_of(state, seat) for seat in state.winners))

    # What is announced ------------------------------------------------------------------------------------

    def redacted(self, state: KabukiState) -> KabukiState:
        """Masks are known while they lie on top, in a check, and between rounds."""
        if state.phase in _LIES_OPEN and not (state.desk.abandoned and not state.desk.uncovered):
            return state
        stacks = tuple([tuple(map(_buried, stack[:-1])) + stack[-1:] for stack in state.stacks])
        return replace(state, stacks=stacks)

    def forget(self, state: KabukiState, place: str) -> Event | None:
        return ev.FaceForgotten(place)

    def shared_choices(self, state: KabukiState) -> tuple[Choice, ...]:
        """What back, next and OK do now, and what touching a stack says."""
        if state.desk.paused or self.outcome(state) is not None:
            return ()
        buttons = ((choice.action, choice.press) for choice in super().shared_choices(state))
        touched = ((action, "touch") for action in asking.by_stack(state))
        return tuple(self._offered(state, action, press) for action, press in (*buttons, *touched))

    def _offered(self, state: KabukiState, action: Action, press: str) -> Choice:
        """A choice, and where it names one, the stack and the mask on it."""
        stack, design = telling.mask_of(action, "place", "name") or (0, "")
        return Choice(
            action,
            self.label(state, action),
            press,
            region=f"stack:{stack}" if stack else "",
            card=f"mask:{design}" if design else "",
        )

    def label(self, state: KabukiState, action: Action) -> Sentence:
        return telling.label(self, state, action) or super().label(state, action)

    def chosen(self, state: KabukiState, action: Action) -> Sentence:
        """A mask that was touched is named by its stack."""
        target = telling.mask_of(action, "place")
        return super().chosen(state, action if target is None else replace(action, value=target[0]))

    def why(self, state: KabukiState, event: Event) -> str:
        return telling.why(state, super().why(state, event))

    def key(self, event: Event) -> str:
        return telling.key(event) or super().key(event)

    def parts(self, state: KabukiState, event: Event) -> telling.Parts:
        return telling.parts(self, state, event, super().parts(state, event))

    def summons(self, event: Event) -> bool:
        """Who called has to be seen."""
        return isinstance(event, ev.StopCalled)

    def afterwards(self, state: KabukiState, event: Event) -> tuple[Sentence, ...]:
        match event:
            case shared.Infraction(rule="turn.not_yours"):
                return whose_turn(self, state)
            case ev.RoundEnded():
                said = score(self, state, state.totals) if state.options.game_by == "totals" else ()
                return (*said, *telling.tokens_again(state))
            case ev.GameWon() if state.options.game_by == "totals":
                return scores(self, state, state.totals)
        return ()

    def recap(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        return recap.numbers(event for entry in reversed(list(standing)) for event in entry.events)

    def finishes(self, state: KabukiState, standing: Iterable[Any]) -> tuple[Finish, ...]:
        return races.finishes(state.setup.chairs, state.options, reversed(list(standing)))

    def exhibit(self, state: KabukiState, standing: Iterable[Any]) -> Exhibit | None:
        """A contested Stop while its stack is not lifted, a round while the masks are shuffled."""
        chairs, options = state.setup.chairs, state.options
        if state.phase is Phase.STOPPED and state.stop is not None:
            found = races.finishes(chairs, options, races.since(state.stop.number, standing), state.round)
            return found[-1] if found and found[-1].contested else None
        if state.phase in {Phase.SHUFFLING, Phase.OVER} and state.scores:
            return recap.of_round(chairs, options, races.since(0, standing), state.totals)
        return None


def _buried(mask: Mask) -> Mask:
    """A mask of which only the back could be seen."""
    return replace(mask, design=UNREAD)
