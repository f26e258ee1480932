"""Home: a game is chosen by its cover, people sit down by their buttons, and one hold begins it."""

from collections.abc import Mapping, Sequence

import pygame
from msgspec.structs import replace

from companion.core.actions import Chair, Micros
from companion.ui import covers
from companion.ui.commands import Show, Start
from companion.ui.frame import HomeFrame, NextHere, Offer
from companion.ui.gather import for_whom, seated, without
from companion.ui.kit import sign
from companion.ui.overlays import begin
from companion.ui.overlays.help import page_help
from companion.ui.overlays.leaf import Foot
from companion.ui.pages.base import Over, Page
from companion.ui.round_table import round_table
from companion.ui.screen import Screen
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import GOLD, INK, LOOK, RAISED, SOFT, TEXT, mixed

SOON: Micros = 30_000
"""From one cover's picture to the next."""
UPRIGHT = 1.1
"""A screen this many times as high as wide has the table below the covers."""
ALL = 100


class HomePage(Page[HomeFrame]):
    """Where everything begins.

    The pictures of the covers are opened one by one, each after what is ready stands on the screen.
    """

    def __init__(self, screen: Screen) -> None:
        super().__init__(screen)
        self._pictures: dict[tuple[str, covers.Size], pygame.Surface] = {}
        self._wanted: dict[str, covers.Size] = {}
        """How large the pictures are that the page was painted for."""

    # What people do ---------------------------------------------------------------------------------------

    def overlays(self, frame: HomeFrame) -> Mapping[str, Over[HomeFrame]]:
        return {}  # painted with the page: `more` lists what its foot has no room for

    def escape(self, frame: HomeFrame) -> Deed:
        if frame.glass.overlay:
            return deed(overlay="")
        # On an appliance there is nothing to leave for, and who holds `back` on wants to switch off.
        return deed() if frame.machine.power else deed(overlay="quit")

    def likely(self, frame: HomeFrame) -> str:
        if frame.glass.overlay:
            if frame.glass.overlay.startswith(begin.PIN):
                return "digit:1"
            return "close" if frame.glass.overlay == "update" else "easy"
        if _start(frame) is not None:
            return "start"
        return "resume" if frame.games and not frame.glass.draft.chairs else f"game:{frame.glass.draft.game}"

    def chair_pressed(self, frame: HomeFrame, chair: Chair) -> Deed:
        """Who is not in is from now on; who is may be about to hold the button, or to get up."""
        glass = frame.glass
        if glass.overlay or chair >= frame.chairs:
            return Deed()
        if chair in glass.draft.chairs:
            return deed(leaving=(*glass.leaving, chair))
        return deed(draft=seated(glass.draft, chair, frame.names))

    def chair_held(self, frame: HomeFrame, chair: Chair) -> Deed:
        start = _start(frame)
        waits = tuple(one for one in frame.glass.leaving if one != chair)
        if frame.glass.overlay or chair not in frame.glass.draft.chairs:
            return deed(leaving=waits)
        if start is None:
            offer = _chosen(frame)
            early = Deed() if offer is None else for_whom(offer.game, self.words(frame))
            return replace(early, changes=(("leaving", waits),))
        return deed(start, leaving=())

    def chair_released(self, frame: HomeFrame, chair: Chair) -> Deed:
        """A tap gets a player who sat down up again; one who sits there from last time stays."""
        glass = frame.glass
        if chair not in glass.leaving:
            return Deed()
        waits = tuple(one for one in glass.leaving if one != chair)
        draft = glass.draft
        if chair in draft.last and chair not in draft.here:
            return deed(leaving=waits, draft=replace(draft, here=(*draft.here, chair)))
        return deed(leaving=waits, draft=_without(frame, chair))

    # Painting ---------------------------------------------------------------------------------------------

    def pace(self, frame: HomeFrame) -> Micros:
        return SOON if self._missing(frame) else 0

    def draw(self, surface: pygame.Surface, frame: HomeFrame, now: Micros) -> None:
        """As `Page.draw`; one missing cover is drawn at each call, so that no frame is late."""
        missing = self._missing(frame)
        if missing is not None and surface.get_size() == self.screen.size:
            corner = round(LOOK.radius["plate"] * self.screen.painter.height / ALL)
            size = self._wanted[missing.game]
            self._pictures[missing.game, size] = covers.picture(self.screen.art, missing.cover, size, corner)
            self._painted = None
        super().draw(surface, frame, now)

    def _missing(self, frame: HomeFrame) -> Offer | None:
        """A cover without its picture, on a page that stands on the screen already."""
        wanted = ((offer, self._wanted.get(offer.game)) for offer in frame.offered if offer.cover.faces)
        return next(
            (offer for offer, size in wanted if size and (offer.game, size) not in self._pictures), None
        )

    def paint(self, sheet: Sheet, frame: HomeFrame) -> None:
        head, body, foot = _thirds(sheet)
        most = 2 if frame.next_here is None else 1
        notes = [*([frame.trouble] if frame.trouble else []), *frame.doctor][:most]
        for note in notes:
            body = sheet.alarm(body, sheet.words.text(note, frame.names))
        if frame.next_here is not None:
            body = sheet.alarm(body, _next_here(sheet, frame.next_here), RAISED, TEXT)
        body.h -= sheet.u(LOOK.line["asked"]) if notes or frame.next_here is not None else 0
        sheet.text(
            head, _said(sheet, frame), LOOK.type["prompt"] * LOOK.text["smallest"] / ALL, TEXT, bold=True
        )
        offer = _chosen(frame)
        rest = begin.entries(frame, offer)
        if offer is not None:
            left, right = _halves(sheet, body)
            _table(sheet, right, frame, offer)
            sat, sheet.targets[:] = sheet.targets[:], ()
            self._covers(sheet, left, frame)
            _start_button(sheet, _start_place(sheet, foot), frame, offer)
            rest = _foot(sheet, foot, rest)
            sheet.targets += sat  # walked to last: people sit down by their buttons
        else:
            sheet.text(body, sheet.tr("ui.title.lead"), 1.3, SOFT, align="center")
            rest = _foot(sheet, foot, rest)
        if frame.glass.overlay:
            sheet.veil()
            _over(sheet, frame, rest)

    def _covers(self, sheet: Sheet, rect: pygame.Rect, frame: HomeFrame) -> None:
        at = covers.shelf(sheet, rect, frame.offered)
        picked = {offer.game: deed(draft=_of_game(frame, offer.game), focus="") for offer in frame.offered}
        covers.shown(sheet, at, frame.offered, frame.glass.draft.game, picked)
        self._wanted = {}
        for cell, offer in zip(at.cells, frame.offered, strict=True):
            if at.high < sheet.u(LOOK.home["art"]):
                continue
            size = self._wanted[offer.game] = (cell.w, at.high)
            ready = self._pictures.get((offer.game, size))
            if ready is not None:
                sheet.surface.blit(ready, cell)


def _thirds(sheet: Sheet) -> tuple[pygame.Rect, pygame.Rect, pygame.Rect]:
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
        pygame.Rect(edge, top, wide - 2 * edge, head_end - top),
        pygame.Rect(edge, body_top, wide - 2 * edge, body_end - body_top),
        pygame.Rect(edge, foot_top, wide - 2 * edge, low - foot_top),
    )


def _is_upright(sheet: Sheet) -> bool:
    return sheet.rect.h > UPRIGHT * sheet.rect.w


def _halves(sheet: Sheet, body: pygame.Rect) -> tuple[pygame.Rect, pygame.Rect]:
    """Where the covers stand, and where the table does: beside or below them."""
    gap = sheet.u(LOOK.home["gap"])
    if _is_upright(sheet):
        high = body.h // 2
        return (
            pygame.Rect(body.x, body.y, body.w, high - gap),
            pygame.Rect(body.x, body.y + high, body.w, body.h - high),
        )
    split = round(sheet.rect.w * LOOK.home["split"] / ALL)
    return (
        pygame.Rect(body.x, body.y, split - body.x, body.h),
        pygame.Rect(split + gap, body.y, sheet.rect.w - split - 2 * gap, body.h),
    )


def _chosen(frame: HomeFrame) -> Offer | None:
    return next((offer for offer in frame.offered if offer.game == frame.glass.draft.game), None) or next(
        iter(frame.offered), None
    )


def _start(frame: HomeFrame) -> Start | None:
    """What a hold begins, once enough people are in and not too many."""
    offer, draft = _chosen(frame), frame.glass.draft
    if offer is None or not offer.least <= len(draft.chairs) <= offer.most:
        return None
    bot = draft.bot and (len(draft.chairs), True) in offer.tables
    return Start(offer.game, draft.chairs, draft.options, draft.names, bot)


def _said(sheet: Sheet, frame: HomeFrame) -> str:
    if not frame.offered:
        return sheet.tr("ui.title")
    return sheet.tr("ui.setup.join" if _start(frame) is None else "ui.home.ready")


def _next_here(sheet: Sheet, task: NextHere) -> str:
    """What the club's desk wants played here, by whom."""
    known = f"{task.game}.name" in sheet.words
    game = sheet.tr(f"{task.game}.name" if known else "ui.next_here.any_game")
    if not task.players:
        return sheet.tr("ui.next_here.anybody", round=task.round, game=game)
    return sheet.tr("ui.next_here", round=task.round, game=game, people=", ".join(task.players))


def _of_game(frame: HomeFrame, game: str) -> object:
    """The draft with another game; its house rules are not those of the one before."""
    draft = frame.glass.draft
    return draft if game == draft.game else replace(draft, game=game, options=None, bot=False)


def _without(frame: HomeFrame, chair: Chair) -> object:
    draft = frame.glass.draft
    return replace(without(draft, chair), here=(*draft.here, chair))


def _table(sheet: Sheet, room: pygame.Rect, frame: HomeFrame, offer: Offer) -> None:
    """The seats, how many are in, and the way to names and house rules."""
    draft = frame.glass.draft
    sits = {
        chair: deed(draft=_without(frame, chair))
        if chair in draft.chairs
        else deed(draft=seated(draft, chair, frame.names))
        for chair in range(frame.chairs)
    }
    middle = round_table(sheet, room, frame, sits)
    number = LOOK.home["number"] * LOOK.text["smallest"] / ALL
    soft = mixed(SOFT, TEXT, 0.6)
    lines = [(str(len(draft.chairs)), number, TEXT, True), (sheet.tr("ui.home.in"), 1.0, TEXT, True)]
    if not offer.least <= len(draft.chairs) <= offer.most:
        needs = sheet.tr("ui.players", least=offer.least, most=offer.most)
        lines.append((needs, 1.0, soft, False))
    elif draft.chairs == draft.last:
        lines.append((sheet.tr("ui.home.last"), 1.0, soft, False))
    button = pygame.Rect(middle.x, 0, middle.w, sheet.em(1.7))
    button.bottom = middle.bottom
    room = pygame.Rect(middle.x, middle.y, middle.w, button.y - sheet.em(0.2) - middle.y)
    fitted = [
        len(sheet.painter.fit(words, room.w, room.h, scale, bold=bold).lines) * sheet.painter.line(scale)
        for words, scale, _, bold in lines
    ]
    spare = room.h - sum(fitted)  # where there is none, the number stands higher, between the seats
    top = room.y + (spare // 2 if spare > 0 else spare)
    for (words, scale, colour, bold), high in zip(lines, fitted, strict=True):
        sheet.text(pygame.Rect(room.x, top, room.w, high), words, scale, colour, bold=bold, align="center")
        top += high
    sheet.button(button, sheet.tr("ui.home.set_up"), "set_up", deed(Show("setup", offer.game)))


def _start_place(sheet: Sheet, foot: pygame.Rect) -> pygame.Rect:
    if _is_upright(sheet):
        line = sheet.u(LOOK.home["foot_end"] - LOOK.home["foot_top"])
        return pygame.Rect(foot.x, foot.y, foot.w, line)
    wide = round(sheet.rect.w * LOOK.home["start"] / ALL)
    return pygame.Rect(foot.right - wide, foot.y, wide, foot.h)


def _start_button(sheet: Sheet, rect: pygame.Rect, frame: HomeFrame, offer: Offer) -> None:
    """It can be touched; the sign says that a chair's own button is held."""
    start = _start(frame)
    if start is None:
        return
    sheet.button(rect, "", "start", deed(start), fill=GOLD)
    words, side = sheet.tr("ui.home.start", game=sheet.tr(f"{offer.game}.name")), sheet.em(1.1)
    gap = sheet.em(0.4)
    wide = min(rect.w - side - 3 * gap, sheet.painter.font(1.15, bold=True).size(words)[0] + 2)
    left = rect.centerx - (side + gap + wide) // 2
    sheet.picture(sign(sheet, "hold", side, INK), (left + side // 2, rect.centery))
    place = pygame.Rect(left + side + gap, rect.y, wide, rect.h)
    sheet.text(place, words, 1.15, INK, bold=True)


def _foot(sheet: Sheet, foot: pygame.Rect, listed: Sequence[Foot]) -> tuple[Foot, ...]:
    """As many as there is room for, and one that leads to the others, which are given back."""
    gap = sheet.em(0.35)
    line = sheet.u(LOOK.home["foot_end"] - LOOK.home["foot_top"])
    row = pygame.Rect(foot.x, foot.bottom - line, foot.w, line)
    if not _is_upright(sheet) and _start_place(sheet, foot).w:
        row.w = _start_place(sheet, foot).x - 2 * gap - row.x
    large = min(LOOK.text["large"], line / sheet.painter.line(1.0)) if sheet.frame.glass.large else 1.0
    font = sheet.painter.font(large, bold=True)

    def width(words: str) -> int:
        return font.size(sheet.tr(words))[0] + sheet.em(1.0)

    last = Foot("ui.home.more", "more", deed(overlay="more"))
    used, fits = width(last.words), 0
    for one in listed[:MOST]:
        used += gap + width(one.words)
        if used > row.w:
            break
        fits += 1
    left = row.x
    for one in (*listed[:fits], last):
        cell = pygame.Rect(left, row.y, min(width(one.words), row.right - left), row.h)
        sheet.button(cell, sheet.tr(one.words), one.key, one.does, fill=RAISED, bold=True)
        left = cell.right + gap
    return tuple(listed[fits:])


MOST = 4
"""Beside More: go on, learn, practise, past games."""


def _over(sheet: Sheet, frame: HomeFrame, rest: tuple[Foot, ...]) -> None:
    """What lies over the page."""
    overlay = frame.glass.overlay
    match overlay.partition(":")[0] + overlay.partition(":")[1]:
        case "help":
            page_help(sheet, frame)
        case "machine":
            begin.machine(sheet, frame)
        case "update":
            begin.update(sheet, frame)
        case begin.PIN:
            begin.owner_pin(sheet, frame, overlay.removeprefix(begin.PIN))
        case "more":
            begin.more(sheet, rest)
        case "quit":
            begin.leaving(sheet)
        case begin.PRACTICE:
            begin.against_whom(sheet, frame, overlay.removeprefix(begin.PRACTICE))
        case begin.LESSONS:
            begin.which_lesson(sheet, frame, overlay.removeprefix(begin.LESSONS))
        case begin.LEARN:
            begin.who_learns(sheet, frame, overlay.removeprefix(begin.LEARN))
