"""Host of a real table: opens its buttons, lamps, camera, voice."""

import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from msgspec.structs import replace

from companion.camera import CALIBRATION_FILE
from companion.camera.evidence import CameraJob, EvidenceRecorder
from companion.camera.table_reader import TableReader
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.core.actions import SECOND, CameraRequest, Chair, Micros
from companion.core.clock import Clock, is_clock_wrong
from companion.core.observations import CameraLost, HiddenCardsViewed, Observation
from companion.core.switch import ButtonId
from companion.core.view import LampSignal, Sentence
from companion.games import find_broken_games, games_with_mat
from companion.language.voice.installed_voices import list_packs
from companion.language.voice.mixer import has_unchosen_outputs
from companion.referee.journal import SqliteJournal
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.settings.model import Settings
from companion.system.bluetooth import BLUETOOTH_REMEDY, has_bluetooth_loudspeaker
from companion.system.boot_config import find_silent_board, read_boot_config
from companion.system.desktop import DARK_SCREEN, UNTOLD_SCREEN_REMEDY, find_monitors, untold_screens
from companion.system.disk_state import IN_MEMORY, describe_disk_fault, find_file_system
from companion.system.fault_isolation import run_and_log
from companion.system.file_owner import ForeignFile, find_foreign_file
from companion.system.input_list import keyboard_boards
from companion.system.machine import (
    BATTERY_REMEDY,
    CARD_REMEDY,
    LOUDSPEAKER,
    LOW_BATTERY,
    MEMORY_REMEDY,
    OVERDRAWN_USB_REMEDY,
    SILENT_USB_REMEDY,
    TOO_HOT,
    WEBCAM,
    Machine,
    SystemdNotifier,
)
from companion.system.sound_cards import (
    SOUND_SERVERS,
    UNHEARD_REMEDY,
    SoundCard,
    choose_sound_card,
    find_muted_control,
    is_sound_forbidden,
    is_sound_held,
    list_sound_cards,
    mixer_command,
    uses_alsa,
)
from companion.system.sound_server import Sink, choose_sink, find_card_of, is_unheard, parse_sinks, read_sinks
from companion.table.button_learning import ButtonLearning
from companion.table.host import DISTURBED_FOR
from companion.table.runtime import Runtime
from companion.table.session import Guide, Session
from companion.table.trouble_watch import NEWS_TIME, WATCH_INTERVAL, Watch
from companion.ui.frame import DemoInfo
from hardware.buttons import ButtonPanel, PinFactory, open_pin_factory
from hardware.camera import Camera
from hardware.camera_selection import open_camera
from hardware.camera_worker import FROZEN_TIMEOUT, CameraWorker
from hardware.errors import EncoderForbiddenError, HardwareError, NoCameraError, NoSocketError
from hardware.input_devices import FORBIDDEN, has_input_devices
from hardware.lamps import LampPanel
from hardware.pin_table import (
    UNOPENED,
    PinSettingError,
    build_pin_table,
    button_name_of,
    find_header_numbers,
    header_number_error,
)
from hardware.usb_encoder import MANY, RETRY_INTERVAL, JoystickButtons, UsbButtons, open_usb_buttons

log = logging.getLogger(__name__)
RESTS_UP: Micros = 3 * SECOND
"""So long a button that was down at the start has to be up: one on NC is up while it is pressed."""
BLINK_TIME: Micros = 5 * SECOND
"""How long lamps blink where no screen answers."""
LOG_INTERVAL: Micros = 300 * SECOND
"""The same at the kernel's log, which a program has to be asked for."""


class DrawnCamera(Protocol):
    """A drawn table that stands in for the camera."""

    picture: Any

    def look(self, now: Micros) -> None: ...

    def next_due(self) -> Micros: ...


class DrawnCameraFactory(Protocol):
    """Draws the table of a lesson as a camera would see it."""

    def __call__(
        self,
        played: RefereedGame,
        clock: Clock,
        put: Callable[[Observation], None],
        *,
        laid: Callable[[], Mapping[str, tuple[str, ...]]],
    ) -> DrawnCamera: ...


def _stuck_sentence(line: ButtonId) -> Sentence:
    chair, button = line
    return Sentence("shared.pin.down", (("button", button),) if chair is None else (("chair", chair),))


ABSENT = frozenset(f"shared.trouble.{one.on_screen}" for one in (NoCameraError, NoSocketError))
"""There is no camera: no trouble at a table that does without."""


class TableHost:
    """Opens what the table has; a missing part is noted, never fatal."""

    _rounds = 0
    restorable = False
    """Whether the next start can put into the store what is not there of the last game."""
    when_left: Callable[[], None] | None = None
    """Called when people have left a game of their own will, and it is put away."""
    _is_loudspeaker_undriven = False
    _foreign: ForeignFile | None = None
    """Another user's among the table's files."""
    _are_keys_lent = False
    """Whether the page that learns USB buttons has their keys now."""
    _evidence: EvidenceRecorder | None = None
    """Keeps pictures of rulings, where the settings ask for it."""
    _blinks_from: Micros | None = None
    """When all lamps began to blink, for no screen answers."""
    _is_screen_dark: bool | None = None
    """Whether no screen answered when it was looked for last; None: it was not yet."""
    _screen_looked_at: Micros = -WATCH_INTERVAL

    def __init__(
        self,
        settings: Settings,
        shared: Runtime,
        *,
        stopping: Callable[[], bool] = bool,
        camera: MakeSimulatedCamera | None = None,
        drawn: DrawnCameraFactory | None = None,
        machine: Machine | None = None,
    ) -> None:
        """`stopping` says whether the whole machine or program is being switched off.

        `drawn`: in lessons a drawn table stands in for the camera. `machine`: another one in tests.
        """
        self._machine = machine or Machine()
        self.settings = settings
        self.parts = shared.parts
        self.clock = shared.clock
        self.voice = shared.voice
        self._shared = shared
        self._inbox = shared.inbox
        self._drawn = drawn
        self._table: DrawnCamera | None = None
        self._notes = [Sentence("shared.trouble.game", (("game", name),)) for name in find_broken_games()]
        self._pin_notes: list[Sentence] = []
        """What keeps pins from being opened; nobody's trouble where the buttons are on USB."""
        self._encoder_note: Sentence | None = None
        self.is_output_chosen = "sound.device" in settings.origins or not has_unchosen_outputs()
        """Whether somebody chose where people hear, or there is nothing to choose."""
        self.sound_device = settings.sound.device
        """Where people hear now, as the setting of that name."""
        self.is_voice_chosen = "sound.voice_pack" in settings.origins or not any(
            list_packs(settings.table.language, "")
        )
        """Whether somebody chose who speaks, or there is nobody else."""
        self._service = SystemdNotifier(self.clock)
        self._picture: Any = None
        self._stopping = stopping
        self._simulated = camera
        self.saved = True
        """Whether all of the last game is in the store."""
        self._pins: PinFactory | None = None
        """Kept to be closed: it has a thread, and gpiozero one set of pins for all factories of a process."""
        self._buttons: ButtonPanel | None = None
        self._stuck: dict[ButtonId, Micros] = {}
        """Buttons that were down at the start, and when each was seen down last."""
        self._lamps: LampPanel | None = None
        self._notes += self._check_machine()
        self._clock_note = self._check_clock()
        self._watches = (
            Watch(self._find_supply_fault, Sentence("shared.trouble.supply"), self.clock, apart=True),
            Watch(self._find_disk_fault, self._disk_sentence, self.clock),
            Watch(
                self._find_disk_errors,
                Sentence("shared.trouble.card"),
                self.clock,
                apart=True,
                every=LOG_INTERVAL,
            ),
            Watch(
                self._find_silent_usb,
                Sentence("shared.trouble.usb_silent"),
                self.clock,
                apart=True,
                every=LOG_INTERVAL,
            ),
            Watch(self._find_overdrawn_usb, Sentence("shared.trouble.usb_off"), self.clock),
            Watch(self._find_low_battery, Sentence("shared.trouble.battery"), self.clock),
            Watch(self._find_heat, Sentence("shared.trouble.heat"), self.clock),
            Watch(self._find_memory_fault, Sentence("shared.trouble.memory"), self.clock),
            Watch(self._find_slow_webcam, Sentence("shared.trouble.webcam_slow"), self.clock),
            Watch(self._find_unlearnt_board, Sentence("shared.trouble.board"), self.clock),
            Watch(self._find_unheard_card, Sentence("shared.trouble.sound_unheard"), self.clock),
            Watch(
                self._find_unheard_output, Sentence("shared.trouble.sound_unheard"), self.clock, apart=True
            ),
            Watch(self._find_silent_bluetooth, Sentence("shared.trouble.sound_bluetooth"), self.clock),
            Watch(self._find_muted_output, Sentence("shared.trouble.sound_muted"), self.clock, apart=True),
        )
        self.joysticks = None if has_input_devices() else self._build_joysticks()
        """USB buttons that the window reads, where the kernel gives none."""
        self._looked_for_encoder = self.clock.now()
        self._encoder = self.parts.run("encoder", self._open_encoder, None)
        self._are_buttons_on_usb = self._find_buttons_on_usb()
        self.parts.run("buttons", self._open_pins, None)
        self.button_learning: ButtonLearning | None = None
        """None where the kernel gives no keys to learn."""
        if has_input_devices():
            self.button_learning = ButtonLearning(
                settings.table.chairs, self.clock, release=self._lend_keys, use=self._use_usb_buttons
            )
        self._reader = TableReader(self.clock, settings.store_folder())
        self.camera_tasks = CameraTaskRunner(settings.store_folder(), say=lambda said: self.voice.say([said]))
        self._worker: CameraWorker | None = None
        self._open_camera()

    def _check_machine(self) -> Iterator[Sentence]:
        """What people are told of the machine itself: a screen without its name, parts without a driver.

        And that settings with a mistake count for nothing.
        """
        if self.settings.mistake:
            log.warning("The settings have a mistake, so none of them counts: %s", self.settings.mistake)
            yield Sentence("shared.trouble.settings")
        if self._machine.is_pi() and (sockets := untold_screens(self._machine.root)):
            named = " and ".join(sockets)
            log.warning("The screen at %s does not tell what it is: %s.", named, UNTOLD_SCREEN_REMEDY)
            yield Sentence("shared.trouble.screen_untold")
        if not self.settings.sound.device and (board := find_silent_board(self._machine)):
            line = f"dtoverlay={board}"
            log.warning("No sound card came up of %s: is it the line of your board? doctor says more.", line)
            yield Sentence("shared.trouble.sound_board", (("line", line),))
        config = read_boot_config(self._machine)
        if config is not None and config.misplaced is not None:
            section, line = config.misplaced
            log.warning(
                "config.txt has %s under %s, which does not count here: write it under [all].", line, section
            )
            yield Sentence("shared.trouble.config_section", (("line", line), ("section", section)))
        folder = self.settings.store_folder(self._machine.environ)
        if self._machine.is_pi() and find_file_system(self._machine, folder) in IN_MEMORY:
            log.warning("The Pi forgets its games when it is switched off: companion doctor says what to do.")
            yield Sentence("shared.trouble.forgets")
        for kind in (WEBCAM, LOUDSPEAKER):
            if part := self._machine.find_undriven_usb(kind):
                log.warning("%s has no driver, as after an update of the system: restart.", part)
                self._is_loudspeaker_undriven |= kind == LOUDSPEAKER
                yield Sentence("shared.trouble.no_driver", (("part", part),))

    def _find_supply_fault(self) -> str:
        if not self._machine.had_under_voltage():
            return ""
        return "The Pi's power supply gives, or gave, too little: use the maker's own, and less on USB."

    def _find_slow_webcam(self) -> str:
        name = self._machine.find_slow_webcam()
        return f"The webcam ({name}) came up as slow as USB 1: {SILENT_USB_REMEDY}." if name else ""

    def _find_unlearnt_board(self) -> str:
        """A board that types as a keyboard and is no button yet, where nothing else on USB is one."""
        boards = () if self.settings.buttons.learned or self._encoder else keyboard_boards(self._machine)
        if not boards:
            return ""
        return f"{boards[0]} types as a keyboard: teach its keys, in Settings, USB buttons."

    def _find_silent_bluetooth(self) -> str:
        """Something that may be a loudspeaker, where the card that plays need not be anybody's."""
        machine = self._machine
        card = choose_sound_card(list_sound_cards(machine.root), self.sound_device)
        is_served = not uses_alsa(machine.environ, machine.root, machine.platform)
        is_chosen = bool(self.sound_device) or (card is not None and card.kind == "usb")
        if is_served or is_chosen or self.settings.sound.mute or not has_bluetooth_loudspeaker(machine):
            return ""
        return f"Something is connected by Bluetooth: {BLUETOOTH_REMEDY}."

    def _find_disk_fault(self) -> str:
        self._foreign = find_foreign_file(self.settings.store_folder(self._machine.environ))
        fault = describe_disk_fault(self.settings.store_file())
        return f"Games can't be kept: {fault}; companion doctor tells what to do." if fault else ""

    def _disk_sentence(self) -> Sentence:
        if (foreign := self._foreign) is None:
            return Sentence("shared.trouble.storage")
        return Sentence("shared.trouble.owner", (("owner", foreign.owner), ("command", foreign.command)))

    def _find_disk_errors(self) -> str:
        failing = self._machine.find_disk_errors() if self._machine.is_pi() else ""
        return f"The kernel's log has errors of {failing}: {CARD_REMEDY}." if failing else ""

    def _find_silent_usb(self) -> str:
        socket = self._machine.find_silent_usb() if self._machine.is_pi() else ""
        return f"USB {socket} does not answer: {SILENT_USB_REMEDY}." if socket else ""

    def _find_overdrawn_usb(self) -> str:
        socket = self._machine.find_overdrawn_usb() if self._machine.is_pi() else ""
        return f"A USB socket was switched off ({socket}): {OVERDRAWN_USB_REMEDY}." if socket else ""

    def _find_low_battery(self) -> str:
        left = self._machine.find_battery()
        is_low = left is not None and left <= LOW_BATTERY
        return f"The battery is low, {left} % are left: {BATTERY_REMEDY}." if is_low else ""

    def _find_heat(self) -> str:
        if self._machine.read_heat() < TOO_HOT:
            return ""
        return f"The Pi is hotter than {TOO_HOT} °C and slows down: give it a fan, and its box openings."

    def _find_memory_fault(self) -> str:
        short = self._machine.find_memory_fault() if self._machine.is_pi() else ""
        return f"The Pi is short of memory ({short}): {MEMORY_REMEDY}." if short else ""

    def _find_card(self) -> SoundCard | None:
        """The sound card that this program opened itself and plays on; None: there is none."""
        if self.voice.silence_reason or self.settings.sound.mute:
            return None
        machine = self._machine
        if not uses_alsa(machine.environ, machine.root, machine.platform):
            return None
        return choose_sound_card(list_sound_cards(machine.root), self.sound_device)

    def _find_unheard_card(self) -> str:
        card = self._find_card()
        return "" if card is None or card.heard else f"Nothing is heard on {card.unheard}: {UNHEARD_REMEDY}."

    def _find_output(self) -> tuple[Sink | None, SoundCard | None]:
        """Where a desktop plays, and the card behind that, as far as both are known."""
        machine, is_silent = self._machine, bool(self.voice.silence_reason) or self.settings.sound.mute
        if is_silent or uses_alsa(machine.environ, machine.root, machine.platform):
            return None, None
        sink = choose_sink(parse_sinks(read_sinks(machine.output)), self.sound_device)
        return sink, None if sink is None else find_card_of(sink, list_sound_cards(machine.root))

    def _find_unheard_output(self) -> str:
        """As `_find_unheard_card`, of a desktop's output."""
        sink, card = self._find_output()
        if sink is None or not is_unheard(sink, card):
            return ""
        return f"Nothing is heard on {sink.description}: {UNHEARD_REMEDY}."

    def _find_muted_output(self) -> str:
        """What is muted, or turned down: on the desktop, or in the mixer of the card that plays."""
        sink, behind = self._find_output()
        if sink is not None and sink.is_muted:
            return f"{sink.description} is muted, or turned down, on the desktop: turn it up there."
        card = behind or self._find_card()
        muted = None if card is None else find_muted_control(self._machine.output(*mixer_command(card.id)))
        return "" if card is None or muted is None else f"{muted.describe(card)}: {muted.remedy(card.id)}."

    def _check_clock(self) -> Sentence | None:
        """That the wall clock is wrong; people are told until a network tells the time."""
        now = self._machine.wall_time()
        if not is_clock_wrong(now):
            return None
        log.warning("The clock says %s: companion doctor tells how to set it.", now)
        return Sentence("shared.trouble.clock", (("date", now[:10]),))

    # Opening ----------------------------------------------------------------------------------------------

    def _open_pins(self) -> None:
        """What opens is kept; of the rest people are told, unless nobody need have wired it.

        So it is on a computer without pins, and where the buttons are on USB.
        """
        chosen = self.settings.buttons
        try:
            pins = build_pin_table(chosen.pins, chosen.lamps, chairs=self.settings.table.chairs)
        except PinSettingError as trouble:
            log.warning("%s (%s)", trouble, UNOPENED)
            self._notes.append(trouble.screen_sentence())
            return
        if meant := find_header_numbers(chosen.pins, chosen.lamps):
            log.warning("%s", header_number_error(meant))
            self._notes.append(header_number_error(meant).screen_sentence())
        try:
            factory = self._pins = open_pin_factory(chosen.chip)
        except HardwareError as trouble:
            if self._machine.is_pi() and not self._are_buttons_on_usb:
                log.warning("No buttons on pins: %s", trouble)
            else:
                log.info("No buttons on pins: %s", trouble)
            if self._machine.is_pi():
                self._pin_notes.append(Sentence("shared.trouble.pins"))
            return
        failures: list[HardwareError] = []
        try:
            self._buttons = ButtonPanel(factory, pins, self.clock, self._inbox.put)
            self._buttons.leave_reading(self._shared.wake_loop)
            self._lamps = LampPanel(factory, pins)
        except HardwareError as trouble:
            failures.append(trouble)
        if self._buttons is not None:
            down = (line for line, is_down in self._buttons.read_levels().items() if is_down)
            self._stuck = dict.fromkeys(down, self.clock.now())
        for chair, button in self._stuck:
            log.warning(
                "The button %s is down: let it go; if nobody holds it, its wires are on NC, or touch.",
                button_name_of((chair, button)),
            )
        for panel in (self._buttons, self._lamps):
            failures += () if panel is None else panel.failures
        for failure in failures:
            log.log(logging.INFO if self._are_buttons_on_usb else logging.WARNING, "%s", failure)
            self._pin_notes.append(failure.screen_sentence())

    def _look_at_stuck_buttons(self) -> None:
        """One that rests up for longer than anybody presses it is all right."""
        now = self.clock.now()
        for line, seen_down in tuple(self._stuck.items()):
            # Game time starts again with each game: then that lies ahead.
            if self._buttons is None or self._buttons.read_level(*line) or seen_down > now:
                self._stuck[line] = now
            elif now - seen_down >= RESTS_UP:
                del self._stuck[line]

    def is_stuck(self, chair: Chair | None, button: str) -> bool:
        return (chair, button) in self._stuck

    def _build_joysticks(self) -> JoystickButtons:
        chosen = self.settings.buttons
        return JoystickButtons(chosen.usb, chosen.learned, self.clock, self._inbox.put)

    def _open_encoder(self) -> UsbButtons | None:
        chosen, put = self.settings.buttons, self._inbox.put
        before, self._encoder_note = self._encoder_note, None
        if self.joysticks is not None:
            return None
        try:
            buttons = open_usb_buttons(
                chosen.usb_device, chosen.usb, chosen.learned, clock=self.clock, put=put, post=put
            )
        except HardwareError as trouble:
            if chosen.usb_device or isinstance(trouble, EncoderForbiddenError):
                self._encoder_note = trouble.screen_sentence()
                if self._encoder_note != before:
                    log.warning("%s", trouble)
            return None
        if buttons.is_forbidden:
            log.warning("%s", FORBIDDEN)
        if buttons.is_one_of_many:
            self._encoder_note = Sentence("shared.trouble.encoders")
            if self._encoder_note != before:
                log.warning("%s", MANY)
        return buttons

    def _look_for_encoder(self) -> None:
        """A hub may wake, or people may plug in, after the table has started."""
        now = self.clock.now()
        # Game time starts again with each game: then the last look lies ahead.
        if 0 <= now - self._looked_for_encoder < RETRY_INTERVAL:
            return
        self._looked_for_encoder = now
        if self._machine.joysticks():
            self._use_usb_buttons(None)

    def _find_buttons_on_usb(self) -> bool:
        """As `ButtonSettings.are_on_usb`; an encoder that may not be read is one, too."""
        has_encoder = self._encoder is not None or self._encoder_note is not None
        return self.settings.buttons.are_on_usb(has_encoder=has_encoder)

    def _lend_keys(self) -> None:
        """USB buttons are being learnt: until then their keys are no buttons."""
        encoder, self._encoder, self._are_keys_lent = self._encoder, None, True
        if encoder is not None:
            encoder.close()

    def _use_usb_buttons(self, learned: Mapping[str, str] | None) -> None:
        """Open USB buttons again: as they were, or those that were learnt."""
        self._are_keys_lent = False
        if learned is not None:
            buttons = replace(self.settings.buttons, learned=dict(learned))
            self.settings = replace(self.settings, buttons=buttons)
        self._encoder = self.parts.run("encoder", self._open_encoder, None)
        self._are_buttons_on_usb = self._find_buttons_on_usb()

    def _open_camera(self) -> None:
        camera = self.settings.camera
        if camera.kind == "none" and self._simulated is None:
            # Said once a game begins: cards are entered by hand from the first one on.
            self._inbox.put(CameraLost(at=self.clock.now(), reason="none"))
            return

        def open_device() -> Camera:
            if self._simulated is not None:
                return self._simulated(self.clock, self.camera_tasks)
            lock = self.camera_tasks.camera_lock()
            return open_camera(camera.kind, camera.device, self.clock, size=camera.size, lock=lock)

        self._worker = self.camera_tasks.worker = CameraWorker(
            open_device,
            self._process_picture,
            self._inbox.put,
            self.clock,
            frozen_after=None if self._simulated is not None or camera.kind == "folder" else FROZEN_TIMEOUT,
        )
        # Started by `tick`, after the first frame: loading camera and OpenCV would keep the screen dark.

    def _process_picture(self, image: Any, at: Micros) -> Iterable[Observation]:
        """A picture, for what has the camera now."""
        return self.camera_tasks.step(image, at) if self.camera_tasks.busy else self._reader.step(image, at)

    # A game on these parts --------------------------------------------------------------------------------

    def build_game(self, referee: Referee[Any]) -> RefereedGame:
        """A game that these buttons play."""
        buttons = self._buttons
        return RefereedGame(
            referee,
            chance=secrets.randbelow,
            levels=None if buttons is None else self.parts.wrap("buttons", buttons.read_levels, {}),
            level=None if buttons is None else self.parts.wrap("buttons", buttons.read_level, None),
        )

    def open_session(self, game: RefereedGame, guide: Guide, *, evidence: bool) -> Session:
        """It is read, lit and announced from now on; `evidence`: pictures of rulings may be kept."""
        referee = game.referee
        self._reader.begin_game(referee.rules.name, referee.rules.hand_count(referee.setup))
        self._evidence = None
        if evidence and self.settings.storage.evidence and self._worker is not None:
            self._evidence = EvidenceRecorder(self.settings.store_folder(), game, self._run_on_worker)
        return Session(
            game,
            clock=self.clock,
            voice=self.voice,
            lamps=self._lamps,
            ask=None if self._worker is None else self._request_look,
            listeners=()
            if self._evidence is None
            else (self.parts.wrap("evidence", self._evidence.handle_ruling, None),),
            guide=guide,
            parts=self.parts,
        )

    def _request_look(self, look: CameraRequest) -> None:
        self._reader.awaited = look.regions
        if self._worker is not None:
            self._worker.request_look(look)

    @property
    def draws_table(self) -> bool:
        """Whether a drawn table stands in for cards that somebody lays."""
        return self._drawn is not None

    def attach_drawn_camera(
        self, game: RefereedGame, laid: Callable[[], Mapping[str, tuple[str, ...]]]
    ) -> None:
        """The drawn table that stands in for a camera shows this game; `laid`: what a lesson had laid."""
        if self._drawn is not None and game.referee.rules.name in games_with_mat():  # else it sees nothing
            self._table = self._drawn(game, self.clock, self._inbox.put, laid=laid)

    def release(self) -> None:
        """A guest plays here now: these parts are asked for nothing, and game time starts again."""
        self._reader.end_game()
        self.clock.restart()

    def _run_on_worker(self, job: CameraJob) -> None:
        if self._worker is not None:
            self._worker.run_job(self.parts.wrap("evidence", job, None))

    def close_session(self, session: Session) -> None:
        self._reader.end_game()
        self._table = self._evidence = self._picture = None
        referee = session.game.referee
        if referee.rules.is_open(referee.state) and not referee.state.desk.uncovered:
            referee.observe(HiddenCardsViewed(at=referee.at))  # nothing can be taken back any more
        journal = referee.journal
        self.saved = journal.close()
        self.restorable = isinstance(journal, SqliteJournal) and journal.is_restorable
        if self.when_left is not None and not self._stopping() and isinstance(journal, SqliteJournal):
            self.when_left()
        self._set_lamps({})

    # The app's host ---------------------------------------------------------------------------------------

    def tick(self) -> None:
        self._service.notify_alive()
        self._rounds += 1
        if self._worker is not None:
            self._worker.idle = not (self._reader.has_game or self.camera_tasks.busy)
            if self._rounds == 2:
                self._worker.start()
        if self._buttons is not None:
            self.parts.run("buttons", self._buttons.read_waiting, None)
        if self._encoder is not None:
            self.parts.run("encoder", self._encoder.poll, 0)
        elif not self._are_keys_lent:
            self._look_for_encoder()
        if self.button_learning is not None and self._are_keys_lent:
            self.parts.run("encoder", self.button_learning.tick, None)
        if self._reader.has_game:
            for watch in self._watches:
                watch.look()
            self._watch_screen()
        if self._stuck:
            self.parts.run("buttons", self._look_at_stuck_buttons, None)
        self.parts.run("preview", self._update_picture, None)
        self.parts.run("bench", lambda: self.camera_tasks.tick(self._picture), None)

    def _update_picture(self) -> None:
        """The newest picture, for the screen and for what keeps it."""
        if self._table is not None:
            self._table.look(self.clock.now())
            self._picture = self._table.picture
        frame = None if self._worker is None else self._worker.take_preview()
        if frame is not None:
            self._picture = frame.image
            if (witness := self._evidence) is not None:
                self.parts.run(
                    "evidence", lambda: witness.add_picture(frame.image, frame.at, self.clock.now()), None
                )

    def next_due(self) -> Micros | None:
        return None if self._table is None else self.parts.run("preview", self._table.next_due, None)

    def picture(self) -> Any:
        return self._picture

    def reread_table(self) -> None:
        self._reader.read_again()

    def demo_info(self) -> DemoInfo | None:
        return None

    def take_over_chair(self, chair: Chair) -> None:
        """Everybody's buttons are their own."""

    def show_lamps(self, lit: frozenset[Chair]) -> None:
        now = self.clock.now()
        if self._blinks_from is not None and 0 <= now - self._blinks_from < BLINK_TIME:
            self._set_lamps(dict.fromkeys(range(self.settings.table.chairs), LampSignal.FAST))
            return
        self._set_lamps(dict.fromkeys(lit, LampSignal.LIT))

    def tell_screen_dark(self) -> None:
        """Nobody sees the screen: the voice says so, and before a game all lamps blink."""
        self._blinks_from = self.clock.now()
        self.voice.set_verbosity("all")
        self.voice.say([DARK_SCREEN])

    def _watch_screen(self) -> None:
        """Whether the screen went dark while people play; a voice of few words has to say all then."""
        now = self.clock.now()
        if 0 <= now - self._screen_looked_at < WATCH_INTERVAL:
            return
        self._screen_looked_at = now
        before, self._is_screen_dark = self._is_screen_dark, find_monitors(self._machine.root) == ()
        if self._is_screen_dark and before is False:
            log.warning("No screen answers any more: voice, lamps and buttons lead the game.")
            self.tell_screen_dark()

    def _set_lamps(self, states: Mapping[Chair, LampSignal]) -> None:
        if (lamps := self._lamps) is not None:
            self.parts.run("lamps", lambda: lamps.show_states(states, self.clock.now()), None)

    def parts_trouble(self) -> Sentence | None:
        if self._encoder is not None and self._encoder.is_unplugged:
            why = "encoder_forbidden" if self._encoder.is_forbidden else "unplugged"
            return Sentence(f"shared.trouble.{why}")
        if self._encoder is not None and self._encoder.has_dropped(self.clock.now(), DISTURBED_FOR):
            return Sentence("ui.dropped")
        if self._encoder is not None and self._encoder.had_direction(self.clock.now(), NEWS_TIME):
            return Sentence("shared.trouble.direction")
        if self._worker is not None and self._worker.frozen:
            return Sentence("shared.camera.frozen")
        return next(filter(None, (watch.news() for watch in self._watches)), self._reader.trouble)

    def warnings(self) -> tuple[Sentence, ...]:
        """What is missing at this table, what keeps people from playing first."""
        output = None if self.is_output_chosen else Sentence("ui.outputs.unchosen")
        voice = None if self.is_voice_chosen else Sentence("ui.voice_pack.unchosen")
        pins = () if self._are_buttons_on_usb else (*self._pin_notes, *map(_stuck_sentence, self._stuck))
        if self._clock_note is not None and not is_clock_wrong(self._machine.wall_time()):
            self._clock_note = None
        found = (
            *(watch.trouble() for watch in self._watches),
            *self._notes,
            *pins,
            self._encoder_note,
            Sentence("shared.trouble.direction") if self._encoder and self._encoder.has_direction else None,
            self._camera_trouble(),
            self._sound_trouble(),
            self._clock_note,
            output,
            voice,
        )
        told = dict.fromkeys(note for note in found if note is not None)
        return (*told, *self.parts.failed_parts())

    def _camera_trouble(self) -> Sentence | None:
        """Why there are no pictures; nothing where none is there and nobody ever set one up."""
        worker, folder = self._worker, self.settings.store_folder(self._machine.environ)
        if worker is None or worker.trouble is None:
            return None
        asked = self.settings.camera.kind != "auto" or "camera.kind" in self.settings.origins
        asked |= self._machine.is_pi() or worker.has_delivered or (folder / CALIBRATION_FILE).exists()
        return worker.trouble if asked or worker.trouble.key not in ABSENT else None

    def _sound_trouble(self) -> Sentence | None:
        """Why nothing is heard."""
        reason = self.voice.silence_reason
        if not reason or self.settings.sound.mute or self._is_loudspeaker_undriven:
            return None  # of what has no driver people are told already
        if is_sound_held(reason):
            root = self._machine.root
            card = choose_sound_card(list_sound_cards(root), self.sound_device)
            holder = None if card is None else self._machine.sound_holder(card.number)
            if holder is None:
                return Sentence("shared.trouble.sound_held")
            if holder.name.startswith(SOUND_SERVERS):
                return Sentence("shared.trouble.sound_server")
            who = ("holder", holder.unit or holder.name), ("command", holder.command)
            return Sentence("shared.trouble.sound_holder", who)
        return Sentence(
            "shared.trouble.sound_forbidden" if is_sound_forbidden(reason) else "shared.trouble.sound"
        )

    def has_mixed_sources(self) -> bool:
        """Whether presses come from sources of different resolution."""
        return self._buttons is not None and self._encoder is not None and not self._are_buttons_on_usb

    def needs_keyboard(self) -> bool:
        used = self.joysticks is not None and self.joysticks.is_used
        return self._buttons is None and self._encoder is None and not used

    def close(self) -> None:
        """Everything in the reverse of its opening."""
        parts = (
            *(*self._watches, self._service, self._worker, self.button_learning, self._encoder),
            *(self._lamps, self._buttons, self._pins),
        )
        for part in parts:
            if part is not None:
                run_and_log(f"Closing {type(part).__name__}", part.close)
