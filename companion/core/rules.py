"""What a game's rules define, with the judgement, transitions and wording that all games share.

The rules work on what the referee knows, which never includes a hidden hand. `decide` makes all judgements,
`evolve` makes none. Both are pure: they read no clock, draw no random numbers and touch no device.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Hashable, Iterable, Mapping
from functools import reduce
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypedDict, TypeVar

from msgspec.structs import replace

from companion.core import events as ev
from companion.core import observations as ob
from companion.core.actions import (
    ABANDONED,
    SECOND,
    Action,
    CameraRequest,
    Chair,
    Cue,
    Micros,
    Options,
    Outcome,
    Prompt,
    Result,
    Seat,
    Setup,
    Timer,
)
from companion.core.button_choices import (
    STEP,
    Controls,
    controls_of,
    has_rows,
    is_halved,
    judge_step,
    press_signs,
    shared_controls,
    stepped_rows,
)
from companion.core.events import Event
from companion.core.exhibits import Exhibit, PhotoFinish
from companion.core.game_status import S
from companion.core.observations import Observation
from companion.core.view import (
    Board,
    CardMove,
    ChairView,
    Choice,
    Sentence,
    SentenceParts,
    SetupPicture,
    View,
    ViewMode,
    repairable_values,
)

Said = TypeVar("Said", Sentence, Sentence | None)
"""A sentence, or perhaps none."""


class Narration(Generic[S], ABC):
    """The announcements of a game, with defaults that suit most games."""

    name: ClassVar[str]
    board: ClassVar[Board] = Board()
    """How this game is presented."""
    unspoken_fields: ClassVar[frozenset[str]] = frozenset()
    """Fields of events that no sentence of this game names."""
    cardless_parts: ClassVar[frozenset[str]] = frozenset()
    """Parts of sentences that name no card: `count`, or in one event, infraction or repair alone,
    `<its name>.count`. Whatever is not listed here is told later only while its card lies open
    (`lies_open`): the sentence is `<key>.hidden` then.
    """
    number_verbs: ClassVar[frozenset[str]] = frozenset()
    """Verbs whose choices are bare numbers under a question; the log uses `<game>.do.<verb>.chosen`."""
    camera_sentences: ClassVar[frozenset[str]] = frozenset()
    """Headlines and hints that speak of the camera; without one `<key>.by_hand` stands in their place."""

    def setup_instructions(self, setup: Setup) -> tuple[Sentence, ...]:
        """How to set up the cards before the first turn."""
        return ()

    def setup_pictures(self, setup: Setup) -> tuple[SetupPicture, ...]:
        """What each of these steps looks like; fewer than them: the others are told in words."""
        return ()

    def restore_instructions(self, later: S, earlier: S) -> tuple[Sentence, ...]:
        """What has to be put back on the table after an undo from `later` to `earlier`."""
        return ()

    def restored_turn(self, later: S, earlier: S) -> Sentence | None:
        """Whose turn it is again after an undo; None where it is the same player's, or there are no turns."""
        return None

    def choices(self, state: S, prompt: Prompt) -> tuple[Choice, ...]:
        """A prompt's choices as shown to its chair."""
        presses = press_signs(state.desk, prompt)
        marked: tuple[int, ...] = () if is_halved(prompt) else (state.desk.choice_index(prompt),)
        if has_rows(prompt):
            rows, now = stepped_rows(state.desk, prompt)
            marked = rows[now]
        return tuple(
            Choice(
                action=action,
                label=self.label(state, action),
                press=press,
                marked=place in marked,
                first=self.first_label(state, action) if action.has_two_steps else None,
                move=self.board.verb_moves.get(action.verb, CardMove.NONE),
            )
            for place, (action, press) in enumerate(zip(prompt.actions, presses, strict=True))
        )

    def label(self, state: S, action: Action) -> Sentence:
        """The label of a choice."""
        parts: SentenceParts = () if action.value is None else (("value", action.value),)
        if action.has_two_steps:
            parts = (("first", action.parts[0]), ("second", action.parts[1]))
        return Sentence(f"{self.name}.do.{action.verb}", parts)

    def first_label(self, state: S, action: Action) -> Sentence:
        """What the first step of a choice in two is called."""
        return Sentence(f"{self.name}.do.{action.verb}.first", (("first", action.parts[0]),))

    def picked_row(self, state: S, event: Event) -> Sentence | None:
        """What is said once the first step of a choice in two was taken: the second is asked for then."""
        if not isinstance(event, ev.ChoiceStepped):
            return None
        first = event.actions[event.cursor % len(event.actions)]
        # A choice by halves counts its cursor otherwise.
        picked = first.has_two_steps and event.cursor >= len(event.actions)
        return self.first_label(state, first) if picked else None

    def choice_picture(self, action: Action) -> str:
        """The card that a choice names, by its id in the deck, or the die of its second step; empty: none."""
        sign = self.board.second_pictures.get(action.verb, "") if action.has_two_steps else ""
        return f"{sign}:{action.parts[1]}" if sign else ""

    def choice_for_log(self, state: S, action: Action) -> Sentence:
        """A choice as worded in the log, where it must not name a card that may be hidden by now."""
        named = any(isinstance(part, str) for part in action.parts)
        if named and action.has_two_steps:
            return Sentence(f"{self.name}.do.{action.verb}.chosen")
        said = self.label(state, replace(action, value=None) if named else action)
        return Sentence(f"{said.key}.chosen", said.parts) if action.verb in self.number_verbs else said

    def sentence(self, state: S, event: Event, *, log: bool = False) -> Sentence | None:
        """The announcement of a ruling; `log`: as worded later, when a card it names may be hidden again."""
        if self.is_silent(event):
            return None
        whole = self.sentence_parts(state, event)
        public = self.public_parts(state, event) if log else whole
        return Sentence(self.sentence_key(event) + (".hidden" if public != whole else ""), public)

    def follow_up_sentences(self, state: S, event: Event) -> tuple[Sentence, ...]:
        """What is said right after a ruling and stands in no log: whose turn it is, or who leads by now."""
        return ()

    def mentions_hidden(self, state: S, event: Event) -> bool:
        """Whether the announcement of a ruling contains something that is hidden in `state`."""
        return not self.is_silent(event) and self.public_parts(state, event) != self.sentence_parts(
            state, event
        )

    def sentence_key(self, event: Event) -> str:
        """The catalogue key of a ruling."""
        match event:
            case ev.Infraction():
                return f"{self.name}.rule.{event.rule}"
            case ev.Repair():
                return f"{self.name}.repair.{event.what}"
            case ev.WindowVoided():
                return f"shared.WindowVoided.{event.reason}"
        shared = type(event).__module__ == ev.__name__
        return f"{'shared' if shared else self.name}.{ev.kind_of(event)}"

    def sentence_parts(self, state: S, event: Event) -> SentenceParts:
        """The named parts of a ruling's sentence: its fields, with seats replaced by chairs."""
        told: list[tuple[str, str | int]] = []
        for field in event.__struct_fields__:
            value = getattr(event, field)
            if field == "seat" and isinstance(value, int):
                told.append(("chair", state.chair_of(value)))
            elif (
                isinstance(value, (str, int))
                and not isinstance(value, bool)
                and field not in self.unspoken_fields
                and not {field, *(f"{word}.{field}" for word in _words_for(event))} & _UNSPOKEN_PARTS
            ):
                told.append((field, value))
        return tuple(told)

    def open_position_of(self, state: S, event: Event) -> str | None:
        """The place where the card named by a ruling has been face up ever since, or None.

        The probability of a reading may be shown only for such a card: for a hidden one it would be a hint.
        """
        return None

    def explanation_key(self, state: S, event: Event) -> str:
        """The key of the rule a ruling follows from, as it holds at this table; the explanation is
        `<game>.why.<key>`.
        """
        return event.rule if isinstance(event, ev.Infraction) else ev.kind_of(event)

    def is_silent(self, event: Event) -> bool:
        """Whether a ruling is never announced: bookkeeping, or it would reveal something hidden."""
        return isinstance(event, ev.SilentEvent)

    def undo_barrier(self, event: Event) -> Literal["", "look", "earlier", "itself"]:
        """Which rulings can no longer be undone after this announcement, because it revealed hidden cards.

        `earlier`: all rulings before it; `itself`: these and the ruling itself. `look`: the same as `itself`,
        but nothing follows from the look yet, so a reading before it may still be corrected.
        """
        return ""

    def is_reading(self, cause: ob.Observation) -> bool:
        """Whether somebody read a card, which a later look (`undo_barrier`) may show to be wrong."""
        return isinstance(cause, ob.TableSeen)

    def needs_attention(self, event: Event) -> bool:
        """Whether the ruling needs everybody's attention, so that any overlay is closed at once."""
        return False

    def ineffective_press(self, event: Event) -> tuple[Seat, str] | None:
        """The seat whose press had no effect, and the key `ui.<word>` of the message for it."""
        return None

    def public_parts(self, state: S, event: Event) -> SentenceParts:
        """The named parts of a ruling's sentence as the log may show them in `state`: a part that may name a
        card only while that card lies open, or once nothing is hidden any more.
        """
        parts = self.sentence_parts(state, event)
        if self.is_open(state) or self.lies_open(state, event):
            return parts
        return tuple(part for part in parts if not self.names_card(event, *part))

    def names_card(self, event: Event, part: str, value: str | int) -> bool:
        """Whether a part of a ruling's sentence names a card; any does that is not known to name none."""
        names = {part, *(f"{word}.{part}" for word in _words_for(event))}
        cardless = part in {"chair", "bot"} or part.endswith("_chair") or not value
        return not (cardless or names & _CARDLESS_PARTS or names & self.cardless_parts)

    def lies_open(self, state: S, event: Event) -> bool:
        """Whether the card that a ruling names, if it names one, lies open in `state`."""
        return self.open_position_of(state, event) is not None

    @abstractmethod
    def is_open(self, state: S) -> bool:
        """Whether nothing is hidden any more."""


_CARDLESS_PARTS = frozenset({"count", "Repair.what"})
"""What names a card in no game."""
_UNSPOKEN_PARTS = frozenset({"rule", "reason", "was_lawful.where"})
"""What no sentence of any game names."""


def _words_for(event: Event) -> tuple[str, ...]:
    """What a ruling is called: the kind of its event, and which infraction or repair it is."""
    match event:
        case ev.Infraction():
            return ev.kind_of(event), event.rule
        case ev.Repair():
            return ev.kind_of(event), event.what
    return (ev.kind_of(event),)


class OpenFace(NamedTuple):
    """A card that lies open, whether or not somebody could read it."""

    place: str
    """Where: for `forget`, and for a place of the view as the view names it."""
    position: Hashable
    """Where among all positions of the game: another card that comes to lie there has another position, or
    nothing lies there in between. A card that moves and stays open may keep it."""
    card: Hashable = True
    """Which card it is, where another may cover it in the same position; false: the state does not say."""


class GameRules(Narration[S]):
    """The part of the rules that each game writes: what must be there, and the rest with defaults.

    `S` is the game's state: what the referee knows.
    """

    players: ClassVar[range]
    """The possible numbers of players."""
    players_with_bot: ClassVar[range] = range(0)
    """The numbers of players with whom a BOT deck may be dealt."""
    default_players: ClassVar[int | None] = None
    """The number of players unless one is asked for; None: the smallest."""
    options: ClassVar[type[Options]]
    """The class of its house rules."""
    events: ClassVar[Any]
    """The union of all its events."""
    reads_cards: ClassVar[bool] = True
    """Whether a camera has anything to read; else it is nobody's affair whether there is one."""
    has_clocks: ClassVar[bool] = False
    """Whether the game reckons with `GameStatus.clock_time`, which stands still in pauses."""
    has_rests: ClassVar[bool] = False
    """Whether something counts once it has lain still before the camera (`GameStatus.rest_end`)."""
    menu_verbs: ClassVar[frozenset[str]] = frozenset()
    """Those verbs of `extra_actions` that people are shown; it must tell nothing hidden which are lawful."""

    @abstractmethod
    def initial_state(self, setup: Setup) -> S:
        """The state before the first event."""

    @abstractmethod
    def prompts(self, state: S) -> tuple[Prompt, ...]:
        """Which players are asked to choose, and among which actions."""

    @abstractmethod
    def judge(self, state: S, action: Action, at: Micros) -> tuple[Event, ...]:
        """The ruling on an action, whether it is legal or not."""

    @abstractmethod
    def result(self, state: S) -> Result | None:
        """How the game was decided; None while it goes on."""

    @abstractmethod
    def view(self, state: S, mode: ViewMode = ViewMode.PLAY) -> View:
        """The public view of a state."""

    @abstractmethod
    def find_violation(self, state: S) -> str | None:
        """The first invariant of docs/rules.md that the state violates, as a sentence; None: it is sound."""

    @abstractmethod
    def redact(self, state: S) -> S:
        """The state with every hidden card redacted. Whatever is made public depends on this alone."""

    def evolve_game(self, state: S, event: Event) -> S:
        """The state after one of this game's own events, or of `events.GameRuling`."""
        match event:
            case ev.Repaired():
                return self.after_repair(state, event)
            case ev.WindowVoided():
                return self.after_void_window(state)
            case ev.GameAbandoned():
                return self.after_abandonment(state)
        after: S = event.apply(state)
        return after

    def after_repair(self, state: S, repair: ev.Repaired) -> S:
        """The state as the players declared it; raises `ValueError` or `IndexError` on what cannot be."""
        return state

    def after_void_window(self, state: S) -> S:
        """The state in which the timed window, which was interrupted, will be opened again."""
        return state

    def after_abandonment(self, state: S) -> S:
        """The state of a game that was given up: nobody is asked, and no timer runs."""
        return state

    def open_faces(self, state: S) -> Iterable[OpenFace]:
        """The cards that lie open, one per place; which ones must never depend on a hidden face.

        From them the referee derives which entry laid each (`companion.referee.faces`). It does not show what
        was covered since when rulings are undone, redone or corrected.
        """
        return ()

    def forget(self, state: S, place: str) -> Event | None:
        """The silent event that forgets the card in `place` until it is seen or named again.

        None: what lay open there stays public, and only a redo must not show it.
        """
        return None

    def forgets_first(self, place: str) -> bool:
        """Whether a correction judges on without a card in `place` that was covered since: what is ruled
        depends on which one lies open there.
        """
        return False

    def persistent(self, state: S, now: S) -> Iterable[Event]:
        """Silent events for what a return to the earlier `state` leaves as it is: which buttons are down."""
        return ()

    def unread_places(self, state: S, now: S | None = None) -> Iterable[Event]:
        """Silent events by which what the camera saw counts for nothing until it reads the table anew.

        `now`: only what is gone by then and never counted; a correction does not judge by it either.
        """
        return ()

    def hand_count(self, setup: Setup) -> int:
        """Number of hands, BOT decks included, for which the mat is laid out."""
        return setup.players

    def valid_field_values(self, setup: Setup) -> Mapping[str, Container[Any]]:
        """Valid values of event fields, by the field's name; fields that are not listed may have any value.

        The events of an imported journal are checked against it.
        """
        return {}

    def judge_regions(self, state: S, regions: tuple[ob.RegionReading, ...], at: Micros) -> tuple[Event, ...]:
        """The ruling on what the camera read in some places of the mat."""
        return ()

    def judge_shown_hand(
        self, state: S, seat: Seat, faces: tuple[ob.SeenCard, ...], at: Micros
    ) -> tuple[Event, ...]:
        """The ruling on a hand that was shown to the camera alone; the seat may be any number."""
        return ()

    def judge_timer(self, state: S, timer: str, at: Micros) -> tuple[Event, ...]:
        """The ruling on a timer that expired."""
        return ()

    def judge_cue(self, state: S, cue: ob.CueHeard) -> tuple[Event, ...]:
        """The ruling on the first beat of the awaited cue."""
        return ()

    def judge_draw(self, state: S, lot: ob.RandomDraw) -> tuple[Event, ...]:
        """The ruling on the awaited random draw."""
        return ()

    def judge_race_press(self, state: S, chair: Chair, seen: ob.ButtonPressed) -> tuple[Event, ...] | None:
        """The ruling on a press in a race, where the resolution of its source counts; None: no race is on."""
        return None

    def judge_newcomer(self, state: S, chair: Chair, at: Micros) -> tuple[Event, ...]:
        """The ruling on a press of a chair at which nobody plays; a game that people may join seats it."""
        return ()

    def judge_idle_press(self, state: S, seat: Seat, at: Micros) -> tuple[Event, ...]:
        """The ruling on a press of a player without a prompt."""
        return ()

    def judge_idle_release(self, state: S, seat: Seat, seen: ob.ButtonReleased) -> tuple[Event, ...]:
        """The ruling on a release that ends no tap."""
        return ()

    def timer(self, state: S) -> Timer | None:
        """The next timer, as if the game were not paused."""
        return None

    def is_window_open(self, state: S) -> bool:
        """Whether a timed window is open; anything that interrupts one voids it."""
        return False

    def is_race_on(self, state: S) -> bool:
        """Whether presses compete for being first now, and no timer ends the race."""
        return False

    def is_deadline(self, state: S, timer: str) -> bool:
        """Whether this timer ends what a press in time would have ended otherwise."""
        return False

    def is_press_a_report(self, state: S, chair: Chair) -> bool:
        """Whether a press of this chair now reports what the player did, such as raising a hand."""
        return self.is_window_open(state)

    def awaited_regions(self, state: S) -> frozenset[str]:
        """The regions that the camera must read with certainty now."""
        return frozenset()

    def pictured_cards(self, state: S) -> Iterable[tuple[str, str]]:
        """Regions and cards read there whose own pictures the camera keeps as long as they are named here."""
        return ()

    def shown_in_turn(self, state: S) -> frozenset[str]:
        """Places in which one thing after another is shown: what lies there still is no next one."""
        return frozenset()

    def awaited_draw(self, state: S) -> tuple[str, ...] | None:
        """The choices of a random draw that is due; None: no draw is due."""
        return None

    def awaited_cue(self, state: S) -> Cue | None:
        """The cue whose first beat opens the next timed window."""
        return None

    def extra_actions(self, state: S) -> Iterable[Action]:
        """Legal actions that no prompt lists, because they take touch or the camera instead of a button."""
        return ()

    def correction_choices(self, state: S, seen: Observation) -> Iterable[Action]:
        """The actions that a correction may put in place of `seen`."""
        return (action for prompt in self.prompts(state) for action in prompt.actions)

    def early_choices(self, state: S, events: Iterable[Event]) -> Iterable[tuple[str, Action]]:
        """What a card may have been that had been read in a place before, and counts by these events."""
        return ()

    def recap_statistics(self, standing: Iterable[Any]) -> tuple[tuple[str, int], ...]:
        """Statistics of a finished game: a name, worded by `ui.recap.<name>`, and its number."""
        return ()

    def photo_finishes(self, state: S, standing: Iterable[Any]) -> tuple[PhotoFinish, ...]:
        """The photo finishes of a game, oldest first; `standing`: its standing entries, newest first."""
        return ()

    def exhibit(self, state: S, standing: Iterable[Any]) -> Exhibit | None:
        """What the screen shows instead of the table, if anything; `standing`: as in `photo_finishes`."""
        return None

    @classmethod
    def table_sizes(cls) -> tuple[tuple[int, bool], ...]:
        """All table sizes: number of players, and whether a BOT deck is dealt."""
        return (
            *((players, False) for players in cls.players),
            *((players, True) for players in cls.players_with_bot),
        )


class CommonViewFields(TypedDict):
    """The fields of a view that no game fills in otherwise."""

    game: str
    headline: Sentence
    shared: tuple[Choice, ...]
    extras: tuple[Choice, ...]
    paused: bool
    by_hand: bool
    outcome: Outcome | None


RULES_REVISION = 22
"""To be raised whenever a game judges any observation differently from before."""

CAMERA_START: Micros = 5 * SECOND
"""So long after the program was started the camera may still have read nothing."""

_PLAY_OBSERVATIONS = (
    ob.ActionDeclared,
    ob.TableSeen,
    ob.HandShown,
    ob.CueHeard,
    ob.TimerElapsed,
    ob.RandomDraw,
)
"""Observations without effect while the game is paused."""


class Rules(GameRules[S], ABC):
    """The rules of a game: the game's own part, and here the part that all games share."""

    def decide(self, state: S, seen: Observation) -> tuple[Event, ...]:
        """The ruling on an observation; defined for every observation in every state."""
        ended = self.outcome(state) is not None
        if ended or (state.desk.paused and isinstance(seen, _PLAY_OBSERVATIONS)):
            looked = ended and isinstance(seen, ob.HiddenCardsViewed) and not state.desk.uncovered
            return (ev.GameUncovered(),) if looked else ()
        match seen:  # most frequent first: a class pattern that fails is slow
            case ob.ActionDeclared():
                return self._judge_action(state, seen.action, seen.at)
            case ob.ButtonPressed() | ob.ButtonReleased() | ob.ButtonHeld():
                return self._judge_button(state, seen)
            case ob.TimerElapsed():
                return self.judge_timer(state, seen.timer, seen.at)
            case ob.TableSeen():
                return self.judge_regions(state, seen.regions, seen.at)
            case ob.HandShown():
                return self.judge_shown_hand(state, seen.seat, seen.faces, seen.at)
            case ob.CueHeard():
                cue = self.awaited_cue(state)
                fits = cue is not None and (cue.name, cue.attempt) == (seen.cue, seen.attempt)
                return self.judge_cue(state, seen) if fits else ()
            case ob.CountStalled():
                return self.void_window(state, "stalled")
            case ob.RandomDraw():
                fits = self.awaited_draw(state) == seen.choices and 0 <= seen.index < len(seen.choices)
                return self.judge_draw(state, seen) if fits else ()
            case ob.TableDeclared():
                return self._judge_differences(state, seen)
            case ob.PauseRequested():
                return () if state.desk.paused else self._pause(state, seen.at)
            case ob.ResumeRequested():
                return self._resume(state, seen.at) if state.desk.paused else ()
            case ob.ProgramStalled() | ob.ProgramRestarted():
                return self._judge_standstill(state, seen)
            case ob.AbandonRequested():
                return (ev.GameAbandoned(),)
            case ob.CameraLost():
                goes_dark = self.reads_cards and not state.desk.blind
                return (ev.CameraWentDark(), *self.unread_places(state)) if goes_dark else ()
            case ob.CameraRecovered():
                return (ev.CameraCameBack(),) if state.desk.blind else ()
            case ob.AdapterLost():
                return self.void_window(state, "adapter") if seen.reason else ()
        return ()

    def judge_truth(
        self, state: S, truth: Observation, misread: ob.RegionReading | None
    ) -> tuple[Event, ...]:
        """The ruling on what a correction says was so, where a place was `misread` instead."""
        return self.decide(state, truth)

    def _pause(self, state: S, at: Micros) -> tuple[Event, ...]:
        return (*self.void_window(state, "pause"), ev.GamePaused(), *self._stop_clocks(state, at))

    def _resume(self, state: S, at: Micros) -> tuple[Event, ...]:
        return (ev.GameResumed(), *self._start_clocks(state, at), *self._unseen(at))

    def _judge_standstill(self, state: S, seen: ob.ProgramStalled | ob.ProgramRestarted) -> tuple[Event, ...]:
        """While the program did not run nobody saw the table, and no clock runs."""
        if isinstance(seen, ob.ProgramStalled) and seen.until is not None:
            return (
                *self._unseen(seen.until),
                *self._stop_clocks(state, seen.at),
                *self.unread_places(state),
            )
        goes_on = () if state.desk.paused else self._start_clocks(state, seen.at)
        if isinstance(seen, ob.ProgramStalled):
            return goes_on
        unseen = self._unseen(seen.at + CAMERA_START)
        unread = self.unread_places(state)
        return (*self.void_window(state, "restart"), ev.GameRestarted(), *goes_on, *unseen, *unread)

    def _unseen(self, until: Micros) -> tuple[Event, ...]:
        """Nobody saw the table up to `until`, where that means anything."""
        return (ev.TableUnseen(until),) if self.has_rests else ()

    def _stop_clocks(self, state: S, at: Micros) -> tuple[Event, ...]:
        """They stand still, unless they do already."""
        runs = self.has_clocks and state.desk.clocks_stopped is None
        return (ev.ClocksStopped(at),) if runs else ()

    def _start_clocks(self, state: S, at: Micros) -> tuple[Event, ...]:
        stopped = state.desk.clocks_stopped
        return () if stopped is None else (ev.ClocksShifted(at - stopped),)

    def time_after_return(self, earlier: S, until: Micros, now: S, at: Micros) -> tuple[Event, ...]:
        """What rests rests anew once the table returns `at` to the `earlier` state, and the clocks show what
        they did at `until`.
        """
        if self.outcome(earlier) is not None:
            return ()
        return (
            *self._unseen(max(at, now.desk.unseen_until)),
            *self._clocks_after_return(earlier, until, now, at),
        )

    def _clocks_after_return(self, earlier: S, until: Micros, now: S, at: Micros) -> tuple[Event, ...]:
        if not self.has_clocks:
            return ()
        stopped = earlier.desk.clocks_stopped
        by = at - (until if stopped is None else stopped)
        shifted = (ev.ClocksShifted(by),) if by or stopped is not None else ()
        return (*shifted, *((ev.ClocksStopped(at),) if now.desk.paused else ()))

    def _judge_differences(self, state: S, seen: ob.TableDeclared) -> tuple[Event, ...]:
        """The ruling on what the players declared, as far as it differs from the referee's belief."""
        stands = dict(repairable_values(self.view(state)))
        told = tuple((name, value) for name, value in seen.table if stands.get(name) != value)
        return self.judge_declaration(state, replace(seen, table=told)) if told else ()

    def evolve(self, state: S, event: Event) -> S:
        """The state after `event`. All judgement is in `decide`, so a replay never judges again."""
        if not isinstance(event, ev.StatusEvent):
            return self.evolve_game(state, event)
        after = replace(state, desk=state.desk.apply_event(event))
        # A game that is given up also ends its phase, with the timer and the cue.
        return self.evolve_game(after, event) if isinstance(event, ev.GameAbandoned) else after

    def evolve_if_sound(self, state: S, events: Iterable[Event]) -> S | None:
        """The state after several events; None if they do not fit it or lead to an unsound one."""
        try:
            after = reduce(self.evolve, events, state)
            return after if self.find_violation(after) is None else None
        except (ValueError, IndexError):
            return None

    def outcome(self, state: S) -> Outcome | None:
        """How the game ended; None while it goes on."""
        result = (ABANDONED, ()) if state.desk.abandoned else self.result(state)
        if result is None:
            return None
        return Outcome(result[0], tuple(map(state.chair_of, result[1])), state.desk.uncovered)

    def is_open(self, state: S) -> bool:
        """Whether nothing is hidden any more."""
        outcome = self.outcome(state)
        return outcome is not None and outcome.is_open

    def next_timer(self, state: S) -> Timer | None:
        """The next timer; None while paused, or while the clocks stand still."""
        stands = state.desk.paused or state.desk.clocks_stopped is not None
        return None if stands else self.timer(state)

    def controls(self, state: S) -> Controls:
        """The meaning of every button now, used both to label the screen and to judge a press."""
        if state.desk.paused or self.outcome(state) is not None:
            return {}
        asked = self.prompts(state)
        table: dict[tuple[Chair | None, str], Action] = {}
        for prompt in asked:
            table.update(controls_of(state.desk, prompt))
        if len(asked) == 1 and not self.is_window_open(state):
            table.update(shared_controls(state.desk, asked[0]))
        return table

    def shared_button_choices(self, state: S) -> tuple[Choice, ...]:
        """What back, next and OK do now."""
        table = self.controls(state)
        return tuple(
            Choice(action, self.label(state, action), button)
            for button in ("back", "next", "ok")
            if (action := table.get((None, button))) is not None
        )

    def extra_choices(self, state: S) -> tuple[Choice, ...]:
        """What people may do at any time besides what they are asked (`menu_verbs`)."""
        if not self.menu_verbs or state.desk.paused or self.outcome(state) is not None:
            return ()
        offered = (action for action in self.extra_actions(state) if action.verb in self.menu_verbs)
        return tuple(Choice(action, self.label(state, action), "") for action in offered)

    def legal_actions(self, state: S) -> frozenset[Action]:
        """The legal actions, as far as the referee can know them."""
        if state.desk.paused or self.outcome(state) is not None:
            return frozenset()
        listed = (action for prompt in self.prompts(state) for action in prompt.actions)
        return frozenset((*listed, *self.extra_actions(state)))

    def press_meaning(self, state: S, seen: Observation) -> Action | frozenset[str] | None:
        """What a press means in `state`: an action, or the verbs among which it begins to choose."""
        if not isinstance(seen, ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld):
            return None
        pressed, chair = isinstance(seen, ob.ButtonPressed), seen.chair
        if chair is None:
            return self.controls(state).get((None, seen.button)) if pressed else None
        prompt = None if state.desk.paused else self._prompt_of(state, chair)
        if prompt is None:
            return None
        if not pressed:
            end = "hold" if isinstance(seen, ob.ButtonHeld) else "tap"
            return controls_of(state.desk, prompt)[chair, end] if state.desk.has_press_begun(prompt) else None
        actions = prompt.actions
        return actions[0] if len(actions) == 1 else frozenset(action.verb for action in actions)

    def chosen_action(self, state: S, seen: ob.AnyObservation, events: Iterable[Event]) -> Action | None:
        """The action a player chose in `state` by touch or button, if it led to a ruling."""
        action: Any = seen.action if isinstance(seen, ob.ActionDeclared) else None
        if isinstance(seen, ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld):
            action = self.press_meaning(state, seen)
        if not isinstance(action, Action):
            return None
        return action if any(not isinstance(event, ev.InterimEvent) for event in events) else None

    def acting_chair(self, state: S, action: Action) -> Chair | None:
        """The chair that makes this choice; None if the action's seat has no chair, as a BOT deck's."""
        asked = (prompt.chair for prompt in self.prompts(state) if action in prompt.actions)
        there = 0 <= action.seat < len(state.setup.chairs)
        return next(asked, state.chair_of(action.seat) if there else None)

    def camera_request(self, state: S, since: Micros) -> CameraRequest | None:
        """The request to the camera, if it has to read something with certainty."""
        regions = frozenset() if state.desk.paused else self.awaited_regions(state)
        return CameraRequest(regions, since) if regions else None

    def void_window(self, state: S, reason: str) -> tuple[Event, ...]:
        """The event that voids the timed window, if one is open."""
        return (ev.WindowVoided(reason),) if self.is_window_open(state) else ()

    def judge_declaration(self, state: S, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The ruling on what the players declared; `table` holds only what differs from the referee's belief.

        An action that a player chose on the screen, `ob.ActionDeclared`, comes to `judge` instead.
        """
        return self.rule_repair(state, table) if self.view(state).fields else ()

    def rule_repair(self, state: S, table: ob.TableDeclared) -> tuple[Event, ...]:
        """The table is as the players say; what cannot be is refused by name, and nothing changes."""
        events = (*self.void_window(state, "repair"), ev.Repaired(table.table))
        sound = self.evolve_if_sound(state, events) is not None
        return events if sound else (ev.Infraction("repair.impossible"),)

    # What all views have in common ------------------------------------------------------------------------

    def common_view_fields(self, state: S, headline: Sentence) -> CommonViewFields:
        """These fields for `state`; `headline` is the game's own, which a pause replaces."""
        paused = state.desk.paused
        return CommonViewFields(
            game=self.name,
            headline=Sentence("shared.phase.paused") if paused else self.table_wording(state, headline),
            shared=self.shared_button_choices(state),
            extras=self.extra_choices(state),
            paused=paused,
            by_hand=state.desk.blind,
            outcome=self.outcome(state),
        )

    def table_wording(self, state: S, sentence: Said) -> Said:
        """A headline or hint in the words of this table, which may have no camera, or none any more."""
        if sentence is None or not state.desk.blind or sentence.key not in self.camera_sentences:
            return sentence
        return Sentence(f"{sentence.key}.by_hand", sentence.parts)

    def chair_views(self, state: S, **parts: Callable[[S, Seat], Any]) -> tuple[ChairView, ...]:
        """Every person with what they are asked; each of `parts` makes that field of a `ChairView`.

        For games in which each person has one seat, the first chair seat 0.
        """
        asked = self.choices_by_chair(state)
        return tuple(
            ChairView(
                chair=chair,
                seat=seat,
                asked=chair in asked,
                choices=asked.get(chair, ()),
                **{name: part(state, seat) for name, part in parts.items()},
            )
            for seat, chair in enumerate(state.setup.chairs)
        )

    def asked_chairs(self, state: S) -> frozenset[Chair]:
        """The chairs that are asked something now; none while the game is paused."""
        return frozenset(() if state.desk.paused else (prompt.chair for prompt in self.prompts(state)))

    def choices_by_chair(self, state: S) -> dict[Chair, tuple[Choice, ...]]:
        """The chairs that are asked something now, each with its choices; none while the game is paused."""
        if state.desk.paused:
            return {}
        return {prompt.chair: self.choices(state, prompt) for prompt in self.prompts(state)}

    # Presses ----------------------------------------------------------------------------------------------

    def _judge_button(
        self, state: S, seen: ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
    ) -> tuple[Event, ...]:
        chair = seen.chair
        if chair is None:
            return self._judge_shared_button(state, seen)
        if (seat := state.seat_of(chair)) is None:
            comes = isinstance(seen, ob.ButtonPressed) and not state.desk.paused
            return self.judge_newcomer(state, chair, seen.at) if comes else ()
        if state.desk.paused:  # a release during a pause still counts as a release afterwards
            return self.judge_idle_release(state, seat, seen) if isinstance(seen, ob.ButtonReleased) else ()
        prompt = self._prompt_of(state, chair)
        if isinstance(seen, ob.ButtonPressed):
            if (ruled := self.judge_race_press(state, chair, seen)) is not None:
                return ruled
            if prompt is None:
                return self.judge_idle_press(state, seat, seen.at)
            if len(prompt.actions) == 1:
                return self._judge_action(state, prompt.actions[0], seen.at)
            return (ev.PressBegan(chair, prompt.actions),)
        controls = {} if prompt is None else controls_of(state.desk, prompt)
        mark = state.desk.pending_choice(chair)
        begun = prompt is not None and state.desk.has_press_begun(prompt)
        match seen:
            case ob.ButtonReleased() if begun:
                acted = self._judge_action(state, controls[chair, "tap"], seen.at)
                stepped = any(isinstance(event, ev.ChoiceStepped) for event in acted)
                return acted if stepped else (ev.PressEnded(chair), *acted)
            case ob.ButtonReleased():
                ended: tuple[Event, ...] = (ev.PressEnded(chair),) if mark is not None and mark.down else ()
                return (*ended, *self.judge_idle_release(state, seat, seen))
            case ob.ButtonHeld() if begun:
                return (ev.PressEnded(chair), *self._judge_action(state, controls[chair, "hold"], seen.at))
            case ob.ButtonHeld() if mark is not None and mark.down:  # its release answers nothing any more
                return (ev.PressEnded(chair),)
        return ()

    def _prompt_of(self, state: S, chair: Chair) -> Prompt | None:
        return next((prompt for prompt in self.prompts(state) if prompt.chair == chair), None)

    def _judge_shared_button(
        self, state: S, seen: ob.ButtonPressed | ob.ButtonReleased | ob.ButtonHeld
    ) -> tuple[Event, ...]:
        match seen:
            case ob.ButtonHeld(button="back"):
                return self.decide(state, ob.PauseRequested(at=seen.at))
            case ob.ButtonPressed(button="ok") if state.desk.paused:
                return self.decide(state, ob.ResumeRequested(at=seen.at))
            case ob.ButtonPressed():
                action = self.controls(state).get((None, seen.button))
                return () if action is None else self._judge_action(state, action, seen.at)
        return ()

    def _judge_action(self, state: S, action: Action, at: Micros) -> tuple[Event, ...]:
        if action.verb == STEP:
            return judge_step(state.desk, self.prompts(state), action)
        events = self.judge(state, action, at)
        stepped = (chair for chair, mark in state.desk.marks if action in mark.actions and not mark.down)
        return (*map(ev.PressEnded, stepped), *events) if events else ()
