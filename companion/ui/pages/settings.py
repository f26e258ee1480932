"""Settings page outside a game."""

from companion.ui.commands import ShowPage
from companion.ui.frame import HomeFrame
from companion.ui.overlays.dialog import DialogButton, paint_buttons, paint_dialog
from companion.ui.overlays.settings import paint_settings_rows
from companion.ui.pages.base import Page
from companion.ui.pages.games import HOME_ACTION
from companion.ui.toolkit.sheet import Sheet, touch_action


class SettingsPage(Page[HomeFrame]):
    """Language, sound, brightness, and the ways to camera and cards."""

    default_focus = "home"
    """A language that is marked is chosen by mistake, and then nobody reads the page."""

    exit_action = touch_action(ShowPage("home"))

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        body = paint_dialog(sheet, "ui.settings")
        paint_settings_rows(sheet, body, frame)
        own = DialogButton("ui.enrol", "enrol", touch_action(ShowPage("enrol")))
        watch = DialogButton("ui.watch", "watch", touch_action(ShowPage("watch")))
        paint_buttons(
            sheet,
            DialogButton("ui.calibrate", "calibrate", touch_action(ShowPage("calibrate"))),
            own,
            watch,
            HOME_ACTION,
        )
