"""Who may do what in any game, what it rules, and what follows from it."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from companion.core.actions import SECOND, Action, Micros, Seat
from companion.core.events import Event, Events, apply_events
from companion.games.any_game.rules import model
from companion.games.any_game.rules.model import AnyGamePhase, AnyGameState
from companion.games.kit.race import RaceCall, first_calls, is_before


def asked_verbs(state: AnyGameState, seat: Seat) -> Iterator[str]:
    """What this player's button says now."""
    options, barred = state.options, dict(state.barred)
    match state.phase:
        case AnyGamePhase.BETWEEN:
            yield "begin_round"
        case AnyGamePhase.PLACING if seat not in {*state.order, *(call.seat for call in state.calls)}:
            yield "take_place"
        case AnyGamePhase.TURN if seat == state.holder:
            yield "turn_done"
            if options.passes:
                yield "turn_pass"
            if options.thinks_on:
                yield "think_on"
        case AnyGamePhase.TURN | AnyGamePhase.TOGETHER if seat in state.thinking:
            yield "turn_done"
        case AnyGamePhase.READY if seat == state.holder:
            yield "open_race"
        case AnyGamePhase.RACE if seat in racers(state) and seat not in barred:
            yield "buzz_in"
        case AnyGamePhase.ANSWER if seat == state.holder:
            yield from ("answer_right", "answer_wrong")


def racers(state: AnyGameState) -> list[Seat]:
    """Who may yet press in this race: not who has, who asks the question, or whose button stays shut."""
    pressed = {*dict(state.presses), *(call.seat for call in state.calls)}
    asks = state.options.order == "buzzer"
    return [
        seat
        for seat in state.seats
        if state.plays(seat)
        and seat not in pressed
        and (seat, 0) not in state.barred
        and not (asks and seat == state.holder)
    ]


def timers(state: AnyGameState) -> Iterator[tuple[Micros, str]]:
    """When something happens by itself, in the time of the clocks, and what."""
    options = state.options
    if state.phase == AnyGamePhase.TURN:
        if options.limit:
            yield state.began + options.limit * SECOND, "limit"
        if options.slow and not state.slow:
            yield state.began + options.slow * SECOND, "slow"
    if options.bank:
        yield from (
            (state.since + state.left[seat], f"bank:{seat}") for seat in state.thinking if state.left[seat]
        )
    if state.phase in {AnyGamePhase.RACE, AnyGamePhase.ANSWER}:
        yield from ((until, f"open:{seat}") for seat, until in state.barred if until)


def next_round(state: AnyGameState, now: Micros) -> Event:
    """The next round, or the end after the last."""
    options = state.options
    if options.rounds and state.round >= options.rounds:
        return model.AnyGameWon(now)
    order = tuple(state.seats)
    if options.order == "passed":
        order = tuple(dict.fromkeys((*state.passed, *order)))
    elif options.order in {"pressed", "released"}:
        order = ()
    return model.RoundBegan(state.round + 1, order, now)


def _answer_wrong(state: AnyGameState, _: Action, now: Micros) -> Event:
    cooldown = state.options.cooldown
    return model.AnsweredWrong(state.presses[0][0], now + cooldown * SECOND if cooldown else 0)


def _next_phase(state: AnyGameState, _: Action, now: Micros) -> Event:
    names = state.options.phase_names
    step = (state.step + 1) % len(names)
    return model.PhaseBegan(step, names[step])


def _add_points(state: AnyGameState, said: Action, _: Micros) -> Event:
    points = int(said.value or 0)
    return model.PointsAdded(said.seat, points, state.scores[said.seat] + points)


def _change_lives(state: AnyGameState, said: Action, now: Micros) -> Event:
    return model.LivesChanged(said.seat, state.lives[said.seat] + int(said.value or 0), now)


VERBS: Mapping[str, Callable[[AnyGameState, Action, Micros], Event]] = MappingProxyType(
    {
        "begin_round": lambda state, _, now: next_round(state, now),
        "turn_done": lambda _, said, now: model.TurnEnded(said.seat, now),
        "think_on": lambda _, said, now: model.TurnEnded(said.seat, now, thinks=True),
        "turn_pass": lambda _, said, now: model.TurnPassed(said.seat, now),
        "answer_right": lambda state, *_: model.AnsweredRight(state.presses[0][0]),
        "answer_wrong": _answer_wrong,
        "add_points": _add_points,
        "change_lives": _change_lives,
        "throw_die": lambda _state, said, _: model.DieThrown(said.seat),
        "next_phase": _next_phase,
        "go_away": lambda _, said, now: model.PlayerLeft(said.seat, now),
        "come_back": lambda _state, said, _: model.PlayerCameBack(said.seat),
        "end_game": lambda _state, _, now: model.AnyGameWon(now),
    }
)
"""What each verb rules by itself, where it is lawful; times are the clocks'."""


def empty_banks(state: AnyGameState, now: Micros) -> Events:
    """Everybody who thinks and has no time left at this instant, and what follows from it."""
    then = model.settle(state, now)
    empty = [seat for seat in state.thinking if state.left[seat] and not then.left[seat]]
    if not empty:
        return ()
    before = tuple(model.BankEmpty(seat, now) for seat in empty[:-1])
    return (*before, *conclude(apply_events(state, before), model.BankEmpty(empty[-1], now), now))


def conclude(state: AnyGameState, event: Event, now: Micros) -> Events:
    """A ruling with what follows: the order is known, the round is over, the game is over."""
    ruled: Events = (event,)
    after: AnyGameState = event.apply(state)
    if after.phase == AnyGamePhase.PLACING and all(
        seat in after.order for seat in after.seats if after.plays(seat)
    ):
        ruled += (model.OrderSet(now),)
    elif after.phase in {AnyGamePhase.RACE, AnyGamePhase.READY} and not (racers(after) or after.calls):
        ran = after.phase == AnyGamePhase.RACE and after.presses
        ruled += (model.LastInRace(after.presses[-1][0]),) if ran else (model.NobodyAnswers(),)
    after = apply_events(state, ruled)
    left, present = set(after.seats) - set(after.out), [seat for seat in after.seats if after.plays(seat)]
    if after.phase != AnyGamePhase.OVER and (len(left) <= 1 or not present):
        return (*ruled, model.AnyGameWon(now))
    if after.phase != AnyGamePhase.BETWEEN or state.phase == AnyGamePhase.BETWEEN:
        return ruled
    last = state.options.rounds and after.round >= state.options.rounds
    if state.options.admin and not last:
        return (*ruled, model.RoundOver(after.round, now))
    return (*ruled, next_round(after, now))


# Who was first ----------------------------------------------------------------------------------------------


def open_race(state: AnyGameState, opening: RaceCall) -> Events:
    """Who certainly pressed before the race was opened was too early; a press that may be later counts."""
    now = state.desk.clock_time(opening.at)
    ruled: Events = ()
    for call in state.calls:
        if is_before(call, opening):
            ruled = (*ruled, model.PressedEarly(call.seat, state.options.shut_out))
    opened = model.RaceOpened(opening.seat, now)
    return (*ruled, *conclude(apply_events(state, ruled), opened, now))


def rank_first(state: AnyGameState, at: Micros) -> Events:
    """No press can equal the first any more: it has its place, or several are equal."""
    if state.phase == AnyGamePhase.READY:
        early = model.PressedEarly(state.calls[0].seat, state.options.shut_out)
        return conclude(state, early, state.desk.clock_time(at))
    first = first_calls(state.calls)
    if len(first) > 1:
        return (model.RaceTied(tuple(sorted(call.seat for call in first))),)
    return place_call(state, first[0].seat)


def place_call(state: AnyGameState, seat: Seat) -> Events:
    """This seat has the next place; once somebody answers, the others are later by their stamps."""
    call = next(call for call in state.calls if call.seat == seat)
    now = state.desk.clock_time(call.at)
    if state.phase == AnyGamePhase.PLACING:
        return conclude(state, model.PlaceTaken(seat, len(state.order) + 1), now)
    pressed = model.PressedLater if state.presses else model.PressedFirst
    ruled = conclude(state, pressed(seat, now), now)
    then = apply_events(state, ruled)
    if then.phase != AnyGamePhase.ANSWER:
        return ruled
    later = (model.PressedLater(other.seat, state.desk.clock_time(other.at)) for other in then.calls)
    return (*ruled, *later)
