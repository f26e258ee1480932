"""What goes wrong with the machine itself while people play: power, disk, USB, memory, clock and sound."""

import logging
from collections.abc import Callable, Iterator
from threading import Thread

from companion.core.actions import SECOND, Micros
from companion.core.clock import Clock, is_clock_wrong
from companion.core.view import Sentence
from companion.language.voice.voice import Voice
from companion.settings.files import UNREAD_REMEDY, find_unread_file
from companion.settings.model import Settings
from companion.system.bluetooth import BLUETOOTH_REMEDY, has_bluetooth_loudspeaker
from companion.system.boot_config import find_silent_board, find_unread_board, read_boot_config
from companion.system.desktop import UNTOLD_SCREEN_REMEDY, untold_screens
from companion.system.disk_state import IN_MEMORY, describe_disk_fault, find_file_system
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
)
from companion.system.sound_cards import (
    SOUND_SERVERS,
    UNHEARD_REMEDY,
    SoundCard,
    choose_sound_card,
    find_changed_alsa,
    find_muted_control,
    is_sound_forbidden,
    is_sound_held,
    list_sound_cards,
    mixer_command,
    uses_alsa,
)
from companion.system.sound_server import (
    Sink,
    choose_sink,
    find_card_of,
    find_passed_by,
    is_unheard,
    parse_sinks,
    read_sinks,
)
from companion.table.trouble_watch import WATCH_INTERVAL, Watch

log = logging.getLogger(__name__)
LOG_INTERVAL: Micros = 300 * SECOND
"""Between two looks at the kernel's log, which a program has to be asked for."""


class MachineHealth:
    """Says in a sentence for people, and in the log with its remedy, what of the machine needs mending."""

    _is_loudspeaker_undriven = False
    _output_sentence = Sentence("shared.trouble.sound_muted")
    """What people are told of the output where sound goes, while something is wrong with it."""
    _foreign: ForeignFile | None = None
    """Another user's among the table's files."""
    _looked_at: Micros = -WATCH_INTERVAL
    _thread: Thread | None = None
    """In which it is looked while people play."""

    def __init__(
        self,
        settings: Settings,
        machine: Machine,
        clock: Clock,
        voice: Voice,
        *,
        sound_device: Callable[[], str],
        has_encoder: Callable[[], bool],
    ) -> None:
        """`sound_device`: where people hear now. `has_encoder`: whether buttons on USB are read."""
        self._settings, self._machine, self._clock, self._voice = settings, machine, clock, voice
        self._sound_device, self._has_encoder = sound_device, has_encoder
        self.notes = tuple(self._check_machine())
        """What is wrong from the start until somebody mends it and starts anew."""
        self._clock_note = self._check_clock()
        self.watches = self._build_watches()

    def look(self) -> None:
        """Look now and then where it is time to, in a thread; nobody waits for it."""
        now = self._clock.now()
        if 0 <= now - self._looked_at < WATCH_INTERVAL or (self._thread and self._thread.is_alive()):
            return
        self._looked_at = now
        self._thread = Thread(target=self._look_at_all, args=(now,), name="watch", daemon=True)
        self._thread.start()

    def _look_at_all(self, now: Micros) -> None:
        for watch in self.watches:
            watch.look(now)

    def troubles(self) -> Iterator[Sentence | None]:
        """What is wrong now."""
        return (watch.trouble() for watch in self.watches)

    def news(self) -> Sentence | None:
        """What has begun in this game, for a while."""
        now = self._clock.now()
        return next((said for one in self.watches if one.fault and (said := one.news(now))), None)

    def close(self) -> None:
        """Wait for looks that are under way."""
        if self._thread is not None:
            self._thread.join()
        for watch in self.watches:
            watch.close()

    def clock_trouble(self) -> Sentence | None:
        """That the wall clock is wrong, until a network tells the time."""
        if self._clock_note is not None and not is_clock_wrong(self._machine.wall_time()):
            self._clock_note = None
        return self._clock_note

    def sound_trouble(self) -> Sentence | None:
        """Why nothing is heard; of what has no driver `notes` tell."""
        reason = self._voice.silence_reason
        if not reason or self._settings.sound.mute or self._is_loudspeaker_undriven:
            return None
        if is_sound_held(reason):
            root = self._machine.root
            card = choose_sound_card(list_sound_cards(root), self._sound_device())
            holder = None if card is None else self._machine.sound_holder(card.number)
            if holder is None:
                return Sentence("shared.trouble.sound_held")
            if holder.name.startswith(SOUND_SERVERS):
                return Sentence("shared.trouble.sound_server")
            who = ("holder", holder.unit or holder.name), ("command", holder.command)
            return Sentence("shared.trouble.sound_holder", who)
        return (
            Sentence("shared.trouble.sound_forbidden") if is_sound_forbidden(reason) else self._why_silent()
        )

    def _why_silent(self) -> Sentence:
        """What an output lacks that does not open, though nobody else has it."""
        machine, device = self._machine, self._sound_device()
        card = choose_sound_card(list_sound_cards(machine.root), device)
        if machine.find_sandbox() is not None:
            return Sentence("shared.trouble.sandbox")
        opens_card = uses_alsa(machine.environ, machine.root, machine.platform)
        if opens_card and device and card is None:
            return Sentence("shared.trouble.sound_gone", (("device", device),))
        if opens_card and card is not None and card.heard and (file := find_changed_alsa(machine)):
            return Sentence("shared.trouble.sound_alsa", (("file", file),))
        if line := find_unread_board(machine):
            return Sentence("shared.trouble.sound_line", (("line", line),))
        return Sentence("shared.trouble.sound")

    def _build_watches(self) -> tuple[Watch, ...]:
        return (
            Watch(self._find_supply_fault, Sentence("shared.trouble.supply"), self._clock, apart=True),
            Watch(self._find_disk_fault, self._disk_sentence, self._clock),
            Watch(
                self._find_disk_errors,
                Sentence("shared.trouble.card"),
                self._clock,
                apart=True,
                every=LOG_INTERVAL,
            ),
            Watch(
                self._find_silent_usb,
                Sentence("shared.trouble.usb_silent"),
                self._clock,
                apart=True,
                every=LOG_INTERVAL,
            ),
            Watch(self._find_overdrawn_usb, Sentence("shared.trouble.usb_off"), self._clock),
            Watch(self._find_low_battery, Sentence("shared.trouble.battery"), self._clock),
            Watch(self._find_heat, Sentence("shared.trouble.heat"), self._clock),
            Watch(self._find_memory_fault, Sentence("shared.trouble.memory"), self._clock),
            Watch(self._find_slow_webcam, Sentence("shared.trouble.webcam_slow"), self._clock),
            Watch(self._find_unlearnt_board, Sentence("shared.trouble.board"), self._clock),
            Watch(self._find_unheard_card, Sentence("shared.trouble.sound_unheard"), self._clock),
            Watch(self._find_silent_bluetooth, Sentence("shared.trouble.sound_bluetooth"), self._clock),
            Watch(self._find_output_fault, lambda: self._output_sentence, self._clock, apart=True),
        )

    def _check_machine(self) -> Iterator[Sentence]:
        """What people are told of the machine itself: a screen without its name, parts without a driver.

        And that settings with a mistake count for nothing.
        """
        if self._settings.mistake:
            log.warning("The settings have a mistake, so none of them counts: %s", self._settings.mistake)
            yield Sentence("shared.trouble.settings")
        if unread := find_unread_file(self._machine):
            log.warning("%s is not read: %s.", unread, UNREAD_REMEDY)
        if self._machine.is_pi() and (sockets := untold_screens(self._machine.root)):
            named = " and ".join(sockets)
            log.warning("The screen at %s does not tell what it is: %s.", named, UNTOLD_SCREEN_REMEDY)
            yield Sentence("shared.trouble.screen_untold")
        if not self._settings.sound.device and (board := find_silent_board(self._machine)):
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
        folder = self._settings.store_folder(self._machine.environ)
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
        boards = (
            () if self._settings.buttons.learned or self._has_encoder() else keyboard_boards(self._machine)
        )
        if not boards:
            return ""
        return f"{boards[0]} types as a keyboard: teach its keys, in Settings, USB buttons."

    def _find_silent_bluetooth(self) -> str:
        """Something that may be a loudspeaker, where the card that plays need not be anybody's."""
        machine = self._machine
        card = choose_sound_card(list_sound_cards(machine.root), self._sound_device())
        is_served = not uses_alsa(machine.environ, machine.root, machine.platform)
        is_chosen = bool(self._sound_device()) or (card is not None and card.kind == "usb")
        if is_served or is_chosen or self._settings.sound.mute or not has_bluetooth_loudspeaker(machine):
            return ""
        return f"Something is connected by Bluetooth: {BLUETOOTH_REMEDY}."

    def _find_disk_fault(self) -> str:
        self._foreign = find_foreign_file(self._settings.store_folder(self._machine.environ))
        fault = describe_disk_fault(self._settings.store_file())
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
        if self._voice.silence_reason or self._settings.sound.mute:
            return None
        machine = self._machine
        if not uses_alsa(machine.environ, machine.root, machine.platform):
            return None
        return choose_sound_card(list_sound_cards(machine.root), self._sound_device())

    def _find_unheard_card(self) -> str:
        card = self._find_card()
        return "" if card is None or card.heard else f"Nothing is heard on {card.unheard}: {UNHEARD_REMEDY}."

    def _read_sinks(self) -> tuple[Sink, ...]:
        """Where a desktop may play, if it is one that plays for us."""
        machine, is_silent = self._machine, bool(self._voice.silence_reason) or self._settings.sound.mute
        if is_silent or uses_alsa(machine.environ, machine.root, machine.platform):
            return ()
        return parse_sinks(read_sinks(machine.output))

    def _find_output_fault(self) -> str:
        """What is wrong with the output where a desktop plays, or with the mixer of the card that plays."""
        sinks, device = self._read_sinks(), self._sound_device()
        sink = choose_sink(sinks, device)
        if sink is None:
            card = self._find_card()
        else:
            card = find_card_of(sink, list_sound_cards(self._machine.root))
            if is_unheard(sink, card):
                self._output_sentence = Sentence("shared.trouble.sound_unheard")
                return f"Nothing is heard on {sink.description}: {UNHEARD_REMEDY}."
        self._output_sentence = Sentence("shared.trouble.sound_muted")
        if sink is not None and sink.is_muted:
            return f"{sink.description} is muted, or turned down, on the desktop: turn it up there."
        muted = None if card is None else find_muted_control(self._machine.output(*mixer_command(card.id)))
        if card is not None and muted is not None:
            return f"{muted.describe(card)}: {muted.remedy(card.id)}."
        passed = None if sink is None else find_passed_by(sinks, sink)
        if sink is None or passed is None or device or "sound.device" in self._settings.origins:
            return ""
        names = ("output", sink.description), ("other", passed.description)
        self._output_sentence = Sentence("shared.trouble.sound_elsewhere", names)
        return f"Sound goes to {sink.description}, not to {passed.description}: choose it on the desktop."

    def _check_clock(self) -> Sentence | None:
        """That the wall clock is wrong; people are told until a network tells the time."""
        now = self._machine.wall_time()
        if not is_clock_wrong(now):
            return None
        log.warning("The clock says %s: companion doctor tells how to set it.", now)
        return Sentence("shared.trouble.clock", (("date", now[:10]),))
