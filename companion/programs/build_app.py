"""Builds the app, with what its parts share, from the settings."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from types import MappingProxyType

from msgspec.structs import replace

from companion.core.clock import Clock
from companion.games import RULES
from companion.language.language import Language
from companion.language.voice.mixer import Mixer
from companion.language.voice.sound_outputs import NullOutput, RecordingOutput
from companion.language.voice.speech_synthesis import SpeechSynthesiser
from companion.language.voice.voice import MILLI, Voice, WavOutput
from companion.language.voice.voice_pack import VoicePack, open_voice_pack
from companion.settings.model import Settings, SoundSettings
from companion.system.fault_isolation import FaultIsolation
from companion.table.app import App
from companion.table.host import Host
from companion.table.runtime import (
    CAPTION,
    AppParts,
    Runtime,
    build_page_resources,
    build_window,
    chair_colours,
    initial_ui_state,
    language_factory,
)
from companion.ui.pages import build_pages
from companion.ui.toolkit.window import Window


@contextmanager
def temporary_store(settings: Settings) -> Iterator[Settings]:
    """The same settings with another folder for whatever is kept."""
    with TemporaryDirectory(prefix="companion-simulated-") as folder:
        yield replace(settings, storage=replace(settings.storage, folder=folder))


def build_app(
    settings: Settings,
    host: Host,
    shared: Runtime,
    around: AppParts,
    *,
    caption: str = CAPTION,
    page: str = "home",
    game: str = "",
    window: Window | None = None,
    draws: bool = True,
) -> App:
    """The program on `host`, with what is `around` it, in a window that stands open or is made.

    `game` is set up first. Without `draws` nobody sees a screen.
    """
    window = window or build_window(settings, caption)
    window.on_sound_lost = shared.voice.handle_device_loss
    return App(
        host,
        shared,
        around,
        window=window,
        pages=build_pages(build_page_resources(settings, shared.words)),
        ui_state=initial_ui_state(settings, game or next(iter(RULES)), chosen=bool(game)),
        colours=chair_colours(settings),
        names=dict(enumerate(settings.table.names)) if around.games is not None else {},
        page=page,
        recaps=settings.store_folder(),
        draws=draws,
    )


def build_runtime(
    settings: Settings,
    clock: Clock,
    *,
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    silent: bool = False,
    track: WavOutput | None = None,
) -> Runtime:
    """What host and app share; `own_words` are those of a lesson's file.

    `silent`: the voice keeps its timing without a sound card; `track` records it.
    """
    parts, words = FaultIsolation(), language_factory(settings, own_words)
    language, sound = words(settings.table.language), settings.sound
    pack = parts.run("voice_pack", lambda: load_voice_pack(sound), None)
    voice = parts.run(
        "voice", lambda: open_voice(language, sound, clock, silent=silent, track=track, pack=pack), None
    )
    voice = voice or Voice(language, clock, NullOutput("the sound failed"))
    return Runtime(clock, SimpleQueue(), voice, words=words, parts=parts)


def load_voice_pack(sound: SoundSettings) -> VoicePack | None:
    """The voice pack that the settings name, or None; raises `VoicePackError` if it cannot be used."""
    return open_voice_pack(sound.voice_pack) if sound.voice_pack else None


def open_voice(
    language: Language,
    sound: SoundSettings,
    clock: Clock,
    *,
    silent: bool = False,
    track: WavOutput | None = None,
    pack: VoicePack | None = None,
) -> Voice:
    """A table's voice. `silent` (--fast): the same timing without a card, so nothing depends on one."""
    build_voice = partial(
        Voice,
        language,
        clock,
        slow=sound.slow,
        verbosity=sound.verbosity,
        pack=pack,
        events=sound.events,
    )
    if silent:
        return build_voice(track or NullOutput())
    card = Mixer(
        sound.device,
        volume=sound.volume,
        mute=sound.mute,
        output_delay=lambda name: sound.delay_of(name) * MILLI,
    )
    output = card if track is None else RecordingOutput(card, track)
    return build_voice(output, SpeechSynthesiser())
