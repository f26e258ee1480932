"""Draws rows of cards for lessons or practice, by owner or place."""

from collections.abc import Mapping

import pygame

from companion.core.actions import Chair
from companion.core.button_choices import STEP
from companion.core.view import Guidance
from companion.ui.board import card_pictures
from companion.ui.board.toolbar import draw_icon
from companion.ui.commands import ControlGuide
from companion.ui.frame import GameFrame
from companion.ui.layout import FILL, Box, around, columns, rows, stack
from companion.ui.toolkit.icons import ICON_PAINTERS
from companion.ui.toolkit.sheet import Sheet, TouchAction, touch_action
from companion.ui.toolkit.sprites import draw_rounded_rect
from companion.ui.toolkit.theme import GOLD, GOOD, INK, LOOK, PAPER, TEXT, Colour, type_scale
from companion.ui.toolkit.widgets import paint_avatar, paint_halo

CardRow = tuple[str, Chair | None, tuple[str, ...]]
"""One row of `Guidance.lay`: place, player or None, cards."""
FAN = LOOK.fan
WHOLE = ("pair:", "value:")
"""Cards that differ by how they lie: drawn whole."""
FACES = ("mask:", "actor:")
"""Cards that differ by their faces alone: drawn as printed."""
SHADOW, SHADOW_WIDTH = (0, 0, 0, 110), 0.5
"""What a card that is held or dealt darkens below it, and how far (u)."""
LONG_HAND, TALL_ROW = 6, 3.8
"""A hand of more cards than this is drawn in two rows, each this high (em)."""
FEW = 3
"""So many cards of a fan do not lie over each other."""
SMALL_HAND = 4
"""A hand of this many cards fits into half the width."""


def guide_action(what: str) -> TouchAction:
    """A command to the guide. What was half typed is dropped."""
    return touch_action(ControlGuide(what), typed="")


def own_hand(frame: GameFrame, guide: Guidance) -> tuple[str, ...]:
    """The cards that the lesson dealt to the learner, while they are in the hand, or one is to be tapped.

    Where tokens tell how many that are, a single one has room beside what they are about. Before the first
    trick they are all there.
    """
    own = next(chair for chair in frame.view.chairs if chair.chair == guide.chair)
    mine = next((row[2] for row in guide.lay if row[:2] == ("", guide.chair)), ())
    alone = len(mine) == sum(token.count for token in own.tokens if token.motif == "cards") == 1
    return mine if guide.chooses or alone or _is_bid_on(frame, guide) or len(mine) == own.cards else ()


def _is_bid_on(frame: GameFrame, guide: Guidance) -> bool:
    """Whether the learner makes trump, or has just done so, before any card of a trick lies there."""
    view = frame.view
    is_begun = bool(view.card or view.rows) and not view.places and "suit" in frame.board.sentence_pictures
    return is_begun and guide.kind in {"wait", "wrong", "well"} and not guide.pictures


def points_at_places(frame: GameFrame, guide: Guidance) -> bool:
    """Whether the shared buttons, for which a keyboard's arrows stand, do what the learner's own cannot."""
    own = {choice.action for one in frame.view.chairs if one.chair == guide.chair for choice in one.choices}
    return any(
        one.action.seat == guide.chair and one.action.verb != STEP and one.action not in own
        for one in frame.view.shared
    )


def paint_card_row(
    sheet: Sheet,
    cell: Box,
    row: CardRow,
    called: Mapping[str, str],
    guide: Guidance | None = None,
    *,
    first: int = 0,
) -> None:
    """One row: its owner's badge or its place's name, then the cards, as many as fit into `cell`.

    The cards of the player whom `guide` asks to tap some can be touched; `first`: the first one's place in
    the hand.
    """
    name, chair, cards = row
    sheet.box(cell, INK, radius=0.3)
    radius = 0 if chair is None else min(cell.h // 2 - 2, sheet.em(0.9), cell.w // 11)
    lead = 2 * radius + sheet.em(0.4) if radius else 0
    words = place_name(sheet, name) if name else ""
    named_wide = sheet.text_width(words, bold=True) + sheet.em(0.3) if words else 0
    x = cell.x + sheet.em(0.3) + lead + named_wide
    high = cell.h - sheet.em(0.3)
    shape = 1 / card_pictures.CARD_RATIO if cards and cards[0].startswith(WHOLE + FACES) else 0.95
    wide = min(round(high * shape), (cell.right - x) // max(1, len(cards)) - sheet.em(0.15))
    high = min(high, round(wide * card_pictures.CARD_RATIO))
    step = wide + sheet.em(0.15)
    names = [card_name(sheet, picture, called) for picture in cards]
    broadest = max(sheet.text_width(name, bold=True) for name in ("", *names))
    named = (
        broadest
        and high > sheet.em(2.4)
        and len(cards) * max(step, broadest + sheet.em(0.3)) <= cell.right - x
    )
    if named:
        step = max(step, broadest + sheet.em(0.3))
    if chair is not None:
        sheet.badge((x - named_wide - lead + radius, cell.centery), radius, chair)
    if words:
        sheet.text(Box(x - named_wide, cell.y, named_wide, cell.h), words, 1.0, GOLD, bold=True)
    for place, picture in enumerate(cards):
        at = Box(x + place * step + (step - wide) // 2, cell.centery - high // 2, wide, high)
        if at.right > cell.right:
            break
        if guide is not None and guide.chooses and row[:2] == ("", guide.chair):
            sheet.target(f"card:{first + place}", at, guide_action(f"card:{first + place}"))
            if first + place in guide.tapped:
                sheet.box(at.inflate(sheet.em(0.25), sheet.em(0.25)), GOLD, radius=0.2)
        if picture.startswith(WHOLE):
            sheet.picture(card_pictures.draw_oriented_card(sheet, picture, at.size), at.center)
        elif picture.startswith("back:"):
            sheet.card(at, picture)
        elif picture.startswith(FACES):
            sheet.card(at, picture)
            if named and names[place]:
                foot = stack(at, step, sheet.line_height, "bottom")
                sheet.box(foot.inflate(-sheet.em(0.1), 0), INK, radius=0.2)
                sheet.text(foot, names[place], 1.0, TEXT, bold=True, align="center")
        else:
            drawn = sheet.art.card_face(picture.removesuffix("@180"), at.size)
            turned = pygame.transform.rotate(drawn, 180) if picture.endswith("@180") else drawn
            sheet.surface.blit(turned, at)


def card_name(sheet: Sheet, picture: str, called: Mapping[str, str]) -> str:
    """The name of a card; empty if cards of its kind have none."""
    kind, _, card = picture.partition(":")
    return sheet.tr(called[kind] + card) if kind in called else ""


def place_name(sheet: Sheet, region: str) -> str:
    """The name of a place: the number of `slot:3` is enough, a place without one has a word of its own."""
    kind, _, number = region.partition(":")
    return number or sheet.tr(f"ui.place.{kind}")


def hand_grid_size(guide: Guidance) -> tuple[int, int]:
    """The number of columns and rows in which the hands are drawn."""
    longest = max((len(cards) for _, _, cards in guide.lay), default=0)
    columns = 2 if len(guide.lay) > 1 and longest <= SMALL_HAND else 1
    return columns, -(-len(guide.lay) // columns)


def paint_hands(sheet: Sheet, body: Box, guide: Guidance, called: Mapping[str, str]) -> None:
    """The player's hand, or all hands; side by side if there is no room to draw them below each other."""
    gap = sheet.em(0.2)
    if len(guide.lay) == 1 and len(guide.lay[0][2]) > LONG_HAND and body.h >= 2 * sheet.em(TALL_ROW):
        _paint_long_hand(sheet, body, guide, called)
        return
    columns, rows = hand_grid_size(guide)
    full = any(len(cards) >= SMALL_HAND for _, _, cards in guide.lay)
    if body.h // max(1, len(guide.lay)) >= sheet.em(1.15 if full else 1.3):
        columns, rows = 1, len(guide.lay)  # the whole width shows every number
    height = min(sheet.em(3.2), body.h // max(1, rows))
    width = (body.w + gap) // columns
    if height < sheet.em(1.1):
        return  # too small to read
    for place, row in enumerate(guide.lay):
        x, y = body.x + place % columns * width, body.y + place // columns * height
        paint_card_row(sheet, Box(x, y, width - gap, height - gap), row, called, guide)


def _paint_long_hand(sheet: Sheet, body: Box, guide: Guidance, called: Mapping[str, str]) -> None:
    """A hand of many cards in two rows, each with its owner's badge."""
    name, chair, cards = guide.lay[0]
    half = -(-len(cards) // 2)
    high = sheet.em(TALL_ROW) - sheet.em(0.2)
    upper, below, _ = rows(body, high, high, FILL, gap=sheet.em(0.2))
    paint_card_row(sheet, upper, (name, chair, cards[:half]), called, guide)
    paint_card_row(sheet, below, (name, chair, cards[half:]), called, guide, first=half)


def paint_fan(sheet: Sheet, rect: Box, cards: tuple[str, ...], guide: Guidance) -> None:
    """Cards held in a hand, each turned a little further; those that were tapped stand higher."""
    lift = sheet.u(FAN["lift"])
    turn = min(FAN["turn"], FAN["most"] / max(1, len(cards)))
    drop = round(((len(cards) - 1) / 2) ** 2 * sheet.u(FAN["drop"]) / 4)
    high = min(sheet.u(FAN["card"]), rect.h - lift - drop)
    wide = round(min(high * FAN["shape"], rect.w / (1 + FAN["least"] * (len(cards) - 1))))
    high = round(wide / FAN["shape"])
    step = min(round(wide * fan_step(len(cards))), (rect.w - wide) // max(1, len(cards) - 1))
    left = rect.centerx - (step * (len(cards) - 1)) // 2
    top = rect.y + max(0, rect.h - lift - drop - high) // 2
    edge = sheet.colour(guide.chair) if len(cards) == 1 else INK
    for place, card in enumerate(cards):
        off = place - (len(cards) - 1) / 2
        tapped = place in guide.tapped
        picture = draw_turned_card(sheet, card, (wide, high), -turn * off, ring=GOLD if tapped else edge)
        down = round(off**2 * sheet.u(FAN["drop"]) / 4) + (-sheet.u(FAN["higher"]) if tapped else lift)
        centre = (left + place * step, top + high // 2 + down)
        sheet.picture(picture, centre)
        sheet.place(f"held:{place}", around(centre, *picture.get_size()), (card,), picture)
        if guide.chooses:
            seen = around(centre, wide, high)
            seen = seen if place == len(cards) - 1 else seen._replace(w=step)
            sheet.target(f"card:{place}", seen, guide_action(f"card:{place}"))


def fan_step(many: int) -> float:
    """How far the cards of a fan are apart, as a share of their width: of a few all of each is seen."""
    return FAN["apart" if many <= FEW else "step"]


def draw_turned_card(
    sheet: Sheet, card: str, size: tuple[int, int], degrees: float, *, ring: Colour = INK
) -> pygame.Surface:
    """A card on its own white ground, turned by this many degrees; a sign, such as a die, as it is."""
    if card in ICON_PAINTERS:
        return sheet.art.motif(card, round(0.9 * size[0] * FAN["step"]))

    def draw() -> pygame.Surface:
        flat = pygame.Surface(size, pygame.SRCALPHA)
        corner = round(size[0] * LOOK.radius["card"])
        thick = max(2, sheet.u(LOOK.line["edge"])) * (1 if ring == INK else 3)
        draw_rounded_rect(flat, sheet.art.sprites, Box(0, 0, *size), PAPER, ring, radius=corner, width=thick)
        inner = (size[0] - 2 * thick, size[1] - 2 * thick) if ring != INK else size
        face = card_pictures.draw_oriented_card(sheet, card, inner)
        flat.blit(face, face.get_rect(center=flat.get_rect().center))
        return turn_on_shadow(sheet, flat, degrees)

    return sheet.art.sprites.get_or_draw(("held", card, size, round(degrees, 1), ring), draw)


def shadow_width(sheet: Sheet) -> int:
    """How far a card's picture with its shadow goes beyond the card, in pixels."""
    return max(2, sheet.u(SHADOW_WIDTH))


def turn_on_shadow(sheet: Sheet, flat: pygame.Surface, degrees: float) -> pygame.Surface:
    """A card turned by this many degrees, with smooth edges, on its shadow."""
    edge = shadow_width(sheet)
    whole = pygame.Surface((flat.get_width() + 2 * edge, flat.get_height() + 2 * edge), pygame.SRCALPHA)
    shadow = flat.copy()
    shadow.fill(SHADOW, special_flags=pygame.BLEND_RGBA_MULT)
    whole.blit(shadow, (edge, 2 * edge - 1))
    whole.blit(flat, (edge, edge))
    return pygame.transform.rotozoom(whole, degrees, 1.0)


def paint_prompt_line(sheet: Sheet, rect: Box, words: str, chair: Chair) -> None:
    """The question, or what the step is called, beside somebody's avatar."""
    size = min(sheet.u(LOOK.avatar["prompt"]), rect.h)
    fitted = sheet.painter.fit_text(words, rect.w - 2 * size, rect.h, type_scale("prompt"), bold=True)
    widest = max(sheet.text_width(one, fitted.scale, bold=True) for one in fitted.lines)
    avatar, title = columns(rect, size, widest + sheet.em(0.2), gap=size // 4, justify="center")
    paint_halo(sheet, avatar.center, size * 4 // 3)
    paint_avatar(sheet, avatar.center, size, chair, lit=True)
    sheet.text(title, words, fitted.scale, TEXT, bold=True)


def paint_tick(sheet: Sheet, centre: tuple[int, int], side: int) -> None:
    """What was done well."""
    sheet.disc(centre, side // 2, GOOD)
    sheet.picture(draw_icon(sheet, "check", side * 6 // 10, INK), centre)


def is_card(picture: str) -> bool:
    """Whether it is a card, and no player, number or sign."""
    kind, _, value = picture.partition(":")
    return bool(value) and kind not in {"seat", "figure"} and picture not in ICON_PAINTERS


def paint_answer_picture(sheet: Sheet, spot: Box, picture: str, ring: Colour = INK) -> None:
    """A card, a player (`seat:0`), a number that stands on none (`figure:3`), or a sign such as `fox`.

    `ring`: the colour of a card's edge.
    """
    kind, _, value = picture.partition(":")
    side = min(spot.size)
    if kind == "seat":
        paint_avatar(sheet, spot.center, side * 4 // 5, int(value))
    elif kind == "figure":
        scale = min(spot.h / sheet.line_height, spot.w / sheet.text_width(value, bold=True)) * 0.9
        sheet.text(spot, value, scale, TEXT, bold=True, align="center")
    elif picture == "arrow":
        at = around(spot.center, side * 4 // 5, side // 2)
        sheet.line(PAPER, 0.4, (at.x, at.centery), (at.centerx, at.centery))
        sheet.polygon(PAPER, [(at.right, at.centery), (at.centerx, at.y), (at.centerx, at.bottom)])
    elif not value or picture in ICON_PAINTERS:
        sheet.picture(sheet.art.motif(picture, side * 4 // 5), spot.center)
    else:
        wide = min(spot.w, round(spot.h * FAN["shape"]))
        card = draw_turned_card(sheet, picture, (wide, round(wide / FAN["shape"])), 0, ring=ring)
        sheet.picture(card, spot.center)
