"""Lantern: a tiny game in which two people sit at four seats, for testing what all games share.

The first chair of the set-up owns seats 0 and 2, the second seats 1 and 3. A lot names the seat that begins.
In turn, each of the four seats:

1. lays its card face up in its own place (camera, or declared); a card in a place of others is an infraction
   and is to be taken away;
2. turns it face down (camera, or its one-choice prompt): from then on the card is hidden;
3. names a number from 1 to 5 (a prompt of many choices), not the one named last before;
4. hears the cue, which opens a window of three seconds: either chair may catch it once with a press, the
   earliest stamp counts, and at the end of the third second the window closes;
5. if the other chair caught it, keeps (scores 1) or gives (the catcher scores 2): a prompt of two choices.
   Uncaught, it scores 1. Who catches the own seat commits an infraction and the window runs on.

After four turns the chair with more points wins; a tie has two winners.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import (
    SECOND,
    Action,
    Chair,
    Cue,
    Micros,
    Options,
    Prompt,
    Result,
    Seat,
    Setup,
    Timer,
    seat_after,
)
from companion.core.events import Event, events_of
from companion.core.game_status import GameState, GameStatus
from companion.core.rules import Rules
from companion.core.verbs import ask
from companion.core.view import ChairView, CountView, LampSignal, PlaceView, Sentence, View, ViewMode

SEATS = 4
CARDS = ("sun", "moon", "star")
BACK = "back:lantern"


class LanternOptions(Options, frozen=True):
    """House rules: the highest number that can be named."""

    highest: Annotated[int, Meta(ge=2, le=9)] = 5


class LanternState(GameState, frozen=True):
    """What the referee knows."""

    phase: str = "lot"
    """lot, lay, turn, name, call, window, answer, over."""
    seat: Seat = 0
    cards: tuple[str, ...] = ("",) * SEATS
    turned: tuple[bool, ...] = (False,) * SEATS
    number: int = 0
    last: int = 0
    attempt: int = 0
    opened: Micros = 0
    beats: int = 0
    catcher: Chair | None = None
    turns: int = 0
    points: tuple[int, ...] = (0, 0)
    wrong: tuple[str, ...] = ()
    """Places in which a card lies that does not belong there."""

    # Two people, four seats.

    def chair_of(self, seat: Seat) -> Chair:
        return self.setup.chairs[seat % 2]

    def seat_of(self, chair: Chair) -> Seat | None:
        if chair not in self.setup.chairs:
            return None
        first = self.setup.chairs.index(chair)
        return self.seat if self.seat % 2 == first else first


class LotFell(Event, frozen=True):
    seat: Seat

    def apply(self, state: LanternState) -> LanternState:
        return replace(state, phase="lay", seat=self.seat)


class CardLaid(Event, frozen=True):
    seat: Seat
    card: str

    def apply(self, state: LanternState) -> LanternState:
        cards = _put(state.cards, self.seat, self.card)
        return replace(state, phase="turn", cards=cards, wrong=())


class CardTurned(Event, frozen=True):
    seat: Seat

    def apply(self, state: LanternState) -> LanternState:
        return replace(state, phase="name", turned=_put(state.turned, self.seat, True))


class NumberNamed(Event, frozen=True):
    seat: Seat
    number: int

    def apply(self, state: LanternState) -> LanternState:
        return replace(state, phase="call", number=self.number)


class WindowOpened(Event, frozen=True):
    at: Micros

    def apply(self, state: LanternState) -> LanternState:
        return replace(state, phase="window", opened=self.at, beats=0, catcher=None)


class BeatFell(Event, frozen=True):
    beat: int

    def apply(self, state: LanternState) -> LanternState:
        return replace(state, beats=self.beat)


class Caught(Event, frozen=True):
    chair: Chair

    def apply(self, state: LanternState) -> LanternState:
        return replace(state, catcher=self.chair)


class WindowClosed(Event, frozen=True):
    """`catcher` owns the press that counted; without one the seat has scored and `next_seat` goes on."""

    seat: Seat
    catcher: Chair | None = None
    next_seat: Seat | None = None

    def apply(self, state: LanternState) -> LanternState:
        if self.next_seat is None:
            return replace(state, phase="answer")
        return _score(state, self.seat % 2, 1, self.next_seat)


class Answered(Event, frozen=True):
    seat: Seat
    gave: bool
    next_seat: Seat

    def apply(self, state: LanternState) -> LanternState:
        return _score(state, (self.seat + self.gave) % 2, 1 + self.gave, self.next_seat)


def place(seat: Seat) -> str:
    return f"place-{seat}"


class Lantern(Rules[LanternState]):
    name = "lantern"
    cardless_parts = frozenset({"number", "beat"})
    players = range(2, 3)
    options = LanternOptions
    events = events_of(__name__)

    def initial_state(self, setup: Setup) -> LanternState:
        return LanternState(setup=setup, desk=GameStatus())

    def hand_count(self, setup: Setup) -> int:
        return SEATS

    # What is asked ----------------------------------------------------------------------------------------

    def prompts(self, state: LanternState) -> tuple[Prompt, ...]:
        seat, chair = state.seat, state.chair_of(state.seat)
        match state.phase:
            case "turn":
                return (ask(chair, seat, "turn"),)
            case "name":
                return (ask(chair, seat, ("name", self._numbers(state))),)
            case "window" if state.catcher is None:
                other = seat_after(seat, SEATS)
                return (ask(state.chair_of(other), other, "catch"),)
            case "answer":
                return (ask(chair, seat, "keep", "give"),)
        return ()

    def extra_actions(self, state: LanternState) -> Iterable[Action]:
        return (Action(state.seat, "lay", card) for card in CARDS if state.phase == "lay")

    def _numbers(self, state: LanternState) -> list[int]:
        highest = state.setup.options.highest  # type: ignore[attr-defined]
        return [number for number in range(1, highest + 1) if number != state.last]

    # What is ruled ----------------------------------------------------------------------------------------

    def judge(self, state: LanternState, action: Action, at: Micros) -> tuple[Event, ...]:
        seat, verb, value = action.seat, action.verb, action.value
        mine = seat == state.seat
        match state.phase, verb:
            case "lay", "lay" if mine and value in CARDS:
                return (CardLaid(seat, str(value)),)
            case "turn", "turn" if mine:
                return (CardTurned(seat),)
            case "name", "name" if mine and isinstance(value, int):
                if value == state.last:
                    return (ev.Infraction("name.twice", seat, value),)
                return (NumberNamed(seat, value),) if value in self._numbers(state) else ()
            case "window", "catch" if 0 <= seat < SEATS and state.catcher is None:
                if seat % 2 == state.seat % 2:
                    return (ev.Infraction("catch.own", seat),)
                return (Caught(state.chair_of(seat)),) if seat == seat_after(state.seat, SEATS) else ()
            case "answer", ("keep" | "give") if mine:
                return (Answered(seat, verb == "give", seat_after(seat, SEATS)),)
        return ()

    def judge_idle_press(self, state: LanternState, seat: Seat, at: Micros) -> tuple[Event, ...]:
        return self.judge(state, Action(seat, "catch"), at)

    def judge_regions(
        self, state: LanternState, regions: tuple[ob.RegionReading, ...], at: Micros
    ) -> tuple[Event, ...]:
        ruled: list[Event] = []
        for region in regions:
            card = region.faces[-1].card if region.faces else ""
            if region.name == place(state.seat):
                if state.phase == "lay" and card in CARDS:
                    ruled.append(CardLaid(state.seat, card))
                elif state.phase == "turn" and card == BACK:
                    ruled.append(CardTurned(state.seat))
            elif state.phase == "lay" and card in CARDS and region.name not in state.wrong:
                ruled.append(ev.Infraction("lay.place", state.seat, region.name))
        return tuple(ruled)

    def judge_timer(self, state: LanternState, timer: str, at: Micros) -> tuple[Event, ...]:
        due = self.timer(state)
        if due is None or due.name != timer:
            return ()
        if timer == "beat":
            return (BeatFell(state.beats + 1),)
        following = seat_after(state.seat, SEATS) if state.catcher is None else None
        return (WindowClosed(state.seat, state.catcher, following),)

    def judge_cue(self, state: LanternState, cue: ob.CueHeard) -> tuple[Event, ...]:
        return (WindowOpened(cue.at),)

    def judge_draw(self, state: LanternState, lot: ob.RandomDraw) -> tuple[Event, ...]:
        return (LotFell(lot.index),)

    def judge_declaration(self, state: LanternState, table: ob.TableDeclared) -> tuple[Event, ...]:
        known = {place(seat): seat for seat in range(SEATS)}
        fits = all(name in known and what in CARDS for name, what in table.table)
        return (ev.Repaired(table.table),) if fits and state.phase != "window" else ()

    def timer(self, state: LanternState) -> Timer | None:
        if state.phase != "window":
            return None
        name = "beat" if state.beats < 2 else "end"
        return Timer(name, state.opened + (state.beats + 1) * SECOND)

    def is_window_open(self, state: LanternState) -> bool:
        return state.phase == "window"

    def awaited_regions(self, state: LanternState) -> frozenset[str]:
        return frozenset({place(state.seat)}) if state.phase in {"lay", "turn"} else frozenset()

    def awaited_draw(self, state: LanternState) -> tuple[str, ...] | None:
        return ("0", "1", "2", "3") if state.phase == "lot" else None

    def awaited_cue(self, state: LanternState) -> Cue | None:
        return Cue("count", state.number, state.attempt, 3) if state.phase == "call" else None

    # What follows -----------------------------------------------------------------------------------------

    def evolve_game(self, state: LanternState, event: Event) -> LanternState:
        if isinstance(event, ev.Infraction) and event.rule == "lay.place":
            return replace(state, wrong=(*state.wrong, str(event.what)))
        return super().evolve_game(state, event)

    def after_void_window(self, state: LanternState) -> LanternState:
        return replace(state, phase="call", attempt=state.attempt + 1, beats=0, catcher=None)

    def after_abandonment(self, state: LanternState) -> LanternState:
        return replace(state, phase="over")

    def after_repair(self, state: LanternState, repair: ev.Repaired) -> LanternState:
        cards = state.cards
        for name, card in repair.table:
            cards = _put(cards, int(name.removeprefix("place-")), str(card))
        return replace(state, cards=cards)

    def result(self, state: LanternState) -> Result | None:
        best = max(state.points)
        winners = tuple(seat for seat, points in enumerate(state.points) if points == best)
        return ("points", winners) if state.phase == "over" else None

    # What is told -----------------------------------------------------------------------------------------

    def find_violation(self, state: LanternState) -> str | None:
        scored = sum(state.points)
        return None if state.turns <= scored <= 2 * state.turns else "every turn scores once or twice"

    def redact(self, state: LanternState) -> LanternState:
        """A card is hidden from its turning to the end of the game."""
        if self.outcome(state) is not None:
            return state
        pairs = zip(state.cards, state.turned, strict=True)
        return replace(state, cards=tuple("" if turned else card for card, turned in pairs))

    def public_parts(self, state: LanternState, event: Event) -> tuple[tuple[str, str | int], ...]:
        if isinstance(event, CardLaid) and state.turned[event.seat]:
            return (("chair", state.chair_of(event.seat)), ("slot", place(event.seat)))
        return self.sentence_parts(state, event)

    def restore_instructions(self, later: LanternState, earlier: LanternState) -> tuple[Sentence, ...]:
        return tuple(
            Sentence("lantern.put_back", (("slot", place(seat)),))
            for seat in range(SEATS)
            if later.cards[seat] != earlier.cards[seat] or later.turned[seat] != earlier.turned[seat]
        )

    def view(self, state: LanternState, mode: ViewMode = ViewMode.PLAY) -> View:
        asked = {prompt.chair: prompt for prompt in self.prompts(state)}
        finished = self.outcome(state)
        hidden = mode is ViewMode.PLAY and finished is None
        count = CountView(state.opened, 3, state.number) if state.phase == "window" else None
        return View(
            game=self.name,
            phase=state.phase,
            headline=Sentence(f"lantern.phase.{state.phase}", (("chair", state.chair_of(state.seat)),)),
            hint=None,
            chairs=tuple(
                ChairView(
                    chair=chair,
                    seat=state.seat_of(chair) or 0,
                    lamp=LampSignal.SLOW if chair in asked else LampSignal.DARK,
                    cards=0,
                    asked=chair in asked,
                    choices=self.choices(state, asked[chair]) if chair in asked else (),
                )
                for chair in state.setup.chairs
            ),
            places=tuple(
                PlaceView(place(seat), BACK if state.turned[seat] and hidden else state.cards[seat])
                for seat in range(SEATS)
            ),
            count=count,
            cue=self.awaited_cue(state),
            paused=state.desk.paused,
            by_hand=state.desk.blind,
            outcome=finished,
        )


def _score(state: LanternState, side: int, points: int, next_seat: Seat) -> LanternState:
    turns = state.turns + 1
    return replace(
        state,
        phase="over" if turns == SEATS else "lay",
        seat=next_seat,
        points=_put(state.points, side, state.points[side] + points),
        turns=turns,
        last=state.number,
        catcher=None,
    )


def _put(row: tuple, at: int, value: object) -> tuple:  # type: ignore[type-arg]
    """The row with `value` at one place."""
    return (*row[:at], value, *row[at + 1 :])


LANTERN = Lantern()
