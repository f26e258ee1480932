"""Draws the panel of a player (name, tokens, what the button does now) and of a deck that nobody holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pygame
from msgspec.structs import replace

from companion.core.view import BotView, ChairView, Token, TokenBackground, View
from companion.ui.board.plate_choices import (
    MAX_CHOICE_SCALE,
    MIN_HEAD_HEIGHT,
    NAMED,
    add_plate_targets,
    count_choice_lines,
    min_touch_height,
    paint_plate_choices,
    plate_note,
    visible_choices,
)
from companion.ui.board.row_centre import plate_clock_height
from companion.ui.frame import GameFrame, UiState, is_window_open
from companion.ui.layout import FILL, Box, around, columns, rows, stack
from companion.ui.toolkit.chair_tiles import (
    deck_colour,
    deck_name,
    paint_bot_badge,
    screen_position,
    shorten_name,
)
from companion.ui.toolkit.picture_cache import WIDE
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import (
    DARK,
    FELT,
    GOLD,
    INK,
    LOOK,
    PAPER,
    SOFT,
    TEXT,
    Colour,
    blend,
    ink_on,
    type_scale,
)
from companion.ui.toolkit.widgets import SIGN, PlateState, paint_avatar, paint_plate


class PlateLook(NamedTuple):
    """What the plates of one table have in common."""

    name: float = 9.0
    """How large a name is at most, in em."""
    is_low: bool = False
    """Whether tokens stand below the name, and not beside it."""


def common_look(
    sheet: Sheet, plates: Iterable[tuple[Box, ChairView, AvatarSpot | None]], frame: GameFrame
) -> PlateLook:
    """No name is larger than another, and tokens stand alike: each is tried where nobody sees it."""
    unseen = sheet.on_screen(pygame.Surface((1, 1)))
    looks = [paint_panel(unseen, rect, chair, frame, dock, None) for rect, chair, dock in plates]
    return PlateLook(min(one.name for one in looks), any(one.is_low for one in looks))


def paint_panel(  # noqa: PLR0917
    sheet: Sheet,
    rect: Box,
    chair: ChairView,
    frame: GameFrame,
    dock: AvatarSpot | None = None,
    look: PlateLook | None = PlateLook(),  # noqa: B008
) -> PlateLook:
    """Paint one chair's plate; returns how it looks.

    `dock`: where its avatar stands, if that is outside the plate. `look`: what all plates have in
    common; None: nothing but the name is tried.
    """
    state, tried = find_plate_state(chair, frame), look is None
    look, down = look or PlateLook(), chair.chair in frame.pressed
    ink = TEXT if tried else paint_plate(sheet, rect, sheet.colour(chair.chair), state, pressed=down)
    low = rect.h < sheet.em(4.5)
    pad = sheet.u(LOOK.stage["pad_low" if low else "pad"])
    inner = rect.inflate(-2 * pad, -sheet.em(0.08 if low else 0.5))
    if dock is not None:
        dock = dock.sized_for(state)
        inner = dock.plate_room(rect, inner, sheet.em(0.2))
    line = sheet.line_height
    each = [count_choice_lines(sheet, choice, inner.w) * line for choice in visible_choices(chair, frame)]
    touched = sum(max(one, sheet.min_touch_height) for one in each)
    most, needed = inner.h - sheet.em(MIN_HEAD_HEIGHT), sum(each)
    if min_touch_height(sheet, chair, frame):
        needed = max(needed, min(touched, most))
    alone = chair.asked and sum(one.asked for one in frame.view.chairs) == 1
    if alone:  # what is asked grows up to the name
        room = inner.h - sheet.em(NAMED)
        needed = max(needed, min(round(sum(each) * MAX_CHOICE_SCALE), room))
    note = plate_note(sheet, chair, frame)
    if note:
        needed = (
            len(sheet.painter.fit_text(note, inner.w - sheet.em(0.3), inner.h, 1.0, bold=True).lines) * line
        )
    clock = plate_clock_height(sheet, chair)
    clock = clock if needed + clock <= most else 0
    head, *tokens, foot = _split_plate(sheet, inner, needed + clock, noted=bool(note))
    if not note and not clock and (not tokens or tokens[0].h < sheet.em(2)):
        head, *tokens, foot = _split_beside(sheet, inner, chair, frame) or (head, *tokens, foot)
    is_low = not tokens and _is_name_cut(sheet, head, chair, needed + clock, inner.h, look)
    if is_low:
        row = min(sheet.em(LARGEST_ROW), (inner.h - needed - clock) // 2)
        head, *tokens, foot = rows(inner, row, row, needed + clock, justify="center")
    beside_it = dock is not None and rect.h >= 2 * dock.size
    named = _paint_head(
        sheet,
        head,
        chair,
        ink,
        tokens=not tokens,
        badge=dock is None,
        hand=not beside_it,
        most=look.name,
    )
    if tried:
        return PlateLook(named, is_low)
    most = sheet.em(named * TOKEN + 0.15) if each and alone else inner.h  # no number is larger than the name
    for low_row in tokens:
        paint_tokens_row(sheet, stack(low_row, low_row.w, min(low_row.h, most)), chair, ink)
    if clock:
        sheet.moving[f"clock:{chair.chair}"], foot = rows(foot, clock, FILL)
    offered = paint_plate_choices(sheet, foot, chair, frame, ink, most=named if chair.asked else None)
    add_plate_targets(sheet, rect, chair, frame, offered)
    sheet.place(
        f"chair:{chair.chair}", around(dock.centre if dock else rect.center, 1, 1), (chair.chair, chair.cards)
    )
    if dock is not None:
        paint_avatar(sheet, dock.centre, dock.size, chair.chair, lit=state is PlateState.ASKED)
        if chair.raised and beside_it:
            side = dock.size * 8 // 10
            centre = (dock.centre[0], dock.centre[1] - dock.size)
            hand = sheet.art.motif("hand", side)
            sheet.picture(hand, centre)
            sheet.place(f"hand:{chair.chair}", around(centre, side, side), (1,), hand)
    return PlateLook(named, is_low)


class AvatarSpot(NamedTuple):
    """Where an avatar stands on the felt's edge, beside its plate."""

    centre: tuple[int, int]
    size: int

    def sized_for(self, state: PlateState) -> AvatarSpot:
        """The avatar of the player who is asked is larger."""
        if state is not PlateState.ASKED:
            return self
        return AvatarSpot(self.centre, round(self.size * LOOK.avatar["asked"]))

    def plate_room(self, rect: Box, inner: Box, gap: int) -> Box:
        """What of a plate the avatar leaves free."""
        half = self.size // 2 + gap
        if self.centre[0] > rect.centerx:
            return inner.inset(right=inner.right - self.centre[0] + half)
        return inner.inset(left=self.centre[0] + half - inner.x)


def find_plate_state(chair: ChairView, frame: GameFrame) -> PlateState:
    """What a chair's plate says: paper for whom the table waits; where everybody may, only who is named."""
    view = frame.view
    if is_window_open(view):
        if chair.raised:
            return PlateState.UP
        return PlateState.MAY if chair.asked or chair.choices else PlateState.WAIT
    asked = sum(one.asked for one in view.chairs)
    named = dict(view.headline.parts).get("chair") == chair.chair
    if chair.asked and (named or asked < len(view.chairs)):
        return PlateState.ASKED
    if named and not asked:
        return PlateState.UP
    return PlateState.MAY if chair.choices else PlateState.WAIT


LAYOUTS = ((2.2, 2.4), (2.2, 2.0), (NAMED, 1.5), (NAMED, 0.0), (1.5, 0.0), (MIN_HEAD_HEIGHT, 0.0))
"""Heights of the head and of the tokens' own row (0: they stand in the head), the roomiest first."""


def _split_plate(sheet: Sheet, inner: Box, needed: int, *, noted: bool) -> tuple[Box, ...]:
    """Head, tokens where there is room, and the rest: what may be pressed has the first claim.

    Where there is room left, all of it stands in the middle of the plate.
    """
    for head, middle in LAYOUTS:
        high, low = sheet.em(head), sheet.em(middle)
        roomy = head < 2 or inner.w >= sheet.em(8)
        if (roomy and inner.h - high - low >= needed) or (head, middle) == LAYOUTS[-1]:
            break
    spare = 0 if noted else max(0, inner.h - high - low - needed) // 2
    inner = inner.inset(top=spare)
    return rows(inner, high, low, FILL) if low else rows(inner, high, FILL)


LOW_ROW, LARGEST_ROW = 1.2, 1.5
"""How high name and tokens are, at least and at most, where they stand one above the other."""


def _is_name_cut(  # noqa: PLR0917
    sheet: Sheet, head: Box, chair: ChairView, needed: int, high: int, look: PlateLook
) -> bool:
    """Whether this name or another has no room beside the tokens, and both have it one above the other."""
    wide = tokens_width(sheet, chair.tokens) + sheet.em(0.2)
    cut = sheet.text_width(sheet.name(chair.chair), bold=True) + wide > head.w
    return bool(chair.tokens) and (cut or look.is_low) and needed + 2 * sheet.em(LOW_ROW) <= high


def _split_beside(sheet: Sheet, inner: Box, chair: ChairView, frame: GameFrame) -> tuple[Box, ...]:
    """The same, with the tokens beside the one answer, both large; empty: there is no room for that."""
    offered, gap = visible_choices(chair, frame), sheet.em(0.4)
    high = min(sheet.em(1.9), inner.h - sheet.em(NAMED))
    if len(offered) != 1 or len(chair.choices) > 1 or not chair.tokens or high < sheet.em(1.6):
        return ()
    told = sheet.text_width(sheet.sentence(offered[0].label), 1.2, bold=True) + sheet.em(SIGN)
    wide = _tokens_width(sheet, chair.tokens, high * 9 // 10, sheet.em(0.15)) + gap
    if told + wide + gap > inner.w:
        return ()
    head, row = rows(
        inner, sheet.em(NAMED), high, gap=(inner.h - sheet.em(NAMED) - high) // 3, justify="center"
    )
    answer, tokens = columns(row, FILL, wide, gap=gap)
    return head, tokens, answer


def _paint_head(
    sheet: Sheet,
    rect: Box,
    chair: ChairView,
    ink: Colour,
    *,
    tokens: bool,
    badge: bool,
    hand: bool,
    most: float,
) -> float:
    """Who it is, and what stands beside the name; returns how large the name is, in em."""
    radius, room = rect.h * 40 // 100, rect
    if badge:
        sign, room = columns(rect, 2 * radius, FILL, gap=sheet.em(0.4))
        centre = (sign.x + radius, rect.centery)
        if radius >= sheet.em(0.6):
            sheet.badge(centre, radius, chair.chair)
        else:  # no room within for a number that can be read
            sheet.shape(centre, radius, chair.chair)
            number, room = columns(room, sheet.em(0.7), FILL, gap=sheet.em(0.1))
            sheet.text(number, str(chair.chair + 1), 1.0, ink, bold=True)
    if chair.raised and hand:
        room, up = columns(room, FILL, rect.h * 9 // 10, gap=sheet.em(0.15))
        sheet.picture(sheet.art.motif("hand", up.w), (up.right - up.w // 2, up.centery))
        sheet.place(f"hand:{chair.chair}", up, (1,))
    if tokens:
        left = Box(rect.x, rect.y, room.right - rect.x, rect.h)
        scale = type_scale("name") if chair.asked else 1.0
        wide = sheet.text_width(sheet.name(chair.chair), scale, bold=True)
        named = min(room.w * 3 // 5 if chair.asked else room.w // 2, wide) + sheet.em(0.2)
        fitting = first_tokens(sheet, chair, room.w - named)
        room = room._replace(w=paint_token_icons(sheet, left, fitting, ink) - room.x)
    held = [seat for seat in getattr(sheet.frame, "by_phone", ()) if seat.chair == chair.chair]
    side, gap = sheet.em(1.0), sheet.em(0.3)
    name = room._replace(w=max(1, room.w - len(held) * (side + gap)))
    string = shorten_name(sheet, sheet.name(chair.chair), name.w)
    scale = max(1.0, min(type_scale("name"), rect.h / sheet.line_height, most))
    told = sheet.text(name, string, scale, ink, bold=True)
    for seat in held:
        motif = sheet.art.motif("phone" if seat.awake else "asleep", side)
        sheet.picture(motif, (told.right + gap + side // 2, told.centery))
    return sheet.text_lines[-1].size / sheet.unit if string else 1.0


def first_tokens(sheet: Sheet, chair: ChairView, room: int) -> ChairView:
    """The player with as many tokens as have room beside each other."""
    tokens = chair.tokens
    while tokens and tokens_width(sheet, tokens) > room:
        tokens = tokens[:-1]
    return replace(chair, tokens=tokens, cards=0)


def tokens_width(sheet: Sheet, tokens: Iterable[Token]) -> int:
    """What they take beside each other as `paint_token_icons` paints them, in pixels."""
    return _tokens_width(sheet, tokens, sheet.em(1.12), sheet.em(0.12))


def paint_token_icons(sheet: Sheet, rect: Box, chair: ChairView | BotView, ink: Colour) -> int:
    """Tokens from the right edge inwards; returns where they begin."""
    x, side = rect.right, sheet.em(1.12)
    for token in reversed(chair.tokens):
        width = _token_width(sheet, token, side)
        _paint_token(sheet, Box(x - width, rect.y, width, rect.h), token, ink, chair, side=side)
        x -= width + sheet.em(0.12)
    return x


def paint_tokens_row(sheet: Sheet, rect: Box, chair: ChairView | BotView, ink: Colour) -> None:
    """What lies before somebody, as large as it fits, and how many cards that one holds."""
    if any(token.chip is TokenBackground.PAPER for token in chair.tokens):  # then what was thrown is past
        thrown = TokenBackground.WORN
        chair = replace(chair, tokens=tuple(token for token in chair.tokens if token.chip is not thrown))
    gap, tokens = sheet.em(0.15), chair.tokens
    side, held = _fit_tokens(sheet, rect, chair, gap)
    if _tokens_width(sheet, tokens, side, gap) > rect.w:  # no room for words: numbers alone
        tokens = tuple(
            replace(token, said=None) for token in tokens if token.said is None or token.value is not None
        )
    x = rect.x
    for token in tokens:
        width = _token_width(sheet, token, side)
        _paint_token(sheet, Box(x, rect.y, width, rect.h), token, ink, chair, side=side)
        x += width + gap
    if held:
        sign, told = columns(rect.inset(left=x - rect.x), side, FILL, gap=side // 8)
        sheet.picture(sheet.art.motif("cards", side), sign.center)
        sheet.text(told, str(chair.cards), _count_scale(sheet, side), ink, grows=False)


HELD = 1.3
"""How many cards somebody holds is not told where tokens would have to be smaller than this, in em."""


def _fit_tokens(sheet: Sheet, rect: Box, chair: ChairView | BotView, gap: int) -> tuple[int, bool]:
    """How large a token is, and whether the hand, if there is one, has room beside all of them."""
    largest, least = min(rect.h - gap, sheet.em(LARGEST_TOKEN)), sheet.em(0.9)
    for held in (True, False) if chair.cards else (False,):
        for side in range(largest, sheet.em(HELD) if held else least, -1):
            number = sheet.text_width(str(chair.cards), _count_scale(sheet, side))
            hand = side * 9 // 8 + number + gap if held else 0
            if _tokens_width(sheet, chair.tokens, side, gap) + hand <= rect.w:
                return side, held
    return least, False


def _tokens_width(sheet: Sheet, tokens: Iterable[Token], side: int, gap: int) -> int:
    return sum(_token_width(sheet, token, side) + gap for token in tokens) - gap


CHIP_COLOURS: Mapping[TokenBackground, Colour] = {
    TokenBackground.PAPER: PAPER,
    TokenBackground.WORN: blend(PAPER, INK, 0.3),
    TokenBackground.TABLE: FELT,
    TokenBackground.GOLD: GOLD,
}
"""The grounds of tokens that are cards: told by what stands on them."""


def _token_width(sheet: Sheet, token: Token, side: int) -> int:
    if token.chip:
        words = sheet.text_width(_chip_words(sheet, token), _count_scale(sheet, side), bold=True)
        return max(side, sheet.em(1.6), words + sheet.em(0.4))
    return side + _count_width(sheet, token, side)


LARGEST_TOKEN, TOKEN = 2.2, 1.4
"""How large a token on a plate is at most, and how many times as large as the number beside it."""


def _count_scale(sheet: Sheet, side: int) -> float:
    """How large the number beside a token of this size is."""
    return max(1.0, side / sheet.em(TOKEN))


def _chip_words(sheet: Sheet, token: Token) -> str:
    return str(token.value) if token.said is None else sheet.sentence(token.said)


def _count_width(sheet: Sheet, token: Token, side: int) -> int:
    """The room beside a token of this size for how many there are; one alone is not counted."""
    if token.count < 2:
        return 0
    wide = sheet.text_width(str(token.count), _count_scale(sheet, side), bold=True)
    return max(sheet.em(0.62), wide + sheet.em(0.05))


def _paint_token(
    sheet: Sheet, rect: Box, token: Token, ink: Colour, owner: ChairView | BotView, *, side: int
) -> None:
    """One token, `side` large, and beside it how many there are."""
    if token.chip:
        chip = stack(rect, rect.w, max(side * 9 // 10, sheet.em(1.24)))
        fill, scale = CHIP_COLOURS[token.chip], _count_scale(sheet, side)
        string = _chip_words(sheet, token)
        if isinstance(owner, ChairView):
            sheet.place(f"chip:{owner.chair}:{token.kind}", chip, (str(token.value),))
        if token.said is not None:  # words stand for themselves; on paper they would look like a button
            sheet.text(chip, string, scale, ink, align="center", grows=False)
            return
        sheet.box(chip, fill, TEXT if token.chip is TokenBackground.TABLE else INK, radius=0.2)
        words = chip.inflate(-sheet.em(0.2), 0)
        sheet.text(words, string, scale, ink_on(fill), bold=True, align="center", grows=False)
        return
    motif = sheet.art.motif(token.motif or token.kind, side)
    sheet.picture(motif, (rect.x + side // 2, rect.centery))
    if isinstance(owner, ChairView):
        lies = around((rect.x + side // 2, rect.centery), side, side)
        sheet.place(f"token:{owner.chair}:{token.kind}", lies, (token.count,), motif)
    if token.count > 1:
        words = rect.inset(left=side + sheet.em(0.05))
        sheet.text(words, str(token.count), _count_scale(sheet, side), ink, bold=True, grows=False)


def chairs_and_decks(view: View, ui_state: UiState) -> tuple[ChairView | BotView, ...]:
    """Chairs and the decks that nobody holds, as they stand round the screen: a deck stands by its owner."""
    if len(view.bots) == len(view.chairs):
        pairs = zip(view.chairs, view.bots, strict=True)
        first, second = sorted(pairs, key=lambda pair: screen_position(ui_state, pair[0].chair))
        return (first[1], first[0], second[0], second[1])
    return (*sorted(view.chairs, key=lambda one: screen_position(ui_state, one.chair)), *view.bots)


def paint_bot_panel(sheet: Sheet, rect: Box, bot: BotView, frame: GameFrame) -> None:
    """Paint one deck; it has no button."""
    colour = deck_colour(sheet, bot.owner)
    about = frame.say is not None and ("bot", -1 if bot.owner is None else bot.owner) in frame.say.parts
    sheet.box(rect, blend(DARK, colour, 0.14), GOLD if bot.asked or about else blend(DARK, colour, 0.6))
    inner = rect.inflate(-sheet.em(0.7), -sheet.em(0.3 if rect.h < sheet.em(4.5) else 0.5))
    line = sheet.line_height
    says = "" if bot.says is None else sheet.sentence(bot.says)
    lines = len(sheet.painter.fit_text(says, inner.w, 9 * sheet.unit, 1.0).lines) * line
    tall = inner.h >= sheet.em(3.4) + lines + line
    head, rest = rows(inner, sheet.em(2.0) if tall else max(line, sheet.em(1.2)), FILL)
    if not tall:
        if bot.aid:
            head = _paint_aid(sheet, head, bot, words=False)
        head = head._replace(w=paint_token_icons(sheet, head, bot, TEXT) - head.x)
    _paint_deck_head(sheet, head, bot)
    if tall:
        low, rest = rows(rest, sheet.em(1.4), FILL)
        paint_tokens_row(sheet, low, bot, TEXT)
        if bot.aid:
            aid, rest = rows(rest, min(sheet.em(2.6), rest.h - lines), FILL)
            _paint_aid(sheet, aid, bot, words=True)
    fitted = sheet.painter.fit_text(says, rest.w, rest.h, 1.0, bold=bot.asked)
    if not fitted.cut:  # else the sentence on top says it
        sheet.text(rest, says, 1.0, GOLD if bot.asked else SOFT, bold=bot.asked)


def _paint_deck_head(sheet: Sheet, rect: Box, bot: BotView) -> None:
    radius = min(rect.h * 52 // 100, sheet.em(1.0))
    badge, words = columns(rect, 2 * radius, FILL, gap=sheet.em(0.3))
    paint_bot_badge(sheet, (badge.x + radius, rect.centery), radius, bot.owner)
    words, name = words._replace(w=max(1, words.w)), deck_name(sheet, bot.owner)
    if sheet.text_width(name, bold=True) > words.w:
        name = deck_name(sheet, None)  # whose it is the badge says too
    sheet.text(words, shorten_name(sheet, name, words.w), 1.0, TEXT, bold=True)


def _paint_aid(sheet: Sheet, rect: Box, bot: BotView, *, words: bool) -> Box:
    """The face of the aid, as it lies on the table; returns what is left of the row."""
    up, side = bot.aid == "up", min(rect.h - sheet.em(0.1), sheet.em(2.4))
    card = stack(rect, round(side * WIDE), side, "left" if words else "right")
    sheet.surface.blit(sheet.art.card_face("aid:raise" if up else "aid:lower", card.size), card)
    if not words:
        return rect.inset(right=card.w + sheet.em(0.15))
    told, face = rect.inset(left=card.w + sheet.em(0.4)), sheet.tr(f"ui.bot.{bot.aid}")
    if not sheet.painter.fit_text(face, told.w, told.h, 1.15, bold=True).cut:  # the picture says it too
        sheet.text(told, face, 1.15, TEXT if up else SOFT, bold=True)
    return told
