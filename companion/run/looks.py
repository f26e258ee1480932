"""How the screen looks by the settings, before anything else of the program is there."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from companion.settings.model import Settings
from companion.ui.frame import PALETTE
from companion.ui.glass import Draft, Glass
from companion.ui.language import Language
from companion.ui.screen import Screen


def words_of(
    settings: Settings, own: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Callable[[str], Language]:
    """Makes a language of its code, in this table's colours; `own` are words beside the catalogue's."""
    colours = colours_of(settings)
    return lambda code: Language(code, colours, own=own)


def screen_of(settings: Settings, words: Callable[[str], Language]) -> Screen:
    """What all pages draw with."""
    return Screen(settings.screen.size, words, settings.buttons.keys)


def glass_of(settings: Settings, game: str = "") -> Glass:
    """The glass as the settings have it, before anybody touches it; `game` is the one that is set up."""
    return Glass(
        language=settings.table.language,
        level=settings.table.level,
        volume=settings.sound.volume,
        mute=settings.sound.mute,
        slow=settings.sound.slow,
        brightness=settings.screen.brightness,
        large=settings.screen.large_text,
        calm=settings.screen.calm,
        first_chair=settings.screen.first_chair,
        mirrored=settings.screen.mirrored,
        draft=Draft(game=game),
    )


def colours_of(settings: Settings) -> tuple[str, ...]:
    """Every chair's colour, chair 1 first; whose usual colour was chosen for another has a free one."""
    chosen = settings.table.colours
    usual = PALETTE[len(chosen) :]
    free = iter(colour for colour in PALETTE[: len(chosen)] if colour not in chosen)
    return (*chosen, *(next(free) if colour in chosen else colour for colour in usual))
