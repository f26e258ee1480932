"""Pictures of the cards or tokens that a sentence mentions."""

from companion.core.view import VALUE_ONLY_PREFIX, Board, Sentence
from companion.ui.board.player_areas import paint_oriented_card
from companion.ui.board.stage_layout import CARD_ASPECT
from companion.ui.layout import Box
from companion.ui.toolkit.sheet import Sheet


def find_pictures(board: Board, sentence: Sentence) -> tuple[str, ...]:
    """Cards (`animal:7`) and motifs (`crown`) by name, at most one answer of the board's for each part."""
    word = sentence.key.removesuffix(".bot").rpartition(".")[2]
    found = [
        name.format(value)
        for part, value in sentence.parts
        for name in board.sentence_pictures.get(f"{word}.{part}", board.sentence_pictures.get(part, ()))
    ]
    return (*board.sentence_pictures.get(word, ()), *found)


def paint_pictures(sheet: Sheet, rect: Box, names: tuple[str, ...]) -> int:
    """The pictures side by side from the left, as high as `rect`; returns where they end."""
    gap, left = sheet.em(0.25), rect.x
    for name in names:
        width = round(rect.h * CARD_ASPECT) if ":" in name else min(rect.h, sheet.em(2.2))
        if left + width > rect.right:
            break
        place = Box(left, rect.y, width, rect.h)
        if name.startswith(VALUE_ONLY_PREFIX) or "@" in name:
            paint_oriented_card(sheet, place, name)
        elif name.startswith("back:") or ":" in name:
            sheet.card(place, name)
        else:
            sheet.picture(sheet.art.motif(name, width), place.center)
        left += width + gap
    return left
