"""Builds the screen's languages, colours, initial state from the settings."""

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MappingProxyType

from companion.core.actions import PALETTE
from companion.language.language import Language
from companion.settings.model import Settings
from companion.table.runtime import SCREEN_SETTINGS
from companion.ui.frame import GameDraft, UiState
from companion.ui.pages.base import PageResources


def language_factory(
    settings: Settings, own: Mapping[str, Mapping[str, str]] = MappingProxyType({})
) -> Callable[[str], Language]:
    """Makes a language of its code, in this table's colours; `own` are words beside the catalogue's."""
    colours = chair_colours(settings)
    return lambda code: Language(code, colours, own=own)


def build_page_resources(settings: Settings, words: Callable[[str], Language]) -> PageResources:
    """What all pages draw with."""
    return PageResources(settings.screen.size, words, settings.buttons.keys)


def initial_ui_state(settings: Settings, game: str = "") -> UiState:
    """The glass as the settings have it, before anybody touches it; `game` is the one that is set up."""
    chosen = {field: attrgetter(setting)(settings) for field, setting in SCREEN_SETTINGS.items()}
    return UiState(**chosen, draft=GameDraft(game=game))


def chair_colours(settings: Settings) -> tuple[str, ...]:
    """Every chair's colour, chair 1 first; whose usual colour was chosen for another has a free one."""
    chosen = settings.table.colours
    usual = PALETTE[len(chosen) :]
    free = iter(colour for colour in PALETTE[: len(chosen)] if colour not in chosen)
    return (*chosen, *(next(free) if colour in chosen else colour for colour in usual))
