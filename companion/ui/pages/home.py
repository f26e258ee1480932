"""The page where people sit down: to a game that they choose by its cover, or that is set up here alone."""

import math
from collections.abc import Mapping, Sequence

import pygame
from msgspec.structs import replace

from companion.core.actions import Chair, Micros
from companion.core.game import NO_COVER
from companion.ui.board.setup_overlays import (
    SETUP_OVERLAYS,
    choose_side_action,
    game_summary,
    player_count_action,
    typing_action,
    with_player,
    without_player,
)
from companion.ui.commands import ShowPage, StartGame
from companion.ui.frame import ClubAssignment, GameOffer, HomeFrame
from companion.ui.layout import FILL, Box, around, columns, grid, rows, stack
from companion.ui.overlays import home_dialogs
from companion.ui.overlays.dialog import DialogButton
from companion.ui.pages.base import InputResult, OverlayPainter, Page, PageResources
from companion.ui.toolkit import game_covers, inputs
from companion.ui.toolkit.chair_tiles import in_screen_order
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.theme import GOLD, GROUND, INK, LOOK, RAISED, SOFT, TEXT, blend
from companion.ui.toolkit.widgets import (
    draw_press_sign,
    paint_avatar,
    paint_felt,
    paint_halo,
    paint_signed_label,
)

INNER = 1.3
"""So much of the largest seat's height reaches into the felt from above and below."""


def seat_centres(chairs: int, rim: Box) -> tuple[tuple[int, int], ...]:
    """The middle of every seat, clockwise from the bottom left: as many left as the plates of a game."""
    square = LOOK.home["square"]
    found = []
    for chair in range(chairs):
        left = chairs // 2
        among = left if chair < left else chairs - left
        half = (chair if chair < left else chair - left) + 0.5
        turn = math.pi * (half / among) + (math.pi / 2 if chair < left else -math.pi / 2)
        x, y = math.cos(turn), math.sin(turn)
        reach = (abs(x) ** square + abs(y) ** square) ** (-1 / square)
        found.append((round(rim.centerx + x * reach * rim.w / 2), round(rim.centery + y * reach * rim.h / 2)))
    return tuple(found)


def paint_seating_table(sheet: Sheet, room: Box, frame: HomeFrame, sits: dict[Chair, TouchAction]) -> Box:
    """Paint it as large as there is room; returns the middle of its felt. `sits`: what touching does."""
    joined = sheet.u(LOOK.home["joined"])
    wide, high = (sheet.u(LOOK.home[name]) for name in ("table_wide", "table_high"))
    share = min((room.w - joined) / wide, (room.h - joined) / high, 1.35)
    joined = min(joined, round(joined * share))
    small = round(joined * LOOK.home["avatar"] / LOOK.home["joined"])
    rim = stack(room, round(wide * share), round(high * share))
    paint_felt(sheet, rim)
    draft = frame.ui_state.draft
    order = in_screen_order(frame.ui_state, range(frame.chairs))
    places = dict(zip(order, seat_centres(frame.chairs, rim), strict=True))
    for chair, place in places.items():
        if chair in draft.chairs:
            paint_halo(sheet, place, joined)
    for chair, place in places.items():
        if chair in draft.chairs:
            paint_avatar(sheet, place, joined, chair, lit=chair not in frame.down)
        else:
            sheet.badge(place, small * 10 // 26, chair, edge=TEXT if chair in frame.down else GROUND)
        sheet.target(f"chair:{chair}", around(place, joined, joined), sits[chair])
    return rim.inflate(-joined - small // 2, -round(joined * INNER))


COVER_INTERVAL: Micros = 30_000
"""From one cover's picture to the next."""
UPRIGHT = 1.1
"""A screen this many times as high as wide has the table below the covers."""
ALL = 100


class HomePage(Page[HomeFrame]):
    """Where everything begins.

    The pictures of the covers are opened one by one, each after what is ready stands on the screen.
    """

    def __init__(self, screen: PageResources) -> None:
        super().__init__(screen)
        self._pictures: dict[tuple[str, game_covers.Size], pygame.Surface] = {}
        self._wanted: dict[str, game_covers.Size] = {}
        """How large the pictures are that the page was painted for."""

    # What people do ---------------------------------------------------------------------------------------

    def overlays(self, frame: HomeFrame) -> Mapping[str, OverlayPainter[HomeFrame]]:
        shown: dict[str, OverlayPainter[HomeFrame]] = {**SETUP_OVERLAYS, **home_dialogs.DIALOGS}
        if frame.is_setup:
            return shown
        offer = find_chosen_offer(frame)
        shown["play"] = paint_game_choice
        shown["more"] = lambda sheet, frame: home_dialogs.paint_more_buttons(
            sheet, _split_buttons(sheet, _split_page(sheet)[2], home_dialogs.home_buttons(frame, offer))[1]
        )
        kind, colon, what = frame.ui_state.overlay.partition(":")
        if colon:
            paint = home_dialogs.DIALOGS_ABOUT[kind + colon]
            shown[frame.ui_state.overlay] = lambda sheet, frame: paint(sheet, frame, what)
        return shown

    def escape_action(self, frame: HomeFrame) -> TouchAction:
        if frame.ui_state.overlay:
            return touch_action(overlay="", typed="")
        if frame.is_setup:
            return touch_action(ShowPage("home"))
        # On an appliance there is nothing to leave for, and who holds `back` on wants to switch off.
        return touch_action() if frame.machine.power else touch_action(overlay="quit")

    def find_default_focus(self, frame: HomeFrame) -> str:
        overlay, draft = frame.ui_state.overlay, frame.ui_state.draft
        if overlay:
            usual = {"update": "close", home_dialogs.PIN: "digit:1"}
            usual |= dict.fromkeys((home_dialogs.LESSONS, "play"), draft.game)
            return usual.get(overlay.partition(":")[0] + ":" * (":" in overlay), "easy")
        if start_command(frame) is not None:
            return "start"
        if frame.is_setup:
            order = in_screen_order(frame.ui_state, range(frame.chairs))
            return f"chair:{next((one for one in order if one not in draft.chairs), 0)}"
        return "resume" if frame.games and not draft.chairs else f"game:{draft.game}"

    def text_key_action(self, frame: HomeFrame, key: inputs.KeyPressed) -> TouchAction | None:
        return typing_action(frame, key) if frame.ui_state.overlay == "name" else None

    def handle(self, entered: inputs.Input, frame: HomeFrame) -> InputResult:
        """As `Page.handle`; in what lies over the page anybody's button steps, and chooses when held."""
        if frame.ui_state.overlay not in {"", "sides"} and getattr(entered, "chair", None) is not None:
            return self.step_by_chair(entered, frame)
        return super().handle(entered, frame)

    def chair_press_action(self, frame: HomeFrame, chair: Chair) -> TouchAction:
        """Who is not in is from now on; who is may be about to hold the button, or to get up."""
        ui_state = frame.ui_state
        if chair >= frame.chairs:
            return TouchAction()
        if ui_state.overlay == "sides":
            return choose_side_action(frame, chair)
        if chair in ui_state.draft.chairs:
            return touch_action(leaving=(*ui_state.leaving, chair))
        return touch_action(draft=with_player(ui_state.draft, chair, frame.names))

    def chair_hold_action(self, frame: HomeFrame, chair: Chair) -> TouchAction:
        start = start_action(frame)
        if not is_game_settled(frame) and chair in frame.ui_state.leaving:  # not who sits down by this press
            start = touch_action(overlay="play")
        waits = tuple(one for one in frame.ui_state.leaving if one != chair)
        if frame.ui_state.overlay or chair not in frame.ui_state.draft.chairs:
            return touch_action(leaving=waits)
        if start is None:
            offer = find_chosen_offer(frame)
            early = TouchAction() if offer is None else player_count_action(offer.game, self.words(frame))
            return replace(early, changes=(("leaving", waits),))
        return replace(start, changes=(*start.changes, ("leaving", ())))

    def chair_release_action(self, frame: HomeFrame, chair: Chair) -> TouchAction:
        """A tap gets a player who sat down up again; one who sits there from last time stays."""
        ui_state = frame.ui_state
        if chair not in ui_state.leaving:
            return TouchAction()
        waits = tuple(one for one in ui_state.leaving if one != chair)
        draft = ui_state.draft
        if chair in draft.last and chair not in draft.here:
            return touch_action(leaving=waits, draft=replace(draft, here=(*draft.here, chair)))
        return touch_action(leaving=waits, draft=_draft_without(frame, chair))

    # Painting ---------------------------------------------------------------------------------------------

    def redraw_interval(self, frame: HomeFrame) -> Micros:
        return COVER_INTERVAL if self._find_undrawn_cover(frame) else 0

    def draw(self, surface: pygame.Surface, frame: HomeFrame, now: Micros) -> None:
        """As `PageHandler.draw`; one missing cover is drawn at each call, so that no frame is late."""
        missing = self._find_undrawn_cover(frame)
        if missing is not None and surface.get_size() == self.resources.size:
            corner = round(LOOK.radius["plate"] * self.resources.painter.height / ALL)
            size = self._wanted[missing.game]
            self._pictures[missing.game, size] = game_covers.draw_cover_picture(
                self.resources.art, missing.cover, size, corner
            )
            self._painted = None
        super().draw(surface, frame, now)

    def _find_undrawn_cover(self, frame: HomeFrame) -> GameOffer | None:
        """A cover without its picture, on a page that stands on the screen already."""
        wanted = ((offer, self._wanted.get(offer.game)) for offer in frame.offered if offer.cover != NO_COVER)
        return next(
            (offer for offer, size in wanted if size and (offer.game, size) not in self._pictures), None
        )

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        head, body, foot = _split_page(sheet)
        offer = find_chosen_offer(frame)
        body, found = _paint_notes(sheet, body, frame)
        headline = "ui.title" if offer is None else "ui.setup.join"
        if start_command(frame) is not None:
            headline = "ui.home.ready" if is_game_settled(frame) else "ui.home.choose"
        sheet.text(
            head, sheet.tr(headline), LOOK.type["prompt"] * LOOK.text["smallest"] / ALL, TEXT, bold=True
        )
        if offer is None:
            sheet.text(body, sheet.tr("ui.title.lead"), 1.3, SOFT, align="center")
            _paint_buttons(sheet, foot, frame, offer)
        else:
            left, right = _split_body(sheet, body)
            _paint_seating(sheet, right, frame, offer)
            sat, sheet.targets[:] = sheet.targets[:], ()
            set_up = [] if frame.is_setup else [sat.pop()]  # painted after the seats, walked to from Start
            if frame.is_setup:
                left = _paint_setup_buttons(sheet, left, frame, offer)
            self._paint_covers(sheet, left, frame, (offer,) if frame.is_setup else frame.offered)
            _paint_start_button(sheet, _start_button_rect(sheet, foot), frame, offer)
            sheet.targets += set_up
            _paint_buttons(sheet, foot, frame, offer)
            sheet.targets += sat  # walked to last: people sit down by their buttons
        if frame.doctor:
            sheet.target("doctor", found, home_dialogs.findings_action(frame.doctor))

    def _paint_covers(self, sheet: Sheet, rect: Box, frame: HomeFrame, offered: Sequence[GameOffer]) -> None:
        """The games to choose from; one that is set up is chosen already, and its art is large."""
        at = game_covers.layout_covers(sheet, rect, offered)
        picked = {
            offer.game: touch_action(draft=_draft_for_game(frame, offer.game), focus="")
            for offer in offered
            if not frame.is_setup
        }
        chosen = frame.ui_state.draft.game if picked else ""
        game_covers.paint_covers(sheet, at, offered, chosen, picked)
        self._wanted = {}
        for picture, offer in zip(at.pictures, offered, strict=True):
            if picture.h < sheet.u(LOOK.home["art"]):
                continue
            size = self._wanted[offer.game] = picture.size
            ready = self._pictures.get((offer.game, size))
            if ready is not None:
                sheet.surface.blit(ready, picture)
        game_covers.paint_player_counts(sheet, at, offered, chosen)


def _split_page(sheet: Sheet) -> tuple[Box, Box, Box]:
    """The sentence, what is chosen, and the line of buttons below it."""
    edge, wide, high = sheet.u(LOOK.home["edge"]), sheet.rect.w, sheet.rect.h
    upright = _is_upright(sheet)
    top = sheet.u(LOOK.home["head_top"])
    head_end = sheet.u(LOOK.home["head_upright" if upright else "head_end"])
    low = high - sheet.u(ALL - LOOK.home["foot_end"])
    line = sheet.u(LOOK.home["foot_end"] - LOOK.home["foot_top"])
    foot_top = low - (2 * line + edge // 2 if upright else line)
    body_top = head_end + sheet.u(LOOK.home["body_top"] - LOOK.home["head_end"])
    body_end = foot_top - sheet.u(LOOK.home["foot_top"] - LOOK.home["body_end"])
    return (
        Box(edge, top, wide - 2 * edge, head_end - top),
        Box(edge, body_top, wide - 2 * edge, body_end - body_top),
        Box(edge, foot_top, wide - 2 * edge, low - foot_top),
    )


def _is_upright(sheet: Sheet) -> bool:
    return sheet.rect.h > UPRIGHT * sheet.rect.w


def _split_body(sheet: Sheet, body: Box) -> tuple[Box, Box]:
    """Where the covers stand, and where the table does: beside or below them."""
    gap = sheet.u(LOOK.home["gap"])
    if _is_upright(sheet):
        high = body.h // 2
        return (
            Box(body.x, body.y, body.w, high - gap),
            Box(body.x, body.y + high, body.w, body.h - high),
        )
    split = round(sheet.rect.w * LOOK.home["split"] / ALL)
    return (
        Box(body.x, body.y, split - body.x, body.h),
        Box(split + gap, body.y, sheet.rect.w - split - 2 * gap, body.h),
    )


def find_chosen_offer(frame: HomeFrame) -> GameOffer | None:
    """The game that a hold would begin."""
    return next((offer for offer in frame.offered if offer.game == frame.ui_state.draft.game), None) or next(
        iter(frame.offered), None
    )


def is_game_settled(frame: HomeFrame) -> bool:
    """Whether a hold begins the game; where there is only one it need not be chosen."""
    return frame.is_setup or frame.ui_state.draft.is_settled or len(frame.offered) < 2


def start_command(frame: HomeFrame) -> StartGame | None:
    """The game, once enough people are in and not too many."""
    offer, draft = find_chosen_offer(frame), frame.ui_state.draft
    if offer is None or not offer.least <= len(draft.chairs) <= offer.most:
        return None
    bot = draft.bot and (len(draft.chairs), True) in offer.tables
    return StartGame(offer.game, draft.chairs, draft.options or frame.options, draft.names, bot)


def start_action(frame: HomeFrame) -> TouchAction | None:
    """What a hold does: people make the table ready, or where nothing is told of that, it begins the game."""
    start = start_command(frame)
    if start is None:
        return None
    return touch_action(ShowPage("prepare", start.game) if frame.steps else start)


def _paint_notes(sheet: Sheet, body: Box, frame: HomeFrame) -> tuple[Box, Box]:
    """What is wrong, the most important first, and what a club wants, in strips at the foot.

    The last strip says how much more there is. Returns the rest, and where a finger asks more.
    """
    most = 2 if frame.club_assignment is None else 1
    notes = [*([frame.trouble] if frame.trouble else []), *frame.doctor]
    told = [sheet.sentence(note) for note in notes]
    if len(told) > most:
        told[most - 1 :] = [sheet.tr("ui.wrong.more", count=len(told) - most + 1)]
    gap, end = sheet.u(LOOK.line["asked"]), body.bottom
    for words in reversed(told):
        body = sheet.paint_warning(body, words)
    found = Box(body.x, body.bottom, body.w, end + gap - body.bottom)  # a finger has the gap below too
    if frame.club_assignment is not None:
        body = sheet.paint_warning(body, _assignment_text(sheet, frame.club_assignment), RAISED, TEXT)
    return body.inset(bottom=gap if body.bottom < end else 0), found


def _assignment_text(sheet: Sheet, task: ClubAssignment) -> str:
    """What the club's desk wants played here, by whom."""
    known = f"{task.game}.name" in sheet.words
    game = sheet.tr(f"{task.game}.name" if known else "ui.next_here.any")
    if not task.players:
        return sheet.tr("ui.next_here.anybody", round=task.round, game=game)
    return sheet.tr("ui.next_here", round=task.round, game=game, people=", ".join(task.players))


def _draft_for_game(frame: HomeFrame, game: str) -> object:
    """The draft with the game that somebody chose; its house rules are not those of the one before."""
    draft = replace(frame.ui_state.draft, chosen=True)
    return draft if game == draft.game else replace(draft, game=game, options=None, box="", bot=False)


def paint_game_choice(sheet: Sheet, frame: HomeFrame) -> None:
    """Which game: the marked one begins, another is chosen, or a box of its cupboard."""
    marked, choices = find_chosen_offer(frame), []
    for offer in frame.offered:
        over = "presets" if offer.boxed else ""
        onto = touch_action(draft=_draft_for_game(frame, offer.game), overlay=over)
        if offer == marked and not over:
            onto = start_action(frame) or onto
        choices.append(home_dialogs.game_choice(sheet, offer, game_covers.player_range(offer), onto))
    home_dialogs.paint_steps(sheet, sheet.tr("ui.home.which"), choices, touch_action(overlay=""))


def _draft_without(frame: HomeFrame, chair: Chair) -> object:
    draft = frame.ui_state.draft
    return replace(without_player(draft, chair), here=(*draft.here, chair))


def _paint_seating(sheet: Sheet, room: Box, frame: HomeFrame, offer: GameOffer) -> None:
    """The seats, how many are in, and the way to set-up."""
    draft = frame.ui_state.draft
    menu = {chair: touch_action(overlay="chair", about=chair) for chair in draft.chairs if frame.is_setup}
    sits = {
        chair: menu.get(chair) or touch_action(draft=_draft_without(frame, chair))
        if chair in draft.chairs
        else touch_action(draft=with_player(draft, chair, frame.names))
        for chair in range(frame.chairs)
    }
    middle = paint_seating_table(sheet, room, frame, sits)
    number = LOOK.home["number"] * LOOK.text["smallest"] / ALL
    soft = blend(SOFT, TEXT, 0.6)
    lines = [(str(len(draft.chairs)), number, TEXT, True), (sheet.tr("ui.home.in"), 1.0, TEXT, True)]
    if not offer.least <= len(draft.chairs) <= offer.most:
        needs = sheet.tr("ui.players", least=offer.least, most=offer.most)
        lines.append((needs, 1.0, soft, False))
    elif draft.is_again:
        lines.append((sheet.tr("ui.home.last"), 1.0, soft, False))
    room, button = rows(middle, FILL, 0 if frame.is_setup else sheet.em(1.7), gap=sheet.em(0.2))
    fitted = [
        len(sheet.painter.fit_text(words, room.w, room.h, scale, bold=bold).lines)
        * sheet.painter.line_height(scale)
        for words, scale, _, bold in lines
    ]
    spare = room.h - sum(fitted)  # where there is none, the number stands higher, between the seats
    top = room.y + (spare // 2 if spare > 0 else spare)
    for (words, scale, colour, bold), high in zip(lines, fitted, strict=True):
        sheet.text(Box(room.x, top, room.w, high), words, scale, colour, bold=bold, align="center")
        top += high
    if not frame.is_setup:
        onto = touch_action(ShowPage("setup", offer.game))
        sheet.button(button, sheet.tr("ui.home.set_up"), "set_up", onto)


def _start_button_rect(sheet: Sheet, foot: Box) -> Box:
    if _is_upright(sheet):
        line = sheet.u(LOOK.home["foot_end"] - LOOK.home["foot_top"])
        return Box(foot.x, foot.y, foot.w, line)
    wide = round(sheet.rect.w * LOOK.home["start"] / ALL)
    return Box(foot.right - wide, foot.y, wide, foot.h)


def _paint_start_button(sheet: Sheet, rect: Box, frame: HomeFrame, offer: GameOffer) -> None:
    """It can be touched; the sign says that a chair's own button is held."""
    start = start_action(frame)
    if start is None:
        return
    sheet.button(rect, "", "start", start, fill=GOLD)
    box, side = frame.taken_box, sheet.em(1.1)
    name = sheet.tr(f"{offer.game}.name") if box is None else sheet.sentence(box.title)
    words = sheet.tr("ui.home.start", game=name)
    if sheet.text_width(words, bold=True) > rect.w - side - 3 * sheet.em(0.4):
        words = sheet.tr("ui.prepare.start")  # which game is seen above
    if not is_game_settled(frame):
        sheet.text(rect, words, 1.0, INK, bold=True, align="center")
        return
    paint_signed_label(sheet, rect, draw_press_sign(sheet, "hold", side, INK), words, INK)


def _paint_setup_buttons(sheet: Sheet, left: Box, frame: HomeFrame, offer: GameOffer) -> Box:
    """What is settled before a game, below its art; returns the room for the art."""
    draft, gap = frame.ui_state.draft, sheet.em(0.4)
    listed = []
    if game_summary(offer.game)[0].key in sheet.words:
        listed.append(("ui.setup.about", "about", touch_action(overlay="about")))
    if draft.options or frame.options:
        if frame.presets:
            listed.append(("ui.setup.presets", "presets", touch_action(overlay="presets")))
        listed.append(("ui.setup.rules", "rules", touch_action(overlay="rules")))
    if (len(draft.chairs), True) in offer.tables:
        toggled = touch_action(draft=replace(draft, bot=not draft.bot))
        listed.append((f"ui.setup.bot{'_off' if draft.bot else ''}", "bot", toggled))
    if not listed:
        return left
    art, row = rows(left, FILL, max(sheet.em(2.4), sheet.min_touch_height), gap=gap)
    cells = grid(row, len(listed), len(listed), gap=gap)
    for place, (words, key, does) in zip(cells, listed, strict=True):
        sheet.button(place, sheet.tr(words), key, does, bold=True, chosen=key == "bot" and draft.bot)
    return art


def _paint_buttons(sheet: Sheet, foot: Box, frame: HomeFrame, offer: GameOffer | None) -> None:
    """What can be done besides beginning: as many as there is room for, the others stand under More."""
    if frame.is_setup:
        clear = touch_action(draft=replace(frame.ui_state.draft, chairs=(), names=()))
        listed = (
            DialogButton("ui.home", "home", touch_action(ShowPage("home"))),
            DialogButton("ui.settings", "settings", touch_action(overlay="settings")),
            *([DialogButton("ui.setup.ask", "mixed", touch_action(overlay="mixed"))] * frame.mixed_sources),
            *([DialogButton("ui.setup.clear", "clear", clear)] if frame.ui_state.draft.chairs else []),
        )
        fitting, _ = _split_buttons(sheet, foot, listed)
    else:
        fitting, _ = _split_buttons(sheet, foot, home_dialogs.home_buttons(frame, offer))
        fitting = (*fitting, home_dialogs.MORE_BUTTON)
    row = _button_row(sheet, foot)
    wide = [_button_width(sheet, row, one.words) for one in fitting]
    for cell, one in zip(columns(row, *wide, gap=sheet.em(0.35)), fitting, strict=True):
        place = cell._replace(w=min(cell.w, row.right - cell.x))
        sheet.button(place, sheet.tr(one.words), one.key, one.action, fill=RAISED, bold=True)


def _button_row(sheet: Sheet, foot: Box) -> Box:
    """Beside the button that begins, or on an upright screen below it."""
    row = stack(foot, foot.w, sheet.u(LOOK.home["foot_end"] - LOOK.home["foot_top"]), "bottom")
    if _is_upright(sheet):
        return row
    return row._replace(w=_start_button_rect(sheet, foot).x - 2 * sheet.em(0.35) - row.x)


def _button_width(sheet: Sheet, row: Box, words: str) -> int:
    large = min(LOOK.text["large"], row.h / sheet.line_height) if sheet.frame.ui_state.large else 1.0
    return max(sheet.em(2.6), sheet.text_width(sheet.tr(words), large, bold=True) + sheet.em(1.0))


MOST = 4
"""Beside More: go on, learn, practise, past games."""


def _split_buttons(
    sheet: Sheet, foot: Box, listed: Sequence[DialogButton]
) -> tuple[tuple[DialogButton, ...], tuple[DialogButton, ...]]:
    """Those that the foot has room for, and the others."""
    row, gap = _button_row(sheet, foot), sheet.em(0.35)
    used, fits = _button_width(sheet, row, home_dialogs.MORE_BUTTON.words), 0
    for one in listed[:MOST]:
        used += gap + _button_width(sheet, row, one.words)
        if used > row.w:
            break
        fits += 1
    return tuple(listed[:fits]), tuple(listed[fits:])
