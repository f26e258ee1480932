"""Draws practice: the others across the top, the own hand large below, and a strip that says what to do."""

import dataclasses

import pygame
from msgspec.structs import replace

from companion.core.actions import Chair
from companion.core.view import BotView, ChairView, Guidance, Sentence, Token
from companion.ui.board.exhibits import paint_exhibit
from companion.ui.board.game_table import paint_felt_token, paint_middle
from companion.ui.board.headline import is_infraction, is_loud, last_announcement, paint_headline
from companion.ui.board.lesson_cards import FAN, draw_turned_card, guide_action, paint_fan
from companion.ui.board.motion import FRONT
from companion.ui.board.panels import (
    AvatarSpot,
    chairs_and_decks,
    common_look,
    find_plate_state,
    paint_bot_panel,
    paint_panel,
)
from companion.ui.board.plate_choices import visible_choices
from companion.ui.board.practice_panel import (
    has_sets,
    own_cards,
    paint_hand_on_felt,
    paint_hand_sign,
    paint_picks,
)
from companion.ui.board.toolbar import draw_icon
from companion.ui.board.trick_centre import find_trump, is_trick_played, paint_trick, paint_trump
from companion.ui.frame import GameFrame, is_window_open
from companion.ui.layout import FILL, Box, Share, columns, grid, rows, stack
from companion.ui.toolkit.icons import ICON_PAINTERS
from companion.ui.toolkit.sheet import Sheet, touch_action
from companion.ui.toolkit.theme import (
    EDGE,
    FELT,
    GOLD,
    GOOD,
    INK,
    LOOK,
    NOTICE,
    PANEL,
    RAISED,
    SOFT,
    TEXT,
    Colour,
    blend,
    ink_on,
)
from companion.ui.toolkit.widgets import PlateState, paint_avatar, paint_felt, paint_halo

STAGE = LOOK.practice
FEW = 2
"""Cards of the own hand that need less room than a fan."""
MANY = 7
"""More cards than these lie below everything, as wide as the felt."""
FEW_PICKS = 3
"""Cards to point at that are as high as a plate; more of them take the height."""
MOST_ACROSS = 5
"""More people than these sit in two rows."""


def paint_practice_stage(sheet: Sheet, frame: GameFrame, guide: Guidance) -> None:
    """The table as one person plays at it on a screen."""
    strip = stack(
        sheet.rect.inset(left=sheet.u(STAGE["edge"]), right=sheet.u(STAGE["edge"])),
        sheet.rect.w - 2 * sheet.u(STAGE["edge"]),
        max(sheet.u(STAGE["strip"]), sheet.min_touch_height + sheet.em(0.7)),
        "bottom",
    ).move(0, -sheet.u(STAGE["bottom"]))
    paint_practice_strip(sheet, strip, frame, guide)
    paint_wide_table(sheet, strip.y, _without_told(frame), guide)


def paint_wide_table(
    sheet: Sheet, end: int, frame: GameFrame, guide: Guidance, *, said: bool = False
) -> None:
    """The table as the one learner or player sees it, down to `end`; `said` as in `paint_headline`."""
    side = sheet.u(FAN["side"])
    field = sheet.rect.inset(
        left=side,
        right=side,
        top=sheet.u(FAN["top"]),
        bottom=sheet.rect.bottom - end + sheet.u(STAGE["gap"]),
    )
    head = Box(field.x, sheet.u(STAGE["head"]), field.w, field.y - sheet.u(2 * STAGE["head"]))
    if is_infraction(frame):  # the whole width, up to the felt
        head = sheet.rect._replace(h=field.y - sheet.em(0.15))
    paint_headline(sheet, head, frame, said=said)
    if frame.trouble is not None:
        field = sheet.paint_warning(field, sheet.sentence(frame.trouble))
    if frame.exhibit is not None and not is_window_open(frame.view):
        paint_exhibit(sheet, field, frame)
    elif is_trick_played(frame):
        _paint_trick_table(sheet, field, frame, guide)
    elif has_sets(frame):
        paint_hand_on_felt(sheet, field, frame, guide)
    else:
        _paint_seats(sheet, field, frame, guide)


def _without_told(frame: GameFrame) -> GameFrame:
    """The table without what the strip says, and without the numbers of the fields of a mat."""
    said = frame.say if is_loud(frame) else None
    chairs = tuple(
        replace(one, tokens=tuple(token for token in one.tokens if token.kind != "field"))
        for one in frame.view.chairs
    )
    return dataclasses.replace(frame, view=replace(frame.view, hint=None, chairs=chairs), say=said)


# The table --------------------------------------------------------------------------------------------------


def _paint_seats(sheet: Sheet, field: Box, frame: GameFrame, guide: Guidance) -> None:
    """The others and what lies before them; below, the own plate, the middle of the table, the own hand."""
    stood = chairs_and_decks(frame.view, frame.ui_state)
    own = next(one for one in stood if isinstance(one, ChairView) and one.chair == guide.chair)
    others = [one for one in stood if one is not own]
    lines = 1 + (len(others) > MOST_ACROSS)
    gap, inner = sheet.u(STAGE["gap"]), field.inflate(-2 * sheet.u(STAGE["inner"]), 0)
    above, below = rows(
        inner.inset(top=2 * gap, bottom=2 * gap),
        sheet.u(STAGE["seats" if lines == 1 else "two_rows"]),
        FILL,
        gap=gap,
    )
    hand, fronts = own_cards(guide), [_front_cards(one, frame, guide) for one in others]
    if lines > 1:  # the names need the room of backs
        fronts = [(() if _are_backs(cards) else cards, laid) for cards, laid in fronts]
    cells = grid(above, len(others), -(-len(others) // lines), gap=gap)
    wide = [min(_front_width(sheet, cells[0].h, *one), cells[0].w * 2 // 5) for one in fronts]
    plates = [cell.inset(right=front) for cell, front in zip(cells, wide, strict=True)]
    offers = len(visible_choices(own, frame)) if isinstance(own, ChairView) else 0
    plate, middle, held = _divide_own(sheet, below, hand, offers)
    plate = stack(plate, plate.w, min(plate.h, sheet.u(STAGE["plate" if offers else "bare_plate"])))
    spots = [*zip(others, plates, strict=True), (own, plate)]
    docks = [_avatar_spot(sheet, rect) for _, rect in spots]
    lit = [place for place, (one, _) in enumerate(spots) if _is_lit(one, frame)]
    paint_felt(sheet, field, [docks[place].centre for place in lit])
    for place in lit:
        paint_halo(sheet, spots[place][1].center, spots[place][1].h * 3 // 2)
    sheet.place("middle", middle)
    if guide.picks:
        framed = stack(middle, middle.w, plate.h + gap if len(guide.picks) <= FEW_PICKS else middle.h)
        sheet.box(framed, blend(FELT, INK, 0.3), GOLD, radius=0.5)
        paint_picks(sheet, framed.inflate(-gap, -gap), guide)
    else:
        paint_middle(sheet, middle, frame)
    seated = [(rect, one, dock) for dock, (one, rect) in zip(docks, spots, strict=True)]
    people = [(rect, one, dock) for rect, one, dock in seated if isinstance(one, ChairView)]
    look = common_look(sheet, people, frame)
    for rect, one, dock in seated:
        if isinstance(one, BotView):
            paint_bot_panel(sheet, rect, one, frame)
        else:
            paint_panel(sheet, rect, one, frame, dock, look)
    bare = sheet.surface.copy()
    for one, cell, front, (cards, laid) in zip(others, cells, wide, fronts, strict=True):
        room = cell.inset(left=cell.w - front)
        _paint_front(sheet, room, one, cards, laid)
        if isinstance(one, ChairView) and not one.cards:
            _place_dealt(sheet, room, one.chair, cards, bare)
    if isinstance(own, ChairView) and own.laid:
        over = Box(plate.x, below.y, plate.w, max(1, plate.y - below.y))
        _paint_front(sheet, over, own, (), own.laid)
    if hand and hand[0] in ICON_PAINTERS:
        _paint_own_icons(sheet, held, hand, guide)
    elif hand:
        _paint_own_hand(sheet, held, hand, guide)
        _place_dealt(sheet, held, guide.chair, hand, bare)


def _paint_trick_table(sheet: Sheet, field: Box, frame: GameFrame, guide: Guidance) -> None:
    """The trick between the plates, clockwise from the bottom left; below, the own hand and what is trump."""
    gap, chairs = sheet.u(STAGE["gap"]), frame.view.chairs
    inner = field.inflate(-2 * sheet.u(STAGE["inner"]), -4 * gap)
    upper, lower = rows(inner, sheet.u(STAGE["trick"]), FILL, gap=gap)
    side, half = round(inner.w * STAGE["own"]), (len(chairs) + 1) // 2
    left, middle, right = columns(upper, side, FILL, side, gap=gap)
    spots = [*reversed(rows(left, *[FILL] * half, gap=gap)), *rows(right, *[FILL] * half, gap=gap)]
    seated = [(rect, one, _avatar_spot(sheet, rect)) for one, rect in zip(chairs, spots, strict=False)]
    lit = [(rect, dock) for rect, one, dock in seated if _is_lit(one, frame)]
    paint_felt(sheet, field, [dock.centre for _, dock in lit])
    for rect, _ in lit:
        paint_halo(sheet, rect.center, rect.h * 3 // 2)
    sheet.place("middle", middle)
    paint_trick(sheet, middle, frame, seated=False)
    look = common_look(sheet, seated, frame)
    for rect, one, dock in seated:
        paint_panel(sheet, rect, one, frame, dock, look)
    hand = own_cards(guide)
    if (trump := find_trump(frame.view)) is not None:
        lower, sign = columns(lower, FILL, side, gap=gap)
        paint_trump(sheet, stack(sign, sign.w, sheet.u(STAGE["avatar"])), trump)
    if hand:
        _paint_own_hand(sheet, lower, hand, guide)


def _divide_own(sheet: Sheet, below: Box, hand: tuple[str, ...], offers: int) -> tuple[Box, Box, Box]:
    """The own plate, with so many choices, the middle of the table, and the own hand."""
    gap, are_icons = sheet.u(STAGE["gap"]), bool(hand) and hand[0] in ICON_PAINTERS
    own = round(below.w * STAGE["own"] * (1.5 if offers > 1 and not hand else 1))
    if are_icons:  # the bids need the width
        plate, right = columns(below, own, FILL, gap=2 * gap)
        middle, held = rows(right, FILL, sheet.u(STAGE["icons"]), gap=gap)
    elif hand and len(hand) <= FEW:  # the own card is the largest, and lies beside the plate
        plate, held, middle = columns(
            below, own, round(below.w * STAGE["few"] * (1 + len(hand)) / 2), FILL, gap=2 * gap
        )
        middle = middle.inflate(0, -middle.h // 6)
    elif len(hand) > MANY:
        upper, held = rows(below, Share(4), Share(5), gap=gap)
        plate, middle = columns(upper, own, FILL, gap=2 * gap)
    else:
        wide = round(below.w * STAGE["hand"]) if hand else 0
        plate, middle, held = columns(below, own, FILL, wide, gap=2 * gap if hand else gap)
    return plate, middle, held


def _avatar_spot(sheet: Sheet, plate: Box) -> AvatarSpot:
    """At the left end of a plate."""
    size = min(sheet.u(STAGE["avatar"]), plate.h * 8 // 10)
    return AvatarSpot((plate.x + size * 6 // 10, plate.centery), size)


def _is_lit(one: ChairView | BotView, frame: GameFrame) -> bool:
    return isinstance(one, ChairView) and find_plate_state(one, frame) in {PlateState.ASKED, PlateState.UP}


Front = tuple[tuple[str, ...], tuple[Token, ...]]
"""What somebody holds and what lies before that one."""


def _front_cards(one: ChairView | BotView, frame: GameFrame, guide: Guidance) -> Front:
    """What somebody holds, as the person sees it: backs, or the faces of cards that had to be opened."""
    whose = ("bot", one.owner) if isinstance(one, BotView) else ("", one.chair)
    known = next((row[2] for row in guide.lay if row[:2] == whose), ())
    if isinstance(one, BotView):
        return known, ()
    backs = (frame.board.hand_back,) * one.cards if frame.board.hand_back else ()
    return known or backs, one.laid


def _are_backs(cards: tuple[str, ...]) -> bool:
    """Whether none of them is open."""
    return all(card.startswith("back:") for card in cards)


def _front_width(sheet: Sheet, high: int, cards: tuple[str, ...], laid: tuple[Token, ...]) -> int:
    """What that takes beside a plate that is so high, in pixels."""
    if not cards and not laid:
        return 0
    wide = round(high * FAN["shape"])
    is_open = not _are_backs(cards)
    step = round(wide * STAGE["face_step" if is_open else "back_step"])
    return wide + step * (len(cards) - 1 if cards else 0) + wide * 2 // 3 * len(laid) + 2 * sheet.em(0.2)


def _paint_front(
    sheet: Sheet, rect: Box, one: ChairView | BotView, cards: tuple[str, ...], laid: tuple[Token, ...]
) -> None:
    """Cards over one another and what was laid beside them, as high as there is room."""
    if not cards and not laid:
        return
    room = rect.inflate(-2 * sheet.em(0.2), 0)
    wide = min(round(rect.h * FAN["shape"]), room.w)
    coins = min(room.w // 2, wide * 2 // 3) * len(laid) if cards else room.w
    step = (room.w - coins - wide) // max(1, len(cards) - 1)
    is_open = not _are_backs(cards)
    step = min(step, round(wide * STAGE["face_step" if is_open else "back_step"]))
    for place, card in enumerate(cards):
        picture = draw_turned_card(sheet, card, (wide, round(wide / FAN["shape"])), 0)
        sheet.picture(picture, (room.x + place * step + wide // 2, room.centery))
    left = room.inset(left=room.w - coins)
    for token, spot in zip(laid, columns(left, *[Share(1)] * len(laid)), strict=True):
        if isinstance(one, ChairView):
            paint_felt_token(
                sheet, stack(spot, spot.w, min(spot.h, sheet.u(STAGE["coin"]))), token, one.chair
            )


def _place_dealt(sheet: Sheet, rect: Box, chair: Chair, cards: tuple[str, ...], bare: pygame.Surface) -> None:
    """Backs that are dealt now are seen to come; until then it is `bare` there."""
    if cards and _are_backs(cards):
        area = Box(*pygame.Rect(rect.inflate(sheet.em(1.6), sheet.em(1.6))).clip(sheet.rect))
        sheet.place(f"{FRONT}:{chair}", area, cards, None, bare.subsurface(area))


def _paint_own_hand(sheet: Sheet, rect: Box, hand: tuple[str, ...], guide: Guidance) -> None:
    """The fan, and the player's sign on its corner."""
    paint_fan(sheet, rect, hand, guide)
    paint_hand_sign(sheet, rect, guide)


def _paint_own_icons(sheet: Sheet, rect: Box, held: tuple[str, ...], guide: Guidance) -> None:
    """The player's sign, and what the hand holds in a row."""
    sign, *spots = columns(rect, *[rect.h] * (1 + len(held)), gap=sheet.em(0.3), justify="center")
    paint_avatar(sheet, sign.center, rect.h, guide.chair)
    for place, (spot, icon) in enumerate(zip(spots, held, strict=True)):
        sheet.picture(sheet.art.motif(icon, rect.h), spot.center)
        sheet.place(f"held:{place}", spot, (icon,))


# The strip --------------------------------------------------------------------------------------------------


def paint_practice_strip(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """Who plays, what to do or what was done, what the tapped cards make, and what is always at hand.

    What needs no card stands left of the words, what the tapped cards make right of them: no slip of the
    finger takes one for the other.
    """
    gap = sheet.em(0.35)
    sheet.shadow(rect, "plate", sheet.u(LOOK.radius["button"]))
    sheet.box(rect, PANEL, EDGE, radius=0.5)
    inner = rect.inflate(-2 * gap, -2 * gap)
    small = (
        ("ui.menu", "bar:menu", "menu", touch_action(overlay="menu")),
        ("ui.lesson.hint", "guide:hint", "help", guide_action("hint")),
    )
    wide = max(sheet.text_width(sheet.tr(words), bold=True) for words, *_ in small) + sheet.em(2.1)
    needless = bool(guide.answers) and not guide.tapped and not guide.tapped_region
    bare = [*enumerate(guide.answers, 1)] if needless else []
    made = [] if needless else [*enumerate(guide.answers, 1)]
    left = max((_answer_width(sheet, one, 1.0) for _, one in bare), default=0)
    right = max((_answer_width(sheet, one, FAN["said"]) for _, one in made), default=0)
    *fixed, bared, told, making = columns(inner, wide, wide, left, FILL, right, gap=gap)
    for answers, column, fill, scale in ((bare, bared, RAISED, 1.0), (made, making, GOLD, FAN["said"])):
        for (place, offered), cell in zip(
            answers, rows(column, *[Share(1)] * len(answers), gap=gap // 2), strict=True
        ):
            key = f"answer:{place}"
            sheet.button(
                cell, sheet.sentence(offered), key, guide_action(key), fill=fill, bold=True, scale=scale
            )
    _paint_said(sheet, told, frame, guide)
    for (words, key, sign, does), cell in zip(small, fixed, strict=True):
        sheet.button(cell, "", key, does)
        icon, named = columns(
            cell.inset(left=sheet.em(0.35), right=sheet.em(0.2)), sheet.em(0.8), FILL, gap=sheet.em(0.35)
        )
        sheet.picture(draw_icon(sheet, sign, icon.w, ink_on(RAISED)), icon.center)
        sheet.text(named, sheet.tr(words), 1.0, ink_on(RAISED), bold=True, grows=False)


def _answer_width(sheet: Sheet, said: Sentence, scale: float) -> int:
    return sheet.text_width(sheet.sentence(said), scale, bold=True) + sheet.em(1.6)


def said_in_strip(sheet: Sheet, frame: GameFrame, guide: Guidance) -> list[tuple[str, Colour]]:
    """At most two sentences: a comment or what the table did, else what others did and what to do."""
    if guide.note is not None:
        return [(sheet.sentence(guide.note), GOOD if guide.good else NOTICE)]
    done = last_announcement(sheet, frame) if not is_loud(frame) else ""
    done = done if guide.forced is None else sheet.sentence(guide.forced)
    told = [(done, GOLD if guide.forced is not None else SOFT)] if done else []
    do = "" if frame.view.hint is None else sheet.sentence(frame.view.hint)
    if guide.chooses:
        is_tapped = bool(guide.tapped or guide.tapped_region)
        if is_tapped and guide.answers:
            return told  # the button says the rest, and needs the room
        do = (
            sheet.tr("ui.practice." + ("useless" if guide.useless else "more"))
            if is_tapped
            else sheet.sentence(guide.say)
        )
    elif not do and not told and not any(one.asked for one in frame.view.chairs if one.chair == guide.chair):
        do = sheet.sentence(guide.say)
    return [*told, *([(do, TEXT)] if do else [])]


def _paint_said(sheet: Sheet, rect: Box, frame: GameFrame, guide: Guidance) -> None:
    """As large as both sentences fit below each other; where they do not, what to do alone."""
    lines, scale = said_in_strip(sheet, frame, guide), LOOK.coach["words"]
    made, is_made = sheet.tr("ui.practice.made"), guide.chooses and bool(guide.answers)
    if guide.note is not None and sheet.painter.fit_text(lines[0][0], rect.w, rect.h, 1.0, bold=True).cut:
        lines = said_in_strip(sheet, frame, replace(guide, note=None))  # what to do now is shorter
    if not lines and is_made and not sheet.painter.fit_text(made, rect.w, rect.h, 1.0, bold=True).cut:
        lines = [(made, TEXT)]
    while lines:
        fitted = [
            sheet.painter.fit_text(words, rect.w, 9 * rect.h, scale, bold=True, least=scale)
            for words, _ in lines
        ]
        heights = [len(one.lines) * sheet.painter.line_height(scale) for one in fitted]
        if sum(heights) <= rect.h and not any(one.cut for one in fitted):
            break
        if scale > 1.0:
            scale = max(1.0, scale * LOOK.text["step"])
        elif len(lines) > 1:
            lines, scale = lines[:1] if guide.forced is not None else lines[1:], LOOK.coach["words"]
        else:
            heights = [rect.h]
            break
    for (words, colour), spot in zip(
        lines, rows(rect, *heights[: len(lines)], justify="center") if lines else (), strict=True
    ):
        sheet.text(spot, words, scale, colour, bold=True, grows=False)
