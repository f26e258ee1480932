"""Sound output through pygame's mixer, opened once as one stream.

An open mixer feeds its device silence when nothing plays, so a card that wakes up late never eats a first
syllable, and nothing pops between sentences. A loudspeaker or a television that sleeps on silence is kept
awake by a tone too low and too quiet to be heard.
"""

import logging
import os
import sys
from collections.abc import Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from companion.core.actions import SECOND, Micros
from companion.language.voice.sounds import BUFFER, FULL_SCALE, RATE, Samples
from companion.system.boot_config import PATHS, find_unread_board
from companion.system.machine import Machine
from companion.system.sound_cards import (
    SERVER_REMEDY,
    SOUND_SERVERS,
    choose_sound_card,
    find_changed_alsa,
    is_sound_forbidden,
    is_sound_held,
    is_sound_served,
    list_sound_cards,
    uses_alsa,
)

RETRY_INTERVAL: Micros = 5 * SECOND
"""Between two tries to open a sound card that was lost."""
FADE_MS = 30
"""What is cut short fades for so long."""
SPEECH_CHANNELS = (0, 4)
"""Of pygame: on the other one what was cut short still fades while the next sound begins."""
MARK = RATE // 100
"""Samples: a mark in a sound is as exact."""
UNHEARD = frozenset({"dummy", "disk"})
"""Drivers of SDL without a device."""
GIVEN_DEVICE = os.environ.get("AUDIODEV")
"""The output that whoever started the program chose for SDL; only the settings overrule it."""
DEFAULT_OUTPUT = "default"
MIXER_DELAY: Micros = round(1.5 * BUFFER * SECOND / RATE)
"""From `play` to the first sample handed to the device: half a buffer of waiting, one that is queued."""

AWAKE_HZ, AWAKE = 40, 0.003
"""The tone that keeps loudspeakers awake: −50 dB of full scale, below what is heard at 40 Hz."""
AWAKE_TIME: Micros = 5 * 60 * SECOND
"""For so long after a sound: the shortest after which loudspeakers sleep is more."""
WAKE_TIME: Micros = SECOND // 2
"""What a loudspeaker or a television that slept gets before a count."""

log = logging.getLogger(__name__)


def has_sound_output(
    environ: Mapping[str, str] = os.environ, root: Path = Path("/"), platform: str = sys.platform
) -> bool:
    """Whether it is worth asking SDL for sound: a driver is named, or a card or a sound server is there."""
    if platform != "linux" or environ.get("SDL_AUDIODRIVER", "alsa") != "alsa":
        return True
    return is_sound_served(environ, root) or bool(list_sound_cards(root))


def select_device(
    wanted: str, environ: MutableMapping[str, str] = os.environ, root: Path = Path("/")
) -> str | None:
    """SDL's whole name of the output that has `wanted` in it; None: SDL goes by AUDIODEV, or chooses.

    Where ALSA's cards are opened without a sound server, AUDIODEV is set to the card people hear: of the
    names that SDL lists there it would open the raw device, and HDMI's takes none of its formats.
    """
    if uses_alsa(environ, root) and (card := choose_sound_card(list_sound_cards(root), wanted)) is not None:
        if wanted or GIVEN_DEVICE is None:
            environ["AUDIODEV"] = card.alsa_device
        return None
    if not wanted:
        return None
    return next((name for name in _sdl_names() if wanted.lower() in name.lower()), wanted)


def awake_tone() -> Samples:
    """One second of it, which may be looped."""
    wave = np.sin(2 * np.pi * AWAKE_HZ * np.arange(RATE) / RATE)
    tone: Samples = np.rint(AWAKE * FULL_SCALE * wave).astype(np.int16)
    return tone


def list_outputs(environ: MutableMapping[str, str] = os.environ, root: Path = Path("/")) -> Mapping[str, str]:
    """What `sound.device` may be → how people call it: ALSA's cards, or what SDL lists."""
    if uses_alsa(environ, root):
        return {card.id: card.name for card in list_sound_cards(root)}
    return {name: name for name in _sdl_names()}


def has_unchosen_outputs(environ: Mapping[str, str] = os.environ, root: Path = Path("/")) -> bool:
    """Whether it is a guess from which of several sockets people hear: no desktop's own choice stands.

    A socket of HDMI with nothing behind it that plays is none of them.
    """
    return uses_alsa(environ, root) and sum(card.heard for card in list_sound_cards(root)) > 1


def find_output_name(
    wanted: str, environ: MutableMapping[str, str] = os.environ, root: Path = Path("/")
) -> str:
    """The name, as `list_outputs` has it, of the output that `wanted` chooses; `default`: the system does."""
    if uses_alsa(environ, root):
        card = choose_sound_card(list_sound_cards(root), wanted)
        return DEFAULT_OUTPUT if card is None else card.id
    return (select_device(wanted, environ, root) or DEFAULT_OUTPUT) if wanted else DEFAULT_OUTPUT


def _silence_remedy(reason: str, device: str) -> str:
    """What to do about it, for the log; `reason` is SDL's, `device` what the settings choose."""
    machine = Machine()
    card = choose_sound_card(list_sound_cards(machine.root), device)
    if is_sound_held(reason):
        holder = None if card is None else machine.sound_holder(card.number)
        if holder is None:
            return "end the program that has the sound card; companion doctor looks for its name"
        remedy = SERVER_REMEDY if holder.name.startswith(SOUND_SERVERS) else holder.remedy()
        return f"{holder} has the sound card, {remedy}"
    if is_sound_forbidden(reason):
        return machine.join_groups("audio")
    opens_card = uses_alsa(machine.environ, machine.root, machine.platform)
    if opens_card and card is not None and card.heard and (changed := find_changed_alsa(machine)):
        return f"{card.name} is there, but {changed} says otherwise how cards are opened: move it away"
    if board := find_unread_board(machine):
        return f"write {board} into /{PATHS[0]}, and restart: /{PATHS[1]} is read no more"
    return f"plug in {repr(device) if device else 'a loudspeaker'}; companion doctor says more"


def _sdl_names() -> list[str]:
    """The outputs as SDL calls them."""
    import pygame  # noqa: PLC0415
    from pygame._sdl2 import audio, sdl2  # noqa: PLC0415

    if pygame.mixer.get_init() is not None:
        return list(audio.get_audio_device_names(False))  # noqa: FBT003
    sdl2.init_subsystem(sdl2.INIT_AUDIO)
    names: list[str] = audio.get_audio_device_names(False)  # noqa: FBT003
    pygame.mixer.quit()  # with SDL's sound on, its `init` would open nothing
    return names


class SoundOutput(Protocol):
    """Where sound goes: a card, a file, nowhere."""

    @property
    def available(self) -> bool: ...

    @property
    def silence_reason(self) -> str:
        """Why nothing is heard; empty while something is."""

    @property
    def delay(self) -> Micros:
        """From `play` to the sound itself."""

    def play(self, samples: Samples, at: Micros) -> bool:
        """Begin a sound (int16, `RATE` Hz) at `at`, which is now; the one before ends. False: no
        sound.
        """

    def play_beside(self, samples: Samples, at: Micros) -> None:
        """Begin a short sound beside the one that plays; the one before it ends."""

    def mark(self, samples: int, at: Micros) -> None:
        """`passed` is about the first `samples` of the sound that `play` begins now."""

    @property
    def mark_reached(self) -> bool:
        """Whether the device has been handed all before the mark, or nothing is heard anyway."""

    def wake(self, at: Micros) -> Micros:
        """Have a loudspeaker that sleeps wake; how long it needs until all of a sound is heard."""

    def stop(self, at: Micros) -> None:
        """End the sound, and what plays beside it."""

    def set_volume(self, volume: int, *, mute: bool) -> None:
        """Louder or softer, also in the middle of a sound; 0..100."""

    def use_device(self, name: str) -> None:
        """Be heard from another one, as `sound.device` names it."""

    def mark_lost(self, reason: str, at: Micros) -> None:
        """The device is gone."""

    def poll(self, now: Micros) -> None:
        """Look after the device."""


class Mixer:
    """The sound card; where there is none it says why and stays silent."""

    def __init__(
        self,
        device: str = "",
        *,
        volume: int = 80,
        mute: bool = False,
        output_delay: Callable[[str], Micros] = lambda _: 0,
    ) -> None:
        """`output_delay` of an output, by its name as `find_output_name` has it."""
        self._device = device
        self._output_delay = output_delay
        self.volume = volume
        self.mute = mute
        self.delay = MIXER_DELAY
        self.silence_reason = ""
        self._channel: Any = None
        self._speaking = 0
        """Which of `SPEECH_CHANNELS` that is."""
        self._lost_at: Micros | None = None
        self._output = DEFAULT_OUTPUT
        """The one that is open, as `find_output_name` has it."""
        self._looked_at: Micros = 0
        """When it was asked last whether a better one is there."""
        self._awake_until: Micros | None = None
        """When the quiet tone ends that keeps loudspeakers awake. Game time starts again with each game."""
        self._asked_at: Micros = 0
        """The last instant anything was asked of the card."""
        self._open()
        if not self.available:
            remedy = _silence_remedy(self.silence_reason, device)
            log.warning("No sound (%s): %s.", self.silence_reason, remedy)
            self._lost_at = 0  # a card on USB may come after us

    @property
    def available(self) -> bool:
        return self._channel is not None

    def play(self, samples: Samples, at: Micros) -> bool:
        """As `SoundOutput.play`; False, too, where the card has gone."""

        def begin(channel: Any) -> None:
            import pygame  # noqa: PLC0415

            if channel.get_busy():
                channel.fadeout(FADE_MS)
                self._speaking = 1 - self._speaking
                self._channel = channel = pygame.mixer.Channel(SPEECH_CHANNELS[self._speaking])
            channel.set_volume(self._loudness)
            channel.play(pygame.mixer.Sound(buffer=np.repeat(samples, 2).tobytes()))

        self.wake(at)
        return self._try_device(begin, at)

    def play_beside(self, samples: Samples, at: Micros) -> None:
        """As `SoundOutput.play_beside`; what sleeps is not woken for it."""

        def begin(_: Any) -> None:
            import pygame  # noqa: PLC0415

            channel = pygame.mixer.Channel(3)
            channel.set_volume(self._loudness)
            channel.play(pygame.mixer.Sound(buffer=np.repeat(samples, 2).tobytes()))

        self._try_device(begin, at)

    def wake(self, at: Micros) -> Micros:
        """As `SoundOutput.wake`; nothing wakes what is muted, or SDL's outputs without a device."""
        if self.mute or os.environ.get("SDL_AUDIODRIVER") in UNHEARD:
            return 0
        slept = self._awake_until is None or not 0 <= self._awake_until - at <= AWAKE_TIME

        def begin(_: Any) -> None:
            import pygame  # noqa: PLC0415

            tone = pygame.mixer.Sound(buffer=np.repeat(awake_tone(), 2).tobytes())
            pygame.mixer.Channel(2).play(tone, loops=-1, maxtime=AWAKE_TIME // 1000)

        if not self._try_device(begin, at):
            return 0
        self._awake_until = at + AWAKE_TIME
        return WAKE_TIME if slept else 0

    def mark(self, samples: int, at: Micros) -> None:
        """As `SoundOutput.mark`: a silence of that length plays beside the sound, and shows how far that is.

        pygame does not say how much of a sound was played, only whether it still plays.
        """

        def begin(_: Any) -> None:
            import pygame  # noqa: PLC0415

            silence = pygame.mixer.Sound(buffer=bytes(4 * MARK))
            pygame.mixer.Channel(1).play(silence, loops=max(0, samples // MARK - 1))

        self._try_device(begin, at)

    @property
    def mark_reached(self) -> bool:
        """As `SoundOutput.mark_reached`; what SDL plays for nobody keeps no time."""
        import pygame  # noqa: PLC0415

        heard = self.available and os.environ.get("SDL_AUDIODRIVER") not in UNHEARD
        return not (heard and pygame.mixer.get_init() and pygame.mixer.Channel(1).get_busy())

    def stop(self, at: Micros) -> None:
        import pygame  # noqa: PLC0415

        self._try_device(lambda channel: channel.fadeout(FADE_MS), at)
        self._try_device(lambda _: pygame.mixer.Channel(3).fadeout(FADE_MS), at)
        self._try_device(lambda _: pygame.mixer.Channel(1).stop(), at)

    def set_volume(self, volume: int, *, mute: bool) -> None:
        self.volume, self.mute = volume, mute
        self._try_device(lambda channel: channel.set_volume(self._loudness), self._asked_at)

    def use_device(self, name: str) -> None:
        self._device, self._awake_until = name, None
        self._open()

    @property
    def _loudness(self) -> float:
        return 0.0 if self.mute else self.volume / 100

    def _try_device(self, what: Callable[[Any], object], at: Micros) -> bool:
        """Something with the card; False without one, or when that is how it turns out to be lost."""
        import pygame  # noqa: PLC0415

        self._asked_at = at
        if self._channel is not None:
            try:
                what(self._channel)
            except pygame.error as trouble:
                self.mark_lost(str(trouble), at)
        return self.available

    def mark_lost(self, reason: str, at: Micros) -> None:
        self._channel, self.silence_reason, self._lost_at, self._awake_until = None, reason, at, None
        log.warning("Sound lost: %s", reason)

    def poll(self, now: Micros) -> None:
        import pygame  # noqa: PLC0415

        if self.available and pygame.mixer.get_init() is None:
            self.mark_lost("the mixer was closed", now)
        # Game time starts again with each game: then the last try lies ahead.
        if self._lost_at is not None and not 0 <= now - self._lost_at < RETRY_INTERVAL:
            self._lost_at = now
            self._open()
        elif self.available and not 0 <= now - self._looked_at < RETRY_INTERVAL:
            self._looked_at = now
            # A loudspeaker on USB may be there later than the program; who chose one has that.
            is_free = not self._device and GIVEN_DEVICE is None
            if is_free and not self._channel.get_busy() and find_output_name("") != self._output:
                self.use_device("")

    def close(self) -> None:
        """Give the card back."""
        import pygame  # noqa: PLC0415

        self._channel = None
        pygame.mixer.quit()

    def _open(self) -> None:
        import pygame  # noqa: PLC0415 (its import takes a while)

        if not has_sound_output():
            # ALSA would fill the terminal with what it does not find.
            self._channel, self.silence_reason = None, "there is no sound card"
            return
        try:
            pygame.mixer.quit()
            # Before any other init of pygame: a later one would keep the format it finds.
            pygame.mixer.pre_init(RATE, -16, 2, BUFFER)
            pygame.mixer.init(RATE, -16, 2, BUFFER, devicename=select_device(self._device), allowedchanges=0)
            self._channel = pygame.mixer.Channel(SPEECH_CHANNELS[self._speaking])
            self._output = find_output_name(self._device)
            self.delay = MIXER_DELAY + self._output_delay(self._output)
            self.silence_reason, self._lost_at = "", None
        except pygame.error as trouble:
            self._channel, self.silence_reason = None, str(trouble)
