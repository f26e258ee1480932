"""House rules, state and events of any game: whose turn it is, whose time runs, and who pressed first.

All times are those of the table's clocks (`GameStatus.clock_time`), which stand still in a pause. An event
says when it happened; what everybody has thought until then follows from that.
"""

from enum import StrEnum
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import replace

from companion.core import game_status
from companion.core.actions import SECOND, Chair, Micros, Options, Seat
from companion.core.events import Event, InterimEvent, SeatEvent, SilentEvent, events_of
from companion.games.kit.race import RaceCall

FEWEST = 2
"""So many stay at the table."""


class AnyGameOptions(Options, frozen=True):
    """What the table does for a box it does not know; a preset is a set of these.

    One that needs what is not there, such as an increment without a bank, does nothing.
    """

    order: Literal["fixed", "passed", "pressed", "released", "together", "buzzer", "race"] = "fixed"
    """Turns clockwise; in the order in which people passed in the round before; as they press, or let go, at
    the beginning of a round; all at once; who presses first answers; all press and are ranked."""
    can_pass: bool = False
    """May a player pass for the rest of a round."""
    thinks_on: bool = False
    """May a player hand on the turn and go on thinking."""
    bank: Literal[0, 60, 180, 300, 600, 900, 1500, 3600] = 0
    """Seconds to think for the whole game; 0: time is only counted."""
    increment: Literal[0, 5, 10, 30] = 0
    """Seconds that a turn adds to the bank."""
    limit: Literal[0, 30, 60, 120, 300] = 0
    """Seconds after which a turn ends by itself; 0: never."""
    empty_loses: bool = False
    """Is who has no time left out of the game."""
    admin: bool = False
    """Does nobody's time run between rounds until somebody presses."""
    slow: Literal[0, 60, 120, 300] = 0
    """Seconds of a turn after which the table says so, kindly; 0: never."""
    cooldown: Literal[0, 3, 10] = 0
    """Seconds for which a wrong answer keeps its button shut; 0: until the next question."""
    shut_out: bool = False
    """Does pressing too early shut a player out until the next question."""
    points: bool = False
    """Is there a score pad."""
    lives: Literal[0, 3, 5, 20, 40] = 0
    """Lives of everybody at first; 0: nobody counts them."""
    die: Literal[0, 2, 6, 20] = 0
    """Faces of the die that the table throws; 2: a coin; 0: none."""
    rounds: Literal[0, 1, 3, 5, 10] = 0
    """Rounds after which the game is over; 0: when somebody says so."""
    phases: Annotated[str, Meta(max_length=120, pattern=r"^[^\x00-\x1f\x7f]*\Z")] = ""
    """Phases of a round as the owner calls them, with commas between."""

    @property
    def phase_names(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in self.phases.split(",") if name.strip())

    @property
    def passes(self) -> bool:
        """Whether a player may pass; without that nobody could have passed first."""
        return self.can_pass or self.order == "passed"


class AnyGamePhase(StrEnum):
    """What the table does now."""

    BETWEEN = "between"
    """Before a round, until somebody presses."""
    PLACING = "placing"
    """People take their places in the order."""
    TURN = "turn"
    TOGETHER = "together"
    READY = "ready"
    """A race will be opened."""
    RACE = "race"
    ANSWER = "answer"
    """Who was first answers."""
    OVER = "over"


class AnyGameState(game_status.GameState[AnyGameOptions], frozen=True):
    """What the referee knows: all of it is public."""

    phase: AnyGamePhase
    order: tuple[Seat, ...]
    left: tuple[Micros, ...]
    """What is in everybody's bank at `since`."""
    spent: tuple[Micros, ...]
    """What everybody has thought until `since`."""
    scores: tuple[int, ...]
    lives: tuple[int, ...]
    held: tuple[Seat, ...] = ()
    """Whose button is down, and takes a place when it is let go."""
    since: Micros = 0
    """Up to when thinking is reckoned."""
    thinking: tuple[Seat, ...] = ()
    """Whose time runs."""
    round: int = 0
    turn: int = 0
    """The place in `order` of who plays, or asks the question."""
    turns: int = 0
    began: Micros = 0
    """When the turn began."""
    slow: bool = False
    """Whether it was said in this turn."""
    passed: tuple[Seat, ...] = ()
    out: tuple[Seat, ...] = ()
    """Who has no time or no life left."""
    away: tuple[Seat, ...] = ()
    """Who has left the table for a while."""
    presses: tuple[tuple[Seat, Micros], ...] = ()
    """Of the last race, in order."""
    calls: tuple[RaceCall, ...] = ()
    """Presses whose order is not ruled yet, or that may have come before the race was opened; game time."""
    equal: tuple[Seat, ...] = ()
    """Who pressed at the same instant, as far as can be told: a lot is drawn."""
    barred: tuple[tuple[Seat, Micros], ...] = ()
    """Whose button is shut, and until when; 0: until the next question."""
    step: int = 0
    """The phase of the round, as the owner calls them."""
    rolling: bool = False
    rolled: int = 0
    """What the die showed last; 0: it was not thrown."""

    @property
    def is_racing(self) -> bool:
        """Whether it matters now who presses first."""
        return self.phase in {AnyGamePhase.PLACING, AnyGamePhase.READY, AnyGamePhase.RACE}

    @property
    def seats(self) -> range:
        return range(self.players)

    @property
    def holder(self) -> Seat:
        """Whose turn it is, or who asks the question."""
        return self.order[self.turn % len(self.order)]

    def plays(self, seat: Seat) -> bool:
        return seat not in self.out and seat not in self.away

    @property
    def in_round(self) -> tuple[Seat, ...]:
        """Who has a turn in this round, in order."""
        return tuple(seat for seat in self.order if self.plays(seat) and seat not in self.passed)


# Time, turns and rounds -------------------------------------------------------------------------------------


def settle(state: AnyGameState, at: Micros) -> AnyGameState:
    """The state with the time reckoned that everybody has thought until `at`."""
    gone = max(0, at - state.since)
    left, spent = list(state.left), list(state.spent)
    for seat in state.thinking:
        left[seat], spent[seat] = max(0, left[seat] - gone), spent[seat] + gone
    return replace(state, left=tuple(left), spent=tuple(spent), since=max(at, state.since))


def following(state: AnyGameState) -> int | None:
    """The place in the order of who is next; None: the round is over."""
    many, here = len(state.order), state.turn
    places = [*range(here + 1, many), *(range(here + 1) if state.options.passes else ())]
    return next((place for place in places if state.order[place] in state.in_round), None)


def next_seat(state: AnyGameState) -> Seat | None:
    """Who comes after whose turn it is; at the end of a round the first of the next."""
    place = following(state)
    return state.order[place] if place is not None else next(iter(state.in_round), None)


def _begin_turn(state: AnyGameState, place: int, at: Micros) -> AnyGameState:
    seat = state.order[place]
    thinking = tuple(dict.fromkeys((*state.thinking, seat)))
    return replace(state, phase=AnyGamePhase.TURN, turn=place, thinking=thinking, began=at, slow=False)


def begin_play(state: AnyGameState, at: Micros) -> AnyGameState:
    """A round of which the order is known."""
    first = next((place for place, seat in enumerate(state.order) if state.plays(seat)), 0)
    state = replace(state, since=max(state.since, at), began=at, slow=False, calls=(), equal=())
    if state.options.order == "together":
        return replace(state, phase=AnyGamePhase.TOGETHER, thinking=state.in_round)
    if state.options.order in {"buzzer", "race"}:
        asks = state.in_round[(state.round - 1) % len(state.in_round)]
        return replace(state, phase=AnyGamePhase.READY, turn=state.order.index(asks), thinking=(), barred=())
    return _begin_turn(replace(state, thinking=()), first, at)


class RoundBegan(Event, frozen=True):
    """`order`: of the turns; empty while people have yet to take their places."""

    number: int
    order: tuple[Seat, ...]
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        state = replace(settle(state, self.at), round=self.number, passed=(), step=0, thinking=())
        state = replace(state, calls=(), equal=())
        if not self.order:
            return replace(state, phase=AnyGamePhase.PLACING, order=(), held=(), turn=0)
        return begin_play(replace(state, order=self.order), self.at)


class RoundOver(Event, frozen=True):
    """Nobody's time runs until somebody begins the next."""

    number: int
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(settle(state, self.at), phase=AnyGamePhase.BETWEEN, thinking=())


class PlaceHeld(SeatEvent, InterimEvent, frozen=True):
    """A button went down that takes a place when it is let go."""

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, held=(*state.held, self.seat))


class PlaceTaken(SeatEvent, frozen=True):
    """`number`: of the place in this round's order."""

    number: int

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(_without_call(state, self.seat), order=(*state.order, self.seat))


class OrderSet(SilentEvent, frozen=True):
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return begin_play(state, self.at)


class _TurnOver(SeatEvent, frozen=True):
    """Somebody is done with a turn, or with thinking."""

    at: Micros
    thinks: bool = False
    """Whether the own time runs on."""

    def apply(self, state: AnyGameState) -> AnyGameState:
        if self.thinks:
            return move_on(settle(state, self.at), self.seat, self.at)
        state = settle(state, self.at)
        left = _changed(state.left, self.seat, state.options.increment * SECOND)
        return stop_playing(state, self.seat, self.at, left=left)


class TurnPassed(SeatEvent, frozen=True):
    """Somebody passed for the rest of the round."""

    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return stop_playing(state, self.seat, self.at, passed=(*state.passed, self.seat))


class TurnEnded(_TurnOver, frozen=True):
    """By the player's own press."""


class TimeUp(_TurnOver, frozen=True):
    """The limit of a turn was reached, which ends it."""


class BankEmpty(SeatEvent, frozen=True):
    """Somebody has no time left."""

    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        if not state.options.empty_loses:
            return settle(state, self.at)
        return stop_playing(state, self.seat, self.at, out=(*state.out, self.seat))


class SlowTold(SeatEvent, frozen=True):
    """A turn is long; it is told once."""

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, slow=True)


def move_on(state: AnyGameState, seat: Seat, at: Micros) -> AnyGameState:
    """After `seat` has done, passed or left: the next turn, if it was theirs; or the round is over."""
    if state.phase == AnyGamePhase.TOGETHER and not state.thinking:
        return replace(state, phase=AnyGamePhase.BETWEEN)
    if state.phase != AnyGamePhase.TURN or seat != state.holder:
        return state
    place = following(state)
    state = replace(state, turns=state.turns + 1)
    return replace(state, phase=AnyGamePhase.BETWEEN) if place is None else _begin_turn(state, place, at)


def stop_playing(state: AnyGameState, seat: Seat, at: Micros, **changes: Any) -> AnyGameState:
    """The own time stops, with these changes, and the turn goes on."""
    thinking = tuple(one for one in state.thinking if one != seat)
    state = replace(settle(state, at), thinking=thinking, **changes)
    return move_on(_without_call(state, seat), seat, at)


def _without_call(state: AnyGameState, seat: Seat) -> AnyGameState:
    """The order of this seat's press is ruled, or it is none any more."""
    return replace(state, calls=tuple(call for call in state.calls if call.seat != seat), equal=())


def _changed(numbers: tuple[int, ...], seat: Seat, by: int) -> tuple[int, ...]:
    return tuple(number + by * (one == seat) for one, number in enumerate(numbers))


# Who is first -----------------------------------------------------------------------------------------------


class RacePressed(SeatEvent, InterimEvent, frozen=True):
    """A press whose place is not known yet."""

    at: Micros
    source: str
    since: Micros | None = None

    def apply(self, state: AnyGameState) -> AnyGameState:
        call = RaceCall(self.seat, self.at, self.source, self.since)
        return replace(state, calls=tuple(sorted((*state.calls, call), key=lambda one: one.at)))


class RaceTied(Event, frozen=True):
    """Nobody can tell who of these was first: a lot decides."""

    among: tuple[Seat, ...]

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, equal=self.among)


class RaceOpened(SeatEvent, frozen=True):
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, phase=AnyGamePhase.RACE, presses=(), began=self.at)


class PressedEarly(SeatEvent, frozen=True):
    """A press before the race was opened; `shut`: which shuts the button."""

    shut: bool

    def apply(self, state: AnyGameState) -> AnyGameState:
        state = _without_call(state, self.seat)
        return replace(state, barred=(*state.barred, (self.seat, 0))) if self.shut else state


class PressedFirst(SeatEvent, frozen=True):
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        phase = "answer" if state.options.order == "buzzer" else "race"
        return replace(_without_call(state, self.seat), phase=phase, presses=((self.seat, self.at),))


class PressedLater(SeatEvent, SilentEvent, frozen=True):
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(_without_call(state, self.seat), presses=(*state.presses, (self.seat, self.at)))


class LastInRace(SeatEvent, frozen=True):
    """All have pressed: who was last."""

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, phase=AnyGamePhase.BETWEEN)


class NobodyAnswers(Event, frozen=True):
    """Every button is shut until the next question."""

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, phase=AnyGamePhase.BETWEEN)


class AnsweredRight(SeatEvent, frozen=True):
    def apply(self, state: AnyGameState) -> AnyGameState:
        scores = _changed(state.scores, self.seat, int(state.options.points))
        return replace(state, phase=AnyGamePhase.BETWEEN, scores=scores)


class AnsweredWrong(SeatEvent, frozen=True):
    """`until`: when the button opens again; 0: with the next question."""

    until: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(
            state, phase=AnyGamePhase.RACE, presses=(), barred=(*state.barred, (self.seat, self.until))
        )


class ButtonOpened(SeatEvent, SilentEvent, frozen=True):
    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, barred=tuple(pair for pair in state.barred if pair[0] != self.seat))


# What is done at any time -----------------------------------------------------------------------------------


class PointsAdded(SeatEvent, frozen=True):
    points: int
    score: int
    """What it makes."""

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, scores=_changed(state.scores, self.seat, self.points))


class LivesChanged(SeatEvent, frozen=True):
    lives: int
    """How many are left."""
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        lives = tuple(self.lives if seat == self.seat else one for seat, one in enumerate(state.lives))
        if self.lives:
            return replace(state, lives=lives)
        return stop_playing(state, self.seat, self.at, lives=lives, out=(*state.out, self.seat))


class DieThrown(SeatEvent, SilentEvent, frozen=True):
    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, rolling=True)


class DieFell(Event, frozen=True):
    number: int

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, rolling=False, rolled=self.number)


class CoinFell(Event, frozen=True):
    """1 is heads, 2 is tails."""

    side: int

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, rolling=False, rolled=self.side)


class PhaseBegan(Event, frozen=True):
    """`name`: as the owner calls it."""

    step: int
    name: str

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(state, step=self.step)


class PlayerJoined(Event, frozen=True):
    """Somebody sat down at a chair that was empty until then, with everything that a player has at first.

    Comes last in the order of the turns, and into a race with the next question.
    """

    chair: Chair
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        options, seat = state.options, state.players
        state = replace(
            settle(state, self.at),
            setup=replace(state.setup, chairs=(*state.setup.chairs, self.chair)),
            left=(*state.left, options.bank * SECOND),
            spent=(*state.spent, 0),
            scores=(*state.scores, 0),
            lives=(*state.lives, options.lives),
        )
        return _seated(state, seat)


class PlayerLeft(SeatEvent, frozen=True):
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return stop_playing(state, self.seat, self.at, away=(*state.away, self.seat))


class PlayerCameBack(SeatEvent, frozen=True):
    def apply(self, state: AnyGameState) -> AnyGameState:
        return _seated(
            replace(state, away=tuple(seat for seat in state.away if seat != self.seat)), self.seat
        )


def _seated(state: AnyGameState, seat: Seat) -> AnyGameState:
    """With a place in the order, and the button shut until the next question."""
    if seat not in state.order and state.phase != AnyGamePhase.PLACING:
        state = replace(state, order=(*state.order, seat))
    asked = state.phase in {AnyGamePhase.READY, AnyGamePhase.RACE, AnyGamePhase.ANSWER}
    return replace(state, barred=(*state.barred, (seat, 0))) if asked else state


class AnyGameWon(Event, frozen=True, tag="GameWon"):
    at: Micros

    def apply(self, state: AnyGameState) -> AnyGameState:
        return replace(settle(state, self.at), phase=AnyGamePhase.OVER, thinking=(), rolling=False)


AnyGameEvent = events_of(__name__)
