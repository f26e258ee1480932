"""How the program is put together of its settings; whatever has a screen is built here."""

from collections.abc import Mapping
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType

from companion.core.clock import Clock
from companion.games import RULES
from companion.referee.parts import Parts
from companion.run.looks import colours_of, glass_of, screen_of, words_of
from companion.run.opening import CAPTION
from companion.settings.model import Settings, Sound
from companion.table.app import App
from companion.table.around import Around
from companion.table.host import Host
from companion.table.shared import Shared
from companion.table.window import table_window
from companion.ui.freetext import FreeText
from companion.ui.language import Language
from companion.ui.mixer import Mixer
from companion.ui.pages import all_pages
from companion.ui.track import KeptAndHeard, Nowhere
from companion.ui.voice import MILLI, Voice, VoiceTrack
from companion.ui.voice_pack import VoicePack, opened
from companion.ui.window import Window


def build_app(
    settings: Settings,
    host: Host,
    shared: Shared,
    around: Around,
    *,
    caption: str = CAPTION,
    page: str = "home",
    game: str = "",
    window: Window | None = None,
) -> App:
    """The program on `host`, with what is `around` it, in a window that stands open or is made.

    `game` is set up first.
    """
    window = window or table_window(settings, caption)
    window.sound_lost = shared.voice.device_lost
    return App(
        host,
        around,
        window=window,
        pages=all_pages(screen_of(settings, shared.words)),
        clock=shared.clock,
        inbox=shared.inbox,
        glass=glass_of(settings, game or next(iter(RULES))),
        colours=colours_of(settings),
        names=dict(enumerate(settings.table.names)) if around.games is not None else {},
        page=page,
        recaps=settings.store_folder(),
    )


def build_shared(
    settings: Settings,
    clock: Clock,
    *,
    own_words: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    silent: bool = False,
    track: VoiceTrack | None = None,
) -> Shared:
    """What host and app share; `own_words` are those of a lesson's file.

    `silent`: the voice keeps its timing without a sound card; `track` records it.
    """
    parts, words = Parts(), words_of(settings, own_words)
    language, sound = words(settings.table.language), settings.sound
    pack = parts.run("voice_pack", lambda: pack_of(sound), None)
    voice = parts.run(
        "voice", lambda: open_voice(language, sound, clock, silent=silent, track=track, pack=pack), None
    )
    voice = voice or Voice(language, clock, Nowhere("the sound failed"))
    return Shared(clock, SimpleQueue(), voice, words=words, sound=settings.sound, parts=parts)


def pack_of(sound: Sound) -> VoicePack | None:
    """The voice pack that the settings name, or None; raises `VoicePackError` if it cannot be used."""
    return opened(Path(sound.voice_pack).expanduser()) if sound.voice_pack else None


def open_voice(
    language: Language,
    sound: Sound,
    clock: Clock,
    *,
    silent: bool = False,
    track: VoiceTrack | None = None,
    pack: VoicePack | None = None,
) -> Voice:
    """A table's voice. `silent` (--fast): the same timing without a card, so nothing depends on one."""
    if silent:
        return Voice(language, clock, track or Nowhere(), slow=sound.slow, pack=pack, events=sound.events)
    card = Mixer(
        sound.device, volume=sound.volume, mute=sound.mute, output_delay=sound.output_delay_ms * MILLI
    )
    heard = card if track is None else KeptAndHeard(card, track)
    return Voice(language, clock, heard, FreeText(), slow=sound.slow, pack=pack, events=sound.events)
