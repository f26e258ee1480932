"""Rules of any game: the table keeps turns, time and score of a box it does not know.

1. A round begins at a press of anybody. Turns go clockwise, as people passed in the round before, or as they
   press or let go of their buttons; or all think at once; or one opens a race, and who presses first answers.
2. A tap ends the turn. Where the table's rules allow it, a hold passes for the round, or hands on the turn
   while the own time runs on. In simultaneous turns everybody taps when done, and the lamps go dark.
3. Time is counted, or runs down: a bank, an increment, a limit a turn. Nothing runs in a pause, nor, where so
   agreed, between rounds.
4. At any time: points, lives, die or coin, the next phase, leaving and coming back, and the end of the game.
"""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from msgspec.structs import replace

from companion.core import events as shared
from companion.core import game_status
from companion.core import observations as ob
from companion.core import rules as base
from companion.core.actions import SECOND, Action, Chair, Micros, Prompt, Result, Seat, Setup, Timer
from companion.core.events import Event
from companion.core.verbs import ask
from companion.core.view import Sentence
from companion.games.any_game.rules import judge, model, view
from companion.games.any_game.rules.model import AnyGamePhase, AnyGameState
from companion.games.kit.narration import turn_sentences
from companion.games.kit.race import RESOLUTIONS, TIE_WINDOW, RaceCall

POINTS = (1, 5, 10, -1)
FINISH_TIME: Micros = 2 * SECOND
"""Presses so long after the first are in its picture, too."""
ANSWERED = (model.TurnEnded, model.TurnPassed, model.TimeUp, model.RoundBegan, model.PlayerLeft)
COIN = 2
RACING = frozenset({"buzz_in", "take_place", "open_race"})
"""Who says these first matters."""
ORDER_WINDOW: Micros = max(TIE_WINDOW, *RESOLUTIONS.values())
ORDER = "order"
"""The timer at whose end no press can equal the first one any more."""


class AnyGame(base.Rules[AnyGameState]):
    """The rules over what the referee knows, which is everything."""

    name = "any_game"
    players = range(2, 9)
    default_players = 4
    options = model.AnyGameOptions
    events = model.AnyGameEvent
    board = view.BOARD
    reads_cards = False
    has_clocks = True
    menu_verbs: ClassVar[frozenset[str]] = frozenset(
        {"add_points", "change_lives", "throw_die", "next_phase", "go_away", "come_back", "end_game"}
    )
    unspoken_fields = frozenset({"at", "order", "step", "until"})

    view = view.view

    def initial_state(self, setup: Setup) -> AnyGameState:
        many, options = setup.players, setup.options
        assert isinstance(options, model.AnyGameOptions)
        return AnyGameState(
            setup=setup,
            desk=game_status.GameStatus(),
            phase=AnyGamePhase.BETWEEN,
            order=tuple(range(many)),
            left=(options.bank * SECOND,) * many,
            spent=(0,) * many,
            scores=(0,) * many,
            lives=(options.lives,) * many,
        )

    # Who may do what --------------------------------------------------------------------------------------

    def prompts(self, state: AnyGameState) -> tuple[Prompt, ...]:
        asked = ((seat, tuple(judge.asked_verbs(state, seat))) for seat in state.seats if state.plays(seat))
        return tuple(ask(state.chair_of(seat), seat, *verbs) for seat, verbs in asked if verbs)

    def extra_actions(self, state: AnyGameState) -> Iterator[Action]:
        if state.phase == AnyGamePhase.OVER:
            return
        options, present = state.options, [seat for seat in state.seats if state.plays(seat)]
        for seat in state.seats:
            if seat in state.away:
                yield Action(seat, "come_back")
            if not state.plays(seat):
                continue
            if options.points:
                yield from (Action(seat, "add_points", many) for many in POINTS)
            if state.lives[seat]:
                yield from (Action(seat, "change_lives", by) for by in (-1, 1))
            if options.die and not state.rolling:
                yield Action(seat, "throw_die")
            if options.phase_names and state.round:
                yield Action(seat, "next_phase")
            asks = (
                state.phase in {AnyGamePhase.READY, AnyGamePhase.RACE, AnyGamePhase.ANSWER}
                and seat == state.holder
            )
            answers = state.phase == AnyGamePhase.ANSWER and seat == state.presses[0][0]
            if len(present) > model.FEWEST and not asks and not answers:
                yield Action(seat, "go_away")
            yield Action(seat, "end_game")

    # Judging ----------------------------------------------------------------------------------------------

    def judge(self, state: AnyGameState, action: Action, at: Micros) -> tuple[Event, ...]:
        if action not in self.legal_actions(state):
            there = 0 <= action.seat < state.players
            return (shared.Infraction("turn.not_now", action.seat),) if there else ()
        if action.verb in RACING:
            return self._judge_call(state, RaceCall(action.seat, at, "touch"))
        now = state.desk.clock_time(at)
        return judge.conclude(state, judge.VERBS[action.verb](state, action, now), now)

    def judge_race_press(
        self, state: AnyGameState, chair: Chair, seen: ob.ButtonPressed
    ) -> tuple[Event, ...] | None:
        """Where who was first matters; places may be taken when a button is let go that went down for it."""
        seat = state.seat_of(chair)
        if seat is None or seat in state.away:
            return None
        if self._is_releasing(state):
            waits = state.plays(seat) and seat not in state.held and seat not in state.order
            return (model.PlaceHeld(seat),) if waits else ()
        call = RaceCall(seat, seen.found, seen.source, seen.since)
        if any(verb in RACING for verb in judge.asked_verbs(state, seat)):
            return self._judge_call(state, call)
        early = state.phase == AnyGamePhase.READY and seat in judge.racers(state)
        return (model.RacePressed(seat, call.at, call.source, call.since),) if early else None

    def _judge_call(self, state: AnyGameState, call: RaceCall) -> tuple[Event, ...]:
        if state.phase == AnyGamePhase.READY:
            return judge.open_race(state, call)
        return (model.RacePressed(call.seat, call.at, call.source, call.since),)

    def chosen_action(
        self, state: AnyGameState, seen: ob.AnyObservation, events: Iterable[Event]
    ) -> Action | None:
        """A press whose place is not known yet is chosen, too: what a timer rules of it goes with it."""
        events = tuple(events)
        called = next((event for event in events if isinstance(event, model.RacePressed)), None)
        if called is None:
            return super().chosen_action(state, seen, events)
        return Action(called.seat, "take_place" if state.phase == AnyGamePhase.PLACING else "buzz_in")

    def _is_releasing(self, state: AnyGameState) -> bool:
        return state.phase is AnyGamePhase.PLACING and state.options.order == "released"

    def judge_idle_release(
        self, state: AnyGameState, seat: Seat, seen: ob.ButtonReleased
    ) -> tuple[Event, ...]:
        take = Action(seat, "take_place")
        lets_go = self._is_releasing(state) and seat in state.held and take in self.legal_actions(state)
        return self._judge_call(state, RaceCall(seat, seen.found, "", seen.since)) if lets_go else ()

    def judge_newcomer(self, state: AnyGameState, chair: Chair, at: Micros) -> tuple[Event, ...]:
        if state.phase == AnyGamePhase.OVER or state.players >= self.players.stop - 1:
            return ()
        now = state.desk.clock_time(at)
        return judge.conclude(state, model.PlayerJoined(chair, now), now)

    def judge_idle_press(self, state: AnyGameState, seat: Seat, at: Micros) -> tuple[Event, ...]:
        now, barred = state.desk.clock_time(at), dict(state.barred)
        if seat in state.away and state.phase != AnyGamePhase.OVER:
            return judge.conclude(state, model.PlayerCameBack(seat), now)
        if not state.plays(seat) or seat == state.holder or seat in barred:
            return ()
        pressed = dict(state.presses)
        if (
            state.phase == AnyGamePhase.ANSWER
            and seat not in pressed
            and now - state.presses[0][1] <= FINISH_TIME
        ):
            return (model.PressedLater(seat, now),)
        return ()

    def is_race_on(self, state: AnyGameState) -> bool:
        return state.is_racing

    def _awaits_order(self, state: AnyGameState) -> bool:
        return state.is_racing and bool(state.calls) and not state.equal

    def is_press_a_report(self, state: AnyGameState, chair: Chair) -> bool:
        return state.phase == AnyGamePhase.RACE

    def awaited_draw(self, state: AnyGameState) -> tuple[str, ...] | None:
        if state.is_racing and state.equal:
            return tuple(str(state.chair_of(seat)) for seat in state.equal)
        return tuple(str(face + 1) for face in range(state.options.die)) if state.rolling else None

    def judge_draw(self, state: AnyGameState, lot: ob.RandomDraw) -> tuple[Event, ...]:
        if state.is_racing and state.equal:
            return judge.place_call(state, state.equal[lot.index])
        coin = state.options.die == COIN
        return (model.CoinFell(lot.index + 1) if coin else model.DieFell(lot.index + 1),)

    # Time -------------------------------------------------------------------------------------------------

    def timer(self, state: AnyGameState) -> Timer | None:
        timers = [Timer(name, state.desk.game_time(due)) for due, name in judge.timers(state)]
        if self._awaits_order(state):
            timers.append(Timer(ORDER, state.calls[0].at + ORDER_WINDOW))
        return min(timers, key=lambda timer: (timer.due, timer.name), default=None)

    def is_deadline(self, state: AnyGameState, timer: str) -> bool:
        return timer.partition(":")[0] in {"limit", "bank", ORDER}

    def judge_timer(self, state: AnyGameState, timer: str, at: Micros) -> tuple[Event, ...]:
        if timer == ORDER:
            return judge.rank_first(state, at) if self._awaits_order(state) else ()
        if timer not in {name for _, name in judge.timers(state)}:
            return ()
        now, (name, _, seat) = state.desk.clock_time(at), timer.partition(":")
        match name:
            case "limit":
                return judge.conclude(state, model.TimeUp(state.holder, now), now)
            case "slow":
                return (model.SlowTold(state.holder),)
            case "bank":
                return judge.empty_banks(state, now)
        return (model.ButtonOpened(int(seat)),)

    # The end ----------------------------------------------------------------------------------------------

    def after_abandonment(self, state: AnyGameState) -> AnyGameState:
        return replace(state, phase=AnyGamePhase.OVER, thinking=(), rolling=False)

    def result(self, state: AnyGameState) -> Result | None:
        if state.phase != AnyGamePhase.OVER:
            return None
        left = [seat for seat in state.seats if seat not in state.out] or list(state.seats)
        most = max(state.scores[seat] for seat in left)
        return "ended", tuple(seat for seat in left if not state.options.points or state.scores[seat] == most)

    def find_violation(self, state: AnyGameState) -> str | None:
        if min((*state.left, *state.spent, *state.lives)) < 0:
            return "somebody has less than nothing left"
        return "somebody is twice in the order" if len(set(state.order)) < len(state.order) else None

    def lies_open(self, state: AnyGameState, event: Event) -> bool:
        return True  # there are no cards

    def redact(self, state: AnyGameState) -> AnyGameState:
        return state

    def restored_turn(self, later: AnyGameState, earlier: AnyGameState) -> Sentence | None:
        return next(iter(turn_sentences(self, earlier)), None) if earlier.phase == AnyGamePhase.TURN else None

    def follow_up_sentences(self, state: AnyGameState, event: Event) -> tuple[Sentence, ...]:
        return (
            turn_sentences(self, state)
            if isinstance(event, ANSWERED) and state.phase == AnyGamePhase.TURN
            else ()
        )

    def label(self, state: AnyGameState, action: Action) -> Sentence:
        if action.verb in {"add_points", "change_lives"}:
            parts = (
                (("value", f"{action.value:+}".replace("-", "\N{EN DASH}")),)
                if isinstance(action.value, int)
                else ()
            )
            return Sentence(f"any_game.do.{action.verb}", parts)
        if action.verb == "begin_round" and not state.round:
            return Sentence("any_game.do.begin_round.first")
        return super().label(state, action)
