"""What everybody sees of any game: plates with times, a clock or the last race in the middle."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from companion.core.actions import SECOND, Micros, Seat
from companion.core.rules import Rules
from companion.core.view import (
    Board,
    Cell,
    ClockView,
    LampSignal,
    Sentence,
    Token,
    TokenBackground,
    View,
    ViewMode,
)
from companion.games.any_game.rules import model
from companion.games.any_game.rules.model import AnyGamePhase, AnyGameState
from companion.games.kit.commentary import Highlight, HistoryStep, announcement_of
from companion.games.kit.rows import row_view

BOARD = Board(
    ending_verbs=frozenset({"end_game"}),
    option_pictures={
        "hand": ("order",),
        "clock": (
            "thinks_on",
            "bank",
            "increment",
            "limit",
            "slow",
            "cooldown",
        ),
        "heart": ("lives",),
        "die:1": ("die",),
    },
    title="Any game",
    score_kind="score_pad",
    quiet_events=frozenset({"TurnEnded", "PlaceTaken"}),
    urgent_events=frozenset({"PressedFirst"}),
    event_sounds={
        "PressedFirst": "gong",
        "AnsweredRight": "chime",
        "AnsweredWrong": "knock",
        "GameWon": "win",
        "PointsAdded": "coin",
        "CoinFell": "coin",
        "DieFell": "wood",
        "PlayerJoined": "card",
    },
)
SHOWN = 4
"""So many presses of a race are shown."""
SIX = 6


def view(rules: "Rules[Any]", state: AnyGameState, mode: ViewMode = ViewMode.PLAY) -> View:
    """The public view; in a pause every clock shows what it did when that began."""
    desk = state.desk
    if desk.clocks_stopped is not None:
        state = model.settle(state, desk.clock_time(0))
    return row_view(
        rules,
        state,
        phase=state.phase,
        headline=_headline(state),
        hint=_hint(state),
        lamps=[_lamp(state, seat) for seat in state.seats],
        tokens=[tuple(_tokens(state, seat)) for seat in state.seats],
        clocks=[_plate_clock(state, seat) for seat in state.seats],
        rows=tuple(_rows(state)),
    )


def _headline(state: AnyGameState) -> Sentence:
    who = (("chair", state.chair_of(state.holder)),) if state.order else ()
    match state.phase:
        case AnyGamePhase.BETWEEN if not state.round:
            return Sentence("any_game.phase.start")
        case AnyGamePhase.PLACING:
            released = ".released" if state.options.order == "released" else ""
            return Sentence(f"any_game.phase.placing{released}")
        case AnyGamePhase.ANSWER:
            return Sentence("any_game.phase.answer", (("chair", state.chair_of(state.presses[0][0])),))
        case AnyGamePhase.TURN | AnyGamePhase.READY:
            return Sentence(f"any_game.phase.{state.phase}", who)
    return Sentence(f"any_game.phase.{state.phase}")


def _hint(state: AnyGameState) -> Sentence | None:
    if state.phase is AnyGamePhase.OVER:
        return None
    number = ("number", state.round)
    if state.options.phase_names and state.round:
        return Sentence("any_game.hint.named", (number, ("name", state.options.phase_names[state.step])))
    return Sentence(f"any_game.hint.{state.phase}", (number,))


def _lamp(state: AnyGameState, seat: Seat) -> LampSignal:
    """Lit: now. Slow: next, or everybody may begin. Fast: first in a race, or slow to end a turn."""
    if not state.plays(seat) or state.phase == AnyGamePhase.OVER:
        return LampSignal.DARK
    pressed, fast = dict(state.presses), LampSignal.FAST
    match state.phase:
        case AnyGamePhase.BETWEEN:
            return LampSignal.SLOW
        case AnyGamePhase.PLACING:
            return LampSignal.DARK if seat in state.order else LampSignal.LIT
        case AnyGamePhase.TURN if seat == state.holder:
            return fast if state.slow else LampSignal.LIT
        case AnyGamePhase.TURN if seat == model.next_seat(state):
            return LampSignal.SLOW
        case AnyGamePhase.READY:
            return LampSignal.SLOW if seat == state.holder else LampSignal.DARK
        case AnyGamePhase.RACE | AnyGamePhase.ANSWER if pressed:
            return fast if seat == state.presses[0][0] else LampSignal.DARK
        case AnyGamePhase.RACE:
            return LampSignal.DARK if seat in dict(state.barred) else LampSignal.LIT
    return LampSignal.LIT if seat in state.thinking else LampSignal.DARK


def _tokens(state: AnyGameState, seat: Seat) -> Iterator[Token]:
    """Small labels: who is next, has passed, is out or away; points and lives."""
    word = (
        "away" if seat in state.away
        else "out" if seat in state.out
        else "passed" if seat in state.passed
        else "shut" if seat in dict(state.barred)
        else "next" if state.phase == AnyGamePhase.TURN and seat == model.next_seat(state) != state.holder
        else ""
    )  # fmt: skip
    if word:
        paper = TokenBackground.PAPER if word == "next" else TokenBackground.WORN
        yield Token(word, chip=paper, said=Sentence(f"any_game.line.{word}"))
    if state.options.points:
        yield Token("wreath", motif="wreath")
        yield Token("score_pad", value=state.scores[seat], chip=TokenBackground.GOLD)
    if state.options.lives:
        yield Token("lives", count=state.lives[seat], motif="heart")


def _plate_clock(state: AnyGameState, seat: Seat) -> ClockView | None:
    """The bank, or what was thought; whose turn it is has it in the middle."""
    if state.options.order in {"buzzer", "race"} or (
        state.phase == AnyGamePhase.TURN and seat == state.holder
    ):
        return None
    return _clock(state, seat)


def _clock(state: AnyGameState, seat: Seat) -> ClockView:
    bank = state.options.bank * SECOND
    reading = state.left[seat] if bank else state.spent[seat]
    return ClockView(reading, _running(state, state.since) if seat in state.thinking else None, bank)


def _running(state: AnyGameState, since: Micros) -> Micros | None:
    """From when on a clock runs, in game time; None in a pause."""
    return None if state.desk.clocks_stopped is not None else state.desk.game_time(since)


def _turn_clock(state: AnyGameState) -> Cell:
    """The limit of the turn, else the bank, else how long it lasts."""
    options, chair = state.options, state.chair_of(state.holder)
    running = _running(state, state.began)
    gone = 0 if running is not None else max(0, state.since - state.began)
    if options.limit:
        whole = options.limit * SECOND
        return Cell(
            chair=chair, words=Sentence("any_game.line.limit"), clock=ClockView(whole - gone, running, whole)
        )
    if options.bank:
        return Cell(chair=chair, words=Sentence("any_game.line.bank"), clock=_clock(state, state.holder))
    return Cell(chair=chair, words=Sentence("any_game.line.turn"), clock=ClockView(gone, running))


def _rows(state: AnyGameState) -> Iterator[tuple[Cell, ...]]:
    if state.phase == AnyGamePhase.TURN:
        yield (_turn_clock(state),)
    elif state.phase == AnyGamePhase.TOGETHER:
        yield tuple(Cell(chair=state.chair_of(seat), lit=True) for seat in state.thinking)
    elif state.phase == AnyGamePhase.PLACING and state.order:
        yield tuple(Cell(chair=state.chair_of(seat), value=at + 1) for at, seat in enumerate(state.order))
    if state.presses:
        yield tuple(_press_cells(state))
    if state.rolled:
        die = state.options.die == SIX
        yield (
            Cell(motif=f"die:{state.rolled}" if die else "", value=None if die else state.rolled, lit=True),
        )
    if (
        state.phase in {AnyGamePhase.BETWEEN, AnyGamePhase.OVER}
        and state.round
        and state.options.order not in {"buzzer", "race"}
    ):
        yield tuple(_thought_cells(state))


def _press_cells(state: AnyGameState) -> Iterator[Cell]:
    """Who was first, and by how much the others were later."""
    first = state.presses[0][1]
    for place, (seat, at) in enumerate(state.presses[:SHOWN]):
        later = Sentence("any_game.line.finish.behind", (("ms", f"{(at - first) / SECOND:.2f}"),))
        words = later if place else Sentence("any_game.line.first")
        yield Cell(chair=state.chair_of(seat), words=words, lit=not place)


def _thought_cells(state: AnyGameState) -> Iterator[Cell]:
    """Who has thought how long."""
    for seat in state.seats:
        yield Cell(chair=state.chair_of(seat), value=time_text(state.spent[seat]))


def time_text(time: Micros) -> str:
    """`3:27`."""
    minutes, seconds = divmod(time // SECOND, 60)
    return f"{minutes}:{seconds:02}"


LONGEST = 3
"""So many turns are told of."""
TOLD = (model.BankEmpty, model.PlayerJoined, model.PlayerLeft, model.PlayerCameBack, model.AnyGameWon)


def find_highlights(rules: Rules[Any], history: Sequence[HistoryStep]) -> Iterable[Highlight]:
    """In the order of the game."""
    turns = [
        (step.event.at - step.before.began, place, step.event.seat)
        for place, step in enumerate(history)
        if isinstance(step.event, model.TurnEnded | model.TimeUp | model.TurnPassed)
    ]
    longest = {place: (long, seat) for long, place, seat in sorted(turns)[-LONGEST:] if long >= SECOND}
    for place, step in enumerate(history):
        if place in longest:
            long, seat = longest[place]
            told = (("chair", step.before.chair_of(seat)), ("time", time_text(long)))
            yield Highlight(place, "turning", Sentence("recap.any_game.long", told))
        elif isinstance(step.event, TOLD):
            yield Highlight(place, "turning", announcement_of(rules, step))
