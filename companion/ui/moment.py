"""A verdict as a moment: the player's colour over the table, two words, what it is about, what now.

Words stand still from the first frame; only the colour comes in from the side, unless the screen is calm.
"""

from __future__ import annotations

import math

import pygame

from companion.core.actions import Chair, Micros
from companion.core.view import ChairView, Sentence
from companion.ui.depicted import depicted, draw
from companion.ui.frame import GameFrame, window_open
from companion.ui.kit import avatar
from companion.ui.ring import SLIM
from companion.ui.sheet import Sheet, deed
from companion.ui.theme import BUTTON_EDGE, GROUND, INK, LOOK, PAPER, SOFT, TEXT, ink_on, mixed
from companion.ui.tokens import Colour

LAYOUT = LOOK.moment
COMES: Micros = LOOK.motion["flood"] * 1_000
"""How long the colour takes to come in."""
RAYS = 9
MARKS = "!., \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
"""What a word may end in."""


def shows_moment(frame: GameFrame) -> bool:
    """Whether there is one now: anything more urgent, or somebody's OK, puts it away."""
    view = frame.view
    if (
        frame.ruled is None
        or frame.glass.seen >= frame.ruled[1]
        or frame.glass.overlay
        or frame.guide is not None
    ):
        return False
    return not (view.dark or view.paused or view.outcome is not None or window_open(view))


def moment(sheet: Sheet, area: pygame.Rect, frame: GameFrame) -> None:
    """Paint it over everything; what moves of it is drawn by `coming`."""
    assert frame.ruled is not None
    said, at = frame.ruled
    chair = dict(said.parts)["chair"]
    assert isinstance(chair, int)
    flood = flooded(sheet, area)
    colour = sheet.colour(chair)
    _ground(sheet, flood, colour)
    sheet.target("moment:ok", area, deed(seen=at))
    sheet.moving["flood"] = flood
    size = min(sheet.u(LAYOUT["avatar"]), flood.w // 3, flood.h * 8 // 10)
    centre = _centre(flood)
    avatar(sheet, (max(centre[0], flood.x + size * 2 // 3), centre[1]), size, chair)
    left = flood.x + round(flood.w * LAYOUT["words_x"] / 100)
    right = _pictures(sheet, flood, frame, said)
    room = pygame.Rect(left, flood.y, right - left, flood.h)
    if flood.h > flood.w:  # one below the other
        room = pygame.Rect(flood.x, flood.centery, flood.w, flood.h // 2).inflate(-sheet.em(2), 0)
    _words(sheet, room, frame, said, ink_on(colour))
    _now(sheet, pygame.Rect(area.x, flood.bottom, area.w, area.bottom - flood.bottom), frame, at)


def flooded(sheet: Sheet, area: pygame.Rect) -> pygame.Rect:
    """What the colour covers."""
    return pygame.Rect(area.x, area.y, area.w, round(area.h * LAYOUT["flood"] / 100))


def _centre(flood: pygame.Rect) -> tuple[int, int]:
    """Where the avatar stands, and the rays come from."""
    x = flood.x + round(flood.w * LAYOUT["avatar_x"] / 100)
    return (x, flood.centery) if flood.w >= flood.h else (flood.centerx, flood.y + flood.h // 3)


def _ground(sheet: Sheet, flood: pygame.Rect, colour: Colour) -> None:
    """The colour, and rays that are hardly lighter."""
    sheet.fill(flood, colour)
    light = mixed(colour, PAPER if ink_on(colour) == INK else INK, LOOK.share["rays"])
    reach = flood.w + flood.h
    x, y = _centre(flood)
    sheet.surface.set_clip(flood)
    for ray in range(RAYS):
        angles = (math.tau * (ray + share) / RAYS for share in (0.0, 0.5))
        tips = [(x + reach * math.cos(angle), y + reach * math.sin(angle)) for angle in angles]
        pygame.draw.polygon(sheet.surface, light, [(x, y), *tips])
    sheet.surface.set_clip(None)


def _pictures(sheet: Sheet, flood: pygame.Rect, frame: GameFrame, said: Sentence) -> int:
    """What it is about, at the right; gives back where that begins."""
    names = depicted(frame.board, said)[:1]
    edge = sheet.em(0.8)
    if not names:
        return flood.right - edge
    height = min(sheet.u(LAYOUT["card"]), flood.h * 7 // 10, round(flood.w * 0.2 / SLIM))
    width = round(height * SLIM)
    rect = pygame.Rect(flood.right - edge - width, 0, width, height)
    rect.centery = _centre(flood)[1]
    if ":" in names[0]:
        draw(sheet, rect, names)
    else:
        sheet.picture(sheet.art.motif(names[0], width * 8 // 10), rect.center)
    return rect.x - edge


def _words(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, said: Sentence, ink: Colour) -> None:
    """Two words as large as they fit, and under them what happened."""
    kind = frame.board.moments[said.key.rpartition(".")[2]]
    upper = pygame.Rect(rect.x, rect.y + rect.h // 8, rect.w, rect.h * 3 // 8)
    verdict = sheet.tr(f"ui.verdict.{kind}")
    sheet.text(upper, verdict, LAYOUT["word"] / 100 * LOOK.text["smallest"], ink, bold=True)
    lower = pygame.Rect(rect.x, upper.bottom, rect.w, rect.h * 3 // 8)
    below = _less(sheet.words.text(said, frame.names), verdict)
    sheet.text(lower, below, 1.6, ink, bold=True, middle=False)


def _less(words: str, verdict: str) -> str:
    """A sentence without the word it begins with, where that stands above it already."""
    first, _, rest = words.partition(" ")
    same = first.rstrip(MARKS).casefold() == verdict.rstrip(MARKS).casefold()
    rest = rest.lstrip(MARKS)
    return rest[:1].upper() + rest[1:] if same and rest else words


def _now(sheet: Sheet, foot: pygame.Rect, frame: GameFrame, at: Micros) -> None:
    """What comes next, and the two things that can be touched."""
    edge = sheet.em(0.7)
    sheet.fill(foot, GROUND)
    row = pygame.Rect(
        foot.x + edge, 0, foot.w - 2 * edge, sheet.u(LOOK.stage["bar_end"] - LOOK.stage["bar_top"])
    )
    row.bottom = foot.bottom - round(foot.h * 0.05)
    step = pygame.Rect(row.x, foot.y + edge // 2, row.w, row.y - foot.y - edge)
    asked = [one for one in frame.view.chairs if one.asked]
    _step(sheet, step, frame, asked)
    ask = sheet.tr("ui.why")
    wide = sheet.painter.font(1.0, bold=True).size(ask)[0] + sheet.em(1.4)
    why = pygame.Rect(row.x, row.y, wide, row.h)
    sheet.button(why, ask, "why", deed(overlay="why", seen=at), bold=True)
    close = pygame.Rect(row.right - sheet.em(3), row.y, sheet.em(3), row.h)
    sheet.box(close, LOOK.colour("raised"), BUTTON_EDGE)
    sheet.text(close, sheet.tr("ui.button.ok"), 1.0, TEXT, bold=True, align="center")
    left = pygame.Rect(why.right + edge, row.y, close.x - why.right - 2 * edge, row.h)
    words = sheet.tr("ui.verdict.goes_on")
    if not sheet.painter.fit(words, left.w, left.h, 1.0).cut:
        sheet.text(left, words, 1.0, SOFT, align="right")


def _step(sheet: Sheet, rect: pygame.Rect, frame: GameFrame, asked: list[ChairView]) -> None:
    left = rect.x
    if len(asked) == 1:
        size = min(rect.h, sheet.em(2.2))
        avatar(sheet, (left + size // 2, rect.centery), size, asked[0].chair, lit=True)
        left += size + sheet.em(0.5)
    words = pygame.Rect(left, rect.y, rect.right - left, rect.h)
    sheet.text(words, sheet.words.text(frame.view.headline, frame.names), 1.7, TEXT, bold=True)


def coming(surface: pygame.Surface, flood: pygame.Rect, side: int, gone: Micros) -> None:
    """What the colour has not reached yet after `gone`, when it comes from the left (-1) or the right (1)."""
    share = 1 - (1 - min(1.0, max(0.0, gone / COMES))) ** 3
    width = round(flood.w * (1 - share))
    if width:
        surface.fill(
            GROUND, pygame.Rect(flood.x if side > 0 else flood.right - width, flood.y, width, flood.h)
        )


def side_of(frame: GameFrame, chair: Chair) -> int:
    """On which side of the table this one sits: -1 left, 1 right."""
    chairs = [one.chair for one in frame.view.chairs]
    return -1 if chair in chairs[: len(chairs) // 2] else 1
