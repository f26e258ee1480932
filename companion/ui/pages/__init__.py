"""Builds all pages of the screen."""

from collections.abc import Mapping
from typing import Any

from companion.ui.pages.base import Page, PageResources
from companion.ui.pages.buttons import ButtonsPage
from companion.ui.pages.calibrate import CalibratePage
from companion.ui.pages.enrol import EnrolPage
from companion.ui.pages.game import GamePage
from companion.ui.pages.games import GamesPage, SettingsPage, SoundPage, VoicePage
from companion.ui.pages.home import HomePage
from companion.ui.pages.phones import PhonesPage
from companion.ui.pages.photo import PhotoPage
from companion.ui.pages.prepare import PreparePage
from companion.ui.pages.recap import RecapPage
from companion.ui.pages.watch import WatchPage


def build_pages(screen: PageResources) -> Mapping[str, Page[Any]]:
    """Every page by the name that `ShowPage` uses."""
    seating = HomePage(screen)
    return {
        "home": seating,
        "setup": seating,
        "prepare": PreparePage(screen),
        "game": GamePage(screen),
        "recap": RecapPage(screen),
        "games": GamesPage(screen),
        "settings": SettingsPage(screen),
        "sound": SoundPage(screen),
        "voice": VoicePage(screen),
        "buttons": ButtonsPage(screen),
        "calibrate": CalibratePage(screen),
        "enrol": EnrolPage(screen),
        "watch": WatchPage(screen),
        "photo": PhotoPage(screen),
        "phones": PhonesPage(screen),
    }
