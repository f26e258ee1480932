"""Kabuki for two to six players, in our words.

Fifty masks: ten designs, five of each; designs of one colour look alike. Everybody has tokens, five each with
up to four players, else four. In turn each player:

1. draws the top mask, shows it to everybody, and
2. places it face up on one of the four stacks, over what lies there. Only the top of a stack is seen.

From its placement until the next mask is placed, every other player may call Stop by the own button: "the
mask on top lies in this stack already". Play stands still, and everybody looks at that stack.

3. With m masks of the same design (not only colour) under it, the caller takes m tokens from the placer, at
   most what the placer has. With none, the caller puts one token into the box. Other doubles in the stack are
   past and forgiven. The stack goes back in its order, and the turn goes on; the placement stands.
4. A round ends when somebody has no token, or some seconds after the last mask. Everybody scores the tokens
   in front. After three rounds the highest sum wins, shared where it is equal.

The referee sees what is placed where and so knows m beforehand. It tells nobody, by no word, lamp or delay:
the players look themselves, and its own count is only the second opinion.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, ClassVar, Literal

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
    Prompt,
    Seat,
    Setup,
    Timer,
)
from companion.core.board import Board
from companion.core.events import Event
from companion.core.exhibits import Exhibit, Finish
from companion.core.view import Choice, Mode, Sentence, View
from companion.games.kabuki.board import BOARD
from companion.games.kabuki.rules import events as ev
from companion.games.kabuki.rules import (
    evolve,
    invariants,
    judge,
    races,
    recap,
    seeing,
    stops,
    undoing,
    view,
)
from companion.games.kabuki.rules.events import AnyKabukiEvent
from companion.games.kabuki.rules.options import KabukiOptions
from companion.games.kabuki.rules.state import (
    DECK,
    DESIGNS,
    MOST_TWINS,
    STACKS,
    UNREAD,
    KabukiState,
    Mask,
    Phase,
    tokens_of,
)

_LIES_OPEN = frozenset({Phase.CHECKING, Phase.SHOWING, Phase.RESTORING, Phase.SHUFFLING, Phase.OVER})
"""Here a stack, or every stack, is looked into."""
_ALL_SEATS = (Phase.CALLED, Phase.ASKING, Phase.STOPPED)


class Kabuki(base.Rules[KabukiState]):
    """The rules of Kabuki over what the referee knows."""

    name: ClassVar[str] = "kabuki"
    bare = frozenset({"twins"})
    board: ClassVar[Board] = BOARD
    bookkeeping = (
        ev.MaskDrawn,
        ev.MaskShown,
        ev.ShowCleared,
        ev.UnreadSeen,
        ev.UnreadGone,
        ev.Pointed,
        ev.SixthSeen,
        ev.FaceForgotten,
        ev.AmissSeen,
        ev.PutRight,
        ev.WindowClosed,
        ev.StopJoined,
        ev.CallsLocked,
        ev.PlacementQueued,
        ev.CallsDropped,
        ev.CooledDown,
        ev.CardShown,
        ev.StackRead,
    )
    untold = frozenset(
        {
            "number",
            "clear_until",
            "lies_since",
            "drawer",
            "placer",
            "at",
            "source",
            "until",
            "due",
            "to",
            "tokens",
        }
        | {"how", "paid", "behind"}
    )
    players: ClassVar[range] = range(2, 7)
    options: ClassVar[type[Options]] = KabukiOptions
    events: ClassVar[object] = AnyKabukiEvent
    steering: ClassVar[tuple[type[Event], ...]] = (*desk.STEERING, ev.Pointed)

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

    def prompts(self, state: KabukiState) -> tuple[Prompt, ...]:
        def ask(seat: int, *options: tuple[str, str | int | None]) -> Prompt:
            return Prompt(
                self.chair_of(state, seat), tuple(Action(seat, verb, value) for verb, value in options)
            )

        stop = state.stop
        match state.phase:
            case Phase.SHUFFLING:
                return (ask(state.drawer, ("begin", None)),)
            case Phase.PLAYING:
                marks = state.drawer if judge.can_mark(state) else None
                return tuple(
                    ask(seat, ("put" if seat == marks else "stop", None)) for seat in range(state.players)
                )
            case Phase.REOPENING if state.last is not None:
                return (ask(state.last.seat, ("reopen", None)),)
            case Phase.ASKING:
                lead = judge.lead_of(state)
                return () if lead is None else (ask(lead, ("newer", None), ("older", None)),)
            case Phase.STOPPED if stop is not None:
                withdraw = (("withdraw", None),) if state.withdraws else ()
                return (ask(stop.seat, ("look", None), *withdraw),)
            case Phase.CHECKING | Phase.SHOWING if stop is not None:
                return (ask(stop.seat, *(("twins", count) for count in range(MOST_TWINS + 1))),)
            case Phase.RESTORING if stop is not None:
                return (ask(stop.seat, ("restored", None)),)
        return ()

    def controls(self, state: KabukiState) -> presses.Controls:
        """The shared buttons place a mask where no camera sees it: back and next point, ok says it lies.

        Ok does nothing before somebody points: a stack that is not shown as pointed at is not meant.
        """
        table = super().controls(state)
        if not table or state.phase is not Phase.PLAYING or state.out:
            return table
        seat = state.drawer
        pointing: presses.Controls = {
            (None, "back"): Action(seat, "point", -1),
            (None, "next"): Action(seat, "point", 1),
        }
        lies: presses.Controls = {(None, "ok"): Action(seat, "place", state.hand.pointer)}
        return {**table, **pointing, **(lies if state.points else {})}

    def extra_actions(self, state: KabukiState) -> Iterable[Action]:
        """What touch says: a mask and where it lies, its name, and Stop for those whose button means more."""
        seat, placing = state.drawer, state.phase in judge.PLACING
        if placing and not state.out and (state.pending.placement is None or state.parted):
            yield from (Action(seat, "place", stack) for stack in range(1, STACKS + 1))
            yield from _named(seat, "place", range(1, STACKS + 1))
        if state.phase is Phase.PLAYING:
            yield from self._in_hand(state)
        yield from self._unread(state, range(state.players))
        if state.phase in _ALL_SEATS or judge.can_mark(state):
            for caller in range(state.players):
                if stops.called(state, caller, 0, "touch"):
                    yield Action(caller, "stop")

    def _unread(self, state: KabukiState, seats: Iterable[Seat]) -> list[Action]:
        """Every name that a mask on top may have which nobody could read."""
        if state.phase not in {Phase.PLAYING, Phase.REOPENING, Phase.STOPPED}:
            return []
        return [action for seat in seats for action in _named(seat, "name", _unread(state))]

    def _in_hand(self, state: KabukiState) -> Iterable[Action]:
        """What may be said of the player in turn."""
        seat, hand = state.drawer, state.hand
        if not state.out:
            yield from (Action(seat, "point", step) for step in (1, -1))
            if not hand.design:
                yield from (Action(seat, "show", design) for design in DESIGNS)
        if state.options.stop_until == "next_draw" and not hand.drawn and state.deck:
            yield Action(seat, "draw")
        if judge.can_be_short(state):
            yield Action(seat, "deck_empty")

    def alternatives(self, state: KabukiState, seen: ob.Observation) -> Iterable[Action]:
        """A placed mask lay where it was seen or told; only its face was another. Every design is offered."""
        match seen:
            case ob.TableSeen():
                names = (region.name.partition("stack:") for region in seen.regions)
                stacks = [stack for _, found, stack in names if found]
            case ob.Declared(action=Action(verb="place", value=str(told))) if "@" in told:
                stacks = [told.partition("@")[2]]
            case ob.Declared(action=Action(verb="place", value=int(stack))):
                stacks = [str(stack)]
            case _:
                return super().alternatives(state, seen)
        return (Action(state.drawer, "place", f"{design}@{stack}") for stack in stacks for design in DESIGNS)

    # What is ruled ----------------------------------------------------------------------------------------

    def judge(self, state: KabukiState, action: Action, at: Micros) -> tuple[Event, ...]:
        return judge.judge(state, action, at)

    def raced(self, state: KabukiState, chair: Chair, seen: ob.ButtonPressed) -> tuple[Event, ...] | None:
        """Stop counts from the edge of the press, and its source says how finely."""
        seat = self.seat_of(state, chair)
        if seat is None or (state.phase is Phase.PLAYING and seat == state.drawer and judge.can_mark(state)):
            return None
        mine = any(prompt.chair == chair for prompt in self.prompts(state))
        if state.phase is not Phase.PLAYING and (mine or state.phase not in _ALL_SEATS):
            return None
        return stops.called(state, seat, seen.at, seen.source, seen.since)

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
        try:
            wrong = invariants.broken(evolve.repaired(state, table.table))
        except (ValueError, IndexError):
            wrong = "names"
        if wrong is not None:
            return (shared.Infraction("repair.impossible"),)
        return (*self.voided(state, "repair"), shared.Repaired(table.table))

    def evolve_game(self, state: KabukiState, event: Event) -> KabukiState:
        return evolve.evolve(state, event)  # type: ignore[arg-type]  # the journal decodes this game's union only

    def outcome(self, state: KabukiState) -> Outcome | None:
        if state.desk.abandoned:
            return Outcome(ABANDONED, (), state.desk.uncovered)
        if not state.winners:
            return None
        return Outcome("three_rounds", tuple(self.chair_of(state, seat) for seat in state.winners))

    # What is told -----------------------------------------------------------------------------------------

    def broken(self, state: KabukiState) -> str | None:
        return invariants.broken(state)

    def veiled(self, state: KabukiState) -> KabukiState:
        """Masks are known while they lie on top, in a check, and between rounds."""
        if state.phase in _LIES_OPEN and not (state.desk.abandoned and not state.desk.uncovered):
            return state
        stacks = tuple([tuple(map(_buried, stack[:-1])) + stack[-1:] for stack in state.stacks])
        return replace(state, stacks=stacks)

    def forgotten(self, state: KabukiState, now: KabukiState) -> tuple[Event, ...]:
        return tuple(undoing.forgotten(state, now))

    def lies_still(self, region: str, then: KabukiState, now: KabukiState) -> bool:
        """Masks have twins: an earlier one may lie under its like by now."""
        kind, _, place = region.partition(":")
        if kind != "stack":
            return (then.round, then.placed) == (now.round, now.placed)
        return then.round == now.round and then.top(int(place)) == now.top(int(place))

    def view(self, state: KabukiState, mode: Mode = Mode.PLAY) -> View:
        return view.view(self, state, mode)

    def shared_choices(self, state: KabukiState) -> tuple[Choice, ...]:
        """What back, next and ok do now; and what touching a stack says, where nobody saw what lies there.

        A name that is said where an unread mask lies answers "Which one is it?": it is no turn of the next
        player.
        """
        if state.desk.paused or self.outcome(state) is not None:
            return ()
        buttons = tuple(
            self._offered(state, choice.action, choice.press) for choice in super().shared_choices(state)
        )
        touched: list[Action] = []
        placing = state.phase is Phase.PLAYING and not state.out
        if placing and (state.desk.blind or state.hand.missed):
            touched += [Action(state.drawer, "place", stack) for stack in range(1, STACKS + 1)]
        if placing and state.desk.blind and not state.hand.design:  # a touched stack asks which mask it is
            read = [stack for stack in range(1, STACKS + 1) if stack not in _unread(state)]
            touched += _named(state.drawer, "place", read)
        touched += self._unread(state, (state.drawer,))
        return (*buttons, *(self._offered(state, action, "touch") for action in touched))

    def _offered(self, state: KabukiState, action: Action, press: str) -> Choice:
        """A choice, and where it says that which mask lies."""
        target = judge.mask_at(action.value) if action.verb in {"place", "name"} else None
        stack, design = target or (0, "")
        return Choice(
            action,
            self.label(state, action),
            press,
            region=f"stack:{stack}" if stack else "",
            card=f"mask:{design}" if design else "",
        )

    def label(self, state: KabukiState, action: Action) -> Sentence:
        """Designs have words of their own; stacks are told by number."""
        target = judge.mask_at(action.value) if action.verb in {"place", "name"} else None
        if target is not None:
            stack, design = target
            return Sentence(f"kabuki.do.place{'.' + design if design else ''}", (("stack", stack),))
        if action.verb == "show" and action.value in DESIGNS:
            return Sentence(f"kabuki.do.show.{action.value}")
        return super().label(state, action)

    def chosen(self, state: KabukiState, action: Action) -> Sentence:
        """A mask that was touched is told by its stack."""
        target = judge.mask_at(action.value) if action.verb == "place" else None
        return super().chosen(state, action if target is None else replace(action, value=target[0]))

    def settles(self, event: Event) -> Literal["", "earlier", "itself"]:
        """Who lifted a stack has looked (BA13), a count is told right or wrong, a round's end tells all."""
        match event:
            case ev.CheckSaid():
                return "earlier"
            case ev.CheckBegan() | ev.RoundEnded():
                return "itself"
        return ""

    def summons(self, event: Event) -> bool:
        """Who called has to be seen."""
        return isinstance(event, ev.StopCalled)

    def notice(self, event: Event) -> tuple[Seat, str] | None:
        match event:
            case ev.StopTooEarly():
                return event.seat, "too_early"
            case ev.StopTooLate() | ev.StopVoided():
                return event.seat, "too_late"
        return None

    def key(self, event: Event) -> str:
        match event:
            case ev.MaskPlaced(mask=""):
                return "kabuki.MaskPlaced.unread"
            case ev.WindowOpened(last=True):
                return "kabuki.WindowOpened.last"
            case ev.StopAssigned() if event.tied:
                return "kabuki.StopAssigned.tied"
            case ev.StopVoided() if event.behind < 0:
                return "kabuki.StopVoided.before"
            case ev.RoundEnded():
                return f"kabuki.RoundEnded.{event.how}"
            case ev.StopWrong() if event.to is not None:
                return "kabuki.StopWrong.to_placer"
            case shared.WindowVoided():
                return "kabuki.WindowVoided"
        return super().key(event)

    def parts(self, state: KabukiState, event: Event) -> tuple[tuple[str, str | int], ...]:
        parts = tuple(part for part in super().parts(state, event) if part[1] != "")
        match event:
            case ev.StopVoided():
                return (*parts, ("ms", f"{abs(event.behind) / 1_000:.1f}"))
            case ev.StopRight():
                return (("chair", self.chair_of(state, event.seat)), ("left", event.paid))
            case ev.GameWon() if len(event.seats) == 1:
                return (("chair", self.chair_of(state, event.seats[0])),)
        return parts

    def public_parts(self, state: KabukiState, event: Event) -> tuple[tuple[str, str | int], ...]:
        """A mask is named while it lies on top, and when the game is over."""
        parts = self.parts(state, event)
        if self.is_open(state) or not isinstance(event, ev.MaskPlaced | ev.MaskRead):
            return parts
        if self.lies_at(state, event) is not None:
            return parts
        return tuple(part for part in parts if part[0] != "mask")

    def lies_at(self, state: KabukiState, event: Event) -> str | None:
        """A mask that lies on top, and lay nowhere else since it was placed."""
        if not isinstance(event, ev.MaskPlaced) or event.mask == UNREAD:
            return None
        top = state.top(event.stack)
        lies = top is not None and (top.seat, top.number, top.lay, top.design) == (
            event.seat,
            event.number,
            event.lies_since,
            event.mask,
        )
        return f"stack:{event.stack}" if lies else None

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

    def put_back(self, later: KabukiState, earlier: KabukiState) -> tuple[Sentence, ...]:
        return undoing.put_back(self, later, earlier)


def _buried(mask: Mask) -> Mask:
    """A mask of which only the back could be told."""
    return replace(mask, design=UNREAD)


def _named(seat: Seat, verb: str, stacks: Iterable[int]) -> list[Action]:
    """A mask of every design, on each of these stacks."""
    return [Action(seat, verb, f"{design}@{stack}") for stack in stacks for design in DESIGNS]


def _unread(state: KabukiState) -> list[int]:
    """The stacks on which a mask lies that nobody could read."""
    return [stack for stack, top in enumerate(state.tops, 1) if top is not None and top.design == UNREAD]
