"""Photo page: what the camera would put on the lid of a box, and the photo that was taken."""

import pygame

from companion.core.actions import Micros
from companion.core.camera_tasks import PhotoView
from companion.ui.commands import ShowPage
from companion.ui.frame import CameraPageFrame
from companion.ui.layout import stack
from companion.ui.overlays.dialog import CLOSE_BUTTON, PRIMARY_FILL, DialogButton, paint_bar
from companion.ui.pages.calibrate import CameraPage, camera_action
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import TEXT

SHARE = 70
"""How much of the felt's width the picture takes at most, in hundredths."""


class PhotoPage(CameraPage):
    """Nothing is kept before somebody saves it."""

    exit_action = touch_action(ShowPage("setup"))

    def find_default_focus(self, frame: CameraPageFrame) -> str:
        view = frame.camera_input.view
        return "keep" if isinstance(view, PhotoView) and view.ready and not view.kept else "close"

    def paint(self, sheet: Sheet, frame: CameraPageFrame) -> None:
        view = frame.camera_input.view
        assert isinstance(view, PhotoView)
        right, _, bar = self.paint_picture(
            sheet, frame, sheet.sentence(view.hint), label=view.box, share=SHARE
        )
        room = stack(right, right.w, right.h * 3 // 4)
        sheet.text(room, sheet.tr("ui.photo.stays"), 1.2, TEXT, align="center")
        keep = camera_action("keep") if view.ready and not view.kept else None
        close = CLOSE_BUTTON._replace(action=self.exit_action)
        paint_bar(
            sheet,
            bar,
            DialogButton("ui.calibrate.keep", "keep", keep, PRIMARY_FILL),
            close._replace(fill=PRIMARY_FILL) if view.kept else close,
            DialogButton("ui.enrol.retake", "retake", camera_action("retake") if view.kept else None),
            DialogButton("ui.photo.remove", "remove", camera_action("remove") if view.has_photo else None),
        )

    def animate(self, surface: pygame.Surface, sheet: Sheet, frame: CameraPageFrame, now: Micros) -> None:
        """Draw the picture."""
        self.draw_picture(surface, sheet, frame.camera_input)
