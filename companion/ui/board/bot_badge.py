"""Draws the badge of a BOT deck: a pile of cards in its owner's colour."""

from companion.ui.layout import around
from companion.ui.toolkit.design_tokens import Colour
from companion.ui.toolkit.sheet import Sheet
from companion.ui.toolkit.theme import DARK, TEXT, blend

UNOWNED_COLOUR: Colour = (150, 160, 178)
"""The colour of a deck that belongs to nobody."""


def deck_colour(sheet: Sheet, owner: int | None) -> Colour:
    return UNOWNED_COLOUR if owner is None else sheet.colour(owner)


def deck_name(sheet: Sheet, owner: int | None) -> str:
    """What the deck is called."""
    return sheet.tr("ui.bot") if owner is None else sheet.tr("ui.bot.of", chair=sheet.name(owner))


def paint_bot_badge(sheet: Sheet, centre: tuple[int, int], radius: int, owner: int | None) -> None:
    """A pile of cards in the owner's colour, with the owner's badge on it."""
    colour = deck_colour(sheet, owner)
    wide, high = round(radius * 1.3), round(radius * 1.8) - round(radius * 0.3)
    for step in (2, 1, 0):
        shift = round((step - 1) * radius * 0.16)
        card = around((centre[0] - shift, centre[1] - shift), wide, high)
        sheet.box(card, blend(DARK, colour, 0.35 + 0.25 * (step == 0)), TEXT, radius=0.2, width=0.05)
    if owner is not None:
        sheet.badge(card.center, max(radius // 2, round(sheet.unit * 0.5)), owner)


def shorten_name(sheet: Sheet, string: str, width: int) -> str:
    """A name in one line; what does not fit ends in an ellipsis."""
    font = sheet.painter.font(1.0, bold=True)
    if font.size(string)[0] <= width:
        return string
    while string and font.size(string + "…")[0] > width:
        string = string[:-1]
    return string + "…" if string else ""
