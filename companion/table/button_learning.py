"""Learns USB buttons on the screen: chair by chair, whose key is pressed on any device."""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from companion.core.actions import Micros
from companion.core.clock import Clock
from companion.core.errors import CompanionError
from companion.core.switch import ButtonId
from companion.core.view import Sentence
from companion.settings.files import save_settings, user_settings_file
from companion.ui.commands import LearnButtons
from companion.ui.frame import ButtonsView
from hardware.errors import EncoderError
from hardware.input_devices import DEVICE_FOLDER, InputDevice, open_input_devices
from hardware.pin_table import SHARED_BUTTON_NAMES, button_name_of, parse_button_name
from hardware.usb_encoder import POINTING_KEYS, RETRY_INTERVAL, STEERING_KEYS, ButtonLearner, InputKey

log = logging.getLogger(__name__)


class ButtonLearning:
    """What the page `buttons` does; devices are open only while it asks.

    What was learnt is used at once, and kept in the user's settings.
    """

    def __init__(
        self,
        chairs: int,
        clock: Clock,
        *,
        release: Callable[[], None],
        use: Callable[[Mapping[str, str] | None], None],
        folder: Path = DEVICE_FOLDER,
    ) -> None:
        """`release` lets go of USB buttons; `use` has it take what was learnt, or None: as before."""
        self.chairs = chairs
        self._clock = clock
        self._release, self._use = release, use
        self._folder = folder
        self._learner: ButtonLearner | None = None
        self._view = ButtonsView()
        self._looked_at: Micros = 0
        """When it was last looked for devices."""
        self._trouble: Sentence | None = None
        """Why none is open."""

    def open_page(self, page: str) -> None:
        """`buttons` begins to ask; any other page ends that, and nothing is changed."""
        if page == "buttons":
            self._begin()
        elif self._learner is not None:
            self.close()
            self._use(None)

    def carry_out(self, wanted: LearnButtons) -> None:
        """Do what the page asks for."""
        if wanted.what == "again":
            self._begin()
        elif self._learner is not None:
            if wanted.what == "skip":
                self._learner.skip()
            if wanted.what == "keep" or self._learner.asked is None:
                self._finish(self._learner.learned)
            else:
                self._look()

    def tick(self) -> None:
        """Hear what was pressed."""
        if (learner := self._learner) is None:
            return
        if not 0 <= self._clock.now() - self._looked_at < RETRY_INTERVAL:
            self._find_devices(learner)
        learner.poll()
        if learner.asked is None:
            self._finish(learner.learned)
        else:
            self._look()

    def view(self) -> ButtonsView:
        return self._view

    def close(self) -> None:
        """Let all devices go."""
        learner, self._learner = self._learner, None
        for device in () if learner is None else learner.devices:
            with suppress(OSError):
                device.close()

    def _begin(self) -> None:
        self.close()
        self._release()
        chairs: list[ButtonId] = [(chair, "seat") for chair in range(self.chairs)]
        wanted = [*chairs, *((None, name) for name in SHARED_BUTTON_NAMES)]
        self._learner = ButtonLearner([], wanted, beside_screen=True)
        self._find_devices(self._learner)
        self._look()

    def _find_devices(self, learner: ButtonLearner) -> None:
        """Open those that were plugged in since."""
        self._looked_at, self._trouble = self._clock.now(), None
        try:
            found = open_input_devices(self._folder)
        except EncoderError as trouble:
            self._trouble = trouble.screen_sentence()
            return
        known = {device.path for device in learner.devices}
        learner.devices[:] = [device for device in learner.devices if device.path.exists()]
        for device in found:
            if device.path in known:
                device.close()
            else:
                learner.devices.append(device)
                _keep_from_screen(device)
        if not learner.devices:
            self._trouble = Sentence("ui.buttons.no_device")

    def _finish(self, learned: Mapping[str, str]) -> None:
        """It is over: what was learnt is the table's from now on."""
        self.close()
        self._use(learned or None)
        note = None if learned else Sentence("ui.buttons.nothing")
        if learned:
            try:
                save_settings(user_settings_file(), {"buttons.learned": dict(learned)})
            except (CompanionError, OSError) as trouble:
                log.warning("The buttons are not kept: %s", trouble)
                note = Sentence("ui.buttons.not_kept")
        self._view = ButtonsView(learned=_with_devices(learned), note=note)

    def _look(self) -> None:
        """Have the page show how far it is."""
        learner = self._learner
        if learner is None or learner.asked is None:
            return
        note = Sentence("ui.buttons.steering") if learner.is_steering else self._trouble
        if learner.repeated:
            chair, name = parse_button_name(learner.repeated)
            whose = (("button", name),) if chair is None else (("chair", chair),)
            note = Sentence("ui.buttons.repeated", whose)
        self._view = ButtonsView(button_name_of(learner.asked), _with_devices(learner.learned), note)


def _with_devices(learned: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((part, InputKey.parse(text).device) for part, text in learned.items())


def _keep_from_screen(device: InputDevice) -> None:
    """A shutter's Enter would press what is marked on the screen; a keyboard or a mouse shall."""
    if not device.is_keyboard and POINTING_KEYS.isdisjoint(device.keys) and STEERING_KEYS & {*device.keys}:
        with suppress(OSError):  # another program has it alone
            device.grab()
