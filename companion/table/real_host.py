"""Host of a real table: opens its buttons, lamps, camera, voice."""

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from msgspec.structs import replace

from companion.camera import CALIBRATION_FILE
from companion.camera.evidence import CameraJob, EvidenceRecorder
from companion.camera.table_reader import TableReader
from companion.camera.task_runner import CameraTaskRunner, MakeSimulatedCamera
from companion.core.actions import SECOND, CameraRequest, Chair, Micros
from companion.core.clock import Clock
from companion.core.observations import CameraLost, HiddenCardsViewed, Observation
from companion.core.switch import ButtonId
from companion.core.view import LampSignal, Sentence, SentenceParts
from companion.games import find_broken_games, games_with_mat
from companion.language.voice.mixer import has_unchosen_outputs
from companion.language.voice.voice_pack import list_packs
from companion.referee.journal import SqliteJournal
from companion.referee.loop import RefereedGame
from companion.referee.referee import Referee
from companion.settings.model import Settings
from companion.system.desktop import DARK_SCREEN, find_monitors
from companion.system.fault_isolation import run_and_log
from companion.system.machine import Machine, SystemdNotifier
from companion.table.button_learning import ButtonLearning
from companion.table.host import DISTURBED_FOR
from companion.table.machine_health import MachineHealth
from companion.table.runtime import Runtime
from companion.table.session import Guide, Session
from companion.table.trouble_watch import NEWS_TIME, WATCH_INTERVAL
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
    return Sentence("shared.pin.down", _button_argument(line))


def _button_argument(line: ButtonId) -> SentenceParts:
    chair, button = line
    return (("button", button),) if chair is None else (("chair", chair),)


ABSENT = frozenset(f"shared.trouble.{one.on_screen}" for one in (NoCameraError, NoSocketError))
"""There is no camera: no trouble at a table that does without."""


class TableHost:
    """Opens what the table has; a missing part is noted, never fatal."""

    _rounds = 0
    restorable = False
    """Whether the next start can put into the store what is not there of the last game."""
    when_left: Callable[[], None] | None = None
    """Called when people have left a game of their own will, and it is put away."""
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
        self.health = MachineHealth(
            settings,
            self._machine,
            self.clock,
            self.voice,
            sound_device=lambda: self.sound_device,
            has_encoder=lambda: self._encoder is not None,
        )
        self._notes += self.health.notes
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
                "The button %s is down: let it go, or its wires are on NC, or touch, or it locks.",
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
            opened = open_camera(camera.kind, camera.device, self.clock, size=camera.size, lock=lock)
            self.camera_tasks.note_camera(opened)
            return opened

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
            card_pictures=self._reader.card_pictures,
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
            self.health.look()
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
        if repeating := self._turbo_sentences(NEWS_TIME):
            return repeating[0]
        if self._worker is not None and self._worker.frozen:
            return Sentence("shared.camera.frozen")
        return self.health.news() or self._reader.trouble

    def warnings(self) -> tuple[Sentence, ...]:
        """What is missing at this table, what keeps people from playing first."""
        output = None if self.is_output_chosen else Sentence("ui.outputs.unchosen")
        voice = None if self.is_voice_chosen else Sentence("ui.voice_pack.unchosen")
        pins = () if self._are_buttons_on_usb else (*self._pin_notes, *map(_stuck_sentence, self._stuck))
        found = (
            *self.health.troubles(),
            *self._notes,
            *pins,
            self._encoder_note,
            Sentence("shared.trouble.direction") if self._encoder and self._encoder.has_direction else None,
            *self._turbo_sentences(),
            self._camera_trouble(),
            self.health.sound_trouble(),
            self.health.clock_trouble(),
            output,
            voice,
        )
        told = dict.fromkeys(note for note in found if note is not None)
        return (*told, *self.parts.failed_parts())

    def _turbo_sentences(self, within: Micros | None = None) -> list[Sentence]:
        """The USB buttons that repeated by themselves, ever or in the time up to now."""
        now, repeats = self.clock.now(), () if self._encoder is None else self._encoder.repeats
        return [
            Sentence("ui.turbo", (*_button_argument(one.line), ("times", one.rate)))
            for one in repeats
            if within is None or 0 <= now - one.at < within
        ]

    def _camera_trouble(self) -> Sentence | None:
        """Why there are no pictures; nothing where none is there and nobody ever set one up."""
        worker, folder = self._worker, self.settings.store_folder(self._machine.environ)
        if worker is None or worker.trouble is None:
            return self.camera_tasks.other_camera()
        asked = self.settings.camera.kind != "auto" or "camera.kind" in self.settings.origins
        asked |= self._machine.is_pi() or worker.has_delivered or (folder / CALIBRATION_FILE).exists()
        return worker.trouble if asked or worker.trouble.key not in ABSENT else None

    def has_mixed_sources(self) -> bool:
        """Whether presses come from sources of different resolution."""
        return self._buttons is not None and self._encoder is not None and not self._are_buttons_on_usb

    def needs_keyboard(self) -> bool:
        used = self.joysticks is not None and self.joysticks.is_used
        return self._buttons is None and self._encoder is None and not used

    def close(self) -> None:
        """Everything in the reverse of its opening."""
        parts = (
            *(self.health, self._service, self._worker, self.button_learning, self._encoder),
            *(self._lamps, self._buttons, self._pins),
        )
        for part in parts:
            if part is not None:
                run_and_log(f"Closing {type(part).__name__}", part.close)
