"""Draws what a game of tricks is looked back at: a revoke with its proof, and the points of a deal."""

import pygame

from companion.core.exhibits import DealScore, DealScores, ShownTrick, TrickProof
from companion.ui.board.lesson_cards import draw_turned_card
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.layout import FILL, Box, Share, columns, rows, stack
from companion.ui.toolkit.sheet import MARK, Sheet
from companion.ui.toolkit.theme import BAD, DARK, EDGE, FELT, GOLD, INK, PAPER, TEXT, blend
from companion.ui.toolkit.widgets import paint_avatar

BESIDE = 150
"""How much is seen of the other cards of a trick, of 255."""
BADGE = 0.34
"""An avatar at the foot of a card, as a share of its height."""
LIFT = 1.1
"""How much larger the card is that it is about."""
UNDER = 0.55
"""How far each card lies over the one before, as a share of its width."""
SHARES = (Share(23), Share(30), Share(12), Share(25), Share(10))
"""Of a player's row: the name, the cards, what they brought, the bar, the total."""
NEW = 0.45
"""How much darker the part of a bar is that this deal brought."""


def paint_trick_proof(sheet: Sheet, rect: Box, shown: TrickProof) -> None:
    """Both tricks beside each other, and what follows below."""
    line = round(sheet.line_height * 1.4)
    above, low = rows(rect, FILL, line, gap=sheet.em(0.3))
    upright = above.h > above.w
    parts = rows if upright else columns
    first, arrow, second = parts(above, FILL, sheet.em(1.6), FILL, gap=sheet.em(0.2))
    for box, trick in ((first, shown.broken), (second, shown.proof)):
        _paint_shown_trick(sheet, box, trick)
    if not upright:
        end, half = arrow.right, arrow.w // 2
        sheet.line(PAPER, 0.3, (arrow.x, arrow.centery), (arrow.centerx, arrow.centery))
        corners = [(end, arrow.centery), (arrow.centerx, arrow.centery - half)]
        sheet.polygon(PAPER, [*corners, (arrow.centerx, arrow.centery + half)])
    sheet.text(low, sheet.sentence(shown.follows), 1.2, TEXT, bold=True, align="center")


def _paint_shown_trick(sheet: Sheet, rect: Box, shown: ShownTrick) -> None:
    """The title, the cards in order of play with their players, and over one what it says."""
    sheet.box(rect, FELT, EDGE, radius=0.7)
    inner = rect.inflate(-2 * sheet.em(0.7), -2 * sheet.em(0.4))
    title, pills, field = rows(inner, sheet.line_height, round(sheet.line_height * 1.2), FILL)
    sheet.text(title, sheet.sentence(shown.title), 1.2, TEXT, bold=True, grows=False)
    cells = columns(field, *[FILL] * 4, gap=sheet.em(0.1))
    high = min(round(field.h / (1 + BADGE / 2)), round(cells[0].w / CARD_ASPECT / LIFT))
    for cell, (chair, face) in zip(cells, shown.cards, strict=False):
        about = chair == shown.chair
        tall = round(high * LIFT) if about else high
        card = stack(cell, round(tall * CARD_ASPECT), tall)
        picture = draw_turned_card(sheet, face, card.size, 0, ring=BAD if about else INK)
        if not about:
            picture = picture.copy()
            picture.fill((BESIDE, BESIDE, BESIDE), special_flags=pygame.BLEND_RGB_MULT)
        sheet.picture(picture, card.center)
        paint_avatar(sheet, (card.centerx, card.bottom), round(high * BADGE), chair)
        if about:
            words = sheet.sentence(shown.says)
            wide = sheet.text_width(words, bold=True) + sheet.em(0.8)
            pill = stack(pills, wide, pills.h).move(cell.centerx - pills.centerx, 0)
            pill = pill._replace(x=max(inner.x, min(pill.x, inner.right - wide)))
            sheet.pill(pill, BAD)
            sheet.text(pill, words, 1.0, INK, bold=True, align="center")


def paint_deal_scores(sheet: Sheet, rect: Box, shown: DealScores) -> None:
    """A row for each player, the one with the fewest points on paper."""
    fewest = min(player.total for player in shown.players)
    gap = sheet.em(0.2)
    for row, player in zip(rows(rect, *[FILL] * len(shown.players), gap=gap), shown.players, strict=True):
        _paint_score(sheet, row, player, shown.target, leads=player.total == fewest)


def _paint_score(sheet: Sheet, row: Box, player: DealScore, target: int, *, leads: bool) -> None:
    ink = INK if leads else TEXT
    if leads:
        sheet.box(row, PAPER, GOLD, width=MARK)
    inner = row.inflate(-2 * sheet.em(0.4), -sheet.em(0.2))
    who, cards, gained, bar, total = columns(inner, *SHARES, gap=sheet.em(0.4))
    badge, name = columns(who, min(who.h, sheet.em(2.2)), FILL, gap=sheet.em(0.3))
    paint_avatar(sheet, badge.center, badge.w, player.chair)
    sheet.text(name, sheet.name(player.chair), 1.3, ink, bold=True)
    _paint_taken(sheet, cards, player.cards)
    sheet.text(gained, f"{player.gained:+d}", 1.6, ink, bold=True, align="right", grows=False)
    _paint_bar(sheet, bar, player, target, leads=leads)
    sheet.text(total, str(player.total), 2.0, ink, bold=True, grows=False)


def _paint_taken(sheet: Sheet, room: Box, faces: tuple[str, ...]) -> None:
    """The cards over one another, each with its corner to be seen."""
    if not faces:
        return
    high = room.h
    wide = min(round(high * CARD_ASPECT), room.w)
    step = min(round(wide * UNDER), (room.w - wide) // max(1, len(faces) - 1))
    for place, face in enumerate(faces):
        sheet.card(Box(room.x + place * step, room.centery - high // 2, wide, high), face)


def _paint_bar(sheet: Sheet, room: Box, player: DealScore, target: int, *, leads: bool) -> None:
    """The points before this deal, and in a darker shade those that it brought, up to the target."""
    colour = sheet.colour(player.chair)
    track = stack(room, room.w, sheet.em(0.7))
    sheet.pill(track, blend(PAPER, INK, 0.2) if leads else blend(FELT, DARK, 0.6))
    before, now = (
        round(track.w * min(1.0, max(0, points) / target))
        for points in (player.total - player.gained, player.total)
    )
    if now > track.h:
        sheet.pill(track._replace(w=now), blend(colour, INK, NEW))
    if before > track.h:
        sheet.pill(track._replace(w=min(before, now)), colour)
