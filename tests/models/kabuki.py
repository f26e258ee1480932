"""A model of Kabuki with every mask, written from docs/rules.md alone: BA3 and B-T47 point there.

It plays the whole table: who lays which mask where and when, when the camera or a button says so, who
presses when, and what must follow from it. Where the rules leave a thing open, a comment says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, NamedTuple

from msgspec import UNSET

from companion.core import observations as ob
from companion.core.actions import SECOND, Action, Micros, Setup
from companion.core.observations import AnyObservation
from companion.core.rules import Rules
from companion.games import RULES
from tests.models.compare import REFUSED, Fact, Game, facts_of

DESIGNS = ("crab", "demon", "ghost", "leaf", "lion", "moon", "plum", "storm", "sun", "wave")
COPIES = 5
STACKS = range(1, 5)
ROUNDS = 3
MS: Micros = 1_000
LOCK: Micros = 45 * MS
"""How long after the first call another may come that was earlier (not a rule: docs/know/presses.md)."""
PATIENCE: Micros = 1500 * MS
"""How long after the first call a picture may come of a mask that lay then (the program's own limit)."""
WHERE: Micros = 5 * SECOND
"""How long after a mask left the show place it is asked where it lies (the program's own limit)."""
LATEST: Micros = 600 * MS
"""How long after a mask lies the camera says so, at most."""

UNRULED = {"MaskDrawn", "MaskShown", "ShowCleared", "PlacementMarked", "PlacementQueued", "StopCalled",
           "StopJoined", "CallsLocked", "CallsDropped", "CheckBegan", "CheckSaid", "WindowOpened",
           "WindowClosed", "CooledDown", "PressBegan", "PressEnded", "ChoiceStepped", "Pointed",
           "StackRestored"}  # fmt: skip
"""Events that no rule speaks of, or whose consequences are compared: phase, timer, tokens, offers."""
UNSAID = {"clear_until", "lies_since", "source", "since"}
HIDDEN = {"point", "deck_empty", "show", "draw"}
"""Ways to say what the camera sees, or what no rule of the game asks."""


class Void(tuple[object, ...]):
    """A call does not count, for whatever reason."""

    __slots__ = ()
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and other[0] in VOIDS and other[1] == self[1]


VOIDS = {"OwnMaskCalled", "StopTooLate", "StopTooEarly", "StopVoided"}


class Call(NamedTuple):
    """A press that may be a Stop."""

    seat: int
    at: Micros
    resolution: Micros


class Mask:
    """A mask that was laid."""

    def __init__(
        self, number: int, design: str, stack: int, placer: int, span: tuple[Micros, Micros]
    ) -> None:
        self.number = number
        self.design = design
        self.stack = stack
        self.placer = placer
        self.clear, self.lies = span
        """It came to lie after the first instant, and lay at the second."""
        self.until: Micros | None = None
        """A timed window's last instant."""
        self.closed: tuple[Micros, Micros] | None = None
        """Its window was closed by something that happened between these two instants."""
        self.checked = False
        self.proven = 0
        """Twins that a check has shown since it lay."""
        self.withdrawn: set[int] = set()


class Kabuki:
    """One game."""

    def __init__(self, setup: Setup, chance: Random) -> None:
        self.options: Any = setup.options
        self.seats = range(setup.players)
        self.chance = chance
        self.at: Micros = 0
        self.phase = "starting"
        self.round = 0
        self.drawer = -1
        self.totals = [0] * setup.players
        self.won = [0] * setup.players
        self.winners: tuple[int, ...] | None = None
        self.facts: list[Fact] = []
        self.coming: list[AnyObservation] = []
        """What is about to be sensed, in order."""
        self.keen = chance.choice((0.1, 0.3, 0.8))
        """How readily they call."""
        usual = (("gpio",), ("gpio",), ("gpio", "usb"), ("usb", "key", "touch"))
        phones = (("phone",), ("phone", "gpio", "touch"))
        self.sources = chance.choice(usual if self.options.phone_us is UNSET else phones)
        named = ("gpio_us", "usb_us", "key_us", "touch_us", "phone_us")
        known = [getattr(self.options, name) for name in named]
        self.coarsest: Micros = max(micros for micros in known if micros is not UNSET)
        self.tokens = [0] * setup.players
        self._shuffle()

    def _shuffle(self) -> None:
        masks = list(DESIGNS) * COPIES
        self.chance.shuffle(masks)
        self.deck = masks[: self.options.masks]
        self.stacks: dict[int, list[str]] = {stack: [] for stack in STACKS}
        self.blind: dict[int, set[int]] = {stack: set() for stack in STACKS}
        """Which masks of a stack, from 0 at its bottom, the referee does not know: the table counted
        otherwise, or it was covered before play went on (B-T56)."""
        self.last: Mask | None = None
        self.placed = 0
        self.calls: list[Call] = []
        self.heard: set[int] = set()
        """Whose press was void while a Stop stood."""
        self.locked = False
        self.queued: Mask | None = None
        self.upper: Mask | None = None
        """What was laid on it before play went on."""
        self.stop: tuple[Call, Mask] | None = None
        self.cold: dict[int, Micros] = {}
        self.drawn = False
        """Whether the player in turn has said so (BA3)."""
        self.in_hand = ""
        """The mask that was shown."""
        self.left: Micros | None = None
        """The last instant at which it was seen in the show place, and then no longer (B-T43)."""
        self.where_due: Micros | None = None
        """When it is asked where that is."""
        self.unseen = 0
        """The stack with its like on top, on which it is laid then."""
        self.marked: Micros | None = None

    # What everybody can see --------------------------------------------------------------------------------

    def over(self) -> bool:
        return self.winners is not None

    def due(self) -> Micros | None:
        if self.phase == "called":
            return self.calls[0].at + (PATIENCE if self.locked else max(LOCK, self.coarsest))
        if self.phase != "playing":
            return None
        return min((due for due in (self._closes(), self.where_due) if due is not None), default=None)

    def _closes(self) -> Micros | None:
        """The last instant at which the mask placed last may be stopped."""
        if self.last and not self.last.closed and self._may_be_stopped(self.last):
            return self.last.until
        return None

    def _may_be_stopped(self, mask: Mask) -> bool:
        """BA6: once, unless the table plays otherwise."""
        return not mask.checked or self.options.second_stop

    def public(self) -> Mapping[str, object]:
        seen: dict[str, object] = {"winners": self.winners}
        if self.over():
            return seen
        seen["phase"] = self.phase
        if self.phase in {"starting", "shuffling"}:
            return seen
        waits = self.upper or self.queued  # it lies there already, and covers what was placed (B-T56)
        for stack, masks in self.stacks.items():
            seen[f"top:{stack}"] = masks[-1] if masks else None
            if waits is not None and waits.stack == stack:
                seen[f"top:{stack}"] = waits.design
        for seat, count in enumerate(self.tokens):
            seen[f"tokens:{seat}"] = count
        return seen

    # What may be done --------------------------------------------------------------------------------------

    def legal(self) -> set[str]:
        return set(map(str, self._legal()))

    def _legal(self) -> Iterable[Action]:
        match self.phase:
            case "shuffling":
                yield Action(self.drawer, "begin")
            case "playing" | "called" | "stopped" | "asking":
                for seat in self.seats:
                    if seat not in self._callers():
                        yield Action(seat, "stop")
                if self.deck and self.queued is None and (self.phase != "asking" or self.where):
                    yield Action(self.drawer, "place")
                if self.phase == "playing" and self._may_mark():
                    yield Action(self.drawer, "put")
        match self.phase:
            case "asking" if self.where:
                yield Action(self.drawer, "not_laid")
            case "asking":
                yield Action(self.lead.seat, "newer")
                yield Action(self.lead.seat, "older")
            case "stopped":
                assert self.stop is not None
                call, mask = self.stop
                yield Action(call.seat, "look")
                if self.options.stop_withdraw and call.seat not in mask.withdrawn:
                    yield Action(call.seat, "withdraw")
            case "checking" | "showing":
                assert self.stop is not None
                for count in range(5):
                    yield Action(self.stop[0].seat, "twins", count)
            case "restoring":
                assert self.stop is not None
                yield Action(self.stop[0].seat, "restored")

    @property
    def where(self) -> bool:
        """B-T43: the player in turn is asked where the mask lies that nobody saw laid."""
        return self.phase == "asking" and self.queued is None

    def _laid_unseen(self) -> bool:
        """B-T43: the mask is no longer shown, its like lies on top, and no picture shows it anywhere."""
        tops = {masks[-1] for masks in self.stacks.values() if masks}
        return self.left is not None and self.in_hand in tops and self.queued is None

    def _callers(self) -> set[int]:
        return {call.seat for call in self.calls} | self.heard

    def _may_mark(self) -> bool:
        """B-T50: the placer's own button, pressed after the mask was shown."""
        return bool(self.options.placed_by == "button" and self.in_hand and self.marked is None)

    # What follows ------------------------------------------------------------------------------------------

    def take(self, seen: AnyObservation) -> Sequence[Fact]:
        self.facts = []
        self.at = max(self.at, seen.at)
        match seen:
            case ob.RandomDraw():
                self.drawer, self.phase = seen.index, "shuffling"
                self._tell("StarterDrawn", seen.index)
            case ob.ActionDeclared():
                self._declared(seen)
            case ob.ButtonPressed(chair=int(seat)):
                self._pressed(seat, seen.at, seen.source)
            case ob.TimerElapsed():
                self._elapsed()
            case ob.TableSeen():
                self._look(seen)
        return self.facts

    def _tell(self, kind: str, *values: object) -> None:
        self.facts.append((kind, *values))

    def _declared(self, seen: ob.ActionDeclared) -> None:
        seat, verb, value = seen.action.seat, seen.action.verb, seen.action.value
        spoken = str(Action(seat, verb)) if verb == "place" else str(seen.action)
        if verb in HIDDEN:
            self._drawn(seat, verb, value, seen.at)
            return
        if spoken not in self.legal():
            self.facts.append(REFUSED)
            return
        match verb:
            case "put":
                self.marked = seen.at
            case "begin":
                self.round += 1
                self.phase = "playing"
                self._shuffle()
                self.tokens = [4 if len(self.seats) > 4 else 5] * len(self.seats)  # B-T04
                self._tell("RoundBegan", seat, self.round, self.tokens[0])
            case "stop":
                self._pressed(seat, seen.at, seen.source)
            case "place":
                design, _, stack = str(value).partition("@")
                lies = self.marked or seen.at
                if self.where:
                    assert self.left is not None
                    lies = min(call.at for call in self.calls if call.at > self.left)
                self._lay(design, int(stack), (lies - 1, lies), seen.at)
            case "not_laid":
                self._resolve()
            case "newer" | "older":
                mask = self.queued if verb == "newer" else self.last
                assert mask is not None
                self._assign(mask)
            case "withdraw":
                self._withdraw(seat)
            case "look":
                self.phase = "checking"
            case "twins":
                assert isinstance(value, int)
                self._twins(value)
            case "restored":
                assert self.stop is not None
                if self.stop[1].until is not None:
                    self.stop[1].until = self._window(
                        self.stop[1], seen.at
                    )  # a check moves it (docs/decisions/015-a-window-has-one-end.md)
                self._resume()

    def _drawn(self, seat: int, verb: str, value: str | int | None, at: Micros) -> None:
        if self.phase != "playing" or seat != self.drawer or not self.deck:
            self.facts.append(REFUSED)
            return
        if verb == "draw":
            if self.drawn or self.in_hand or self.options.stop_until != "next_draw":
                self.facts.append(REFUSED)
                return
            self.drawn = True
            self._close((at, at))
        if verb == "show":
            self._show(str(value), (at, at))

    # Masks -------------------------------------------------------------------------------------------------

    def _look(self, seen: ob.TableSeen) -> None:
        for region in seen.regions:
            card = region.faces[0].card.removeprefix("mask:") if region.faces else ""
            if region.name == "show":
                if card:
                    self._show(card, (region.clear_until, region.lies_since))
                elif self.in_hand and self.left is None and self._left(region.clear_until):
                    self.left, self.where_due = region.clear_until, seen.at + WHERE
            elif region.name == "audit":
                if self.phase == "showing" and card:
                    assert self.stop is not None
                    call, mask = self.stop
                    self.blind[mask.stack] = set()
                    masks = self.stacks[mask.stack]
                    self._tell("StackRead", mask.stack, tuple(masks))
                    self._settle(call, mask, masks[:-1].count(masks[-1]))
            else:
                self._lay(card, int(region.name[-1]), (region.clear_until, region.lies_since), seen.at)

    def _left(self, after: Micros) -> bool:
        """Whether a mask that left the show place after this instant may lie already, for whoever called."""
        late = any(call.at > after for call in self.calls)
        return self.phase == "playing" or (self.phase == "called" and late)

    def _show(self, design: str, span: tuple[Micros, Micros]) -> None:
        self.in_hand = design
        if self.options.stop_until in {"next_show", "next_draw"}:
            self._close(span)

    def _close(self, span: tuple[Micros, Micros]) -> None:
        """BA3: the next mask is drawn, or shown: the mask before cannot be stopped any more."""
        if self.last is not None and self.last.closed is None and self.placed < self.options.masks:
            self.last.closed = span

    def _lay(self, design: str, stack: int, span: tuple[Micros, Micros], at: Micros) -> None:
        if self.queued is not None and self.queued.stack == stack:
            self.upper = Mask(self.placed + 2, design, stack, (self.drawer + 1) % len(self.seats), span)
            return
        if self.marked is not None:
            span = (self.marked - 1, self.marked)  # B-T50
        mask = Mask(self.placed + 1, design, stack, self.drawer, span)
        if self.phase == "playing":
            self._place(mask, at)
        else:
            self.queued = mask  # play is stopped: it is placed when play goes on
            if self.phase == "asking" or (self.phase == "called" and self.locked):
                self._resolve()

    def _place(self, mask: Mask, at: Micros, *, covered: bool = False) -> None:
        self.deck.remove(mask.design)
        self.stacks[mask.stack].append(mask.design)
        self.placed += 1
        self.last, self.queued, self.in_hand, self.marked, self.drawn = mask, None, "", None, False
        self.left = self.where_due = None
        self.drawer = (mask.placer + 1) % len(self.seats)
        read = "" if covered else mask.design
        self._tell("MaskPlaced", mask.placer, mask.stack, read, mask.number, self.drawer, covered)
        mask.until = self._window(mask, at)

    def _window(self, mask: Mask, at: Micros) -> Micros | None:
        if mask.number == self.options.masks:
            return at + int(self.options.last_window_s) * SECOND
        if self.options.stop_until == "seconds":
            return at + int(self.options.window_s) * SECOND  # B-T47
        return None

    # Calls -------------------------------------------------------------------------------------------------

    def _pressed(self, seat: int, at: Micros, source: str) -> None:
        if self.phase == "playing" and self._may_mark() and seat == self.drawer:
            self.marked = at
            return
        alone = [action for action in self._legal() if action.seat == seat and action.verb != "place"]
        if self.where and seat == self.drawer:
            self._declared(ob.ActionDeclared(at=at, action=Action(seat, "not_laid")))
            return
        if len(alone) == 1 and alone[0].verb in {"begin", "look", "restored"}:
            self._declared(ob.ActionDeclared(at=at, action=alone[0]))  # the button means what is asked
            return
        if self.phase not in {"playing", "called", "asking", "stopped"}:
            return
        if at < self.cold.get(seat, 0):  # B-T51
            self._tell("StopCold", seat)
            return
        if seat in self._callers():
            return
        call = Call(seat, at, getattr(self.options, f"{source}_us"))
        if self.phase in {"stopped", "asking"}:
            if self.stop is not None:
                self._void(call, "StopVoided", at - self.stop[0].at)
            else:
                self._why(call)
            self.heard.add(seat)
            return
        self.calls.append(call)
        if self.phase == "playing":
            self.phase, self.locked = "called", False
            self.coming = [seen for seen in self.coming if self._happens(seen, at)]

    def _void(self, call: Call, kind: str, *values: object) -> None:
        self._tell(kind, call.seat, *values)
        self._cool(call)

    def _cool(self, call: Call) -> None:
        if self.options.cooldown_ms:
            self.cold[call.seat] = call.at + self.options.cooldown_ms * MS

    def _elapsed(self) -> None:
        if self.phase == "playing" and self.where_due == self.at:
            self._ask_where()
        elif self.phase == "playing":
            assert self.last is not None
            self.last.closed = (self.at, self.at)
            if not self.deck:
                self._end_round("deck", self.last.placer)
        elif not self.locked:
            self.locked = True
            if self.queued is not None:
                self._resolve()
        elif self._laid_unseen():
            self.phase = "asking"
            self._ask_where()
        else:
            self._resolve()

    def _ask_where(self) -> None:
        self.where_due = None
        self._tell("PlacementMissed", self.drawer)

    def _resolve(self) -> None:
        """Who was first, and about which mask."""
        lead = next((call for call in self.calls if self._valid(call)), None)
        if lead is None:
            self._nothing()
        elif len(self._valid(lead)) == 2:
            self.lead, self.phase = lead, "asking"
            self._tell("MaskAsked", lead.seat)
        else:
            self._assign(self._valid(lead)[0])

    def _about(self, call: Call) -> list[Mask]:
        """The masks that a call may be about: it may fall between two pictures."""
        old = [self.last] if self.last is not None else []
        if self.queued is None or call.at <= self.queued.clear:
            return old
        return [self.queued] if call.at >= self.queued.lies else [*old, self.queued]

    def _open(self, call: Call) -> list[Mask]:
        return [mask for mask in self._about(call) if self._is_open(call, mask)]

    def _valid(self, call: Call) -> list[Mask]:
        return [mask for mask in self._open(call) if call.seat != mask.placer or self.options.self_stop]

    def _is_open(self, call: Call, mask: Mask) -> bool:
        """BA3, BA6: whether a mask could be stopped at the instant of a call."""
        if mask.until is not None and call.at > mask.until:
            return False
        if mask.closed is not None and call.at >= mask.closed[1]:
            return False
        return self._may_be_stopped(mask)

    def _nothing(self) -> None:
        for call in self.calls:
            self._why(call)
        self._resume()

    def _assign(self, mask: Mask) -> None:
        valid = [call for call in self.calls if mask in self._valid(call)]
        voids = [call for call in self.calls if call not in valid]
        if mask is self.queued:
            self._place(mask, self.at)
            self.heard.clear()
        # BA5: no other call about this mask certainly came before (B-T52).
        tied = [c for c in valid if all(c.at - o.at < max(c.resolution, o.resolution) for o in valid)]
        around = [(mask.placer + step) % len(self.seats) for step in range(1, len(self.seats) + 1)]
        first = min(tied, key=lambda call: around.index(call.seat))  # BA5
        self.stop = first, mask
        self.phase = "stopped"
        seats = tuple(call.seat for call in tied if call is not first)
        self._tell("StopAssigned", first.seat, first.at, mask.stack, mask.number, mask.placer, seats)
        for call in self.calls:
            if call in voids:
                self._why(call)
            elif call is not first:
                self._void(call, "StopVoided", call.at - first.at)

    def _why(self, call: Call) -> None:
        """Why a call is void that is not behind another about the same mask."""
        if not self._about(call):
            self._void(call, "StopTooEarly")
        elif self.stop is not None or self.queued is not None or self.where:
            # Two masks are spoken of: which of the reasons is told is left open.
            self._cool(call)
            self.facts.append(Void(("void", call.seat)))
        elif self._open(call):
            self._void(call, "OwnMaskCalled")
        else:
            self._void(call, "StopTooLate")

    def _withdraw(self, seat: int) -> None:
        assert self.stop is not None
        call, mask = self.stop
        mask.withdrawn.add(seat)
        self._void(call, "StopWithdrawn")
        self._resume()

    # The check ---------------------------------------------------------------------------------------------

    def _twins(self, count: int) -> None:
        """The table's count; where the referee's differs, the table counts again, and that counts (4.6)."""
        assert self.stop is not None
        call, mask = self.stop
        masks, blind = self.stacks[mask.stack], self.blind[mask.stack]
        least = sum(mask == masks[-1] for place, mask in enumerate(masks[:-1]) if place not in blind)
        if not least <= count <= least + len(blind):
            if self.phase == "checking":
                self.phase = "showing"
                self._tell("CheckDiffers", mask.stack, least)
                return
            self._tell("StackUnknown", mask.stack)
            self.blind[mask.stack] = set(range(len(masks) - 1))
        self._settle(call, mask, count)

    def _settle(self, call: Call, mask: Mask, twins: int) -> None:
        new = max(0, twins - mask.proven)
        mask.checked, mask.proven = True, max(twins, mask.proven)
        loser = None
        if new:
            own = call.seat == mask.placer
            paid = 0 if own else min(new, self.tokens[mask.placer])  # BA4
            self.tokens[mask.placer] -= paid
            self.tokens[call.seat] += paid
            self._tell("StopRight", call.seat, mask.placer, new, paid)
            loser = mask.placer
        else:
            to = (
                mask.placer if self.options.wrong_call == "placer" and mask.placer != call.seat else None
            )  # BA11
            self.tokens[call.seat] -= 1
            if to is not None:
                self.tokens[to] += 1
            self._tell("StopWrong", call.seat, to)
            loser = call.seat
        if not self.tokens[loser]:  # B-T05, B-T06, BA1
            ender = {"placer": mask.placer, "caller": call.seat}.get(self.options.round_ender, loser)
            self._end_round("token", ender)
            return
        self.phase = "restoring"

    def _resume(self) -> None:
        """Play goes on."""
        self.phase, self.calls, self.stop, self.locked = "playing", [], None, False
        self.heard = set()
        if self.last and self.last.until is not None and self.at > self.last.until:
            self.last.closed = (self.last.until, self.last.until)
        if self.queued is not None:
            upper, self.upper = self.upper, None
            if upper is not None:
                self.blind[upper.stack].add(len(self.stacks[upper.stack]))
            self._place(self.queued, self.at, covered=upper is not None)
            if upper is not None:
                self._place(upper, self.at)
        elif self.last and not self.deck and (self.last.closed or not self._may_be_stopped(self.last)):
            self._end_round("deck", self.last.placer)  # nobody can stop it any more

    def _end_round(self, how: str, ender: int) -> None:
        scores = tuple(self.tokens)
        for seat, score in enumerate(scores):
            self.totals[seat] += score
            self.won[seat] += score == max(scores)
        self._tell("RoundEnded", ender, how, scores)
        self.drawer = ender
        self.phase = "shuffling"
        self.coming = []
        self._shuffle()
        if self.round == ROUNDS:
            by = self.totals if self.options.game_by == "totals" else self.won
            self.winners = tuple(seat for seat in self.seats if by[seat] == max(by))
            self.phase = "over"
            self._tell("GameWon", self.winners)

    # What people do ----------------------------------------------------------------------------------------

    def act(self, chance: Random) -> AnyObservation:
        if not self.coming:
            self._plan(chance)
        due = self.due()
        if due is not None and (not self.coming or due < self.coming[0].at):
            return ob.TimerElapsed(at=due, timer="")
        return self.coming.pop(0)

    def _happens(self, seen: AnyObservation, called: Micros) -> bool:
        """Whether it happens all the same, or had happened, when somebody calls."""
        if isinstance(seen, ob.TableSeen):
            return self.marked is not None or seen.regions[0].lies_since < called + 300 * MS
        if not isinstance(seen, ob.ButtonPressed) or seen.at > called + SECOND:
            return False
        return self.options.placed_by == "camera" or seen.chair != self.drawer  # or it might be a call

    def _soon(self, least: Micros = 100 * MS, most: Micros = 2 * SECOND) -> Micros:
        return self.at + self.chance.randrange(least, most)

    def _say(self, seat: int, verb: str, value: str | int | None = None) -> None:
        self.coming.append(ob.ActionDeclared(at=self._soon(), action=Action(seat, verb, value)))

    def _press(self, seat: int, at: Micros) -> None:
        at = max(at, self.at + 1)
        self.coming.append(ob.ButtonPressed(at=at, chair=seat, source=self.chance.choice(self.sources)))

    def _plan(self, chance: Random) -> None:
        match self.phase:
            case "starting":
                names = tuple(map(str, self.seats))
                self.coming.append(
                    ob.RandomDraw(at=self._soon(), choices=names, index=chance.choice(self.seats))
                )
            case "shuffling":
                self._say(self.drawer, "begin")
            case "playing" if self.deck:
                self._turn(chance)
            case "playing" if chance.random() < self.keen and self.last and self.last.until:
                until = self.last.until
                self._shouts(chance.choice((until - 1, until, until + 1, self._soon())), chance)
            case "asking" if self.where and chance.random() < 0.7:
                self._say(self.drawer, "place", f"{self.in_hand}@{self.unseen}")
            case "asking" if self.where:
                self._say(self.drawer, "not_laid")
            case "asking":
                self._say(self.lead.seat, chance.choice(("newer", "older")))
            case "stopped":
                assert self.stop is not None
                back = chance.random() < 0.25 and "withdraw" in {a.verb for a in self._legal()}
                self._say(self.stop[0].seat, "withdraw" if back else "look")
                if self.queued and not self.upper and chance.random() < 0.5:
                    self._lay_on(self.queued)
            case "checking" | "showing":
                assert self.stop is not None
                call, mask = self.stop
                masks = self.stacks[mask.stack]
                wrong = chance.random() < (0.1 if self.phase == "checking" else 0.3)
                if self.phase == "showing" and chance.random() < 0.5:
                    at = self._soon()
                    faces = tuple(ob.SeenCard(f"mask:{design}") for design in masks)
                    self.coming.append(
                        ob.TableSeen(at=at, regions=(ob.RegionReading("audit", faces, at - MS, at),))
                    )
                    self.coming.append(
                        ob.TableSeen(at=at + MS, regions=(ob.RegionReading("audit", (), at, at),))
                    )
                else:
                    count = chance.randrange(5) if wrong else masks[:-1].count(masks[-1])
                    self._say(call.seat, "twins", count)
            case "restoring":
                assert self.stop is not None
                self._say(self.stop[0].seat, "restored")
        if self.phase != "starting" and chance.random() < 0.05:
            self._say(*self._anything(chance))
        if (
            self.phase in {"playing", "called", "stopped", "checking", "showing", "restoring"}
            and chance.random() < 0.15
        ):
            able = [seat for seat in self.seats if self._may_itch(seat)]
            if self.phase == "restoring" and self.stop and self.options.placed_by == "camera":
                able.append(self.stop[0].seat)
            if able:
                self._press(chance.choice(able), self._soon())
        self.coming.sort(key=lambda seen: seen.at)

    def _anything(self, chance: Random) -> tuple[int, str, str | int | None]:
        """What somebody says who is not asked."""
        seat = chance.choice([seat for seat in self.seats if seat != self.drawer])
        verb = chance.choice(("begin", "place", "look", "twins", "restored", "newer", "older"))
        value = {"place": f"{chance.choice(DESIGNS)}@1", "twins": chance.randrange(5)}.get(verb)
        return seat, verb, value

    def _may_itch(self, seat: int) -> bool:
        """Whether a press of this seat can be nothing but a call."""
        asked = self.stop is not None and seat == self.stop[0].seat
        return not asked and not (self.options.placed_by == "button" and seat == self.drawer)

    def _turn(self, chance: Random) -> None:
        """Somebody draws, shows and lays a mask; others call, sometimes at almost the same instant."""
        design = self.in_hand or chance.choice(self.deck)
        stack = chance.choice(STACKS)
        like = self.stacks[stack][-1:] == [design]
        shown = self._soon(500 * MS)
        if not self.in_hand:
            # It is said, now and then, also where it closes nothing and is refused.
            if chance.random() < (0.5 if self.options.stop_until == "next_draw" else 0.05):
                drawn = shown - chance.randrange(100 * MS, 400 * MS)
                self.coming.append(ob.ActionDeclared(at=drawn, action=Action(self.drawer, "draw")))
            if chance.random() < 0.2:
                self.coming.append(ob.ActionDeclared(at=shown, action=Action(self.drawer, "show", design)))
            else:
                span = (shown - 100 * MS, shown)
                region = ob.RegionReading("show", (ob.SeenCard(f"mask:{design}"),), *span)
                at = shown + chance.randrange(100 * MS, LATEST)
                self.coming.append(ob.TableSeen(at=at, regions=(region,)))
        lies = shown + chance.randrange(LATEST + 100 * MS, 4 * SECOND)
        span = (lies, lies)
        if like:
            # The camera sees no change: it is said, at once or before anybody is asked.
            self.unseen = stack
            action = Action(self.drawer, "place", f"{design}@{stack}")
            said = lies + chance.choice((0, chance.randrange(2 * MS, 4 * SECOND)))
            self.coming.append(ob.ActionDeclared(at=said, action=action))
            bare = ob.RegionReading("show", (), lies, lies)
            self.coming.append(ob.TableSeen(at=lies + MS, regions=(bare,)))
        else:
            span = (lies - chance.randrange(30 * MS, 300 * MS), lies)
            if self.options.placed_by == "button" and chance.random() < 0.8:
                self._press(self.drawer, lies + chance.randrange(90 * MS))
            regions = (
                ob.RegionReading("show", (), *span),
                ob.RegionReading(f"stack:{stack}", (ob.SeenCard(f"mask:{design}"),), *span),
            )
            self.coming.append(ob.TableSeen(at=lies + chance.randrange(100 * MS, LATEST), regions=regions))
        exact = [span[0], lies, lies + 1, lies - 1, *(seen.at for seen in self.coming)]
        if self.last is not None and self.last.until is not None:
            exact += [self.last.until - 1, self.last.until, self.last.until + 1]
        for span in ((lies, lies + 2 * SECOND), (shown - SECOND, lies)):
            if chance.random() < self.keen:
                self._shouts(
                    chance.choice(exact) if chance.random() < 0.3 else chance.randrange(*span), chance
                )

    def _lay_on(self, under: Mask) -> None:
        """The next player goes on as if nobody had called (B-T56)."""
        assert self.stop is not None
        # The like of what lay there before looks as if the mask were taken away again: nobody lays one.
        alike = {under.design, *self.stacks[under.stack][-1:]}
        others = [design for design in self.deck if design not in alike]
        if others and under.stack != self.stop[1].stack:
            at, face = self._soon(), ob.SeenCard(f"mask:{self.chance.choice(others)}")
            region = ob.RegionReading(f"stack:{under.stack}", (face,), at - 2 * MS, at - MS)
            self.coming.append(ob.TableSeen(at=at, regions=(region,)))

    def _shouts(self, at: Micros, chance: Random) -> None:
        able = [seat for seat in self.seats if self._may_itch(seat)]
        seats = chance.sample(able, k=min(len(able), chance.choice((1, 1, 2, 3))))
        for seat in seats:
            self._press(seat, at)
            near = chance.choice((1, 8, 16, 60)) * MS
            at += chance.choice((near, near - 1, chance.randrange(2 * MS), chance.randrange(SECOND)))


def public(rules: Rules[Any], state: Any) -> Mapping[str, object]:
    view = rules.view(state)
    seen: dict[str, object] = {"winners": view.outcome and view.outcome.winners}
    if view.outcome is not None:
        return seen
    seen["phase"] = str(view.phase)
    if view.phase in {"starting", "shuffling"}:
        return seen
    for place in view.places:
        if place.region.startswith("stack:"):
            card = place.card.removeprefix("mask:")
            seen[f"top:{place.region[-1]}"] = card if card in DESIGNS else None
    for chair in view.chairs:
        seen[f"tokens:{chair.seat}"] = sum(token.count for token in chair.tokens if token.kind == "token")
    return seen


def legal(rules: Rules[Any], state: Any) -> set[str]:
    said = (action for action in rules.legal_actions(state) if action.verb not in HIDDEN)
    return {str(Action(one.seat, "place") if one.verb == "place" else one) for one in said}


KABUKI = Game(
    RULES["kabuki"],
    Kabuki,
    partial(facts_of, unruled=UNRULED, unsaid=UNSAID),
    public,
    legal,
    sizes=[(players, False) for players in RULES["kabuki"].players],
    numbers={
        "gpio_us": (100, 20_000),
        "usb_us": (500, 30_000),
        "key_us": (1_000, 60_000),
        "touch_us": (1_000, 60_000),
        "phone_us": (60_000,),
    },
    beside={"window_s": {"stop_until": "seconds"}},
    # Who may have a button (B-T53) is decided before the game begins.
    only_said=frozenset({"phones=no", "phones=all_phones", "phones=mixed"}),
)
