"""A chair's panel: who sits there, what lies in front, and what its button does now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pygame

from companion.core.actions import Chair
from companion.core.view import BotView, ChairView, Chip, Choice, Token
from companion.ui.commands import ChairPress, Say
from companion.ui.frame import GameFrame, window_open
from companion.ui.kit import Plate, avatar, plate, second, sign
from companion.ui.pile import bot_badge, colour_of, named
from companion.ui.sheet import Deed, Sheet, deed
from companion.ui.theme import FELT, GOLD, INK, LOOK, NOTICE, PAPER, TEXT, ink_on, mixed, scale_of
from companion.ui.tokens import Colour


def panel(
    sheet: Sheet, rect: pygame.Rect, chair: ChairView, frame: GameFrame, dock: Dock | None = None
) -> None:
    """Paint one chair's plate; touching it is pressing the chair's button.

    `dock`: where its avatar stands, if that is outside the plate.
    """
    state = state_of(chair, frame)
    down = chair.chair in frame.pressed
    ink = plate(sheet, rect, sheet.colour(chair.chair), state, pressed=down)
    sheet.target(
        f"chair:{chair.chair}",
        rect,
        Deed((ChairPress(chair.chair, down=True),), lifted=(ChairPress(chair.chair, down=False),)),
    )
    inner = rect.inflate(-sheet.em(0.6), -sheet.em(0.08 if rect.h < sheet.em(4.5) else 0.4))
    if dock is not None:
        dock = dock.grown(state)
        inner = dock.beside(rect, inner, sheet.em(0.2))
    line = sheet.painter.line(1.0)
    needed = sum(_lines(sheet, choice, frame, inner.w) for choice in _shown(chair, frame)) * line
    needed = max(needed, min(_for_fingers(sheet, chair, frame), inner.h - sheet.em(ONE_LINE)))
    rows = _rows(sheet, inner, needed, noted=bool(_note(sheet, chair, frame)))
    beside_it = dock is not None and rect.h >= 2 * dock.size
    _head(sheet, rows[0], chair, ink, tokens=len(rows) == 2, badge=dock is None, hand=not beside_it)
    if len(rows) == 3:
        tokens_row(sheet, rows[1], chair, ink)
    _foot(sheet, rows[-1], chair, frame, ink)
    if dock is not None:
        avatar(sheet, dock.centre, dock.size, chair.chair, lit=state is Plate.ASKED)
        if chair.raised and beside_it:
            side = dock.size * 8 // 10
            sheet.picture(sheet.art.motif("hand", side), (dock.centre[0], dock.centre[1] - dock.size))


def _for_fingers(sheet: Sheet, chair: ChairView, frame: GameFrame) -> int:
    """What two answers need to be told apart by a finger, on displays that are small."""
    small = sheet.painter.height <= LOOK.stage["touched"] and not window_open(frame.view)
    several = len(_shown(chair, frame)) > 1
    return 2 * sheet.u(LOOK.stage["finger"]) if small and several else 0


class Dock(NamedTuple):
    """Where an avatar stands on the felt's edge, beside its plate."""

    centre: tuple[int, int]
    size: int

    def grown(self, state: Plate) -> Dock:
        """The avatar of whoever is asked is larger."""
        if state is not Plate.ASKED:
            return self
        return Dock(self.centre, round(self.size * LOOK.avatar["asked"]))

    def beside(self, rect: pygame.Rect, inner: pygame.Rect, gap: int) -> pygame.Rect:
        """What of a plate the avatar leaves free."""
        half = self.size // 2 + gap
        if self.centre[0] > rect.centerx:
            return pygame.Rect(inner.x, inner.y, self.centre[0] - half - inner.x, inner.h)
        left = self.centre[0] + half
        return pygame.Rect(left, inner.y, inner.right - left, inner.h)


def state_of(chair: ChairView, frame: GameFrame) -> Plate:
    """What a chair's plate says: paper for whom the table waits; where everybody may, only who is named."""
    view = frame.view
    if window_open(view):
        if chair.raised:
            return Plate.UP
        return Plate.MAY if chair.asked or chair.choices else Plate.WAIT
    asked = sum(one.asked for one in view.chairs)
    named = dict(view.headline.parts).get("chair") == chair.chair
    if chair.asked and (named or asked < len(view.chairs)):
        return Plate.ASKED
    if named and not asked:
        return Plate.UP
    return Plate.MAY if chair.choices else Plate.WAIT


ONE_LINE = 1.5
LAYOUTS = ((2.2, 2.0), (1.5, 1.5), (ONE_LINE, 0.0), (1.15, 0.0))
"""Heights of the head and of the tokens' own row (0: they stand in the head), the roomiest first."""


def _rows(sheet: Sheet, inner: pygame.Rect, needed: int, *, noted: bool) -> tuple[pygame.Rect, ...]:
    """Head, tokens where there is room, and the rest: what may be pressed has the first claim.

    Where there is room left, all of it stands in the middle of the plate.
    """
    for head, middle in LAYOUTS:
        high, low = sheet.em(head), sheet.em(middle)
        roomy = head < 2 or inner.w >= sheet.em(8)
        if (roomy and inner.h - high - low >= needed) or (head, middle) == LAYOUTS[-1]:
            break
    spare = inner.h - high - low - needed
    top = inner.y + (max(0, spare) // 2 if not noted else 0)
    upper = pygame.Rect(inner.x, top, inner.w, high)
    tokens = pygame.Rect(inner.x, upper.bottom, inner.w, low)
    rest = pygame.Rect(inner.x, tokens.bottom, inner.w, max(0, inner.bottom - tokens.bottom))
    return (upper, tokens, rest) if low else (upper, rest)


def beside(chair: ChairView, frame: GameFrame) -> bool:
    """Whether a card is chosen beside the table: in practice nothing is given back before that."""
    guide = frame.guide
    asks = guide is not None and guide.kind == "practice" and guide.answers and guide.chair == chair.chair
    return bool(asks) and all(choice.action.verb == "return" for choice in chair.choices)


def _shown(chair: ChairView, frame: GameFrame) -> tuple[Choice, ...]:
    """The choices a panel spells out: all of two, or the marked one of more."""
    if beside(chair, frame):
        return ()
    if len(chair.choices) <= 2:
        return chair.choices
    return (next((choice for choice in chair.choices if choice.marked), chair.choices[0]),)


def strong(choice: Choice) -> bool:
    """Whether a choice is set in bold: the only one, or the marked one."""
    return choice.press == "press" or choice.marked


def _lines(sheet: Sheet, choice: Choice, frame: GameFrame, width: int) -> int:
    """How many lines a choice needs."""
    if {"chair", "bot"} & dict(choice.label.parts).keys():
        return 1
    room = width - min(sheet.em(0.95), sheet.em(2)) - sheet.em(0.25)
    string = label(sheet, choice, frame)
    return len(sheet.painter.fit(string, room, 9 * sheet.unit, 1.0, bold=strong(choice)).lines)


def _head(
    sheet: Sheet,
    rect: pygame.Rect,
    chair: ChairView,
    ink: Colour,
    *,
    tokens: bool,
    badge: bool,
    hand: bool,
) -> None:
    radius = rect.h * 40 // 100
    left = rect.x + 2 * radius + sheet.em(0.4) if badge else rect.x
    if not badge:
        pass
    elif radius < sheet.em(0.6):  # no room within for a number that can be read
        sheet.shape((rect.x + radius, rect.centery), radius, chair.chair)
        number = pygame.Rect(left, rect.y, sheet.em(0.7), rect.h)
        sheet.text(number, str(chair.chair + 1), 1.0, ink, bold=True)
        left = number.right + sheet.em(0.1)
    elif badge:
        sheet.badge((rect.x + radius, rect.centery), radius, chair.chair)
    right = rect.right
    if chair.raised and hand:
        side = rect.h * 9 // 10
        sheet.picture(sheet.art.motif("hand", side), (right - side // 2, rect.centery))
        right -= side + sheet.em(0.15)
    if tokens:
        right = token_icons(sheet, pygame.Rect(rect.x, rect.y, right - rect.x, rect.h), chair, ink)
    name = pygame.Rect(left, rect.y, max(1, right - left), rect.h)
    string = shortened(sheet, sheet.name(chair.chair), name.w)
    sheet.text(name, string, scale_of("name") if rect.h > sheet.em(2) else 1.0, ink, bold=True)


def shortened(sheet: Sheet, string: str, width: int) -> str:
    """A name in one line; what does not fit ends in an ellipsis."""
    font = sheet.painter.font(1.0, bold=True)
    if font.size(string)[0] <= width:
        return string
    while string and font.size(string + "…")[0] > width:
        string = string[:-1]
    return string + "…" if string else ""


def tokens_wide(sheet: Sheet, chair: ChairView) -> int:
    """What `token_icons` takes."""
    side = sheet.em(1.12)
    return sum(_token_width(sheet, token, side) + sheet.em(0.12) for token in chair.tokens)


def token_icons(sheet: Sheet, rect: pygame.Rect, chair: ChairView | BotView, ink: Colour) -> int:
    """Tokens from the right edge inwards; gives back where they begin."""
    x, side = rect.right, sheet.em(1.12)
    for token in reversed(chair.tokens):
        width = _token_width(sheet, token, side)
        _token(sheet, pygame.Rect(x - width, rect.y, width, rect.h), token, ink)
        x -= width + sheet.em(0.12)
    return x


def tokens_row(sheet: Sheet, rect: pygame.Rect, chair: ChairView | BotView, ink: Colour) -> None:
    side, gap = min(rect.h - sheet.em(0.2), sheet.em(1.8)), sheet.em(0.2)
    while side > sheet.em(0.9) and _tokens_width(sheet, chair, side, gap) > rect.w:
        side, gap = side - 1, sheet.em(0.12)
    x = rect.x
    for token in chair.tokens:
        width = _token_width(sheet, token, side)
        _token(sheet, pygame.Rect(x, rect.y, width, rect.h), token, ink)
        x += width + gap
    number = str(chair.cards)
    count = sheet.em(1.35) + sheet.painter.font(1.0).size(number)[0]
    if chair.cards and rect.right - x >= count:  # an empty hand, or a game without hands, is not told
        place = pygame.Rect(rect.right - count, rect.y, count, rect.h)
        sheet.picture(sheet.art.motif("cards", sheet.em(1.1)), (place.x + sheet.em(0.6), place.centery))
        words = pygame.Rect(
            place.x + sheet.em(1.25), place.y, place.right - place.x - sheet.em(1.25), place.h
        )
        sheet.text(words, number, 1.0, ink)


def _tokens_width(sheet: Sheet, chair: ChairView | BotView, side: int, gap: int) -> int:
    return sum(_token_width(sheet, token, side) + gap for token in chair.tokens) - gap


CHIPS: Mapping[Chip, Colour] = {
    Chip.PAPER: PAPER,
    Chip.WORN: mixed(PAPER, INK, 0.3),
    Chip.TABLE: FELT,
    Chip.GOLD: GOLD,
}
"""The grounds of tokens that are cards: told by what stands on them."""


def _token_width(sheet: Sheet, token: Token, side: int) -> int:
    if token.chip:
        return max(
            sheet.em(1.6), sheet.painter.font(1.0, bold=True).size(str(token.value))[0] + sheet.em(0.4)
        )
    return side + _count_width(sheet, token)


def _count_width(sheet: Sheet, token: Token) -> int:
    """The room for how many there are; one alone is not counted."""
    if token.count < 2:
        return 0
    return max(sheet.em(0.62), sheet.painter.font(1.0, bold=True).size(str(token.count))[0] + sheet.em(0.05))


def _token(sheet: Sheet, rect: pygame.Rect, token: Token, ink: Colour) -> None:
    if token.chip:
        chip = pygame.Rect(rect.x, rect.centery - sheet.em(0.62), rect.w, sheet.em(1.24))
        fill = CHIPS[token.chip]
        sheet.box(chip, fill, TEXT if token.chip is Chip.TABLE else INK, radius=0.2)
        inner = chip.inflate(-sheet.em(0.2), 0)
        sheet.text(inner, str(token.value), 1.0, ink_on(fill), bold=True, align="center", grows=False)
        return
    count = _count_width(sheet, token)
    side = rect.w - count
    sheet.picture(sheet.art.motif(token.motif or token.kind, side), (rect.x + side // 2, rect.centery))
    if token.count > 1:
        words = pygame.Rect(rect.x + side + sheet.em(0.05), rect.y, count, rect.h)
        sheet.text(words, str(token.count), 1.0, ink, bold=True, grows=False)


def _foot(sheet: Sheet, rect: pygame.Rect, chair: ChairView, frame: GameFrame, ink: Colour) -> None:
    """What this chair may press now, or a note."""
    if rect.h < sheet.painter.line(1.0):
        return
    note = _note(sheet, chair, frame)
    if note:
        sheet.box(rect, NOTICE, radius=0.25)
        sheet.text(rect.inflate(-sheet.em(0.3), 0), note, 1.0, INK, bold=True, align="center")
        return
    line = sheet.painter.line(1.0)
    choices = _shown(chair, frame)
    needs = [_lines(sheet, choice, frame, rect.w) for choice in choices]
    if sum(needs) * line > rect.h:
        # Better every choice in one line, cut short, than one of them outside its panel.
        needs = [1] * len(choices)
        choices = choices[: max(1, rect.h // line)]
    stepping = len(chair.choices) > 2 and rect.h >= (sum(needs) + 1) * line
    spare = max(0, rect.h - (sum(needs) + stepping) * line)
    top = rect.y
    for choice, need in zip(choices, needs, strict=False):
        more = max(sheet.em(0.9), _for_fingers(sheet, chair, frame) // 2 - need * line)
        room = need * line + min(spare // (len(choices) + stepping), more)
        row = pygame.Rect(rect.x, top, rect.w, min(room, rect.bottom - top))
        if len(chair.choices) > 2 and not stepping:
            shorter = _steps_on(sheet, row)
            if _lines(sheet, choice, frame, shorter.w) == need:
                rest = pygame.Rect(shorter.right, row.y, row.right - shorter.right, row.h)
                _sign_of_next(sheet, rest, second(ink))
                row = shorter
        told(sheet, _signed(sheet, row, choice.press, ink), choice, frame, ink)
        if not window_open(frame.view):
            # In a timed window the panel is the button: its edges count, not a choice made on the screen.
            sheet.target(f"say:{choice.action}", row, say(choice))
        top = row.bottom
    if stepping:
        low = _signed(sheet, pygame.Rect(rect.x, top, rect.w, line), "tap", second(ink))
        sheet.text(low, sheet.tr("ui.next_choice"), 1.0, second(ink))


def _steps_on(sheet: Sheet, row: pygame.Rect) -> pygame.Rect:
    """The only row there is room for, less what the sign of going on takes."""
    return pygame.Rect(row.x, row.y, row.w - round(min(sheet.em(0.95), row.h) * 2.1), row.h)


def _sign_of_next(sheet: Sheet, rect: pygame.Rect, ink: Colour) -> None:
    """A tap goes on to the next choice."""
    tip = _signed(sheet, rect, "tap", ink)
    x, y, size = tip.x, tip.centery, min(sheet.em(0.95), rect.h) * 4 // 10
    sheet.polygon(ink, [(x, y - size), (x + round(size * 1.4), y), (x, y + size)])


def _signed(sheet: Sheet, row: pygame.Rect, press: str, ink: Colour) -> pygame.Rect:
    """The sign of a press, and the room for words after it."""
    side = min(sheet.em(0.95), row.h)
    sheet.picture(sign(sheet, press, side, ink), (row.x + side // 2, row.centery))
    left = row.x + side + sheet.em(0.25)
    return pygame.Rect(left, row.y, row.right - left, row.h)


def _note(sheet: Sheet, chair: ChairView, frame: GameFrame) -> str:
    if chair.note is not None:
        return sheet.words.text(chair.note, frame.names)
    said = dict(frame.notices).get(chair.chair)
    return "" if said is None else sheet.words.text(said, frame.names)


def say(choice: Choice) -> Deed:
    return deed(Say(choice.action))


def label(sheet: Sheet, choice: Choice, frame: GameFrame) -> str:
    return sheet.words.text(choice.label, frame.names)


def told(
    sheet: Sheet, words: pygame.Rect, choice: Choice, frame: GameFrame, ink: Colour, *, scale: float = 1.0
) -> None:
    """What is chosen; where that is a chair or a deck, its badge and name say enough."""
    parts = dict(choice.label.parts)
    about, deck = parts.get("chair"), parts.get("bot")
    if isinstance(deck, int):
        owner = None if deck < 0 else deck
        radius = min(words.h // 2, sheet.em(0.8))
        bot_badge(sheet, (words.x + radius, words.centery), radius, owner)
        gap = 2 * radius + sheet.em(0.3)
        words = pygame.Rect(words.x + gap, words.y, words.w - gap, words.h)
        sheet.text(words, shortened(sheet, named(sheet, owner), words.w), scale, ink, bold=True)
    elif isinstance(about, int):
        radius = min(words.h // 2, sheet.em(0.66))
        sheet.badge((words.x + radius, words.centery), radius, about)
        gap = 2 * radius + sheet.em(0.45)
        words = pygame.Rect(words.x + gap, words.y, words.w - gap, words.h)
        sheet.text(words, shortened(sheet, sheet.name(about), words.w), scale, ink, bold=True)
    else:
        sheet.text(words, label(sheet, choice, frame), scale, ink, bold=strong(choice))


LOW_TILE = 1.5
"""With less room than this above the name, the badge stands beside it."""


def _low_tile(sheet: Sheet, rect: pygame.Rect, chair: Chair, name: str, ink: Colour) -> None:
    radius = min(rect.h * 2 // 5, sheet.em(0.75))
    gap = sheet.em(0.4)
    left = rect.x + gap + 2 * radius + max(gap, radius * 2 // 3)
    sheet.badge((rect.x + gap + radius, rect.centery), radius, chair)
    words = pygame.Rect(left, rect.y, rect.right - gap - left, rect.h)
    sheet.text(words, shortened(sheet, name, words.w), 1.0, ink, bold=True)


def chair_tile(sheet: Sheet, rect: pygame.Rect, chair: Chair, *, marked: bool, name: str = "") -> None:
    """A big tile for choosing a chair."""
    colour = sheet.colour(chair)
    ink = plate(sheet, rect, colour, Plate.ASKED if marked else Plate.WAIT)
    name_height = sheet.painter.line(1.15)
    radius = min((rect.h - name_height) * 36 // 100, rect.w // 4, sheet.em(2.2))
    if rect.h < name_height + sheet.em(LOW_TILE):
        _low_tile(sheet, rect, chair, name or sheet.name(chair), ink)
        return
    sheet.badge((rect.centerx, rect.y + (rect.h - name_height) // 2), radius, chair)
    words = pygame.Rect(rect.x, rect.bottom - name_height - sheet.em(0.15), rect.w, name_height)
    name = shortened(sheet, name or sheet.name(chair), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center", grows=False)


def bot_tile(sheet: Sheet, rect: pygame.Rect, owner: Chair | None, *, marked: bool) -> None:
    """A big tile for choosing a deck that nobody holds."""
    colour = colour_of(sheet, owner)
    ink = plate(sheet, rect, colour, Plate.ASKED if marked else Plate.WAIT)
    height = sheet.painter.line(1.15)
    radius = min((rect.h - height) * 36 // 100, rect.w // 4, sheet.em(2.2))
    bot_badge(sheet, (rect.centerx, rect.y + (rect.h - height) // 2), radius, owner)
    words = pygame.Rect(rect.x, rect.bottom - height - sheet.em(0.15), rect.w, height)
    name = shortened(sheet, named(sheet, owner), words.w - sheet.em(0.4))
    sheet.text(words, name, 1.0, ink, bold=True, align="center")
