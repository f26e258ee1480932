"""Builds each page's frame, one frozen moment of everything that may be seen, from the game or the table."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, TypedDict

from msgspec import structs

from companion.core.actions import SECOND, Chair, Micros, Setup
from companion.core.camera_tasks import CameraPageInput
from companion.core.view import Guidance, Sentence, SetupPicture, View, ViewMode
from companion.games import RULES
from companion.referee.game_log import RulingLine
from companion.system.appliance import MachineStatus
from companion.table.history import allowed_actions
from companion.table.host import DISTURBED_FOR, Games, Host, SetupLimits
from companion.table.navigation import CAMERA_PAGES, GATHERING_PAGES, Navigation
from companion.table.runtime import AppParts, Runtime
from companion.table.session import NOT_IN_GAME, Session
from companion.teach.rulebook import rulebook_section
from companion.ui.frame import (
    AllowedActions,
    ButtonsFrame,
    CameraPageFrame,
    GameDraft,
    GameFrame,
    HistoryLine,
    HomeFrame,
    JudgeState,
    PageFrame,
    PhoneSeat,
    PhonesFrame,
    ReadingView,
    RecapFrame,
    UiState,
)

LOG_OVERLAYS = frozenset({"log", "why"})
"""The overlays that name everything once a game is over; a look at them ends it for good."""
LEARNING_OVERLAYS = ("lessons:", "learn:")
"""The overlays of the home page in which a lesson is chosen."""


class CommonFields(TypedDict):
    """What every frame carries."""

    ui_state: UiState
    names: dict[Chair, str]
    colours: tuple[str, ...]
    trouble: Sentence | None
    joinable: bool


class FrameBuilder:
    """Builds the frame of the page that is on the screen; the same object while nothing in it changes."""

    def __init__(
        self,
        navigation: Navigation,
        shared: Runtime,
        around: AppParts,
        *,
        colours: tuple[str, ...],
        is_seen: Callable[[], bool],
    ) -> None:
        """`is_seen`: whether anybody can see the screen; else it shows nothing that people have to pass."""
        self._navigation = navigation
        self._is_seen = is_seen
        self._clock = shared.clock
        self._parts = shared.parts
        self._colours = colours
        self._camera_tasks, self._appliance = around.camera_tasks, around.appliance
        self._button_learning = around.button_learning
        self._phones, self._club = around.phones, around.club
        self._known: tuple[Any, PageFrame] | None = None

    def frame(self) -> PageFrame:
        """One frozen moment of everything that may be seen."""
        key = (
            self._navigation.page,
            self._navigation.ui_state,
            self._trouble(),
            self._phone_state(),
            self._club_state(),
            *self._cache_key(),
        )
        if self._known is None or self._known[0] != key:
            found = self._parts.run("frame", self._build_frame, None, stays=True)
            self._known = key, found or self._fallback_frame()
        return self._known[1]

    def _trouble(self) -> Sentence | None:
        """The one notice that is on the screen now, the most pressing of all."""
        navigation, now = self._navigation, self._clock.now()
        pressing = None if self._appliance is None else self._appliance.message_for_players(now)
        session = navigation.session
        if pressing is None and session is not None:
            pressing = most_pressing_trouble(session, now)
        pressing = pressing or navigation.current_notice()
        return navigation.host.parts_trouble() if pressing is None and session is not None else pressing

    def _phone_state(self) -> object:
        """What phones change in the frame: all on their own page, else what the chairs' panels show."""
        if self._phones is None:
            return None
        if self._navigation.page == "phones":
            return self._phones.phone_table()
        return self._phones.phone_seats()

    def _club_state(self) -> object:
        """What a club changes in the frame."""
        club = self._club
        return None if club is None else (club.judge_state(), club.club_assignment(), club.warnings())

    def _cache_key(self) -> tuple[Any, ...]:
        """What the frame depends on besides page, glass and notice: equal keys mean equal frames."""
        navigation = self._navigation
        if navigation.session is not None:
            return game_frame_key(navigation.session, navigation.host)
        notes = () if navigation.games is None else navigation.games.warnings()
        shown = self._camera_input()
        camera = () if shown is None else (shown.view, id(shown.camera), tuple(map(id, shown.cards)))
        learning = self._button_learning if navigation.page == "buttons" else None
        learnt = None if learning is None else learning.view()
        down = navigation.idle_buttons.debouncer.buttons_maybe_down()
        return (notes, down, self._machine(), learnt, self._has_camera(), *camera)

    def _has_camera(self) -> bool:
        """Whether set-up can offer a photo."""
        return self._camera_tasks is not None and bool(self._camera_tasks.has_camera())

    def _camera_input(self) -> CameraPageInput | None:
        return None if self._camera_tasks is None else self._camera_tasks.page_input()

    def _machine(self) -> MachineStatus | None:
        return None if self._appliance is None else self._appliance.read_status()

    def _common_fields(self, *, joinable: bool) -> CommonFields:
        return {
            "ui_state": self._navigation.ui_state,
            "names": self._navigation.names,
            "colours": self._colours,
            "trouble": self._trouble(),
            "joinable": joinable,
        }

    def _fallback_frame(self) -> PageFrame:
        """What cannot fail to be put together: the view, and that something may be taken back."""
        navigation = self._navigation
        page = "home" if navigation.session is None else "game"
        if page != navigation.page:
            navigation.page = page
            navigation.close_overlay()
        common, session = self._common_fields(joinable=False), navigation.session
        if session is None:
            return HomeFrame(**common)
        board = session.game.referee.rules.board
        return GameFrame(**common, view=session.view, board=board, say=session.latest_sentence, can_undo=True)

    def _build_frame(self) -> PageFrame:
        navigation, common = self._navigation, self._common_fields(joinable=self._phones is not None)
        session, page = navigation.session, navigation.page
        if self._phones is not None and page == "phones":
            return PhonesFrame(**common, phones=self._phones.phone_table(), playing=session is not None)
        if session is not None and page == "recap":
            return recap_frame(session, common)
        if session is not None and page == "game":
            phones = () if self._phones is None else self._phones.phone_seats()
            judge = "" if self._club is None else self._club.judge_state()
            return game_frame(session, navigation.host, common, phones, judge)
        camera_input = self._camera_input()
        if camera_input is not None and page in CAMERA_PAGES:
            return CameraPageFrame(**common, camera_input=camera_input)
        down: frozenset[Chair] = frozenset(
            chair for chair, _ in navigation.idle_buttons.debouncer.buttons_maybe_down() if chair is not None
        )
        learning = self._button_learning
        if learning is not None and page == "buttons":
            return ButtonsFrame(**common, chairs=learning.chairs, view=learning.view(), down=down)
        frame = home_frame(page, navigation.games, common, self._machine() or MachineStatus(), down)
        frame = replace(frame, learns_buttons=learning is not None, has_camera=self._has_camera())
        frame = frame if self._is_seen() else replace(frame, steps=())
        if self._club is None:
            return frame
        notes = (*frame.doctor, *self._club.warnings())
        return replace(frame, doctor=notes, club_assignment=self._club.club_assignment())


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
    ui_state, seated = common["ui_state"], page in GATHERING_PAGES
    limits = games.setup_limits(ui_state.draft.game) if seated else None
    has_boxes = page == "setup" or (page == "home" and ui_state.draft.chosen)
    presets, broken = games.list_presets(ui_state.draft.game) if has_boxes else ((), ())
    stored = games.stored_games() if page == "games" else games.unfinished_games() if page == "home" else ()
    return HomeFrame(
        **common,
        offered=games.list_offers(lessons=ui_state.overlay.startswith(LEARNING_OVERLAYS)),
        games=stored,
        doctor=games.warnings(),
        voices=games.voices(ui_state.language) if page in {"settings", "voice"} else (),
        outputs=games.sound_outputs() if page in {"settings", "sound"} else (),
        output=games.playing_output(ui_state.sound_output) if page == "sound" else "",
        lacks_board_line=page == "sound" and games.lacks_board_line(),
        is_setup=page == "setup",
        steps=() if limits is None else setup_steps(ui_state.draft, limits),
        chairs=0 if limits is None else limits.chairs,
        options=None if limits is None else limits.options,
        mixed_sources=limits is not None and limits.mixed_sources,
        presets=presets,
        broken_presets=broken,
        down=down,
        machine=machine,
    )


def setup_steps(draft: GameDraft, limits: SetupLimits) -> tuple[tuple[Sentence, SetupPicture], ...]:
    """How the table is made ready, once enough people sat down."""
    rules = RULES.get(draft.game)
    if rules is None or len(draft.chairs) not in limits.players:
        return ()
    bot = draft.bot and len(draft.chairs) in rules.players_with_bot
    setup = Setup(draft.chairs, draft.options or limits.options, bot)
    pictures = chain(rules.setup_pictures(setup), repeat(SetupPicture()))
    return tuple(zip(rules.setup_instructions(setup), pictures, strict=False))


def game_frame_key(session: Session, host: Host) -> tuple[Any, ...]:
    """Everything that a game's frame depends on: two equal keys mean two equal frames."""
    return (
        len(session.game.referee.journal.entries),
        session.game.buttons_maybe_down(),
        session.caption,
        session.current_verdict(),
        session.press_notices(),
        host.demo_info(),
        id(host.picture()),
        None if session.guide is None else session.guide.guidance(),
    )


def game_frame(
    session: Session,
    host: Host,
    common: CommonFields,
    phones: tuple[PhoneSeat, ...] = (),
    judge: JudgeState = "",
) -> GameFrame:
    """One moment of a game; `phones`: the chairs that phones hold or ask for."""
    referee = session.game.referee
    guide = None if session.guide is None else session.guide.guidance()
    view = session.view if guide is None or guide.table is None else guide.table
    overlay = common["ui_state"].overlay
    offered = view.paused or overlay in {"wrong", "correct"}
    again = view.paused or overlay in {"assist", "log", "finish"}
    reading = session.history.last_reading() if offered else None
    going = session.history.next_undo() if overlay == "take_back" else None
    return GameFrame(
        **common,
        view=view,
        board=referee.rules.board,
        log=_log_lines(session) if overlay in LOG_OVERLAYS or session.history.is_log_safe else (),
        next_undo=None if going is None else _to_log_line(going, view.game, at=0),
        put_back_steps=referee.undo_instructions(),
        after_undo=referee.headline_after_undo() if overlay == "take_back" else None,
        say=session.caption,
        camera=None if view.dark else host.picture(),
        card_pictures=session.card_pictures,
        demo=host.demo_info(),
        pressed=frozenset(chair for chair, _ in session.game.buttons_maybe_down() if chair is not None),
        notices=(*_phone_notes(phones, view), *session.press_notices()),
        by_phone=tuple(seat for seat in phones if seat.state == "held"),
        can_undo=referee.find_undoable() is not None,
        undo_closed=overlay in {"take_back", "correct"} and referee.settled,
        correction_closed=overlay == "correct" and session.history.is_correction_closed(),
        can_redo=referee.find_redoable() is not None,
        last_reading=None
        if reading is None
        else ReadingView(reading.seq, reading.sentence, reading.choices, reading.chance, reading.by),
        current_verdict=session.current_verdict(),
        exhibit=session.history.exhibit(),
        finishes=session.history.finishes() if again else (),
        allowed_actions=_allowed_actions(session, guide) if overlay == "may" else (),
        section=rulebook_section(view.game, view.phase),
        guide=guide,
        by_keys=host.needs_keyboard(),
        judge=judge,
    )


def _allowed_actions(session: Session, guide: Guidance | None) -> tuple[AllowedActions, ...]:
    """What everybody may do; in practice, for the person, only what the hand allows."""
    rules, state = session.game.referee.rules, session.game.referee.state
    found = allowed_actions(rules, state)
    if guide is None or not guide.possible:
        return found
    own = dict.fromkeys(
        Sentence("lesson.practice.touch") if action.verb == guide.touch_verb else rules.label(state, action)
        for action in guide.possible
    )
    return tuple(
        structs.replace(one, choices=tuple(own)) if one.chair == guide.chair else one for one in found
    )


def _phone_notes(phones: tuple[PhoneSeat, ...], view: View) -> Iterator[tuple[Chair, Sentence]]:
    """What the panels of these chairs say where nothing can be chosen there."""
    choosing = {chair.chair for chair in view.chairs if chair.choices}
    for seat in phones:
        if seat.chair not in choosing and (seat.state == "asks" or not seat.awake):
            yield seat.chair, Sentence(f"ui.phones.{'asks' if seat.state == 'asks' else 'asleep'}")


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
        board=referee.rules.board,
        log=_log_lines(session, whole=True),
        exhibit=session.history.exhibit(),
        finishes=session.history.finishes(),
        moments=session.history.moments() if common["ui_state"].overlay == "timeline" else (),
    )


def most_pressing_trouble(session: Session, now: Micros) -> Sentence | None:
    """What a game has to tell its table besides its rulings, the most pressing first."""
    if session.game.failed:
        return Sentence("shared.part.judging")
    if session.storage_alarm is not None:
        return session.storage_alarm
    if (notice := session.table_notice(now)) is not None:
        return notice
    if session.unread_place is not None:
        place = session.unread_place.partition(":")[2]
        return Sentence("shared.unread", (("slot", place),) if place else ())
    disturbed = session.game.buttons.debouncer.disturbed
    if disturbed is not None and now - disturbed[1] < DISTURBED_FOR:
        return Sentence("ui.disturbed")
    stuck = session.game.stuck_button(now)
    if stuck is not None:
        return Sentence("shared.stuck", (("chair", stuck[0]),) if stuck[0] is not None else ())
    return next((said for _, said in session.press_notices() if said.key == NOT_IN_GAME), None)


def _log_lines(session: Session, *, whole: bool = False) -> tuple[HistoryLine, ...]:
    referee, history = session.game.referee, session.history
    found, entries = history.all_lines if whole else history.recent_lines, referee.journal.entries

    def build() -> tuple[HistoryLine, ...]:
        return tuple(_to_log_line(line, referee.rules.name, entries[line.seq].cause.at) for line in found())

    return history.look_up_once(f"lines {whole}", build)


def _to_log_line(line: RulingLine, game: str, at: Micros) -> HistoryLine:
    where = rulebook_section(game, line.why)
    return HistoryLine(line.seq, line.sentence, line.why, line.taken_back, where, line.chance, line.by, at)
