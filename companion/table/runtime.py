"""What all parts of a program share: clock, inbox, voice, languages, window, and the loop that runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import attrgetter
from queue import Empty
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol

from companion.core.actions import PALETTE, Micros
from companion.core.camera_tasks import CameraTasks
from companion.core.clock import Clock, ManualClock
from companion.core.observations import ShutdownRequested
from companion.language.language import Language
from companion.language.voice.voice import Voice
from companion.language.voice.voice_pack import VoicePackError, open_voice_pack
from companion.referee.loop import Inbox
from companion.settings.model import Settings
from companion.system.appliance import Appliance
from companion.system.fault_isolation import FaultIsolation
from companion.system.machine import Machine
from companion.table.host import Games, GuestHost, PageProcess
from companion.table.remote.club_link import TableClub
from companion.table.remote.phone_seats import TablePhones
from companion.table.remote.public_view import Outlet
from companion.table.session import Session
from companion.ui import commands as do
from companion.ui.frame import GameDraft, UiState
from companion.ui.pages.base import PageResources
from companion.ui.toolkit.window import Window, max_drawing_size

if TYPE_CHECKING:
    from pathlib import Path

    from companion.camera.task_runner import MakeSimulatedCamera
    from companion.table.button_learning import ButtonLearning  # its devices are opened late

TOUCH_POLL_INTERVAL: Micros = 4_000
"""How often the glass is asked for input while presses race: a key or touch is stamped when it is taken."""


CAPTION = "Table companion"
"""What a window is called."""


class StartOptions(NamedTuple):
    """What a table begins with, and what stands in for parts of it."""

    page: str = "home"
    game: str = ""
    """Set up first."""
    command: do.Command | None = None
    """Carried out at once."""
    go_on: bool = False
    """An interrupted game is continued at once."""
    unrestored: tuple[Path, ...] = ()
    """Recovery logs from which not everything could be restored just before."""
    camera: MakeSimulatedCamera | None = None
    """Opens another camera than the settings name: a simulated table."""
    watched: str = ""
    """The file of a deck that is watched for in place of a game's."""
    drawn: bool = False
    """In lessons a drawn table stands in for the camera."""
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """Those of a lesson's file."""


def build_window(settings: Settings, caption: str) -> Window:
    """Not opened yet; where no size is set it follows the display."""
    screen = settings.screen
    return Window(
        screen.size,
        fullscreen=screen.fullscreen,
        native="screen.size" not in settings.origins,
        most=max_drawing_size(Machine().pi_generation()),
        caption=caption,
    )


SCREEN_SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "language": "table.language",
        "level": "table.level",
        "volume": "sound.volume",
        "mute": "sound.mute",
        "sound_output": "sound.device",
        "voice_pack": "sound.voice_pack",
        "slow": "sound.slow",
        "verbosity": "sound.verbosity",
        "brightness": "screen.brightness",
        "large": "screen.large_text",
        "calm": "screen.calm",
        "first_chair": "screen.first_chair",
        "mirrored": "screen.mirrored",
    }
)
"""What may be set on the screen, by its field of `UiState`, and which setting that is."""


class Runtime:
    """Made before anything else; a guest at a table gets the table's own."""

    def __init__(
        self,
        clock: Clock,
        inbox: Inbox,
        voice: Voice,
        *,
        words: Callable[[str], Language] = Language,
        parts: FaultIsolation | None = None,
    ) -> None:
        """`words` makes a language of its code, in the table's colours."""
        self.clock = clock
        self.inbox = inbox
        self.voice = voice
        self.words = words
        self.parts = parts or FaultIsolation()

    def wake_loop(self) -> None:
        """Have the loop look round; any thread may say so."""
        self.inbox.put(None)

    def request_stop(self) -> None:
        """Have the program end in order; any thread, and a signal, may say so."""
        self.inbox.put(ShutdownRequested(at=self.clock.now()))

    def follow_screen(self, before: UiState, now: UiState) -> None:
        """Something was set on the screen: the voice follows at once."""
        if now.language != before.language:
            self.voice.set_language(self.words(now.language))
        if now.sound_output != before.sound_output:
            self.voice.use_device(now.sound_output)
        if now.voice_pack != before.voice_pack:
            with suppress(VoicePackError):  # who chooses it hears that nothing changed
                self.voice.set_pack(open_voice_pack(now.voice_pack) if now.voice_pack else None)
        self.voice.set_pace(slow=now.slow)
        if now.verbosity != before.verbosity:
            self.voice.set_verbosity(now.verbosity)
        self.voice.set_volume(now.volume, mute=now.mute)


class AppParts(NamedTuple):
    """The parts round a program; what is missing is not to be had there."""

    session: Session | None = None
    """A game that runs already."""
    again: do.StartPractice | None = None
    """Opens another of the kind of `session`."""
    games: Games | None = None
    demo: Callable[[str], GuestHost] | None = None
    """Opens a game of simulated people, to be watched."""
    practice: Callable[[do.StartPractice], GuestHost] | None = None
    """Opens a game alone against simulated people."""
    camera_tasks: CameraTasks | None = None
    button_learning: ButtonLearning | None = None
    appliance: Appliance | None = None
    door: Outlet | None = None
    """Where other processes read along."""
    phones: TablePhones | None = None
    """The chairs that phones hold by it."""
    runner: PageProcess | None = None
    """Starts the page that phones come by."""
    club: TableClub | None = None
    """What the uplink is told and says."""


class LoopBody(Protocol):
    """What goes on in rounds."""

    @property
    def quit_requested(self) -> bool:
        """Whether somebody left it."""

    def run_once(self) -> None:
        """One round: take input, act, draw."""

    def next_due(self) -> Micros | None:
        """When the next round is worth it, if nothing is reported before."""


def run_loop(body: LoopBody, clock: Clock, inbox: Inbox, *, over: Callable[[], bool] = bool) -> None:
    """Rounds until somebody leaves or `over` says so; it is asked after every round.

    Between two rounds it sleeps in the inbox until something is reported or due. A clock that is moved by
    hand stands still in a round, and goes on to what is due next.
    """
    while not body.quit_requested:
        body.run_once()
        if over():
            return
        if isinstance(clock, ManualClock):
            clock.move_to(max(body.next_due() or 0, clock.now() + 1))
        else:
            wait_for_report(inbox, clock, body.next_due())


def wait_for_report(inbox: Inbox, clock: Clock, due: Micros | None) -> None:
    """Sleep until something is reported or due."""
    timeout = None if due is None else clock.seconds_until(due)
    if timeout is not None and timeout <= 0:
        return
    with suppress(Empty):
        if (seen := inbox.get(timeout=timeout)) is not None:
            inbox.put(seen)  # at its end: what was sensed is ordered by stamp, not by its place in here


def language_factory(
    settings: Settings, own: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Callable[[str], Language]:
    """Makes a language by its code, with this table's colours; `own` adds words to the catalogue's."""
    colours = chair_colours(settings)
    return lambda code: Language(code, colours, own=own)


def build_page_resources(settings: Settings, words: Callable[[str], Language]) -> PageResources:
    """What all pages draw with."""
    return PageResources(settings.screen.size, words, settings.buttons.keys)


def initial_ui_state(settings: Settings, game: str = "", *, chosen: bool = False) -> UiState:
    """The state of the screen at the start, from the settings; `game` is the one that is set up.

    `chosen`: whether somebody named it.
    """
    kept = {field: attrgetter(setting)(settings) for field, setting in SCREEN_SETTINGS.items()}
    return UiState(**kept, draft=GameDraft(game=game, chosen=chosen))


def chair_colours(settings: Settings) -> tuple[str, ...]:
    """Every chair's colour, chair 1 first; whose usual colour was chosen for another has a free one."""
    chosen = settings.table.colours
    usual = PALETTE[len(chosen) :]
    free = iter(colour for colour in PALETTE[: len(chosen)] if colour not in chosen)
    return (*chosen, *(next(free) if colour in chosen else colour for colour in usual))
