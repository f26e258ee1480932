"""The settings outside a game."""

from companion.ui.commands import Show
from companion.ui.frame import HomeFrame
from companion.ui.overlays.leaf import Foot, feet, leaf
from companion.ui.overlays.settings import settings_body
from companion.ui.pages.base import Page
from companion.ui.pages.games import HOME
from companion.ui.sheet import Sheet, deed


class SettingsPage(Page[HomeFrame]):
    """Language, sound, brightness, and the ways to camera and cards."""

    usual = "home"
    """A language that is marked is chosen by mistake, and then nobody reads the page."""

    way_out = deed(Show("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        body = leaf(sheet, "ui.settings")
        settings_body(sheet, body, frame)
        own = Foot("ui.enrol", "enrol", deed(Show("enrol")))
        watch = Foot("ui.watch", "watch", deed(Show("watch")))
        feet(sheet, Foot("ui.calibrate", "calibrate", deed(Show("calibrate"))), own, watch, HOME)
