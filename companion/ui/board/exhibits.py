"""Draws what replaces the table for a while: a photo finish, a round that is over."""

from statistics import median
from typing import assert_never

from companion.core.actions import SECOND
from companion.core.exhibits import DealScores, Exhibit, PhotoFinish, PlayerRound, RoundRecap, TrickProof
from companion.core.view import ChairView, Choice
from companion.ui.board.panels import paint_panel
from companion.ui.board.photo_finish import paint_finish, paint_order
from companion.ui.board.plate_choices import say_action
from companion.ui.board.player_banner import BannerContent, banner_rect, paint_banner
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.board.trick_exhibits import paint_deal_scores, paint_trick_proof
from companion.ui.frame import GameFrame, PageFrame, is_window_open
from companion.ui.layout import FILL, Box, Size, best_grid, columns, rows, stack
from companion.ui.toolkit.sheet import MARK, Sheet
from companion.ui.toolkit.theme import (
    EDGE,
    GOLD,
    INK,
    LOOK,
    PANEL,
    PAPER,
    TEXT,
)
from companion.ui.toolkit.widgets import PlateState, draw_press_sign, paint_avatar, paint_felt, paint_plate

PICTURED = 1.2
"""How small the words of a large button may be so that its picture has room."""
MOST_ANSWERS = 6
"""So many stand beside each other as large buttons."""
PLATE_SHAPE = 1.7
"""About how many times as wide as high the plate of a player is."""


def paint_round_recap(sheet: Sheet, rect: Box, recap: RoundRecap, frame: PageFrame) -> None:
    """Paint a plate per player, and beside or below them the doubles nobody called."""
    gap, missed = sheet.em(0.5), recap.missed
    if not missed:
        body, foot = rows(rect, FILL, sheet.em(1.5), gap=gap)
    elif rect.w > rect.h:
        body, foot = columns(rect, FILL, rect.w * 27 // 100, gap=2 * gap)
    else:
        body, foot = rows(rect, FILL, rect.h * 27 // 100, gap=gap)
    totals = [player.total for player in recap.players]
    cells = best_grid(body, len(recap.players), gap, shape=PLATE_SHAPE)
    for cell, player in zip(cells, recap.players, strict=True):
        leads = player.total == max(totals) and totals.count(player.total) == 1
        _paint_player_round(sheet, cell, player, leads=leads)
    _paint_missed_doubles(sheet, foot, recap)


def _paint_player_round(sheet: Sheet, plate: Box, player: PlayerRound, *, leads: bool) -> None:
    """Who it is and the tokens, large, and below in words the total and what else there was."""
    paint_plate(sheet, plate, sheet.colour(player.chair), PlateState.WAIT)
    inner = plate.inflate(-2 * sheet.em(0.4), -2 * sheet.em(0.4))
    details = _player_details(sheet, player)
    upper, low = rows(inner, FILL, max(sheet.line_height, inner.h * 42 // 100))
    side = min(upper.h, inner.w * 34 // 100, sheet.em(3.4))
    scale, tokens = min(2.4, side / sheet.unit), str(player.tokens)
    wide = sheet.text_width(tokens, scale, bold=True)
    badge, coin, words = columns(upper, side, side * 8 // 10, wide, gap=sheet.em(0.25), justify="center")
    paint_avatar(sheet, badge.center, side, player.chair)
    sheet.picture(sheet.art.motif("coin", coin.w), coin.center)
    sheet.text(words, tokens, scale, TEXT, bold=True, grows=False)
    if leads:
        sheet.picture(sheet.art.motif("crown", side // 2), (badge.x + side // 4, badge.centery - side // 3))
    while sheet.painter.fit_text(" · ".join(details), low.w, low.h).cut and len(details) > 1:
        details = details[:-1]
    sheet.text(low, " · ".join(details), 1.2, TEXT, align="center")


def _player_details(sheet: Sheet, player: PlayerRound) -> list[str]:
    """The sum of all rounds, Stops won (and what they brought), wasted, void, and the typical reaction."""
    told = {
        "total": str(player.total),
        "won": f"{player.won} (+{player.gained})" if player.won else "",
        "wasted": str(player.wasted or ""),
        "vain": str(player.vain or ""),
    }
    details = [
        f"{sheet.tr(f'ui.round.{key}')}\N{NO-BREAK SPACE}{value}" for key, value in told.items() if value
    ]
    if player.reactions:
        typical = median(seen.midpoint for seen in player.reactions) / SECOND
        seconds = sheet.tr("ui.round.seconds", seconds=f"{typical:.1f}")
        details.append(f"{sheet.tr('ui.round.reaction')}\N{NO-BREAK SPACE}{seconds}")
    return details


def _paint_missed_doubles(sheet: Sheet, rect: Box, recap: RoundRecap) -> None:
    """The masks that lay on their twins unnoticed, as large as there is room, each with who placed it."""
    words = sheet.tr("ui.round.missed" if recap.missed else "ui.round.none_missed", count=len(recap.missed))
    if not recap.missed:
        sheet.text(rect, words, 1.2, TEXT, bold=True, align="center")
        return
    told, room = rows(rect, sheet.text_height(words, most=2, bold=True), FILL, gap=sheet.em(0.4))
    sheet.text(told, words, 1.2, TEXT, bold=True, align="center")
    cells = best_grid(room, len(recap.missed), sheet.em(0.3), shape=CARD_ASPECT)
    for cell, one in zip(cells, recap.missed, strict=True):
        high = min(cell.h, round(cell.w / CARD_ASPECT))
        card = stack(cell, round(high * CARD_ASPECT), high)
        sheet.card(card, one.face)
        side = max(sheet.em(1.2), min(sheet.em(2.4), card.w // 3))
        plate = stack(card, side, side, "bottomleft")
        sheet.box(plate, INK, radius=0.2)
        sheet.text(plate, str(one.stack), 1.2, TEXT, bold=True, align="center")
        paint_avatar(sheet, stack(card, side, side, "bottomright").center, side, one.chair)


def paint_exhibit(sheet: Sheet, rect: Box, frame: GameFrame) -> None:
    """Instead of the ring of chairs: the picture, and the panel of the player who is asked."""
    assert frame.exhibit is not None
    looks = frame.guide is not None and frame.guide.kind == "over"
    asked = [chair for chair in frame.view.chairs if chair.asked and not looks]
    gap = sheet.em(0.3)
    offered = len(asked[0].choices) if len(asked) == 1 else 0
    large = 0 < offered <= MOST_ANSWERS and frame.guide is None and frame.demo is None
    body, foot = rows(rect, FILL, sheet.em(3.9) if asked else 0, gap=gap if asked else 0)
    answers = _answers_rect(sheet, rect._replace(y=rect.bottom + gap))
    if large:
        body = body._replace(h=answers.y - gap - body.y)
    picture = body.inflate(-sheet.em(0.6), -sheet.em(0.4))
    if isinstance(frame.exhibit, RoundRecap | DealScores) and body.w > body.h:
        paint_felt(sheet, body)
        picture = body.inflate(-2 * sheet.em(1.8), -2 * sheet.em(0.9))
    elif not isinstance(frame.exhibit, TrickProof):
        sheet.box(body, PANEL, EDGE)
    paint_exhibit_picture(sheet, picture, frame.exhibit, frame, frame.view.game)
    if large:
        _paint_answers(sheet, answers, asked[0], frame)
    elif asked:
        width = min((foot.w + gap) // len(asked) - gap, sheet.em(24))
        foot = stack(foot, len(asked) * (width + gap) - gap, foot.h)
        for plate, chair in zip(columns(foot, *[width] * len(asked), gap=gap), asked, strict=True):
            paint_panel(sheet, plate, chair, frame)


def shows_stop(frame: GameFrame) -> bool:
    """Whether a Stop is looked at that several called: the player who gets it is at the head of the page."""
    shown = frame.exhibit
    called = isinstance(shown, PhotoFinish) and shown.winner is not None
    return frame.guide is None and called and not is_window_open(frame.view)


def paint_stop(sheet: Sheet, area: Box, bar: Box, frame: GameFrame) -> None:
    """Who has the Stop and what to do, under it who pressed when, and as large buttons what that one may do.

    `bar`: the toolbar.
    """
    shown = frame.exhibit
    assert isinstance(shown, PhotoFinish)
    assert shown.winner is not None
    view, gap = frame.view, sheet.em(0.4)
    above = banner_rect(sheet, area, "stop" if area.w > area.h else "stop_upright")
    below = sheet.sentence(view.headline)
    lies = tuple(place.card for place in view.places if place.marked and ":" in place.card)
    word, whose = sheet.tr("ui.verdict.stop"), (shown.winner,)
    content = BannerContent(chairs=whose, title=word, subtitle=below, pictures=lies[:1], is_prompt=True)
    paint_banner(sheet, above, content)
    asked = next((chair for chair in view.chairs if chair.asked), None)
    answers = _answers_rect(sheet, bar)
    low = bar.y if asked is None else answers.y
    body = Box(bar.x, above.bottom + gap, bar.w, low - gap - above.bottom - gap)
    paint_order(sheet, body, shown, view.game)
    if asked is not None:
        _paint_answers(sheet, answers, asked, frame)


def _answers_rect(sheet: Sheet, bar: Box) -> Box:
    """The row over `bar` where the one who is asked has the answers."""
    high = max(sheet.u(LOOK.moment["answer"]), sheet.min_touch_height)
    return Box(bar.x, bar.y - sheet.em(0.4) - high, bar.w, high)


def _paint_answers(sheet: Sheet, row: Box, asked: ChairView, frame: GameFrame) -> None:
    """What the one who is asked may press, side by side."""
    gap, size = sheet.em(0.4), row.h * 9 // 10
    avatar, room = columns(row, size, FILL, gap=gap)
    paint_avatar(sheet, avatar.center, size, asked.chair, lit=True)
    places = columns(room, *[FILL] * len(asked.choices), gap=gap)
    told = [sheet.sentence(choice.label) for choice in asked.choices]
    scales = [_picture_scale(sheet, place, words) for place, words in zip(places, told, strict=True)]
    for place, choice in zip(places, asked.choices, strict=True):
        found = frame.board.verb_pictures.get(choice.action.verb, "")
        motif = found if min(scales) >= PICTURED else ""
        paint_large_choice(sheet, place, choice, centred=True, motif=motif)


def paint_large_choice(
    sheet: Sheet, place: Box, choice: Choice, *, centred: bool = False, motif: str = ""
) -> None:
    """What somebody may do, and the press that does it, as one large button.

    `motif`: its picture; empty: there is no room for one.
    """
    sheet.shadow(place, "plate", sheet.u(LOOK.radius["button"]))
    sheet.box(place, GOLD if choice.marked and choice.press == "hold" else PAPER, GOLD, width=MARK)
    sheet.target(f"say:{choice.action}", place, say_action(choice))
    scale, said = max(1.0, min(1.8, place.h / sheet.line_height * 0.7)), sheet.sentence(choice.label)
    inner, side = place.inset(left=sheet.em(0.5), right=sheet.em(0.3)), min(place.h * 6 // 10, sheet.em(2.1))
    gap, seen = sheet.em(0.35), side * 5 // 4 if motif else 0
    if motif:
        scale = max(1.0, min(scale, _picture_scale(sheet, place, said)))
    told = sheet.text_width(said, scale, bold=True) + 2
    wide: Size = FILL
    if centred and not sheet.frame.ui_state.large:
        wide = min(inner.w - side - gap - (seen + gap) * bool(motif), told)
    sign, words, picture = columns(inner, side, wide, seen, gap=gap, justify="center")
    sheet.picture(draw_press_sign(sheet, choice.press, sign.w, INK), sign.center)
    sheet.text(words, said, scale, INK, bold=True)
    if motif:
        sheet.picture(sheet.art.motif(motif, picture.w), picture.center)


def _picture_scale(sheet: Sheet, place: Box, said: str) -> float:
    """How large words may be on a large button that have a picture beside them."""
    side = min(place.h * 6 // 10, sheet.em(2.1))
    return (place.w - side * 9 // 4 - sheet.em(1.5)) / (sheet.text_width(said, bold=True) + 2)


def paint_exhibit_picture(sheet: Sheet, rect: Box, shown: Exhibit, frame: PageFrame, game: str) -> None:
    """One exhibit."""
    match shown:
        case PhotoFinish():
            paint_finish(sheet, rect, shown, frame, game)
        case RoundRecap():
            paint_round_recap(sheet, rect, shown, frame)
        case TrickProof():
            paint_trick_proof(sheet, rect, shown)
        case DealScores():
            paint_deal_scores(sheet, rect, shown)
        case _:
            assert_never(shown)
