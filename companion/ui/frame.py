"""Immutable snapshots of everything that a page may show, with what people set at the screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec.structs import replace

from companion.core.actions import PALETTE, Chair, Micros, Options, Value
from companion.core.camera_tasks import CameraPageInput
from companion.core.exhibits import Exhibit, PhotoFinish, RecapMoment
from companion.core.game import Cover, Preset
from companion.core.view import Board, Guidance, Sentence, SetupPicture, View
from companion.system.appliance import MachineStatus
from companion.ui.commands import Command, CorrectedValue

HELP_LEVELS = ("teach", "assisted", "referee", "tournament")
"""The ramp: how much help a table gets."""


class GameDraft(Value, frozen=True):
    """A game that is being set up."""

    game: str = ""
    """Empty until one was chosen."""
    chairs: tuple[Chair, ...] = ()
    """Who joined, clockwise."""
    names: tuple[tuple[Chair, str], ...] = ()
    bot: bool = False
    """Whether a deck is dealt that nobody holds."""
    options: Options | None = None
    """None: the game's defaults, until somebody changes one."""
    box: str = ""
    """The owner's box that was taken from the cupboard, as in `Preset.file`; empty: none, or one of ours."""
    last: tuple[Chair, ...] = ()
    """Who sat here last time."""
    here: tuple[Chair, ...] = ()
    """Who has pressed since then."""
    chosen: bool = False
    """Whether somebody chose the game since the last one began."""

    @property
    def is_again(self) -> bool:
        """Whether the same people sit there as last time, and nobody has pressed yet."""
        return bool(self.last) and self.chairs == self.last and not self.here

    @property
    def is_settled(self) -> bool:
        """Whether a hold begins the game: it was chosen, or is the last one again.

        Else a hold asks which one, for who has but a button cannot touch a cover.
        """
        return self.chosen or self.is_again


class UiState(Value, frozen=True):
    """One moment of the glass."""

    overlay: str = ""
    """What lies over the page; empty: nothing."""
    focus: str = ""
    """Key of the target that ok would activate."""
    typed: str = ""
    """A text or a choice half made."""
    about: int = -1
    """What the overlay is about: an entry's seq, a chair, a slot."""
    scroll: int = 0
    begun: tuple[Chair, Micros] | None = None
    """Whose press began to choose an answer, and on which card: since when that is shown."""
    leaving: tuple[Chair, ...] = ()
    """Whose button went down while they were in: who lets go before it is a hold gets up."""
    held: tuple[tuple[int, tuple[Command, ...]], ...] = ()
    """Finger → what happens when it lifts."""
    declared: tuple[tuple[str, str | int], ...] = ()
    """The table as it is being declared for a repair."""
    draft: GameDraft = GameDraft()
    language: str = "en"
    volume: int = 80
    mute: bool = False
    voice_pack: str = ""
    """The folder of the voice that was chosen; empty: the built clips."""
    sound_output: str = ""
    """The sound output that was chosen; empty: the table chose."""
    brightness: int = 100
    level: str = "referee"
    """Step of the ramp: teach, assisted, referee, tournament."""
    large: bool = False
    """Letters as large as their place allows."""
    slow: bool = False
    """Sentences take their time."""
    verbosity: Literal["little", "normal", "all"] = "normal"
    """How much of what happens is said."""
    calm: bool = False
    """Nothing moves that need not."""
    first_chair: int = 1
    """Who sits next to the screen on its left, as people count chairs."""
    mirrored: bool = False
    """Whether the chairs go round the screen the other way."""
    seen: Micros = -1
    """The verdict from then, and all before, were put away by hand."""
    camera: bool = False
    """Whether a demo shows the camera's picture large, and the stage small."""
    aloud: bool = False
    """Whether what the buttons mark is read aloud, until somebody touches the screen."""
    buttons: bool = False
    """Whether back, next or OK of the table were used last: what they do is shown then."""

    def without_overlay(self) -> UiState:
        """The glass with everything folded away."""
        return replace(
            self, overlay="", focus="", typed="", about=-1, scroll=0, begun=None, leaving=(), declared=()
        )


class PhoneSeat(Value, frozen=True):
    """One chair, and whether a phone holds it or asks for it."""

    chair: Chair
    state: Literal["free", "asks", "held"] = "free"
    awake: bool = True
    fit: bool = True
    """Whether its presses can be placed finely enough for races."""


class PhoneTable(Value, frozen=True):
    """Whether phones may join, and how."""

    seats: tuple[PhoneSeat, ...] = ()
    is_open: bool = False
    address: str = ""
    """Host and port that a phone types; empty: none is known."""
    name: str = ""
    """What the table is called; empty: it has no name of its own."""
    pin: str = ""
    code: tuple[str, ...] = ()
    """The modules of the QR code, a row of `0` and `1` each; empty once all chairs are taken."""
    full: bool = False
    trouble: Sentence | None = None
    """Why there is no page."""
    firewall_remedy: str = ""
    """The command that lets phones in past this machine's firewall; empty: none is known to stand there."""
    owner: str = ""
    """The owner's PIN; empty: the owner's pages are not to be had."""


class HistoryLine(Value, frozen=True):
    """One ruling as it may be shown now."""

    seq: int
    sentence: Sentence
    why: str = ""
    """Key of the rule it follows from; the text is `<game>.why.<key>`."""
    retracted: bool = False
    section: tuple[str, str] = ("", "")
    """Where the rulebook states it: `page` or `heading`, and which."""
    chance: float | None = None
    """Probability, 0 to 1, that the camera's reading behind it is right, if there was one."""
    by: Chair | None = None
    """Whose choice it was, where the sentence itself does not name them."""
    at: Micros = 0
    """When it was ruled, in game time."""


class ReadingView(Value, frozen=True):
    """The last cause that players may correct, and what they can choose instead of it."""

    seq: int
    sentence: Sentence
    choices: tuple[tuple[Sentence, CorrectedValue], ...] = ()
    chance: float | None = None
    """Probability, 0 to 1, that it is right, if the camera read it."""
    by: Chair | None = None
    """Whose choice it was, where the sentence itself does not name them."""


class AllowedActions(Value, frozen=True):
    """What one player may do now: a row of the overlay that says it for everybody."""

    chair: Chair
    choices: tuple[Sentence, ...] = ()
    """The labels of the legal actions."""


SPEEDS = (0.5, 1.0, 2.0, 4.0)
"""Of a demo, in game seconds per real second."""


class DemoInfo(Value, frozen=True):
    """The state of a demo."""

    speed: float = 1.0
    paused: bool = False
    caption: Sentence | None = None
    told: int = 0
    """How many of the `steps` of its story were told."""
    steps: int = 0
    seized: frozenset[Chair] = frozenset()
    """Whose chair a person plays."""
    has_camera: bool = True
    """False in a game that has nothing to read."""

    @property
    def next_speed(self) -> float:
        """The next of the speeds; after the last the first."""
        return next((speed for speed in SPEEDS if speed > self.speed), SPEEDS[0])


class StoredGame(Value, frozen=True):
    """One line of the list of games."""

    game_id: str
    game: str
    when: str
    """The date as displayed."""
    chairs: tuple[Chair, ...]
    winners: tuple[Chair, ...] = ()
    finished: bool = False
    closed: bool = False
    """Whether it cannot be opened: damaged, or written by a newer version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFrame:
    """The part of a snapshot that every page needs."""

    ui_state: UiState
    names: Mapping[Chair, str] = field(default_factory=dict)
    colours: tuple[str, ...] = PALETTE
    trouble: Sentence | None = None
    """A permanent warning, e.g. that the camera or the storage was lost."""
    joinable: bool = False
    """Whether phones can be let in here."""

    @property
    def numbers_chairs(self) -> bool:
        """Whether a chair's sign bears its number."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class PhonesFrame(PageFrame):
    """The page on which phones are let in."""

    phones: PhoneTable = field(default_factory=PhoneTable)
    playing: bool = False
    """Whether there is a game to go back to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFrame(PageFrame):
    """A game in progress, or finished and not yet recapped."""

    view: View
    board: Board = field(default_factory=Board)
    """How this game wants to be drawn."""
    log: tuple[HistoryLine, ...] = ()
    """Oldest first."""
    next_undo: HistoryLine | None = None
    """The ruling that an undo would take back."""
    put_back_steps: tuple[Sentence, ...] = ()
    """What the players would have to put back on the table after an undo."""
    after_undo: Sentence | None = None
    """What the headline will be after an undo; None if it would name a card that is hidden now."""
    say: Sentence | None = None
    """The sentence being spoken, shown as a caption."""
    camera: Any = field(default=None, compare=False)
    """The newest picture: uint8 array, height × width × 3, BGR; or None."""
    card_pictures: Mapping[tuple[str, str], Any] = field(default_factory=dict, compare=False)
    """The camera's own pictures of cards that may have to be checked, by region and card; as `camera`."""
    demo: DemoInfo | None = None
    pressed: frozenset[Chair] = frozenset()
    """Chairs whose button is down and not yet judged."""
    notices: tuple[tuple[Chair, Sentence], ...] = ()
    """Messages for single chairs about a press that was late or had no effect."""
    by_phone: tuple[PhoneSeat, ...] = ()
    """The chairs that phones hold."""
    can_undo: bool = False
    undo_closed: bool = False
    """Whether undo is impossible because something hidden has been announced since."""
    correction_closed: bool = False
    """Whether there was a reading, and to correct it would tell a card that lies covered."""
    can_redo: bool = False
    last_reading: ReadingView | None = None
    current_verdict: tuple[Sentence, Micros] | None = None
    """The verdict that fills the screen for a moment, and when it was given; None at all other times."""
    exhibit: Exhibit | None = None
    """The page shown in place of the table, if any."""
    finishes: tuple[PhotoFinish, ...] = ()
    """Photo finishes of this game that can be looked at again, oldest first."""
    allowed_actions: tuple[AllowedActions, ...] = ()
    """Everybody's legal actions, if a player asked for them."""
    section: tuple[str, str] = ("", "")
    """Where the rulebook describes the current phase: `page` or `heading`, and which."""
    guide: Guidance | None = None
    """The lesson's instruction, if this is a lesson."""
    by_keys: bool = False
    """Whether keys take the place of buttons, so that a lesson names the key."""
    judge: JudgeState = ""

    @property
    def numbers_chairs(self) -> bool:
        """In a lesson numbers are those of cards and places: a chair is told by shape and colour."""
        return self.guide is None or not self.guide.is_lesson


class LessonOffer(Value, frozen=True):
    """A lesson that is offered."""

    lesson: str
    """Its name: game and mode."""
    title: str
    """Catalogue key of its title."""
    players: int
    minutes: int = 0
    """About how long it takes; 0: not told."""
    done: bool = False
    """Whether somebody at this table went through it."""


JudgeState = Literal["", "free", "wanted"]
"""Whether a judge can be asked for: there is no club, there is, and one is wanted already."""


class ClubAssignment(Value, frozen=True):
    """What a club's desk wants played at this table next."""

    game: str
    """A game's name in the program; empty: any."""
    round: int
    players: tuple[str, ...] = ()
    """Nicknames."""


class GameOffer(Value, frozen=True):
    """A game that can be played here."""

    game: str
    least: int
    most: int
    tables: tuple[tuple[int, bool], ...] = ()
    """All table sizes: number of players, and whether a BOT deck is dealt."""
    lessons: tuple[LessonOffer, ...] = ()
    """Its lessons, if the page lists them."""
    taught: bool = False
    """Whether it has lessons."""
    practised: bool = True
    """Whether it can be practised against simulated opponents."""
    watched: bool = True
    """Whether it has a demo with simulated players."""
    boxed: bool = False
    """Whether its house rules lie in the cupboard, in boxes."""
    cover: Cover = Cover()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFrame(PageFrame):
    """Where people sit down, and what is to be done and seen while no game is on the table."""

    is_setup: bool = False
    """Whether one game is set up, which is chosen already."""
    options: Options | None = None
    """House rules of the chosen game, from the settings."""
    steps: tuple[tuple[Sentence, SetupPicture], ...] = ()
    """How the table is made ready for the people who sat down: the words, and the picture."""
    presets: tuple[Preset, ...] = ()
    """The boxes of the game's cupboard."""
    broken_presets: tuple[Sentence, ...] = ()
    """What cannot be used of them, and why."""
    has_camera: bool = False
    """Whether a photo of a box can be taken."""
    mixed_sources: bool = False
    """Whether presses come from sources of different time resolution, about which set-up warns."""

    offered: tuple[GameOffer, ...] = ()
    games: tuple[StoredGame, ...] = ()
    """Newest first."""
    doctor: tuple[Sentence, ...] = ()
    """Problems found at start-up, each with its remedy."""
    chairs: int = 8
    """Number of chairs."""
    down: frozenset[Chair] = frozenset()
    """Chairs whose button is down."""
    machine: MachineStatus = field(default_factory=MachineStatus)
    club_assignment: ClubAssignment | None = None
    voices: tuple[tuple[str, str], ...] = ()
    """The voice packs in this language: each folder, and who speaks."""
    outputs: tuple[tuple[str, str], ...] = ()
    """What `sound.device` may be, with how people call it."""
    output: str = ""
    """Which of them plays now."""
    lacks_board_line: bool = False
    """Whether a sound board on a Pi's header would be silent for want of its line in config.txt."""
    learns_buttons: bool = False
    """Whether USB buttons can be learnt here."""

    @property
    def taken_box(self) -> Preset | None:
        """The box of the cupboard that was taken: one of ours if its house rules stand unchanged."""
        draft = self.ui_state.draft
        rules = draft.options or self.options
        boxes = (box for box in self.presets if box.file == draft.box)
        return next((box for box in boxes if box.file or box.options == rules), None)


class ButtonsView(Value, frozen=True):
    """How far the learning of USB buttons is; a button is called as in the settings: `1`, `ok`."""

    asked: str = ""
    """Whose is to be pressed now; empty: it is over."""
    learned: tuple[tuple[str, str], ...] = ()
    """The buttons that were learnt, each with its device."""
    note: Sentence | None = None
    """Why nothing happens, or what went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ButtonsFrame(PageFrame):
    """The page that learns USB buttons."""

    chairs: int
    view: ButtonsView
    down: frozenset[Chair] = frozenset()
    """Chairs whose button is down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapFrame(PageFrame):
    """The recap of a finished game."""

    view: View
    numbers: tuple[tuple[str, str | int], ...] = ()
    """Statistics: name and value, worded by `ui.recap.<name>`."""
    board: Board = field(default_factory=Board)
    log: tuple[HistoryLine, ...] = ()
    """The whole game's, oldest first."""
    exhibit: Exhibit | None = None
    """The last round."""
    finishes: tuple[PhotoFinish, ...] = ()
    moments: tuple[RecapMoment, ...] = ()
    """The time line, once it is asked for."""


def is_window_open(view: View) -> bool:
    """Whether a timed window is announced or running; no overlay may cover the page then."""
    return view.count is not None and (view.cue is not None or view.count.first_beat is not None)


def is_searching(view: View) -> bool:
    """Whether a player is asked to choose among face-down cards."""
    return any(place.marked and place.card.startswith("back:") for place in view.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraPageFrame(PageFrame):
    """Work at the camera, outside any game."""

    camera_input: CameraPageInput

    @property
    def camera(self) -> Any:
        """The newest picture, by which a page knows that there is something new to draw."""
        return self.camera_input.camera
