"""Set-up page: players join by button, then choose names, seats, house rules."""

from collections.abc import Mapping

from msgspec.structs import replace

from companion.core.actions import Chair
from companion.system.terminal import to_printable
from companion.ui.board import stage_layout
from companion.ui.board.setup_overlays import (
    SETUP_OVERLAYS,
    choose_side_action,
    game_summary,
    join_action,
    player_count_action,
    typing_action,
)
from companion.ui.commands import ShowPage, StartGame
from companion.ui.frame import SetupFrame
from companion.ui.layout import Box, around
from companion.ui.overlays.dialog import button_widths
from companion.ui.pages.base import OverlayPainter, Page
from companion.ui.toolkit import inputs
from companion.ui.toolkit.chair_tiles import in_screen_order, shorten_name
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import (
    DARK,
    EDGE,
    FELT,
    GOLD,
    RAISED,
    SHAPES,
    SOFT,
    TEXT,
    Colour,
    blend,
    dim_to_contrast,
    ink_on,
    plate_ground,
)


class SetupPage(Page[SetupFrame]):
    """A table gathers; the draft of the game lies on the glass."""

    def overlays(self, frame: SetupFrame) -> Mapping[str, OverlayPainter[SetupFrame]]:
        return SETUP_OVERLAYS

    def find_default_focus(self, frame: SetupFrame) -> str:
        """To begin, once enough people are in; until then the next player sits down."""
        joined_already = frame.ui_state.draft.chairs
        free = (
            one for one in in_screen_order(frame.ui_state, range(frame.chairs)) if one not in joined_already
        )
        ready = len(joined_already) in frame.players
        return "start" if ready else f"chair:{next(free, 0)}"

    def escape_action(self, frame: SetupFrame) -> TouchAction:
        return (
            touch_action(overlay="", typed="") if frame.ui_state.overlay else touch_action(ShowPage("home"))
        )

    def chair_press_action(self, frame: SetupFrame, chair: Chair) -> TouchAction:
        if frame.ui_state.overlay == "sides" and chair < frame.chairs:
            return choose_side_action(frame, chair)
        if frame.ui_state.overlay or chair >= frame.chairs:
            return TouchAction()
        return join_action(frame, chair)

    def chair_hold_action(self, frame: SetupFrame, chair: Chair) -> TouchAction:
        """As on the home page: a player who has joined may begin."""
        if frame.ui_state.overlay or chair not in frame.ui_state.draft.chairs:
            return TouchAction()
        start = self._start_command(frame)
        return (
            touch_action(start)
            if start
            else player_count_action(frame.ui_state.draft.game, self.words(frame))
        )

    def text_key_action(self, frame: SetupFrame, key: inputs.KeyPressed) -> TouchAction | None:
        return typing_action(frame, key) if frame.ui_state.overlay == "name" else None

    def paint(self, sheet: Sheet, frame: SetupFrame) -> None:
        gap = sheet.em(0.5)
        draft = frame.ui_state.draft
        head = Box(gap, gap, sheet.rect.w - 2 * gap, sheet.em(2.9))
        asked = "ui.home.ready" if len(draft.chairs) in frame.players else "ui.setup.join"
        sheet.text(head, sheet.tr(asked), 2.2, TEXT, bold=True, align="center")
        hint = Box(head.x, head.bottom, head.w, sheet.em(1.5))
        count = sheet.tr(
            "ui.setup.count", players=len(draft.chairs), least=frame.players[0], most=frame.players[-1]
        )
        name = sheet.tr(f"{draft.game}.name")
        sheet.text(hint, f"{name}. {count}", 1.15, SOFT, align="center")
        upright = sheet.rect.h > sheet.rect.w
        foot = Box(gap, 0, sheet.rect.w - 2 * gap, sheet.em(2.6) * (1 + upright))
        foot = foot._replace(y=sheet.rect.bottom - gap - foot.h)
        body = Box(gap, hint.bottom + gap // 2, foot.w, foot.y - hint.bottom - gap - gap // 2)
        if frame.mixed_sources or frame.trouble is not None:
            line = Box(body.x, body.bottom - sheet.em(2.4), body.w, sheet.em(2.4))
            told = sheet.tr("ui.setup.mixed") if frame.trouble is None else sheet.sentence(frame.trouble)
            sheet.text(line, told, 1.0, GOLD, align="center")
            body = body._replace(h=body.h - sheet.em(2.6))
        self._paint_chairs(sheet, body, frame)
        self._paint_buttons(sheet, foot, frame)

    def _paint_chairs(self, sheet: Sheet, body: Box, frame: SetupFrame) -> None:
        """All chairs as they stand round the table: the unused ones dark."""
        gap = sheet.em(0.4)
        width = body.w * 31 // 100
        table = Box(body.x + width + gap, body.y, body.w - 2 * (width + gap), body.h)
        sheet.box(table, FELT, blend(FELT, TEXT, 0.18), radius=1.2)
        middle = table.inflate(-sheet.em(1), -sheet.em(0.8))
        if len(frame.ui_state.draft.chairs) in frame.with_bot:
            middle = self._paint_bot_choice(sheet, middle, frame)
        if frame.prepare:
            self._paint_preparation(sheet, middle, frame)
        else:
            button = Box(middle.x, middle.bottom - sheet.em(2.6), middle.w, sheet.em(2.6))
            sheet.button(button, sheet.tr("ui.setup.sides"), "sides", touch_action(overlay="sides"))
            words = Box(middle.x, middle.y, middle.w, button.y - middle.y)
            sheet.text(words, sheet.tr("ui.setup.clockwise"), 1.3, blend(SOFT, TEXT, 0.4), align="center")
        order = in_screen_order(frame.ui_state, range(frame.chairs))
        for rect, chair in zip(stage_layout.panel_rects(frame.chairs, body, width, gap), order, strict=True):
            self._paint_chair(sheet, rect, chair, frame)

    def _paint_bot_choice(self, sheet: Sheet, rect: Box, frame: SetupFrame) -> Box:
        """Whether a deck is dealt that nobody holds; returns what is left of the table."""
        draft = frame.ui_state.draft
        words = sheet.tr("ui.setup.bot_off" if draft.bot else "ui.setup.bot")
        fitted = sheet.painter.fit_text(words, rect.w - sheet.em(0.6), rect.h, 1.0, bold=True)
        high = max(sheet.em(2.0), len(fitted.lines) * sheet.line_height + sheet.em(0.4))
        button = Box(rect.x, rect.bottom - high, rect.w, high)
        toggled = touch_action(draft=replace(draft, bot=not draft.bot))
        sheet.button(button, words, "bot", toggled, bold=draft.bot, chosen=draft.bot)
        return Box(rect.x, rect.y, rect.w, rect.h - button.h - sheet.em(0.3))

    def _paint_preparation(self, sheet: Sheet, rect: Box, frame: SetupFrame) -> None:
        """What is done with the real cards, one step below the other."""
        steps = [sheet.sentence(step) for step in frame.prepare]
        side, line = sheet.em(1.5), sheet.line_height
        width = rect.w - side - sheet.em(0.4)
        lines = [len(sheet.painter.fit_text(step, width, 9 * sheet.unit, 1.0).lines) for step in steps]
        spare = max(0, rect.h - sum(lines) * line) // len(steps)
        top = rect.y
        for place, (step, needed) in enumerate(zip(steps, lines, strict=True), 1):
            row = Box(rect.x, top, rect.w, needed * line + spare)
            number = Box(row.x, row.centery - side // 2, side, side)
            sheet.box(number, RAISED, radius=0.75)
            sheet.text(number, str(place), 1.0, TEXT, bold=True, align="center")
            sheet.text(Box(row.right - width, row.y, width, row.h), step, 1.25, TEXT)
            top = row.bottom

    def _paint_chair(self, sheet: Sheet, rect: Box, chair: Chair, frame: SetupFrame) -> None:
        draft = frame.ui_state.draft
        colour = sheet.colour(chair)
        radius = min(rect.h * 36 // 100, sheet.em(1.5))
        centre = (rect.x + radius + sheet.em(0.5), rect.centery)
        words = Box(centre[0] + radius + sheet.em(0.5), rect.y, 0, rect.h)
        words = words._replace(w=rect.right - words.x - sheet.em(0.3))
        if chair in draft.chairs:
            sheet.box(rect, plate_ground(colour), TEXT if chair in frame.down else colour, width=0.16)
            sheet.badge(centre, radius, chair)
            name = to_printable(dict(draft.names).get(chair, "")) or sheet.name(chair)
            if sheet.painter.fit_text(name, words.w, words.h, 1.0, bold=True).breaks_syllable:
                # a long name has the whole width, under its avatar
                words = Box(rect.x, centre[1] + radius, rect.w, rect.bottom - centre[1] - radius)
                name = shorten_name(sheet, name, words.w - sheet.em(0.4))
                sheet.text(words.move(sheet.em(0.2), 0), name, 1.0, TEXT, bold=True)
            else:
                sheet.text(words, name, 1.5, TEXT, bold=True)
            sheet.target(f"chair:{chair}", rect, touch_action(overlay="chair", about=chair))
            return
        sheet.box(rect, DARK, EDGE, width=0.06)
        faint = dim_to_contrast(colour, DARK)
        sheet.picture(sheet.art.chair_shape(SHAPES[chair], radius, faint, None), centre)
        number = around(centre, 2 * radius, 2 * radius)
        sheet.text(number, str(chair + 1), max(1.0, radius / sheet.unit), ink_on(faint), align="center")
        sheet.text(words, sheet.tr("ui.setup.free"), 1.0, SOFT)
        sheet.target(f"chair:{chair}", rect, join_action(frame, chair))

    def _paint_buttons(self, sheet: Sheet, rect: Box, frame: SetupFrame) -> None:
        draft = frame.ui_state.draft
        options = draft.options or frame.options
        begins = self._start_command(frame)
        start = None if begins is None else touch_action(begins)
        entries: list[tuple[str, str, TouchAction | None, Colour]] = [
            ("ui.setup.start", "start", start, GOLD),
            (
                "ui.setup.about",
                "about",
                touch_action(overlay="about") if game_summary(draft.game)[0].key in sheet.words else None,
                RAISED,
            ),
            ("ui.setup.rules", "rules", touch_action(overlay="rules") if options else None, RAISED),
            ("ui.settings", "settings", touch_action(overlay="settings"), RAISED),
            ("ui.setup.clear", "clear", self._clear_seats_action(frame), RAISED),
            ("ui.home", "home", touch_action(ShowPage("home")), RAISED),
        ]
        gap = sheet.em(0.4)
        rows = 2 if sheet.rect.h > sheet.rect.w else 1
        high, each = (rect.h + gap) // rows - gap, len(entries) // rows
        for row in range(rows):
            among = entries[row * each : (row + 1) * each]
            wide = button_widths(sheet, [sheet.tr(words) for words, *_ in among], rect.w, high)
            left, top = rect.x, rect.y + row * (high + gap)
            for width, (words, key, does, fill) in zip(wide, among, strict=True):
                cell = Box(left, top, width, high)
                left = cell.right + gap
                sheet.button(cell, sheet.tr(words), key, does, fill=fill, scale=1.2, bold=key == "start")

    def _start_command(self, frame: SetupFrame) -> StartGame | None:
        """The game, once enough people are in."""
        draft = frame.ui_state.draft
        if len(draft.chairs) not in frame.players:
            return None
        bot = draft.bot and len(draft.chairs) in frame.with_bot
        return StartGame(draft.game, draft.chairs, draft.options or frame.options, draft.names, bot)

    def _clear_seats_action(self, frame: SetupFrame) -> TouchAction | None:
        draft = frame.ui_state.draft
        return touch_action(draft=replace(draft, chairs=(), names=())) if draft.chairs else None
