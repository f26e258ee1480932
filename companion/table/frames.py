"""Builds each page's frame from the game or the table."""

import re
from collections.abc import Iterator
from typing import Any, TypedDict

from companion.core.actions import SECOND, Action, Chair, Micros, Setup
from companion.core.rules import Rules
from companion.core.view import Sentence, View, ViewMode
from companion.games import RULES
from companion.referee.game_log import RulingLine
from companion.referee.referee import Referee
from companion.system.appliance import MachineStatus
from companion.table.host import Games, Host, SetupLimits
from companion.table.session import NOT_IN_GAME, Session
from companion.teach.rulebook import rulebook_section
from companion.ui.frame import (
    AllowedActions,
    GameDraft,
    GameFrame,
    HistoryLine,
    HomeFrame,
    JudgeState,
    PhoneSeat,
    ReadingView,
    RecapFrame,
    SetupFrame,
    UiState,
)

NUMBER = re.compile(r"(\d+)")
DISTURBED_FOR: Micros = 8 * SECOND
"""How long it is said that a cable picked something up."""
LOG_OVERLAYS = frozenset({"log", "why"})
"""The overlays that name everything once a game is over; a look at them ends it for good."""


LEARNING = ("lessons:", "learn:")
"""The overlays of the home page in which a lesson is chosen."""


class CommonFields(TypedDict):
    """What every frame carries."""

    ui_state: UiState
    names: dict[Chair, str]
    colours: tuple[str, ...]
    trouble: Sentence | None
    joinable: bool


def home_frame(
    page: str,
    games: Games | None,
    common: CommonFields,
    machine: MachineStatus,
    down: frozenset[Chair],
) -> HomeFrame:
    """What can be played here, what was played, what is missing, and what the machine can do.

    Only what this page shows is read: lessons when one is chosen, the list of games on its own page.
    """
    if games is None:
        return HomeFrame(**common, machine=machine)
    ui_state = common["ui_state"]
    return HomeFrame(
        **common,
        offered=games.list_offers(lessons=ui_state.overlay.startswith(LEARNING)),
        games=games.stored_games() if page == "games" else games.unfinished_games(),
        doctor=games.warnings(),
        chairs=games.setup_limits(ui_state.draft.game).chairs if page == "home" else 0,
        down=down,
        machine=machine,
    )


def setup_frame(table: SetupLimits, common: CommonFields, down: frozenset[Chair]) -> SetupFrame:
    """A table that is being set up."""
    return SetupFrame(
        **common,
        chairs=table.chairs,
        players=table.players,
        with_bot=table.with_bot,
        prepare=_preparation_steps(common["ui_state"].draft, table),
        options=table.options,
        mixed_sources=table.mixed_sources,
        down=down,
    )


def _preparation_steps(draft: GameDraft, table: SetupLimits) -> tuple[Sentence, ...]:
    """What to do with the cards, once enough people have joined."""
    rules = RULES.get(draft.game)
    if rules is None or len(draft.chairs) not in table.players:
        return ()
    bot = draft.bot and len(draft.chairs) in table.with_bot
    return rules.setup_instructions(Setup(draft.chairs, draft.options or table.options, bot))


def fallback_frame(
    session: Session | None,
    ui_state: UiState,
    names: dict[Chair, str],
    colours: tuple[str, ...],
    trouble: Sentence | None,
) -> GameFrame | HomeFrame:
    """What cannot fail to be put together: the view, and that something may be taken back."""
    common: CommonFields = {
        "ui_state": ui_state,
        "names": names,
        "colours": colours,
        "trouble": trouble,
        "joinable": False,
    }
    if session is None:
        return HomeFrame(**common)
    board = session.game.referee.rules.board
    return GameFrame(**common, view=session.view, board=board, say=session.latest_sentence, can_undo=True)


def game_frame_key(session: Session, host: Host) -> tuple[Any, ...]:
    """What a game's frame is made of: while it is the same, so is the frame."""
    entries = session.game.referee.journal.entries
    pressed, said = session.game.buttons_maybe_down(), session.voice.caption or session.latest_sentence
    guided = None if session.guide is None else session.guide.guidance()
    picture = id(host.picture())
    return (
        len(entries),
        pressed,
        said,
        session.current_verdict(),
        session.press_notices(),
        host.demo_info(),
        picture,
        guided,
    )


def game_frame(
    session: Session,
    host: Host,
    common: CommonFields,
    phones: tuple[PhoneSeat, ...] = (),
    judge: JudgeState = "",
) -> GameFrame:
    """One moment of a game; `phones`: the chairs that phones hold or ask for."""
    view, referee = session.view, session.game.referee
    overlay = common["ui_state"].overlay
    offered = view.paused or overlay in {"menu", "wrong", "correct"}
    again = view.paused or overlay in {"menu", "log", "finish"}
    reading = session.history.last_reading() if offered else None
    going = session.history.next_undo() if overlay == "take_back" else None
    return GameFrame(
        **common,
        view=view,
        board=referee.rules.board,
        log=_log_lines(session) if overlay in LOG_OVERLAYS or is_log_safe(referee) else (),
        next_undo=None if going is None else _to_log_line(going, view.game),
        put_back_steps=referee.undo_instructions(),
        after_undo=referee.headline_after_undo() if overlay == "take_back" else None,
        say=current_caption(session),
        camera=None if view.dark else host.picture(),
        demo=host.demo_info(),
        pressed=frozenset(chair for chair, _ in session.game.buttons_maybe_down() if chair is not None),
        notices=(*_phone_notes(phones, view), *session.press_notices()),
        by_phone=tuple(seat for seat in phones if seat.state == "held"),
        can_undo=referee.find_undoable() is not None,
        undo_closed=overlay in {"take_back", "correct"} and referee.settled,
        can_redo=referee.find_redoable() is not None,
        last_reading=None
        if reading is None
        else ReadingView(reading.seq, reading.sentence, reading.choices, reading.chance, reading.by),
        current_verdict=session.current_verdict(),
        exhibit=session.history.exhibit(),
        finishes=session.history.finishes() if again else (),
        allowed_actions=allowed_actions(referee.rules, referee.state) if overlay == "may" else (),
        section=rulebook_section(view.game, view.phase),
        guide=None if session.guide is None else session.guide.guidance(),
        by_keys=host.needs_keyboard(),
        judge=judge,
    )


def _phone_notes(phones: tuple[PhoneSeat, ...], view: View) -> Iterator[tuple[Chair, Sentence]]:
    """What the panels of these chairs say where nothing can be chosen there."""
    choosing = {chair.chair for chair in view.chairs if chair.choices}
    for seat in phones:
        if seat.chair not in choosing and (seat.state == "asks" or not seat.awake):
            yield seat.chair, Sentence(f"ui.phones.{'asks' if seat.state == 'asks' else 'asleep'}")


def is_log_safe(referee: Referee[Any]) -> bool:
    """Whether the log names no more than it did while the game went on, or the game cannot go on."""
    return not referee.rules.is_open(referee.state) or referee.state.desk.uncovered


def _natural_sort_key(action: Action) -> list[str | int]:
    """So that 10 comes after 9: words and numbers in turn."""
    parts = NUMBER.split(str(action))
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def allowed_actions(rules: Rules[Any], state: Any) -> tuple[AllowedActions, ...]:
    """What every chair may do now: what its button offers first, then what a touch says besides.

    Only choices as they are labelled, so that nothing that lies hidden tells which of their places is lawful.
    """
    offered = [action for prompt in rules.prompts(state) for action in prompt.actions]
    lawful = rules.legal_actions(state)
    known: dict[Chair, dict[Sentence, None]] = {chair.chair: {} for chair in rules.view(state).chairs}
    for action in (*(one for one in offered if one in lawful), *sorted(lawful, key=_natural_sort_key)):
        known.setdefault(rules.chair_of(state, action.seat), {})[rules.label(state, action)] = None
    return tuple(AllowedActions(chair, tuple(choices)) for chair, choices in known.items())


def current_caption(session: Session) -> Sentence | None:
    """The caption; what a lesson says has its own place on the screen."""
    caption = session.voice.caption
    taught = session.guide is not None and caption is not None and caption.key.startswith("lesson.")
    return session.latest_sentence if caption is None or taught else caption


def recap_frame(session: Session, common: CommonFields) -> RecapFrame:
    """A finished game, open."""
    referee = session.game.referee
    minutes = max(1, round(referee.at / (60 * SECOND)))
    is_open = referee.rules.is_open(referee.state)
    counted = referee.rules.recap_statistics(referee.standing_entries()) if is_open else ()
    numbers = (*counted, ("minutes", minutes))
    view = referee.rules.view(referee.state, ViewMode.OPEN if is_open else ViewMode.PLAY)
    return RecapFrame(
        **common,
        view=view,
        numbers=numbers,
        log=_log_lines(session),
        exhibit=session.history.exhibit(),
        finishes=session.history.finishes(),
        moments=session.history.moments() if common["ui_state"].overlay == "timeline" else (),
    )


def most_pressing_trouble(session: Session, now: Micros) -> Sentence | None:
    """What a game has to tell its table besides its rulings, the most pressing first."""
    if session.game.failed:
        return Sentence("shared.part.judging")
    storage = session.game.trouble
    if storage is not None:
        return Sentence(f"shared.alarm.{storage.key}")
    if session.is_rewritten(now):
        return Sentence("shared.storage.again")
    if session.unread_place is not None:
        place = session.unread_place.partition(":")[2]
        return Sentence("shared.unread", (("slot", place),) if place else ())
    disturbed = session.game.buttons.disturbed
    if disturbed is not None and now - disturbed[1] < DISTURBED_FOR:
        return Sentence("ui.disturbed")
    stuck = session.game.stuck_button(now)
    if stuck is not None:
        return Sentence("shared.stuck", (("chair", stuck[0]),) if stuck[0] is not None else ())
    return next((said for _, said in session.press_notices() if said.key == NOT_IN_GAME), None)


def _log_lines(session: Session) -> tuple[HistoryLine, ...]:
    game, history = session.game.referee.rules.name, session.history
    return history.look_up_once(
        "lines", lambda: tuple(_to_log_line(line, game) for line in history.recent_lines())
    )


def _to_log_line(line: RulingLine, game: str) -> HistoryLine:
    where = rulebook_section(game, line.why)
    return HistoryLine(line.seq, line.sentence, line.why, line.taken_back, where, line.chance, line.by)
