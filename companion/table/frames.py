"""What the pages may see of the game and the table, frozen: one frame of each kind."""

import re
from collections.abc import Iterator
from typing import Any, TypedDict

from companion.core.actions import SECOND, Action, Chair, Micros, Setup
from companion.core.appliance import Machine
from companion.core.rules import Rules
from companion.core.view import Mode, Sentence, View
from companion.games import RULES
from companion.referee.game_log import Line
from companion.referee.referee import Referee
from companion.table.host import Games, Gathering, Host
from companion.table.session import NOT_IN_GAME, Session
from companion.teach.sections import section
from companion.ui.frame import (
    GameFrame,
    HomeFrame,
    Judge,
    LogLine,
    May,
    Reading,
    RecapFrame,
    SetupFrame,
)
from companion.ui.glass import Draft, Glass
from companion.ui.phone_seats import PhoneSeat

NUMBER = re.compile(r"(\d+)")
DISTURBED_FOR: Micros = 8 * SECOND
"""How long it is said that a cable picked something up."""
OPEN_LOG = frozenset({"log", "why"})
"""The overlays that name everything once a game is over; a look at them ends it for good."""


LEARNING = ("lessons:", "learn:")
"""The overlays of the home page in which a lesson is chosen."""


class Common(TypedDict):
    """What every frame carries."""

    glass: Glass
    names: dict[Chair, str]
    colours: tuple[str, ...]
    trouble: Sentence | None
    joinable: bool


def home_frame(
    page: str,
    games: Games | None,
    common: Common,
    machine: Machine,
    down: frozenset[Chair],
) -> HomeFrame:
    """What can be played here, what was played, what is missing, and what the machine can do.

    Only what this page shows is read: lessons when one is chosen, the list of games on its own page.
    """
    if games is None:
        return HomeFrame(**common, machine=machine)
    glass = common["glass"]
    return HomeFrame(
        **common,
        offered=games.offered(lessons=glass.overlay.startswith(LEARNING)),
        games=games.stored() if page == "games" else games.unfinished(),
        doctor=games.notes(),
        chairs=games.gathering(glass.draft.game).chairs if page == "home" else 0,
        down=down,
        machine=machine,
    )


def setup_frame(table: Gathering, common: Common, down: frozenset[Chair]) -> SetupFrame:
    """A table that is being set up."""
    return SetupFrame(
        **common,
        chairs=table.chairs,
        players=table.players,
        with_bot=table.with_bot,
        prepare=_prepare(common["glass"].draft, table),
        options=table.options,
        mixed_sources=table.mixed_sources,
        down=down,
    )


def _prepare(draft: Draft, table: Gathering) -> tuple[Sentence, ...]:
    """What to do with the cards, once enough people have joined."""
    rules = RULES.get(draft.game)
    if rules is None or len(draft.chairs) not in table.players:
        return ()
    bot = draft.bot and len(draft.chairs) in table.with_bot
    return rules.prepare(Setup(draft.chairs, draft.options or table.options, bot))


def bare_frame(
    session: Session | None,
    glass: Glass,
    names: dict[Chair, str],
    colours: tuple[str, ...],
    trouble: Sentence | None,
) -> GameFrame | HomeFrame:
    """What cannot fail to be put together: the view, and that something may be taken back."""
    common: Common = {
        "glass": glass,
        "names": names,
        "colours": colours,
        "trouble": trouble,
        "joinable": False,
    }
    if session is None:
        return HomeFrame(**common)
    board = session.game.referee.rules.board
    return GameFrame(**common, view=session.view, board=board, say=session.spoken, can_undo=True)


def game_key(session: Session, host: Host) -> tuple[Any, ...]:
    """What a game's frame is made of: while it is the same, so is the frame."""
    entries = session.game.referee.journal.entries
    pressed, said = session.game.lit(), session.voice.caption or session.spoken
    guided = None if session.guide is None else session.guide.guidance()
    picture = id(host.picture())
    return (len(entries), pressed, said, session.ruled(), session.notices(), host.demo(), picture, guided)


def game_frame(
    session: Session, host: Host, common: Common, phones: tuple[PhoneSeat, ...] = (), judge: Judge = ""
) -> GameFrame:
    """One moment of a game; `phones`: the chairs that phones hold or ask for."""
    view, referee = session.view, session.game.referee
    overlay = common["glass"].overlay
    offered = view.paused or overlay in {"menu", "wrong", "correct"}
    again = view.paused or overlay in {"menu", "log", "finish"}
    reading = session.history.last_reading() if offered else None
    going = session.history.would_go() if overlay == "take_back" else None
    return GameFrame(
        **common,
        view=view,
        board=referee.rules.board,
        log=_lines(session) if overlay in OPEN_LOG or log_stays(referee) else (),
        would_go=None if going is None else _line(going, view.game),
        put_back=referee.undo_puts_back(),
        then=referee.undo_leads_to() if overlay == "take_back" else None,
        say=said_now(session),
        camera=None if view.dark else host.picture(),
        demo=host.demo(),
        pressed=frozenset(chair for chair, _ in session.game.lit() if chair is not None),
        notices=(*_of_phones(phones, view), *session.notices()),
        by_phone=tuple(seat for seat in phones if seat.state == "held"),
        can_undo=referee.undoable() is not None,
        undo_closed=overlay in {"take_back", "correct"} and referee.settled,
        can_redo=referee.redoable() is not None,
        last_reading=None
        if reading is None
        else Reading(reading.seq, reading.sentence, reading.choices, reading.chance, reading.by),
        ruled=session.ruled(),
        exhibit=session.history.exhibit(),
        finishes=session.history.finishes() if again else (),
        may=what_may_be_done(referee.rules, referee.state) if overlay == "may" else (),
        section=section(view.game, view.phase),
        guide=None if session.guide is None else session.guide.guidance(),
        by_keys=host.by_keys(),
        judge=judge,
    )


def _of_phones(phones: tuple[PhoneSeat, ...], view: View) -> Iterator[tuple[Chair, Sentence]]:
    """What the panels of these chairs say where nothing can be chosen there."""
    choosing = {chair.chair for chair in view.chairs if chair.choices}
    for seat in phones:
        if seat.chair not in choosing and (seat.state == "asks" or not seat.awake):
            yield seat.chair, Sentence(f"ui.phones.{'asks' if seat.state == 'asks' else 'asleep'}")


def log_stays(referee: Referee[Any]) -> bool:
    """Whether the log names no more than it did while the game went on, or the game cannot go on."""
    return not referee.rules.is_open(referee.state) or referee.state.desk.uncovered


def _counted(action: Action) -> list[str | int]:
    """So that 10 comes after 9: words and numbers in turn."""
    parts = NUMBER.split(str(action))
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def what_may_be_done(rules: Rules[Any], state: Any) -> tuple[May, ...]:
    """What every chair may do now: what its button offers first, then what a touch says besides.

    Only choices as they are labelled, so that nothing that lies hidden tells which of their places is lawful.
    """
    offered = [action for prompt in rules.prompts(state) for action in prompt.actions]
    lawful = rules.legal_actions(state)
    known: dict[Chair, dict[Sentence, None]] = {chair.chair: {} for chair in rules.view(state).chairs}
    for action in (*(one for one in offered if one in lawful), *sorted(lawful, key=_counted)):
        known.setdefault(rules.chair_of(state, action.seat), {})[rules.label(state, action)] = None
    return tuple(May(chair, tuple(choices)) for chair, choices in known.items())


def said_now(session: Session) -> Sentence | None:
    """The caption; what a lesson says has its own place on the screen."""
    caption = session.voice.caption
    taught = session.guide is not None and caption is not None and caption.key.startswith("lesson.")
    return session.spoken if caption is None or taught else caption


def recap_frame(session: Session, common: Common) -> RecapFrame:
    """A finished game, open."""
    referee = session.game.referee
    minutes = max(1, round(referee.at / (60 * SECOND)))
    is_open = referee.rules.is_open(referee.state)
    counted = referee.rules.recap(referee.standing()) if is_open else ()
    numbers = (*counted, ("minutes", minutes))
    view = referee.rules.view(referee.state, Mode.OPEN if is_open else Mode.PLAY)
    return RecapFrame(
        **common,
        view=view,
        numbers=numbers,
        log=_lines(session),
        exhibit=session.history.exhibit(),
        finishes=session.history.finishes(),
        moments=session.history.moments() if common["glass"].overlay == "timeline" else (),
    )


def trouble_of(session: Session, now: Micros) -> Sentence | None:
    """What a game has to tell its table besides its rulings, the most pressing first."""
    if session.game.failed:
        return Sentence("shared.part.judging")
    storage = session.game.trouble
    if storage is not None:
        return Sentence(f"shared.alarm.{storage.key}")
    if session.is_rewritten(now):
        return Sentence("shared.storage.again")
    if session.unread is not None:
        place = session.unread.partition(":")[2]
        return Sentence("shared.unread", (("slot", place),) if place else ())
    disturbed = session.game.buttons.disturbed
    if disturbed is not None and now - disturbed[1] < DISTURBED_FOR:
        return Sentence("ui.disturbed")
    stuck = session.game.stuck(now)
    if stuck is not None:
        return Sentence("shared.stuck", (("chair", stuck[0]),) if stuck[0] is not None else ())
    return next((said for _, said in session.notices() if said.key == NOT_IN_GAME), None)


def _lines(session: Session) -> tuple[LogLine, ...]:
    game, history = session.game.referee.rules.name, session.history
    return history.once("lines", lambda: tuple(_line(line, game) for line in history.log()))


def _line(line: Line, game: str) -> LogLine:
    where = section(game, line.why)
    return LogLine(line.seq, line.sentence, line.why, line.taken_back, where, line.chance, line.by)
